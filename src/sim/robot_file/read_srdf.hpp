// SPDX-License-Identifier: BSD-2-Clause
// Pairs of links that an SRDF file says never to collide.
#pragma once

#include <string>
#include <vector>

#include "tactum/sim/robot.hpp"

namespace tactum::sim {

/// Forbids the pairs of <disable_collisions link1= link2=>; `links` are those of the geometries of
/// the robot. Links that the robot lacks are passed over, as SRDF files serve variants of a robot.
void forbid_pairs_of_srdf(const std::string& path, const std::vector<std::string>& links,
                          RobotDescription& robot);

}  // namespace tactum::sim
