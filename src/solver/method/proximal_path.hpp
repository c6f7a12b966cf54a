// SPDX-License-Identifier: BSD-2-Clause
// Proximal Newton steps of falling weight, down to the problem without any: what ccp_newton does
// from the start, and ADMM to finish.
//
// Weight     falls tenfold from step to step. A step that does not end is too long: back to where
//            it began, and from there by halves. Where a weight only magnifies rounding it rises
//            again.
// End        the caller says so, or the residual has not fallen by a fifth for several steps.
#pragma once

#include <limits>

#include "solver/method/proximal_newton.hpp"

namespace tactum {

struct ProximalPath {
  double first_weight;  ///< 0: the problem has a compliance that stands for it
  double least_weight;
  int patience;  ///< proximal steps without progress before it gives up
};

/// Whether the caller is done, and the residual of the force that was shown to it.
struct PathJudgment {
  bool done;
  double residual;
};

/// From `center`, which is scratch afterwards. `judge(force, change)` is asked after every Newton
/// step; `linear()` gives the linear term of the next proximal step, for the force that was judged
/// last. True when the caller was done.
template <class Judge, class Linear>
bool follow_path(const ProximalPath& path, const ProblemView& problem,
                 const Eigen::VectorXd& weight, ProximalNewton& newton, Eigen::VectorXd& center,
                 const Judge& judge, const Linear& linear) {
  constexpr int most_steps = 40;  // of one proximal step
  constexpr double most_weight = 1e-2;
  double tau = path.first_weight, shrink = 0.1, best = std::numeric_limits<double>::infinity();
  newton.start(problem, weight, tau, linear(), center);
  for (int stalled = 0; stalled < path.patience;) {
    double last_left = std::numeric_limits<double>::infinity(), last_best = best;
    bool solved = false, rounding = false;
    for (int i = 0; i < most_steps && !solved && !rounding; ++i) {
      if (!newton.step()) break;
      const double moved = newton.moved(), left = newton.left();
      const PathJudgment judgment = judge(newton.force(), std::max(moved, left));
      if (judgment.done) return true;
      best = std::min(best, judgment.residual);
      // the error of the step is small beside the pull of the weight (Rockafellar 1976, criterion
      // B), or is rounding
      solved = left <= 0.1 * tau * moved;
      rounding = left <= 1e-9 * newton.force().cwiseAbs().maxCoeff() && left >= 0.5 * last_left;
      last_left = left;
    }
    stalled = best < 0.8 * last_best ? 0 : stalled + 1;
    if (solved || rounding) {
      center = newton.force();
      tau = rounding ? std::min(most_weight, std::max(10 * tau, path.least_weight))
                     : std::max(path.least_weight, shrink * tau);
    } else {
      tau = std::min(most_weight, std::max(5 * tau, path.least_weight));
      shrink = 0.5;
    }
    newton.recenter(tau, linear(), center);
  }
  return false;
}

}  // namespace tactum
