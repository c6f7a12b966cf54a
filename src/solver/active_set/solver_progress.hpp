// SPDX-License-Identifier: BSD-2-Clause
// The task that every solver gets, and the rules by which it stops.
//
// Converged  the residual of the model is at most `tolerance`; nothing else counts as converged.
// Stalled    the largest change of the force is at most `relative_tolerance` of the largest force
//            (without a division: Le Lidec et al. 2023), or nothing changes any more, or the solver
//            stagnates, or its numbers run away. More iterations would not help then.
// Stagnation means ten iterations in a row that change the force by no more than rounding. The
//            residual does not tell: on stacks it stands still, or rises, for thousands of
//            iterations before it falls.
// Best       the solver returns the force with the smallest residual that it has met, so that one
//            that diverges does no harm. With SolveOptions::as_printed it is the last force that
//            counts.
#pragma once

#include <cassert>
#include <limits>
#include <vector>

#include "solver/problem/residual.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {

class SolverProgress {
 public:
  /// Begins a solve. Keeps a reference to the options.
  void start(const SolveOptions& options) {
    options_ = &options;
    iterations_ = 0;
    best_residual_ = std::numeric_limits<double>::infinity();
    converged_ = at_rest_ = false;
    still_ = 0;
    history_.clear();
  }

  /// Takes the force that a solver begins from. Returns whether it is good enough already.
  bool accept_start(const Eigen::VectorXd& force, double residual) {
    keep(force, residual);
    converged_ = residual <= goal();
    return converged_;
  }

  static constexpr double kNotComputed = -1.0;

  /// Takes the force after an iteration, its residual (or `kNotComputed`), the largest change of an
  /// entry and the largest entry. Returns whether this iteration was the last.
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

  /// Whether a change of the force is no more than rounding. An iteration with such a change may be
  /// the last one: its residual should be computed.
  static bool is_rounding(double change, double largest) { return change <= kRounding * largest; }

  /// Adds the iterations of another solver on the same problem to these. Returns whether they end
  /// the solve.
  bool absorb(const SolverProgress& other) {
    iterations_ += other.iterations_;
    if (options_->history)
      history_.insert(history_.end(), other.history_.begin(), other.history_.end());
    keep(other.best_, other.best_residual_);
    converged_ = best_residual_ <= goal();
    return converged_ || is_used_up();
  }

  /// Takes a force that is nearer to the solution than the best one, as another measure says, and
  /// that meets the tolerance too.
  void accept_nearer(const Eigen::VectorXd& force, double residual) {
    assert(residual <= goal());
    ++iterations_;
    if (options_->history) history_.push_back(residual);
    best_residual_ = residual;
    best_ = force;
    converged_ = true;
  }

  /// Residual that solvers aim at. It lies a little below the tolerance, because the evaluation of
  /// the whole problem sums in another order.
  double goal() const { return 0.99 * options_->tolerance; }

  int iterations() const { return iterations_; }
  bool converged() const { return converged_; }
  /// Whether a solve that has ended above the tolerance made no more progress, with iterations
  /// left.
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
    if (!options_->as_printed && !(residual < best_residual_)) return;
    assert(residual >= 0);
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

/// One island, with the force to begin from. The answer of a solver is progress.best().
struct SolverTask {
  ProblemView problem;
  std::span<const BlockMatrix> diagonal;  ///< diagonal blocks of G + R, one for each block
  ResidualRule rule;
  const SolveOptions& options;
  Eigen::VectorXd& force;    ///< the force to begin from; solvers work on it
  Eigen::VectorXd& dual;     ///< multiplier of ADMM, at the beginning and at the end
  double& penalty_exponent;  ///< proximal parameter of ADMM
  SolverProgress& progress;

  /// Worst residual of a force whose velocity is known.
  double residual(const Eigen::VectorXd& f, const Eigen::VectorXd& velocity) const {
    return residual_of(problem, rule, f, velocity).worst();
  }

  /// Worst residual of a force. Leaves its velocity, computed afresh.
  double fresh_residual(const Eigen::VectorXd& f, Eigen::VectorXd& scratch,
                        Eigen::VectorXd& velocity) const {
    set_contact_velocity(problem, f, scratch, velocity);
    return residual(f, velocity);
  }
};

}  // namespace tactum
