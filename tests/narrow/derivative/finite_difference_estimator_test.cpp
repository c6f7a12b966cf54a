// SPDX-License-Identifier: BSD-2-Clause
// Finite differences against the exact derivative, where they are good and where they cannot be.
#include "narrow/derivative/finite_difference_estimator.hpp"

#include "narrow/derivative_fixtures.hpp"

namespace tactum::finite_difference_estimator_test {
namespace {

using namespace tactum::testing;

TEST(FiniteDifferenceEstimator, AgreesWithTheExactDerivative) {
  Random random(671);
  for (int i = 0; i < 20; ++i) {
    const PosedPair pair{random_shape_of(ShapeKind::ellipsoid, random),
                         random_shape_of(ShapeKind::sphere, random), random_pose(random, 0.5),
                         random_pose(random, 1.0)};
    for (const TangentFrame frame :
         {TangentFrame::local, TangentFrame::world, TangentFrame::local_world_aligned}) {
      const DistanceDerivative exact = pair.derivative({.frame = frame});
      const DistanceDerivative estimate = pair.derivative(
          {.estimator = FiniteDifference{.step = 1e-5}, .frame = frame});
      EXPECT_LE(difference(exact, estimate), 1e-6 * std::pow(size_of(exact), 3.0));
      EXPECT_TRUE(estimate.smooth);
      EXPECT_FALSE(estimate.standard_error.has_value());
    }
  }
}

/// A step longer than the features gives their mean: the secant between the two answers.
TEST(FiniteDifferenceEstimator, TakesTheStepItIsGiven) {
  const PosedPair pair{Box{.half_extents = {0.1, 0.1, 0.1}}, Sphere{.radius = 0.1}, at(0, 0, 0),
                       at(0.1, 0.0, 0.5)};
  const double step = 0.05;
  const DistanceDerivative estimate = pair.derivative(
      {.estimator = FiniteDifference{.step = step}, .frame = TangentFrame::local_world_aligned});
  // moved by +step along x the center leaves the face by that much, at a height of 0.4 above it
  const double ahead = std::hypot(step, 0.4) - 0.1, behind = 0.3;
  EXPECT_NEAR(estimate.distance_jacobian[6], (ahead - behind) / (2.0 * step), 1e-12);
  EXPECT_FALSE(estimate.smooth);  // the ball is above an edge
}

TEST(FiniteDifferenceEstimator, RefusesABadStep) {
  const PosedPair pair{Sphere{.radius = 0.1}, Sphere{.radius = 0.1}, at(0, 0, 0), at(1, 0, 0)};
  for (const double step : {0.0, -1e-6, kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(
        rejected_field([&] { pair.derivative({.estimator = FiniteDifference{.step = step}}); }),
        "FiniteDifference.step");
  }
  EXPECT_EQ(rejected_field([&] { pair.derivative({.frame = static_cast<TangentFrame>(7)}); }),
            "frame");
}

}  // namespace
}  // namespace tactum::finite_difference_estimator_test
