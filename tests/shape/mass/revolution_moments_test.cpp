// SPDX-License-Identifier: BSD-2-Clause
// Against closed forms and Steiner's polynomial.
#include "shape/mass/revolution_moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace tactum::revolution_moments_test {
namespace {

constexpr double kPi = std::numbers::pi;

void expect_relative(double value, double expected) { EXPECT_NEAR(value / expected, 1.0, 1e-14); }

TEST(RevolutionMoments, Ball) {
  const double r = 1.7;
  const Moments m = capsule_moments(r, 0.0);
  expect_relative(m.volume, 4.0 / 3.0 * kPi * std::pow(r, 3));
  for (int i = 0; i < 3; ++i) expect_relative(m.second(i, i), 4.0 / 15.0 * kPi * std::pow(r, 5));
  EXPECT_LT(m.first.norm(), 1e-14);
}

TEST(RevolutionMoments, PointAndNeedleHaveNoVolume) {
  EXPECT_EQ(capsule_moments(0.0, 0.0).volume, 0.0);
  EXPECT_EQ(capsule_moments(0.0, 1.0).volume, 0.0);
}

TEST(RevolutionMoments, Capsule) {
  const double r = 0.4;
  const double h = 1.3;
  const Moments m = capsule_moments(r, h);
  const double cylinder = 2.0 * kPi * r * r * h;
  const double ball = 4.0 / 3.0 * kPi * r * r * r;
  expect_relative(m.volume, cylinder + ball);
  expect_relative(m.second(0, 0), cylinder * r * r / 4.0 + ball * r * r / 5.0);
  // half balls have their centers at 3/8 r beyond the ends
  const double central = r * r / 5.0 - std::pow(3.0 / 8.0 * r, 2);
  expect_relative(m.second(2, 2),
                  cylinder * h * h / 3.0 + ball * (central + std::pow(h + 3.0 / 8.0 * r, 2)));
}

TEST(RevolutionMoments, Cylinder) {
  const double r = 0.4;
  const double h = 1.3;
  const Moments m = cylinder_moments(r, h, 0.0);
  expect_relative(m.volume, 2.0 * kPi * r * r * h);
  expect_relative(m.second(0, 0), m.volume * r * r / 4.0);
  expect_relative(m.second(2, 2), m.volume * h * h / 3.0);
}

TEST(RevolutionMoments, RoundedCylinderByPappus) {
  const double R = 0.8;
  const double h = 0.5;
  const double r = 0.3;
  const Moments m = cylinder_moments(R, h, r);
  // rim: a half disc of radius r whose centroid is 4 r / (3 pi) beyond R
  const double rim = 2.0 * kPi * (R + 4.0 * r / (3.0 * kPi)) * 0.5 * kPi * r * r;
  expect_relative(m.volume, 2.0 * h * kPi * std::pow(R + r, 2) + 2.0 * r * kPi * R * R + rim);
}

TEST(RevolutionMoments, CylinderRoundedFromNearlyNothingIsACapsule) {
  const Moments m = cylinder_moments(1e-30, 0.7, 0.2);
  const Moments capsule = capsule_moments(0.2, 0.7);
  expect_relative(m.volume, capsule.volume);
  expect_relative(m.second(0, 0), capsule.second(0, 0));
  expect_relative(m.second(2, 2), capsule.second(2, 2));
}

TEST(RevolutionMoments, Cone) {
  const double R = 0.8;
  const double h = 0.5;
  const double height = 2.0 * h;
  const Moments m = cone_moments(R, h, 0.0);
  expect_relative(m.volume, kPi * R * R * height / 3.0);
  const double center = -h + height / 4.0;
  expect_relative(m.first.z(), m.volume * center);
  expect_relative(m.second(0, 0), 3.0 / 20.0 * m.volume * R * R);
  expect_relative(m.second(2, 2), m.volume * (3.0 / 80.0 * height * height + center * center));
}

TEST(RevolutionMoments, RoundedConeBySteiner) {
  const double R = 0.8;
  const double h = 0.5;
  const double side = std::hypot(R, 2.0 * h);
  const double slope = std::atan2(R, 2.0 * h);
  const double area = kPi * R * R + kPi * R * side;
  const double mean_curvature = 2.0 * kPi * h + kPi * R * (0.5 * kPi + slope);
  for (const double r : {1e-3, 0.1, 3.0, 1e3}) {
    const double expected = cone_moments(R, h, 0.0).volume + area * r + mean_curvature * r * r +
                            4.0 / 3.0 * kPi * r * r * r;
    expect_relative(cone_moments(R, h, r).volume, expected);
  }
}

TEST(RevolutionMoments, RoundedConeAgreesWithStackedDiscs) {
  const double R = 0.8;
  const double h = 0.5;
  const double r = 0.25;
  // half width of the grown meridian at height z, from distances to its corners and its side
  const auto width = [&](double z) {
    double f = 0.0;
    if (std::abs(z + h) <= r) f = std::max(f, R + std::sqrt(r * r - (z + h) * (z + h)));
    if (std::abs(z - h) <= r) f = std::max(f, std::sqrt(r * r - (z - h) * (z - h)));
    const double side = std::hypot(R, 2.0 * h);
    // the point of the side whose normal offset lands at z
    const double along = (z - (-h + r * R / side)) / (2.0 * h);
    if (along >= 0.0 && along <= 1.0) f = std::max(f, R * (1.0 - along) + r * 2.0 * h / side);
    return f;
  };
  Moments sum;
  const int steps = 2000000;
  for (int i = 0; i < steps; ++i) {
    const double z = -h - r + 2.0 * (h + r) * (i + 0.5) / steps;
    const double f = width(z);
    const double slice = kPi * f * f * 2.0 * (h + r) / steps;
    sum.volume += slice;
    sum.first.z() += slice * z;
    sum.second(0, 0) += slice * f * f / 4.0;
    sum.second(2, 2) += slice * z * z;
  }
  const Moments m = cone_moments(R, h, r);
  EXPECT_NEAR(m.volume / sum.volume, 1.0, 1e-8);
  EXPECT_NEAR(m.first.z() / sum.first.z(), 1.0, 1e-8);
  EXPECT_NEAR(m.second(0, 0) / sum.second(0, 0), 1.0, 1e-8);
  EXPECT_NEAR(m.second(2, 2) / sum.second(2, 2), 1.0, 1e-8);
}

}  // namespace
}  // namespace tactum::revolution_moments_test
