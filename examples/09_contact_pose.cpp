// SPDX-License-Identifier: BSD-2-Clause
// Contact poses: bring a given point of one shape to a given point of another, one problem and
// many.
#include <cmath>
#include <cstdio>
#include <vector>

#include "tactum/tactum.hpp"

int main() {
  const tactum::Shape cube{tactum::Box{.half_extents = {0.1, 0.1, 0.1}}};
  const tactum::Shape plate{tactum::Cylinder{.radius = 0.3, .half_length = 0.02}};
  const tactum::Vector3 corner(0.1, 0.1, 0.1), rim(0.3, 0.0, 0.02);
  tactum::Pose start;
  start.translation = {0.1, 0.3, 0.6};
  const auto text = [](bool value) { return value ? "True" : "False"; };

  // the pose of the cube in the frame of the plate that makes its corner touch the rim of the plate
  const tactum::ContactPose found = tactum::contact_pose(plate, cube, rim, corner, start);
  std::printf("%s: cost below 1e-24 is %s\n", to_string(found.status).data(),
              text(found.cost < 1e-24));
  const tactum::Distance touch = tactum::distance(plate, {}, cube, found.pose);
  std::printf("distance below 1e-12 is %s\n", text(std::abs(touch.distance) < 1e-12));
  std::printf("corner is at the rim: %s\n", text((found.pose * corner - rim).norm() < 1e-11));

  // the exact derivative alone: a corner has no curvature, so nothing says where to turn
  const auto exact = tactum::contact_pose(plate, cube, rim, corner, start,
                                          {.estimator = tactum::Exact{}});
  std::printf("converged without smoothing: %s\n",
              text(exact.status == tactum::ContactPoseStatus::converged));

  // all eight corners at once, on all cores; the answer of each has the bits of the single call
  std::vector<tactum::Vector3> corners;
  for (const double x : {-0.1, 0.1})
    for (const double y : {-0.1, 0.1})
      for (const double z : {-0.1, 0.1}) corners.push_back({x, y, z});
  std::vector<tactum::ContactPose> many(corners.size());
  tactum::BatchWorkspace work;
  tactum::contact_poses({.size = corners.size(),
                         .a = {{&plate, 1}, {}, {&rim, 1}},
                         .b = {{&cube, 1}, {}, corners},
                         .start = start},
                        {}, work, {.answer = many});
  int converged = 0;
  for (const auto& one : many)
    converged += one.status == tactum::ContactPoseStatus::converged ? 1 : 0;
  std::printf("corners brought to the rim: %d of %zu\n", converged, corners.size());
  std::printf("the last is the one from above: %s\n",
              text(many.back().pose.translation == found.pose.translation));
  return 0;
}
