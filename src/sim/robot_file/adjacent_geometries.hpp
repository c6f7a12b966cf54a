// SPDX-License-Identifier: BSD-2-Clause
// Geometries that a joint connects.
#pragma once

#include "tactum/sim/robot.hpp"

namespace tactum::sim {

/// Forbids one pair. Throws InvalidInput where there are too many.
void forbid_pair(RobotDescription& robot, int a, int b);

/// Forbids pairs of geometries of two bodies with one joint between them. Joints that carry neither
/// mass nor geometry and come after another one are axes of one joint. Geometries that are fixed to
/// the world count as those of the base of the robot, unless that collides with everything.
enum class BaseCollides : bool { no, yes };
void forbid_adjacent_geometries(RobotDescription& robot, BaseCollides base = BaseCollides::no);

}  // namespace tactum::sim
