// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/derivative/zeroth_order_estimator.hpp"

#include <array>

#include "math/counter_random.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

Vector6 gaussian_motion(const CounterRandom& random, std::uint64_t sample) {
  Vector6 z;
  for (int i = 0; i < 6; ++i) z[i] = random.normal(6 * sample + static_cast<std::uint64_t>(i));
  return z;
}

/// Mean of independent matrices, and for each row the covariance of that mean.
class RowStatistics {
 public:
  void add(const RelativeJacobian& sample) {
    ++count_;
    const RelativeJacobian before = sample - mean_;
    mean_ += before / count_;
    const RelativeJacobian after = sample - mean_;
    for (int row = 0; row < kAnswerRows; ++row)
      spread_[static_cast<std::size_t>(row)] += before.row(row).transpose() * after.row(row);
  }
  const RelativeJacobian& mean() const { return mean_; }
  std::array<Eigen::Matrix<double, 6, 6>, kAnswerRows> covariance_of_mean() const {
    auto covariance = spread_;
    for (auto& c : covariance) c /= count_ * (count_ - 1.0);
    return covariance;
  }
  double count() const { return count_; }

 private:
  double count_ = 0.0;
  RelativeJacobian mean_ = RelativeJacobian::Zero();
  std::array<Eigen::Matrix<double, 6, 6>, kAnswerRows> spread_ = zeros();
  static std::array<Eigen::Matrix<double, 6, 6>, kAnswerRows> zeros() {
    std::array<Eigen::Matrix<double, 6, 6>, kAnswerRows> all;
    all.fill(Eigen::Matrix<double, 6, 6>::Zero());
    return all;
  }
};

}  // namespace

void estimate(const ZerothOrder& estimator, const Shape& a, const Pose& X_WA, const Shape& b,
              const Pose& X_WB, const DistanceDerivativeOptions& options,
              DistanceDerivative& result) {
  const CounterRandom random(estimator.seed, 2);
  const bool reduced = estimator.variance_reduction;
  const AnswerVector baseline = reduced ? answer_vector(result.value)
                                        : AnswerVector(AnswerVector::Zero());
  const auto sample = [&](const Vector6& z) -> RelativeJacobian {
    const Pose X = moved(X_WB, estimator.scale * z);
    const AnswerVector answer = answer_vector(
        answer_at(a, X_WA, b, X, result.value, options.query));
    return (answer - baseline) * (z.transpose() / estimator.scale);
  };
  RowStatistics statistics;
  for (int j = 0; j < estimator.samples; ++j) {
    check_interrupt();
    const Vector6 z = gaussian_motion(random, static_cast<std::uint64_t>(reduced ? j / 2 : j));
    RelativeJacobian g = sample(z);
    if (reduced && j + 1 < estimator.samples) {
      g = 0.5 * (g + sample(-z));
      ++j;
    }
    statistics.add(g);
  }
  fill_jacobians(X_WA, X_WB, result.value, statistics.mean(), options.frame, result);
  if (statistics.count() > 1.0)
    fill_standard_errors(X_WA, X_WB, statistics.covariance_of_mean(), options.frame,
                         result.standard_error.emplace());
}

}  // namespace tactum
