// SPDX-License-Identifier: BSD-2-Clause
// Witness points for a known normal and distance: in both cores, and apart by exactly distance
// times normal.
#include "narrow/gjk/witness_points.hpp"

#include "narrow/narrow_fixtures.hpp"
#include "narrow/pairs/box_box.hpp"

namespace tactum::witness_points_test {
namespace {

using namespace tactum::testing;

SeparationOptimum without_points(const Vector3& normal, double lower) {
  return {normal, lower, Vector3::Zero(), Vector3::Zero(), kInfinity};
}

/// The best normal and value in double, from the oracle.
SeparationOptimum oracle_optimum(const TestPair& test) {
  const Truth truth = oracle_distance(test.a, test.b, test.X_AB);
  const Vector3 normal = narrow(truth.normal).normalized();
  return without_points(normal, static_cast<double>(test.separation_of_cores(normal)));
}

void expect_points(const TestPair& test, const SeparationOptimum& optimum) {
  const double scale = test.scale();
  EXPECT_LE((optimum.point_b - optimum.point_a - optimum.lower * optimum.normal).norm(),
            80.0 * kEps * scale);
  EXPECT_LE(static_cast<double>(test.outside_a(optimum.point_a)), 32.0 * kEps * scale);
  EXPECT_LE(static_cast<double>(test.outside_b(optimum.point_b)), 32.0 * kEps * scale);
  EXPECT_NEAR(optimum.residual,
              (optimum.point_b - optimum.point_a - optimum.lower * optimum.normal).norm(),
              8.0 * kEps * scale);
}

TEST(WitnessPoints, OverlappingBoxes) {
  Random random(81);
  int found = 0, tried = 0;
  for (int i = 0; i < 3000; ++i) {
    const TestPair test{Box{.half_extents = random_sizes(random)},
                        Box{.half_extents = random_sizes(random)}, random_pose(random, 0.5)};
    CorePair pair = test.cores();
    CoreDistance answer;
    if (!solve_boxes(pair, answer) || answer.optimum.lower > 0.0) continue;
    ++tried;
    SeparationOptimum optimum = without_points(answer.optimum.normal, answer.optimum.lower);
    SCOPED_TRACE(i);
    const bool ok = find_witness_points(pair, optimum);
    EXPECT_EQ(ok, optimum.residual <= 64.0 * kEps * test.scale());
    found += ok ? 1 : 0;
    if (ok) expect_points(test, optimum);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(tried, 1000);
  EXPECT_EQ(found, tried);
}

TEST(WitnessPoints, AlignedBoxesTouchInAWholeFace) {
  Random random(82);
  for (int i = 0; i < 500; ++i) {
    const TestPair test{
        Box{.half_extents = {0.5, 0.4, 0.3}}, Box{.half_extents = {0.2, 0.25, 0.1}},
        at(random.uniform(-0.5, 0.5), random.uniform(-0.4, 0.4), 0.4 + random.uniform(-0.1, 0.2))};
    CorePair pair = test.cores();
    SeparationOptimum optimum = without_points(Vector3::UnitZ(), test.X_AB.translation.z() - 0.4);
    EXPECT_TRUE(find_witness_points(pair, optimum)) << i;
    expect_points(test, optimum);
    EXPECT_NEAR(optimum.point_a.z(), 0.3, 64.0 * kEps);
  }
}

TEST(WitnessPoints, HullsApartAndPenetrating) {
  Random random(83);
  int found = 0, tried = 0;
  for (int i = 0; i < 300; ++i) {
    const TestPair test{random_hull(random, 8), random_hull(random, 20), random_pose(random, 0.6)};
    CorePair pair = test.cores();
    SeparationOptimum optimum = oracle_optimum(test);
    ++tried;
    SCOPED_TRACE(i);
    const bool ok = find_witness_points(pair, optimum);
    found += ok ? 1 : 0;
    if (ok) expect_points(test, optimum);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_EQ(found, tried);
}

TEST(WitnessPoints, SmoothPairs) {
  Random random(84);
  for (int i = 0; i < 60; ++i) {
    const TestPair test{
        Cylinder{.radius = random.uniform(0.1, 0.4), .half_length = random.uniform(0.1, 0.4)},
        Cone{.radius = random.uniform(0.1, 0.4), .half_length = random.uniform(0.1, 0.4)},
        random_pose(random, 0.5)};
    CorePair pair = test.cores();
    SeparationOptimum optimum = oracle_optimum(test);
    SCOPED_TRACE(i);
    // GJK converges slowly along curved surfaces, so rounding is not promised; points of the cores
    // and the stated residual are
    const bool ok = find_witness_points(pair, optimum);
    EXPECT_EQ(ok, optimum.residual <= 64.0 * kEps * test.scale());
    EXPECT_LE(static_cast<double>(test.outside_a(optimum.point_a)), 32.0 * kEps * test.scale());
    EXPECT_LE(static_cast<double>(test.outside_b(optimum.point_b)), 32.0 * kEps * test.scale());
    EXPECT_NEAR(optimum.residual,
                (optimum.point_b - optimum.point_a - optimum.lower * optimum.normal).norm(),
                8.0 * kEps * test.scale());
  }
}

TEST(WitnessPoints, KeepsBetterPointsAndSaysWhenTheNormalIsWrong) {
  const TestPair test{Box{.half_extents = {0.5, 0.4, 0.3}}, Box{.half_extents = {0.2, 0.2, 0.2}},
                      at(1.0, 0.0, 0.0)};
  CorePair pair = test.cores();
  // a gap of 0.3 along x
  SeparationOptimum exact{Vector3::UnitX(), 0.3, {0.5, 0.1, 0.1}, {0.8, 0.1, 0.1}, 0.0};
  EXPECT_TRUE(find_witness_points(pair, exact));
  EXPECT_EQ(exact.point_a, Vector3(0.5, 0.1, 0.1));
  EXPECT_EQ(exact.residual, 0.0);
  // no pair of points has this offset
  SeparationOptimum wrong = without_points(Vector3::UnitX(), 0.2);
  EXPECT_FALSE(find_witness_points(pair, wrong));
  EXPECT_NEAR(wrong.residual, 0.1, 1e-12);
  EXPECT_EQ(wrong.lower, 0.2);
}

TEST(WitnessPoints, SmallBoxOnAVeryLongSegment) {
  // triangles a million times longer than wide: their weights have to be solved for twice
  Random random(45);
  for (int i = 0; i < 300; ++i) {
    const Shape box = Box{.half_extents = {0.14, 0.2, 0.24}, .margin = 0.03};
    const Shape capsule = Capsule{.radius = 4e4, .half_length = 1.1e5};
    const Pose X_WB{random.rotation(), random.direction() * 0.05};
    const Distance result = distance(box, {}, capsule, X_WB);
    const double scale = pair_scale(box, {}, capsule, X_WB);
    SCOPED_TRACE(i);
    EXPECT_EQ(result.status, Status::penetrating);
    EXPECT_LE((result.point_b - result.point_a - result.distance * result.normal).norm(),
              64.0 * kEps * scale);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace tactum::witness_points_test
