// SPDX-License-Identifier: BSD-2-Clause
// The ball about the origin that holds a geometry, against support points of its parts.
#include "geometry/reach.hpp"

#include <gtest/gtest.h>

#include "scene/scene_fixtures.hpp"

namespace tactum::reach_test {
namespace {

using namespace tactum::testing;

TEST(Reach, HoldsEveryPart) {
  Random random(29);
  for (int k = 0; k < 100; ++k) {
    const Compound compound = random_compound(random, 1 + random.below(6));
    const double reach = reach_of(Geometry(compound));
    for (int i = 0; i < 40; ++i) {
      const Vector3 u = random.direction();
      for (const CompoundPart& part : compound.parts()) {
        if (part.shape.kind() == ShapeKind::half_space) continue;
        const Vector3 point = part.X_CP * part.shape.support(part.X_CP.rotation.transpose() * u);
        EXPECT_LE(point.norm(), reach * (1.0 + 1e-14)) << k;
      }
    }
    EXPECT_GE(support_error_of(Geometry(compound)), 0.0);
  }
}

TEST(Reach, OfSingleShapes) {
  EXPECT_NEAR(reach_of(Geometry(Shape(Sphere{.radius = 0.5, .margin = 0.1}))), 0.6, 1e-15);
  EXPECT_EQ(reach_of(Geometry(Shape(HalfSpace{.offset = -2.0}))), 2.0);
  EXPECT_EQ(support_error_of(Geometry(Shape(Sphere{.radius = 0.5}))), 0.0);
}

}  // namespace
}  // namespace tactum::reach_test
