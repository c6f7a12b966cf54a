// SPDX-License-Identifier: BSD-2-Clause
#include "sim/robot_file/adjacent_geometries.hpp"

namespace tactum::sim {
namespace {

constexpr std::size_t kMostPairs = 10'000'000;

}  // namespace

void forbid_pair(RobotDescription& robot, int a, int b) {
  if (robot.forbidden.size() >= kMostPairs)
    throw InvalidInput("robot " + robot.name, "more than 10 million pairs that never meet",
                       "give fewer geometries");
  robot.forbidden.emplace_back(a, b);
}

void forbid_adjacent_geometries(RobotDescription& robot, BaseCollides base_collides) {
  std::vector<std::vector<int>> carried(robot.joints.size() + 1);  // by joint + 1
  for (std::size_t i = 0; i < robot.geometries.size(); ++i)
    carried[static_cast<std::size_t>(robot.geometries[i].joint + 1)].push_back(static_cast<int>(i));
  const auto is_only_axis = [&](int joint) {
    return joint >= 0 && carried[static_cast<std::size_t>(joint + 1)].empty() &&
           robot.joints[static_cast<std::size_t>(joint)].inertia.mass == 0.0;
  };
  std::vector<int> base(robot.joints.size());  // the joint before, axes of one joint passed over
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    const int above = robot.joints[j].parent;
    base[j] = is_only_axis(above) ? base[static_cast<std::size_t>(above)] : above;
    if (base[j] < 0 && base_collides == BaseCollides::yes) continue;
    for (const int a : carried[static_cast<std::size_t>(base[j] + 1)])
      for (const int b : carried[j + 1]) forbid_pair(robot, a, b);
  }
}

}  // namespace tactum::sim
