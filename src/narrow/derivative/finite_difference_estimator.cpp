// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/derivative/finite_difference_estimator.hpp"

namespace tactum {

void estimate(const FiniteDifference& estimator, const Shape& a, const Pose& X_WA, const Shape& b,
              const Pose& X_WB, const DistanceDerivativeOptions& options,
              DistanceDerivative& result) {
  RelativeJacobian by_b;
  for (int i = 0; i < 6; ++i) {
    const Vector6 motion = estimator.step * Vector6::Unit(i);
    const AnswerVector ahead = answer_vector(
        answer_at(a, X_WA, b, moved(X_WB, motion), result.value, options.query));
    const AnswerVector behind = answer_vector(
        answer_at(a, X_WA, b, moved(X_WB, -motion), result.value, options.query));
    by_b.col(i) = (ahead - behind) / (2.0 * estimator.step);
  }
  fill_jacobians(X_WA, X_WB, result.value, by_b, options.frame, result);
}

}  // namespace tactum
