// SPDX-License-Identifier: BSD-2-Clause
// The small polytope: depths against the oracle, from tetrahedra and from polytopes of other poses;
// starts that do not contain the origin.
#include "narrow/depth/epa_polyhedral.hpp"

#include "narrow/gjk/warm_polytope.hpp"
#include "narrow/narrow_fixtures.hpp"

namespace tactum::epa_polyhedral_test {
namespace {

using namespace tactum::testing;

/// Supports along the four axes of a tetrahedron.
Simplex four_supports(CorePair& pair, const Matrix3& R) {
  Simplex simplex;
  for (const Vector3& n :
       {Vector3(1, 1, 1), Vector3(1, -1, -1), Vector3(-1, 1, -1), Vector3(-1, -1, 1)})
    simplex.push(pair.support(R * n.normalized()));
  return simplex;
}

struct Answer {
  bool proved = false;
  SeparationOptimum optimum;
  double upper = 0.0;
  int iterations = 0;
};

TEST(EpaPolyhedral, DepthsAreThoseOfTheOracle) {
  Random random(931);
  int proved = 0;
  for (int i = 0; i < 60; ++i) {
    const TestPair shapes{random_hull(random, i % 2 == 0 ? 8 : 20),
                          i % 3 == 0 ? Shape{random_hull(random, 12)}
                                     : Shape{Box{.half_extents = random_sizes(random)}},
                          {random.rotation(), 0.1 * random.direction()}};
    CorePair pair = shapes.cores();
    Answer found;
    found.optimum.lower = -1e30;
    const double gap = 16.0 * kEps * pair.scale();
    found.proved = expand_small_polytope(pair, four_supports(pair, random.rotation()), gap,
                                         found.optimum, found.upper, found.iterations);
    if (!found.proved) continue;
    ++proved;
    Real error = 0;
    const double truth = static_cast<double>(shapes.core_truth(&error));
    EXPECT_NEAR(found.optimum.lower, truth, static_cast<double>(error) + 1e-14) << i;
    EXPECT_LE(found.upper - found.optimum.lower, gap);
    EXPECT_LE(found.optimum.residual, gap);
    EXPECT_LE(static_cast<double>(shapes.outside_a(found.optimum.point_a)), 1e-14);
    EXPECT_LE(static_cast<double>(shapes.outside_b(found.optimum.point_b)), 1e-14);
  }
  EXPECT_GT(proved, 40);
}

TEST(EpaPolyhedral, ManyFaces) {
  // round bodies deep inside each other: the proof takes more faces than one word has bits
  Random random(934);
  const auto round_hull = [&](int count) {
    Points points(3, count);
    for (int k = 0; k < count; ++k) points.col(k) = random.direction();
    return Convex::from_points(points);
  };
  int many = 0, full = 0;
  for (int i = 0; i < 14; ++i) {
    const int count = i < 10 ? 60 : 250;
    const TestPair shapes{
        round_hull(count), round_hull(count), {random.rotation(), 0.1 * random.direction()}};
    CorePair pair = shapes.cores();
    Answer found;
    const double gap = 16.0 * kEps * pair.scale();
    found.proved = expand_small_polytope(pair, four_supports(pair, random.rotation()), gap,
                                         found.optimum, found.upper, found.iterations);
    full += found.proved ? 0 : 1;
    if (!found.proved) continue;
    many += found.iterations > 32 ? 1 : 0;  // each iteration adds two faces
    Real error = 0;
    const double truth = static_cast<double>(shapes.core_truth(&error));
    EXPECT_NEAR(found.optimum.lower, truth, static_cast<double>(error) + 1e-14) << i;
    EXPECT_NEAR(found.upper, truth, static_cast<double>(error) + 1e-14) << i;
  }
  EXPECT_GT(many, 2);
  EXPECT_GT(full, 0);
}

TEST(EpaPolyhedral, GoesOnFromAPolytopeOfAnotherPose) {
  Random random(932);
  int proved = 0, total = 0;
  for (int i = 0; i < 15; ++i) {
    TestPair shapes{random_hull(random, 30),
                    random_hull(random, 30),
                    {random.rotation(), 0.15 * random.direction()}};
    WarmPolytope last;
    for (int step = 0; step < 8; ++step) {
      CorePair pair = shapes.cores();
      pair.record = &last;
      const double gap = 16.0 * kEps * pair.scale();
      Answer found;
      if (last.triangles().empty()) {
        found.proved = expand_small_polytope(pair, four_supports(pair, random.rotation()), gap,
                                             found.optimum, found.upper, found.iterations);
      } else {
        const WarmPolytope earlier = last;
        std::array<PackedPoint, WarmPolytope::max_vertices> points;
        std::size_t k = 0;
        for (const auto& vertices : earlier.vertices()) {
          const Vector3 w = point_of_vertices(pair, vertices).w;
          points[k++] = {w.x(), w.y(), w.z(), 0.0};
        }
        ++total;
        found.proved = resume_small_polytope(pair, earlier, points.data(), gap, found.optimum,
                                             found.upper, found.iterations);
        proved += found.proved ? 1 : 0;
      }
      if (found.proved) {
        Real error = 0;
        const double truth = static_cast<double>(shapes.core_truth(&error));
        EXPECT_NEAR(found.optimum.lower, truth, static_cast<double>(error) + 1e-14)
            << i << " " << step;
      }
      shapes.X_AB = {Random::turn(random.direction(), 0.03) * shapes.X_AB.rotation,
                     shapes.X_AB.translation + 5e-3 * random.direction()};
    }
  }
  EXPECT_GT(2 * proved, total);
  EXPECT_GT(total, 50);
}

TEST(EpaPolyhedral, AStartWithoutTheOriginIsRefused) {
  Random random(933);
  const TestPair apart{random_hull(random, 20), random_hull(random, 20), at(2, 0, 0)};
  CorePair pair = apart.cores();
  Answer found;
  EXPECT_FALSE(expand_small_polytope(pair, four_supports(pair, Matrix3::Identity()), 1e-14,
                                     found.optimum, found.upper, found.iterations));
  EXPECT_EQ(found.iterations, 0);
}

}  // namespace
}  // namespace tactum::epa_polyhedral_test
