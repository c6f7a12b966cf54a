// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/gjk/witness_points.hpp"

#include "math/epsilon.hpp"
#include "narrow/gjk/gjk.hpp"
#include "shape/support/face_support.hpp"

namespace tactum {
namespace {

constexpr int kMaxSteps = 64;

/// The point of the support faces with the smallest tangential part of b - a along t; its w is that
/// tangential part.
MinkowskiPoint tangential_support(const CorePair& pair, const Vector3& n, const Vector3& t,
                                  double slack) {
  const Matrix3& R = pair.X_AB().rotation;
  const Vector3 a = face_support(pair.a(), n, t, slack);
  const Vector3 b_B = face_support(pair.b(), -(R.transpose() * n), -(R.transpose() * t), slack);
  const Vector3 w = pair.X_AB() * b_B - a;
  return {w - n.dot(w) * n, a, {0, 0}, b_B};
}

/// The points that the weights of the simplex define. Its w are tangential, so b comes from the
/// frame of B.
SeparationOptimum optimum_of_faces(const CorePair& pair, const Simplex& simplex,
                                   const SeparationOptimum& along) {
  SeparationOptimum result{along.normal, along.lower};
  Vector3 point_b_B = Vector3::Zero();
  for (int i = 0; i < simplex.size; ++i) {
    result.point_a += simplex.weights[static_cast<std::size_t>(i)] *
                      simplex.points[static_cast<std::size_t>(i)].a;
    point_b_B += simplex.weights[static_cast<std::size_t>(i)] *
                 simplex.points[static_cast<std::size_t>(i)].b_B;
  }
  result.point_b = pair.X_AB() * point_b_B;
  result.residual = (result.point_b - result.point_a - along.lower * along.normal).norm();
  return result;
}

/// Finds the best points on support faces that are taken with the given slack.
void search_faces(const CorePair& pair, double slack, SeparationOptimum& optimum) {
  const Vector3 n = optimum.normal;
  const double enough = 4.0 * kEpsilon * pair.scale();
  Simplex simplex;
  simplex.push(tangential_support(pair, n, Vector3::Zero(), slack));
  double nearest = std::numeric_limits<double>::infinity();
  for (int step = 0; step < kMaxSteps; ++step) {
    const SimplexProjection projection = project_origin(simplex, pair.scale());
    const SeparationOptimum found = optimum_of_faces(pair, simplex, optimum);
    if (found.residual < optimum.residual) optimum = found;
    const double distance = projection.distance;
    if (projection.contains_origin || distance <= enough || !(distance < nearest)) return;
    nearest = distance;
    simplex.push(
        tangential_support(pair, n, to_vector3((1.0 / distance) * projection.point), slack));
  }
}

/// Improves the weights with which the points of a segment or triangle sum up to the origin. The
/// weights of a long thin triangle are off by rounding over its thinness: the residual is solved
/// for once more, along the longest edge and across it.
void refine_weights(const CorePair& pair, Simplex& simplex) {
  if (simplex.size != 2 && simplex.size != 3) return;
  int longest = 1, other = 3 - longest;
  Vector3 edges[3] = {Vector3::Zero(), pair.edge(simplex.points[0], simplex.points[1]),
                      Vector3::Zero()};
  if (simplex.size == 3) edges[2] = pair.edge(simplex.points[0], simplex.points[2]);
  if (edges[2].squaredNorm() > edges[1].squaredNorm()) std::swap(longest, other);
  const double squared = edges[longest].squaredNorm();
  if (!(squared > 0.0)) return;
  const Vector3 across = edges[other] -
                         (edges[other].dot(edges[longest]) / squared) * edges[longest];
  const double height = across.squaredNorm();
  Vector3 rest = Vector3::Zero();
  for (int i = 0; i < simplex.size; ++i) rest += simplex.weights[i] * simplex.points[i].w;
  std::array<double, 3> correction = {0.0, 0.0, 0.0};
  if (height > 0.0) correction[other] = -rest.dot(across) / height;
  correction[longest] = -(rest + correction[other] * edges[other]).dot(edges[longest]) / squared;
  correction[0] = -(correction[1] + correction[2]);
  for (int i = 0; i < simplex.size; ++i) {
    if (simplex.weights[i] + correction[i] < 0.0) return;
  }
  for (int i = 0; i < simplex.size; ++i) simplex.weights[i] += correction[i];
}

/// Finds the best points by GJK on the cores moved into contact.
void search_contact(CorePair& pair, SeparationOptimum& optimum) {
  const Vector3 shift = -optimum.lower * optimum.normal;
  CorePair touching = pair.shifted(shift);
  GjkState state = start_gjk(touching, optimum.normal);
  run_gjk(touching,
          {.gap = 0.0, .max_iterations = 256, .stop_below = 8.0 * kEpsilon * pair.scale()}, state);
  pair.support_calls = touching.support_calls;
  pair.vertices_visited = touching.vertices_visited;
  refine_weights(touching, state.simplex);
  SeparationOptimum found = optimum_of(state.simplex, optimum.normal, 0.0);
  found.point_b -= shift;
  found.lower = optimum.lower;
  if (found.residual < optimum.residual) optimum = found;
}

}  // namespace

bool find_witness_points(CorePair& pair, SeparationOptimum& optimum) {
  const double rounding = 64.0 * kEpsilon * pair.scale();
  search_contact(pair, optimum);
  for (const double slack : {4.0 * kEpsilon, 64.0 * kEpsilon, 1e-12}) {
    if (optimum.residual <= rounding) return true;
    search_faces(pair, slack * pair.scale(), optimum);
  }
  return optimum.residual <= rounding;
}

}  // namespace tactum
