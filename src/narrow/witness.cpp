// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/witness.hpp"

#include "narrow/gjk.hpp"
#include "shape/face_support.hpp"

namespace tactum {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kMaxSteps = 64;

/// Point of the support faces that moves the tangential part of b - a farthest against t; its w is that tangential part.
MinkowskiPoint tangential_support(const CorePair& pair, const Vector3& n, const Vector3& t, double slack) {
  const Matrix3& R = pair.X_AB().rotation;
  const Vector3 a = face_support(pair.a(), n, t, slack);
  const Vector3 b_B = face_support(pair.b(), -(R.transpose() * n), -(R.transpose() * t), slack);
  const Vector3 w = pair.X_AB() * b_B - a;
  return {w - n.dot(w) * n, a, {0, 0}, b_B};
}

/// The points that the weights of the simplex make; its w are tangential, so b comes from the frame of B.
Optimum optimum_of_faces(const CorePair& pair, const Simplex& simplex, const Optimum& along) {
  Optimum result{along.normal, along.lower};
  Vector3 point_b_B = Vector3::Zero();
  for (int i = 0; i < simplex.size; ++i) {
    result.point_a += simplex.weights[static_cast<std::size_t>(i)] * simplex.points[static_cast<std::size_t>(i)].a;
    point_b_B += simplex.weights[static_cast<std::size_t>(i)] * simplex.points[static_cast<std::size_t>(i)].b_B;
  }
  result.point_b = pair.X_AB() * point_b_B;
  result.residual = (result.point_b - result.point_a - along.lower * along.normal).norm();
  return result;
}

/// Best points whose faces are taken with the given slack.
void search_faces(const CorePair& pair, double slack, Optimum& optimum) {
  const Vector3 n = optimum.normal;
  const double enough = 4.0 * kEpsilon * pair.scale();
  Simplex simplex;
  simplex.push(tangential_support(pair, n, Vector3::Zero(), slack));
  double nearest = std::numeric_limits<double>::infinity();
  for (int step = 0; step < kMaxSteps; ++step) {
    const SimplexProjection projection = project_origin(simplex, pair.scale());
    const Optimum found = optimum_of_faces(pair, simplex, optimum);
    if (found.residual < optimum.residual) optimum = found;
    const double distance = projection.distance;
    if (projection.contains_origin || distance <= enough || !(distance < nearest)) return;
    nearest = distance;
    simplex.push(tangential_support(pair, n, eigen((1.0 / distance) * projection.point), slack));
  }
}

/// Best points of GJK on the cores moved into contact.
void search_contact(CorePair& pair, Optimum& optimum) {
  const Vector3 shift = -optimum.lower * optimum.normal;
  CorePair touching = pair.shifted(shift);
  GjkState state = start_gjk(touching, optimum.normal);
  run_gjk(touching, {.gap = 0.0, .max_iterations = 256, .stop_below = 8.0 * kEpsilon * pair.scale()}, state);
  pair.support_calls = touching.support_calls;
  pair.vertices_visited = touching.vertices_visited;
  Optimum found = optimum_of(state.simplex, optimum.normal, 0.0);
  found.point_b -= shift;
  found.lower = optimum.lower;
  if (found.residual < optimum.residual) optimum = found;
}

}  // namespace

bool find_witness_points(CorePair& pair, Optimum& optimum) {
  const double rounding = 64.0 * kEpsilon * pair.scale();
  search_contact(pair, optimum);
  for (const double slack : {4.0 * kEpsilon, 64.0 * kEpsilon, 1e-12}) {
    if (optimum.residual <= rounding) return true;
    search_faces(pair, slack * pair.scale(), optimum);
  }
  return optimum.residual <= rounding;
}

}  // namespace tactum
