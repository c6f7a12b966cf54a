// SPDX-License-Identifier: BSD-2-Clause
// What every solver works on, and when it stops.
//
// Stop       residual of the model at most `tolerance`: converged, and nothing else is. Largest
//            change of the force at most `relative_tolerance` of the largest force (no division: Le
//            Lidec et al. 2023), nothing changes any more, stagnation, numbers that run away:
//            stalled, since more iterations would not help. The cap.
// Stagnation ten iterations in a row that change the force by no more than rounding. The residual
// does not tell: on stacks it stands
//            still, or rises, for thousands of iterations before it falls.
// Best       the force with the smallest residual met is what is returned, so a solver that
//            diverges does no harm.
#pragma once

#include <limits>
#include <vector>

#include "solver/problem/residual.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {

class Progress {
 public:
  void start(const SolveOptions& options) {
    options_ = &options;
    iterations_ = 0;
    best_residual_ = std::numeric_limits<double>::infinity();
    converged_ = at_rest_ = false;
    still_ = 0;
    history_.clear();
  }

  /// Whether the force to begin with is good enough already.
  bool accept_start(const Eigen::VectorXd& force, double residual) {
    keep(force, residual);
    converged_ = residual <= goal();
    return converged_;
  }

  static constexpr double not_computed = -1.0;

  /// After an iteration that left this residual; true when it was the last.
  bool finish_iteration(const Eigen::VectorXd& force, double residual, double change,
                        double largest) {
    ++iterations_;
    check_interrupt();
    if (options_->history) history_.push_back(residual);
    if (!(residual < kRunaway && largest < kRunaway)) return true;
    const bool known = residual >= 0;
    if (known) keep(force, residual);
    converged_ = known && residual <= goal();
    const bool small_change = options_->relative_tolerance > 0 &&
                              change <= options_->relative_tolerance * largest;
    if (small_change) best_ = force;  // the caller asked for the last one
    at_rest_ = small_change || change == 0 || stagnates(change, largest);
    return converged_ || at_rest_ || is_used_up();
  }

  /// Whether a change of the force is none beyond rounding. It may be the last: its residual should
  /// be known.
  static bool is_rounding(double change, double largest) { return change <= kRounding * largest; }

  /// Counts the iterations of another one, on the same problem, as its own; true when they end it.
  bool absorb(const Progress& other) {
    iterations_ += other.iterations_;
    if (options_->history)
      history_.insert(history_.end(), other.history_.begin(), other.history_.end());
    keep(other.best_, other.best_residual_);
    converged_ = best_residual_ <= goal();
    return converged_ || is_used_up();
  }

  /// What solvers aim at: a little below the tolerance, since the whole problem is judged by sums
  /// in another order.
  double goal() const { return 0.99 * options_->tolerance; }

  int iterations() const { return iterations_; }
  bool converged() const { return converged_; }
  /// Whether a solve that has ended above the tolerance did so because it made no more progress,
  /// with iterations left.
  bool stalled() const { return at_rest_ || !is_used_up(); }
  const Eigen::VectorXd& best() const { return best_; }
  double best_residual() const { return best_residual_; }
  const std::vector<double>& history() const { return history_; }

 private:
  static constexpr double kRunaway = 1e70;
  static constexpr double kRounding = 1e-15;

  bool is_used_up() const { return iterations_ >= options_->max_iterations; }

  bool stagnates(double change, double largest) {
    still_ = is_rounding(change, largest) ? still_ + 1 : 0;
    return still_ >= 10 && options_->relative_tolerance == 0;
  }

  void keep(const Eigen::VectorXd& force, double residual) {
    if (!(residual < best_residual_)) return;
    best_residual_ = residual;
    best_ = force;
  }

  const SolveOptions* options_ = nullptr;
  int iterations_ = 0;
  double best_residual_ = 0;
  bool converged_ = false;
  bool at_rest_ = false;  ///< the last iteration changed too little to go on
  int still_ = 0;         ///< iterations in a row that changed nothing
  Eigen::VectorXd best_;
  std::vector<double> history_;
};

/// One island: in, the force to begin with; out, progress.best().
struct SolverTask {
  ProblemView problem;
  std::span<const BlockMatrix> diagonal;  ///< of G + R, one for each block
  ResidualRule rule;
  const SolveOptions& options;
  Eigen::VectorXd& force;
  Eigen::VectorXd& dual;     ///< multiplier of ADMM, to begin with and at the end
  double& penalty_exponent;  ///< proximal parameter of ADMM
  Progress& progress;

  double residual(const Eigen::VectorXd& f, const Eigen::VectorXd& velocity) const {
    return residual_of(problem, rule, f, velocity).worst();
  }
};

}  // namespace tactum
