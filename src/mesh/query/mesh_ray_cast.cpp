// SPDX-License-Identifier: BSD-2-Clause
// The first triangle on a ray. A ray that passes through an edge hits at least one of its
// triangles: the sides of a triangle are decided by volumes of edge and ray that its neighbor
// computes from the same numbers in the same order, and a volume of zero counts as inside.
#include "mesh/query/mesh_ray_cast.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/format_number.hpp"
#include "math/constants.hpp"
#include "mesh/query/placed_mesh.hpp"
#include "shape/check/shape_checks.hpp"
#include "shape/check/triangle_plane.hpp"

namespace tactum {
namespace {

/// Volume of the edge from a to b with the direction d, with the same bits but for the sign for the
/// edge from b to a.
double side(Double3 d, Double3 a, Double3 b) {
  const bool swapped = std::tie(b.x, b.y, b.z) < std::tie(a.x, a.y, a.z);
  const double value = swapped ? dot(d, cross(b, a)) : dot(d, cross(a, b));
  return swapped ? -value : value;
}

/// Distance along the unit vector d at which the ray from the origin passes through the triangle;
/// infinite where it does not.
double entry(Double3 a, Double3 b, Double3 c, Double3 d) {
  const double s[3] = {side(d, a, b), side(d, b, c), side(d, c, a)};
  const bool outside = (s[0] < 0.0 || s[1] < 0.0 || s[2] < 0.0) &&
                       (s[0] > 0.0 || s[1] > 0.0 || s[2] > 0.0);
  const double sum = s[0] + s[1] + s[2];
  if (outside || sum == 0.0) return kInfinity;  // a triangle seen from its side has no area
  // weights of the corners; c lies across from the first side
  const double along = (s[1] * dot(d, a) + s[2] * dot(d, b) + s[0] * dot(d, c)) / sum;
  return along >= 0.0 ? along : kInfinity;
}

/// A ray against boxes, in single precision, the three axes at once. Boxes are widened by what the
/// rounding of places can be, and distances shortened by that of products; with u = 2^-24 the sums
/// are below 4 u and 8 u. The reciprocals of zeros are huge and finite, so that no product of them
/// is undefined.
class BoxRay {
 public:
  BoxRay(const MeshTree& tree, Double3 p, Double3 d)
      : origin_(four(p)), reciprocal_(four({inverted(d.x), inverted(d.y), inverted(d.z)})) {
    const MeshTree::Node& root = tree.node(0);
    const auto size = [](Double3 v) {
      return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
    };
    const auto wide = static_cast<float>(4.0 * kUnit *
                                         (size(p) + size(root.low()) + size(root.high())));
    wide_ = Four{wide, wide, wide, 0.0F};
  }

  /// A distance before which the ray does not enter the box.
  double entry(const MeshTree::Node& node) const {
    const Four lower = {node.lower[0], node.lower[1], node.lower[2], 0.0F},
               upper = {node.upper[0], node.upper[1], node.upper[2], 0.0F};
    const Four a = (lower - origin_ - wide_) * reciprocal_,
               b = (upper - origin_ + wide_) * reciprocal_;
    const Four near = a < b ? a : b, far = a < b ? b : a;
    const float first = std::max(std::max(near[0], near[1]), std::max(near[2], 0.0F)) * kShorter,
                last = std::min(std::min(far[0], far[1]), far[2]) * kLonger;
    return first <= last ? static_cast<double>(first) : kInfinity;
  }

 private:
  using Four [[gnu::vector_size(16)]] = float;
  static constexpr double kUnit = 0x1p-24;
  static constexpr float kShorter = static_cast<float>(1.0 - 8.0 * kUnit),
                         kLonger = static_cast<float>(1.0 + 8.0 * kUnit);

  static double inverted(double along) {
    return std::abs(along) > 1e-30 ? 1.0 / along : std::copysign(1e30, along);
  }
  static Four four(Double3 v) {
    return Four{static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z), 0.0F};
  }

  Four origin_, reciprocal_, wide_ = {0.0F, 0.0F, 0.0F, 0.0F};
};

/// Whether a point is inside a solid mesh.
bool is_inside(const Mesh& mesh, Double3 p) {
  const MeshTree::Node& root = mesh.tree().node(0);
  const Double3 low = root.low() - p, high = p - root.high();
  return low.largest() <= 0.0 && high.largest() <= 0.0 && winding_number(mesh, to_vector3(p)) > 0;
}

}  // namespace

RayHit mesh_ray_cast(const Mesh& mesh, const Pose& X, const Vector3& origin,
                     const Vector3& direction, double max_distance) {
  static constexpr const char* kFields[] = {"origin[0]", "origin[1]", "origin[2]"};
  for (int i = 0; i < 3; ++i)
    if (!is_coordinate(origin[i])) check_coordinate(origin[i], kFields[i]);
  if (!(max_distance >= 0.0))
    throw InvalidInput("max_distance", exact_text(max_distance),
                       "give zero, a length in metres, or infinity");
  const Vector3 unit = checked_direction(direction, "direction");
  const Pose X_WM = check_pose(X, "X").pose;
  const Double3 p = to_double3(Vector3(X_WM.rotation.transpose() * (origin - X_WM.translation)));
  const Double3 d = to_double3(Vector3(X_WM.rotation.transpose() * unit));
  if (mesh.is_solid() && is_inside(mesh, p)) return {true, 0.0, origin, -unit};
  double best = kInfinity;
  std::int32_t found = -1;
  // what lies exactly at max_distance counts
  const double limit = std::nextafter(max_distance, kInfinity);
  const BoxRay ray(mesh.tree(), p, d);
  mesh.tree().least(
      limit, [&](const MeshTree::Node& node) { return ray.entry(node); },
      [&](std::int32_t triangle) {
        const Triangle3 t = mesh_triangle(mesh, triangle);
        const double at = entry(t[0] - p, t[1] - p, t[2] - p, d);
        if (at < best && at <= max_distance) best = at, found = triangle;
        return std::min(best, limit);
      });
  if (found < 0) return {};
  const Triangle3 t = mesh_triangle(mesh, found);
  Vector3 normal = X_WM.rotation *
                   triangle_plane(to_vector3(t[0]), to_vector3(t[1]), to_vector3(t[2])).normal;
  if (normal.isZero(0.0)) normal = -unit;
  if (!mesh.is_solid() && normal.dot(unit) > 0.0) normal = -normal;
  return {true, best, origin + best * unit, normal.normalized()};
}

}  // namespace tactum
