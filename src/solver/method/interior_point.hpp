// SPDX-License-Identifier: BSD-2-Clause
// An interior-point method for the ncp: forces and velocities stay inside their cones, and their
// products fall to 0 together. Ten to twenty factorizations are enough where hundreds of contacts
// hold each body more than once and slide on each other.
//
// Cones      With F = (f_T, mu f_N) and X = (x_T, x_N / mu), both cones of a contact with friction
//            become |v_T| <= v_N. x = s + Gamma(s) holds at the end only: X is a variable of its
//            own. A limit has f >= 0 and x >= 0; a bilateral row has x = 0 and no cone.
// Path       The product of Jordan, F o X = (F_N X_T + X_N F_T, F.X), is held at m (0, 0, 1), and m
//            falls (Mehrotra's predictor and corrector, with one factorization for both), in the
//            scaling of Nesterov and Todd (second_order_cone.hpp). Gamma is linearized with its
//            derivative, so that the equations are not symmetric; its corner at |s_T| = 0 is
//            rounded by m.
// Start      A good force is split into F and X on the path, with an m of the size of its error. A
//            bad one is moved into the cones by a share of the largest free velocity, which takes
//            more steps and gets farther. Where a start on the path fails, one with a hundred times
//            the error follows, and at last the other.
// Length     Steps end at a share of the way to the boundary of the cones. There is no line search:
//            the ncp is not convex, and there is no promise.
// End        Where the residual has met the tolerance, up to three more steps take it to a tenth of
//            that: what rests then needs no step at all the next time.
// Box rows   are not handled: the caller needs another method for problems that have some.
#pragma once

#include "solver/active_set/solver_progress.hpp"
#include "solver/method/law_equations.hpp"
#include "solver/method/second_order_cone.hpp"

namespace tactum {

enum class InteriorEnd : std::uint8_t { done, failed, not_tried };

class InteriorPoint {
 public:
  /// Begins on the path, where the force of the task is good, and takes at most `most_steps` steps
  /// from each start, each of which is an iteration of the task. `weight` is the diagonal of D.
  InteriorEnd run_near(SolverTask& task, const Eigen::VectorXd& weight, int most_steps);
  /// Begins far inside the cones. Returns whether the task is done.
  bool run_far(SolverTask& task, const Eigen::VectorXd& weight, int most_steps);

 private:
  using Vector = second_order_cone::Vector;
  /// F, X and the scale of a block: its largest response to a force of 1.
  struct Parts {
    Vector F, X;
    double scale;
  };

  bool begin(const SolverTask& task);
  void start_on_path(const SolverTask& task, double error);
  void start_inside(const SolverTask& task);
  Parts parts_of(const SolverTask& task, std::size_t block) const;
  double error_of_start(const SolverTask& task) const;
  bool follow(SolverTask& task, const Eigen::VectorXd& weight, int most_steps, double shortest);
  void set_force(const SolverTask& task);
  bool linearize(const SolverTask& task);
  bool set_cone(const SolverTask& task, std::size_t block);
  void set_direction(const SolverTask& task, double target, double correction);
  bool choose_direction(SolverTask& task, double last_length);
  double longest_step(const SolverTask& task) const;
  double product(double length) const;

  LawEquations equations_;
  Eigen::VectorXd force_, velocity_, scratch_;
  Eigen::VectorXd F_, X_;    ///< of all rows
  Eigen::VectorXd missing_;  ///< x at the force, in the units of X, less X
  Eigen::VectorXd dF_, dX_;  ///< the direction
  Eigen::VectorXd value_, step_, response_;
  Eigen::VectorXd slide_;  ///< derivative of Gamma by the tangential velocity
  std::vector<second_order_cone::Scaling> scalings_;  ///< of each block
  double corner_ = 0;                                 ///< rounds |s_T| where it is 0
  int cones_ = 0;                                     ///< number of blocks that have a cone
};

}  // namespace tactum
