// SPDX-License-Identifier: BSD-2-Clause
// The sampled derivative against means in closed form, and its standard error against the spread
// over seeds.
#include "narrow/derivative/zeroth_order_estimator.hpp"

#include "narrow/derivative_fixtures.hpp"

namespace tactum::zeroth_order_estimator_test {
namespace {

using namespace tactum::testing;

/// For a point and a half-space d = z, so every smoothed derivative is that of z whatever the
/// scale, and the sampled mean must be unbiased.
TEST(ZerothOrderEstimator, UnbiasedOnALinearAnswer) {
  const PosedPair pair{HalfSpace{}, Sphere{.radius = 0.1}, at(0, 0, 0), at(0.3, 0.2, 0.5)};
  for (const bool reduced : {true, false}) {
    Vector3 sum = Vector3::Zero(), squares = Vector3::Zero(), stated = Vector3::Zero();
    const int seeds = 300;
    for (int seed = 0; seed < seeds; ++seed) {
      const DistanceDerivative d = pair.derivative(
          {.estimator = ZerothOrder{.samples = 20,
                                    .scale = 0.05,
                                    .seed = static_cast<std::uint64_t>(seed),
                                    .variance_reduction = reduced},
           .frame = TangentFrame::local_world_aligned});
      const Vector3 column = d.distance_jacobian.segment<3>(6);
      sum += column, squares += column.cwiseAbs2();
      ASSERT_TRUE(d.standard_error.has_value());
      stated += d.standard_error->distance_jacobian.segment<3>(6).transpose().cwiseAbs2();
    }
    const Vector3 mean = sum / seeds, variance = squares / seeds - mean.cwiseAbs2();
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(mean[i], i == 2 ? 1.0 : 0.0, 4.0 * std::sqrt(variance[i] / seeds))
          << i << reduced;
      // the mean of the stated variances is the variance over seeds
      EXPECT_NEAR(stated[i] / seeds, variance[i], 0.35 * variance[i]) << i << reduced;
    }
  }
}

TEST(ZerothOrderEstimator, TendsToTheExactDerivative) {
  const PosedPair pair{Ellipsoid{.semi_axes = {0.3, 0.2, 0.1}}, Sphere{.radius = 0.2}, at(0, 0, 0),
                       turned({1, 2, 1}, 0.5, {0.5, 0.4, 0.3})};
  const DistanceDerivative exact = pair.derivative();
  const DistanceDerivative d = pair.derivative(
      {.estimator = ZerothOrder{.samples = 4000, .scale = 1e-3, .seed = 3}});
  for (int i = 0; i < 12; ++i) {
    const Vector3 error = (d.normal_jacobian - exact.normal_jacobian).col(i).cwiseAbs();
    const Vector3 stated = d.standard_error->normal_jacobian.col(i);
    for (int row = 0; row < 3; ++row) EXPECT_LE(error[row], 4.5 * stated[row] + 1e-4) << i;
  }
}

TEST(ZerothOrderEstimator, VarianceReductionPays) {
  const PosedPair pair{Ellipsoid{.semi_axes = {0.3, 0.2, 0.1}},
                       Box{.half_extents = {0.1, 0.2, 0.3}}, at(0, 0, 0),
                       turned({1, 2, 1}, 0.5, {0.7, 0.4, 0.3})};
  const auto error = [&](bool reduced) {
    return pair.derivative({.estimator = ZerothOrder{.variance_reduction = reduced}})
        .standard_error->point_b_jacobian.norm();
  };
  EXPECT_LT(10.0 * error(true), error(false));
}

TEST(ZerothOrderEstimator, SameSeedSameBitsAndBadInput) {
  Random random(681);
  const PosedPair pair{random_hull(random, 12), random_hull(random, 12), random_pose(random, 0.3),
                       random_pose(random, 1.0)};
  const auto with = [&](const ZerothOrder& estimator) {
    return pair.derivative({.estimator = estimator});
  };
  EXPECT_EQ(difference(with({.seed = 5}), with({.seed = 5})), 0.0);
  EXPECT_GT(difference(with({.seed = 5}), with({.seed = 6})), 0.0);
  EXPECT_FALSE(with({.samples = 1}).standard_error.has_value());
  EXPECT_EQ(rejected_field([&] { with({.samples = 0}); }), "ZerothOrder.samples");
  EXPECT_EQ(rejected_field([&] { with({.scale = -1.0}); }), "ZerothOrder.scale");
}

}  // namespace
}  // namespace tactum::zeroth_order_estimator_test
