// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/witness.hpp"

#include "narrow/gjk.hpp"

namespace tactum {

bool find_witness_points(CorePair& pair, Optimum& optimum) {
  const double rounding = 64.0 * std::numeric_limits<double>::epsilon() * pair.scale();
  const Vector3 shift = -optimum.lower * optimum.normal;
  CorePair touching = pair.shifted(shift);
  GjkState state = start_gjk(touching, optimum.normal);
  run_gjk(touching, {.gap = 0.0, .max_iterations = 256, .stop_below = 0.5 * rounding}, state);
  pair.support_calls = touching.support_calls;
  pair.vertices_visited = touching.vertices_visited;
  const Vector3 point_a = state.simplex.point_a();
  const Vector3 point_b = state.simplex.point_b() - shift;
  const double residual = (point_b - point_a + shift).norm();
  if (residual < optimum.residual) {
    optimum.point_a = point_a;
    optimum.point_b = point_b;
    optimum.residual = residual;
  }
  return optimum.residual <= rounding;
}

}  // namespace tactum
