// SPDX-License-Identifier: BSD-2-Clause
// Points of whole faces against support points along a direction tilted a little.
#include "shape/support/face_support.hpp"

#include <gtest/gtest.h>

#include "narrow/narrow_fixtures.hpp"

namespace tactum::face_support_test {
namespace {

using namespace tactum::testing;

/// Among the points farthest along u, the one farthest along t is where the support along u + eps t
/// goes for a small eps.
TEST(FaceSupport, IsWhereTiltedSupportsGo) {
  Random random(21);
  for (const ShapeKind kind : kBoundedKinds) {
    for (int k = 0; k < 60; ++k) {
      const Shape shape = random_shape_of(kind, random);
      const CoreShape& core = shape.core();
      Vector3 u = Vector3::Unit(random.below(3)) * random.sign();  // axes meet faces and edges
      if (core.kind == CoreShape::Kind::polytope && k % 2 == 0)
        u = core.polytope
                ->planes()[static_cast<std::size_t>(
                    random.below(static_cast<int>(core.polytope->planes().size())))]
                .normal;
      if (k % 5 == 0) u = random.direction();
      const Vector3 t = random.direction();
      const Vector3 found = face_support(core, u, t, 1e-12);
      int visited = 0;
      const double eps = 1e-7;
      const Vector3 tilted = core_support(core, Vector3((u + eps * t).normalized()), visited).point;
      SCOPED_TRACE(::testing::Message() << k << " " << shape.to_string() << " " << u.transpose());
      EXPECT_NEAR(u.dot(found), u.dot(core_support(core, u, visited).point), 2e-12);
      EXPECT_GE(t.dot(found), t.dot(tilted) - 1e-5);
    }
  }
}

TEST(FaceSupport, OfABoxIsACornerOfItsFace) {
  const Shape box = Box{.half_extents = {1.0, 2.0, 3.0}};
  const Vector3 found = face_support(box.core(), Vector3::UnitX(), {0.0, -1.0, 1.0}, 1e-12);
  EXPECT_EQ(found, Vector3(1.0, -2.0, 3.0));
}

}  // namespace
}  // namespace tactum::face_support_test
