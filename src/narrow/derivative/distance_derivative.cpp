// SPDX-License-Identifier: BSD-2-Clause
// The derivative of a distance query: the witness pair, the features around it, one 2 x 2 system;
// or one of the estimators.
#include "tactum/distance_derivative.hpp"

#include "narrow/derivative/derivative_options.hpp"
#include "narrow/derivative/finite_difference_estimator.hpp"
#include "narrow/derivative/gaussian_estimator.hpp"
#include "narrow/derivative/gumbel_estimator.hpp"
#include "narrow/derivative/witness_pair.hpp"
#include "narrow/derivative/zeroth_order_estimator.hpp"

namespace tactum {
DistanceDerivative distance_derivative(const Shape& a, const Pose& X_WA, const Shape& b,
                                       const Pose& X_WB, const DistanceDerivativeOptions& options) {
  check_derivative_options(options);
  for (const Shape* shape : {&a, &b}) check_estimator_takes(options.estimator, *shape);
  DistanceDerivative result;
  result.value = options.value != nullptr ? *options.value
                                          : distance(a, X_WA, b, X_WB, options.query);
  result.estimator = options.estimator;
  WitnessPair pair = make_witness_pair(
      a, X_WA, b, X_WB, result.value,
      options.value != nullptr ? ValueOrigin::given : ValueOrigin::computed);
  const MotionResponse response = response_of(pair.a.feature, pair.b.feature, pair.distance,
                                              pair.scale);
  result.smooth = pair.smooth && response.unique;
  if (std::holds_alternative<Exact>(options.estimator)) {
    fill_jacobians(pair, response, options.frame, result);
  } else if (const auto* gaussian = std::get_if<Gaussian>(&options.estimator)) {
    estimate(*gaussian, a, b, pair, options.frame, result);
  } else if (const auto* gumbel = std::get_if<Gumbel>(&options.estimator)) {
    estimate(*gumbel, a, b, pair, options.frame, result);
  } else if (const auto* differences = std::get_if<FiniteDifference>(&options.estimator)) {
    estimate(*differences, a, X_WA, b, X_WB, options, result);
  } else {
    estimate(std::get<ZerothOrder>(options.estimator), a, X_WA, b, X_WB, options, result);
  }
  return result;
}

RowVector12 distance_jacobian(const Pose& X_WA, const Pose& X_WB, const Distance& value,
                              TangentFrame frame) {
  const Double3 n = to_double3(value.normal);
  RowVector12 result;
  const auto write = [&](double* to, const Pose& pose, Double3 point, double sign) {
    // rotations keep the origin of the world, or that of the shape, fixed
    const Double3 arm = frame == TangentFrame::world ? point : point - to_double3(pose.translation);
    for (int i = 0; i < 3; ++i) {
      const Double3 axis = frame == TangentFrame::local ? to_double3(pose.rotation.col(i))
                                                        : to_double3(Vector3::Unit(i));
      to[i] = sign * dot(n, axis);
      to[3 + i] = sign * dot(n, cross(axis, arm));
    }
  };
  write(result.data(), X_WA, to_double3(value.point_a), -1.0);
  write(result.data() + 6, X_WB, to_double3(value.point_b), 1.0);
  return result;
}

}  // namespace tactum
