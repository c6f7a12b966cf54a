// SPDX-License-Identifier: BSD-2-Clause
// From joints as plain data to the robot that a step works with.
#pragma once

#include <memory>
#include <span>

#include "sim/model/articulation.hpp"
#include "tactum/sim/robot.hpp"

namespace tactum::sim {

/// One tree of joints; `parent` counts from the first of them. They have been checked. Throws
/// InvalidInput that names a joint which moves nothing that has mass.
std::shared_ptr<const Articulation> make_articulation(std::span<const RobotJoint> joints,
                                                      const Vector3& gravity);

}  // namespace tactum::sim
