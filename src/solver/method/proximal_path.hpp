// SPDX-License-Identifier: BSD-2-Clause
// Proximal Newton steps whose weight falls until the problem without any weight is solved.
// ccp_newton takes this path from the start; ADMM takes it to finish.
//
// Weight     falls tenfold from step to step. A step that does not end was too long: the path goes
//            back to where the step began, with a larger weight, which falls by halves from then
//            on. A weight that only magnifies rounding rises again.
// End        the path ends when the caller says so, or when the residual has not fallen by a fifth
//            for several steps.
#pragma once

#include <limits>

#include "solver/method/proximal_newton.hpp"

namespace tactum {

struct ProximalPath {
  double first_weight;  ///< 0 where the compliance of the problem takes its place
  double least_weight;
  int patience;  ///< proximal steps without progress before the path ends
};

/// The answer of the caller to a force: whether it is done, and the residual of the force.
struct PathEvaluation {
  bool done;
  double residual;
};

/// Follows the path from `center`, which is scratch afterwards. `evaluate(force, change)` is called
/// after every Newton step; `linear()` gives the linear term of the next proximal step, for the
/// force that was evaluated last. Returns whether the caller was done.
template <class Evaluate, class Linear>
bool follow_path(const ProximalPath& path, const ProblemView& problem,
                 const Eigen::VectorXd& weight, ProximalNewton& newton, Eigen::VectorXd& center,
                 const Evaluate& evaluate, const Linear& linear) {
  constexpr int most_steps = 40;  // Newton steps of one proximal step
  constexpr double most_weight = 1e-2;
  double tau = path.first_weight, shrink = 0.1, best = std::numeric_limits<double>::infinity();
  newton.start(problem, weight, tau, linear(), center);
  for (int stalled = 0; stalled < path.patience;) {
    double last_left = std::numeric_limits<double>::infinity(), last_best = best;
    bool solved = false, rounding = false;
    for (int i = 0; i < most_steps && !solved && !rounding; ++i) {
      if (!newton.step()) break;
      const double moved = newton.moved(), left = newton.left();
      const PathEvaluation evaluation = evaluate(newton.force(), std::max(moved, left));
      if (evaluation.done) return true;
      best = std::min(best, evaluation.residual);
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
