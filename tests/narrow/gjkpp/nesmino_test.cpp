// SPDX-License-Identifier: BSD-2-Clause
// NESMINO: projections against their optimality condition, the search against the oracle.
#include "narrow/gjkpp/nesmino.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum::nesmino_test {
namespace {

using namespace tactum::testing;

constexpr std::array<ShapeKind, 6> kKinds = {ShapeKind::sphere,   ShapeKind::ellipsoid,
                                             ShapeKind::box,      ShapeKind::capsule,
                                             ShapeKind::cylinder, ShapeKind::cone};

/// Support value of a core in extended precision; ellipsoids are taken whole.
Real support_value(const Shape& shape, const Vec3& u) {
  const ConvexBody body(shape, Pose{});
  return -separation(body, ConvexBody(Sphere{}, Pose{}), u) - body.radius;
}

TEST(Nesmino, ProjectionsAreTheNearestPoints) {
  // q = P(p) if and only if q is in the set and (p - q).(z - q) <= 0 for all z in it: the support
  // along p - q is q
  Random random(541);
  int outside = 0;
  for (int i = 0; i < 600; ++i) {
    const Shape shape = random_shape_of(kKinds[static_cast<std::size_t>(i) % kKinds.size()],
                                        random);
    ASSERT_TRUE(has_projection(shape.core()));
    const Vector3 p = random.log_uniform(1e-2, 1e4) * random.direction();
    const Vector3 q = project_on(shape.core(), p);
    SCOPED_TRACE(::testing::Message() << i << " " << shape.to_string());
    EXPECT_LE(static_cast<double>(ConvexBody(shape, Pose{}).distance_to_core(widen(q))),
              8.0 * kEps * (1.0 + p.norm()));
    const Vec3 d = widen(p) - widen(q);
    if (d.norm() < 1e-12L) continue;
    ++outside;
    const Vec3 n = d.normalized();
    EXPECT_NEAR(static_cast<double>(n.dot(widen(q))), static_cast<double>(support_value(shape, n)),
                2e-14 * (1.0 + p.norm()));
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(outside, 400);
}

TEST(Nesmino, ReachesTheSolutionOfEveryKind) {
  Random random(542);
  for (int i = 0; i < 60; ++i) {
    const TestPair test{random_shape_of(kKinds[static_cast<std::size_t>(i) % 6], random),
                        random_shape_of(kKinds[static_cast<std::size_t>(i) / 6 % 6], random),
                        random_pose(random, 0.8)};
    const CorePair cores = test.cores();
    const Truth truth = oracle_distance(test.a, test.b, test.X_AB);
    const double core_distance = static_cast<double>(truth.distance) + cores.radius() -
                                 cores.a().inner_radius - cores.b().inner_radius;
    const Vector3 solution = std::max(core_distance, 0.0) * narrow(truth.normal);
    for (const bool known : {true, false}) {
      ClimbingPair pair(cores);
      GjkState state;
      const GjkOutcome outcome = run_nesmino(pair, random.direction(), known ? &solution : nullptr,
                                             {.epsilon = 1e-4, .max_iterations = 20000}, state);
      SCOPED_TRACE(::testing::Message()
                   << i << " " << test.a.to_string() << " " << test.b.to_string() << known);
      EXPECT_TRUE(outcome == GjkOutcome::converged || outcome == GjkOutcome::overlapping)
          << static_cast<int>(outcome);
      EXPECT_GE(state.upper, std::max(core_distance, 0.0) - 1e-14);
      EXPECT_LE((state.simplex.points[0].w - solution).norm(), 1e-2 * (1.0 + 1e-9));
      if (known) {
        EXPECT_EQ(pair.support_calls, 0);
      } else {
        EXPECT_LE(state.lower, core_distance + 1e-14);
      }
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Nesmino, HonorsItsLimits) {
  const TestPair test{Box{.half_extents = {0.5, 0.4, 0.3}}, Ellipsoid{.semi_axes = {0.3, 0.2, 0.1}},
                      at(1.5, 0.7, 0.4)};
  const CorePair cores = test.cores();
  const auto run = [&](const MethodLimits& limits, GjkState& state) {
    ClimbingPair pair(cores);
    return run_nesmino(pair, Vector3::UnitY(), nullptr, limits, state);
  };
  GjkState state, above, below;
  EXPECT_EQ(run({.epsilon = 1e-10, .max_iterations = 3}, state), GjkOutcome::iteration_limit);
  EXPECT_EQ(state.iterations, 3);
  EXPECT_EQ(run({.epsilon = 1e-10, .max_iterations = 5000, .stop_above = 0.1}, above),
            GjkOutcome::above_limit);
  EXPECT_GT(above.lower, 0.1);
  EXPECT_EQ(run({.epsilon = 1e-10, .max_iterations = 5000, .stop_below = 2.0}, below),
            GjkOutcome::below_limit);
}

TEST(Nesmino, HullsAreRefused) {
  Random random(543);
  const Shape hull = random_hull(random, 20), box = Box{.half_extents = {0.1, 0.1, 0.1}};
  EXPECT_FALSE(has_projection(hull.core()));
  for (const auto& pair : {std::pair(hull, box), std::pair(box, hull)}) {
    const Shape &a = pair.first, &b = pair.second;
    EXPECT_EQ(
        rejected_field([&] { distance(a, Pose{}, b, at(1, 0, 0), {.method = Method::nesmino}); }),
        "method");
    EXPECT_EQ(
        rejected_field([&] { collide(a, Pose{}, b, at(1, 0, 0), {.method = Method::nesmino}); }),
        "method");
  }
  // a hull of two points is a segment
  const Shape segment = hull_of({{-1, 0, 0}, {1, 0, 0}});
  EXPECT_NEAR(distance(segment, Pose{}, box, at(0, 0, 1), {.method = Method::nesmino}).distance,
              0.9, 1e-15);
}

}  // namespace
}  // namespace tactum::nesmino_test
