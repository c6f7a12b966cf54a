// SPDX-License-Identifier: BSD-2-Clause
// Volumes of boxes, spheres and swept boxes against those of the shapes that they are.
#include <gtest/gtest.h>

#include <limits>

#include "tactum/bounding_volume.hpp"

namespace tactum::volume_test {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

TEST(Volume, IsThatOfTheShape) {
  const Vector3 half(0.1, 0.2, 0.3);
  EXPECT_NEAR(volume(Aabb{-half, half}), Shape(Box{.half_extents = half}).volume(), 1e-15);
  EXPECT_NEAR(volume(OrientedBox{{}, half}), Shape(Box{.half_extents = half}).volume(), 1e-15);
  EXPECT_NEAR(volume(BoundingSphere{{1, 2, 3}, 0.4}), Shape(Sphere{.radius = 0.4}).volume(), 1e-15);
  // Steiner's formula
  EXPECT_NEAR(volume(SweptBox{{}, half, 0.4}),
              Shape(Box{.half_extents = half, .margin = 0.4}).volume(), 1e-12);
}

TEST(Volume, OfWhatIsFlatOrInfinite) {
  const Vector3 low(0, -kInfinite, -kInfinite), high(0, kInfinite, kInfinite);
  EXPECT_EQ(volume(Aabb{low, high}), 0.0);
  EXPECT_EQ(volume(Aabb{low, Vector3(1, kInfinite, kInfinite)}), kInfinite);
  EXPECT_EQ(volume(SweptBox{{}, Vector3::Constant(kInfinite), 0.0}), kInfinite);
}

}  // namespace
}  // namespace tactum::volume_test
