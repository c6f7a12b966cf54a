// SPDX-License-Identifier: BSD-2-Clause
// Bad options of derivatives are named, by the checks alone and by the queries that use them.
#include "narrow/derivative/derivative_options.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tactum::derivative_options_test {
namespace {

/// The field that the check names, or nothing.
std::string wrong_field(const DistanceDerivativeOptions& options) {
  try {
    check_derivative_options(options);
  } catch (const InvalidInput& error) {
    return error.field();
  }
  return "";
}

TEST(DerivativeOptions, NumbersInRangePass) {
  for (const Estimator& estimator :
       {Estimator(Exact{}), Estimator(FiniteDifference{.step = 1e-12}),
        Estimator(ZerothOrder{.samples = 1}), Estimator(Gaussian{.samples = 1000000}),
        Estimator(Gumbel{.rings = 1000, .temperature = 1e12})})
    EXPECT_EQ(wrong_field({.estimator = estimator}), "");
}

TEST(DerivativeOptions, NumbersOutOfRangeAreNamed) {
  EXPECT_EQ(wrong_field({.frame = static_cast<TangentFrame>(9)}), "frame");
  EXPECT_EQ(wrong_field({.estimator = FiniteDifference{.step = 0.0}}), "FiniteDifference.step");
  EXPECT_EQ(wrong_field({.estimator = ZerothOrder{.samples = 0}}), "ZerothOrder.samples");
  EXPECT_EQ(
      wrong_field({.estimator = ZerothOrder{.scale = std::numeric_limits<double>::infinity()}}),
      "ZerothOrder.scale");
  EXPECT_EQ(wrong_field({.estimator = Gaussian{.samples = 1000001}}), "Gaussian.samples");
  EXPECT_EQ(wrong_field({.estimator = Gaussian{.scale = std::nan("")}}), "Gaussian.scale");
  EXPECT_EQ(wrong_field({.estimator = Gumbel{.rings = 0}}), "Gumbel.rings");
  EXPECT_EQ(wrong_field({.estimator = Gumbel{.temperature = 0.0}}), "Gumbel.temperature");
}

TEST(DerivativeOptions, GumbelTakesShapesWithVerticesAndHalfSpaces) {
  const Shape ball = Sphere{.radius = 0.1};
  EXPECT_NO_THROW(check_estimator_takes(Exact{}, ball));
  EXPECT_THROW(check_estimator_takes(Gumbel{}, ball), InvalidInput);
  EXPECT_THROW(check_estimator_takes(Gumbel{}, Shape(Cone{.radius = 0.1, .half_length = 0.2})),
               InvalidInput);
  EXPECT_NO_THROW(check_estimator_takes(Gumbel{}, Shape(Box{.half_extents = {0.1, 0.2, 0.3}})));
  EXPECT_NO_THROW(check_estimator_takes(Gumbel{}, Shape(HalfSpace{.normal = {0, 0, 1}})));
}

}  // namespace
}  // namespace tactum::derivative_options_test
