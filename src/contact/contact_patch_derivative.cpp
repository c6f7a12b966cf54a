// SPDX-License-Identifier: BSD-2-Clause
// The derivative of a contact patch: every point follows the features that make it, and the normal.
//
// Symbols    n normal, dn its change, m a surface normal scaled so that m.n = 1, p_A and p_B the
//            points of the cores, e = (p_B - p_A).n, v_X(p) the velocity of the point p of shape X,
//            w_X its rotation.
// Corner     a corner of A on a face of B: dp_A = v_A + H_A (dn - w_A x n), de = m_B . (v_B(p_B) -
//            dp_A - e dn); likewise with A and B exchanged.
// Crossing   two edges f_A, f_B: dp_X = v_X + H_X (...) + l_X f_X, dp_B - dp_A = de n + e dn: three
//            equations for l_A, l_B and de.
// Chord      an edge of an outline that is no edge of its hull: the equations of a crossing give
//            the line of sight, and the points of the hull on it, s_X n away from the chord, follow
//            their triangles: ds_X = m_X . (v_X(p_X) - dq_X - s_X dn), with q_X the point of the
//            chord of A.
// Hessian    H is that of a rim where a generator ends, else zero. Swept radii add r_A dn and -r_B
//            dn.
// Normal     dn comes from narrow/derivative/witness_jacobian.hpp, unless one shape decides alone:
//            a half-space, or the face whose outline contains that of the other strictly inside
//            (docs/theory/06-contact-patches.md, section 4).
#include "contact/patch_geometry.hpp"
#include "math/exact_pose.hpp"
#include "narrow/derivative/ambiguous_normal.hpp"
#include "narrow/derivative/witness_pair.hpp"

namespace tactum {
namespace {

using Kind = OverlapPoint::Kind;
constexpr double kOutsideOfCap = 1.0195911582083184;  // 1 / cos(pi / 16): from the polygon
                                                      // inscribed in a disc to the circumscribed
                                                      // one

/// One of the twelve columns: the motion of one shape while the other rests.
struct Motion {
  bool moves_a;
  Double3 linear, angular, pivot;  // world
  Double3 normal;                  // dn

  Double3 velocity_a(Double3 p) const { return moves_a ? at(p) : Double3{0.0, 0.0, 0.0}; }
  Double3 velocity_b(Double3 p) const { return moves_a ? Double3{0.0, 0.0, 0.0} : at(p); }
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

/// The motion of a point of the core of A, and the change of the distance of the point of B from
/// it.
struct PointChange {
  Double3 core_a;
  double distance;
};

/// H times the rotation of the normal, at a fraction of the line of a feature.
Double3 curvature_motion(const TangentPlane& plane, const FlatFeature& feature, double fraction,
                         Double3 turn) {
  const double curvature_radius = feature.curvature_radius[0] +
                                  fraction *
                                      (feature.curvature_radius[1] - feature.curvature_radius[0]);
  return plane.lift(curvature_radius * dot(feature.around, plane.project(turn)) * feature.around);
}

double fraction_at_corner(int corner) { return corner == 1 ? 1.0 : 0.0; }

/// The surface normal with m.n = 1 that has the given slope.
Double3 surface_normal(const TangentPlane& plane, Double2 slope) {
  return plane.normal - plane.lift(slope);
}

/// The surface normal with m.n = 1 of a feature over a place. `kinked` is set where it is not
/// unique.
Double3 surface_normal_at(const PatchGeometry& patch, const SeenCore& seen,
                          const FlatFeature& feature, Double2 at, bool& kinked) {
  const FeatureHeight surface = height_at(seen, feature, at);
  kinked |= has_kink_at(seen, surface, at);
  return surface_normal(patch.plane, surface.slope);
}

/// How one point of a patch follows a motion.
class PatchResponse {
 public:
  PatchResponse(const PatchGeometry& patch, const PatchPoint& point)
      : patch_(patch), point_(point) {
    const OverlapPoint& at = point.overlap;
    core_a_ = patch.point_a(point) - patch.radius_a * n();
    apart_ = point.height_b - point.height_a;
    core_b_ = core_a_ + apart_ * n();
    normal_a_ = normal_b_ = n();
    if (at.kind == Kind::crossing) {
      above_a_ = point.height_a - chord_height(patch.a, at.a, at.fraction_a);
      above_b_ = point.height_b - chord_height(patch.b, at.b, at.fraction_b);
    }
    if (at.kind == Kind::corner_b || above_a_ != 0.0)
      normal_a_ = surface_normal_at(patch, patch.seen_a, patch.a, at.at, kinked_);
    if (at.kind == Kind::corner_a || at.kind == Kind::corners || above_b_ != 0.0)
      normal_b_ = surface_normal_at(patch, patch.seen_b, patch.b, at.at, kinked_);
  }

  /// Whether a face on which the point slides has no unique normal there.
  bool kinked() const { return kinked_; }

  PointChange change(const Motion& motion) const {
    const OverlapPoint& at = point_.overlap;
    switch (at.kind) {
      case Kind::crossing: return crossing(motion);
      case Kind::corner_b:
      case Kind::line_b: return corner_b(motion, fraction_at_corner(at.b));
      case Kind::corner_a:
      case Kind::corners:
      case Kind::line_a:
      case Kind::lines:
      case Kind::witness: break;
    }
    return corner_a(motion, fraction_at_corner(at.a));
  }

 private:
  Double3 n() const { return patch_.plane.normal; }
  Double3 moved_a(const Motion& motion, Double3 point, double fraction) const {
    return motion.velocity_a(point) +
           curvature_motion(patch_.plane, patch_.a, fraction, motion.turn_a(n()));
  }
  Double3 moved_b(const Motion& motion, Double3 point, double fraction) const {
    return motion.velocity_b(point) -
           curvature_motion(patch_.plane, patch_.b, fraction, motion.turn_b(n()));
  }

  PointChange corner_a(const Motion& motion, double fraction) const {
    const Double3 moved = moved_a(motion, core_a_, fraction);
    return {moved, dot(normal_b_, motion.velocity_b(core_b_) - moved - apart_ * motion.normal)};
  }
  PointChange corner_b(const Motion& motion, double fraction) const {
    const Double3 moved = moved_b(motion, core_b_, fraction);
    const double distance = dot(normal_a_,
                                moved - apart_ * motion.normal - motion.velocity_a(core_a_));
    return {moved - distance * n() - apart_ * motion.normal, distance};
  }
  Double3 edge(const FlatFeature& feature, int i) const {
    const auto from = static_cast<std::size_t>(i), to = static_cast<std::size_t>(feature.next(i));
    return patch_.plane.lift(feature.corner(feature.next(i)) - feature.corner(i)) +
           (feature.height[to] - feature.height[from]) * n();
  }
  PointChange crossing(const Motion& motion) const {
    const OverlapPoint& at = point_.overlap;
    const Double3 chord_a = core_a_ - above_a_ * n(), chord_b = core_b_ - above_b_ * n();
    const double chords_apart = apart_ + above_a_ - above_b_;
    const Double3 moved = moved_a(motion, chord_a, at.fraction_a), edge_a = edge(patch_.a, at.a),
                  edge_b = edge(patch_.b, at.b);
    const Double3 rest = moved_b(motion, chord_b, at.fraction_b) - moved -
                         chords_apart * motion.normal;
    const Double2 a = patch_.plane.project(edge_a), b = patch_.plane.project(edge_b),
                  q = patch_.plane.project(rest);
    const double determinant = cross(a, b), along_a = cross(q, b) / determinant,
                 along_b = cross(q, a) / determinant;
    const Double3 sight = moved + along_a * edge_a;  // motion of the line of sight at the chord of
                                                     // A
    const double to_b = chords_apart + above_b_;     // from there to the surface of B
    const double rise_a = above_a_ == 0.0 ? 0.0
                                          : dot(normal_a_, motion.velocity_a(core_a_) - sight -
                                                               above_a_ * motion.normal);
    const double rise_b = above_b_ == 0.0 ? dot(n(), rest + along_b * edge_b - along_a * edge_a)
                                          : dot(normal_b_, motion.velocity_b(core_b_) - sight -
                                                               to_b * motion.normal);
    return {sight + rise_a * n() + above_a_ * motion.normal, rise_b - rise_a};
  }

  const PatchGeometry& patch_;
  const PatchPoint& point_;
  Double3 core_a_, core_b_, normal_a_, normal_b_;
  double apart_;
  double above_a_ = 0.0, above_b_ = 0.0;  // height of the surface over the chord of an outline,
                                          // along the normal
  bool kinked_ = false;
};

// -------------------------------------------------------------------------------------------------
// normal
/// The corners of a feature that are as far ahead as its farthest; for a cap, those of the polygon
/// around the disc.
FlatFeature level_part(const FlatFeature& feature, double sign, double level, bool is_cap) {
  FlatFeature part;
  part.unbounded = feature.unbounded;
  double farthest = -std::numeric_limits<double>::infinity();
  Double2 mean{0.0, 0.0};
  for (std::size_t i = 0; i < static_cast<std::size_t>(feature.count); ++i) {
    farthest = std::max(farthest, sign * feature.height[i]);
    mean = mean + (1.0 / feature.count) * Double2{feature.x[i], feature.y[i]};
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(feature.count); ++i) {
    if (sign * feature.height[i] < farthest - level) continue;
    const auto at = static_cast<std::size_t>(part.count++);
    const double stretch = is_cap ? kOutsideOfCap : 1.0;
    part.x[at] = mean.x + stretch * (feature.x[i] - mean.x);
    part.y[at] = mean.y + stretch * (feature.y[i] - mean.y);
  }
  return part;
}

bool is_cap(const SeenCore& seen, const FlatFeature& feature) {
  return feature.count > 2 &&
         (seen.core->kind == CoreShape::Kind::cylinder || seen.core->kind == CoreShape::Kind::cone);
}

enum class DecidingShape : std::uint8_t { both, a, b };

/// The shape that alone decides the normal of parallel features.
DecidingShape deciding_shape(const PatchGeometry& patch, const WitnessPair& pair) {
  if (patch.a.unbounded) return DecidingShape::a;
  if (patch.b.unbounded) return DecidingShape::b;
  if (pair.a.feature.dimension + pair.b.feature.dimension <= 2) return DecidingShape::both;
  const double margin = 1e-9 * patch.size;
  const auto inside = [&](const SeenCore& inner, const FlatFeature& in, const SeenCore& outer,
                          const FlatFeature& out) {
    return lies_strictly_inside(level_part(in, inner.sign, patch.level, is_cap(inner, in)),
                                level_part(out, outer.sign, patch.level, false), margin);
  };
  if (inside(patch.seen_b, patch.b, patch.seen_a, patch.a)) return DecidingShape::a;
  return inside(patch.seen_a, patch.a, patch.seen_b, patch.b) ? DecidingShape::b
                                                              : DecidingShape::both;
}

bool is_settled(Status status) {
  return status == Status::separated || status == Status::touching || status == Status::penetrating;
}

/// Whether overlapping cores have another normal that is as good.
bool is_tied(const PatchGeometry& patch, const Pose& X_WA, const Pose& X_WB, const Distance& value,
             double scale) {
  const PosedCore a{patch.seen_a.core, &X_WA.rotation, to_double3(X_WA.translation),
                    to_double3(value.point_a)};
  const PosedCore b{patch.seen_b.core, &X_WB.rotation, to_double3(X_WB.translation),
                    to_double3(value.point_b)};
  return has_other_normal(a, b, patch.plane.normal, value.distance, 1e-9 * scale);
}

// -------------------------------------------------------------------------------------------------
// limits
/// Whether a cap lies flat: with the slightest tilt, the deepest point of its rim becomes a point
/// of its own.
bool has_flat_cap(const PatchGeometry& patch) {
  const auto flat = [](const SeenCore& seen, const FlatFeature& feature) {
    return is_cap(seen, feature) && std::abs(feature.slope.x) + std::abs(feature.slope.y) < 1e-8;
  };
  return patch.count > 1 && (flat(patch.seen_a, patch.a) || flat(patch.seen_b, patch.b));
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

void differentiate(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                   const ContactPatchDerivativeOptions& options, ContactPatchDerivative& result) {
  const Distance& value = result.value.distance;
  const WitnessPair pair = make_witness_pair(
      a, X_WA, b, X_WB, value,
      options.value != nullptr ? ValueOrigin::given : ValueOrigin::computed);
  const MotionResponse response = response_of(pair.a.feature, pair.b.feature, pair.distance,
                                              pair.scale);
  DistanceJacobians witness;
  fill_jacobians(pair, response, options.frame, witness);
  PatchGeometry patch(a.core(), X_WA, b.core(), X_WB, value);
  find_patch(value, options.patch, patch);
  const DecidingShape decides = deciding_shape(patch, pair);

  std::array<Motion, 12> motions;
  for (int column = 0; column < 12; ++column) {
    Motion& motion = motions[static_cast<std::size_t>(column)];
    motion = motion_of(column, X_WA, X_WB, options.frame);
    motion.normal = to_double3(witness.normal_jacobian.col(column));
    if (decides != DecidingShape::both) {
      const bool turns = motion.moves_a == (decides == DecidingShape::a);
      motion.normal = turns ? cross(motion.angular, patch.plane.normal) : Double3{0.0, 0.0, 0.0};
    }
    result.normal_jacobian.col(column) = to_vector3(motion.normal);
  }
  bool has_witness = false, has_kink = false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(patch.count); ++i) {
    const PatchPoint& point = patch.points[i];
    if (point.overlap.kind != Kind::witness) {
      const PatchResponse point_response(patch, point);
      const bool is_held = patch.is_at_witness(point) &&
                           (point.overlap.on_border || point_response.kinked());
      if (!is_held) {
        write_point(patch, point_response, motions, i, result);
        has_kink |= point_response.kinked();
        continue;
      }
    }
    has_witness = true;
    result.points_a_jacobian[i] = witness.point_a_jacobian;
    result.points_b_jacobian[i] = witness.point_b_jacobian;
    result.distances_jacobian[i] = witness.distance_jacobian;
  }
  const bool unique = pair.smooth && response.unique;
  const bool normal_is_smooth = decides == DecidingShape::both
                                    ? unique
                                    : !is_tied(patch, X_WA, X_WB, value, pair.scale);
  result.smooth = is_settled(value.status) && patch.count > 0 && normal_is_smooth &&
                  (unique || !has_witness) && !patch.borderline && !has_flat_cap(patch) &&
                  !has_kink;
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
  ContactPatchDerivative result;
  result.value = options.value != nullptr
                     ? contact_patch(*options.value, a, X_WA, b, X_WB, options.patch)
                     : contact_patch(a, X_WA, b, X_WB, options.patch);
  if (are_exact_poses(X_WA, X_WB, 1e-12)) {
    differentiate(a, X_WA, b, X_WB, options, result);
  } else {
    differentiate(a, check_pose(X_WA, "X_WA").pose, b, check_pose(X_WB, "X_WB").pose, options,
                  result);
  }
  return result;
}

}  // namespace tactum
