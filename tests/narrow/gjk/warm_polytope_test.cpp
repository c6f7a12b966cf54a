// SPDX-License-Identifier: BSD-2-Clause
// Warm polytopes accept only closed surfaces and simplices; points named by vertices are those of
// the Minkowski difference.
#include "narrow/gjk/warm_polytope.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum::warm_polytope_test {
namespace {

using namespace tactum::testing;
using VertexPair = WarmPolytope::VertexPair;
using Triangle = WarmPolytope::Triangle;

const std::vector<Triangle> tetrahedron = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
const std::vector<VertexPair> four = {{{0, 0}}, {{1, 1}}, {{2, 2}}, {{3, 3}}};

TEST(WarmPolytope, TakesClosedSurfacesAlone) {
  WarmPolytope polytope;
  EXPECT_TRUE(polytope.assign(four, tetrahedron));
  EXPECT_EQ(polytope.vertices().size(), 4U);
  EXPECT_EQ(polytope.triangles().size(), 4U);
  const WarmPolytope copy = polytope;
  EXPECT_EQ(copy, polytope);
  std::vector<std::vector<Triangle>> open(4, tetrahedron);
  open[0].pop_back();            // a hole
  open[1][0] = {0, 1, 2};        // one face turned inside out
  open[2][3] = {2, 0, 4};        // a vertex that does not exist
  open[3].push_back({0, 1, 1});  // no triangle
  for (const std::vector<Triangle>& triangles : open) {
    EXPECT_FALSE(polytope.assign(four, triangles));
    EXPECT_TRUE(polytope.vertices().empty() && polytope.triangles().empty());
    EXPECT_NE(copy, polytope);
  }
  EXPECT_TRUE(polytope.assign(four, {}));  // a simplex
  EXPECT_FALSE(polytope.assign(std::vector<VertexPair>(5), {}));
  EXPECT_FALSE(polytope.assign(std::vector<VertexPair>(33), tetrahedron));
  EXPECT_FALSE(polytope.assign(four, std::vector<Triangle>(61, {0, 1, 2})));
}

TEST(WarmPolytope, PointsOfVerticesAreDifferencesOfThem) {
  Random random(903);
  for (int i = 0; i < 50; ++i) {
    const Convex hull_a = random_hull(random, 12), hull_b = random_hull(random, 12);
    const Shape a = hull_a, b = hull_b;
    const Pose X{random.rotation(), random.in_box(1.0)};
    const TestPair pair{a, b, X};
    const VertexPair names{static_cast<std::uint16_t>(random.below(hull_a.num_vertices())),
                           static_cast<std::uint16_t>(random.below(hull_b.num_vertices()))};
    const MinkowskiPoint point = point_of_vertices(pair.cores(), names);
    const Vector3 on_a = hull_a.polytope().vertex(names[0]),
                  on_b = X * hull_b.polytope().vertex(names[1]);
    EXPECT_LE((point.w - (on_b - on_a)).norm(), 1e-15);
    EXPECT_EQ(point.piece[0], names[0]);
    EXPECT_EQ(point.piece[1], names[1]);
  }
}

TEST(WarmPolytope, ASimplexIsRecordedByItsVertices) {
  Random random(904);
  const Shape a = random_hull(random, 12), b = random_hull(random, 12);
  const TestPair test{a, b, {random.rotation(), random.in_box(1.0)}};
  CorePair pair = test.cores();
  Simplex simplex;
  for (std::uint16_t i = 0; i < 3; ++i)
    simplex.push(point_of_vertices(pair, {i, static_cast<std::uint16_t>(i + 1)}));
  record_simplex(pair, simplex);  // the pair is not tracked
  WarmPolytope left;
  pair.record = &left;
  record_simplex(pair, simplex);
  ASSERT_EQ(left.vertices().size(), 3U);
  EXPECT_TRUE(left.triangles().empty());
  for (std::uint16_t i = 0; i < 3; ++i)
    EXPECT_EQ(left.vertices()[i], (VertexPair{i, static_cast<std::uint16_t>(i + 1)}));
}

}  // namespace
}  // namespace tactum::warm_polytope_test
