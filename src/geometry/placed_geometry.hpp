// SPDX-License-Identifier: BSD-2-Clause
// Two geometries in the frame of the first, as trees of boxes over their pieces.
//
// Frame      pieces are placed in the frame of A, so that nothing depends on how far both
// geometries
//            are from the origin of the world. Bounds are widened by the rounding of the places of
//            pieces, which may be far from the origin of their compound.
#pragma once

#include <algorithm>

#include "geometry/part_tree.hpp"
#include "geometry/reach.hpp"
#include "math/relative_pose.hpp"
#include "narrow/pair/bounds_and_status.hpp"
#include "narrow/pair/pair_frame.hpp"
#include "tactum/geometry.hpp"

namespace tactum {

/// A convex shape or a mesh at a pose: one of the two is null.
struct Piece {
  const Shape* shape;
  const Mesh* mesh;
  Pose X;
};

/// A geometry at a pose, as pieces and their boxes: convex shapes, or a mesh as a whole.
class PlacedGeometry {
 public:
  PlacedGeometry(const Geometry& geometry, const Pose& X) : geometry_(geometry), X_(X) {
    if (geometry.compound() == nullptr && !is_half_space())
      leaf_.volume = part_box(geometry.aabb());
  }

  bool is_half_space() const {
    return geometry_.shape() != nullptr && geometry_.shape()->kind() == ShapeKind::half_space;
  }
  PartBoxes boxes() const {
    if (geometry_.compound() == nullptr) return {{&leaf_, 1}, {&kOnlyPart, 1}};
    return {geometry_.compound()->tree().nodes(), geometry_.compound()->tree().parts()};
  }
  const Pose& X() const { return X_; }
  /// The mesh that the geometry is, or null.
  const Mesh* mesh() const { return geometry_.mesh(); }
  /// A convex piece; not for a mesh.
  const Shape& shape(std::int32_t piece) const {
    return geometry_.shape() != nullptr
               ? *geometry_.shape()
               : geometry_.compound()->parts()[static_cast<std::size_t>(piece)].shape;
  }
  Pose pose(std::int32_t piece) const {
    return geometry_.compound() == nullptr
               ? X_
               : X_ * geometry_.compound()->parts()[static_cast<std::size_t>(piece)].X_CP;
  }
  Piece piece(std::int32_t piece) const {
    return {mesh() == nullptr ? &shape(piece) : nullptr, mesh(), pose(piece)};
  }
  bool has(std::int32_t piece) const {
    return piece >= 0 && piece < (mesh() != nullptr ? 1 : geometry_.num_parts());
  }
  /// The next piece that equals this one, or -1.
  std::int32_t next_equal(std::int32_t piece) const {
    return geometry_.compound() == nullptr
               ? -1
               : geometry_.compound()->next_equal()[static_cast<std::size_t>(piece)];
  }
  double reach() const { return reach_of(geometry_); }
  double support_error() const { return support_error_of(geometry_); }

 private:
  const Geometry& geometry_;
  Pose X_;
  static constexpr std::int32_t kOnlyPart = 0;
  PartTree::Node leaf_{{Vector3::Zero(), Vector3::Zero()}, 0, 1, -1};
};

/// Two geometries in the frame of the first.
class PlacedGeometryPair {
 public:
  PlacedGeometryPair(const Geometry& geometry_a, const Pose& X_WA, const Geometry& geometry_b,
                     const Pose& X_WB)
      : checked_a_(check_pose(X_WA, "X_WA")),
        checked_b_(check_pose(X_WB, "X_WB")),
        a(geometry_a, {}),
        b(geometry_b, pose_in_frame(checked_a_.pose, checked_b_.pose)) {}

  const Pose& X_WA() const { return checked_a_.pose; }
  const Pose& X_WB() const { return checked_b_.pose; }
  bool corrected() const { return checked_a_.corrected || checked_b_.corrected; }
  /// No pair of parts has a larger scale, in m.
  double largest_scale() const { return a.reach() + b.reach() + b.X().translation.stableNorm(); }
  /// Bound, in m, of the motion of two parts against each other by rounding.
  double placement_error() const { return kBoundSlack * largest_scale(); }
  /// Distance, in m, below which parts may be in contact: no pair of parts has a longer contact
  /// reach.
  double longest_reach() const {
    return contact_reach(largest_scale(), a.support_error() + b.support_error());
  }

  Vector3 direction_in_world(const Vector3& v) const { return checked_a_.pose.rotation * v; }
  Vector3 point_in_world(const Vector3& p) const { return checked_a_.pose * p; }
  /// Takes normal and points from the frame of A to the world, and widens the bounds by the
  /// placement error. A sign that the bounds then leave open is not claimed.
  void to_world(Distance& result) const {
    result.normal = direction_in_world(result.normal).normalized();
    result.point_a = point_in_world(result.point_a);
    result.point_b = point_in_world(result.point_b);
    result.lower -= placement_error();
    result.upper += placement_error();
    result.pose_corrected = corrected();
    const bool open = (result.status == Status::separated && !(result.lower > 0.0)) ||
                      (result.status == Status::penetrating && !(result.upper < 0.0));
    if (open) result.status = Status::touching;
  }

 private:
  CheckedPose checked_a_, checked_b_;

 public:
  const PlacedGeometry a, b;
};

/// Calls visit(piece_a, piece_b) for near pairs as visit_near_parts() does.
template <class Visit>
double visit_near(const PlacedGeometryPair& pair, double largest, Visit&& visit) {
  const PlacedGeometry &a = pair.a, &b = pair.b;
  const Pose& X_AB = b.X();
  if (!a.is_half_space() && !b.is_half_space())
    return visit_near_parts(a.boxes(), b.boxes(), BoxBound(X_AB), largest, visit);
  const bool first = a.is_half_space();
  const CoreShape& plane = (first ? a : b).shape(0).core();
  const PlaneBound bound(plane.size, plane.offset, first ? X_AB : inverse(X_AB));
  return visit_near_parts(
      a.boxes(), b.boxes(), [&](const auto& p, const auto& q) { return bound(first ? q : p); },
      largest, visit);
}

}  // namespace tactum
