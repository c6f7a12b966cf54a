// SPDX-License-Identifier: BSD-2-Clause
// Circumcircles by the distances of their centers, roots by their squares, in both precisions.
#include "shape/stp/wide_numbers.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace tactum::wide_numbers_test {
namespace {

using testing::Random;

template <class Real>
RealVector<Real> random_point(Random& random, double flatness) {
  const auto p = random.in_box(1.0);
  return {Real(p.x()), Real(p.y()), Real(flatness * p.z())};
}

template <class Real>
void expect_equidistant_centers() {
  Random random(1);
  for (int k = 0; k < 300; ++k) {
    const double flatness = random.log_uniform(1e-8, 1.0);
    const RealVector<Real> a = random_point<Real>(random, flatness),
                           b = random_point<Real>(random, flatness),
                           c = random_point<Real>(random, flatness);
    const Circumcircle<Real> circle = circumcircle(a, b, c);
    ASSERT_GT(circle.squared_radius, 0);
    const double radius = std::sqrt(static_cast<double>(circle.squared_radius));
    const double slack = 16.0 * circle.rounding * (radius + 1.0);
    for (const RealVector<Real>& corner : {a, b, c}) {
      const RealVector<Real> to_corner = circle.center - (corner - a);
      EXPECT_NEAR(static_cast<double>(to_corner.squared_norm() - circle.squared_radius), 0.0,
                  slack * (radius + 1.0));
      EXPECT_NEAR(static_cast<double>(dot(to_corner, circle.normal)), 0.0, slack);
    }
    EXPECT_NEAR(static_cast<double>(circle.normal.squared_norm() - 1), 0.0,
                8.0 * kUnitRoundoff<Real>);
  }
}

TEST(WideNumbers, CentersAreEquallyFarFromTheCorners) {
  expect_equidistant_centers<Wide>();
  expect_equidistant_centers<Quad>();
}

TEST(WideNumbers, PointsOnALineHaveNoCircle) {
  const RealVector<Wide> a{0, 0, 0}, b{1, 2, 3}, c{2, 4, 6};
  EXPECT_LT(circumcircle(a, b, c).squared_radius, 0);
}

TEST(WideNumbers, RootsHaveTheDigitsOfTheirType) {
  const Quad root = square_root(Quad(2));
  EXPECT_LT(std::abs(static_cast<double>(root * root - 2)), 8.0 * kUnitRoundoff<Quad>);
  EXPECT_EQ(static_cast<double>(square_root(Quad(0))), 0.0);
}

}  // namespace
}  // namespace tactum::wide_numbers_test
