// SPDX-License-Identifier: BSD-2-Clause
// Ridders' extrapolation: central differences at steps that shrink by a constant factor, each
// combined with the ones before to cancel the even powers of the step.
#include <algorithm>
#include <limits>

#include "compare_sim/derivative_side.hpp"

namespace tactum::compare {

Extrapolated extrapolated_column(DerivativeSide& side, int i) {
  constexpr int count = 8;
  constexpr double factor = 3.0, first = 1e-3;
  std::vector<Eigen::VectorXd> before, now;
  Extrapolated best;
  best.error = std::numeric_limits<double>::infinity();
  double h = first;
  for (int level = 0; level < count; ++level, h /= factor) {
    now.assign(1, (side.moved(i, h) - side.moved(i, -h)) / (2.0 * h));
    double power = factor * factor;
    for (std::size_t k = 0; k < before.size(); ++k, power *= factor * factor) {
      now.push_back((power * now[k] - before[k]) / (power - 1.0));
      const double error = std::max((now[k + 1] - now[k]).cwiseAbs().maxCoeff(),
                                    (now[k + 1] - before[k]).cwiseAbs().maxCoeff());
      if (error < best.error) best = {now[k + 1], error};
    }
    before.swap(now);
  }
  return best;
}

}  // namespace tactum::compare
