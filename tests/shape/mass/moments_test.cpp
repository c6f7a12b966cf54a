// SPDX-License-Identifier: BSD-2-Clause
// Moments of two parts add up.
#include "shape/mass/moments.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tactum::moments_test {
namespace {

/// A cuboid from lower to upper, by the integrals of polynomials.
Moments of_cuboid(const Vector3& lower, const Vector3& upper) {
  const auto power = [&](int axis, int degree) {
    return (std::pow(upper[axis], degree + 1) - std::pow(lower[axis], degree + 1)) / (degree + 1);
  };
  const auto integral = [&](const Eigen::Vector3i& degrees) {
    return power(0, degrees[0]) * power(1, degrees[1]) * power(2, degrees[2]);
  };
  Moments moments;
  moments.volume = integral(Eigen::Vector3i::Zero());
  for (int i = 0; i < 3; ++i) {
    moments.first[i] = integral(Eigen::Vector3i::Unit(i));
    for (int j = 0; j < 3; ++j)
      moments.second(i, j) = integral(Eigen::Vector3i::Unit(i) + Eigen::Vector3i::Unit(j));
  }
  return moments;
}

TEST(Moments, OfTwoHalvesAreThoseOfTheWhole) {
  const Vector3 lower(-1.0, 0.5, 0.0), middle(0.25, 2.0, 1.0), lower_right(0.25, 0.5, 0.0),
      upper(3.0, 2.0, 1.0);
  Moments sum = of_cuboid(lower, middle);
  sum += of_cuboid(lower_right, upper);
  const Moments whole = of_cuboid(lower, upper);
  EXPECT_NEAR(sum.volume, whole.volume, 1e-14);
  EXPECT_LE((sum.first - whole.first).norm(), 1e-14);
  EXPECT_LE((sum.second - whole.second).norm(), 2e-14);
}

}  // namespace
}  // namespace tactum::moments_test
