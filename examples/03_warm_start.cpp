// SPDX-License-Identifier: BSD-2-Clause
// Warm start: give the end of the last query to the next one. The answer is the same, the work is
// less.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "tactum/tactum.hpp"

int main() {
  // a ball of 2000 points (Fibonacci spiral) that turns and drifts past an ellipsoid
  tactum::Points points(3, 2000);
  for (int i = 0; i < 2000; ++i) {
    const double k = i + 0.5, z = 1.0 - 2.0 * k / 2000, r = std::sqrt(1.0 - z * z),
                 angle = std::numbers::pi * (1.0 + std::sqrt(5.0)) * k;
    points.col(i) << r * std::cos(angle), r * std::sin(angle), z;
  }
  const tactum::Shape ball{tactum::Convex::from_points(points)};
  const tactum::Shape ellipsoid{tactum::Ellipsoid{.semi_axes = {0.5, 0.3, 0.2}}};

  tactum::WarmStart warm_start;
  tactum::Distance warm;
  int cold_work = 0, warm_work = 0;
  double largest_difference = 0.0;
  for (int step = 0; step < 100; ++step) {
    const double t = 0.01 * step;
    tactum::Pose X_WA, X_WB;
    X_WA.rotation << std::cos(t), -std::sin(t), 0.0, std::sin(t), std::cos(t), 0.0, 0.0, 0.0, 1.0;
    X_WB.translation = {2.0, t, 0.5 - t};
    const tactum::Distance cold = tactum::distance(ball, X_WA, ellipsoid, X_WB);
    warm = tactum::distance(ball, X_WA, ellipsoid, X_WB, {.warm_start = &warm_start});
    warm_start = warm.warm_start;
    cold_work += cold.support_calls;
    warm_work += warm.support_calls;
    largest_difference = std::max(largest_difference, std::abs(warm.distance - cold.distance));
  }

  std::printf("same answers: %s\n", largest_difference <= 1e-9 ? "True" : "False");
  std::printf("less work: %s\n", warm_work < cold_work ? "True" : "False");
  std::printf("last distance %.6f\n", warm.distance);
  return 0;
}
