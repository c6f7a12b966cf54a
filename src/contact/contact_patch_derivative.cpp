// SPDX-License-Identifier: BSD-2-Clause
// The derivative of a contact patch: every point follows the features that make it, and the normal.
//
#include "contact/patch_normal.hpp"

namespace tactum {
namespace {

/// One of the twelve columns: the motion of one shape while the other rests.
struct Motion {
  bool moves_a;
  Double3 linear, angular, pivot;  // world
  Double3 normal;                  // dn

  Double3 velocity_a(Double3 p, PatchPlace) const {
    return moves_a ? at(p) : Double3{0.0, 0.0, 0.0};
  }
  Double3 velocity_b(Double3 p, PatchPlace) const {
    return moves_a ? Double3{0.0, 0.0, 0.0} : at(p);
  }
  /// The change of the normal relative to a shape: dn - w x n.
  Double3 turn_a(Double3 n) const { return moves_a ? normal - cross(angular, n) : normal; }
  Double3 turn_b(Double3 n) const { return moves_a ? normal : normal - cross(angular, n); }

 private:
  Double3 at(Double3 p) const { return linear + cross(angular, p - pivot); }
};

Motion motion_of(int column, const Pose& X_WA, const Pose& X_WB, TangentFrame frame) {
  const bool moves_a = column < 6;
  const Pose& X = moves_a ? X_WA : X_WB;
  const int i = column % 3;
  const Double3 axis = frame == TangentFrame::local
                           ? to_double3(X.rotation.col(i))
                           : Double3{i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
  const Double3 zero{0.0, 0.0, 0.0},
      pivot = frame == TangentFrame::world ? zero : to_double3(X.translation);
  const bool linear = column % 6 < 3;
  return {moves_a, linear ? axis : zero, linear ? zero : axis, pivot, zero};
}

// -------------------------------------------------------------------------------------------------
// columns
/// Fills the columns of one point that is made of features.
void write_point(const PatchGeometry& patch, const PatchResponse& response,
                 const std::array<Motion, 12>& motions, std::size_t index,
                 ContactPatchDerivative& result) {
  const PatchPoint& point = patch.points[index];
  for (int column = 0; column < 12; ++column) {
    const Motion& motion = motions[static_cast<std::size_t>(column)];
    const PointChange change = response.change(motion);
    const Double3 d_a = change.core_a + patch.radius_a * motion.normal;
    const Double3 d_b = d_a + change.distance * patch.plane.normal + point.distance * motion.normal;
    result.points_a_jacobian[index].col(column) = to_vector3(d_a);
    result.points_b_jacobian[index].col(column) = to_vector3(d_b);
    result.distances_jacobian[index][column] = change.distance;
  }
}

/// Derivatives of the witness points and of the normal by an estimator.
DistanceJacobians estimated(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                            const Distance& value, const ContactPatchDerivativeOptions& options) {
  return distance_derivative(a, X_WA, b, X_WB,
                             {.estimator = options.estimator,
                              .value = &value,
                              .frame = options.frame,
                              .query = {.tolerance = options.patch.tolerance}});
}

void differentiate(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                   const ContactPatchDerivativeOptions& options, ContactPatchDerivative& result) {
  const Distance& value = result.value.distance;
  const WitnessPair pair = make_witness_pair(
      a, X_WA, b, X_WB, value,
      options.value != nullptr ? ValueOrigin::given : ValueOrigin::computed);
  const MotionResponse response = response_of(pair.a.feature, pair.b.feature, pair.distance,
                                              pair.scale);
  const bool is_exact = std::holds_alternative<Exact>(options.estimator);
  DistanceJacobians witness;
  if (is_exact)
    fill_jacobians(pair, response, options.frame, witness);
  else
    witness = estimated(a, X_WA, b, X_WB, value, options);
  PatchGeometry patch(a.core(), X_WA, b.core(), X_WB, value);
  find_patch(value, options.patch, patch);
  const DecidingShape decides = deciding_shape(patch, pair);

  std::array<Motion, 12> motions;
  for (int column = 0; column < 12; ++column) {
    Motion& motion = motions[static_cast<std::size_t>(column)];
    motion = motion_of(column, X_WA, X_WB, options.frame);
    motion.normal = to_double3(witness.normal_jacobian.col(column));
    if (is_exact && decides != DecidingShape::both) {
      const bool turns = motion.moves_a == (decides == DecidingShape::a);
      motion.normal = turns ? cross(motion.angular, patch.plane.normal) : Double3{0.0, 0.0, 0.0};
    }
    result.normal_jacobian.col(column) = to_vector3(motion.normal);
  }
  const auto follow_witness = [&](std::size_t i) {
    result.points_a_jacobian[i] = witness.point_a_jacobian;
    result.points_b_jacobian[i] = witness.point_b_jacobian;
    result.distances_jacobian[i] = witness.distance_jacobian;
  };
  const PatchUse use = for_each_point(patch, follow_witness,
                                      [&](std::size_t i, const PatchResponse& point) {
                                        write_point(patch, point, motions, i, result);
                                      });
  // one point is the witness; it slides along surfaces that are smoothed
  if (!is_exact && patch.count == 1) follow_witness(0);
  result.smooth = PatchNormal{patch, pair, response, decides}.is_smooth(X_WA, X_WB, value, use);
}

}  // namespace

ContactPatchDerivative contact_patch_derivative(const Shape& a, const Pose& X_WA, const Shape& b,
                                                const Pose& X_WB,
                                                const ContactPatchDerivativeOptions& options) {
  const TangentFrame frame = options.frame;
  if (frame != TangentFrame::local && frame != TangentFrame::world &&
      frame != TangentFrame::local_world_aligned)
    throw InvalidInput("frame", std::to_string(static_cast<int>(frame)),
                       "give local, world or local_world_aligned");
  return differentiated_patch<ContactPatchDerivative>(
      a, X_WA, b, X_WB, options,
      [&](const Pose& proper_WA, const Pose& proper_WB, ContactPatchDerivative& result) {
        differentiate(a, proper_WA, b, proper_WB, options, result);
      });
}

}  // namespace tactum
