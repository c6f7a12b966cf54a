// SPDX-License-Identifier: BSD-2-Clause
// Derivatives: how distance and normal move with a shape, where they are not unique, and what
// smoothing adds.
#include <cmath>
#include <cstdio>

#include "tactum/tactum.hpp"

int main() {
  const tactum::Shape ellipsoid{tactum::Ellipsoid{.semi_axes = {0.3, 0.2, 0.1}}};
  const tactum::Shape ball{tactum::Sphere{.radius = 0.1}};
  const tactum::Pose X_WA;
  tactum::Pose X_WB;
  X_WB.translation = {0.4, 0.3, 0.2};
  const auto text = [](bool value) { return value ? "True" : "False"; };

  // columns: linear and angular motion of A, then of B; here in world axes at the origin of each
  // shape
  const auto frame = tactum::TangentFrame::local_world_aligned;
  const auto d = tactum::distance_derivative(ellipsoid, X_WA, ball, X_WB, {.frame = frame});
  std::printf("distance %.6f, smooth %s\n", d.value.distance, text(d.smooth));
  std::printf("distance by moving B along x %.6f\n", d.distance_jacobian[6]);
  std::printf("normal x by moving B along x %.6f\n", d.normal_jacobian(0, 6));

  // the same by moving B and asking again
  tactum::Pose moved = X_WB;
  moved.translation.x() += 1e-6;
  const double change = tactum::distance(ellipsoid, X_WA, ball, moved).distance - d.value.distance;
  std::printf("difference quotient agrees: %s\n",
              text(std::abs(change / 1e-6 - d.distance_jacobian[6]) < 1e-5));

  // two parallel faces: any pair of opposite points is nearest, so there is no one derivative
  const tactum::Shape box{tactum::Box{.half_extents = {0.2, 0.2, 0.2}}};
  X_WB.translation = {0.0, 0.0, 1.0};
  std::printf("parallel faces smooth: %s\n",
              text(tactum::distance_derivative(box, X_WA, box, X_WB).smooth));

  // two corners: their exact normal ignores how a box turns about its corner, a smoothed one does
  // not
  X_WB.translation = {1.0, 0.9, 0.8};
  const auto exact = tactum::distance_derivative(box, X_WA, box, X_WB);
  const auto soft = tactum::distance_derivative(
      box, X_WA, box, X_WB, {.estimator = tactum::Gumbel{.rings = 2, .temperature = 0.1}});
  std::printf("normal by turning B: exact %.4f, smoothed %.4f\n",
              exact.normal_jacobian.rightCols<3>().norm(),
              soft.normal_jacobian.rightCols<3>().norm());
  return 0;
}
