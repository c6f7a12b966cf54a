// SPDX-License-Identifier: BSD-2-Clause
// Distance between a box and a capsule: the number, where it is, and how far it can be wrong.
#include <cstdio>
#include <string>

#include "tactum/tactum.hpp"

int main() {
  const tactum::Shape box{tactum::Box{.half_extents = {0.1, 0.2, 0.3}}};
  const tactum::Shape capsule{tactum::Capsule{.radius = 0.05, .half_length = 0.2}};

  const tactum::Pose X_WA;  // pose of the box in the world
  tactum::Pose X_WB;        // pose of the capsule: half a metre up x, its axis turned from z to y
  X_WB.rotation << 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0;
  X_WB.translation = {0.5, 0.1, 0.0};

  tactum::Distance result = tactum::distance(box, X_WA, capsule, X_WB);
  std::printf("status %s\n", std::string(to_string(result.status)).c_str());
  std::printf("distance %.6f\n", result.distance);
  std::printf("normal x %.6f\n", result.normal.x());
  std::printf("surface of A at x %.6f, of B at x %.6f\n", result.point_a.x(), result.point_b.x());
  std::printf("proved within 1e-10: %s\n", result.upper - result.lower <= 1e-10 ? "True" : "False");

  // push the capsule in: the distance turns negative and says how deep
  X_WB.translation = {0.12, 0.1, 0.0};
  result = tactum::distance(box, X_WA, capsule, X_WB);
  std::printf("status %s\n", std::string(to_string(result.status)).c_str());
  std::printf("distance %.6f\n", result.distance);
  return 0;
}
