// SPDX-License-Identifier: BSD-2-Clause
// Time of impact: when two moving bodies meet, with a proof that they do not meet before.
#include <Eigen/Geometry>
#include <cstdio>
#include <numbers>

#include "tactum/tactum.hpp"

int main() {
  using tactum::Vector3;
  const auto at = [](double x, double y, double z) {
    return tactum::Pose{.translation = Vector3(x, y, z)};
  };
  const auto text = [](tactum::Status status) { return tactum::to_string(status).data(); };
  const auto yes = [](bool value) { return value ? "True" : "False"; };

  // a bullet and a sheet of 20 micrometres: at no pose that one would sample do they overlap
  const tactum::Shape sheet{tactum::Box{.half_extents = {1e-5, 1.0, 1.0}}};
  const tactum::Shape bullet{tactum::Sphere{.radius = 0.005}};
  const tactum::Pose here;
  tactum::Impact impact = tactum::time_of_impact(sheet, here, here, bullet, at(-300, 0, 0),
                                                 at(300, 0, 0));
  std::printf("bullet: %s at %.9f, lower <= time %s\n", text(impact.status), impact.time,
              yes(impact.lower <= impact.time));
  std::printf("the interval is narrower than 1e-12: %s\n",
              yes(impact.upper - impact.lower < 1e-12));

  // a bar that turns by 0.6 of half a turn towards a post, and one that ends 1 cm before it
  const tactum::Shape bar{tactum::Box{.half_extents = {1.0, 0.05, 0.05}}};
  const tactum::Shape post{tactum::Cylinder{.radius = 0.05, .half_length = 0.5}};
  const tactum::Pose turned{
      .rotation = Eigen::AngleAxisd(0.6 * std::numbers::pi, Vector3::UnitZ()).toRotationMatrix()};
  impact = tactum::time_of_impact(bar, here, turned, post, at(0, 0.8, 0), at(0, 0.8, 0));
  std::printf("bar: %s at %.9f\n", text(impact.status), impact.time);
  const tactum::Impact near = tactum::time_of_impact(bar, here, turned, post, at(0, 0.8, 0),
                                                     at(0, 0.8, 0), {.distance = 0.01});
  std::printf("within 1 cm: at %.9f\n", near.time);

  // beside the bar there is nothing to meet
  const tactum::Impact never = tactum::time_of_impact(bar, here, turned, post, at(0, 1.2, 0),
                                                      at(0, 1.2, 0));
  std::printf("farther out: %s, time %g\n", text(never.status), never.time);
  return 0;
}
