// SPDX-License-Identifier: BSD-2-Clause
// The poses of the links of a robot, from the data of Pinocchio.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "tactum/pose.hpp"

namespace tactum::python {

/// The poses `oMg` of a pinocchio.GeometryData, one for each of `count` links. Throws InvalidInput
/// for another number of them. Their numbers are not checked.
std::vector<Pose> link_poses(nanobind::handle geometry_data, std::size_t count);

}  // namespace tactum::python
