// SPDX-License-Identifier: BSD-2-Clause
// Every method of the paper through the public queries: against the oracle, from every kind of
// start, with its counters.
#include "narrow/gjkpp/methods.hpp"

#include "narrow/narrow_fixtures.hpp"
#include "narrow/pair/pair_frame.hpp"

namespace tactum::methods_test {
namespace {

using namespace tactum::testing;

constexpr std::array<Method, 10> kMethods = {Method::gjk,
                                             Method::polyak,
                                             Method::polyak_normalized,
                                             Method::nesterov,
                                             Method::nesterov_normalized,
                                             Method::frank_wolfe,
                                             Method::frank_wolfe_open_loop,
                                             Method::frank_wolfe_polyak,
                                             Method::frank_wolfe_nesterov,
                                             Method::nesmino};

TEST(Methods, EveryPairOfKindsAgreesWithTheOracle) {
  for (const auto& [kind_a, kind_b] : kAllPairs) {
    Random random(531, stream_of(kind_a, kind_b));
    for (int k = 0; k < 3; ++k) {
      const Shape a = random_shape_of(kind_a, random), b = random_shape_of(kind_b, random);
      const Pose X_WA = random_pose(random, 0.4), X_WB = random_pose(random, k == 0 ? 0.2 : 1.0);
      const Truth truth = oracle_distance(a, b, pose_in_frame_of_a(X_WA, X_WB));
      const double scale = pair_scale(a, X_WA, b, X_WB), error = static_cast<double>(truth.error),
                   value = static_cast<double>(truth.distance);
      for (const Method method : kMethods) {
        if (!method_applies(method, a.core(), b.core())) continue;
        SCOPED_TRACE(::testing::Message() << a.to_string() << " " << b.to_string() << " method "
                                          << static_cast<int>(method));
        const Distance r = distance(a, X_WA, b, X_WB, {.method = method});
        EXPECT_NE(r.status, Status::not_converged);
        EXPECT_LE(r.lower, value + error);
        EXPECT_GE(r.upper, value);
        EXPECT_LE(r.upper - r.lower, 1e-10 * scale);
        EXPECT_NEAR(r.distance, value, error + 1e-12 * scale);
        EXPECT_LE((r.point_b - r.point_a - r.distance * r.normal).norm(), 1e-10 * scale);
        const Collision c = collide(a, X_WA, b, X_WB, {.method = method});
        EXPECT_EQ(c.colliding, value <= 0.0);
        EXPECT_LE(c.lower, value + error);
        if (!c.colliding) {
          EXPECT_GT(c.lower, 0.0);
        }
        EXPECT_LE(r.iterations, DistanceOptions{}.max_iterations);
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(Methods, AnyStartGivesTheSameAnswer) {
  Random random(532);
  for (int i = 0; i < 40; ++i) {
    const Shape a = random_shape_of(
                    kBoundedKinds[static_cast<std::size_t>(i) % kBoundedKinds.size()], random),
                b = random_shape_of(i % 2 == 0 ? ShapeKind::convex : ShapeKind::cone, random);
    const Pose X_WA = random_pose(random, 0.4), X_WB = random_pose(random, 0.8);
    const Distance usual = distance(a, X_WA, b, X_WB);
    const double scale = pair_scale(a, X_WA, b, X_WB);
    const WarmStart own = usual.warm_start,
                    wild{.direction_A = 1e-200 * random.direction(), .vertices = {-7, 1 << 30}};
    for (const Method method : kMethods) {
      if (!method_applies(method, a.core(), b.core())) continue;
      SCOPED_TRACE(::testing::Message()
                   << i << " " << a.to_string() << " method " << static_cast<int>(method));
      for (const WarmStart* start : {&own, &wild}) {
        EXPECT_NEAR(distance(a, X_WA, b, X_WB, {.method = method, .warm_start = start}).distance,
                    usual.distance, 2e-12 * scale);
      }
      for (const Vector3& first : {Vector3(1, 0, 0), Vector3(-usual.normal), Vector3(1e-320, 0, 0),
                                   Vector3(0, 1e300, 1e300)}) {
        const Distance r = distance(a, X_WA, b, X_WB,
                                    {.method = method, .initial_direction = first});
        EXPECT_NEAR(r.distance, usual.distance, 2e-12 * scale);
        EXPECT_EQ(r.status, usual.status);
      }
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Methods, PointsAtOnePlaceHaveANormalAllTheSame) {
  const Shape point(Sphere{}), hull(Convex::from_points(Points(Vector3::Zero())));
  for (const Method method : kMethods) {
    EXPECT_EQ(
        distance(point, {}, hull, {.translation = {0, 0, 1e-200}}, {.method = method}).distance,
        1e-200);
    for (const Shape& other : {point, hull}) {
      for (const Vector3& start : {Vector3(0, 0, 0), Vector3(1.4, 1.4, 1.4)}) {
        const Distance r = distance(point, {}, other, {},
                                    {.method = method, .initial_direction = start});
        SCOPED_TRACE(static_cast<int>(method));
        EXPECT_EQ(r.status, Status::touching);
        EXPECT_EQ(r.distance, 0.0);
        EXPECT_NEAR(r.normal.norm(), 1.0, 1e-15);
        EXPECT_TRUE(collide(point, {}, other, {}, {.method = method, .initial_direction = start})
                        .colliding);
      }
    }
  }
}

TEST(Methods, TheStartIsWhatWasAskedFor) {
  Random random(533);
  const Shape a = random_hull(random, 30), b = Box{.half_extents = {0.1, 0.2, 0.3}};
  const Pose X_WA = random_pose(random, 0.4), X_WB = random_pose(random, 2.0);
  const PairFrame frame = make_pair_frame(a, X_WA, b, X_WB);
  const CorePair pair = make_core_pair(a.core(), b.core(), frame, nullptr);
  const Aabb box = a.aabb();
  const Vector3 centers = X_WB.translation - X_WA * Vector3(0.5 * (box.lower + box.upper));
  const auto start = [&](const Vector3& direction, const WarmStart* warm) {
    return first_iterate(pair, frame.X_WA.rotation, direction, warm);
  };
  const WarmStart warm{.direction_A = {0.6, 0.0, 0.8}};
  // without a direction, the line of the box centers
  EXPECT_LE((X_WA.rotation * start(Vector3::Zero(), nullptr).x0 - centers).norm(),
            8.0 * kEps * pair.scale());
  EXPECT_TRUE(start(Vector3::Zero(), nullptr).centers);
  // a given direction comes first
  EXPECT_LE((X_WA.rotation * start({1, 0, 0}, &warm).x0 - Vector3(1, 0, 0)).norm(), 8.0 * kEps);
  // then the direction of the previous query
  EXPECT_LE((start(Vector3::Zero(), &warm).x0.normalized() - warm.direction_A).norm(), 8.0 * kEps);
  EXPECT_FALSE(start(Vector3::Zero(), &warm).centers);
  // the length of a given direction is kept
  EXPECT_LE((X_WA.rotation * start(0.01 * centers, nullptr).x0 - 0.01 * centers).norm(),
            8.0 * kEps);
}

TEST(Methods, ThePreviousAnswerSavesPasses) {
  Random random(534);
  int cold = 0, warm = 0;
  for (int i = 0; i < 100; ++i) {
    const Shape a = random_hull(random, 100), b = random_hull(random, 100);
    const Pose X_WA = random_pose(random, 0.2), X_WB = random_pose(random, 1.5);
    const Distance first = distance(a, X_WA, b, X_WB, {.method = Method::gjk});
    const Distance again = distance(a, X_WA, b, X_WB,
                                    {.method = Method::gjk, .warm_start = &first.warm_start});
    cold += first.vertices_visited;
    warm += again.vertices_visited;
  }
  EXPECT_LT(warm, 2 * cold / 3);
}

TEST(Methods, CountTheSearchAlone) {
  // GJK on two spheres: one pass to the only point of M, one that finds the gap closed
  const Shape sphere = Sphere{.radius = 0.5};
  for (const Method method : {Method::gjk, Method::polyak, Method::nesterov_normalized}) {
    const Distance r = distance(sphere, Pose{}, sphere, at(3.0, 0.0, 0.0), {.method = method});
    EXPECT_EQ(r.iterations, 2);
    EXPECT_NEAR(r.distance, 2.0, 4.0 * kEps);
    EXPECT_EQ(r.vertices_visited, 0);
  }
  // in penetration too the count excludes the expanding polytope
  const Shape box = Box{.half_extents = {0.5, 0.5, 0.5}};
  const Distance deep = distance(box, Pose{}, box, at(0.3, 0.2, 0.1), {.method = Method::gjk});
  EXPECT_LE(deep.iterations, 6);
  EXPECT_LE(deep.support_calls, 6);
  EXPECT_NEAR(deep.distance, -0.7, 4.0 * kEps);
}

TEST(Methods, ToleranceSetsTheGap) {
  const Shape a = Ellipsoid{.semi_axes = {0.5, 0.2, 0.3}},
              b = Ellipsoid{.semi_axes = {0.25, 0.4, 0.1}};
  const Pose X_WB = turned({1, 2, 3}, 0.7, {0.9, 0.5, 0.3});
  for (const Method method : {Method::gjk, Method::polyak, Method::nesterov, Method::frank_wolfe}) {
    int last = 0;
    for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-8}) {
      const Distance r = distance(
          a, Pose{}, b, X_WB, {.method = method, .tolerance = tolerance, .max_iterations = 10000});
      EXPECT_GE(r.iterations, last);
      last = r.iterations;
    }
    EXPECT_GT(last, 4);
  }
}

TEST(Methods, TheWeightsAreThoseThatWereAskedFor) {
  Random random(538);
  int differ = 0;
  for (int i = 0; i < 40; ++i) {
    const Shape a = random_hull(random, 40), b = random_hull(random, 40);
    const Pose X_WA = random_pose(random, 0.2), X_WB = random_pose(random, 1.5);
    const PairFrame frame = make_pair_frame(a, X_WA, b, X_WB);
    for (const Method method : {Method::polyak, Method::polyak_normalized, Method::nesterov,
                                Method::nesterov_normalized}) {
      const bool is_polyak = method == Method::polyak || method == Method::polyak_normalized,
                 is_unit = method == Method::polyak_normalized ||
                           method == Method::nesterov_normalized;
      std::array<Distance, 3> found;
      for (const MomentumWeight weight :
           {MomentumWeight::chosen, MomentumWeight::printed, MomentumWeight::authors}) {
        const DistanceOptions options{.method = method};
        Distance& own = found[static_cast<std::size_t>(weight)];
        own = distance(a, X_WA, b, X_WB, options, weight);
        CorePair pair = make_core_pair(a.core(), b.core(), frame, nullptr);
        ClimbingPair climbing(pair);
        GjkState state;
        run_momentum_gjk(
            climbing, {is_polyak ? MomentumKind::polyak : MomentumKind::nesterov, is_unit, weight},
            first_iterate(pair, frame.X_WA.rotation, Vector3::Zero(), nullptr).x0,
            {.epsilon = options.tolerance * frame.scale * frame.scale}, state);
        EXPECT_EQ(own.iterations, state.iterations);
        EXPECT_NEAR(own.distance, found[0].distance, 1e-10 * frame.scale);
        EXPECT_EQ(collide(a, X_WA, b, X_WB, {.method = method}, weight).colliding,
                  own.distance <= 0.0);
      }
      // without a choice: that of the authors' code for Polyak, the printed one for Nesterov
      EXPECT_EQ(found[0].iterations, found[is_polyak ? 2 : 1].iterations);
      if (method != Method::nesterov) differ += found[1].iterations != found[2].iterations;
    }
  }
  EXPECT_GT(differ, 10);
}

TEST(Methods, CutoffAndLimits) {
  const Shape box = Box{.half_extents = {0.5, 0.5, 0.5}};
  const Pose X_WB = turned({1, 1, 0}, 0.3, {3.0, 0.4, 0.2});
  const double truth = distance(box, Pose{}, box, X_WB).distance;
  for (const Method method : kMethods) {
    const Distance far = distance(box, Pose{}, box, X_WB, {.method = method, .cutoff = 0.5});
    EXPECT_EQ(far.status, Status::beyond_cutoff);
    EXPECT_GT(far.lower, 0.5);
    EXPECT_LE(far.lower, truth);
    const Distance one = distance(box, Pose{}, box, X_WB, {.method = method, .max_iterations = 1});
    EXPECT_EQ(one.iterations, 1);
    EXPECT_LE(one.lower, truth + 8.0 * kEps);
    EXPECT_GE(one.upper, truth - 8.0 * kEps);
  }
}

}  // namespace
}  // namespace tactum::methods_test
