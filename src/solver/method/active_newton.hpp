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
//            each block. t is small: it chooses the nearest of the forces that move everything
//            alike, and bounds those that no motion answers.
// Motion     With C = E_f + E_s (R + t D) and K = C^-1 E_s, block by block, and G = W^T W, the
//            system is solved through I + W K W^T, which has as many rows as there are motions.
//            Where G is given, C + E_s G is factorized itself.
// Length     A step is halved while |F| does not fall below the largest of its last few values.
//            There is no promise: the caller needs another method for the rest.
#pragma once

#include "solver/active_set/solver_progress.hpp"
#include "solver/linear/block_lu.hpp"

namespace tactum {

class ActiveNewton {
 public:
  /// Takes at most `most_steps` steps from a force, each of which is an iteration of the task.
  /// `weight` is the diagonal of D. Returns whether the task is done.
  bool run(SolverTask& task, const Eigen::VectorXd& weight, const Eigen::VectorXd& force,
           int most_steps);

 private:
  static constexpr int kMemory = 3;  // values of |F| that a step may rise to

  double evaluate(const SolverTask& task, const Eigen::VectorXd& force,
                  const Eigen::VectorXd& velocity);
  bool set_equations(const SolverTask& task, const Eigen::VectorXd& weight);
  bool factorize(const SolverTask& task);
  void solve(const SolverTask& task);
  double choose_length(const SolverTask& task, double highest);

  Eigen::VectorXd force_, velocity_, scratch_, motion_;
  Eigen::VectorXd value_;  ///< F
  Eigen::VectorXd step_, response_;
  Eigen::VectorXd trial_force_, trial_velocity_;
  // nine numbers for each block, column by column
  std::vector<double> by_velocity_, inverse_, weight_, transposed_, identity_;
  std::vector<double> lower_, upper_;
  BlockLu lu_;
};

}  // namespace tactum
