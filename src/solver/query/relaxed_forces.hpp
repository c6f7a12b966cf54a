// SPDX-License-Identifier: BSD-2-Clause
// Contact forces of relaxed complementarity: f . s = kappa where a contact problem asks for 0, so
// that forces follow the problem smoothly through all changes of modes.
//
// Equations  With s = (G + R) f + g, the correction Gamma(s) = (0, 0, mu |s_T|) of de Saxce, and
//            the cone mu^2 f_N^2 - |f_T|^2 = D > 0, f_N > 0,
//              friction     s + Gamma(s) = kappa (-f_T, mu^2 f_N) / D     so f . (s + Gamma) =
//              kappa limits       s = kappa / f boxes        s = kappa / (f - lower) - kappa /
//              (upper - f) bilateral    s = 0.
//            For kappa -> 0 these are the conditions of the problem under the model ncp.
// Solution   Without Gamma they say that the gradient of a strictly convex function is zero; Newton
//            steps with a line search solve that, from large kappa to small, with Gamma held for a
//            while. Newton steps on the whole end it.
// Derivative The matrix of the last Newton step is that of the implicit function theorem.
#pragma once

#include <Eigen/LU>

#include "tactum/contact_problem.hpp"

namespace tactum {

class RelaxedForces {
 public:
  /// `kappa` has a number > 0 for each block. Blocks of friction need mu > 0.
  RelaxedForces(const ContactProblem& problem, const Eigen::VectorXd& kappa);

  /// Whether the equations hold to 1e-9 of the largest velocity.
  bool converged() const { return converged_; }
  const Eigen::VectorXd& force() const { return force_; }

  /// Changes of the force for columns of b = dG f + dR f + dg and of dmu (blocks x n, or empty).
  Eigen::MatrixXd force_change(const Eigen::MatrixXd& b, const Eigen::MatrixXd& d_mu) const;
  /// Gradients by b, from those by the force, column by column.
  Eigen::MatrixXd pullback(const Eigen::MatrixXd& by_force) const;
  /// Gradient by mu of each block, from that by the force.
  Eigen::VectorXd pullback_to_mu(const Eigen::VectorXd& by_force) const;

 private:
  class Equations;
  ContactProblem problem_;
  Eigen::VectorXd force_;
  Eigen::PartialPivLU<Eigen::MatrixXd> matrix_;  ///< of the equations by the force
  Eigen::MatrixXd by_velocity_;                  ///< 1 + dGamma / ds
  Eigen::MatrixXd by_mu_;                        ///< rows x blocks
  bool converged_ = false;
};

}  // namespace tactum
