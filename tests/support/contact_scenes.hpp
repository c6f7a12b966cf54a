// SPDX-License-Identifier: BSD-2-Clause
// The tests use these contact problems: boxes on the ground, stacks of boxes, and random scenes.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "support/random.hpp"
#include "tactum/contact_solver.hpp"

namespace tactum::testing {

inline constexpr double kTimeStep = 1e-2, kGravity = 9.81;

/// Jacobian, mass matrix and free velocity of rigid bodies. Each body has six rows of motion: the
/// velocity of its center and its angular velocity.
struct ContactScene {
  Eigen::MatrixXd J, M;
  Eigen::VectorXd free_motion;  ///< v_f / dt
  Eigen::VectorXd mu;

  Eigen::VectorXd g() const;
  Eigen::MatrixXd G() const;
  Eigen::MatrixXd factor() const;  ///< of M, lower triangular
  ContactProblem problem(const Eigen::VectorXd& R = {}) const;
  ContactProblem operator_problem(const Eigen::VectorXd& R = {}) const;
};

/// Rows of a point at `arm` from the center of a body: x, y, z (normal).
Eigen::Matrix<double, 3, 6> point_rows(const Vector3& arm);

/// A stack of cubes of side 0.2 m with four contacts each; the lowest is on the ground. `push` is a
/// change of its velocity.
ContactScene stack_scene(const std::vector<double>& masses, double mu,
                         const Vector3& push = Vector3::Zero(), double spin = 0);

/// A scene with contacts at random places, in random frames, of bodies of random mass. Each contact
/// is with another body or the ground.
ContactScene random_scene(Random& random, int bodies, int contacts, double mass_ratio = 10);

/// A problem that is meant to break solvers.
ContactProblem hostile_problem(Random& random);

bool all_finite(const ContactSolution& solution);

inline constexpr ContactSolver kAllSolvers[] = {
    ContactSolver::lcp_pgs,        ContactSolver::lcp_staggered, ContactSolver::ccp_pgs,
    ContactSolver::ccp_newton,     ContactSolver::ccp_admm,      ContactSolver::raisim,
    ContactSolver::raisim_desaxce, ContactSolver::ncp_pgs,       ContactSolver::ncp_staggered,
    ContactSolver::ncp_admm};

}  // namespace tactum::testing
