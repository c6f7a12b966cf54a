// SPDX-License-Identifier: BSD-2-Clause
// Newton's method on the laws of contact themselves, Signorini and Coulomb, without a shift and
// without convex subproblems. From a good start it needs a few factorizations.
//
// Map        With s = (G + R) f + g, y_N = f_N - r_N s_N and y_T = f_T - r_T s_T, a force solves
//            the ncp exactly if F(f) = 0, where
//                F_N = f_N - max(y_N, 0),  F_T = f_T - (nearest point to y_T of the disc of radius
//                mu max(y_N, 0))
//            (Alart and Curnier 1991). r_N and r_T are the reciprocals of the diagonal of G + R. A
//            block of one row has f - (nearest point to y of its interval).
// Step       E_f df + E_s (G + R + t D) df = -F with the derivatives E_f and E_s of the branch of
//            each block. A t of 1e-7 chooses the nearest of the forces that move everything alike.
// Weight     Contacts that hold a body more than once and do not agree ask for forces without end:
//            a step that does not lower |F| is taken again with t = 1e-3, then ten times that, and
//            a good one takes a tenth (Levenberg and Marquardt). So the contacts that give way are
//            found.
// Rounding   Once a step is short, max and the disc get rounded corners of a width m, so that F is
//            smooth (Chen and Harker 1993, Kanzow 1996). m follows |F| down while steps are whole,
//            and up where they are short.
// System     law_equations.hpp solves it.
// Finish     Where a contact slides, the residual grows with the square of an error in the force's
//            direction, and |F| with the error itself. A force of another method whose residual
//            meets the tolerance takes up to three steps more, until |F| meets it too: differences
//            of solutions are only as good as the forces.
// Length     A step is halved while |F| does not fall. There is no promise: the caller needs
//            another method for the rest.
#pragma once

#include "solver/active_set/solver_progress.hpp"
#include "solver/method/law_equations.hpp"

namespace tactum {

class ActiveNewton {
 public:
  /// Takes at most `most_steps` steps from a force, each of which is an iteration of the task.
  /// `weight` is the diagonal of D. Returns whether the task is done.
  bool run(SolverTask& task, const Eigen::VectorXd& weight, const Eigen::VectorXd& force,
           int most_steps);
  /// Takes steps from the best force of the task, which has converged, while F is above the
  /// tolerance and falls, and the residual meets the tolerance.
  void finish(SolverTask& task, const Eigen::VectorXd& weight);

 private:
  double rounding_of(const SolverTask& task, std::size_t block) const;
  double evaluate(const SolverTask& task, const Eigen::VectorXd& force,
                  const Eigen::VectorXd& velocity);
  bool set_equations(const SolverTask& task, const Eigen::VectorXd& weight);
  bool choose_length(const SolverTask& task, double highest);
  bool step(const SolverTask& task, const Eigen::VectorXd& weight, double highest);
  double follow_error(const SolverTask& task);
  double largest_error(const SolverTask& task) const;

  Eigen::VectorXd force_, velocity_, scratch_;
  Eigen::VectorXd value_;  ///< F
  Eigen::VectorXd step_, response_;
  Eigen::VectorXd trial_force_, trial_velocity_;
  LawEquations equations_;
  double proximal_ = 0;             ///< t
  double rounding_ = 0;             ///< m, in the units of |F|
  double length_ = 1, square_ = 0;  ///< share of the step that was taken, and |F|^2 there
};

}  // namespace tactum
