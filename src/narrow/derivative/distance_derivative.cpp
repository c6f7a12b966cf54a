// SPDX-License-Identifier: BSD-2-Clause
// The derivative of a distance query: the witness pair, the features around it, one 2 x 2 system;
// or one of the estimators.
#include "tactum/distance_derivative.hpp"

#include "core/format_number.hpp"
#include "narrow/derivative/finite_difference_estimator.hpp"
#include "narrow/derivative/gaussian_estimator.hpp"
#include "narrow/derivative/gumbel_estimator.hpp"
#include "narrow/derivative/witness_pair.hpp"
#include "narrow/derivative/zeroth_order_estimator.hpp"

namespace tactum {
namespace {

constexpr int kMaxSamples = 1000000;
constexpr int kMaxRings = 1000;

void check_positive(double value, const char* field, const char* unit) {
  if (std::isfinite(value) && value >= 1e-12 && value <= 1e12) return;
  throw InvalidInput(field, exact_text(value),
                     std::string("give a number from 1e-12 to 1e12, in ") + unit);
}

void check_count(int value, int largest, const char* field) {
  if (value >= 1 && value <= largest) return;
  throw InvalidInput(field, std::to_string(value),
                     "give a whole number from 1 to " + std::to_string(largest));
}

void check(const Exact&, const Shape&, const Shape&) {}

void check(const FiniteDifference& estimator, const Shape&, const Shape&) {
  check_positive(estimator.step, "FiniteDifference.step", "m and rad");
}

void check(const ZerothOrder& estimator, const Shape&, const Shape&) {
  check_count(estimator.samples, kMaxSamples, "ZerothOrder.samples");
  check_positive(estimator.scale, "ZerothOrder.scale", "m and rad");
}

void check(const Gaussian& estimator, const Shape&, const Shape&) {
  check_count(estimator.samples, kMaxSamples, "Gaussian.samples");
  check_positive(estimator.scale, "Gaussian.scale", "rad, or m relative to the separation");
}

void check(const Gumbel& estimator, const Shape& a, const Shape& b) {
  check_count(estimator.rings, kMaxRings, "Gumbel.rings");
  if (estimator.temperature)
    check_positive(*estimator.temperature, "Gumbel.temperature",
                   "m, or m^2 relative to the separation");
  for (const Shape* shape : {&a, &b}) {
    if (has_vertices(*shape) || shape->kind() == ShapeKind::half_space) continue;
    throw InvalidInput("Gumbel.rings", std::string(to_string(shape->kind())),
                       "a shape without vertices has no rings of neighbors: use Exact or "
                       "Gaussian, or a Convex of its points");
  }
}

/// Checks the options; throws InvalidInput that names the field.
void check_options_of(const Shape& a, const Shape& b, const DistanceDerivativeOptions& options) {
  const TangentFrame frame = options.frame;
  if (frame != TangentFrame::local && frame != TangentFrame::world &&
      frame != TangentFrame::local_world_aligned)
    throw InvalidInput("frame", std::to_string(static_cast<int>(frame)),
                       "give local, world or local_world_aligned");
  std::visit([&](const auto& estimator) { check(estimator, a, b); }, options.estimator);
}

}  // namespace

DistanceDerivative distance_derivative(const Shape& a, const Pose& X_WA, const Shape& b,
                                       const Pose& X_WB, const DistanceDerivativeOptions& options) {
  check_options_of(a, b, options);
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
