// SPDX-License-Identifier: BSD-2-Clause
// The certified search over directions: bounds against the oracle and enumeration, agreement with
// EPA, bodies on a common axis.
#include "narrow/depth/direction_search.hpp"

#include <functional>

#include "narrow/depth/epa.hpp"
#include "narrow/gjk/gjk.hpp"
#include "narrow/narrow_fixtures.hpp"

namespace tactum::direction_search_test {
namespace {

using namespace tactum::testing;

struct Found {
  bool complete = false;
  SeparationOptimum optimum;
  double upper = kInfinity;
};

Found search(const TestPair& test, double gap, int max_cells) {
  CorePair pair = test.cores();
  const Vector3 n = Vector3(0.2, 0.3, 0.9).normalized();
  const MinkowskiPoint point = pair.support(n);
  Found found;
  found.optimum = optimum_of(single_point(point), n, n.dot(point.w));
  found.complete = search_sphere(pair, gap, max_cells, found.optimum, found.upper);
  return found;
}

/// Checks lower <= truth <= upper, and that the normal attains the lower bound.
void expect_bounds(const TestPair& test, const Found& found, double truth, double error = 0.0) {
  const double slack = 16.0 * kEps * test.scale();
  EXPECT_LE(found.optimum.lower, truth + error + slack);
  EXPECT_GE(found.upper, truth - slack);
  EXPECT_NEAR(found.optimum.normal.norm(), 1.0, 8.0 * kEps);
  EXPECT_NEAR(found.optimum.lower,
              static_cast<double>(test.separation_of_cores(found.optimum.normal)), slack);
}

TEST(DirectionSearch, BoundsHoldApartAndOverlapping) {
  Random random(101);
  int complete = 0, overlapping = 0;
  const int count = 100;
  for (int i = 0; i < count; ++i) {
    const TestPair test = random_solids(random, i % 2 == 0 ? 0.2 : 1.0);
    Real error = 0;
    const double truth = static_cast<double>(test.core_truth(&error));
    SCOPED_TRACE(::testing::Message()
                 << i << " " << test.a.to_string() << " " << test.b.to_string());
    const double gap = 1e-8 * test.scale();
    const Found found = search(test, gap, 20000);
    expect_bounds(test, found, truth, static_cast<double>(error));
    complete += found.complete ? 1 : 0;
    overlapping += truth < 0.0 ? 1 : 0;
    if (found.complete) {
      EXPECT_LE(found.upper - found.optimum.lower, gap + 4.0 * kEps * test.scale());
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(overlapping, 30);
  EXPECT_LT(overlapping, 80);
  EXPECT_GT(complete, count * 9 / 10);
}

TEST(DirectionSearch, AnExhaustedBudgetLeavesValidBounds) {
  Random random(102);
  int incomplete = 0;
  for (int i = 0; i < 60; ++i) {
    const TestPair test = random_solids(random, 0.5);
    Real error = 0;
    const double truth = static_cast<double>(test.core_truth(&error));
    double width = kInfinity;
    SCOPED_TRACE(::testing::Message()
                 << i << " " << test.a.to_string() << " " << test.b.to_string());
    for (const int cells : {1, 10, 100}) {
      const Found found = search(test, 1e-12 * test.scale(), cells);
      expect_bounds(test, found, truth, static_cast<double>(error));
      incomplete += found.complete ? 0 : 1;
      EXPECT_TRUE(std::isfinite(found.upper));
      width = std::min(width, found.upper - found.optimum.lower);
    }
    EXPECT_LE(width, 2.0 * test.scale());
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(incomplete, 60);
}

TEST(DirectionSearch, HullsAgreeWithEnumerationAndEpa) {
  Random random(103);
  int overlapping = 0;
  for (int i = 0; i < 60; ++i) {
    const TestPair test{random_hull(random, 10), random_hull(random, 10), random_pose(random, 0.2)};
    const double truth = static_cast<double>(enumerated(test));
    const double gap = 1e-12 * test.scale();
    SCOPED_TRACE(i);
    const Found found = search(test, gap, 50000);
    EXPECT_TRUE(found.complete);
    expect_bounds(test, found, truth);
    EXPECT_NEAR(found.optimum.lower, truth, 2.0 * gap);
    CorePair pair = test.cores();
    GjkState state = start_gjk(pair, Vector3::UnitX());
    if (run_gjk(pair, {}, state) != GjkOutcome::overlapping) continue;
    ++overlapping;
    SeparationOptimum optimum = optimum_of(state.simplex, state.normal, state.lower);
    double upper = kInfinity;
    int iterations = 0;
    ASSERT_TRUE(expand_polytope(pair, state.simplex, gap, optimum, upper, iterations));
    EXPECT_NEAR(found.optimum.lower, optimum.lower, 2.0 * gap);
  }
  EXPECT_GT(overlapping, 40);
}

TEST(DirectionSearch, AGapOfRoundingStillFindsTheOptimum) {
  // the gap that the query asks for polytopes: closing it may be beyond floating point, but the
  // budget must not be lost on one ridge
  Random random(103);
  for (int i = 0; i < 60; ++i) {
    const TestPair test{random_hull(random, 10), random_hull(random, 10), random_pose(random, 0.2)};
    const double truth = static_cast<double>(enumerated(test));
    SCOPED_TRACE(i);
    const Found found = search(test, 16.0 * kEps * test.scale(), 50000);
    expect_bounds(test, found, truth);
    EXPECT_NEAR(found.optimum.lower, truth, 32.0 * kEps * test.scale());
  }
}

TEST(DirectionSearch, NeverWorsensWhatItIsGiven) {
  const TestPair test{Box{.half_extents = {0.5, 0.4, 0.3}}, Box{.half_extents = {0.2, 0.3, 0.1}},
                      at(0.1, 0.05, 0.1)};
  CorePair pair = test.cores();
  const MinkowskiPoint point = pair.support(Vector3::UnitZ());
  SeparationOptimum optimum = optimum_of(single_point(point), Vector3::UnitZ(), point.w.z());
  const double lower = optimum.lower;
  double upper = -0.29;
  EXPECT_TRUE(search_sphere(pair, 1e-13, 50000, optimum, upper));
  EXPECT_GE(optimum.lower, lower - kEps);
  EXPECT_LE(upper, -0.29);
  EXPECT_NEAR(optimum.lower, -0.3, 1e-14);
}

/// Largest separation of two bodies of revolution about z, with B shifted along z: one angle is
/// enough. h(c, s) is the support of a body along (cos, sin) of the elevation.
Real coaxial_truth(const std::function<Real(Real, Real)>& h_a,
                   const std::function<Real(Real, Real)>& h_b, Real z) {
  const auto sep = [&](Real angle) {
    return z * std::sin(angle) - h_a(std::cos(angle), std::sin(angle)) -
           h_b(std::cos(angle), -std::sin(angle));
  };
  const Real quarter = 1.57079632679489661923L;
  const int count = 20000;
  Real best = std::max({sep(-quarter), sep(0), sep(quarter)}), at_best = 0;
  for (int i = 0; i <= count; ++i) {
    const Real angle = quarter * (2 * Real(i) / count - 1);
    if (sep(angle) > best) best = sep(angle), at_best = angle;
  }
  // zoom in: the grid shrinks around the best point
  for (Real width = quarter / count * 2; width > 1e-17L; width /= 4) {
    const Real center = at_best;
    for (int i = -8; i <= 8; ++i) {
      const Real angle = std::clamp(center + width * i / 8, -quarter, quarter);
      if (sep(angle) > best) best = sep(angle), at_best = angle;
    }
  }
  return best;
}

TEST(DirectionSearch, CylindersOnACommonAxis) {
  // the difference is a cylinder: radii and half lengths add up
  Random random(104);
  for (int i = 0; i < 40; ++i) {
    const Cylinder a{.radius = random.uniform(0.1, 0.5), .half_length = random.uniform(0.1, 0.5)};
    const Cylinder b{.radius = random.uniform(0.1, 0.5), .half_length = random.uniform(0.1, 0.5)};
    const double z = random.uniform(-0.8, 0.8);
    const TestPair test{a, b, turned(Vector3::UnitZ(), random.uniform(0.0, 6.0), {0.0, 0.0, z})};
    const double expected = std::max(std::abs(z) - a.half_length - b.half_length,
                                     -(a.radius + b.radius));
    SCOPED_TRACE(i);
    const Found found = search(test, 1e-12, 20000);
    EXPECT_TRUE(found.complete);
    EXPECT_NEAR(found.optimum.lower, expected, 1e-12);
    EXPECT_NEAR(found.upper, expected, 1e-12);
  }
}

TEST(DirectionSearch, ConeAndCylinderOnACommonAxis) {
  Random random(105);
  for (int i = 0; i < 30; ++i) {
    const Cone a{.radius = random.uniform(0.1, 0.5), .half_length = random.uniform(0.1, 0.5)};
    const Cylinder b{.radius = random.uniform(0.1, 0.5), .half_length = random.uniform(0.1, 0.5)};
    const double z = random.uniform(-0.8, 0.8);
    const TestPair test{a, b, at(0.0, 0.0, z)};
    const Real truth = coaxial_truth(
        [&](Real c, Real s) {
          return std::max(Real(a.half_length) * s, Real(a.radius) * c - Real(a.half_length) * s);
        },
        [&](Real c, Real s) { return Real(b.radius) * c + Real(b.half_length) * std::abs(s); },
        Real(z));
    SCOPED_TRACE(i);
    const Found found = search(test, 1e-12, 20000);
    EXPECT_TRUE(found.complete);
    EXPECT_NEAR(found.optimum.lower, static_cast<double>(truth), 1e-12);
    EXPECT_GE(found.upper, static_cast<double>(truth) - 1e-15);
  }
}

TEST(DirectionSearch, SpheroidAndCapsuleOnACommonAxis) {
  Random random(106);
  for (int i = 0; i < 30; ++i) {
    const double r = random.uniform(0.1, 0.5), l = random.uniform(0.1, 0.5),
                 half = random.uniform(0.1, 0.5), z = random.uniform(-0.8, 0.8);
    const TestPair test{Ellipsoid{.semi_axes = {r, r, l}},
                        Capsule{.radius = 0.05, .half_length = half}, at(0.0, 0.0, z)};
    const Real rounding = Real(test.a.core().inner_radius);
    const Real truth = coaxial_truth(
        [&](Real c, Real s) { return std::hypot(Real(r) * c, Real(l) * s) - rounding; },
        [&](Real, Real s) { return Real(half) * std::abs(s); }, Real(z));
    SCOPED_TRACE(i);
    const Found found = search(test, 1e-11, 20000);
    EXPECT_TRUE(found.complete);
    EXPECT_NEAR(found.optimum.lower, static_cast<double>(truth), 2e-11);
    EXPECT_GE(found.upper, static_cast<double>(truth) - 1e-15);
  }
}

TEST(DirectionSearch, AlmostCommonAxes) {
  // the optima almost fill a circle: the certificate must still close, and the closed form is off
  // by no more than the tilt
  Random random(107);
  for (const double tilt : {1e-12, 1e-9, 1e-6, 1e-3}) {
    const Cylinder a{.radius = 0.2, .half_length = 0.5}, b{.radius = 0.1, .half_length = 0.6};
    const TestPair test{a, b, {Random::turn(random.direction(), tilt), tilt * random.in_box(0.5)}};
    const Found found = search(test, 1e-10, 100000);
    SCOPED_TRACE(tilt);
    EXPECT_TRUE(found.complete);
    EXPECT_NEAR(found.optimum.lower, -0.3, 2.0 * tilt + 1e-10);
    expect_bounds(test, found, found.optimum.lower);
  }
}

TEST(DirectionSearch, DegenerateCores) {
  // a point in a box, two points, a segment across a segment: flat cores and single points
  const TestPair point_box{Sphere{}, Box{.half_extents = {0.5, 0.4, 0.3}}, at(0.1, 0.0, 0.05)};
  EXPECT_NEAR(search(point_box, 1e-13, 20000).optimum.lower, -0.25, 1e-13);
  const TestPair points{Sphere{}, Sphere{}, at(0.0, 3.0, 4.0)};
  const Found apart = search(points, 1e-12, 20000);
  EXPECT_NEAR(apart.optimum.lower, 5.0, 1e-11);
  EXPECT_GE(apart.upper, 5.0 - 1e-14);
  const TestPair crossing{Capsule{.radius = 0.1, .half_length = 1.0},
                          Capsule{.radius = 0.1, .half_length = 1.0},
                          turned({1, 0, 0}, 1.0, {0.0, 0.1, 0.1})};
  const Found touching = search(crossing, 1e-12, 20000);
  EXPECT_NEAR(touching.optimum.lower, 0.0, 1e-12);
  EXPECT_GE(touching.upper, -1e-15);
}

}  // namespace
}  // namespace tactum::direction_search_test
