// SPDX-License-Identifier: BSD-2-Clause
// How contact forces move when the problem changes, at a solution of any of the models.
//
// With the modes fixed every block of a solution obeys three (or one) equations F(f, s, mu) = 0, s
// = (G + R) f + g, so
//     (F_f + F_s (G + R)) df = -F_s (dG f + dR f + dg) - F_mu dmu.
// Unique     where the matrix is regular. In a hyperstatic problem (G singular on the active rows)
//            the force is not unique: the derivative of least norm is returned, or, of a solution
//            found with regularization > 0, the derivative of that regularized problem.
#pragma once

#include <Eigen/Core>
#include <memory>
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

/// A change of the problem; empty parts are 0.
struct ContactTangent {
  Eigen::VectorXd g = {};
  Eigen::VectorXd mu = {};  ///< one for each block
  Eigen::VectorXd R = {};
  Eigen::MatrixXd G = {};  ///< symmetric within 1e-8 of its largest entry; else jvp throws
                           ///< InvalidInput
};

/// The gradient of a scalar by the problem, from its gradient by the force.
struct ContactCotangent {
  Eigen::VectorXd g;
  Eigen::VectorXd mu;  ///< one for each block
  Eigen::VectorXd R;
  // by the entries of G: left right^T, plus 3 x 3 (1 x 1) blocks on the diagonal that only raisim
  // and regularized solutions have
  Eigen::VectorXd G_left;
  Eigen::VectorXd G_right;
  Eigen::MatrixXd G_blocks;  ///< 3 x rows: the columns of the diagonal blocks, side by side; empty:
                             ///< none
  /// Symmetrized, so that its product with a symmetric dG is the change: (X + X^T)/2.
  Eigen::MatrixXd dense_G(const ContactProblem& problem) const;
};

class SolutionDerivative {
 public:
  SolutionDerivative(const ContactProblem& problem, const ContactSolution& solution);
  ~SolutionDerivative();
  SolutionDerivative(SolutionDerivative&&) noexcept;
  SolutionDerivative& operator=(SolutionDerivative&&) noexcept;

  /// False at the boundary between two modes, where the derivative is that of the modes reported,
  /// where the force is not unique, and where the solution has not converged.
  bool smooth() const;
  HyperstaticRule rule() const;

  Eigen::MatrixXd force_wrt_g() const;   ///< rows x rows
  Eigen::MatrixXd force_wrt_mu() const;  ///< rows x blocks
  Eigen::MatrixXd force_wrt_R() const;   ///< rows x rows: by the diagonal of R
  Eigen::VectorXd jvp(const ContactTangent& tangent) const;
  ContactCotangent vjp(const Eigen::VectorXd& d_force) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

/// Throws InvalidInput when the solution is not one of this problem: it has another size, or its
/// residual here is larger than the one that it reports by more than rounding (1e-10 of the forces
/// and velocities at stake). One that has not converged is taken; it is not smooth.
SolutionDerivative solution_derivative(const ContactProblem& problem,
                                       const ContactSolution& solution);

}  // namespace tactum
