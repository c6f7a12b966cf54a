// SPDX-License-Identifier: BSD-2-Clause
// How a step of one tree, a free body or a robot, follows its position and velocity while contact
// forces stay: the linear maps that the derivative of a step is made of.
//
// Forces     With the velocity u that the step found, M (u - v - c)/dt = force(q, v) + tau + J^T f.
//            Here are the derivatives of `force` by q and v at that u, with M's own dependence on q
//            in them, and that of c by v. So du = dv + dc + dt M^-1 (force_by_q dq + force_by_v dv
//            + dtau) for constant J^T f.
// Motion     The new position and velocity as functions of q and u, joint by joint. All tangents
//            are those of the model: of a free body in its own axes, before and after.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sim/model/free_body.hpp"
#include "tactum/pose.hpp"

namespace tactum::sim {

/// Entries of v that move on a curved space, or whose velocity is carried over to new axes. All
/// other entries have dq+ = dq + dt du and dv+ = du.
struct MotionBlock {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  int v = 0, size = 0;  ///< of the entries, in the tree
  Matrix q_by_q, q_by_u, v_by_u;
};

/// Motion of a base whose velocity has a term dt w x v (articulation.hpp): c = dt w x v.
struct CarriedVelocity {
  int v = 0;  ///< first of the six entries of the base, in the tree
  Vector3 linear, angular;
};

struct TreeDerivative {
  Eigen::MatrixXd force_by_q, force_by_v;
  std::vector<MotionBlock> motion;
  std::vector<CarriedVelocity> carried;
  bool smooth = true;  ///< false where the motion was not solved to rounding
};

/// Jr with exp(w + dw) = exp(w) exp(Jr dw).
Matrix3 rotation_exponential_jacobian(const Vector3& w);

/// The derivative of a free body's step; its force has gravity alone in it.
void set_tree_derivative(const FreeBody& body, const Matrix3& rotation, const Vector6& velocity,
                         const Vector3& gravity, double dt, TreeDerivative& out);

/// Derivative of J^T f by q for a free body, with the wrench that J^T f is, as if the force stood
/// still in the world: both in the axes of the body.
Matrix6 wrench_by_motion(const Vector6& wrench);

}  // namespace tactum::sim
