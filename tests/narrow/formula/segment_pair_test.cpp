// SPDX-License-Identifier: BSD-2-Clause
// Segments in the axes of the world against the distance of segments in extended precision: what is
// answered is right, what is refused is close to contact or almost parallel, and anything else is
// answered nearly always.
#include "narrow/formula/segment_pair.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum::segment_pair_test {
namespace {

using namespace tactum::testing;

struct HalfSegments {
  Vector3 u;  ///< half of the first
  Vector3 v;
  Vector3 r;  ///< from centre to centre

  double scale() const { return std::max({u.norm(), v.norm(), r.norm()}); }
  double truth() const {
    return static_cast<double>(
        distance_segment_segment(-widen(u), widen(u), widen(r) - widen(v), widen(r) + widen(v)));
  }
  /// By unit directions; what has no length is a point.
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

/// Solves, and holds an answer against the truth: coordinates in range, points that far apart, a
/// normal that proves it.
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

/// Sine of the angle between the halves, one where there is none.
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
    // a common point at coordinates inside or at an end, moved apart by a gap that may be nothing
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

}  // namespace
}  // namespace tactum::segment_pair_test
