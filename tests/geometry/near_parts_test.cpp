// SPDX-License-Identifier: BSD-2-Clause
// Near pairs of parts against the distances of all pairs.
#include "geometry/near_parts.hpp"

#include <gtest/gtest.h>

#include <set>

#include "geometry/geometry_fixtures.hpp"
#include "mesh/mesh_fixtures.hpp"

namespace tactum::near_parts_test {
namespace {

using testing::Random;

TEST(NearParts, AreAllWithinTheDistance) {
  Random random(81);
  int found = 0;
  for (int i = 0; i < 60; ++i) {
    const auto geometry = [&](int kind) {
      if (kind == 0) return Geometry(testing::triangle_soup(random, 6, 0.6, 0.4).surface());
      return kind == 1 ? Geometry(testing::random_compound(random, 4))
                       : Geometry(testing::bounded_shape(random));
    };
    const Geometry a = geometry(i % 3), b = geometry(i / 3 % 3);
    const PlacedGeometryPair pair(a, testing::pose_near(random, 1.0), b,
                                  testing::pose_near(random, 1.0));
    std::set<std::pair<std::int32_t, std::int32_t>> near;
    visit_near_pairs(pair, 0.2, [&](std::int32_t s, std::int32_t t) { near.emplace(s, t); });
    for (std::int32_t s = 0; s < a.num_parts(); ++s) {
      for (std::int32_t t = 0; t < b.num_parts(); ++t) {
        const ConvexPart p = convex_part(pair.a, s), q = convex_part(pair.b, t);
        if (distance(p.shape, p.X, q.shape, q.X).distance > 0.2) continue;
        ++found;
        ASSERT_TRUE(near.contains({s, t}));
      }
    }
  }
  EXPECT_GT(found, 50);
}

}  // namespace
}  // namespace tactum::near_parts_test
