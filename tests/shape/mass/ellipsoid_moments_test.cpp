// SPDX-License-Identifier: BSD-2-Clause
// Against the divergence theorem on a dense product grid over the sphere, and closed forms.
#include "shape/mass/ellipsoid_moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "shape/mass/revolution_moments.hpp"

namespace tactum::ellipsoid_moments_test {
namespace {

constexpr double kPi = std::numbers::pi;

/// By the divergence theorem over the boundary x = p + r n of the grown body, p = (a_i v_i) with v
/// on the unit sphere: volume from x / 3, second moments from x_i^3 e_i / 3. Trapezoidal in
/// longitude, tanh-sinh in latitude: both converge exponentially.
Moments by_divergence(const Vector3& a, double r, int rows) {
  const Vector3 inverse_squares = a.cwiseAbs2().cwiseInverse();
  const double step = 6.0 / rows;
  const int columns = rows;
  Moments sum;
  for (int i = 0; i <= rows; ++i) {
    const double s = -3.0 + step * i;
    const double latitude = 0.5 * kPi * std::tanh(0.5 * kPi * std::sinh(s));
    const double d_latitude = 0.5 * kPi * 0.5 * kPi * std::cosh(s) /
                              std::pow(std::cosh(0.5 * kPi * std::sinh(s)), 2) * step;
    for (int j = 0; j < columns; ++j) {
      const double angle = 2.0 * kPi * j / columns;
      const Vector3 v(std::cos(latitude) * std::cos(angle), std::cos(latitude) * std::sin(angle),
                      std::sin(latitude));
      const Vector3 gradient = v.cwiseQuotient(a);
      const double g = gradient.norm();
      const Vector3 n = gradient / g;
      const Vector3 x = a.cwiseProduct(v) + r * n;
      // the area of the core times (1 + r k1)(1 + r k2), the curvatures from the second derivatives
      // of sum (x_i / a_i)^2
      const double sum_of_curvatures = (inverse_squares.sum() -
                                        n.dot(inverse_squares.cwiseProduct(n))) /
                                       g;
      const double product_of_curvatures = 1.0 / std::pow(a.prod() * g * g, 2);
      const double area = a.prod() * g * std::cos(latitude) * d_latitude * (2.0 * kPi / columns) *
                          (1.0 + r * sum_of_curvatures + r * r * product_of_curvatures);
      sum.volume += x.dot(n) / 3.0 * area;
      for (int k = 0; k < 3; ++k) sum.second(k, k) += x[k] * x[k] * x[k] * n[k] / 3.0 * area;
    }
  }
  return sum;
}

void expect_close(const Moments& m, const Moments& expected, double relative) {
  EXPECT_NEAR(m.volume / expected.volume, 1.0, relative);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(m.second(i, i) / expected.second(i, i), 1.0, relative);
}

TEST(EllipsoidMoments, WithoutMargin) {
  const Moments m = ellipsoid_moments({1, 2, 3}, 0.0);
  EXPECT_NEAR(m.volume, 8.0 * kPi, 1e-13);
  EXPECT_NEAR(m.second(0, 0), 8.0 * kPi / 5.0, 1e-13);
  EXPECT_NEAR(m.second(2, 2), 8.0 * kPi / 5.0 * 9.0, 1e-12);
}

TEST(EllipsoidMoments, BallGrowsToABall) {
  for (const double r : {1e-6, 0.3, 1e4})
    expect_close(ellipsoid_moments({2, 2, 2}, r), capsule_moments(2.0 + r, 0.0), 1e-14);
}

TEST(EllipsoidMoments, TriaxialAgainstTheDivergenceTheorem) {
  for (const double r : {0.01, 0.5, 5.0}) {
    expect_close(ellipsoid_moments({1.0, 0.6, 0.4}, r), by_divergence({1.0, 0.6, 0.4}, r, 240),
                 1e-12);
    expect_close(ellipsoid_moments({0.3, 1.1, 0.7}, r), by_divergence({0.3, 1.1, 0.7}, r, 240),
                 1e-12);
  }
}

TEST(EllipsoidMoments, AspectRatioHundred) {
  for (const double r : {1e-3, 0.05, 1.0}) {
    expect_close(ellipsoid_moments({0.01, 0.05, 1.0}, r), by_divergence({0.01, 0.05, 1.0}, r, 1500),
                 1e-10);
  }
}

TEST(EllipsoidMoments, ExtremeNeedlesAndPlatesGrowToCapsulesAndLozenges) {
  const double r = 0.3;
  // the needle's surface lies within its half axis 1e-7 of the segment's
  const Moments needle = ellipsoid_moments({1e-9, 1e-9, 1.0}, r);
  expect_close(needle, capsule_moments(r, 1.0), 1e-7);
  const Moments plate = ellipsoid_moments({1.0, 1.0, 1e-9}, r);
  expect_close(plate, cylinder_moments(1.0, 1e-12, r), 1e-7);
}

TEST(EllipsoidMoments, UnitsScaleByPowersOfThreeAndFive) {
  const Moments m = ellipsoid_moments({1.0, 0.6, 0.4}, 0.2);
  const Moments large = ellipsoid_moments({1e20, 0.6e20, 0.4e20}, 0.2e20);
  EXPECT_NEAR(large.volume / m.volume / 1e60, 1.0, 1e-13);
  EXPECT_NEAR(large.second(1, 1) / m.second(1, 1) / 1e100, 1.0, 1e-13);
}

}  // namespace
}  // namespace tactum::ellipsoid_moments_test
