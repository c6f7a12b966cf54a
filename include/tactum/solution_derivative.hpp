// SPDX-License-Identifier: BSD-2-Clause
// The derivative of contact forces by the problem, at a solution of any of the models.
//
// With the modes fixed every block of a solution obeys three equations (or one) F(f, s, mu) = 0
// with s = (G + R) f + g, so
//     (F_f + F_s (G + R)) df = -F_s (dG f + dR f + dg) - F_mu dmu.
// The derivative is unique where the matrix is regular. In a hyperstatic problem (G is singular on
// the active rows) the force is not unique: the derivative of least norm is returned, or, for a
// solution found with regularization > 0, the derivative of that regularized problem.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string_view>

#include "tactum/contact_solver.hpp"

namespace tactum {

/// How the linear system was solved.
enum class HyperstaticRule : std::uint8_t {
  unique,        ///< the matrix is regular
  regularized,   ///< regular because of the regularization of the solution
  minimum_norm,  ///< singular: least change of the force
};
std::string_view to_string(HyperstaticRule rule);

/// A change of the problem. Empty parts are 0.
struct ContactTangent {
  Eigen::VectorXd g = {};
  Eigen::VectorXd mu = {};  ///< one for each block
  Eigen::VectorXd R = {};
  Eigen::MatrixXd G = {};  ///< jvp() throws InvalidInput where it is not symmetric within 1e-8 of
                           ///< its largest entry
};

/// The gradient of a scalar by the problem, from its gradient by the force.
struct ContactCotangent {
  Eigen::VectorXd g;
  Eigen::VectorXd mu;  ///< one for each block
  Eigen::VectorXd R;
  // the gradient by the entries of G is left right^T plus 3 x 3 (1 x 1) blocks on the diagonal,
  // which only raisim and regularized solutions have
  Eigen::VectorXd G_left;
  Eigen::VectorXd G_right;
  Eigen::MatrixXd G_blocks;  ///< 3 x rows: the columns of the diagonal blocks, side by side; empty
                             ///< where there are none
  /// Gradient X by the entries of G as a matrix, symmetrized to (X + X^T)/2, so that its product
  /// with a symmetric dG is the change.
  Eigen::MatrixXd dense_G(const ContactProblem& problem) const;
};

/// The linearized equations of a solution, factorized once.
class SolutionDerivative {
 public:
  SolutionDerivative(const ContactProblem& problem, const ContactSolution& solution);
  ~SolutionDerivative();
  SolutionDerivative(SolutionDerivative&&) noexcept;
  SolutionDerivative& operator=(SolutionDerivative&&) noexcept;

  /// False where the force is not unique, where the solution has not converged, and at the boundary
  /// between two modes, where the derivative is that of the modes reported.
  bool smooth() const;
  HyperstaticRule rule() const;

  Eigen::MatrixXd force_wrt_g() const;   ///< rows x rows
  Eigen::MatrixXd force_wrt_mu() const;  ///< rows x blocks
  Eigen::MatrixXd force_wrt_R() const;   ///< rows x rows: by the diagonal of R
  Eigen::VectorXd jvp(const ContactTangent& tangent) const;
  /// Changes of the force for many changes of the problem at once: columns of b = dG f + dR f + dg
  /// (rows x n) and of dmu (blocks x n, or empty). No dG is formed. For the model `raisim`, whose
  /// equations have G in them as well, b must come from dg alone.
  Eigen::MatrixXd force_change(const Eigen::MatrixXd& b, const Eigen::MatrixXd& d_mu = {}) const;
  /// Groups of rows whose forces change without those of others, and the rows of each.
  int islands() const;
  std::span<const int> island_rows(int island) const;
  /// Gradients by the rows of b of one island, from those by its forces: each column is that of one
  /// scalar. This is the transpose of force_change().
  Eigen::MatrixXd island_force_pullback(int island, const Eigen::MatrixXd& by_force) const;
  /// Whether the velocity (G + R) f has a unique derivative. It has where the force has one, and in
  /// a hyperstatic problem where all forces that the equations leave open move nothing.
  bool velocity_is_unique() const;
  /// Whether the modes can stay for a change b: false where the equations of a hyperstatic problem
  /// contradict each other.
  bool keeps_modes(const Eigen::VectorXd& b) const;
  ContactCotangent vjp(const Eigen::VectorXd& d_force) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

/// Derivative of the forces of a solution. Throws InvalidInput when the solution is not one of this
/// problem: it has another size, or its residual here is larger than the one that it reports by
/// more than rounding (1e-10 of the forces and velocities at stake). A solution that has not
/// converged is accepted; its derivative is not smooth.
SolutionDerivative solution_derivative(const ContactProblem& problem,
                                       const ContactSolution& solution);

}  // namespace tactum
