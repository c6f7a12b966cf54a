// SPDX-License-Identifier: BSD-2-Clause
// Against the divergence theorem on a dense product grid over the sphere, and closed forms.
#include "shape/ellipsoid_moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "shape/revolution_moments.hpp"

namespace tactum {
namespace {

constexpr double pi = std::numbers::pi;

/// int div F over the grown body, with its boundary x = p + r n over p = (a_i v_i), v on the unit sphere. The grown surface's area
/// element comes from the cross product of its tangents. Midpoints in the polar angle stretched towards both poles and the equator
/// would bias nothing: the rule is spectral in longitude and, after z = sin(pi/2 sin t), of high order in latitude.
Moments by_divergence(const Vector3& a, double r, int rows) {
  Moments sum;
  const auto boundary = [&](double t, double angle) {
    const double latitude = 0.5 * pi * std::sin(t);
    const Vector3 v(std::cos(latitude) * std::cos(angle), std::cos(latitude) * std::sin(angle), std::sin(latitude));
    const Vector3 n = v.cwiseQuotient(a).normalized();
    return std::pair(Vector3(a.cwiseProduct(v) + r * n), n);
  };
  const int columns = 2 * rows;
  for (int i = 0; i < rows; ++i) {
    const double t = pi * ((i + 0.5) / rows - 0.5);
    for (int j = 0; j < columns; ++j) {
      const double angle = 2.0 * pi * j / columns;
      const auto [x, n] = boundary(t, angle);
      // area element of the core: d p = diag(a) dv; the grown one scales by (1 + r k1)(1 + r k2)
      const double latitude = 0.5 * pi * std::sin(t);
      const double dv = std::cos(latitude) * 0.5 * pi * std::cos(t) * (pi / rows) * (2.0 * pi / columns);
      const Vector3 v(std::cos(latitude) * std::cos(angle), std::cos(latitude) * std::sin(angle), std::sin(latitude));
      const Vector3 gradient = v.cwiseQuotient(a);
      const double g = gradient.norm();
      const double dA = a.prod() * g * dv;
      const Vector3 inverse_squares = a.cwiseAbs2().cwiseInverse();
      const double trace = (inverse_squares.sum() - n.dot(inverse_squares.cwiseProduct(n))) / g;  // k1 + k2
      const double gauss = 1.0 / std::pow(a.prod() * g * g, 2);                                      // k1 k2
      const double area = dA * (1.0 + r * trace + r * r * gauss);
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
  EXPECT_NEAR(m.volume, 8.0 * pi, 1e-13);
  EXPECT_NEAR(m.second(0, 0), 8.0 * pi / 5.0, 1e-13);
  EXPECT_NEAR(m.second(2, 2), 8.0 * pi / 5.0 * 9.0, 1e-12);
}

TEST(EllipsoidMoments, BallGrowsToABall) {
  for (const double r : {1e-6, 0.3, 1e4}) expect_close(ellipsoid_moments({2, 2, 2}, r), capsule_moments(2.0 + r, 0.0), 1e-14);
}

TEST(EllipsoidMoments, TriaxialAgainstTheDivergenceTheorem) {
  for (const double r : {0.01, 0.5, 5.0}) {
    expect_close(ellipsoid_moments({1.0, 0.6, 0.4}, r), by_divergence({1.0, 0.6, 0.4}, r, 240), 1e-12);
    expect_close(ellipsoid_moments({0.3, 1.1, 0.7}, r), by_divergence({0.3, 1.1, 0.7}, r, 240), 1e-12);
  }
}

TEST(EllipsoidMoments, AspectRatioHundred) {
  for (const double r : {1e-3, 0.05, 1.0}) {
    expect_close(ellipsoid_moments({0.01, 0.05, 1.0}, r), by_divergence({0.01, 0.05, 1.0}, r, 1500), 1e-10);
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
}  // namespace tactum
