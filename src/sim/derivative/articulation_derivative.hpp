// SPDX-License-Identifier: BSD-2-Clause
// The derivative of a robot's step while contact forces stay, from Pinocchio's derivatives of
// inverse dynamics, and how its bodies move.
//
// Twists     A twist [v; w] is the motion of a body in the world: v is the velocity of its point
//            at the world's origin, and of its point at p, v + w x p. Column l of the Jacobian J is
//            the twist that one entry of v makes of all bodies behind it.
// Turning    All joints have a constant axis in the body that they move. So a small motion dq turns
//            column k by the twist of its body, dJ_k = (sum over l up to k of J_l dq_l) x J_k.
#pragma once

#include <memory>
#include <vector>

#include "sim/derivative/tree_derivative.hpp"
#include "sim/model/articulation.hpp"

namespace tactum::sim {

class ArticulationDerivative {
 public:
  explicit ArticulationDerivative(const Articulation& articulation);
  ~ArticulationDerivative();
  ArticulationDerivative(ArticulationDerivative&&) noexcept;
  ArticulationDerivative& operator=(ArticulationDerivative&&) noexcept;

  /// Linearizes a step of dt from (q, v) that found the velocity u.
  void set(const Eigen::Ref<const Eigen::VectorXd>& q, const Eigen::Ref<const Eigen::VectorXd>& v,
           const Eigen::Ref<const Eigen::VectorXd>& u, double dt, TreeDerivative& out);

  const Articulation& articulation() const { return *articulation_; }
  /// Twists by each entry of v, at the q of set().
  const Matrix6X& jacobian() const;

  /// Columns of Pinocchio's regressor at the acceleration of set(): derivatives of the forces that
  /// the motion needs by the ten inertial parameters of each joint's body, joint after joint.
  const Eigen::MatrixXd& regressor();
  /// Generalized forces, nv x 3, by the gravity in the world, at the q of set().
  Eigen::MatrixX3d forces_by_gravity() const;

 private:
  /// Motion of joints with more than one velocity.
  void set_motion(const Eigen::Ref<const Eigen::VectorXd>& u, double dt,
                  std::vector<MotionBlock>& out);

  struct Scratch;  ///< of Pinocchio
  const Articulation* articulation_;
  std::unique_ptr<Scratch> data_;
};

/// Twists of all joints at a velocity, and what their derivatives by q need besides.
struct JointTwists {
  Matrix6X of_joint;       ///< V_j
  Matrix6X before_column;  ///< J_l x V_(joint before that of l): dV_j / dq_l = J_l x V_j - this

  void set(const Articulation& articulation, const Matrix6X& jacobian,
           const Eigen::Ref<const Eigen::VectorXd>& velocity);
};

/// Adds the derivative by q of the generalized forces that wrenches on the bodies of joints make,
/// as if each wrench stood still in the world. A wrench is [force; moment about the world's
/// origin]; those of a joint become those of all joints behind it.
void add_wrench_derivative(const Articulation& articulation, const Matrix6X& jacobian,
                           Matrix6X& wrenches, Eigen::MatrixXd& force_by_q);

/// a x b of twists.
Vector6 twist_cross(const Vector6& a, const Vector6& b);

}  // namespace tactum::sim
