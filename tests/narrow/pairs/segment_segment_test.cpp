// SPDX-License-Identifier: BSD-2-Clause
// Two segments against a grid search that is refined in extended precision.
#include "narrow/pairs/segment_segment.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum::segment_segment_test {
namespace {

using namespace tactum::testing;

/// min over s, t in [-1, 1] of |b(t) - a(s)| by a grid that zooms in; the function is convex, so
/// the best cell holds the minimum.
Real by_grid(const Segment& a, const Segment& b) {
  const Vec3 r = widen(b.center) - widen(a.center), p = widen(a.half), q = widen(b.half);
  Real s = 0, t = 0, best = infinite;
  for (Real width = 1; width > 1e-13L; width *= 0.5L) {
    const Real s0 = s, t0 = t;
    for (int i = -4; i <= 4; ++i) {
      for (int j = -4; j <= 4; ++j) {
        const Real si = std::clamp(s0 + width * i / 4, Real(-1), Real(1)),
                   tj = std::clamp(t0 + width * j / 4, Real(-1), Real(1));
        const Real value = (r + tj * q - si * p).norm();
        if (value < best) best = value, s = si, t = tj;
      }
    }
  }
  return best;
}

bool on_segment(const Segment& segment, const Vector3& p, double tolerance) {
  return static_cast<double>(
             distance_point_segment(widen(p), widen(segment.center) - widen(segment.half),
                                    widen(segment.center) + widen(segment.half))) <= tolerance;
}

double scale_of(const Segment& a, const Segment& b) {
  return std::max({(b.center - a.center).norm(), a.half.norm(), b.half.norm()});
}

/// Points on their segments, unit normal, p_b - p_a = d n, and the normal keeps each segment on its
/// own side (which proves d).
double expect_proved(const Segment& a, const Segment& b, const SegmentContact& contact,
                     double rounding = 16.0 * kEps) {
  const double tolerance = rounding * scale_of(a, b);
  const double d = contact.normal.dot(contact.point_b - contact.point_a);
  EXPECT_NEAR(contact.normal.norm(), 1.0, 8.0 * kEps);
  EXPECT_TRUE(on_segment(a, contact.point_a, tolerance));
  EXPECT_TRUE(on_segment(b, contact.point_b, tolerance));
  EXPECT_LE((contact.point_b - contact.point_a - d * contact.normal).norm(), tolerance);
  const Vec3 n = widen(contact.normal);
  const Real lowest = n.dot(widen(b.center) - widen(a.center)) - std::abs(n.dot(widen(b.half))) -
                      std::abs(n.dot(widen(a.half)));
  EXPECT_NEAR(static_cast<double>(lowest), d, tolerance);
  EXPECT_GE(d, -tolerance);
  return d;
}

TEST(SegmentSegment, RandomPairsAgreeWithTheGrid) {
  Random random(51);
  for (int i = 0; i < 1500; ++i) {
    const Segment a{random.in_box(1.0), random.in_box(1.0)},
        b{random.in_box(1.0), random.in_box(1.0)};
    SCOPED_TRACE(i);
    const double d = expect_proved(a, b, segment_segment(a, b));
    EXPECT_NEAR(d, static_cast<double>(by_grid(a, b)), 1e-12);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(SegmentSegment, NearlyParallel) {
  Random random(52);
  for (int i = 0; i < 3000; ++i) {
    const Vector3 along = random.direction();
    const double tilt = random.chance(0.2) ? 0.0 : random.log_uniform(1e-17, 1e-2);
    const Segment a{Vector3::Zero(), along * random.uniform(0.1, 1.0)};
    const Segment b{random.in_box(1.0),
                    random.sign() * random.uniform(0.1, 1.0) * (along + tilt * random.direction())};
    SCOPED_TRACE(::testing::Message() << i << " tilt " << tilt);
    const double d = expect_proved(a, b, segment_segment(a, b));
    // the oracle's own segment distance, in extended precision
    const Real truth = distance_segment_segment(-widen(a.half), widen(a.half),
                                                widen(b.center) - widen(b.half),
                                                widen(b.center) + widen(b.half));
    EXPECT_NEAR(d, static_cast<double>(truth), 16.0 * kEps * scale_of(a, b));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(SegmentSegment, ParallelSideBySideOverlapAndInLine) {
  const Segment a{{0, 0, 0}, {1, 0, 0}};
  EXPECT_DOUBLE_EQ(
      expect_proved(a, {{0.5, 2, 0}, {1, 0, 0}}, segment_segment(a, {{0.5, 2, 0}, {1, 0, 0}})),
      2.0);
  EXPECT_DOUBLE_EQ(
      expect_proved(a, {{3.5, 0, 0}, {-1, 0, 0}}, segment_segment(a, {{3.5, 0, 0}, {-1, 0, 0}})),
      1.5);
  EXPECT_DOUBLE_EQ(
      expect_proved(a, {{5, 4, 0}, {1, 0, 0}}, segment_segment(a, {{5, 4, 0}, {1, 0, 0}})), 5.0);
  // one on top of the other: a common point, and a normal orthogonal to both
  const SegmentContact same = segment_segment(a, {{0.5, 0, 0}, {1, 0, 0}});
  EXPECT_EQ(expect_proved(a, {{0.5, 0, 0}, {1, 0, 0}}, same), 0.0);
  EXPECT_EQ(same.normal.x(), 0.0);
}

TEST(SegmentSegment, CrossingAtAPoint) {
  Random random(53);
  for (int i = 0; i < 2000; ++i) {
    // the segments share the point 0 at known coordinates, inside or at an end
    const auto coordinate = [&] {
      return random.chance(0.3) ? random.sign() : random.uniform(-0.9, 0.9);
    };
    const Vector3 p = random.in_box(1.0),
                  q = random.chance(0.2) ? Vector3(random.sign() * random.uniform(0.2, 2.0) * p)
                                         : random.in_box(1.0);
    const Segment a{-coordinate() * p, p}, b{-coordinate() * q, q};
    SCOPED_TRACE(i);
    // the common point is rounded in both segments, and almost parallel ones multiply that in the
    // normal
    EXPECT_NEAR(expect_proved(a, b, segment_segment(a, b), 64.0 * kEps), 0.0,
                8.0 * kEps * scale_of(a, b));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(SegmentSegment, NearlyTouchingCrossKeepsItsNormal) {
  Random random(54);
  for (int i = 0; i < 1000; ++i) {
    const Matrix3 frame = random.rotation();
    const double gap = random.log_uniform(1e-17, 1e-6), angle = random.uniform(0.1, 3.0);
    const Segment a{frame * Vector3(0.2, 0.1, 0.0), frame * Vector3(1, 0, 0)};
    const Segment b{frame * Vector3(0.1, 0.0, gap),
                    frame * Vector3(std::cos(angle), std::sin(angle), 0)};
    const SegmentContact contact = segment_segment(a, b);
    EXPECT_NEAR(std::abs(contact.normal.dot(frame.col(2))), 1.0, 1e-14);
    if (gap > 1e-15) {
      EXPECT_GT(contact.normal.dot(frame.col(2)), 0.0);
    }
  }
}

TEST(SegmentSegment, SegmentsWithoutLengthArePoints) {
  const Vector3 none = Vector3::Zero();
  const Segment point{{1, 2, 2}, none}, origin{none, none}, bar{none, {0, 0, 1}};
  EXPECT_DOUBLE_EQ(expect_proved(origin, point, segment_segment(origin, point)), 3.0);
  EXPECT_DOUBLE_EQ(expect_proved(origin, origin, segment_segment(origin, origin)), 0.0);
  EXPECT_DOUBLE_EQ(
      expect_proved(bar, {{3, 0, 0.5}, none}, segment_segment(bar, {{3, 0, 0.5}, none})), 3.0);
  EXPECT_DOUBLE_EQ(expect_proved({{3, 0, 5}, none}, bar, segment_segment({{3, 0, 5}, none}, bar)),
                   5.0);
  // the point on the bar, inside and at an end, from both sides
  for (const double z : {-1.0, -0.25, 0.0, 1.0}) {
    const Segment on{{0, 0, z}, none};
    EXPECT_DOUBLE_EQ(expect_proved(on, bar, segment_segment(on, bar)), 0.0);
    EXPECT_DOUBLE_EQ(expect_proved(bar, on, segment_segment(bar, on)), 0.0);
  }
}

TEST(SegmentSegment, LengthRatiosAndUnits) {
  Random random(55);
  for (int i = 0; i < 1000; ++i) {
    const Segment a{random.in_box(1.0), random.in_box(1.0)};
    const Segment b{random.in_box(1.0), random.log_uniform(1e-12, 1e3) * random.in_box(1.0)};
    SCOPED_TRACE(i);
    const SegmentContact plain = segment_segment(a, b);
    expect_proved(a, b, plain);
    for (const double unit : {0x1p-60, 0x1p60}) {
      const SegmentContact scaled = segment_segment({unit * a.center, unit * a.half},
                                                    {unit * b.center, unit * b.half});
      EXPECT_EQ(scaled.normal, plain.normal);
      EXPECT_EQ(scaled.point_a, unit * plain.point_a);
      EXPECT_EQ(scaled.point_b, unit * plain.point_b);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

/// A shape whose core is the given segment, or a point where it has no length.
Shape shape_around(const Vector3& center, const Vector3& half) {
  return half.squaredNorm() > 0.0 ? Shape(hull_of({center - half, center + half}))
                                  : Shape(hull_of({center}));
}

void expect_solved(const TestPair& test, bool (*solve)(CorePair&, CoreAnswer&)) {
  CorePair pair = test.cores();
  CoreAnswer answer;
  ASSERT_TRUE(solve(pair, answer)) << answer.optimum.residual / (kEps * test.scale()) << " eps at "
                                   << answer.optimum.lower / test.scale();
  expect_valid_optimum(test, answer.optimum, 16.0 * kEps);
  EXPECT_LE(answer.upper - answer.optimum.lower, 16.0 * kEps * test.scale());
  EXPECT_LE(answer.optimum.residual, 16.0 * kEps * test.scale());
  EXPECT_NEAR(answer.optimum.lower, static_cast<double>(enumerated(test)),
              32.0 * kEps * test.scale());
}

TEST(SegmentCores, EveryPositionIsProved) {
  Random random(56);
  for (int i = 0; i < 4000; ++i) {
    const auto half = [&] {
      return random.chance(0.2) ? Vector3(Vector3::Zero()) : random.in_box(0.5);
    };
    const Vector3 half_a = half(), half_b = half();
    // general, parallel, in contact, far
    Pose X_AB = random_pose(random, i % 5 == 4 ? 20.0 : 0.7);
    if (i % 5 == 1)
      X_AB.rotation = Random::turn(random.direction(), random.log_uniform(1e-18, 1e-2));
    if (i % 5 == 2) X_AB.translation *= random.log_uniform(1e-17, 1e-2);
    const Vector3 turned_half = i % 5 == 1 ? Vector3(random.uniform(0.2, 2.0) * half_a) : half_b;
    const TestPair test{shape_around(random.in_box(0.1), half_a),
                        shape_around(random.in_box(0.1), turned_half), X_AB};
    SCOPED_TRACE(i);
    expect_solved(test, solve_segments);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(SegmentCores, PointsFarNearAndTheSame) {
  Random random(57);
  for (int i = 0; i < 1000; ++i) {
    const double reach = i % 3 == 0 ? 0.0 : random.log_uniform(1e-20, 1e3);
    const TestPair test{Sphere{.radius = 0.1},
                        Sphere{.radius = 0.2},
                        {random.rotation(), reach * random.direction()}};
    SCOPED_TRACE(i);
    expect_solved(test, solve_points);
    expect_solved(test, solve_segments);
    if (::testing::Test::HasFailure()) return;
  }
}

// squares of these lengths underflow in double; extended precision has the exponents for them
TEST(SegmentCores, PointsWhoseSquaredDistanceUnderflows) {
  Random random(58);
  for (const double length : {1e-100, 1e-139, 1e-142, 4.8e-161, 1e-200, 1e-300, 3e-322, 4.9e-324}) {
    for (const double at_pose : {0.0, 0.5, 1.0}) {  // part of the offset that the pose carries, the
                                                    // rest is in the shape
      const Vector3 offset = length > 1e-310 ? Vector3(length * random.direction())
                                             : Vector3(4.0 * length, 0.0, length);
      const Vector3 translation = at_pose * offset, vertex = offset - translation;
      const Shape point(Convex::from_points(Points(vertex)));
      for (const Shape& other :
           {Shape(Sphere{.radius = 0.0}), Shape(Convex::from_points(Points(Vector3::Zero())))}) {
        const Distance r = distance(other, {}, point, {.translation = translation});
        SCOPED_TRACE(::testing::Message() << length << " " << at_pose << " " << other.to_string());
        const Real truth = (widen(vertex) + widen(translation)).norm();
        EXPECT_NEAR(r.normal.norm(), 1.0, 8.0 * kEps);
        EXPECT_NE(r.status, Status::not_converged);
        EXPECT_LE(std::abs(r.distance - truth), 64.0 * kEps * truth + 5e-324L);
        EXPECT_LE(r.lower, truth * (1 + 64 * Real(kEps)) + 5e-324L);
        EXPECT_GE(r.upper, truth * (1 - 64 * Real(kEps)) - 5e-324L);
        EXPECT_LE(r.upper - r.lower, 64.0 * kEps * truth + 1e-323L);
      }
    }
  }
}

}  // namespace
}  // namespace tactum::segment_segment_test
