// SPDX-License-Identifier: BSD-2-Clause
// The derivative of a contact patch by the sizes of the shapes: points follow the features that
// make them, which move with the sizes as they move with the shapes.
#include "contact/patch_normal.hpp"
#include "contact/patch_sizes.hpp"
#include "narrow/derivative/size_motion.hpp"

namespace tactum {
namespace {

constexpr Double3 kAtRest{0.0, 0.0, 0.0};

/// One unit of a size of one shape while the other stays as it is.
struct SizeChange {
  bool of_a;
  int size;
  const PatchSizes& sizes;
  const PatchPlaces& places;
  Double3 normal;  // dn

  Double3 velocity_a(Double3 p, PatchPlace place) const { return of_a ? at(p, place) : kAtRest; }
  Double3 velocity_b(Double3 p, PatchPlace place) const { return of_a ? kAtRest : at(p, place); }
  Double3 turn_a(Double3) const { return normal; }
  Double3 turn_b(Double3) const { return normal; }

 private:
  Double3 at(Double3 p, PatchPlace place) const {
    return sizes.velocity(size, p, place == PatchPlace::feature ? places.feature : places.surface);
  }
};

/// Writes the columns of one of the two shapes.
class SizeColumns {
 public:
  SizeColumns(const PatchNormal& start, const Shape& shape, const Pose& X, bool of_a,
              PatchParameterDerivative& out)
      : start_(start),
        of_a_(of_a),
        is_hull_(shape.kind() == ShapeKind::convex),
        sizes_(shape, X, of_a ? start.pair.plane.normal : -start.pair.plane.normal),
        motions_(size_motions(start.pair, shape, of_a ? start.pair.a : start.pair.b, of_a, folds_)),
        out_(out) {
    const auto count = static_cast<Eigen::Index>(motions_.size());
    const auto points = static_cast<std::size_t>(start.patch.count);
    out_.normal_jacobian.resize(3, count);
    out_.points_a_jacobian.assign(points, Eigen::Matrix3Xd(3, count));
    out_.points_b_jacobian.assign(points, Eigen::Matrix3Xd(3, count));
    out_.distances_jacobian.resize(start.patch.count, count);
    for (std::size_t i = 0; i < motions_.size(); ++i) {
      out_.names.push_back(motions_[i].name);
      out_.normal_jacobian.col(static_cast<Eigen::Index>(i)) = to_vector3(normal_change(i));
    }
  }

  /// Whether the witness point or the normal follows a face that folds, or a size of 0.
  bool folds() const { return folds_; }

  void follow_witness(std::size_t point) {
    for (std::size_t i = 0; i < motions_.size(); ++i) {
      const MotionColumn c = column(i);
      write(point, i, c.point_a, c.point_b, c.distance);
    }
  }

  /// Returns whether the point follows a face that folds.
  bool follow_features(std::size_t index, const PatchResponse& response) {
    const PatchPoint& point = start_.patch.points[index];
    const PatchPlaces places = patch_places(start_.patch, point, of_a_);
    const Double3 n = start_.patch.plane.normal;
    for (std::size_t i = 0; i < motions_.size(); ++i) {
      const int size = static_cast<int>(i);
      const Double3 normal = normal_change(i);
      const PointChange change = response.change(SizeChange{of_a_, size, sizes_, places, normal});
      const double swept = sizes_.radius_rate(size), distance = change.distance - swept;
      const Double3 d_a = change.core_a + start_.patch.radius_a * normal +
                          (of_a_ ? swept : 0.0) * n;
      write(index, i, d_a, d_a + distance * n + point.distance * normal, distance);
    }
    return is_hull_ && slides(point) && places.surface.folds;
  }

 private:
  MotionColumn column(std::size_t i) const {
    return of_a_ ? column_a(start_.pair, start_.response, motions_[i].shift, motions_[i].turn)
                 : column_b(start_.pair, start_.response, motions_[i].shift, motions_[i].turn);
  }
  /// Whether a point slides on the surface of this shape, or lies on it above a chord.
  bool slides(const PatchPoint& point) const {
    using Kind = OverlapPoint::Kind;
    const OverlapPoint& at = point.overlap;
    if (at.kind == Kind::crossing)
      return of_a_ ? point.height_a != chord_height(start_.patch.a, at.a, at.fraction_a)
                   : point.height_b != chord_height(start_.patch.b, at.b, at.fraction_b);
    return of_a_ ? at.kind == Kind::corner_b || at.kind == Kind::line_b
                 : at.kind == Kind::corner_a || at.kind == Kind::line_a;
  }
  Double3 normal_change(std::size_t i) const {
    if (start_.decides == DecidingShape::both) return column(i).normal;
    const bool decides = (start_.decides == DecidingShape::a) == of_a_;
    return decides ? start_.pair.plane.lift(motions_[i].turn) : kAtRest;
  }
  void write(std::size_t point, std::size_t size, Double3 d_a, Double3 d_b, double distance) {
    const auto column = static_cast<Eigen::Index>(size);
    out_.points_a_jacobian[point].col(column) = to_vector3(d_a);
    out_.points_b_jacobian[point].col(column) = to_vector3(d_b);
    out_.distances_jacobian(static_cast<Eigen::Index>(point), column) = distance;
  }

  const PatchNormal& start_;
  bool of_a_, is_hull_;
  PatchSizes sizes_;
  bool folds_ = false;  // set by the motions
  std::vector<SizeMotion> motions_;
  PatchParameterDerivative& out_;
};

/// Whether the surface of a shape at the witness point matters to the normal or to a point.
bool needs_witness(const PatchNormal& start, const PatchUse& use, bool of_a) {
  if (use.witness || start.decides == DecidingShape::both) return true;
  return (start.decides == DecidingShape::a) == of_a;
}

void differentiate(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                   const ContactPatchDerivativeOptions& options,
                   ContactPatchParameterDerivative& result) {
  const Distance& value = result.value.distance;
  const WitnessPair pair = make_witness_pair(
      a, X_WA, b, X_WB, value,
      options.value != nullptr ? ValueOrigin::given : ValueOrigin::computed);
  const MotionResponse response = response_of(pair.a.feature, pair.b.feature, pair.distance,
                                              pair.scale);
  PatchGeometry patch(a.core(), X_WA, b.core(), X_WB, value);
  find_patch(value, options.patch, patch);
  const PatchNormal start{patch, pair, response, deciding_shape(patch, pair)};
  SizeColumns of_a(start, a, X_WA, true, result.a), of_b(start, b, X_WB, false, result.b);
  bool folds = false;
  const PatchUse use = for_each_point(
      patch,
      [&](std::size_t i) {
        of_a.follow_witness(i);
        of_b.follow_witness(i);
      },
      [&](std::size_t i, const PatchResponse& point) {
        folds |= of_a.follow_features(i, point);
        folds |= of_b.follow_features(i, point);
      });
  folds |= of_a.folds() && needs_witness(start, use, true);
  folds |= of_b.folds() && needs_witness(start, use, false);
  result.smooth = start.is_smooth(X_WA, X_WB, value, use) && !folds;
}

}  // namespace

ContactPatchParameterDerivative contact_patch_parameter_derivative(
    const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
    const ContactPatchDerivativeOptions& options) {
  return differentiated_patch<ContactPatchParameterDerivative>(
      a, X_WA, b, X_WB, options,
      [&](const Pose& proper_WA, const Pose& proper_WB, ContactPatchParameterDerivative& result) {
        differentiate(a, proper_WA, b, proper_WB, options, result);
      });
}

}  // namespace tactum
