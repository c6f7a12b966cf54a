// SPDX-License-Identifier: BSD-2-Clause
// Times of impact against closed forms and against dense sampling of the distance.
#include "tactum/time_of_impact.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "math/pose_logarithm.hpp"
#include "mesh/mesh_fixtures.hpp"
#include "scene/scene_fixtures.hpp"
#include "support/allocation_guard.hpp"
#include "support/repetitions.hpp"

namespace tactum::time_of_impact_test {
namespace {

using testing::Random;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Pose at(double x, double y, double z) { return {Matrix3::Identity(), {x, y, z}}; }
Pose turned(const Vector3& axis, double angle) {
  return {Random::turn(axis, angle), Vector3::Zero()};
}

void expect_impact(const Impact& impact, double time, double width = 1e-8) {
  ASSERT_EQ(impact.status, Status::touching);
  ASSERT_LE(impact.upper, 1.0);
  EXPECT_NEAR(impact.time, time, width);
  EXPECT_LE(impact.lower, time + 1e-14);
  EXPECT_GE(impact.upper, time - 1e-12);  // within the contact band is within the distance
  EXPECT_LE(impact.upper - impact.lower, width);
  EXPECT_TRUE(static_cast<bool>(impact));
}

void expect_none(const Impact& impact) {
  EXPECT_EQ(impact.status, Status::separated);
  EXPECT_EQ(impact.time, kInfinity);
  EXPECT_EQ(impact.lower, kInfinity);
  EXPECT_EQ(impact.upper, kInfinity);
  EXPECT_FALSE(static_cast<bool>(impact));
}

/// |p + t q| = r is a quadratic equation.
TEST(TimeOfImpact, SpheresOnLines) {
  Random random(1);
  int hits = 0, misses = 0;
  for (int i = 0; i < 500; ++i) {
    const double radius = random.uniform(0.1, 0.5), other = random.uniform(0.1, 0.5),
                 distance = random.chance(0.5) ? 0.0 : random.uniform(0.0, 0.2);
    const Vector3 a0 = random.in_box(2.0), a1 = random.in_box(2.0), b0 = random.in_box(2.0),
                  b1 = random.in_box(2.0);
    const Vector3 p = b0 - a0, q = (b1 - a1) - p;
    const double r = radius + other + distance;
    if (p.norm() <= r) continue;
    const Impact impact = time_of_impact(Shape(Sphere{.radius = radius}), {random.rotation(), a0},
                                         {random.rotation(), a1}, Shape(Sphere{.radius = other}),
                                         {Matrix3::Identity(), b0}, {Matrix3::Identity(), b1},
                                         {.distance = distance});
    // the first sphere turns on its way, which bends its path: take the path it has
    if (impact.status == Status::touching) {
      EXPECT_NEAR(impact.value.distance, distance, 1e-8);
    }
    const Impact straight = time_of_impact(Shape(Sphere{.radius = radius}), at(a0[0], a0[1], a0[2]),
                                           at(a1[0], a1[1], a1[2]), Shape(Sphere{.radius = other}),
                                           at(b0[0], b0[1], b0[2]), at(b1[0], b1[1], b1[2]),
                                           {.distance = distance});
    const double half = p.dot(q), square = q.squaredNorm(),
                 discriminant = half * half - square * (p.squaredNorm() - r * r);
    if (std::abs(discriminant) < 1e-4) continue;
    const double time = discriminant > 0.0 ? (-half - std::sqrt(discriminant)) / square : kInfinity;
    if (time >= 0.0 && time <= 1.0) {
      ++hits;
      expect_impact(straight, time);
      EXPECT_NEAR(straight.value.distance, distance, 1e-8);
      EXPECT_LE(straight.iterations, 60);
    } else if (time < 0.0 || time > 1.0 + 1e-6) {
      ++misses;
      expect_none(straight);
    }
  }
  EXPECT_GT(hits, 50);
  EXPECT_GT(misses, 50);
}

/// A bar that turns about its middle meets a ball at the angle asin(sum of radii / distance) before
/// it points to it.
TEST(TimeOfImpact, RotatingBar) {
  const Shape bar{Capsule{.radius = 0.05, .half_length = 1.0}}, ball{Sphere{.radius = 0.1}};
  const Matrix3 lying = Random::turn({0.0, 1.0, 0.0}, 0.5 * std::numbers::pi);
  const double angle = 0.5 * std::numbers::pi, where = 0.8;
  for (const double turn : {0.6, 0.9, 0.99}) {
    const Pose from{lying, Vector3::Zero()},
        to = turned({0.0, 0.0, 1.0}, turn * std::numbers::pi) * from;
    const double time = (angle - std::asin(0.15 / where)) / (turn * std::numbers::pi);
    const Impact impact = time_of_impact(bar, from, to, ball, at(0, where, 0), at(0, where, 0));
    expect_impact(impact, time);
    const Impact swapped = time_of_impact(ball, at(0, where, 0), at(0, where, 0), bar, from, to);
    expect_impact(swapped, time);
    EXPECT_NEAR((impact.value.normal + swapped.value.normal).norm(), 0.0, 1e-6);
  }
  // the turn ends before the ball
  const Pose from{lying, Vector3::Zero()};
  expect_none(time_of_impact(bar, from, turned({0.0, 0.0, 1.0}, 0.3 * std::numbers::pi) * from,
                             ball, at(0, where, 0), at(0, where, 0)));
}

/// A box that is turned to one side lands on its lowest corner.
TEST(TimeOfImpact, BoxOnHalfSpace) {
  const Shape box{Box{.half_extents = {0.1, 0.2, 0.3}}}, ground{HalfSpace{}};
  Random random(3);
  for (int i = 0; i < 50; ++i) {
    const Matrix3 R = random.rotation();
    const double lowest = R.row(2).cwiseAbs().dot(Vector3(0.1, 0.2, 0.3));
    const Impact impact = time_of_impact(box, {R, {0.0, 0.0, 2.0}}, {R, {1.0, 0.0, -1.0}}, ground,
                                         {}, {});
    expect_impact(impact, (2.0 - lowest) / 3.0);
    EXPECT_LE(impact.iterations, 5);
  }
}

TEST(TimeOfImpact, ThinAndFastBodiesDoNotPassThrough) {
  const Shape wall{Box{.half_extents = {1e-5, 1.0, 1.0}}}, bullet{Sphere{.radius = 1e-3}};
  expect_impact(time_of_impact(wall, {}, {}, bullet, at(-500, 0, 0), at(500, 0, 0)),
                (500.0 - 1e-3 - 1e-5) / 1000.0, 1e-12);
  expect_impact(
      time_of_impact(bullet, at(0, 500, 0), at(0, -500, 0), bullet, at(300, 0, 0), at(-300, 0, 0)),
      0.5 - 1e-3 / std::hypot(300.0, 500.0), 1e-11);
  // beside the wall
  expect_none(time_of_impact(wall, {}, {}, bullet, at(-500, 1.01, 0), at(500, 1.01, 0)));
  // a plate that turns on its way, which is then an arc, with the bullet in the middle of it
  const Pose from = at(-100, 0, 0), to{Random::turn({0, 0, 1}, 3.0), {100, 0, 0}},
             middle{Matrix3::Identity(), ScrewMotion(from, to).at(0.5).translation};
  const Impact plate = time_of_impact(wall, from, to, bullet, middle, middle);
  EXPECT_EQ(plate.status, Status::touching);
  EXPECT_GT(plate.lower, 0.48);
  EXPECT_LT(plate.upper, 0.5);
}

TEST(TimeOfImpact, TouchingAtTheStart) {
  const Shape ball{Sphere{.radius = 0.5}};
  for (const double x : {1.0, 0.5, 0.0}) {
    const Impact impact = time_of_impact(ball, {}, {}, ball, at(x, 0, 0), at(5, 0, 0));
    EXPECT_EQ(impact.status, Status::penetrating);
    EXPECT_EQ(impact.time, 0.0);
    EXPECT_EQ(impact.upper, 0.0);
  }
  const Impact near = time_of_impact(ball, {}, {}, ball, at(1.2, 0, 0), at(5, 0, 0),
                                     {.distance = 0.3});
  EXPECT_EQ(near.status, Status::penetrating);
  EXPECT_EQ(near.time, 0.0);
}

TEST(TimeOfImpact, NeverAndAtTheVeryEnd) {
  const Shape ball{Sphere{.radius = 0.5}}, box{Box{.half_extents = {1, 1, 1}}};
  expect_none(time_of_impact(ball, {}, {}, ball, at(2, 0, 0), at(2, 0, 0)));
  expect_none(time_of_impact(ball, at(1, 2, 3), at(1, 2, 3), box, at(9, 2, 3), at(9, 2, 3)));
  // both move as one, turning
  const Pose from = at(0, 0, 0), to = turned({0, 0, 1}, 2.0), X_AB = at(2, 0, 0);
  expect_none(time_of_impact(ball, from, to, ball, from * X_AB, to * X_AB));
  expect_none(time_of_impact(ball, {}, {}, ball, at(2, 0, 0), at(1.001, 0, 0)));
  const Impact end = time_of_impact(ball, {}, {}, ball, at(2, 0, 0), at(1, 0, 0));
  expect_impact(end, 1.0);
  // a sphere that slides past another at a distance below the tolerance counts as touching
  const Impact graze = time_of_impact(ball, {}, {}, ball, at(-3, 1.0 + 1e-12, 0), at(3, 1, 0));
  EXPECT_EQ(graze.status, Status::touching);
}

/// Sampling cannot see everything, but nothing that it sees may contradict the answer.
void expect_agrees_with_sampling(const Geometry& a, const Pose& X0_WA, const Pose& X1_WA,
                                 const Geometry& b, const Pose& X0_WB, const Pose& X1_WB,
                                 const Impact& impact, double wanted, int samples) {
  const ScrewMotion motion_a(X0_WA, X1_WA), motion_b(X0_WB, X1_WB);
  const auto distance_at = [&](double t) {
    return distance(a, motion_a.at(t), b, motion_b.at(t)).distance;
  };
  for (int k = 0; k <= samples; ++k) {
    const double t = static_cast<double>(k) / samples;
    if (t < impact.lower) {
      EXPECT_GT(distance_at(t), wanted - 1e-9) << t;
    }
  }
  ASSERT_NE(impact.status, Status::not_converged);
  if (impact) {
    EXPECT_NEAR(distance_at(impact.time), impact.value.distance, 1e-8);
    if (impact.status == Status::touching) {
      EXPECT_NEAR(impact.value.distance, wanted, 1e-7);
    }
  }
  if (impact.upper <= 1.0) {
    EXPECT_LE(distance_at(impact.upper), wanted + 1e-9);
    EXPECT_LE(impact.lower, impact.upper);
  }
}

TEST(TimeOfImpact, AgreesWithDenseSampling) {
  Random random(7);
  int hits = 0, misses = 0, proved = 0;
  for (int i = 0; i < testing::repetitions(400); ++i) {
    SCOPED_TRACE(i);
    const bool plane = random.chance(0.1);
    const Geometry a = plane ? Geometry(Shape(HalfSpace{.offset = -0.5}))
                             : testing::random_geometry(random);
    const Geometry b = testing::random_geometry(random);
    const Pose X0_WA = testing::random_pose(random, 2.5), X0_WB = testing::random_pose(random, 2.5);
    const Pose X1_WA = random.chance(0.3) ? X0_WA : testing::random_pose(random, 2.5);
    const Pose X1_WB = random.chance(0.3) ? Pose{X0_WB.rotation, random.in_box(2.5)}
                                          : testing::random_pose(random, 2.5);
    const double wanted = random.chance(0.5) ? 0.0 : random.uniform(0.0, 0.2);
    const Impact impact = time_of_impact(a, X0_WA, X1_WA, b, X0_WB, X1_WB, {.distance = wanted});
    expect_agrees_with_sampling(a, X0_WA, X1_WA, b, X0_WB, X1_WB, impact, wanted, 60);
    hits += impact.status == Status::touching ? 1 : 0;
    proved += impact.status == Status::touching && impact.upper - impact.lower < 1e-6 ? 1 : 0;
    misses += impact.status == Status::separated ? 1 : 0;
  }
  EXPECT_GT(hits, testing::repetitions(40));
  EXPECT_GT(misses, testing::repetitions(40));
  EXPECT_GE(proved, hits - hits / 20);
}

/// A convex mesh, solid, has the times of the hull that it bounds.
TEST(TimeOfImpact, ConvexMeshesAgreeWithTheirHulls) {
  Random random(21);
  int hits = 0;
  for (int i = 0; i < testing::repetitions(100); ++i) {
    SCOPED_TRACE(i);
    const testing::RawMesh raw = testing::hull_mesh(random, 20, 0.4);
    const Geometry mesh = raw.solid(), hull = Shape(Convex::from_points(raw.vertices));
    const Geometry other = random.chance(0.5)
                               ? Geometry(testing::hull_mesh(random, 12, 0.3).solid())
                               : testing::random_geometry(random);
    const Pose X0_WA = testing::random_pose(random, 1.4), X1_WA = testing::random_pose(random, 1.4),
               X0_WB = testing::random_pose(random, 1.4), X1_WB = testing::random_pose(random, 1.4);
    const Impact found = time_of_impact(mesh, X0_WA, X1_WA, other, X0_WB, X1_WB,
                                        {.tolerance = 1e-8}),
                 expected = time_of_impact(hull, X0_WA, X1_WA, other, X0_WB, X1_WB,
                                           {.tolerance = 1e-8});
    ASSERT_EQ(found.status, expected.status);
    if (found.status != Status::touching) continue;
    ++hits;
    EXPECT_LE(found.lower, expected.upper + 1e-12);
    EXPECT_LE(expected.lower, found.upper + 1e-12);
  }
  EXPECT_GE(hits, testing::repetitions(20));
}

/// A ball falls through the hole of a torus, or meets it where the triangles are.
TEST(TimeOfImpact, MeshesThatAreNotConvex) {
  const Geometry torus = testing::torus_mesh(1.0, 0.3, 24, 12).solid();
  const Geometry small = Shape(Sphere{.radius = 0.5}), large = Shape(Sphere{.radius = 0.9});
  expect_none(time_of_impact(torus, {}, {}, small, at(0, 0, 3), at(0, 0, -3)));
  const Impact impact = time_of_impact(torus, {}, {}, large, at(0, 0, 3), at(0, 0, -3));
  ASSERT_EQ(impact.status, Status::touching);
  expect_agrees_with_sampling(torus, {}, {}, large, at(0, 0, 3), at(0, 0, -3), impact, 0.0, 60);
  EXPECT_LT(impact.upper - impact.lower, 1e-8);
  // two links of a chain: one turns until it meets the other
  const Pose linked = turned({1, 0, 0}, 0.5 * std::numbers::pi);
  const Pose from{linked.rotation, {1.0, 0.0, 0.0}}, to{linked.rotation, {3.0, 0.0, 0.0}};
  const Impact pulled = time_of_impact(torus, {}, {}, torus, from, to, {.tolerance = 1e-6});
  ASSERT_EQ(pulled.status, Status::touching);
  expect_agrees_with_sampling(torus, {}, {}, torus, from, to, pulled, 0.0, 40);
}

/// What lies far from the origin of the world has the time it has near it.
TEST(TimeOfImpact, DoesNotDependOnTheOrigin) {
  const Shape box{Box{.half_extents = {0.1, 0.2, 0.3}}}, ball{Sphere{.radius = 0.2}};
  const Pose turn = turned({0.6, 0.0, 0.8}, 1.0);
  const auto moved = [&](const Pose& X) { return at(1048576, 0, -1048576) * X; };
  const Impact here = time_of_impact(box, {}, turn, ball, at(2, 0, 0), at(-2, 0, 0)),
               far = time_of_impact(box, moved({}), moved(turn), ball, moved(at(2, 0, 0)),
                                    moved(at(-2, 0, 0)));
  EXPECT_NEAR(here.time, far.time, 1e-9);
}

TEST(TimeOfImpact, RefusesBadInput) {
  const Shape ball{Sphere{.radius = 0.5}}, plane{HalfSpace{}};
  const auto field_of = [&](const Pose& X, const ImpactOptions& options) -> std::string {
    try {
      time_of_impact(ball, {}, {}, ball, {}, X, options);
    } catch (const InvalidInput& error) {
      return error.field();
    }
    return "";
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(field_of({}, {.distance = -1.0}), "distance");
  EXPECT_EQ(field_of({}, {.distance = nan}), "distance");
  EXPECT_EQ(field_of({}, {.tolerance = 0.0}), "tolerance");
  EXPECT_EQ(field_of({}, {.tolerance = nan}), "tolerance");
  EXPECT_EQ(field_of({}, {.max_iterations = 0}), "max_iterations");
  EXPECT_NE(field_of(at(nan, 0, 0), {}).find("X1_WB"), std::string::npos);
  EXPECT_THROW(time_of_impact(plane, {}, {}, plane, {}, {}), InvalidInput);
}

/// One query is not enough for a ball that passes close by: what it proves is kept.
TEST(TimeOfImpact, KeepsWhatIsProvedWhenQueriesRunOut) {
  const Shape bar{Box{.half_extents = {1.0, 0.01, 0.01}}}, ball{Sphere{.radius = 0.1}};
  const Pose to = turned({0, 0, 1}, 1.5);
  const Impact full = time_of_impact(bar, {}, to, ball, at(0.5, 0.5, 0), at(0.5, 0.4, 0));
  const Impact few = time_of_impact(bar, {}, to, ball, at(0.5, 0.5, 0), at(0.5, 0.4, 0),
                                    {.max_iterations = 2});
  EXPECT_EQ(full.status, Status::touching);
  EXPECT_EQ(few.status, Status::not_converged);
  EXPECT_GT(few.lower, 0.0);
  EXPECT_EQ(few.time, few.lower);
  EXPECT_LT(few.lower, full.lower);
  EXPECT_EQ(few.upper, kInfinity);
}

TEST(TimeOfImpact, AllocatesNothing) {
  Random random(14);
  const Geometry a = testing::random_compound(random, 20), b = testing::random_compound(random, 20);
  const Pose from = testing::random_pose(random, 1.0), to = testing::random_pose(random, 1.0);
  const testing::AllocationGuard guard;
  const Impact impact = time_of_impact(a, at(5, 0, 0), {}, b, from, to);
  EXPECT_EQ(guard.count(), 0U);
  EXPECT_NE(impact.status, Status::not_converged);
}

}  // namespace
}  // namespace tactum::time_of_impact_test
