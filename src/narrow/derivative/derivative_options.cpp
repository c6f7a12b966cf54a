// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/derivative/derivative_options.hpp"

#include <cmath>
#include <string>
#include <variant>

#include "core/format_number.hpp"
#include "narrow/derivative/gumbel_estimator.hpp"

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

void check(const Exact&) {}

void check(const FiniteDifference& estimator) {
  check_positive(estimator.step, "FiniteDifference.step", "m and rad");
}

void check(const ZerothOrder& estimator) {
  check_count(estimator.samples, kMaxSamples, "ZerothOrder.samples");
  check_positive(estimator.scale, "ZerothOrder.scale", "m and rad");
}

void check(const Gaussian& estimator) {
  check_count(estimator.samples, kMaxSamples, "Gaussian.samples");
  check_positive(estimator.scale, "Gaussian.scale", "rad, or m relative to the separation");
}

void check(const Gumbel& estimator) {
  check_count(estimator.rings, kMaxRings, "Gumbel.rings");
  if (estimator.temperature)
    check_positive(*estimator.temperature, "Gumbel.temperature",
                   "m, or m^2 relative to the separation");
}

}  // namespace

void check_derivative_options(const DistanceDerivativeOptions& options) {
  const TangentFrame frame = options.frame;
  if (frame != TangentFrame::local && frame != TangentFrame::world &&
      frame != TangentFrame::local_world_aligned)
    throw InvalidInput("frame", std::to_string(static_cast<int>(frame)),
                       "give local, world or local_world_aligned");
  std::visit([&](const auto& estimator) { check(estimator); }, options.estimator);
}

void check_estimator_takes(const Estimator& estimator, const Shape& shape) {
  if (!std::holds_alternative<Gumbel>(estimator) || has_vertices(shape) ||
      shape.kind() == ShapeKind::half_space)
    return;
  throw InvalidInput("Gumbel.rings", std::string(to_string(shape.kind())),
                     "a shape without vertices has no rings of neighbors: use Exact or "
                     "Gaussian, or a Convex of its points");
}

}  // namespace tactum
