// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/simplex.hpp"

#include <Eigen/Geometry>
#include <limits>

#include "math/triangle_normal.hpp"

namespace tactum {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// A valid projection on one face of the simplex: which points, with which weights.
struct Candidate {
  double squared_distance = std::numeric_limits<double>::infinity();
  Vector3 point = Vector3::Zero();
  Vector3 normal = Vector3::Zero();  ///< not yet of unit length
  std::array<int, 4> index = {0, 0, 0, 0};
  std::array<double, 4> weights = {0.0, 0.0, 0.0, 0.0};
  int size = 0;
};

void keep_nearer(const Candidate& candidate, Candidate& best) {
  if (candidate.squared_distance < best.squared_distance) best = candidate;
}

Candidate project_on_vertex(const Simplex& s, int i) {
  const Vector3& p = s.points[static_cast<std::size_t>(i)].w;
  return {p.squaredNorm(), p, p, {i, 0, 0, 0}, {1.0, 0.0, 0.0, 0.0}, 1};
}

/// The foot of the perpendicular must lie inside the edge, else a vertex is nearer.
void try_edge(const Simplex& s, int i, int j, Candidate& best) {
  const Vector3& p = s.points[static_cast<std::size_t>(i)].w;
  const Vector3& q = s.points[static_cast<std::size_t>(j)].w;
  const Vector3 edge = q - p;
  const double squared_length = edge.squaredNorm();
  if (!(squared_length > 0.0)) return;
  double t = -p.dot(edge) / squared_length;
  if (!(t > 0.0 && t < 1.0)) return;
  Vector3 foot = p + t * edge;
  // a second projection makes the foot orthogonal to the edge to rounding even when it is short
  const double correction = foot.dot(edge) / squared_length;
  foot -= correction * edge;
  t -= correction;
  if (!(t > 0.0 && t < 1.0)) return;
  keep_nearer({foot.squaredNorm(), foot, foot, {i, j, 0, 0}, {1.0 - t, t, 0.0, 0.0}, 2}, best);
}

void try_triangle(const Simplex& s, int i, int j, int k, Candidate& best) {
  const Vector3& p = s.points[static_cast<std::size_t>(i)].w;
  const Vector3 e1 = s.points[static_cast<std::size_t>(j)].w - p;
  const Vector3 e2 = s.points[static_cast<std::size_t>(k)].w - p;
  const Vector3 normal = triangle_normal(e1, e2);
  if (normal.isZero(0.0)) return;
  // barycentric coordinates of the foot: the same volumes as with the vertices, formed from edges
  const double area = normal.dot(e1.cross(e2));
  const double l1 = normal.dot(e2.cross(p)) / area;
  const double l2 = normal.dot(p.cross(e1)) / area;
  const double l0 = 1.0 - l1 - l2;
  if (!(l0 > 0.0 && l1 > 0.0 && l2 > 0.0)) return;
  const double height = normal.dot(p);
  const Vector3 foot = p + l1 * e1 + l2 * e2;
  const Vector3 outward = height < 0.0 ? Vector3(-normal) : normal;
  keep_nearer({height * height, foot, outward, {i, j, k, 0}, {l0, l1, l2, 0.0}, 3}, best);
}

/// Whether the tetrahedron holds the origin; a face that passes within rounding of the origin counts as holding it.
bool tetrahedron_contains_origin(const Simplex& s, double scale, std::array<double, 4>& weights) {
  const Vector3& p = s.points[0].w;
  const Vector3 e1 = s.points[1].w - p;
  const Vector3 e2 = s.points[2].w - p;
  const Vector3 e3 = s.points[3].w - p;
  const double volume = e1.cross(e2).dot(e3);
  if (!(std::abs(volume) > 16.0 * kEpsilon * e1.norm() * e2.norm() * e3.norm())) return false;
  const std::array<Vector3, 4> area = {(e2 - e1).cross(e3 - e1), e3.cross(e2), e1.cross(e3), e2.cross(e1)};
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

/// Makes the weights of a tetrahedron positive with sum one; the distance of their sum of points from the origin is what that costs.
double settle_weights(Simplex& s) {
  Vector3 rest = Vector3::Zero();
  double sum = 0.0;
  for (double& weight : s.weights) sum += weight = std::max(0.0, weight);
  for (std::size_t i = 0; i < 4; ++i) rest += (s.weights[i] /= sum) * s.points[i].w;
  return rest.norm();
}

}  // namespace

Vector3 Simplex::point_a() const {
  Vector3 sum = Vector3::Zero();
  for (int i = 0; i < size; ++i) sum += weights[static_cast<std::size_t>(i)] * points[static_cast<std::size_t>(i)].a;
  return sum;
}

Vector3 Simplex::point_b() const {
  Vector3 sum = Vector3::Zero();
  for (int i = 0; i < size; ++i) sum += weights[static_cast<std::size_t>(i)] * points[static_cast<std::size_t>(i)].b;
  return sum;
}

SimplexProjection project_origin(Simplex& simplex, double scale) {
  const int newest = simplex.size - 1;
  const bool inside = simplex.size == 4 && tetrahedron_contains_origin(simplex, scale, simplex.weights);
  const double rest = inside ? settle_weights(simplex) : 0.0;
  if (inside && rest <= 2.0 * kEpsilon * scale) return {Vector3::Zero(), Vector3::Zero(), true};

  Candidate best = project_on_vertex(simplex, newest);
  for (int i = 0; i < newest; ++i) {
    try_edge(simplex, i, newest, best);
    for (int j = i + 1; j < newest; ++j) try_triangle(simplex, i, j, newest, best);
  }
  // a tetrahedron with the origin on its boundary, or too flat to tell: the face next to the origin may have better weights
  if (inside) {
    try_triangle(simplex, 0, 1, 2, best);
    if (!(best.squared_distance < rest * rest)) return {Vector3::Zero(), Vector3::Zero(), true};
  }

  Simplex kept;
  for (int i = 0; i < best.size; ++i) {
    kept.push(simplex.points[static_cast<std::size_t>(best.index[static_cast<std::size_t>(i)])]);
    kept.weights[static_cast<std::size_t>(i)] = best.weights[static_cast<std::size_t>(i)];
  }
  simplex = kept;
  const double distance = std::sqrt(best.squared_distance);
  const double length = best.normal.norm();
  const bool at_origin = inside || distance <= 2.0 * kEpsilon * scale || !(length > 0.0);
  return {best.point, length > 0.0 ? Vector3(best.normal / length) : Vector3(Vector3::UnitZ()), at_origin};
}

}  // namespace tactum
