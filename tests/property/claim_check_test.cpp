// SPDX-License-Identifier: BSD-2-Clause
// The judge must acquit true answers and convict false ones: each test alters one thing in an
// answer that is right by construction.
#include "support/claim_check.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace tactum::testing::claim_check_test {
namespace {

struct Case {
  PairSample sample;
  Distance claim;
};

Status status_of(double d, double scale) {
  const double width = 64 * std::numeric_limits<double>::epsilon() * scale;
  return d > width ? Status::separated : d < -width ? Status::penetrating : Status::touching;
}

// B is put where the touching points of the two bodies are `gap` apart along n, so n is critical
// and the signed distance is `gap`
Case in_line(const Shape& a, const Shape& b, const Vector3& n, double gap) {
  const ConvexBody body_a(a, Pose{}), body_b(b, Pose{});
  const Vec3 wide = widen(n).normalized();
  const Vec3 point_a = body_a.support(wide) + body_a.radius * wide;
  const Vec3 from_b = body_b.support(-wide) - body_b.radius * wide;
  Case result{{a,
               b,
               Pose{},
               {Matrix3::Identity(), narrow(point_a - from_b + Real(gap) * wide)},
               PoseClass::apart},
              {}};
  Distance& claim = result.claim;
  claim.point_a = narrow(point_a);
  claim.point_b = narrow(from_b) + result.sample.X_WB.translation;
  claim.normal = narrow(wide);
  claim.distance = claim.lower = claim.upper = gap;
  claim.status = status_of(gap, pair_scale(a, Pose{}, b, result.sample.X_WB));
  return result;
}

Case ellipsoids(double gap) {
  return in_line(Ellipsoid{.semi_axes = Vector3(0.3, 0.2, 0.25)},
                 Ellipsoid{.semi_axes = Vector3(0.2, 0.3, 0.4), .margin = 0.01},
                 Vector3(0.48, 0.6, 0.64), gap);
}

// axis-aligned boxes that overlap by 0.1, 0.2 and 0.3 along x, y, z; `axis` chooses which of these
// is claimed as the depth
Case boxes(int axis) {
  const Vector3 half(0.5, 0.5, 0.5), t(0.9, 0.8, 0.7);
  Case result{{Box{.half_extents = half},
               Box{.half_extents = half},
               Pose{},
               {Matrix3::Identity(), t},
               PoseClass::deep},
              {}};
  Distance& claim = result.claim;
  claim.normal = Vector3::Unit(axis);
  claim.distance = claim.lower = claim.upper = t[axis] - 1.0;
  claim.point_a = 0.5 * t;
  claim.point_a[axis] = 0.5;
  claim.point_b = claim.point_a + claim.distance * claim.normal;
  claim.status = Status::penetrating;
  return result;
}

void shift(Distance& claim, double by) {
  claim.distance += by;
  claim.lower += by;
  claim.upper += by;
}

std::string verdict(const Case& c, const CheckOptions& options = {}) {
  return check_distance(c.sample, c.claim, options).failure;
}

class TrueAnswers : public ::testing::TestWithParam<double> {};

TEST_P(TrueAnswers, AreAcquitted) {
  EXPECT_EQ(verdict(ellipsoids(GetParam())), "");
  EXPECT_EQ(verdict(ellipsoids(GetParam()), {.always_search = true}), "");
}

TEST_P(TrueAnswers, AreConvictedOnceAltered) {
  const Case truth = ellipsoids(GetParam());
  const double scale = pair_scale(truth.sample.a, truth.sample.X_WA, truth.sample.b,
                                  truth.sample.X_WB);
  const Vector3 tangent = truth.claim.normal.unitOrthogonal();
  const auto altered = [&](const std::function<void(Distance&)>& change) {
    Case copy = truth;
    change(copy.claim);
    return verdict(copy);
  };
  EXPECT_NE(altered([&](Distance& r) { r.distance = std::numeric_limits<double>::quiet_NaN(); }),
            "");
  EXPECT_NE(altered([&](Distance& r) { r.point_a[1] = std::numeric_limits<double>::infinity(); }),
            "");
  EXPECT_NE(altered([&](Distance& r) { r.normal = -r.normal; }), "");
  EXPECT_NE(altered([&](Distance& r) { r.normal *= 1 + 1e-14; }), "");
  EXPECT_NE(altered([&](Distance& r) {
              std::swap(r.point_a, r.point_b);
              r.point_a += tangent * 1e-9;
            }),
            "");
  EXPECT_NE(altered([&](Distance& r) { shift(r, 2e-12 * scale); }), "");
  EXPECT_NE(altered([&](Distance& r) { shift(r, -2e-12 * scale); }), "");
  // within the accuracy asked of the distance, but the bounds are said to be proved
  EXPECT_NE(altered([&](Distance& r) { shift(r, 5e-15 * scale); }), "");
  EXPECT_NE(altered([&](Distance& r) { shift(r, -5e-15 * scale); }), "");
  EXPECT_NE(altered([&](Distance& r) { r.lower -= 1e-9 * scale; }), "");
  EXPECT_NE(altered([&](Distance& r) { r.upper += 1e-9 * scale; }), "");
  EXPECT_NE(altered([&](Distance& r) { r.normal = (r.normal + 2e-6 * tangent).normalized(); }), "");
  EXPECT_NE(altered([&](Distance& r) { r.point_a += 3e-12 * scale * r.normal; }), "");
  EXPECT_NE(altered([&](Distance& r) { r.point_b += 3e-12 * scale * tangent; }), "");
  EXPECT_NE(
      altered([&](Distance& r) { r.point_a += 1e-3 * r.normal, r.point_b += 1e-3 * r.normal; }),
      "");
  for (const Status wrong : {Status::separated, Status::touching, Status::penetrating,
                             Status::beyond_cutoff, Status::invalid_input}) {
    if (wrong == truth.claim.status) continue;
    EXPECT_NE(altered([&](Distance& r) { r.status = wrong; }), "") << to_string(wrong);
  }
}

INSTANTIATE_TEST_SUITE_P(Gaps, TrueAnswers,
                         ::testing::Values(0.25, 1e-3, 1e-7, -1e-7, -1e-3, -0.05));

TEST(WrongSigns, AreSeenAsSuch) {
  for (const double gap : {1e-3, 1e-9, 1e-12, 5e-14, -5e-14, -1e-12, -1e-9, -1e-3}) {
    Case c = ellipsoids(gap);
    c.claim.distance = c.claim.lower = c.claim.upper = -gap;
    c.claim.status = c.claim.status == Status::separated ? Status::penetrating : Status::separated;
    EXPECT_TRUE(check_distance(c.sample, c.claim).wrong_sign) << gap;
  }
}

/// A sign that the bounds leave open counts as touching, and only such a sign.
TEST(Touching, NeedsTheContactBandOrAnOpenSign) {
  Case c = ellipsoids(-5e-14);
  c.claim.status = Status::touching;
  EXPECT_NE(verdict(c), "");
  c.claim.upper = 1e-14;
  EXPECT_EQ(verdict(c), "");
}

TEST(LocalMinima, OfTheDepthAreConvicted) {
  EXPECT_EQ(verdict(boxes(0)), "");
  EXPECT_NE(verdict(boxes(1)), "");
  EXPECT_NE(verdict(boxes(2)), "");
  // concentric ellipsoids: every axis is critical, the shortest sum is the depth
  const Shape a = Ellipsoid{.semi_axes = Vector3(0.3, 0.2, 0.25)},
              b = Ellipsoid{.semi_axes = Vector3(0.3, 0.4, 0.25 + 1e-11)};
  EXPECT_EQ(verdict(in_line(a, b, Vector3::UnitZ(), -0.5 - 1e-11)), "");
  EXPECT_NE(verdict(in_line(a, b, Vector3::UnitX(), -0.6)), "");
  EXPECT_NE(verdict(in_line(a, b, Vector3::UnitY(), -0.6)), "");
}

TEST(Polytopes, AreHeldToRounding) {
  Case c = boxes(0);
  c.claim.distance -= 1e-13;
  EXPECT_NE(verdict(c), "");
  c = boxes(0);
  c.claim.normal = Vector3(1, 1e-7, 0).normalized();
  EXPECT_NE(verdict(c), "");
}

TEST(NotConverged, StillNeedsTrueBounds) {
  Case c = boxes(0);
  c.claim.status = Status::not_converged;
  c.claim.lower = -1.0, c.claim.upper = 1.0;
  const ClaimReport report = check_distance(c.sample, c.claim);
  EXPECT_EQ(report.failure, "");
  EXPECT_TRUE(report.not_converged);
  c.claim.lower = c.claim.distance = -0.05;
  EXPECT_NE(verdict(c), "");
}

TEST(Collisions, AreJudged) {
  const Case apart = ellipsoids(0.25), inside = ellipsoids(-0.05);
  const ClaimReport known_apart = check_distance(apart.sample, apart.claim),
                    known_inside = check_distance(inside.sample, inside.claim);
  Collision yes;
  yes.colliding = true, yes.status = Status::penetrating, yes.lower = -0.05;
  Collision no;
  no.status = Status::separated, no.normal = apart.claim.normal, no.lower = 0.25;
  EXPECT_EQ(check_collision(apart.sample, no, known_apart), "");
  EXPECT_EQ(check_collision(inside.sample, yes, known_inside), "");
  EXPECT_NE(check_collision(apart.sample, yes, known_apart), "");
  EXPECT_NE(check_collision(inside.sample, no, known_inside), "");
  no.lower = 0.2501;
  EXPECT_NE(check_collision(apart.sample, no, known_apart), "");
  no.lower = 0.2, no.normal = -no.normal;
  EXPECT_NE(check_collision(apart.sample, no, known_apart), "");
}

}  // namespace
}  // namespace tactum::testing::claim_check_test
