// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/gjk/simplex.hpp"

#include <cassert>
#include <cmath>

#include <Eigen/Geometry>
#include <limits>

#include "math/epsilon.hpp"
#include "math/triangle_normal.hpp"

namespace tactum {
namespace {

constexpr double kSure = 1e-9;  ///< a barycentric coordinate at least this far from zero has the
                                ///< right sign
constexpr double kSureSine = 1e-4;    ///< sine of a corner below which a triangle is too thin for
                                      ///< kSure
constexpr double kSureVolume = 1e-5;  ///< volume of a tetrahedron, relative to its edges, below
                                      ///< which it is too flat for kSure
constexpr double kExactSine = 0.1;    ///< sine of a corner above which the cross product and the
                                      ///< projection are accurate to rounding

Double3 corner(const Simplex& s, int i) {
  return to_double3(s.points[static_cast<std::size_t>(i)].w);
}

/// Starts with the newest point alone.
double project_on_newest(const Simplex& s, SimplexProjection& best) {
  const int newest = s.size - 1;
  best.point = corner(s, newest);
  best.kept = {static_cast<std::int8_t>(newest), 0, 0, 0};
  best.weights = {1.0, 0.0, 0.0, 0.0};
  best.size = 1;
  return best.point.squared_norm();
}

/// Tries the edge from point i to point j. The projection must lie inside the edge; otherwise a
/// vertex is nearer.
void try_edge(const Simplex& s, int i, int j, double& nearest, SimplexProjection& best) {
  const Double3 p = corner(s, i);
  const Double3 edge = corner(s, j) - p;
  const double squared_length = edge.squared_norm();
  const double along = -dot(p, edge);
  if (!(along > 0.0 && along < squared_length)) return;
  const double inverse = 1.0 / squared_length;
  double t = along * inverse;
  Double3 projection = p + t * edge;
  // a second projection makes the vector orthogonal to the edge to rounding even when it is short
  const double correction = dot(projection, edge) * inverse;
  projection = projection - correction * edge;
  t -= correction;
  const double squared_distance = projection.squared_norm();
  if (!(t > 0.0 && t < 1.0 && squared_distance < nearest)) return;
  nearest = squared_distance;
  best.point = projection;
  best.kept[0] = static_cast<std::int8_t>(i);
  best.kept[1] = static_cast<std::int8_t>(j);
  best.weights[0] = 1.0 - t;
  best.weights[1] = t;
  best.size = 2;
}

void set_triangle(int i, int j, int k, Double3 projection, Double3 along, Double3 normal, double l1,
                  double l2, SimplexProjection& best) {
  best.point = projection;
  best.along = along;
  best.normal = normal;
  best.kept = {static_cast<std::int8_t>(i), static_cast<std::int8_t>(j),
               static_cast<std::int8_t>(k), 0};
  best.weights = {1.0 - l1 - l2, l1, l2, 0.0};
  best.size = 3;
}

void try_triangle(const Simplex& s, int i, int j, int k, double& nearest, SimplexProjection& best) {
  const Double3 p = corner(s, i), e1 = corner(s, j) - p, e2 = corner(s, k) - p;
  const Double3 normal = to_double3(triangle_normal(to_vector3(e1), to_vector3(e2)));
  if (!(normal.squared_norm() > 0.0)) return;
  // barycentric coordinates of the projection, from edges instead of vertices
  const double area = dot(normal, cross(e1, e2));
  const double l1 = dot(normal, cross(e2, p)) / area;
  const double l2 = dot(normal, cross(p, e1)) / area;
  const double height = dot(normal, p);
  if (!(1.0 - l1 - l2 > 0.0 && l1 > 0.0 && l2 > 0.0 && height * height < nearest)) return;
  nearest = height * height;
  const Double3 towards = height < 0.0 ? -normal : normal;
  set_triangle(i, j, k, p + l1 * e1 + l2 * e2, towards, towards, l1, l2, best);
}

enum class ProjectionPlace : std::uint8_t { inside, outside, unsure };

/// Finds where the projection of the origin on a triangle lies, when its coordinates are clear of
/// rounding. Sets `best` to it where it lies inside.
ProjectionPlace sure_projection(const Simplex& s, int i, int j, int k, double& nearest,
                                SimplexProjection& best) {
  const Double3 p = corner(s, i), e1 = corner(s, j) - p, e2 = corner(s, k) - p;
  const Double3 area = cross(e1, e2);
  const double squared = area.squared_norm();
  const double edges = e1.squared_norm() * e2.squared_norm();
  if (!(squared > kSureSine * kSureSine * edges)) return ProjectionPlace::unsure;
  // l1 = area.(e2 x p) / |area|^2, l2 = area.(p x e1) / |area|^2
  const Double3 around = cross(area, p);
  const double inverse = 1.0 / squared;
  const double l1 = -dot(around, e2) * inverse, l2 = dot(around, e1) * inverse;
  const double smallest = std::min(1.0 - l1 - l2, std::min(l1, l2));
  if (smallest < -kSure) return ProjectionPlace::outside;
  if (smallest < kSure || !(squared > kExactSine * kExactSine * edges))
    return ProjectionPlace::unsure;
  const Double3 normal = (1.0 / std::sqrt(squared)) * area;
  const double height = dot(normal, p);
  nearest = height * height;
  const Double3 along = dot(area, p) < 0.0 ? -area : area;
  set_triangle(i, j, k, p + l1 * e1 + l2 * e2, along, height < 0.0 ? -normal : normal, l1, l2,
               best);
  return ProjectionPlace::inside;
}

/// Tries the newest point and its edges. That is enough once no triangle contains the projection.
void try_edges(const Simplex& s, double& nearest, SimplexProjection& best) {
  nearest = project_on_newest(s, best);
  for (int i = 0; i < s.size - 1; ++i) try_edge(s, i, s.size - 1, nearest, best);
}

/// Sets the result for an origin inside the tetrahedron.
void set_inside(SimplexProjection& result) {
  result.contains_origin = true;
  result.point = result.normal = result.along = {0.0, 0.0, 0.0};
  result.distance = 0.0;
  result.kept = {0, 1, 2, 3};
  result.size = 4;
}

/// Projects on four points by the barycentric coordinates of the origin. A face that has the origin
/// on its far side and the projection inside it contains the nearest point of the whole
/// tetrahedron.
ProjectionPlace sure_tetrahedron(const Simplex& s, double scale, double& nearest,
                                 SimplexProjection& best) {
  const Double3 p = corner(s, 3), e0 = corner(s, 0) - p, e1 = corner(s, 1) - p,
                e2 = corner(s, 2) - p;
  const Double3 c12 = cross(e1, e2);
  const double volume = dot(e0, c12);
  if (!(volume * volume >
        kSureVolume * kSureVolume * e0.squared_norm() * e1.squared_norm() * e2.squared_norm()))
    return ProjectionPlace::unsure;
  const double inverse = -1.0 / volume;
  const std::array<double, 3> l = {dot(p, c12) * inverse, dot(p, cross(e2, e0)) * inverse,
                                   dot(p, cross(e0, e1)) * inverse};
  const double newest = 1.0 - l[0] - l[1] - l[2];
  const double closest = std::min(std::min(std::abs(l[0]), std::abs(l[1])),
                                  std::min(std::abs(l[2]), std::abs(newest)));
  if (closest < kSure || newest < 0.0) return ProjectionPlace::unsure;
  if (l[0] > 0.0 && l[1] > 0.0 && l[2] > 0.0) {
    // weights of a thin tetrahedron are refined elsewhere (tetrahedron_contains_origin)
    const Double3 rest = p + l[0] * e0 + l[1] * e1 + l[2] * e2;
    if (rest.squared_norm() > 4.0 * kEpsilon * kEpsilon * scale * scale)
      return ProjectionPlace::unsure;
    best.weights = {l[0], l[1], l[2], newest};
    set_inside(best);
    return ProjectionPlace::inside;
  }
  constexpr std::array<std::array<int, 2>, 3> opposite = {{{1, 2}, {0, 2}, {0, 1}}};
  for (std::size_t i = 0; i < 3; ++i) {
    if (l[i] > 0.0) continue;
    const ProjectionPlace place = sure_projection(s, opposite[i][0], opposite[i][1], 3, nearest,
                                                  best);
    if (place == ProjectionPlace::unsure) return place;
    if (place == ProjectionPlace::inside) return ProjectionPlace::outside;
  }
  try_edges(s, nearest, best);
  return ProjectionPlace::outside;
}

/// Whether the tetrahedron contains the origin; a face that passes within rounding of the origin
/// counts as containing it.
bool tetrahedron_contains_origin(const Simplex& s, double scale, std::array<double, 4>& weights) {
  const Vector3& p = s.points[0].w;
  const Vector3 e1 = s.points[1].w - p;
  const Vector3 e2 = s.points[2].w - p;
  const Vector3 e3 = s.points[3].w - p;
  const double volume = e1.cross(e2).dot(e3);
  if (!(std::abs(volume) > 16.0 * kEpsilon * e1.norm() * e2.norm() * e3.norm())) return false;
  const std::array<Vector3, 4> area = {(e2 - e1).cross(e3 - e1), e3.cross(e2), e1.cross(e3),
                                       e2.cross(e1)};
  const double sign = volume < 0.0 ? -1.0 : 1.0;
  for (std::size_t i = 0; i < 4; ++i) {
    // height of the origin over the face opposite to point i, positive towards that point
    const Vector3& on_face = s.points[i == 0 ? 1 : 0].w;
    const double height = sign * area[i].dot(on_face);
    if (height < -2.0 * kEpsilon * scale * area[i].norm()) return false;
    weights[i] = height / std::abs(volume);
  }
  // flat tetrahedra divide by a small volume: refine while that helps
  double previous = std::numeric_limits<double>::infinity();
  for (int step = 0; step < 8; ++step) {
    Vector3 rest = Vector3::Zero();
    for (std::size_t i = 0; i < 4; ++i) rest += weights[i] * s.points[i].w;
    const double length = rest.norm();
    if (length <= kEpsilon * scale || !(length < 0.5 * previous)) break;
    previous = length;
    for (std::size_t i = 0; i < 4; ++i) weights[i] += area[i].dot(rest) / volume;
  }
  return true;
}

/// Makes the weights of a tetrahedron positive with sum one. Returns the distance of the weighted
/// sum of points from the origin, which is the error of the change.
double settle_weights(const Simplex& s, std::array<double, 4>& weights) {
  Vector3 rest = Vector3::Zero();
  double sum = 0.0;
  for (double& weight : weights) sum += weight = std::max(0.0, weight);
  for (std::size_t i = 0; i < 4; ++i) rest += (weights[i] /= sum) * s.points[i].w;
  return rest.norm();
}

/// Tries every face that contains the newest point, and the tetrahedron with a tolerance for
/// rounding. Returns whether the origin counts as inside.
bool try_everything(const Simplex& simplex, double scale, double& nearest,
                    SimplexProjection& best) {
  const int newest = simplex.size - 1;
  std::array<double, 4> weights;
  const bool inside = simplex.size == 4 && tetrahedron_contains_origin(simplex, scale, weights);
  const double rest = inside ? settle_weights(simplex, weights) : 0.0;
  if (!(inside && rest <= 2.0 * kEpsilon * scale)) {
    try_edges(simplex, nearest, best);
    for (int i = 0; i < newest; ++i) {
      for (int j = i + 1; j < newest; ++j) try_triangle(simplex, i, j, newest, nearest, best);
    }
    // a tetrahedron with the origin on its boundary, or too flat to tell: the face next to the
    // origin may have better weights
    if (inside) try_triangle(simplex, 0, 1, 2, nearest, best);
    if (!inside || nearest < rest * rest) return inside;
  }
  best.weights = weights;
  set_inside(best);
  return true;
}

/// Whether a projection names points of a simplex in ascending order, with weights that make a
/// convex combination.
[[maybe_unused]] bool is_valid(const SimplexProjection& projection, int simplex_size) {
  if (projection.size < 1 || projection.size > simplex_size) return false;
  double sum = 0.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(projection.size); ++i) {
    if (projection.kept[i] >= simplex_size || !(projection.weights[i] >= 0.0)) return false;
    if (i > 0 && projection.kept[i] <= projection.kept[i - 1]) return false;
    sum += projection.weights[i];
  }
  return std::abs(sum - 1.0) <= 1e-9;
}

}  // namespace

void Simplex::keep(const SimplexProjection& projection) {
  assert(is_valid(projection, size));
  size = projection.size;
  for (int i = 0; i < size; ++i) {
    const int from = projection.kept[static_cast<std::size_t>(i)];
    if (from != i) points[static_cast<std::size_t>(i)] = points[static_cast<std::size_t>(from)];
  }
}

Vector3 Simplex::point_a() const {
  Vector3 sum = Vector3::Zero();
  for (int i = 0; i < size; ++i)
    sum += weights[static_cast<std::size_t>(i)] * points[static_cast<std::size_t>(i)].a;
  return sum;
}

Vector3 Simplex::point_b() const {
  Vector3 sum = Vector3::Zero();
  for (int i = 0; i < size; ++i)
    sum += weights[static_cast<std::size_t>(i)] * points[static_cast<std::size_t>(i)].b();
  return sum;
}

void find_nearest(const Simplex& simplex, double scale, SimplexProjection& best) {
  double nearest = std::numeric_limits<double>::infinity();
  ProjectionPlace place = ProjectionPlace::outside;
  best.contains_origin = false;
  if (simplex.size <= 2) {
    try_edges(simplex, nearest, best);
  } else if (simplex.size == 3) {
    place = sure_projection(simplex, 0, 1, 2, nearest, best);
    if (place == ProjectionPlace::outside) try_edges(simplex, nearest, best);
  } else {
    place = sure_tetrahedron(simplex, scale, nearest, best);
  }
  const bool within_rounding = place == ProjectionPlace::unsure &&
                               try_everything(simplex, scale, nearest, best);
  if (best.size == 4) return;
  best.distance = best.point.norm();
  const double height = best.size == 3 ? std::sqrt(nearest) : best.distance;
  best.contains_origin = within_rounding || height <= 2.0 * kEpsilon * scale;
  if (best.size == 3) return;
  best.along = best.point;
  best.normal = best.distance > 0.0 ? (1.0 / best.distance) * best.point : Double3{0.0, 0.0, 1.0};
}

}  // namespace tactum
