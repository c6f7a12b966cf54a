// SPDX-License-Identifier: BSD-2-Clause
// EPA against brute-force separating axes for hulls, the certified oracle for smooth pairs, and
// every degenerate start.
#include "narrow/depth/epa.hpp"

#include "narrow/gjk/gjk.hpp"
#include "narrow/narrow_fixtures.hpp"

namespace tactum::epa_test {
namespace {

using namespace tactum::testing;

struct Expansion {
  bool complete = false;
  SeparationOptimum optimum;
  double upper = kInfinity;
  int iterations = 0;
};

/// A valid optimum to begin with: any direction and its separation.
SeparationOptimum first_optimum(CorePair& pair, const Vector3& n) {
  const MinkowskiPoint point = pair.support(n);
  return optimum_of(single_point(point), n, n.dot(point.w));
}

Expansion expand(const TestPair& test, const Simplex& start, double gap) {
  CorePair pair = test.cores();
  Expansion result;
  result.optimum = first_optimum(pair, Vector3(0.2, 0.3, 0.9).normalized());
  result.complete = expand_polytope(pair, start, gap, result.optimum, result.upper,
                                    result.iterations);
  return result;
}

/// The simplex GJK ends with, if the cores overlap.
bool gjk_start(const TestPair& test, Simplex& start) {
  CorePair pair = test.cores();
  const Vector3 t = test.X_AB.translation;
  GjkState state = start_gjk(pair,
                             t.norm() > 0.0 ? Vector3(t.normalized()) : Vector3(Vector3::UnitX()));
  const bool overlapping = run_gjk(pair, {.max_iterations = 500}, state) == GjkOutcome::overlapping;
  start = state.simplex;
  return overlapping;
}

void expect_depth(const TestPair& test, const Expansion& result, double truth, double gap) {
  const double slack = 16.0 * kEps * test.scale();
  EXPECT_TRUE(result.complete);
  EXPECT_LE(result.upper - result.optimum.lower, gap);
  EXPECT_LE(result.optimum.lower, truth + slack);
  EXPECT_GE(result.upper, truth - slack);
  EXPECT_NEAR(result.optimum.normal.norm(), 1.0, 8.0 * kEps);
  EXPECT_NEAR(result.optimum.lower,
              static_cast<double>(test.separation_of_cores(result.optimum.normal)), slack);
  EXPECT_GT(result.iterations, 0);
}

TEST(Epa, HullsAgreeWithBruteForceAxes) {
  Random random(91);
  int tried = 0;
  for (int i = 0; i < 250; ++i) {
    const int count = 4 + random.below(30);
    const TestPair test{random_hull(random, count), random_hull(random, count),
                        random_pose(random, 0.3)};
    const double truth = static_cast<double>(enumerated(test));
    if (truth > -1e-12) continue;
    ++tried;
    SCOPED_TRACE(::testing::Message() << i << " vertices " << count);
    Simplex start;
    ASSERT_TRUE(gjk_start(test, start));
    const Expansion result = expand(test, start, 16.0 * kEps * test.scale());
    expect_depth(test, result, truth, 16.0 * kEps * test.scale());
    EXPECT_NEAR(result.optimum.lower, truth, 16.0 * kEps * test.scale());
    EXPECT_LE(result.optimum.residual, 64.0 * kEps * test.scale());
    expect_valid_optimum(test, result.optimum);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(tried, 150);
}

TEST(Epa, SmoothPairsAgreeWithTheOracle) {
  Random random(92);
  int tried = 0, complete = 0;
  for (int i = 0; i < 120; ++i) {
    const TestPair test = random_solids(random, 0.2);
    Real error = 0;
    const double truth = static_cast<double>(test.core_truth(&error));
    Simplex start;
    if (truth > -1e-9 || !gjk_start(test, start)) continue;
    ++tried;
    SCOPED_TRACE(::testing::Message()
                 << i << " " << test.a.to_string() << " " << test.b.to_string());
    const double gap = 1e-6 * test.scale(), slack = 16.0 * kEps * test.scale();
    const Expansion result = expand(test, start, gap);
    // bounds hold whether or not the proof is complete
    EXPECT_LE(result.optimum.lower, truth + static_cast<double>(error) + slack);
    EXPECT_GE(result.upper, truth - slack);
    EXPECT_NEAR(result.optimum.lower,
                static_cast<double>(test.separation_of_cores(result.optimum.normal)), slack);
    if (!result.complete) continue;
    ++complete;
    EXPECT_LE(result.upper - result.optimum.lower, gap);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(tried, 60);
  EXPECT_GT(complete, tried * 8 / 10);
}

TEST(Epa, NoSampledDirectionDoesBetter) {
  Random random(93);
  const std::vector<Vector3> directions = lattice_directions(2000);
  for (int i = 0; i < 20; ++i) {
    const TestPair test{random_hull(random, 30), Ellipsoid{.semi_axes = random_sizes(random)},
                        random_pose(random, 0.1)};
    Simplex start;
    if (!gjk_start(test, start)) continue;
    const Expansion result = expand(test, start, 1e-6 * test.scale());
    for (const Vector3& n : directions)
      EXPECT_LE(static_cast<double>(test.separation_of_cores(n)),
                result.upper + 16.0 * kEps * test.scale());
  }
}

TEST(Epa, StartFromASegmentThroughTheOrigin) {
  // concentric boxes: opposite supports, the origin in the middle of the edge
  Random random(94);
  for (int i = 0; i < 100; ++i) {
    const TestPair test{Box{.half_extents = random_sizes(random)},
                        Box{.half_extents = random_sizes(random)},
                        {random.rotation(), Vector3::Zero()}};
    CorePair pair = test.cores();
    const Vector3 n = random.direction();
    Simplex start;
    start.push(pair.support(n));
    start.push(pair.support(-n));
    start.weights = {0.5, 0.5, 0.0, 0.0};
    SCOPED_TRACE(i);
    const double truth = static_cast<double>(enumerated(test));
    const Expansion result = expand(test, start, 16.0 * kEps * test.scale());
    expect_depth(test, result, truth, 16.0 * kEps * test.scale());
  }
}

TEST(Epa, StartFromATriangleThroughTheOrigin) {
  // all four corners of a rectangle and the center: any triangle on two opposite corners has the
  // origin on its edge
  const TestPair test{
      Box{.half_extents = {0.5, 0.4, 0.3}}, Box{.half_extents = {0.2, 0.3, 0.1}}, {}};
  CorePair pair = test.cores();
  Simplex start;
  for (const Vector3& n : {Vector3(1, 1, 1), Vector3(-1, -1, -1), Vector3(1, -1, 1)})
    start.push(pair.support(n.normalized()));
  start.weights = {0.5, 0.5, 0.0, 0.0};
  expect_depth(test, expand(test, start, 1e-14), -0.4, 1e-14);
  // the origin inside the triangle
  start.size = 0;
  for (const Vector3& n :
       {Vector3(1, 1, 1), Vector3(-1, -1, -1), Vector3(1, -1, -1), Vector3(-1, 1, 1)})
    start.push(pair.support(n.normalized()));
  // four points in one plane through the origin
  expect_depth(test, expand(test, start, 1e-14), -0.4, 1e-14);
}

TEST(Epa, StartFromAVertexAtTheOrigin) {
  // boxes that touch at a corner: that vertex of the difference is the origin
  const TestPair test{Box{.half_extents = {0.5, 0.5, 0.5}}, Box{.half_extents = {0.25, 0.25, 0.25}},
                      at(0.75, 0.75, 0.75)};
  CorePair pair = test.cores();
  Simplex start;
  start.push(pair.support(Vector3(1, 1, 1).normalized()));
  start.weights[0] = 1.0;
  ASSERT_EQ(start.points[0].w, Vector3::Zero());
  const Expansion result = expand(test, start, 1e-14);
  expect_depth(test, result, 0.0, 1e-14);
}

TEST(Epa, StartOnAFaceOfTheDifference) {
  // boxes that touch with faces
  const TestPair test{Box{.half_extents = {0.5, 0.4, 0.3}}, Box{.half_extents = {0.2, 0.3, 0.1}},
                      at(0.1, 0.05, 0.4)};
  Simplex start;
  ASSERT_TRUE(gjk_start(test, start));
  const Expansion result = expand(test, start, 1e-14);
  expect_depth(test, result, 0.0, 1e-14);
  EXPECT_LE((result.optimum.normal - Vector3::UnitZ()).norm(), 4.0 * kEps);
}

TEST(Epa, FlatDifferencesTouch) {
  Random random(95);
  for (int i = 0; i < 50; ++i) {
    // polygons in one plane, turned anywhere in it
    const Shape a = random_polygon(random, 8), b = random_polygon(random, 5);
    const TestPair test{a,
                        b,
                        {Random::turn(Vector3::UnitZ(), random.uniform(0.0, 6.0)),
                         {random.uniform(-0.05, 0.05), random.uniform(-0.05, 0.05), 0.0}}};
    if (a.core().kind != CoreShape::Kind::polytope || b.core().kind != CoreShape::Kind::polytope)
      continue;
    Simplex start;
    if (!gjk_start(test, start)) continue;
    CorePair pair = test.cores();
    SeparationOptimum optimum = first_optimum(pair, Vector3::UnitX());
    double upper = 4.0 * kEps;  // the bound that GJK proved
    int iterations = 0;
    SCOPED_TRACE(i);
    EXPECT_TRUE(expand_polytope(pair, start, 1e-13, optimum, upper, iterations));
    EXPECT_NEAR(optimum.lower, 0.0, 1e-13);
    EXPECT_NEAR(std::abs(optimum.normal.z()), 1.0, 1e-12);
  }
}

TEST(Epa, KeepsTheBetterOptimum) {
  const TestPair test{Box{.half_extents = {0.5, 0.4, 0.3}}, Box{.half_extents = {0.2, 0.3, 0.1}},
                      at(0.1, 0.05, 0.1)};
  Simplex start;
  ASSERT_TRUE(gjk_start(test, start));
  CorePair pair = test.cores();
  // the best direction is known: z, depth 0.3
  SeparationOptimum optimum = first_optimum(pair, Vector3::UnitZ());
  ASSERT_NEAR(optimum.lower, -0.3, 1e-15);
  double upper = kInfinity;
  int iterations = 0;
  EXPECT_TRUE(expand_polytope(pair, start, 1e-14, optimum, upper, iterations));
  EXPECT_GE(optimum.lower, -0.3 - 1e-15);
  EXPECT_NEAR(upper, -0.3, 1e-14);
}

TEST(Epa, TinyAgainstHuge) {
  Random random(96);
  for (const double ratio : {1e-3, 1e-6}) {
    for (int i = 0; i < 20; ++i) {
      const Vector3 sizes = ratio * random_sizes(random);
      const TestPair test{Box{.half_extents = {0.5, 0.4, 0.3}},
                          Box{.half_extents = sizes},
                          {random.rotation(), random.in_box(0.25)}};
      Simplex start;
      ASSERT_TRUE(gjk_start(test, start));
      const double truth = static_cast<double>(enumerated(test));
      const Expansion result = expand(test, start, 32.0 * kEps);
      SCOPED_TRACE(::testing::Message() << ratio << " " << i);
      expect_depth(test, result, truth, 32.0 * kEps);
    }
  }
}

/// A hull with faces that are nearly in one plane: the corners of a box, and points raised slightly
/// above its faces.
Convex with_nearly_coplanar_faces(Random& random) {
  const Vector3 half = random_sizes(random);
  Points points(3, 12);
  for (int k = 0; k < 8; ++k)
    points.col(k) = half.cwiseProduct(
        Vector3((k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? 1 : -1, (k & 4) != 0 ? 1 : -1));
  for (int k = 8; k < 12; ++k) {
    Vector3 on_face = half.cwiseProduct(random.in_box(0.8));
    const int axis = random.below(3);
    on_face[axis] = random.sign() * half[axis] * (1.0 + random.log_uniform(1e-14, 1e-4));
    points.col(k) = on_face;
  }
  return Convex::from_points(points);
}

/// A hull that is long and thin, with corners close together along it: needle faces.
Convex needle(Random& random) {
  const double thin = random.log_uniform(1e-6, 1e-2);
  Points points(3, 10);
  for (int k = 0; k < 10; ++k) {
    const double along = random.chance(0.3)
                             ? random.sign() * (1.0 - random.log_uniform(1e-10, 1e-2))
                             : random.uniform(-1.0, 1.0);
    points.col(k) = Vector3(0.5 * along, thin * random.uniform(-1.0, 1.0),
                            thin * random.uniform(-1.0, 1.0));
  }
  return Convex::from_points(points);
}

Convex scaled(const Convex& hull, double factor) {
  return Convex::from_points(factor * hull.vertices());
}

/// Checks the bounds of EPA against brute force over all features, whether or not it ends with a
/// proof. Returns whether it does.
bool expect_valid_bounds(const TestPair& test, const Simplex& start, double truth) {
  const double gap = 16.0 * kEps * test.scale();
  const Expansion result = expand(test, start, gap);
  EXPECT_LE(result.optimum.lower, truth + gap);
  EXPECT_GE(result.upper, truth - gap);
  EXPECT_NEAR(result.optimum.normal.norm(), 1.0, 8.0 * kEps);
  EXPECT_NEAR(result.optimum.lower,
              static_cast<double>(test.separation_of_cores(result.optimum.normal)), gap);
  if (result.complete) {
    EXPECT_LE(result.upper - result.optimum.lower, gap);
  }
  return result.complete;
}

TEST(EpaSlivers, NearlyCoplanarFacesAndNeedles) {
  Random random(97);
  int tried = 0, complete = 0;
  for (int i = 0; i < 400; ++i) {
    const auto hull = [&] {
      const int kind = random.below(3);
      return kind == 0   ? needle(random)
             : kind == 1 ? with_nearly_coplanar_faces(random)
                         : random_hull(random, 4 + random.below(8));
    };
    const Convex a = hull(), b = hull();
    TestPair test{a, b, random_pose(random, 0.2)};
    // faces against faces that are almost parallel
    if (random.chance(0.3))
      test.X_AB.rotation = Random::turn(random.direction(), random.log_uniform(1e-15, 1e-3));
    const double truth = static_cast<double>(enumerated(test));
    Simplex start;
    if (truth > -1e-12 || !gjk_start(test, start)) continue;
    SCOPED_TRACE(::testing::Message() << i << " depth " << truth);
    ++tried;
    complete += expect_valid_bounds(test, start, truth) ? 1 : 0;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(tried, 150);
  EXPECT_GT(complete, tried * 95 / 100);
}

TEST(EpaSlivers, SizeRatios) {
  Random random(98);
  int tried = 0, complete = 0;
  for (int i = 0; i < 300; ++i) {
    // size ratios in both directions
    const double ratio = random.log_uniform(1e-6, 1e6);
    const Convex a = random.chance(0.5) ? random_hull(random, 10)
                                        : with_nearly_coplanar_faces(random);
    const Convex b = scaled(
        random.chance(0.5) ? random_hull(random, 10) : with_nearly_coplanar_faces(random), ratio);
    const double larger = std::max(1.0, ratio);
    TestPair test{a, b, random_pose(random, 0.1 * larger)};
    // half of them just overlap: moved along the normal of the distance
    if (random.chance(0.5)) {
      const Distance before = distance(test.a, {}, test.b, test.X_AB);
      test.X_AB.translation -= (before.distance +
                                random.log_uniform(1e-3, 0.3) * std::min(1.0, ratio)) *
                               before.normal;
    }
    const double truth = static_cast<double>(enumerated(test));
    Simplex start;
    if (truth > -64.0 * kEps * test.scale() || !gjk_start(test, start)) continue;
    SCOPED_TRACE(::testing::Message() << i << " ratio " << ratio << " depth " << truth);
    ++tried;
    complete += expect_valid_bounds(test, start, truth) ? 1 : 0;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(tried, 200);
  EXPECT_GT(complete, tried * 95 / 100);
}

}  // namespace
}  // namespace tactum::epa_test
