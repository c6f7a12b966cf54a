// SPDX-License-Identifier: BSD-2-Clause
// Lower bounds of support functions against the function, direction by direction.
#include "shape/support/support_minorant.hpp"

#include <gtest/gtest.h>

#include "narrow/narrow_fixtures.hpp"

namespace tactum::support_minorant_test {
namespace {

using namespace tactum::testing;

TEST(SupportMinorant, IsBelowTheSupportFunctionOnItsCell) {
  Random random(22);
  for (int k = 0; k < 600; ++k) {
    const Vector3 sizes = random_sizes(random);
    const int sort = k % 4;
    const Shape shape = sort == 0   ? Shape(Cylinder{.radius = sizes.x(), .half_length = sizes.y()})
                        : sort == 1 ? Shape(Cone{.radius = sizes.x(), .half_length = sizes.y()})
                        : sort == 2
                            ? Shape(Ellipsoid{.semi_axes = {sizes.x(), sizes.x(), sizes.z()}})
                            : Shape(Box{.half_extents = sizes});
    const CoreShape& core = shape.core();
    const int axis = minorant_axis(core);
    EXPECT_EQ(axis, sort == 3 ? -1 : 2);
    const double width = random.log_uniform(1e-6, 1.0);
    const double low = random.uniform(-1.0, 1.0 - width), high = low + width;
    const auto direction = [&] {
      const double s = random.chance(0.2) ? (random.chance(0.5) ? low : high)
                                          : random.uniform(low, high);
      const double angle = random.uniform(0.0, 6.28), r = std::sqrt(std::max(0.0, 1.0 - s * s));
      return Vector3(r * std::cos(angle), r * std::sin(angle), s);
    };
    int visited = 0;
    const CorePoint point = core_support(core, Vector3(direction().normalized()), visited);
    const SupportMinorant minorant = support_minorant(core, point, low, high);
    for (int i = 0; i < 40; ++i) {
      const Vector3 u = direction();
      const double height = u.dot(core_support(core, Vector3(u.normalized()), visited).point);
      EXPECT_LE(minorant.constant + minorant.linear.dot(u), height + 4.0 * kEps)
          << k << " " << shape.to_string();
    }
  }
}

/// Along circles about the axis the bound of a narrow cell loses next to nothing.
TEST(SupportMinorant, IsTightOnNarrowCells) {
  const Shape shape = Cylinder{.radius = 0.4, .half_length = 0.7};
  int visited = 0;
  const double s = 0.3, width = 1e-4, r = std::sqrt(1.0 - s * s);
  const CorePoint point = core_support(shape.core(), Vector3(r, 0.0, s), visited);
  const SupportMinorant minorant = support_minorant(shape.core(), point, s - width, s + width);
  for (const double angle : {0.0, 1.0, 3.0}) {
    const Vector3 u(r * std::cos(angle), r * std::sin(angle), s);
    EXPECT_NEAR(minorant.constant + minorant.linear.dot(u), 0.4 * r + 0.7 * s, 1e-8);
  }
}

}  // namespace
}  // namespace tactum::support_minorant_test
