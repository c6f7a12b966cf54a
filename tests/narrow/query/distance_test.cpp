// SPDX-License-Identifier: BSD-2-Clause
// The public distance query: conventions, statuses, bounds, cutoff, warm starts and errors.
#include "tactum/distance.hpp"
#include "narrow/query/general_distance.hpp"

#include "narrow/narrow_fixtures.hpp"
#include "narrow/pair/pair_frame.hpp"

namespace tactum::distance_test {
namespace {

using namespace tactum::testing;

/// All that the header promises of one converged result.
void expect_conventions(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                        const Distance& r, double tolerance = 1e-10) {
  const double scale = pair_scale(a, X_WA, b, X_WB);
  const double world = std::max({scale, X_WA.translation.norm(), X_WB.translation.norm()});
  EXPECT_NEAR(r.normal.norm(), 1.0, 4.0 * kEps);
  EXPECT_LE((r.point_b - r.point_a - r.distance * r.normal).norm(),
            tolerance * scale + 16.0 * kEps * world);
  EXPECT_LE(r.lower, r.distance);
  EXPECT_LE(r.distance, r.upper);
  EXPECT_LE(r.upper - r.lower, tolerance * scale);
  const double band = 64.0 * kEps * scale;
  const Status expected = r.distance > band    ? Status::separated
                          : r.distance < -band ? Status::penetrating
                                               : Status::touching;
  EXPECT_EQ(r.status, expected) << r.distance;
  // points in both shapes, within their own core and radius, checked by the oracle
  const ConvexBody body_a(a, X_WA), body_b(b, X_WB);
  if (!body_a.is_half_space()) {
    EXPECT_LE(static_cast<double>(body_a.distance_to_core(widen(r.point_a)) - body_a.radius),
              tolerance * scale + 16.0 * kEps * world);
  }
  if (!body_b.is_half_space()) {
    EXPECT_LE(static_cast<double>(body_b.distance_to_core(widen(r.point_b)) - body_b.radius),
              tolerance * scale + 16.0 * kEps * world);
  }
}

TEST(Distance, EveryPairOfKindsAgreesWithTheOracle) {
  for (const auto& [kind_a, kind_b] : kAllPairs) {
    Random random(151, stream_of(kind_a, kind_b));
    for (int k = 0; k < 10; ++k) {
      const Shape a = random_shape_of(kind_a, random), b = random_shape_of(kind_b, random);
      const Pose X_WA = random_pose(random, 0.4),
                 X_WB = random_pose(random, k % 2 == 0 ? 0.4 : 1.5);
      SCOPED_TRACE(::testing::Message() << k << " " << a.to_string() << " " << b.to_string());
      const Pose X_AB = pose_in_frame_of_a(X_WA, X_WB);
      const Truth truth = oracle_distance(a, b, X_AB);
      const double scale = pair_scale(a, X_WA, b, X_WB), error = static_cast<double>(truth.error),
                   value = static_cast<double>(truth.distance);
      for (const Method method : {Method::automatic, Method::gjk}) {
        const Distance r = distance(a, X_WA, b, X_WB, {.method = method});
        expect_conventions(a, X_WA, b, X_WB, r);
        EXPECT_LE(r.lower, value + error);
        EXPECT_GE(r.upper, value);
        EXPECT_NEAR(r.distance, value, error + 1e-12 * scale);
        if (truth.normal_unique) {
          EXPECT_LE(static_cast<double>(
                        angle_between(widen(r.normal), widen(X_WA.rotation) * truth.normal)),
                    1e-6);
        }
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(Distance, SwappingTheShapesTurnsTheAnswerAround) {
  Random random(152);
  for (int i = 0; i < 100; ++i) {
    const Shape a = random_shape_of(pick_kind(kAllKinds, random), random),
                b = random_shape_of(ShapeKind::ellipsoid, random);
    const Pose X_WA = random_pose(random, 0.6), X_WB = random_pose(random, 0.6);
    const Distance forward = distance(a, X_WA, b, X_WB), backward = distance(b, X_WB, a, X_WA);
    SCOPED_TRACE(::testing::Message() << i << " " << a.to_string() << " " << b.to_string());
    EXPECT_NEAR(forward.distance, backward.distance, 1e-12);
    EXPECT_EQ(forward.status, backward.status);
  }
}

TEST(Distance, NormalPointsFromAToB) {
  const Distance r = distance(Box{.half_extents = {1, 1, 1}}, {}, Sphere{.radius = 0.5},
                              at(3, 0, 0));
  EXPECT_EQ(r.status, Status::separated);
  EXPECT_NEAR(r.distance, 1.5, 4.0 * kEps);
  EXPECT_LE((r.normal - Vector3::UnitX()).norm(), 4.0 * kEps);
  EXPECT_LE((r.point_a - Vector3(1, 0, 0)).norm(), 4.0 * kEps);
  EXPECT_LE((r.point_b - Vector3(2.5, 0, 0)).norm(), 4.0 * kEps);
  const Distance deep = distance(Box{.half_extents = {1, 1, 1}}, {}, Sphere{.radius = 0.5},
                                 at(1.25, 0, 0));
  EXPECT_EQ(deep.status, Status::penetrating);
  EXPECT_NEAR(deep.distance, -0.25, 4.0 * kEps);
  EXPECT_LE((deep.normal - Vector3::UnitX()).norm(), 4.0 * kEps);
  EXPECT_LE((deep.point_b - Vector3(0.75, 0, 0)).norm(), 4.0 * kEps);
}

TEST(Distance, StatusBandsAroundContact) {
  const Shape ball = Sphere{.radius = 0.5};
  // scale 1: the band is 64 eps
  for (const auto& [gap, status] :
       {std::pair(0.0, Status::touching), std::pair(32.0 * kEps, Status::touching),
        std::pair(-32.0 * kEps, Status::touching), std::pair(128.0 * kEps, Status::separated),
        std::pair(-128.0 * kEps, Status::penetrating)}) {
    const Distance r = distance(ball, {}, ball, at(1.0 + gap, 0, 0));
    EXPECT_EQ(r.status, status) << gap / kEps;
    EXPECT_NEAR(r.distance, gap, 4.0 * kEps);
    EXPECT_LE((r.normal - Vector3::UnitX()).norm(), 4.0 * kEps);
  }
  for (const double gap : {0.0, 16.0 * kEps, -16.0 * kEps, 1e-12, -1e-12}) {
    const Distance r = distance(Box{.half_extents = {0.5, 0.5, 0.5}}, {},
                                Cylinder{.radius = 0.3, .half_length = 0.5},
                                at(0.1, 0.1, 1.0 + gap));
    EXPECT_EQ(r.status, std::abs(gap) < 64.0 * kEps ? Status::touching
                        : gap > 0.0                 ? Status::separated
                                                    : Status::penetrating)
        << gap;
    EXPECT_LE((r.normal - Vector3::UnitZ()).norm(), 1e-7) << gap;
  }
}

TEST(Distance, Cutoff) {
  Random random(153);
  const Shape hull = random_hull(random, 100), ellipsoid = Ellipsoid{.semi_axes = {0.1, 0.2, 0.3}},
              ball = Sphere{.radius = 0.1};
  for (const Shape& a : {hull, ellipsoid, ball}) {
    for (const Shape& b : {hull, ellipsoid, ball}) {
      const Pose X = at(2.0, 0.3, 0.1);
      const double truth = distance(a, {}, b, X).distance;
      SCOPED_TRACE(a.to_string() + " " + b.to_string());
      for (const double cutoff : {0.0, 0.5 * truth, 0.999 * truth}) {
        const Distance r = distance(a, {}, b, X, {.cutoff = cutoff});
        EXPECT_EQ(r.status, Status::beyond_cutoff);
        EXPECT_EQ(r.distance, r.lower);
        EXPECT_GT(r.lower, cutoff);
        EXPECT_LE(r.lower, truth + 1e-14);
        EXPECT_EQ(r.upper, kInfinity);
        // the normal proves it
        const Truth independent = oracle_distance(a, b, X);
        EXPECT_LE(r.lower, static_cast<double>(independent.distance + independent.error));
        EXPECT_NEAR(static_cast<double>(separation(ConvexBody(a, Pose{}), ConvexBody(b, X),
                                                   widen(r.normal).normalized())),
                    r.lower, 64.0 * kEps * 2.0);
      }
      const Distance full = distance(a, {}, b, X, {.cutoff = 1.001 * truth});
      EXPECT_EQ(full.status, Status::separated);
      EXPECT_NEAR(full.distance, truth, 1e-12);
    }
  }
  // contact is never beyond a cutoff
  EXPECT_EQ(distance(ball, {}, ball, at(0.1, 0, 0), {.cutoff = 0.0}).status, Status::penetrating);
  EXPECT_EQ(distance(HalfSpace{}, {}, ball, at(0, 0, 1), {.cutoff = 0.5}).status,
            Status::beyond_cutoff);
}

TEST(Distance, WarmStartGivesTheSameAnswer) {
  Random random(154);
  for (int i = 0; i < 60; ++i) {
    const Shape a = random_hull(random, 200),
                b = random_shape_of(pick_kind(kBoundedKinds, random), random);
    Pose X_WB = random_pose(random, 0.8);
    WarmStart warm;
    for (int step = 0; step < 5; ++step) {
      const Distance cold = distance(a, {}, b, X_WB),
                     tracked = distance(a, {}, b, X_WB, {.warm_start = &warm});
      SCOPED_TRACE(::testing::Message() << i << " " << step << " " << b.to_string());
      EXPECT_NEAR(cold.distance, tracked.distance, 1e-12);
      EXPECT_EQ(cold.status, tracked.status);
      expect_conventions(a, {}, b, X_WB, tracked);
      warm = tracked.warm_start;
      X_WB.translation += 1e-3 * random.direction();
    }
    EXPECT_NEAR(warm.direction_A.norm(), 1.0, 1e-12);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Distance, WarmStartSavesWork) {
  Random random(162);
  int cold = 0, warm = 0;
  for (int i = 0; i < 100; ++i) {
    const Shape a = random_hull(random, 200), b = random_hull(random, 200);
    const Pose X{random.rotation(), Vector3(1.2, 0.1, 0.2)};
    const Distance first = distance(a, {}, b, X);
    cold += first.iterations;
    warm += distance(a, {}, b, X, {.warm_start = &first.warm_start}).iterations;
  }
  EXPECT_LT(warm, cold);
}

TEST(Distance, WarmStartsMayBeNonsense) {
  Random random(155);
  const Shape a = random_hull(random, 50), b = random_hull(random, 50);
  const Pose X = random_pose(random, 0.7);
  const double truth = distance(a, {}, b, X).distance;
  for (int i = 0; i < 50; ++i) {
    WarmStart warm{
        1e-250 * random.direction(),
        {static_cast<std::int32_t>(random.bits()), static_cast<std::int32_t>(random.bits())}};
    EXPECT_NEAR(distance(a, {}, b, X, {.warm_start = &warm}).distance, truth, 1e-13);
    EXPECT_NEAR(distance(a, {}, b, X,
                         {.initial_direction = 1e100 * random.direction(), .warm_start = &warm})
                    .distance,
                truth, 1e-13);
  }
}

TEST(Distance, SameInputSameBits) {
  Random random(156);
  for (int i = 0; i < 50; ++i) {
    const Shape a = random_shape_of(pick_kind(kAllKinds, random), random),
                b = random_shape_of(ShapeKind::cylinder, random);
    const Pose X_WA = random_pose(random, 0.5), X_WB = random_pose(random, 0.5);
    const Distance first = distance(a, X_WA, b, X_WB), again = distance(a, X_WA, b, X_WB);
    EXPECT_EQ(first.distance, again.distance);
    EXPECT_EQ(first.normal, again.normal);
    EXPECT_EQ(first.point_a, again.point_a);
    EXPECT_EQ(first.point_b, again.point_b);
    EXPECT_EQ(first.lower, again.lower);
    EXPECT_EQ(first.upper, again.upper);
    EXPECT_EQ(first.warm_start, again.warm_start);
  }
}

TEST(Distance, OneIterationHasValidBounds) {
  Random random(157);
  for (int i = 0; i < 150; ++i) {
    const Shape a = random_shape_of(pick_kind(kAllKinds, random), random),
                b = random_shape_of(ShapeKind::convex, random);
    const Pose X_WA = random_pose(random, 0.6), X_WB = random_pose(random, 0.6);
    const Truth truth = oracle_distance(a, b, pose_in_frame_of_a(X_WA, X_WB));
    SCOPED_TRACE(::testing::Message() << i << " " << a.to_string());
    for (const Method method : {Method::automatic, Method::gjk}) {
      const Distance r = distance(
          a, X_WA, b, X_WB, {.method = method, .tolerance = 64.0 * kEps, .max_iterations = 1});
      EXPECT_LE(r.lower, static_cast<double>(truth.distance + truth.error));
      EXPECT_GE(r.upper, static_cast<double>(truth.distance));
      EXPECT_NEAR(r.normal.norm(), 1.0, 4.0 * kEps);
      EXPECT_TRUE(r.point_a.allFinite() && r.point_b.allFinite() && std::isfinite(r.distance));
      if (r.status != Status::not_converged) expect_conventions(a, X_WA, b, X_WB, r, 64.0 * kEps);
    }
  }
}

TEST(Distance, HalfSpaces) {
  const Shape ground = HalfSpace{};
  Random random(158);
  for (int i = 0; i < 200; ++i) {
    const Shape b = random_hull(random, 20);
    const Pose X_WA = random_pose(random, 1.0), X_WB = random_pose(random, 1.0);
    // lowest vertex over the plane, by hand
    const Vec3 n = widen(X_WA.rotation).col(2);
    Real lowest = infinite;
    const Convex& hull = std::get<Convex>(b.parameters());
    for (int v = 0; v < hull.num_vertices(); ++v) {
      lowest = std::min(lowest, n.dot(widen(X_WB.rotation) * widen(hull.vertex(v)) +
                                      widen(X_WB.translation) - widen(X_WA.translation)));
    }
    const Distance r = distance(ground, X_WA, b, X_WB);
    expect_conventions(ground, X_WA, b, X_WB, r);
    EXPECT_NEAR(r.distance, static_cast<double>(lowest), 16.0 * kEps);
    EXPECT_LE((widen(r.normal) - n).norm(), 8.0 * kEps);
    const Distance flipped = distance(b, X_WB, ground, X_WA);
    EXPECT_NEAR(flipped.distance, r.distance, 16.0 * kEps);
    EXPECT_LE((flipped.normal + r.normal).norm(), 8.0 * kEps);
  }
  EXPECT_EQ(rejected_field([&] { distance(ground, {}, ground, {}); }), "b");
}

TEST(Distance, MarginsAreSweptAround) {
  const Shape plain = Box{.half_extents = {0.5, 0.4, 0.3}},
              rounded = Box{.half_extents = {0.5, 0.4, 0.3}, .margin = 0.1};
  Random random(159);
  for (int i = 0; i < 100; ++i) {
    const Pose X = random_pose(random, 1.2);
    const Shape b = Box{.half_extents = {0.2, 0.3, 0.1}};
    EXPECT_NEAR(distance(rounded, {}, b, X).distance, distance(plain, {}, b, X).distance - 0.1,
                32.0 * kEps * 2.0);
  }
}

TEST(Distance, OptionsAndPosesAreCheckedByField) {
  const Shape a = Sphere{.radius = 0.1};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto with = [&](const DistanceOptions& options) {
    return rejected_field([&] { distance(a, {}, a, at(1, 0, 0), options); });
  };
  EXPECT_EQ(with({}), "");
  EXPECT_EQ(with({.tolerance = 1e-15}), "tolerance");
  EXPECT_EQ(with({.max_iterations = 0}), "max_iterations");
  EXPECT_EQ(with({.cutoff = -1e-300}), "cutoff");
  EXPECT_EQ(with({.cutoff = nan}), "cutoff");
  EXPECT_EQ(with({.initial_direction = {nan, 0, 0}}), "initial_direction[0]");
  Pose bad;
  bad.rotation(1, 1) = nan;
  EXPECT_EQ(rejected_field([&] { distance(a, bad, a, {}); }).find("X_WA"), 0U);
  EXPECT_EQ(rejected_field([&] { distance(a, {}, a, bad); }).find("X_WB"), 0U);
}

TEST(Distance, CorrectedPosesAreFlagged) {
  const Shape a = Box{.half_extents = {0.5, 0.4, 0.3}}, b = Sphere{.radius = 0.1};
  Pose off = at(2, 0, 0);
  EXPECT_FALSE(distance(a, {}, b, off).pose_corrected);
  off.rotation(0, 1) = 1e-8;
  const Distance r = distance(a, {}, b, off);
  EXPECT_TRUE(r.pose_corrected);
  EXPECT_NEAR(r.distance, 1.4, 1e-8);
  EXPECT_NEAR(r.normal.norm(), 1.0, 4.0 * kEps);
}

TEST(Distance, FarFromTheOriginAsNearIt) {
  Random random(160);
  for (int i = 0; i < 50; ++i) {
    const Shape a = random_shape_of(pick_kind(kBoundedKinds, random), random),
                b = random_shape_of(ShapeKind::convex, random);
    const Matrix3 R_A = random.rotation(), R_B = random.rotation();
    const Vector3 step = (64.0 * random.in_box(0.8)).array().round() / 64.0, far(1e6, -1e6, 5e5);
    const Distance near = distance(a, {R_A, Vector3::Zero()}, b, {R_B, step}),
                   away = distance(a, {R_A, far}, b, {R_B, far + step});
    EXPECT_EQ(near.distance, away.distance);
    EXPECT_EQ(near.normal, away.normal);
    EXPECT_LE((away.point_a - far - near.point_a).norm(), 4.0 * kEps * 1e6);
  }
}

TEST(Distance, PointsAtTheSamePlace) {
  const Distance r = distance(Sphere{}, {}, Sphere{}, {});
  EXPECT_EQ(r.status, Status::touching);
  EXPECT_EQ(r.distance, 0.0);
  EXPECT_EQ(r.normal.norm(), 1.0);
  const Distance apart = distance(Sphere{}, {}, Sphere{}, at(1e-120, 0, 0));
  EXPECT_EQ(apart.status, Status::separated);
  EXPECT_NEAR(apart.distance / 1e-120, 1.0, 1e-12);
}

TEST(Distance, SizeRatios) {
  Random random(161);
  for (const double ratio : {1e-6, 1e-3, 1e3, 1e6}) {
    for (int i = 0; i < 20; ++i) {
      const Shape a = random_hull(random, 12);
      const Shape b = Box{.half_extents = ratio * random_sizes(random)};
      const Pose X_AB{random.rotation(), std::max(1.0, ratio) * random.in_box(0.7)};
      const double truth = static_cast<double>(enumerated({a, b, X_AB}));
      const Distance r = distance(a, {}, b, X_AB);
      SCOPED_TRACE(::testing::Message() << ratio << " " << i);
      expect_conventions(a, {}, b, X_AB, r);
      EXPECT_NEAR(r.distance, truth, 64.0 * kEps * pair_scale(a, {}, b, X_AB));
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace tactum::distance_test
