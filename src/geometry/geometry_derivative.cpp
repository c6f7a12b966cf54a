// SPDX-License-Identifier: BSD-2-Clause
// The derivative of the distance of two geometries is that of the pair of parts that attains it, or
// of the hulls of meshes that overlap.
#include "geometry/geometry_derivative.hpp"

#include "geometry/near_parts.hpp"
#include "geometry/part_motion.hpp"

namespace tactum {
namespace {

constexpr double kTie = 1e-11;         // of the scale: distances that count as equal
constexpr double kSameWitness = 1e-3;  // of the scale, and rad: points and normals that are one

bool is_half_space(const Geometry& geometry) {
  return geometry.shape() != nullptr && geometry.shape()->kind() == ShapeKind::half_space;
}

/// Whether the distance is that of the hull of a mesh: two meshes overlap, or a solid overlaps
/// something else and its depth is proved.
bool is_of_hull(const Geometry& geometry, const Geometry& other, const GeometryDistance& value) {
  const Mesh* const mesh = geometry.mesh();
  if (mesh == nullptr || !(value.upper < 0.0) || mesh->hull() == nullptr) return false;
  if (other.mesh() != nullptr) return other.mesh()->hull() != nullptr;
  return mesh->is_solid() && !is_half_space(other) && value.status == Status::penetrating;
}

/// The parts of an answer, in the world.
ConvexPart part_in_world(const Geometry& geometry, const Pose& X, std::int32_t part, bool of_hull) {
  if (of_hull) return {*geometry.mesh()->hull(), X};
  return convex_part(PlacedGeometry(geometry, X), part);
}

/// The derivative of an answer that is no pair of parts: solids that overlap.
void fill_distance_alone(const Pose& X_WA, const Pose& X_WB, const GeometryDistance& value,
                         TangentFrame frame, DistanceDerivative& result) {
  result.distance_jacobian = distance_jacobian(X_WA, X_WB, value, frame);
  for (Matrix3x12* jacobian : {&result.normal_jacobian, &result.point_a_jacobian,
                               &result.point_b_jacobian, &result.separation_jacobian})
    jacobian->setZero();
  result.smooth = false;
}

}  // namespace

bool has_tie(const PlacedGeometryPair& pair, const GeometryDistance& value,
             const DistanceOptions& query, TieIn what) {
  DistanceOptions own = query;
  own.warm_start = nullptr;
  const double scale = pair.largest_scale();
  const double farthest = value.distance + kTie * scale;
  own.cutoff = std::max(0.0, farthest);
  const Pose X_AW = inverse(pair.X_WA());
  const Vector3 normal = X_AW.rotation * value.normal, point = X_AW * value.point_a;
  bool tied = false;
  visit_near_pairs(pair, farthest, [&](std::int32_t part_a, std::int32_t part_b) {
    if (tied || (part_a == value.part_a && part_b == value.part_b)) return;
    const ConvexPart a = convex_part(pair.a, part_a), b = convex_part(pair.b, part_b);
    const Distance other = distance(a.shape, a.X, b.shape, b.X, own);
    tied = other.status != Status::beyond_cutoff && other.distance <= farthest &&
           ((other.normal - normal).norm() > kSameWitness ||
            (what == TieIn::points_or_normal &&
             (other.point_a - point).norm() > kSameWitness * scale));
  });
  return tied;
}

DistanceDerivative distance_derivative(const Geometry& a, const Pose& X_WA, const Geometry& b,
                                       const Pose& X_WB, const DistanceDerivativeOptions& options) {
  if (a.shape() != nullptr && b.shape() != nullptr)
    return distance_derivative(*a.shape(), X_WA, *b.shape(), X_WB, options);
  const GeometryDistance value = distance(a, X_WA, b, X_WB, options.query);
  const PlacedGeometryPair pair(a, X_WA, b, X_WB);
  const Pose pose_a = check_pose(X_WA, "X_WA").pose, pose_b = check_pose(X_WB, "X_WB").pose;
  const bool hull_a = is_of_hull(a, b, value), hull_b = is_of_hull(b, a, value);
  const ConvexPart part_a = part_in_world(a, pose_a, value.part_a, hull_a),
                   part_b = part_in_world(b, pose_b, value.part_b, hull_b);
  DistanceDerivativeOptions own = options;
  own.value = nullptr;
  own.query.warm_start = nullptr;
  const bool moved = a.compound() != nullptr || b.compound() != nullptr;
  if (moved) own.frame = TangentFrame::local_world_aligned;
  DistanceDerivative result = distance_derivative(part_a.shape, part_a.X, part_b.shape, part_b.X,
                                                  own);
  if (moved) {
    const PartMotion motion(pose_a, part_a.X, pose_b, part_b.X, options.frame);
    motion.apply(result);
    if (result.standard_error) motion.of_errors().apply(*result.standard_error);
  }
  const double scale = pair.largest_scale();
  const bool of_parts = value.status != Status::not_converged ||
                        std::abs(result.value.distance - value.distance) <= kTie * scale;
  if (!of_parts) fill_distance_alone(pose_a, pose_b, value, options.frame, result);
  result.value = value;
  if (value.status == Status::beyond_cutoff || value.status == Status::not_converged)
    result.smooth = false;
  if (result.smooth && !hull_a && !hull_b)
    result.smooth = !has_tie(pair, value, options.query, TieIn::points_or_normal);
  return result;
}

}  // namespace tactum
