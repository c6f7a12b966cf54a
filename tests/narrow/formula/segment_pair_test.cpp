// SPDX-License-Identifier: BSD-2-Clause
// Segments in the axes of the world against the distance of segments in extended precision: every
// answer is right, refused pairs are close to contact or almost parallel, and nearly all others are
// answered.
#include "narrow/formula/segment_pair.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum::segment_pair_test {
namespace {

using namespace tactum::testing;

struct HalfSegments {
  Vector3 u;  ///< half of the first segment
  Vector3 v;
  Vector3 r;  ///< from center to center

  double scale() const { return std::max({u.norm(), v.norm(), r.norm()}); }
  double truth() const {
    return static_cast<double>(
        distance_segment_segment(-widen(u), widen(u), widen(r) - widen(v), widen(r) + widen(v)));
  }
  /// Solves by unit directions; a segment without length is a point.
  bool solve(SegmentPairAnswer& answer) const {
    const double h = u.norm(), k = v.norm();
    const Double3 e = to_double3(h > 0.0 ? Vector3(u / h) : Vector3::UnitX()),
                  f = to_double3(k > 0.0 ? Vector3(v / k) : Vector3::UnitX());
    if (h > 0.0 && k > 0.0) return solve_segment_pair(e, h, f, k, to_double3(r), scale(), answer);
    if (h == 0.0) return solve_point_segment(f, k, to_double3(r), scale(), answer);
    const bool answered = solve_point_segment(e, h, to_double3(-r), scale(), answer);
    std::swap(answer.s, answer.t);
    answer.separation = -answer.separation;
    return answered;
  }
};

/// Solves and checks an answer against the truth: coordinates in range, points at the right
/// distance, a normal that proves it.
bool solved(const HalfSegments& test) {
  SegmentPairAnswer answer;
  if (!test.solve(answer)) return false;
  const double rounding = 16.0 * kEps * test.scale(), truth = test.truth();
  EXPECT_LE(answer.lower, answer.upper);
  EXPECT_LE(answer.upper - answer.lower, rounding);
  EXPECT_LE(answer.lower, truth + 4.0 * kEps * test.scale());
  EXPECT_GE(answer.upper, truth - 4.0 * kEps * test.scale());
  EXPECT_LE(std::abs(answer.s), test.u.norm());
  EXPECT_LE(std::abs(answer.t), test.v.norm());
  const Vec3 n = widen(to_vector3(answer.inverse * answer.separation));
  EXPECT_NEAR(static_cast<double>(n.norm()), 1.0, 8.0 * kEps);
  const auto along = [](const Vector3& half, double metres) {
    return half.isZero(0.0) ? Vec3(Vec3::Zero())
                            : Vec3((Real(metres) / widen(half).norm()) * widen(half));
  };
  const Vec3 separation = widen(test.r) + along(test.v, answer.t) - along(test.u, answer.s);
  EXPECT_LE(static_cast<double>((separation - Real(answer.upper) * n).norm()), rounding);
  const Real proved = n.dot(widen(test.r)) - std::abs(n.dot(widen(test.u))) -
                      std::abs(n.dot(widen(test.v)));
  EXPECT_NEAR(static_cast<double>(proved), answer.lower, 8.0 * kEps * test.scale());
  return true;
}

/// Sine of the angle between the halves; one where a segment has no length.
double sine(const HalfSegments& test) {
  const double lengths = test.u.norm() * test.v.norm();
  return lengths > 0.0 ? test.u.cross(test.v).norm() / lengths : 1.0;
}

TEST(SegmentPair, RandomPairsAreRightAndNearlyAllAnswered) {
  Random random(211);
  int general = 0, refused = 0;
  for (int i = 0; i < 20000; ++i) {
    const HalfSegments test{random.in_box(1.0), random.in_box(1.0),
                            random.uniform(0.2, 4.0) * random.in_box(1.0)};
    SCOPED_TRACE(i);
    const bool answered = solved(test);
    if (test.truth() > 0.01 * test.scale() && sine(test) > 0.01) {
      ++general;
      refused += answered ? 0 : 1;
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(general, 15000);
  EXPECT_LT(refused, general / 50);
}

TEST(SegmentPair, PointsAndSegmentsAreAlwaysAnswered) {
  Random random(212);
  const Vector3 none = Vector3::Zero();
  for (int i = 0; i < 5000; ++i) {
    const Vector3 half = random.log_uniform(1e-6, 1.0) * random.direction();
    const HalfSegments test{i % 3 == 0 ? half : none, i % 3 == 1 ? half : none,
                            random.log_uniform(1e-3, 1e3) * random.direction()};
    SCOPED_TRACE(i);
    const bool answered = solved(test);
    if (test.truth() > 2e-3 * test.scale()) {
      EXPECT_TRUE(answered);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(SegmentPair, EveryRegionOfTheTwoCoordinates) {
  // a cross moved over a grid: the optimum is inside, on an edge or at a corner of the square of s
  // and t
  int answered = 0, count = 0;
  for (double x = -3.0; x <= 3.0; x += 0.5) {
    for (double y = -3.0; y <= 3.0; y += 0.5) {
      for (const double angle : {0.1, 0.7, M_PI / 2, 2.0, 3.0}) {
        const HalfSegments test{
            {1.0, 0.0, 0.0}, {std::cos(angle), std::sin(angle), 0.0}, {x, y, 0.75}};
        SCOPED_TRACE(::testing::Message() << x << " " << y << " " << angle);
        answered += solved(test) ? 1 : 0;
        ++count;
      }
    }
  }
  EXPECT_GT(answered, count * 95 / 100);
}

TEST(SegmentPair, ParallelOnesAreAnsweredAlmostParallelOnesRefusedOrRight) {
  Random random(213);
  int answered = 0, refused = 0;
  for (int i = 0; i < 10000; ++i) {
    const Vector3 along = random.direction();
    const double tilt = random.chance(0.2) ? 0.0 : random.log_uniform(1e-17, 0.1);
    const HalfSegments test{
        random.log_uniform(1e-3, 1.0) * along,
        random.sign() * random.log_uniform(1e-3, 1.0) * (along + tilt * random.direction()),
        random.in_box(1.5)};
    SCOPED_TRACE(::testing::Message() << i << " tilt " << tilt);
    const bool answer = solved(test);
    (answer ? answered : refused) += 1;
    if (tilt == 0.0 && test.truth() > 0.01 * test.scale()) {
      EXPECT_TRUE(answer);
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(answered, 8000);
  EXPECT_GT(refused, 100);
}

TEST(SegmentPair, CrossingTouchingAndAlmostTouchingAreRefusedOrRight) {
  Random random(214);
  int near_contact = 0;
  for (int i = 0; i < 10000; ++i) {
    // a common point at coordinates inside or at an end, moved apart by a gap that may be zero
    const auto coordinate = [&] {
      return random.chance(0.3) ? random.sign() : random.uniform(-1.0, 1.0);
    };
    const double gap = random.chance(0.3) ? 0.0 : random.log_uniform(1e-18, 1e-1);
    const Vector3 u = random.chance(0.1) ? Vector3(Vector3::Zero()) : random.in_box(1.0);
    const Vector3 v = random.chance(0.1) ? Vector3(Vector3::Zero()) : random.in_box(1.0);
    const HalfSegments test{u, v, coordinate() * u - coordinate() * v + gap * random.direction()};
    if (test.scale() == 0.0) continue;
    SCOPED_TRACE(::testing::Message() << i << " gap " << gap);
    const bool answered = solved(test);
    if (test.truth() < 0.9e-3 * test.scale()) {
      EXPECT_FALSE(answered);
      ++near_contact;
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(near_contact, 5000);
}

TEST(SegmentPair, SamePointIsRefused) {
  SegmentPairAnswer answer;
  const Double3 zero{0, 0, 0}, x{1, 0, 0}, y{0, 1, 0};
  EXPECT_FALSE(solve_point_segment(x, 0.0, zero, 0.0, answer));
  EXPECT_FALSE(solve_point_segment(x, 1.0, zero, 1.0, answer));
  EXPECT_FALSE(solve_segment_pair(x, 1.0, x, 1.0, zero, 1.0, answer));
  EXPECT_FALSE(solve_segment_pair(x, 1.0, y, 1.0, zero, 1.0, answer));
}

TEST(SegmentPair, UnitsDoNotMatter) {
  Random random(215);
  for (int i = 0; i < 500; ++i) {
    const HalfSegments test{random.in_box(1.0), random.log_uniform(1e-6, 1.0) * random.in_box(1.0),
                            3.0 * random.direction()};
    SegmentPairAnswer base, other;
    const bool answered = test.solve(base);
    for (const double unit : {0x1p-80, 0x1p80}) {
      const HalfSegments scaled{unit * test.u, unit * test.v, unit * test.r};
      ASSERT_EQ(scaled.solve(other), answered);
      if (!answered) continue;
      EXPECT_EQ(other.upper, unit * base.upper);
      EXPECT_EQ(other.lower, unit * base.lower);
      EXPECT_EQ(other.s, unit * base.s);
      EXPECT_EQ(other.t, unit * base.t);
      EXPECT_EQ(to_vector3(other.inverse * other.separation),
                to_vector3(base.inverse * base.separation));
    }
  }
}

TEST(SegmentPair, KnowsItsCores) {
  EXPECT_TRUE(is_segment(Shape(Sphere{.radius = 0.1}).core()));
  EXPECT_TRUE(is_segment(Shape(Capsule{.radius = 0.1, .half_length = 0.2}).core()));
  EXPECT_FALSE(is_segment(Shape(Box{.half_extents = {0.1, 0.1, 0.1}}).core()));
  EXPECT_FALSE(is_segment(Shape(Cylinder{.radius = 0.1, .half_length = 0.2}).core()));
}

/// The minimum over s, t in [-1, 1] of |b(t) - a(s)| by a grid that zooms in; the function is
/// convex, so the best cell contains the minimum.
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

/// Checks points on their segments, a unit normal, p_b - p_a = d n, and that the normal keeps each
/// segment on its own side, which proves d.
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
  // overlapping segments on one line: a common point, and a normal orthogonal to both
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
    // the common point is rounded in both segments, and almost parallel segments magnify that in
    // the normal
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

}  // namespace
}  // namespace tactum::segment_pair_test
