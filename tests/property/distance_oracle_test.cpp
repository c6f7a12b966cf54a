// SPDX-License-Identifier: BSD-2-Clause
// Every ordered pair of shape kinds against the oracles, over all classes of poses.
//
// TACTUM_ORACLE_POSES sets the number of poses per ordered pair (default 10000). Every 64th pose is
// solved anew by the oracle even where the answer proves itself.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <tuple>

#include "support/claim_check.hpp"

namespace tactum::testing::distance_oracle_test {
namespace {

std::atomic<long> poses_run = 0;
std::atomic<long> not_converged = 0;

// the share of not_converged is a property of the whole run
class WholeRun : public ::testing::Environment {
  void TearDown() override {
    EXPECT_LE(not_converged.load(), std::max(1L, poses_run.load() / 1000000))
        << "of " << poses_run.load() << " poses did not converge";
  }
};
[[maybe_unused]] const ::testing::Environment* const whole_run =
    ::testing::AddGlobalTestEnvironment(new WholeRun);

long poses_per_pair() {
  const char* text = std::getenv("TACTUM_ORACLE_POSES");
  const long count = text == nullptr ? 10000 : std::atol(text);
  return count > 0 ? count : 10000;
}

class DistanceOracle : public ::testing::TestWithParam<std::tuple<ShapeKind, ShapeKind>> {};

TEST_P(DistanceOracle, AnswersAreTrue) {
  const auto [kind_a, kind_b] = GetParam();
  if (kind_a == ShapeKind::half_space && kind_b == ShapeKind::half_space) {
    EXPECT_THROW(distance(Shape(HalfSpace{}), Pose{}, Shape(HalfSpace{}), Pose{}), InvalidInput);
    EXPECT_THROW(collide(Shape(HalfSpace{}), Pose{}, Shape(HalfSpace{}), Pose{}), InvalidInput);
    return;
  }
  const std::uint64_t seed = 20240 + 8 * static_cast<std::uint64_t>(kind_a) +
                             static_cast<std::uint64_t>(kind_b);
  const PairSampler sampler(kind_a, kind_b, seed);
  // of an STP volume the oracle tries all triples of points
  const bool slow = kind_a == ShapeKind::stp || kind_b == ShapeKind::stp;
  const long count = slow ? std::max(20L, poses_per_pair() / 100) : poses_per_pair();
  long failures = 0, wrong_signs = 0, unproved = 0;
  for (long i = 0; i < count; ++i) {
    const PairSample sample = sampler.sample(static_cast<std::uint64_t>(i));
    const ClaimReport report = query_and_check(sample, {.always_search = i % 64 == 0});
    ++poses_run;
    not_converged += report.not_converged;
    wrong_signs += report.wrong_sign;
    unproved += !report.proved;
    if (!report.failure.empty() && ++failures <= 3) {
      ADD_FAILURE() << report.failure << "\n  seed " << seed << " pose " << i << ", "
                    << sample.describe();
    }
  }
  EXPECT_EQ(failures, 0) << "of " << count << " poses";
  EXPECT_EQ(wrong_signs, 0);
  // the oracle itself must know the truth nearly always, or these checks mean little
  EXPECT_LE(unproved, std::max(5L, count / 10)) << "poses whose truth is only found, not proved";
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<ShapeKind, ShapeKind>>& kinds) {
  return std::string(to_string(std::get<0>(kinds.param))) + "_" +
         std::string(to_string(std::get<1>(kinds.param)));
}

INSTANTIATE_TEST_SUITE_P(EveryPair, DistanceOracle,
                         ::testing::Combine(::testing::ValuesIn(kAllKinds),
                                            ::testing::ValuesIn(kAllKinds)),
                         name_of);

/// tactum_accuracy --poses 9791400 --seed 20261118135 found point_b 8e-12 scale outside this disc:
/// the direction to a grain 220 m away was off by less than it takes to move the distance, but the
/// point followed it along the tangent at a rim 14 micrometers thin.
TEST(PosesThatFailedOnce, GrainFarFromThinDisc) {
  Points grain(3, 1);
  grain << 0x1.63901d845c253p-18, -0x1.8f8268e4a844cp-19, -0x1.f6bcdc6316d89p-16;
  const Shape volume = Stp::from_points(
      grain, {.small_radius = 0x1.2acd66a58857dp-19, .big_radius = 0x1.33d14c580c37ap-19});
  const Shape disc = Ellipsoid{
      .semi_axes = {0x1.7f7c45222cfbep-2, 0x1.16200e5a2ddap-2, 0x1.d080aa1e8f993p-17}};
  Pose X;
  X.rotation << 0x1.264f11446ade7p-3, -0x1.cc08aba2c3b0dp-1, -0x1.a8bb4a1e7c738p-2,  //
      0x1.8933a4e7447f7p-1, -0x1.4e03312f3326ap-3, 0x1.3d1e207ccfaccp-1,             //
      -0x1.3f910a5f00f18p-1, -0x1.a1533c97e7044p-2, 0x1.554b18261b742p-1;
  X.translation << -0x1.c8ff331188b4p-5, 0x1.ed8abbb01386ep-3, -0x1.b8031ee675b3fp+7;
  const Pose inverse{X.rotation.transpose(), -(X.rotation.transpose() * X.translation)};
  for (const PairSample& sample : {PairSample{volume, disc, Pose{}, X, PoseClass::far_apart},
                                   PairSample{disc, volume, Pose{}, inverse, PoseClass::far_apart}})
    EXPECT_EQ(query_and_check(sample, {.always_search = true}).failure, "") << sample.describe();
}

/// tactum_accuracy --poses 1e7 --seed 20261119204 found points 7e-12 m off the claimed normal: a
/// flat hexagon lies beside the base of a cone, and seen along their normal a corner misses the rim
/// by that much, so that the direction is not that of the normal.
TEST(PosesThatFailedOnce, FacesSideBySide) {
  Points corners(3, 6);
  corners << 0x1.55330755120fdp-2, 0x1.55330755120fep-3, -0x1.55330755120fap-3,
      -0x1.55330755120fdp-2, -0x1.5533075512102p-3, 0x1.55330755120fep-3,  //
      0.0, 0x1.84a285eaa86b6p-3, 0x1.84a285eaa86b7p-3, 0x1.ef01e88b241b7p-56, -0x1.84a285eaa86b4p-3,
      -0x1.84a285eaa86b6p-3,  //
      0.0, 0.0, 0.0, 0.0, 0.0, 0.0;
  Pose X;
  X.rotation << -0x1.fffffffffffffp-1, -0x1p-56, -0x1.8p-57,  //
      -0x1p-56, -0x1.fffffffffffffp-1, 0.0,                   //
      0x1.8p-57, 0.0, 1.0;
  X.translation << 0x1.53cbe3d8b6297p-1, -0x1.462cp-39, 0x1.a750f2aa9afdap-3;
  const PairSample sample{Convex::from_points(corners),
                          Cone{.radius = 0x1.5264c05c3d37p-2, .half_length = 0x1.a67ad09b880d2p-3},
                          Pose{}, X, PoseClass::parallel};
  EXPECT_EQ(query_and_check(sample).failure, "") << sample.describe();
}

}  // namespace
}  // namespace tactum::testing::distance_oracle_test
