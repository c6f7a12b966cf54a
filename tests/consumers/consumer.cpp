// SPDX-License-Identifier: BSD-2-Clause
// The first program of a user: include one header, compute one distance, get the number that a
// ruler would give; then what is tried next, the way it is written without looking anything up.
#include <cmath>
#include <cstdio>
#include <iostream>
#include <tactum/tactum.hpp>
#include <vector>

namespace {

// points in a std::vector, a scene that takes a shape and its pose, results by value, a status
// that prints its name
bool first_tries_work() {
  const std::vector<Eigen::Vector3d> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const tactum::Shape hull = tactum::Convex::from_points(corners);
  tactum::Scene scene;
  const tactum::Pose X{.translation = {0.0, 0.0, -0.1}};
  const auto first = scene.add(hull, X);
  const auto second = scene.add(tactum::HalfSpace{}, {}, "ground");
  auto contacts = scene.contacts({.margin = 1e-6});
  const auto r = tactum::distance(hull, X, tactum::HalfSpace{}, {});
  std::cout << r.status << " " << contacts.contacts.size() << " points\n";
  return contacts.pairs.size() == 1 && contacts.pairs[0] == std::pair(first, second) &&
         std::abs(r.distance + 0.1) < 1e-12;
}

}  // namespace

int main() {
  const tactum::Shape box{tactum::Box{.half_extents = {0.1, 0.2, 0.3}}};
  const tactum::Shape hull{tactum::Convex::from_points(tactum::Points::Identity(3, 3))};
  const tactum::Pose X_WB{.translation = {2.0, 0.0, 0.0}};
  const tactum::Distance apart = tactum::distance(box, {}, tactum::Sphere{.radius = 0.5}, X_WB);
  const tactum::Distance corner = tactum::distance(box, {}, hull, {});
  std::printf("tactum %s: %.17g %.17g\n", TACTUM_VERSION, apart.distance, corner.distance);
  // box and sphere: 2 - 0.1 - 0.5; corner of the box to the plane x + y + z = 1: (1 - 0.6) /
  // sqrt(3)
  const bool right = std::abs(apart.distance - 1.4) < 1e-12 &&
                     std::abs(corner.distance - 0.4 / std::sqrt(3.0)) < 1e-12;
  return right && first_tries_work() ? 0 : 1;
}
