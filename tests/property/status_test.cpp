// SPDX-License-Identifier: BSD-2-Clause
// A status claims no more than the bounds prove, on every road to an answer: single queries,
// batches, scenes, collide(); and what touches has a contact at a cutoff of zero.
#include "tactum/status.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "math/epsilon.hpp"
#include "support/claim_check.hpp"
#include "support/repetitions.hpp"
#include "tactum/contact_patch.hpp"
#include "tactum/distances.hpp"
#include "tactum/scene.hpp"

namespace tactum::testing::status_test {
namespace {

constexpr double kBand = 64.0 * kEpsilon, kTolerance = 1e-10;

struct Claim {
  Status status;
  double distance, lower, upper;
};

Claim claim_of(const Distance& r) { return {r.status, r.distance, r.lower, r.upper}; }

/// Violation of docs/conventions.md by a result without a cutoff; empty when there is none.
std::string broken_promise(const Claim& r, double scale) {
  const double band = kBand * scale;
  if (!(r.lower <= r.distance && r.distance <= r.upper)) return "distance outside its bounds";
  if (r.status == Status::not_converged) return {};
  if (!(r.upper - r.lower <= kTolerance * scale)) return "bounds wider than the tolerance";
  if (r.status == Status::separated)
    return r.lower > 0.0 && r.distance > band ? "" : "separated without a proof";
  if (r.status == Status::penetrating)
    return r.upper < 0.0 && r.distance < -band ? "" : "penetrating without a proof";
  if (r.status != Status::touching) return "no status of a distance";
  return std::abs(r.distance) <= band || (r.lower <= 0.0 && r.upper >= 0.0)
             ? ""
             : "touching with a proved sign";
}

/// The pose moved until the shapes touch, give or take a few contact bands; now and then both far
/// from the origin.
PairSample near_contact(PairSample sample, Random& random) {
  const Distance r = distance(sample.a, sample.X_WA, sample.b, sample.X_WB);
  const double band = kBand * pair_scale(sample.a, sample.X_WA, sample.b, sample.X_WB);
  const double off = random.chance(0.3) ? 0.0
                                        : band * random.log_uniform(0.01, 100.0) * random.sign();
  sample.X_WB.translation += (off - r.distance) * r.normal;
  if (!random.chance(0.3)) return sample;
  const Pose away{random.rotation(), random.log_uniform(1.0, 1e5) * random.direction()};
  sample.X_WA = away * sample.X_WA;
  sample.X_WB = away * sample.X_WB;
  return sample;
}

Claim row_of_batch(const PairSample& s, BatchWorkspace& work) {
  Claim row{};
  const PairBatch batch{.size = 1,
                        .a = {.shapes = {&s.a, 1}, .poses = s.X_WA},
                        .b = {.shapes = {&s.b, 1}, .poses = s.X_WB}};
  distances(batch, {.num_threads = 1}, work,
            {.status = {&row.status, 1},
             .distance = {&row.distance, 1},
             .lower = {&row.lower, 1},
             .upper = {&row.upper, 1}});
  return row;
}

void check_every_road(const PairSample& s, BatchWorkspace& work) {
  const double scale = pair_scale(s.a, s.X_WA, s.b, s.X_WB);
  const Distance single = distance(s.a, s.X_WA, s.b, s.X_WB);
  EXPECT_EQ(broken_promise(claim_of(single), scale), "");
  EXPECT_EQ(broken_promise(row_of_batch(s, work), scale), "");
  const Collision collision = collide(s.a, s.X_WA, s.b, s.X_WB);
  if (single.status == Status::separated) {
    EXPECT_FALSE(collision.colliding);
  }
  if (single.status == Status::penetrating) {
    EXPECT_TRUE(collision.colliding);
  }
  Scene scene;
  scene.add({.geometry = s.a, .X = s.X_WA});
  scene.add({.geometry = s.b, .X = s.X_WB});
  SceneDistances found;
  ASSERT_TRUE(scene.distances({.margin = 0.0, .num_threads = 1}, found));
  for (const GeometryDistance& r : found.distances)
    EXPECT_EQ(broken_promise(claim_of(r), scale), "");
  if (!collision.colliding) return;
  EXPECT_EQ(found.pairs.size(), 1U);
  EXPECT_GT(contact_patch(s.a, s.X_WA, s.b, s.X_WB, {.cutoff = 0.0}).count, 0);
  EXPECT_GT(contact_patch(single, s.a, s.X_WA, s.b, s.X_WB, {.cutoff = 0.0}).count, 0);
  SceneContacts contacts;
  ASSERT_TRUE(scene.contacts({.margin = 0.0, .num_threads = 1}, contacts));
  EXPECT_FALSE(contacts.contacts.empty());
}

class StatusOfBounds : public ::testing::TestWithParam<std::tuple<ShapeKind, ShapeKind>> {};

TEST_P(StatusOfBounds, ClaimsNoMoreThanIsProved) {
  const auto [kind_a, kind_b] = GetParam();
  if (kind_a == ShapeKind::half_space && kind_b == ShapeKind::half_space) return;
  const PairSampler sampler(kind_a, kind_b, 31, 8);
  BatchWorkspace work;
  Random random(32, 16 * static_cast<std::uint64_t>(kind_a) + static_cast<std::uint64_t>(kind_b));
  const int count = repetitions(kind_a == ShapeKind::stp || kind_b == ShapeKind::stp ? 40 : 200);
  for (int i = 0; i < count; ++i) {
    const PairSample drawn = sampler.sample(static_cast<std::uint64_t>(i)),
                     sample = i % 4 == 0 ? drawn : near_contact(drawn, random);
    SCOPED_TRACE(::testing::Message() << i << " " << sample.describe());
    check_every_road(sample, work);
    if (::testing::Test::HasFailure()) return;
  }
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<ShapeKind, ShapeKind>>& kinds) {
  return std::string(to_string(std::get<0>(kinds.param))) + "_" +
         std::string(to_string(std::get<1>(kinds.param)));
}

INSTANTIATE_TEST_SUITE_P(EveryPair, StatusOfBounds,
                         ::testing::Combine(::testing::ValuesIn(kAllKinds),
                                            ::testing::ValuesIn(kAllKinds)),
                         name_of);

Pose pose_of(const std::array<double, 9>& rows, const std::array<double, 3>& t) {
  Pose X;
  for (int i = 0; i < 9; ++i) X.rotation(i / 3, i % 3) = rows[static_cast<std::size_t>(i)];
  X.translation = {t[0], t[1], t[2]};
  return X;
}

/// Three of 3,000,000 poses which had a wrong sign, or a distance that depended on where the origin
/// is: another local optimum was within what was proved then.
TEST(Status, SignsOfNearTiesFarFromTheOrigin) {
  const std::vector<PairSample> samples = {
      {Cylinder{.radius = 0.3158352816143889, .half_length = 0.10408411501836193},
       Box{.half_extents = {0.12540210017119435, 0.42448056476550666, 0.48661609120616245}},
       pose_of({-0x1.aa4e3d10f379dp-2, 0x1.c0193672b8867p-3, 0x1.c3d7512f31ef1p-1,
                -0x1.23b7cdf5ac00dp-1, 0x1.63225f9bc7eecp-1, -0x1.c353ff01a6819p-2,
                -0x1.6ac8178dd722bp-1, -0x1.5f638c8f868f7p-1, -0x1.50148a92cc12ep-3},
               {-0x1.1f5ede5828cfep+11, -0x1.0d5e8d88324efp+12, 0x1.8614bd75d9184p+7}),
       pose_of({0x1.13d5abe79d0bfp-1, -0x1.268beb1457b2ep-3, 0x1.a90394a1d40c6p-1,
                0x1.da72b17676354p-2, 0x1.bf3ca4aeed05p-1, -0x1.31e31db382663p-3,
                -0x1.6841674885933p-1, 0x1.dc3d17c7bc23cp-2, 0x1.130fe7d39f569p-1},
               {-0x1.1f4e778da4efcp+11, -0x1.0d67709710d4dp+12, 0x1.857661f0969efp+7}),
       PoseClass::far_from_origin},
      {Cone{.radius = 0.328057713670607, .half_length = 0.15276757607342162},
       Box{.half_extents = {0.3105225025065053, 0.3416150542487855, 0.10644091159297152}},
       pose_of({0x1.f850eafd17abp-2, 0x1.1158486a29649p-1, 0x1.5fe9c888c059cp-1,
                -0x1.bc940598c3105p-1, 0x1.fbc7007798bfbp-3, 0x1.b7e7f7e25f8acp-2,
                0x1.e2cd2f08e4989p-5, -0x1.9de5f0dd58dp-1, 0x1.2bde99e141d5cp-1},
               {-0x1.0d6367350d3fp+10, 0x1.e1437eb3bd646p+7, -0x1.28b7f5a37f151p+10}),
       pose_of({-0x1.a1e7854194b9fp-1, 0x1.27c8edbf81fbep-1, -0x1.ad172fdec268p-8,
                -0x1.b2e7c6da49394p-2, -0x1.2f42285955442p-1, 0x1.5e8f7bf555619p-1,
                0x1.9111e2d719273p-2, 0x1.1f8edc551acccp-1, 0x1.75261eeb31a9p-1},
               {-0x1.0d9609cfdea1cp+10, 0x1.e1c606d835b5cp+7, -0x1.28b3e94ba7568p+10}),
       PoseClass::far_from_origin},
      {Cylinder{.radius = 0.46949601141481645, .half_length = 0.27855613431701},
       Box{.half_extents = {0.4760851311857124, 0.340450231484553, 0.4508280506597132}},
       pose_of({0x1.cd9ab4a2fc4a3p-1, -0x1.60bb3c1f3014fp-4, -0x1.b2263731800bcp-2,
                -0x1.26e33f5bdbf12p-4, 0x1.df77cd1dd29bcp-1, -0x1.5f8b2bafae6e3p-2,
                0x1.b4d65e06d8da1p-2, 0x1.5c329c2437a58p-2, 0x1.ad199e180dd3ep-1},
               {0x1.2f06ab039b12ap+13, 0x1.a977a8cb8e4c6p+16, -0x1.574f21d7496bap+16}),
       pose_of({0x1.b22637317fb94p-2, 0x1.cd9ab4a2fc5a9p-1, 0x1.60bb3c1f310d1p-4,
                0x1.5f8b2bafae69p-2, -0x1.26e33f5bda59cp-4, -0x1.df77cd1dd2a0ap-1,
                -0x1.ad199e180de9cp-1, 0x1.b4d65e06d8a5dp-2, -0x1.5c329c24377bp-2},
               {0x1.2f0ec188c6885p+13, 0x1.a97848320d65fp+16, -0x1.574f43df758e9p+16}),
       PoseClass::far_from_origin}};
  BatchWorkspace work;
  for (const PairSample& sample : samples) {
    EXPECT_EQ(query_and_check(sample, {.always_search = true}).failure, "") << sample.describe();
    check_every_road(sample, work);
  }
}

/// With a wide tolerance the bounds of an overlap may hold zero: then no sign is claimed.
TEST(Status, WideTolerancesProveNoSign) {
  Random random(33);
  for (int i = 0; i < repetitions(2000); ++i) {
    const PairSampler sampler(random.chance(0.5) ? ShapeKind::cone : ShapeKind::ellipsoid,
                              ShapeKind::convex, 34, 8);
    const PairSample sample = near_contact(sampler.sample(static_cast<std::uint64_t>(i)), random);
    const Distance r = distance(sample.a, sample.X_WA, sample.b, sample.X_WB,
                                {.tolerance = random.log_uniform(1e-9, 1e-1)});
    if (r.status == Status::penetrating) {
      EXPECT_LT(r.upper, 0.0);
    }
    if (r.status == Status::separated) {
      EXPECT_GT(r.lower, 0.0);
    }
  }
}

}  // namespace
}  // namespace tactum::testing::status_test
