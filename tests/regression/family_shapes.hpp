// SPDX-License-Identifier: BSD-2-Clause
// Shapes and points the degenerate families draw from.
#pragma once

#include "support/convex_body.hpp"
#include "support/random.hpp"
#include "tactum/shape.hpp"

namespace tactum::regression {

inline constexpr int kNumBoundedKinds = 7;

inline Points random_points(int count, double half, testing::Random& random) {
  Points points(3, count);
  for (int i = 0; i < count; ++i) points.col(i) = random.in_box(half);
  return points;
}

inline Points sphere_points(int count, double radius, testing::Random& random) {
  Points points(3, count);
  for (int i = 0; i < count; ++i) points.col(i) = radius * random.direction();
  return points;
}

/// One of the bounded kinds with sizes from 0.2 to 1, and the margin given.
inline Shape any_shape(int kind, testing::Random& random, double margin = 0.0) {
  const auto size = [&] { return random.uniform(0.2, 1.0); };
  switch (kind) {
    case 0: return Sphere{.radius = size(), .margin = margin};
    case 1: return Ellipsoid{.semi_axes = {size(), size(), size()}, .margin = margin};
    case 2: return Box{.half_extents = {size(), size(), size()}, .margin = margin};
    case 3: return Capsule{.radius = size(), .half_length = size(), .margin = margin};
    case 4: return Cylinder{.radius = size(), .half_length = size(), .margin = margin};
    case 5: return Cone{.radius = size(), .half_length = size(), .margin = margin};
    default: return Convex::from_points(sphere_points(14, size(), random), margin);
  }
}

/// How far down a placed shape reaches, in extended precision.
inline long double lowest(const Shape& shape, const Pose& X) {
  const testing::ConvexBody body(shape, X);
  return body.support(-testing::Vec3::UnitZ())[2] - body.radius;
}

}  // namespace tactum::regression
