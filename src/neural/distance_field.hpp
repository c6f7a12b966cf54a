// SPDX-License-Identifier: BSD-2-Clause
// A coarse signed distance field of a point cloud, and its value between the nodes.
//
// Nodes      12 x 12 x 12 over the cube of half side h around the center; z varies fastest. The
// value
//            is the distance from the nearest point, negative where the normal of that point says
//            that the node is inside.
// Between    smooth steps instead of linear ones, so that the gradient is continuous; outside of
//            the cube the value at its surface, plus the distance from there.
#pragma once

#include <Eigen/Core>

#include "tactum/collision_network.hpp"

namespace tactum {

/// Values at the nodes; points are given from the center.
Eigen::VectorXd distance_field(const Points& points, const Points& normals, double half_side);

struct FieldSample {
  double value = 0.0;                  // m
  Vector3 gradient = Vector3::Zero();  // by the place
};

/// The field of a code at a place, from its center.
FieldSample sample_field(const ObjectCode& code, const Vector3& place);

}  // namespace tactum
