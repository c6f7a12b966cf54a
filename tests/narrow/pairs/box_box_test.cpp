// SPDX-License-Identifier: BSD-2-Clause
// Box pairs against the iterative path, separating axes in extended precision, feature enumeration
// and the certified search.
#include "narrow/pairs/box_box.hpp"

#include "narrow/depth/core_distance.hpp"
#include "narrow/narrow_fixtures.hpp"
#include "support/random_shapes.hpp"

namespace tactum::box_box_test {
namespace {

using namespace tactum::testing;

TestPair boxes(const Vector3& half_a, const Vector3& half_b, const Pose& X_AB) {
  return {Box{.half_extents = half_a}, Box{.half_extents = half_b}, X_AB};
}

/// Largest separation over all face normals and edge products, in extended precision; parallel
/// edges are left out.
Real by_axes(const Vector3& half_a, const Vector3& half_b, const Pose& X_AB) {
  const Mat3 R = widen(X_AB.rotation);
  const Vec3 t = widen(X_AB.translation), a = widen(half_a), b = widen(half_b);
  Real best = -infinite;
  const auto offer = [&](const Vec3& axis) {
    const Real length = axis.norm();
    if (length < 1e-12L) return;
    const Vec3 n = axis / length;
    best = std::max(
        best, std::abs(n.dot(t)) - a.dot(n.cwiseAbs()) - b.dot((R.transpose() * n).cwiseAbs()));
  };
  for (int i = 0; i < 3; ++i) {
    offer(Vec3::Unit(i));
    offer(R.col(i));
    for (int j = 0; j < 3; ++j) offer(Vec3::Unit(i).cross(Vec3(R.col(j))));
  }
  return best;
}

/// Solves the pair and checks everything that a proved answer promises except its value. Returns
/// whether there is one.
bool solved(const TestPair& test, CoreDistance& answer) {
  CorePair pair = test.cores();
  if (!solve_boxes(pair, answer)) return false;
  expect_valid_optimum(test, answer.optimum, 16.0 * kEps);
  EXPECT_LE(answer.optimum.residual, 16.0 * kEps * test.scale());
  EXPECT_GE(answer.upper, answer.optimum.lower);
  EXPECT_LE(answer.upper - answer.optimum.lower, 16.0 * kEps * test.scale());
  return true;
}

CoreDistance by_iteration(const TestPair& test) {
  CorePair pair = test.cores();
  const Vector3& t = test.X_AB.translation;
  return solve_iteratively(pair, t.norm() > 0.0 ? t.normalized() : Vector3::UnitX(),
                           {.gap = 1e-13 * test.scale(),
                            .max_iterations = 200,
                            .stop_above = kInfinity,
                            .second_order = true});
}

TEST(BoxBox, EveryClassOfPosesAgreesWithTheIteration) {
  const PairSampler sampler(ShapeKind::box, ShapeKind::box, 60);
  int left_over = 0;
  for (int i = 0; i < repetitions(20000); ++i) {
    const PairSample sample = sampler.sample(static_cast<std::uint64_t>(i));
    const TestPair test{sample.a, sample.b, pose_in_frame_of_a(sample.X_WA, sample.X_WB)};
    SCOPED_TRACE(sample.describe());
    CorePair pair = test.cores();
    CoreDistance answer;
    if (!solve_boxes(pair, answer)) {
      ++left_over;
      continue;
    }
    EXPECT_NEAR(answer.optimum.lower, by_iteration(test).optimum.lower, 32.0 * kEps * test.scale());
    EXPECT_LE(answer.optimum.residual, 16.0 * kEps * test.scale());
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_LE(left_over, 20);
}

TEST(BoxBox, EveryClassOfPosesAgreesWithTheOracle) {
  const PairSampler sampler(ShapeKind::box, ShapeKind::box, 61);
  int proved = 0;
  for (int i = 0; i < repetitions(900); ++i) {
    const PairSample sample = sampler.sample(static_cast<std::uint64_t>(i));
    const TestPair test{sample.a, sample.b, pose_in_frame_of_a(sample.X_WA, sample.X_WB)};
    SCOPED_TRACE(sample.describe());
    CoreDistance answer;
    if (!solved(test, answer)) continue;
    ++proved;
    Real error = 0;
    const Real truth = test.core_truth(&error);
    const double allowed = 32.0 * kEps * test.scale();
    EXPECT_GE(answer.optimum.lower, static_cast<double>(truth) - allowed);
    EXPECT_LE(answer.optimum.lower, static_cast<double>(truth + error) + allowed);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GE(proved, repetitions(900) - 5);
}

TEST(BoxBox, DepthIsTheLargestOfAllAxes) {
  Random random(62);
  int overlapping = 0, apart = 0;
  for (int i = 0; i < repetitions(5000); ++i) {
    const Vector3 a = random_sizes(random), b = random_sizes(random);
    const Pose X_AB = random_pose(random, 0.7);
    const Real best = by_axes(a, b, X_AB);
    SCOPED_TRACE(i);
    CoreDistance answer;
    ASSERT_TRUE(solved(boxes(a, b, X_AB), answer));
    if (best <= 0.0L) {
      EXPECT_NEAR(answer.optimum.lower, static_cast<double>(best), 8.0 * kEps);
      ++overlapping;
    } else {
      EXPECT_GE(answer.optimum.lower, static_cast<double>(best) - 8.0 * kEps);
      ++apart;
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(overlapping, repetitions(1000));
  EXPECT_GT(apart, repetitions(1000));
}

TEST(BoxBox, FeaturesOneByOne) {
  Random random(63);
  for (int i = 0; i < 400; ++i) {
    const TestPair test = boxes(random_sizes(random), random_sizes(random),
                                random_pose(random, i % 2 == 0 ? 0.3 : 1.2));
    CoreDistance answer;
    SCOPED_TRACE(i);
    ASSERT_TRUE(solved(test, answer));
    EXPECT_NEAR(answer.optimum.lower, static_cast<double>(enumerated(test)),
                16.0 * kEps * test.scale());
  }
}

TEST(BoxBox, AlignedBoxesHaveTheClosedForm) {
  const Vector3 a(0.5, 0.4, 0.3), b(0.1, 0.2, 0.25);
  Random random(64);
  for (int i = 0; i < 2000; ++i) {
    const Vector3 t = random.in_box(i % 2 == 0 ? 0.5 : 2.0);
    // quarter turns about z swap two sizes of b; the noise is of the size that products of
    // rotations have
    const bool quarter = random.chance(0.5);
    const Vector3 b_A = quarter ? Vector3(b.y(), b.x(), b.z()) : b;
    Pose X_AB{quarter ? Matrix3((Matrix3() << 0, -1, 0, 1, 0, 0, 0, 0, 1).finished())
                      : Matrix3::Identity(),
              t};
    if (random.chance(0.5)) {
      for (int k = 0; k < 9; ++k) X_AB.rotation(k) += random.uniform(-1e-17, 1e-17);
    }
    const Vector3 excess = t.cwiseAbs() - a - b_A;
    const double expected = excess.maxCoeff() > 0.0 ? excess.cwiseMax(0.0).norm()
                                                    : excess.maxCoeff();
    CoreDistance answer;
    SCOPED_TRACE(i);
    ASSERT_TRUE(solved(boxes(a, b, X_AB), answer));
    EXPECT_NEAR(answer.optimum.lower, expected, 8.0 * kEps);
  }
}

TEST(BoxBox, NearlyParallelEdges) {
  Random random(65);
  int proved = 0;
  for (int i = 0; i < 3000; ++i) {
    const double angle = random.log_uniform(1e-18, 1e-3);
    const Vector3 axis = random.chance(0.5) ? Vector3(Vector3::Unit(random.below(3)))
                                            : random.direction();
    const TestPair test = boxes(random_sizes(random), random_sizes(random),
                                {Random::turn(axis, angle), random.in_box(i % 2 == 0 ? 0.5 : 1.0)});
    CoreDistance answer;
    SCOPED_TRACE(::testing::Message() << i << " angle " << angle);
    if (!solved(test, answer)) continue;
    ++proved;
    EXPECT_NEAR(answer.optimum.lower, by_iteration(test).optimum.lower, 32.0 * kEps * test.scale());
    if (answer.optimum.lower < 0.0) {
      EXPECT_NEAR(answer.optimum.lower,
                  static_cast<double>(by_axes(test.a.core().size, test.b.core().size, test.X_AB)),
                  8.0 * kEps);
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GE(proved, 2990);
}

TEST(BoxBox, NeedlesAndPlates) {
  Random random(66);
  int proved = 0;
  const auto sizes = [&] {
    Vector3 half = Vector3::Constant(random.log_uniform(1e-6, 1.0));
    half[random.below(3)] = 1.0;
    return half;
  };
  for (int i = 0; i < 3000; ++i) {
    const TestPair test = boxes(sizes(), sizes(),
                                random_pose(random, random.log_uniform(1e-6, 2.0)));
    CoreDistance answer;
    SCOPED_TRACE(i);
    if (!solved(test, answer)) continue;
    ++proved;
    EXPECT_NEAR(answer.optimum.lower, by_iteration(test).optimum.lower, 32.0 * kEps * test.scale());
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GE(proved, 2990);
}

TEST(BoxBox, KnownContacts) {
  struct Known {
    TestPair test;
    double distance;
  };
  const Vector3 one(1, 1, 1), half(0.5, 0.5, 0.5);
  const double diagonal = std::sqrt(2.0);
  const std::vector<Known> known = {
      {boxes(one, one, {}), -2.0},                            // equal and concentric
      {boxes(one, half, {}), -1.5},                           // inside
      {boxes({0.5, 0.4, 0.3}, {0.1, 0.2, 0.25}, {}), -0.55},  // the thinnest sum
      {boxes(one, half, at(0.25, 0.0, 0.0)), -1.25},          // inside, off the center
      {boxes(one, one, at(2.0, 0.5, 0.25)), 0.0},             // face on face
      {boxes(one, one, at(2.0, 2.0, 0.5)), 0.0},              // edge on edge
      {boxes(one, one, at(2.0, 2.0, 2.0)), 0.0},              // vertex on vertex
      {boxes(one, one, at(5.0, 6.0, 0.0)), 5.0},              // parallel edges
      {boxes(one, one, at(3.0, 4.0, 4.0)), 3.0},              // vertices
      // edge on face
      {boxes(one, one, turned({0, 0, 1}, M_PI / 4, {1.0 + diagonal, 0.0, 0.0})), 0.0},
      // edge over face
      {boxes(one, one, turned({0, 0, 1}, M_PI / 4, {3.0 + diagonal, 0.3, 0.2})), 2.0},
      // eight-cornered overlap
      {boxes(one, one, turned({0, 0, 1}, M_PI / 4, {0.0, 0.0, 1.75})), -0.25},
      // small overlap at an edge
      {boxes(one, one, turned({0, 0, 1}, M_PI / 4, {2.3, 0.0, 1.75})), 1.3 - diagonal},
      // needle through a plate
      {boxes({1, 1, 1e-6}, {1e-6, 1e-6, 1}, at(0.0, 0.0, 1.0)), -1e-6},
  };
  for (std::size_t i = 0; i < known.size(); ++i) {
    CoreDistance answer;
    SCOPED_TRACE(i);
    ASSERT_TRUE(solved(known[i].test, answer));
    EXPECT_NEAR(answer.optimum.lower, known[i].distance, 8.0 * kEps * known[i].test.scale());
  }
}

TEST(BoxBox, RotationsThatAreNotQuiteOrthonormal) {
  Random random(67);
  int proved = 0;
  for (int i = 0; i < 300; ++i) {
    Pose X_AB = random_pose(random, i % 2 == 0 ? 0.3 : 1.2);
    for (int k = 0; k < 9; ++k) X_AB.rotation(k) += random.uniform(-4e-13, 4e-13);
    const TestPair test = boxes(random_sizes(random), random_sizes(random), X_AB);
    CorePair pair = test.cores();
    CoreDistance answer;
    SCOPED_TRACE(i);
    if (!solve_boxes(pair, answer)) continue;
    ++proved;
    // the oracle uses the matrix as given, too
    EXPECT_NEAR(answer.optimum.lower, static_cast<double>(test.core_truth()),
                32.0 * kEps * test.scale());
  }
  EXPECT_GT(proved, 50);
}

TEST(BoxBox, SwappingTheBoxesTurnsTheNormal) {
  Random random(68);
  for (int i = 0; i < 1000; ++i) {
    const Vector3 a = random_sizes(random), b = random_sizes(random);
    const Pose X_AB = random_pose(random, i % 2 == 0 ? 0.3 : 1.0);
    CoreDistance forward, backward;
    ASSERT_TRUE(solved(boxes(a, b, X_AB), forward) && solved(boxes(b, a, inverse(X_AB)), backward));
    EXPECT_NEAR(forward.optimum.lower, backward.optimum.lower, 16.0 * kEps);
    EXPECT_LE((forward.optimum.normal + X_AB.rotation * backward.optimum.normal).norm(), 1e-11);
  }
}

TEST(BoxBox, UnitsDoNotMatter) {
  Random random(69);
  for (int i = 0; i < 500; ++i) {
    const Vector3 a = random_sizes(random), b = random_sizes(random);
    const Pose X_AB = random_pose(random, 0.8);
    CoreDistance plain;
    ASSERT_TRUE(solved(boxes(a, b, X_AB), plain));
    for (const double unit : {0x1p-80, 0x1p80}) {
      CoreDistance scaled;
      ASSERT_TRUE(
          solved(boxes(unit * a, unit * b, {X_AB.rotation, unit * X_AB.translation}), scaled));
      EXPECT_EQ(scaled.optimum.normal, plain.optimum.normal);
      EXPECT_EQ(scaled.optimum.lower, unit * plain.optimum.lower);
      EXPECT_EQ(scaled.optimum.point_b, unit * plain.optimum.point_b);
    }
  }
}

}  // namespace
}  // namespace tactum::box_box_test
