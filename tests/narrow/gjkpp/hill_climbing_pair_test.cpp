// SPDX-License-Identifier: BSD-2-Clause
// The paper's support: climbs against all vertices one by one, supports of every kind against
// extended precision.
#include "narrow/gjkpp/hill_climbing_pair.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum::hill_climbing_pair_test {
namespace {

using namespace tactum::testing;

TEST(HillClimbing, FindsTheFarthestVertexFromAnywhere) {
  Random random(501);
  int far = 0;
  for (int i = 0; i < 60; ++i) {
    const Convex hull = i % 6 == 0 ? random_polygon(random, 40)
                                   : random_hull(random, 4 + random.below(300));
    for (int k = 0; k < 20; ++k) {
      const Vector3 d = random.log_uniform(1e-9, 1e9) * random.direction();
      const int start = random.below(hull.num_vertices());
      int visited = 0;
      const int found = climb(hull.polytope(), to_double3(d), start, visited);
      double farthest = -kInfinity;
      for (int v = 0; v < hull.num_vertices(); ++v)
        farthest = std::max(farthest, hull.vertex(v).dot(d));
      EXPECT_NEAR(hull.vertex(found).dot(d), farthest, 4.0 * kEps * d.norm()) << i << " " << k;
      EXPECT_GT(visited, static_cast<int>(hull.neighbors(found).size()) - (found == start ? 0 : 1));
      far += visited > 40 ? 1 : 0;
    }
  }
  EXPECT_GT(far, 50);  // the count grows with the length of the climb
}

TEST(HillClimbing, CountsOneLookAtEachNeighborWhereItStays) {
  const Convex cube = hull_of({{1, 1, 1},
                               {1, 1, -1},
                               {1, -1, 1},
                               {1, -1, -1},
                               {-1, 1, 1},
                               {-1, 1, -1},
                               {-1, -1, 1},
                               {-1, -1, -1}});
  for (int v = 0; v < 8; ++v) {
    int visited = 0;
    EXPECT_EQ(climb(cube.polytope(), to_double3(cube.vertex(v)), v, visited), v);
    EXPECT_EQ(visited, 1 + static_cast<int>(cube.neighbors(v).size()));
  }
}

TEST(HillClimbingPair, SupportsOfEveryKind) {
  Random random(502);
  for (int i = 0; i < 400; ++i) {
    const TestPair test = random_solids(random, 1.0);
    const CorePair cores = test.cores();
    ClimbingPair pair(cores);
    const double taken = cores.a().inner_radius + cores.b().inner_radius;
    const Vector3 n = random.direction();
    SCOPED_TRACE(::testing::Message()
                 << i << " " << test.a.to_string() << " " << test.b.to_string());
    const MinkowskiPoint s = pair.support(random.log_uniform(1e-6, 1e6) * n);
    EXPECT_NEAR(n.dot(s.w), static_cast<double>(test.separation_of_cores(n)) - taken,
                16.0 * kEps * test.scale());
    EXPECT_LE((test.X_AB * s.b_B - s.a - s.w).norm(), 4.0 * kEps * test.scale());
    EXPECT_EQ(pair.support_calls, 1);
    EXPECT_EQ(pair.vertices_visited > 0,
              cores.a().polytope != nullptr || cores.b().polytope != nullptr);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(HillClimbingPair, TheNextClimbBeginsWhereTheLastEnded) {
  Random random(503);
  const TestPair test{random_hull(random, 500), random_hull(random, 500), at(2.0, 0.0, 0.0)};
  ClimbingPair pair(test.cores());
  const Vector3 n = random.direction();
  pair.support(n);
  const int first = pair.vertices_visited;
  pair.support(n);
  EXPECT_LT(pair.vertices_visited - first, 40);
  EXPECT_EQ(pair.support_calls, 2);
}

}  // namespace
}  // namespace tactum::hill_climbing_pair_test
