// SPDX-License-Identifier: BSD-2-Clause
// The witness pair of an answer: features in named cases, arms, and answers of little accuracy.
#include "narrow/derivative/witness_pair.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum::witness_pair_test {
namespace {

using namespace tactum::testing;

WitnessPair witness(const Shape& a, const Shape& b, const Pose& X,
                    const DistanceOptions& options = {}) {
  return make_witness_pair(a, {}, b, X, distance(a, {}, b, X, options));
}

TEST(WitnessPair, NamesTheFeatures) {
  const Shape box = Box{.half_extents = {0.3, 0.2, 0.1}}, ball = Sphere{.radius = 0.1};
  const auto dimensions = [](const WitnessPair& pair) {
    return std::pair(pair.a.feature.dimension, pair.b.feature.dimension);
  };
  EXPECT_EQ(dimensions(witness(box, ball, at(0.1, 0.1, 0.5))), std::pair(2, 0));
  EXPECT_EQ(dimensions(witness(box, ball, at(0.1, 0.5, 0.5))), std::pair(1, 0));
  EXPECT_EQ(dimensions(witness(ball, box, at(0.6, 0.5, 0.5))), std::pair(0, 0));
  EXPECT_EQ(dimensions(witness(box, box, at(0.0, 0.0, 0.5))), std::pair(2, 2));
  EXPECT_EQ(dimensions(witness(HalfSpace{}, ball, at(0.0, 0.0, 0.5))), std::pair(2, 0));
  const WitnessPair pair = witness(box, ball, at(0.1, 0.1, 0.5));
  EXPECT_NEAR(pair.b.feature.hessian.xx, 0.1, 1e-15);
  EXPECT_NEAR(pair.a.feature.hessian.xx, 0.0, 1e-15);
  EXPECT_LE((pair.b.arm - Double3{0.0, 0.0, -0.1}).norm(), 1e-15);
  EXPECT_LE((pair.a.point - Double3{0.1, 0.1, 0.1}).norm(), 1e-15);
  EXPECT_TRUE(pair.smooth);
}

/// The feature is that of the exact answer even where the answer is only as accurate as asked.
TEST(WitnessPair, AnswersOfLittleAccuracyHaveTheSameFeatures) {
  Random random(641);
  int different = 0;
  for (int i = 0; i < 200; ++i) {
    const TestPair pair{random_hull(random, 20), Box{.half_extents = random_sizes(random)},
                        random_pose(random, 1.0)};
    const WitnessPair exact = witness(pair.a, pair.b, pair.X_AB);
    const WitnessPair rough = witness(pair.a, pair.b, pair.X_AB,
                                      {.method = Method::gjk, .tolerance = 1e-8});
    different += exact.a.feature.dimension != rough.a.feature.dimension ||
                 exact.b.feature.dimension != rough.b.feature.dimension;
  }
  EXPECT_LE(different, 2);
}

TEST(WitnessPair, RefusesWhatIsNotOfThisPair) {
  const Shape box = Box{.half_extents = {0.3, 0.2, 0.1}}, ball = Sphere{.radius = 0.1};
  const Pose X = at(0.1, 0.1, 0.5);
  const Distance value = distance(box, {}, ball, X);
  EXPECT_EQ(rejected_field([&] { make_witness_pair(box, {}, ball, at(0.1, 0.1, 0.51), value); }),
            "value");
  EXPECT_EQ(rejected_field([&] { make_witness_pair(ball, {}, box, X, value); }), "value");
  Distance moved = value;
  moved.point_a.x() += 0.01;  // no longer opposite to point_b
  EXPECT_EQ(rejected_field([&] { make_witness_pair(box, {}, ball, X, moved); }), "value");
  Distance long_normal = value;
  long_normal.normal *= 1.1;
  EXPECT_EQ(rejected_field([&] { make_witness_pair(box, {}, ball, X, long_normal); }), "value");
  EXPECT_EQ(rejected_field([&] { make_witness_pair(HalfSpace{}, {}, HalfSpace{}, X, value); }),
            "b");
}

}  // namespace
}  // namespace tactum::witness_pair_test
