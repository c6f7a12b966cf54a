// SPDX-License-Identifier: BSD-2-Clause
// Near triangles against the distance of every triangle.
#include "mesh/query/near_triangles.hpp"

#include <gtest/gtest.h>

#include <set>

#include "mesh/query/mesh_query_checks.hpp"
#include "support/random_shapes.hpp"

namespace tactum::near_triangles_test {
namespace {

using testing::Random;

TEST(NearTriangles, OfAShapeAreAllWithinTheDistance) {
  Random random(9);
  for (int i = 0; i < 100; ++i) {
    const Mesh mesh = testing::triangle_soup(random, 12, 1.0, 0.4).surface();
    const Shape shape = random.chance(0.2)
                            ? Shape(HalfSpace{.normal = random.direction(), .offset = 0.1})
                            : Shape(Box{.half_extents = {0.2, 0.3, 0.4}, .margin = 0.05});
    const Pose X = testing::pose_near(random, 1.0);
    std::set<std::int32_t> near;
    visit_near_shape(mesh, shape, X, 0.3, [&](std::int32_t t) { near.insert(t); });
    for (std::int32_t t = 0; t < 12; ++t) {
      const double apart = distance(triangle_shape(mesh, t), {}, shape, X).distance;
      if (apart <= 0.3) {
        ASSERT_TRUE(near.contains(t));
      }
      if (apart > 0.3 + 1e-9) {
        ASSERT_FALSE(near.contains(t));
      }
    }
  }
}

TEST(NearTriangles, OfAMeshAreAllWithinTheDistance) {
  Random random(10);
  for (int i = 0; i < 100; ++i) {
    const Mesh a = testing::triangle_soup(random, 8, 1.0, 0.4).surface(),
               b = testing::triangle_soup(random, 8, 1.0, 0.4).surface();
    const Pose X = testing::pose_near(random, 1.0);
    std::set<std::pair<std::int32_t, std::int32_t>> near;
    visit_near_mesh(a, b, X, 0.3, [&](std::int32_t s, std::int32_t t) { near.emplace(s, t); });
    for (std::int32_t s = 0; s < 8; ++s) {
      for (std::int32_t t = 0; t < 8; ++t) {
        const double apart = distance(triangle_shape(a, s), {}, triangle_shape(b, t), X).distance;
        if (apart <= 0.3) {
          ASSERT_TRUE(near.contains({s, t}));
        }
        if (apart > 0.3 + 1e-9) {
          ASSERT_FALSE(near.contains({s, t}));
        }
      }
    }
  }
}

}  // namespace
}  // namespace tactum::near_triangles_test
