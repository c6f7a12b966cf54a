// SPDX-License-Identifier: BSD-2-Clause
// Distances and derivatives of STP volumes: against certified searches, the definition, central
// differences, and along motions.
#include "narrow/pairs/stp_pair.hpp"

#include "narrow/derivative_fixtures.hpp"
#include "shape/stp_clouds.hpp"
#include "support/allocation_guard.hpp"
#include "support/ball_intersection.hpp"
#include "support/claim_check.hpp"
#include "support/exact_stp.hpp"
#include "support/geodesic.hpp"

namespace tactum::stp_pair_test {
namespace {

using namespace tactum::testing;

Points random_points(Random& random, int count) {
  Points points(3, count);
  for (int i = 0; i < count; ++i) points.col(i) = random.in_box(0.2);
  return points;
}

Shape random_volume(Random& random, double big_radius) {
  return Stp::from_points(random_points(random, 1 + random.below(12)),
                          {.small_radius = 0.01, .big_radius = big_radius});
}

/// A pair that rotates, approaches and recedes in small steps.
struct Motion {
  Random random{17};
  Pose X_WA{.rotation = random.rotation()}, X_WB{.rotation = random.rotation()};
  Vector3 axis_a = random.direction(), axis_b = random.direction();

  void step(double angle, double nearest, double range, double phase) {
    X_WA.rotation = Random::turn(axis_a, angle) * X_WA.rotation;
    X_WB.rotation = Random::turn(axis_b, angle) * X_WB.rotation;
    X_WB.translation = {nearest + range * (0.5 + 0.5 * std::sin(phase)), 0.0, 0.0};
  }
};

TEST(StpPair, EveryAnswerIsProvedFromOutside) {
  for (const ShapeKind kind : kAllKinds) {
    for (const bool first : {true, false}) {
      const PairSampler sampler(first ? ShapeKind::stp : kind, first ? kind : ShapeKind::stp, 31,
                                12);
      for (int i = 0; i < repetitions(18); ++i) {
        const PairSample sample = sampler.sample(static_cast<std::uint64_t>(i));
        const ClaimReport report = query_and_check(sample);
        ASSERT_EQ(report.failure, "") << sample.describe();
        ASSERT_FALSE(report.not_converged) << sample.describe();
      }
    }
  }
}

TEST(StpPair, MovingSpheresAreProvedWithAFewSupports) {
  for (const double big_radius : {1.0, 10.0, 100.0}) {
    for (const int frequency : {2, 8}) {
      const Points points = geodesic_sphere(frequency, 0.2);
      const Shape volume = Stp::from_points(points,
                                            {.small_radius = 0.01, .big_radius = big_radius});
      Motion motion;
      WarmStart last;
      int supports = 0;
      const int steps = 400;
      for (int i = 0; i < steps; ++i) {
        motion.step(0.05, 0.41, 0.4, 0.02 * i);
        const AllocationGuard guard;
        const Distance tracked = distance(volume, motion.X_WA, volume, motion.X_WB,
                                          {.tolerance = 1e-12, .warm_start = &last});
        const Distance fresh = distance(volume, motion.X_WA, volume, motion.X_WB,
                                        {.tolerance = 1e-12});
        ASSERT_EQ(guard.count(), 0U);
        ASSERT_NE(tracked.status, Status::not_converged);
        ASSERT_LE(tracked.upper - tracked.lower, 1e-12 * motion.X_WB.translation.x());
        ASSERT_NEAR(tracked.distance, fresh.distance, 1e-13);
        // a normal with an error of eps moves the points by R times as much
        ASSERT_LE((tracked.point_a - fresh.point_a).norm(), 1e-14 * big_radius);
        supports += tracked.support_calls;
        last = tracked.warm_start;
      }
      EXPECT_LE(supports, 10 * steps) << big_radius << " " << frequency;
    }
  }
}

TEST(StpPair, DistanceIsThatOfTheFarthestCenters) {
  // d = max over c in C_A, c' in C_B of |c - c'| - R_A - R_B
  Random random(5);
  for (int i = 0; i < 20; ++i) {
    const double big_radius = random.uniform(0.8, 3.0), alpha = big_radius - 0.01;
    const Points points_a = random_points(random, 6), points_b = random_points(random, 7);
    const Pose X_AB{random.rotation(), 0.9 * random.direction()};
    const Stp a = Stp::from_points(points_a, {.small_radius = 0.01, .big_radius = big_radius});
    const Stp b = Stp::from_points(points_b, {.small_radius = 0.01, .big_radius = big_radius});
    const Distance found = distance(a, {}, b, X_AB, {.tolerance = 1e-12});
    Points placed_b = points_b;
    for (auto p : placed_b.colwise()) p = X_AB * Vector3(p);
    const BallIntersection of_a(points_a, alpha), of_b(placed_b, alpha);
    // from many starts to and fro: the distance of the two never falls
    Real farthest = 0;
    for (int start = 0; start < 6; ++start) {
      Vec3 c = of_a.lowest(widen(start == 0 ? found.normal : random.direction())), c_b = c;
      for (int k = 0; k < 400; ++k) {
        const Vec3 next_b = of_b.farthest(c), next = of_a.farthest(next_b);
        if ((next - c).norm() + (next_b - c_b).norm() < 1e-16L) break;
        c = next, c_b = next_b;
      }
      farthest = std::max(farthest, (c - c_b).norm());
    }
    EXPECT_NEAR(static_cast<double>(farthest) - 2.0 * big_radius, found.distance, 1e-12) << i;
  }
}

TEST(StpPair, PenetrationOfTheSmallRadiiNeedsNoDepthSearch) {
  Random random(8);
  int shallow = 0;
  for (int i = 0; i < 200; ++i) {
    const Shape a = random_volume(random, random.log_uniform(0.8, 100.0)),
                b = random_volume(random, random.log_uniform(0.8, 100.0));
    const Pose X_WA{.rotation = random.rotation()};
    Pose X_WB{random.rotation(), 0.9 * random.direction()};
    const Distance apart = distance(a, X_WA, b, X_WB, {.tolerance = 1e-12});
    ASSERT_EQ(apart.status, Status::separated);
    const double depth = 0.019 * random.uniform();
    X_WB.translation -= (apart.distance + depth) * apart.normal;
    const Distance found = distance(a, X_WA, b, X_WB, {.tolerance = 1e-12});
    EXPECT_NEAR(found.distance, -depth, 2e-13);
    EXPECT_LE((found.normal - apart.normal).norm(), 1e-7);
    shallow += found.support_calls <= 48 ? 1 : 0;
  }
  EXPECT_GE(shallow, 198);
}

TEST(StpPair, SpindlesDeepInBodiesOnTheirAxis) {
  // the best normals fill a circle: no direction is better than its neighbors
  Random random(41);
  for (int i = 0; i < repetitions(60); ++i) {
    Points points(3, 2);
    points << random.in_box(0.3), random.in_box(0.3);
    const Vector3 middle = points.rowwise().mean(),
                  axis = (points.col(1) - points.col(0)).normalized();
    const double half = 0.5 * (points.col(1) - points.col(0)).norm(),
                 small = i % 3 == 0 ? 0.0 : 0.02;
    const double alpha = half * (1.0 + random.log_uniform(0.05, 10.0)),
                 radius = random.log_uniform(0.05, 0.5);
    const Shape spindle = Stp::from_points(points,
                                           {.small_radius = small, .big_radius = small + alpha});
    const Pose X_WA{random.rotation(), random.in_box(1.0)};
    Matrix3 along;
    along << axis.unitOrthogonal(), axis.cross(axis.unitOrthogonal()), axis;
    const double place = i % 4 == 0 ? 0.0 : random.uniform(-0.3, 0.3) * half;
    const Pose X_WB = X_WA * Pose{along, middle + place * axis};
    // depth of the equator, or of the point at this place: the farthest center is on the circle of
    // radius rho about the middle
    const double rho = std::sqrt(alpha * alpha - half * half),
                 equator = alpha - rho + small + radius;
    const Distance of_ball = distance(spindle, X_WA, Sphere{.radius = radius}, X_WB);
    EXPECT_NEAR(of_ball.distance, std::hypot(place, rho) - alpha - small - radius, 1e-12);
    const Distance of_capsule = distance(Capsule{.radius = radius, .half_length = half}, X_WB,
                                         spindle, X_WA);
    EXPECT_NEAR(of_capsule.distance, -equator, 1e-12);
    for (const Distance& found : {of_ball, of_capsule}) {
      EXPECT_EQ(found.status, Status::penetrating) << i;
      EXPECT_LT(found.support_calls, 500) << i;
    }
  }
}

TEST(StpPair, CollideSaysWhatDistanceSays) {
  // apart by 98 eps of the scale, hardly more than the contact band: another direction, 4e-6 rad
  // beside the best, gives 16
  Points points(3, 4), ends(3, 2);
  points << 0.25779091827549572, -0.37191913886084249, -0.0072826919425403869, 0.068102117445050125,
      0.18157494691819431, 0.17461100496221715, 0.22113264425861279, 0.06375222034128869,
      0.12901843784405409, 0.30529234184967513, 0.36598300946104512, 0.30500108620718724;
  ends << 0.0, 0.0, 0.0, 0.0, -0.068076682704599281, 0.068076682704599281;
  Pose X_WA{.translation = {-0.25691359059792607, -0.49033088119215762, -0.50810014260226044}};
  Pose X_WB{.translation = {-0.1234754560400286, -0.10926174310021822, -0.82357238867152205}};
  X_WA.rotation << 0.097014830181545511, 0.99514353527331678, -0.016657338580061652,
      -0.20570858578033649, 0.036423471006497579, 0.97793522714753089, 0.97379263730072418,
      -0.09144766242810011, 0.20824318614383619;
  X_WB.rotation << -0.40687579289885029, 0.63769745181399484, 0.65405966784603808,
      0.65757322253662087, 0.70146439779540504, -0.27485479007711211, -0.63407377027892864,
      0.31826036287207915, -0.70474165143604006;
  const Shape volume = Stp::from_points(points,
                                        {.small_radius = 0.0, .big_radius = 88.678780956654421}),
              segment = Convex::from_points(ends);
  const Distance found = distance(volume, X_WA, segment, X_WB);
  EXPECT_EQ(found.status, Status::separated);
  EXPECT_GT(found.lower, 64.0 * kEps * pair_scale(volume, X_WA, segment, X_WB));
  EXPECT_EQ(collide(volume, X_WA, segment, X_WB).status, found.status);
}

TEST(StpPair, AForeignWarmStartCostsTimeOnly) {
  Random random(9);
  const Shape a = random_volume(random, 10.0), b = random_volume(random, 1.0);
  const Pose X_WB{random.rotation(), {0.8, 0.1, 0.2}};
  const Distance truth = distance(a, {}, b, X_WB, {.tolerance = 1e-12});
  for (const std::array<std::int32_t, 2> patches :
       {std::array{-1, 0}, {1 << 30, 2}, {0, 1 << 30}, {3, 2}}) {
    const WarmStart foreign{.direction_A = random.direction(), .vertices = patches};
    const Distance found = distance(a, {}, b, X_WB, {.tolerance = 1e-12, .warm_start = &foreign});
    EXPECT_NEAR(found.distance, truth.distance, 1e-14);
    EXPECT_EQ(found.status, truth.status);
  }
}

TEST(StpPair, DerivativesAgreeWithCentralDifferences) {
  Random random(10);
  int compared = 0, poses = 0;
  double worst_normal = 0.0, worst_distance = 0.0;
  for (const ShapeKind kind :
       {ShapeKind::stp, ShapeKind::ellipsoid, ShapeKind::box, ShapeKind::convex}) {
    for (int i = 0; i < 40; ++i, ++poses) {
      const Shape a = random_volume(random, random.log_uniform(0.8, 3.0));
      const PosedPair pair{
          a,
          kind == ShapeKind::stp ? random_volume(random, 1.5) : random_shape_of(kind, random),
          random_pose(random, 0.2),
          {random.rotation(), 1.2 * random.direction()}};
      const DistanceDerivative derivative = pair.derivative({.query = {.tolerance = 1e-13}});
      ASSERT_TRUE(all_finite(derivative));
      if (!derivative.smooth) continue;
      const int column = random.below(12);
      if (column_error(pair, derivative, size_of(derivative), column, TangentFrame::local) ==
          kInfinity)
        continue;
      const Column difference = difference_quotient(pair, column, 1e-5, TangentFrame::local).value -
                                Column::of(derivative, column);
      worst_distance = std::max(worst_distance, std::abs(difference.distance));
      worst_normal = std::max(worst_normal, difference.normal.norm());
      EXPECT_LE(column_error(pair, derivative, size_of(derivative), column, TangentFrame::local),
                1e-6)
          << i;
      ++compared;
    }
  }
  EXPECT_GE(compared, poses * 7 / 10);
  EXPECT_LE(worst_distance, 3e-7);
  EXPECT_LE(worst_normal, 2e-5);
}

/// Largest change of the gradient of the distance between two steps along one motion.
double largest_jump(const Shape& a, const Shape& b, int steps) {
  const Vector3 axis = Vector3(0.3, 1.0, 0.2).normalized();
  RowVector12 last = RowVector12::Zero();
  double jump = 0.0;
  for (int i = 0; i <= steps; ++i) {
    const Pose X_WB{Random::turn(axis, 1.5 * i / steps), {0.55, 0.02, 0.01}};
    const Distance value = distance(a, {}, b, X_WB, {.tolerance = 1e-12});
    const RowVector12 gradient = distance_jacobian({}, X_WB, value);
    if (i > 0) jump = std::max(jump, (gradient - last).norm());
    last = gradient;
  }
  return jump;
}

TEST(StpPair, TheGradientIsContinuousWhereThatOfTheHullJumps) {
  const Points points = geodesic_sphere(1, 0.2);
  const Shape hull = Convex::from_points(points, 0.01);
  const Shape volume = Stp::from_points(points, {.small_radius = 0.01, .big_radius = 1.0});
  EXPECT_LE(largest_jump(volume, volume, 6400), 0.15 * largest_jump(volume, volume, 800));
  // one strictly convex shape is enough (theorem 2.3)
  EXPECT_LE(largest_jump(volume, hull, 6400), 0.15 * largest_jump(volume, hull, 800));
  EXPECT_GE(largest_jump(hull, hull, 6400), 0.8 * largest_jump(hull, hull, 800));
  EXPECT_GE(largest_jump(hull, hull, 6400), 0.05);
}

/// Where the curvature jumps, the derivatives of normal and points are not unique; between two
/// triangles of one sphere it does not jump.
TEST(StpPair, SmoothSaysWhereTheCurvatureJumps) {
  Points ends(3, 2);
  ends << -0.3, 0.3, 0, 0, 0, 0;
  const Shape spindle = Stp::from_points(ends, {.small_radius = 0.1, .big_radius = 0.6}),
              ball = Sphere{.radius = 0.1};
  const auto is_smooth = [&](const Shape& shape, const Vector3& n) {
    const Vector3 p = shape.support(n) + 0.5 * n;
    return distance_derivative(shape, {}, ball, at(p.x(), p.y(), p.z())).smooth;
  };
  EXPECT_FALSE(is_smooth(spindle, Vector3(0.6, 0.8, 0.0)));  // n.a = l / (2 alpha): from the small
                                                             // sphere to the torus
  EXPECT_TRUE(is_smooth(spindle, Vector3(0.6, 0.8, 0.1).normalized()));
  Points corners(3, 8);
  for (int i = 0; i < 8; ++i)
    corners.col(i) = 0.1 * Vector3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
  const Shape cube = Stp::from_points(corners, {.small_radius = 0.01, .big_radius = 1.0});
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(is_smooth(cube, Vector3::Unit(k)));
}

/// The cap of a prism over a regular polygon is one sphere about a point of its axis. Over it the
/// normal to a ball at t is (t - c) / |t - c|, and its derivative (I - n n') / |t - c|, also above
/// the sides of the triangles into which the cap is cut.
TEST(StpPair, ACapOfManyTrianglesHasTheCurvatureOfItsSphere) {
  Random random(79);
  int smooth = 0, asked = 0;
  for (int corners = 4; corners <= 9; ++corners) {
    const double radius = 0.3, height = 0.3, big_radius = random.log_uniform(1.0, 30.0),
                 r = corners % 2 == 0 ? 0.0 : 0.01;
    Points points(3, 2 * corners);
    for (int i = 0; i < 2 * corners; ++i) {
      const double angle = 2.0 * std::numbers::pi * (i / 2) / corners + std::numbers::pi / 4.0;
      points.col(i) << radius * std::cos(angle), radius * std::sin(angle),
          i % 2 == 0 ? height : -height;
    }
    const Shape prism = Stp::from_points(points, {.small_radius = r, .big_radius = big_radius}),
                ball = Sphere{.radius = 0.1};
    const double alpha = big_radius - r;
    const Vector3 center(0.0, 0.0, height - std::sqrt(alpha * alpha - radius * radius));
    for (int i = 0; i < corners; ++i) {
      for (int j = 0; j < i; ++j) {
        // above the middle of a diagonal, or near to it, and well inside of the cap
        Vector3 over = 0.5 * (points.col(2 * i) + points.col(2 * j));
        if (random.chance(0.3)) over += random.log_uniform(1e-17, 1e-3) * random.direction();
        if (over.head<2>().norm() > 0.6 * radius * std::cos(std::numbers::pi / corners)) continue;
        const Vector3 t = center + (over - center).normalized() * (big_radius + 0.4),
                      n = (t - center).normalized();
        const DistanceDerivative found = distance_derivative(prism, {}, ball,
                                                             at(t.x(), t.y(), t.z()));
        const Matrix3 expected = (Matrix3::Identity() - n * n.transpose()) / (t - center).norm();
        const Matrix3 jacobian = found.normal_jacobian.middleCols<3>(6);
        ++asked;
        smooth += found.smooth ? 1 : 0;
        EXPECT_LE((jacobian - expected).norm(), 1e-9 * expected.norm())
            << corners << " " << i << " " << j << "\n"
            << jacobian;
      }
    }
  }
  EXPECT_GT(asked, 20);
  EXPECT_EQ(smooth, asked);
}

/// A ring of points with noise along its axis, nearly flat and turned anywhere. Next to the least
/// radius the volume is almost a ball, so that rounding may drop points of it; the smallest ball
/// around the others is smaller.
Points nearly_flat_ring(Random& random, int count) {
  Points points(3, count);
  const Matrix3 turn = random.rotation();
  const double noise = random.log_uniform(1e-3, 1e-1);
  for (int i = 0; i < count; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / count;
    points.col(i) = turn *
                    Vector3(std::cos(angle), std::sin(angle), noise * random.uniform(-1.0, 1.0));
  }
  return points;
}

/// Checks that the bounds of the distance to half-spaces and the box contain the exact supports
/// along all axes.
void expect_bounds_hold(const Points& points, double r, double big_radius) {
  const ExactStp exact(points, Quad(big_radius) - Quad(r));
  const Shape stp = Stp::from_points(points, {.small_radius = r, .big_radius = big_radius});
  const Aabb box = stp.aabb();
  for (int k = 0; k < 6; ++k) {
    const Vector3 u = (k % 2 == 0 ? 1.0 : -1.0) * Vector3::Unit(k / 2);
    const Quad reach = exact.support(quad3(u)) + Quad(r);
    const Distance found = distance(stp, {}, HalfSpace{.normal = -u, .offset = 0.0}, {});
    EXPECT_LE(static_cast<double>(Quad(found.lower) + reach), 0.0)
        << big_radius << " axis " << k << "\n"
        << points;
    EXPECT_GE(static_cast<double>(Quad(found.upper) + reach), 0.0)
        << big_radius << " axis " << k << "\n"
        << points;
    const double wall = k % 2 == 0 ? box.upper[k / 2] : -box.lower[k / 2];
    EXPECT_GE(static_cast<double>(Quad(wall) - reach), 0.0) << big_radius << " axis " << k << "\n"
                                                            << points;
  }
}

TEST(StpPair, BoundsHoldWherePointsOfARingAreDropped) {
  Points points(3, 7);
  points << 0.46199621440759364, -0.23123819493018008, -0.7483022414445568, -0.7044622910695568,
      -0.12377426848636477, 0.5293505768705518, 0.8079836041031172, -0.261481230435343,
      -0.7378680640174313, -0.6607739068751084, -0.08338740181099395, 0.5500890660494249,
      0.7911765073488862, 0.4111274420792763, 0.8474951911440771, 0.6341002240194606,
      -0.058530238981232496, -0.7048803195830826, -0.8258845949807062, -0.3072439868217572,
      0.42215765105553155;
  expect_bounds_hold(points, 0.001, 1.0010813154528284);
  expect_bounds_hold(points, 0.0, 1.0000813154528284);
}

TEST(StpPair, BoundsOfRingsNextToTheLeastRadiusHold) {
  Random random(80);
  for (int trial = 0; trial < 1000; ++trial) {
    const Points ring = nearly_flat_ring(random, 5 + random.below(4));
    const double r = random.chance(0.5) ? 0.0 : random.log_uniform(1e-4, 1.0);
    const double alpha = smallest_sphere(ring).radius * (1.0 + random.log_uniform(1e-8, 1e-5));
    expect_bounds_hold(ring, r, r + alpha);
  }
}

TEST(StpPair, BoundsOfThinVolumesHold) {
  Random random(78);
  int separated = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const Points points = testing::thin_cloud(random);
    const double alpha = testing::thin_alpha(points, random);
    const testing::ExactStp exact(points, alpha);
    const Shape stp(Stp::from_points(points, {.small_radius = 0.0, .big_radius = alpha})),
        ball(Sphere{.radius = 0.25});
    for (int i = 0; i < 4; ++i) {
      const Pose X{.translation = random.log_uniform(0.1, 100.0) * random.direction()};
      const Distance found = distance(stp, {}, ball, X);
      // the separation along the normal is at most the distance, and almost equal to it where the
      // shapes are apart
      const testing::Quad3 n = testing::quad_unit(testing::quad3(found.normal));
      const testing::Quad along = dot(n, testing::quad3(X.translation)) - testing::Quad(0.25) -
                                  exact.support(n);
      const double eps_scale = std::numeric_limits<double>::epsilon() *
                               pair_scale(stp, {}, ball, X);
      ASSERT_LE(static_cast<double>(testing::Quad(found.lower) - along), 0.0)
          << trial << ": alpha " << alpha << "\n"
          << points;
      if (found.status != Status::separated) continue;
      ++separated;
      ASSERT_LE(static_cast<double>(along - testing::Quad(found.upper)), eps_scale)
          << trial << ": alpha " << alpha << "\n"
          << points;
    }
  }
  EXPECT_GT(separated, 1000);
}

}  // namespace
}  // namespace tactum::stp_pair_test
