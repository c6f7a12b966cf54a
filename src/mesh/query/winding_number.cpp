// SPDX-License-Identifier: BSD-2-Clause
// The winding number of a closed mesh by the signed crossings of a ray.
//
// Every crossing is decided by signs of determinants that are larger than their rounding error. A
// ray that comes too near to an edge, or to the plane of a triangle at its origin, decides nothing
// and the next of several fixed directions is tried. Where none is clear, as on the surface itself,
// and for open meshes, the solid angles of all triangles are added up.
#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <optional>

#include "math/epsilon.hpp"
#include "mesh/query/placed_mesh.hpp"
#include "shape/check/shape_checks.hpp"
#include "tactum/mesh.hpp"

namespace tactum {
namespace {

/// Unit vectors that are along nothing.
constexpr Double3 kDirections[] = {{0.5773, 0.6071, 0.5460},   {-0.2811, 0.8932, -0.3511},
                                   {0.7713, -0.1937, -0.6063}, {-0.6337, -0.5219, 0.5710},
                                   {0.1291, -0.7919, 0.5968},  {-0.8803, 0.3319, 0.3391}};

double largest_part(Double3 v) {
  return std::max(std::abs(v.x), std::max(std::abs(v.y), std::abs(v.z)));
}

/// +1, 0 or -1 where the ray from p along d passes through the triangle with or against its normal,
/// or not at all; nothing where rounding decides.
std::optional<int> crossing(const Triangle3& t, Double3 p, Double3 d) {
  const Double3 a = t[0] - p, b = t[1] - p, c = t[2] - p;
  const double size = largest_part(p) + std::max(largest_part(t[0]),
                                                 std::max(largest_part(t[1]), largest_part(t[2])));
  const double reach = std::max(largest_part(a), std::max(largest_part(b), largest_part(c)));
  // differences are off by eps size, products by a few eps of the whole
  const double error = 64.0 * kEpsilon * size * reach;
  const double s[3] = {dot(d, cross(a, b)), dot(d, cross(b, c)), dot(d, cross(c, a))};
  int positive = 0, negative = 0, open = 0;
  for (const double value : s) {
    positive += value > error ? 1 : 0;
    negative += value < -error ? 1 : 0;
    open += std::abs(value) <= error ? 1 : 0;
  }
  if (positive > 0 && negative > 0) return 0;
  if (open > 0) return std::nullopt;
  // the line passes through; in front of p or behind it?
  const double volume = dot(a, cross(b, c));
  if (std::abs(volume) <= 64.0 * kEpsilon * size * reach * reach) return std::nullopt;
  const bool ahead = (volume > 0.0) == (positive > 0);
  return ahead ? (positive > 0 ? 1 : -1) : 0;
}

/// Whether the ray may come near to a box.
bool ray_meets(const MeshTree::Node& node, Double3 p, Double3 d) {
  const Double3 half = node.half(), center = node.center() - p;
  const double slack = 64.0 * kEpsilon *
                       (largest_part(p) + largest_part(node.center()) + largest_part(half));
  const Double3 h = {half.x + slack, half.y + slack, half.z + slack};
  if (dot(center, d) + std::abs(d.x) * h.x + std::abs(d.y) * h.y + std::abs(d.z) * h.z < 0.0)
    return false;
  const Double3 aside = cross(center, d);
  return std::abs(aside.x) <= h.y * std::abs(d.z) + h.z * std::abs(d.y) + slack &&
         std::abs(aside.y) <= h.z * std::abs(d.x) + h.x * std::abs(d.z) + slack &&
         std::abs(aside.z) <= h.x * std::abs(d.y) + h.y * std::abs(d.x) + slack;
}

std::optional<int> winding_by_ray(const Mesh& mesh, Double3 p, Double3 d) {
  int sum = 0;
  bool clear = true;
  mesh.tree().least(
      1.0, [&](const MeshTree::Node& node) { return clear && ray_meets(node, p, d) ? 0.0 : 2.0; },
      [&](std::int32_t triangle) {
        const std::optional<int> found = crossing(mesh_triangle(mesh, triangle), p, d);
        if (found) sum += *found;
        clear = clear && found.has_value();
        return 1.0;
      });
  return clear ? std::optional(sum) : std::nullopt;
}

/// Van Oosterom and Strackee 1983: tan of half the solid angle.
double winding_by_angles(const Mesh& mesh, Double3 p) {
  double sum = 0.0;
  for (std::int32_t t = 0; t < mesh.triangles().cols(); ++t) {
    const Triangle3 corners = mesh_triangle(mesh, t);
    const Double3 a = corners[0] - p, b = corners[1] - p, c = corners[2] - p;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    const double above = dot(a, cross(b, c)),
                 below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    if (above != 0.0 || below != 0.0) sum += 2.0 * std::atan2(above, below);
  }
  return sum / (4.0 * std::numbers::pi);
}

}  // namespace

int winding_number(const Mesh& mesh, const Vector3& point) {
  for (int i = 0; i < 3; ++i) check_coordinate(point[i], "point[" + std::to_string(i) + "]");
  const Double3 p = to_double3(point);
  if (mesh.has_inside()) {
    for (const Double3 direction : kDirections) {
      const std::optional<int> found = winding_by_ray(mesh, p, direction);
      if (found) return *found;
    }
  }
  return static_cast<int>(std::lround(winding_by_angles(mesh, p)));
}

}  // namespace tactum
