// SPDX-License-Identifier: BSD-2-Clause
// Every entry of the table of closed forms against the iterative path and the oracle; half-spaces
// against everything.
#include "narrow/pairs/closed_forms.hpp"

#include "narrow/depth/core_distance.hpp"
#include "narrow/narrow_fixtures.hpp"
#include "narrow/query/pair_table.hpp"

namespace tactum::closed_forms_test {
namespace {

using namespace tactum::testing;

using Kind = CoreShape::Kind;

/// The closed form that the table has for a pair; false where it has none or gives no proof.
bool solve_closed_form(CorePair& pair, CoreDistance& answer) {
  ClosedForm* const solve = pair_entry(pair_table(), pair.a(), pair.b()).solvers.closed_form;
  return solve != nullptr && solve(pair, answer);
}

/// A random shape whose core has the given kind.
Shape shape_with_core(Kind kind, Random& random) {
  const double r = random.uniform(0.1, 0.5), l = random.uniform(0.1, 0.5);
  switch (kind) {
    case Kind::point:
      return random.chance(0.5) ? Shape(Sphere{.radius = r}) : Shape(hull_of({random.in_box(0.3)}));
    case Kind::segment:
      return random.chance(0.5) ? Shape(Capsule{.radius = r, .half_length = l})
                                : Shape(hull_of({random.in_box(0.3), random.in_box(0.3)}));
    case Kind::ellipsoid: return Ellipsoid{.semi_axes = random_sizes(random)};
    case Kind::box:
      return Box{.half_extents = random_sizes(random), .margin = random.chance(0.3) ? 0.05 : 0.0};
    case Kind::cylinder: return Cylinder{.radius = r, .half_length = l};
    case Kind::cone: return Cone{.radius = r, .half_length = l};
    default: return random_hull(random, 12);
  }
}

constexpr std::array<Kind, 7> kinds = {Kind::point,    Kind::segment, Kind::ellipsoid, Kind::box,
                                       Kind::cylinder, Kind::cone,    Kind::polytope};

/// Whether the pair has an ellipsoid: its answer is proved to 2e-13 of the scale, and not always.
bool with_ellipsoid(Kind a, Kind b) {
  const auto fits = [](Kind k) { return k == Kind::point || k == Kind::ellipsoid; };
  return fits(a) && fits(b) && (a == Kind::ellipsoid || b == Kind::ellipsoid);
}

bool in_table(Kind a, Kind b) {
  const auto thin = [](Kind k) { return k == Kind::point || k == Kind::segment; };
  const auto is_primitive = [](Kind k) {
    return k == Kind::box || k == Kind::cylinder || k == Kind::cone;
  };
  return (thin(a) && thin(b)) || (a == Kind::point && is_primitive(b)) ||
         (is_primitive(a) && b == Kind::point) || (a == Kind::box && b == Kind::box) ||
         with_ellipsoid(a, b);
}

void expect_solved(const TestPair& test, const CoreDistance& answer) {
  const double scale = test.scale();
  expect_valid_optimum(test, answer.optimum);
  const bool smooth = test.a.core().kind == Kind::ellipsoid ||
                      test.b.core().kind == Kind::ellipsoid;
  EXPECT_LE(answer.upper - answer.optimum.lower, (smooth ? 2e-13 : 32.0 * kEps) * scale);
  EXPECT_LE(answer.optimum.residual, 64.0 * kEps * scale);
}

TEST(ClosedForms, EveryEntryAgreesWithTheIterativePath) {
  for (const Kind a : kinds) {
    for (const Kind b : kinds) {
      Random random(121, static_cast<std::uint64_t>(a) * 8 + static_cast<std::uint64_t>(b));
      int solved = 0, expected = 0;
      for (int i = 0; i < repetitions(60); ++i) {
        const TestPair test{shape_with_core(a, random), shape_with_core(b, random),
                            random_pose(random, i % 2 == 0 ? 0.3 : 1.5)};
        SCOPED_TRACE(::testing::Message()
                     << i << " " << test.a.to_string() << " " << test.b.to_string());
        ASSERT_EQ(test.a.core().kind, a);
        CorePair pair = test.cores();
        CoreDistance answer;
        const bool closed = solve_closed_form(pair, answer);
        if (!in_table(a, b)) {
          EXPECT_FALSE(closed);
          continue;
        }
        CorePair other = test.cores();
        const CoreDistance iterative = solve_iteratively(other, test.X_AB.translation.normalized(),
                                                         {.gap = 1e-12 * test.scale(),
                                                          .max_iterations = 200,
                                                          .stop_above = kInfinity,
                                                          .second_order = true});
        ++expected;
        solved += closed ? 1 : 0;
        if (!closed) continue;
        expect_solved(test, answer);
        EXPECT_NEAR(answer.optimum.lower, iterative.optimum.lower,
                    (with_ellipsoid(a, b) ? 2e-13 : 64.0 * kEps) * test.scale());
        if (::testing::Test::HasFailure()) return;
      }
      EXPECT_GE(solved, with_ellipsoid(a, b) ? expected * 9 / 10 : expected)
          << static_cast<int>(a) << " " << static_cast<int>(b);
    }
  }
}

TEST(ClosedForms, KnownAnswers) {
  struct Known {
    TestPair test;
    double lower;
    Vector3 normal;
  };
  const std::vector<Known> known = {
      {{Sphere{.radius = 1.0}, Sphere{.radius = 2.0}, at(0, 3, 4)}, 5.0, {0, 0.6, 0.8}},
      {{Capsule{.radius = 0.1, .half_length = 1.0}, Sphere{.radius = 0.1}, at(2.0, 0.0, 0.5)},
       2.0,
       {1, 0, 0}},
      {{Sphere{.radius = 0.1}, Box{.half_extents = {0.5, 0.5, 0.5}}, at(0.0, 0.0, 0.3)},
       -0.2,
       {0, 0, 1}},
      {{Cylinder{.radius = 1.0, .half_length = 2.0}, Sphere{.radius = 0.1}, at(0.0, -0.75, 0.0)},
       -0.25,
       {0, -1, 0}},
      {{Cone{.radius = 3.0, .half_length = 2.0}, Sphere{.radius = 0.1}, at(0.0, 0.0, -1.5)},
       -0.5,
       {0, 0, -1}},
      {{Box{.half_extents = {1, 1, 1}}, Box{.half_extents = {1, 1, 1}}, at(0.1, 0.2, 1.75)},
       -0.25,
       {0, 0, 1}},
  };
  for (const Known& k : known) {
    CorePair pair = k.test.cores();
    CoreDistance answer;
    SCOPED_TRACE(k.test.a.to_string());
    ASSERT_TRUE(solve_closed_form(pair, answer));
    EXPECT_NEAR(answer.optimum.lower, k.lower, 8.0 * kEps * k.test.scale());
    EXPECT_LE((answer.optimum.normal - k.normal).norm(), 8.0 * kEps);
    expect_solved(k.test, answer);
  }
}

TEST(ClosedForms, TouchingAndConcentricCores) {
  const std::vector<TestPair> pairs = {
      {Sphere{.radius = 0.1}, Sphere{.radius = 0.2}, {}},
      {Capsule{.radius = 0.1, .half_length = 0.5}, Sphere{.radius = 0.2}, at(0, 0, 0.25)},
      {Sphere{.radius = 0.2}, Capsule{.radius = 0.1, .half_length = 0.5}, at(0, 0, 0.5)},
      {Capsule{.radius = 0.1, .half_length = 0.5}, Capsule{.radius = 0.1, .half_length = 0.5}, {}},
      {Capsule{.radius = 0.1, .half_length = 0.5}, Capsule{.radius = 0.1, .half_length = 0.5},
       at(0, 0, 1.0)},
      {Capsule{.radius = 0.1, .half_length = 0.5}, Capsule{.radius = 0.1, .half_length = 0.5},
       turned({1, 0, 0}, M_PI / 2, {0, 0, 0})},
      {Box{.half_extents = {0.5, 0.5, 0.5}}, Sphere{.radius = 0.2}, {}},
      {Box{.half_extents = {0.5, 0.5, 0.5}}, Sphere{.radius = 0.2}, at(0.5, 0.5, 0.5)},
      {Cylinder{.radius = 0.5, .half_length = 0.5}, Sphere{.radius = 0.2}, {}},
      {Cylinder{.radius = 0.5, .half_length = 0.5}, Sphere{.radius = 0.2}, at(0.5, 0.0, 0.5)},
      // the apex
      {Sphere{.radius = 0.2}, Cone{.radius = 0.5, .half_length = 0.5}, at(0.0, 0.0, -0.5)},
      {Sphere{.radius = 0.2}, Cone{.radius = 0.5, .half_length = 0.5}, {}},
      {Box{.half_extents = {0.5, 0.5, 0.5}}, Box{.half_extents = {0.5, 0.5, 0.5}}, {}},
      {Box{.half_extents = {0.5, 0.5, 0.5}}, Box{.half_extents = {0.5, 0.5, 0.5}},
       at(1.0, 1.0, 1.0)},
  };
  for (const TestPair& test : pairs) {
    CorePair pair = test.cores();
    CoreDistance answer;
    SCOPED_TRACE(test.a.to_string() + " " + test.b.to_string());
    ASSERT_TRUE(solve_closed_form(pair, answer));
    expect_solved(test, answer);
    EXPECT_NEAR(answer.optimum.lower, static_cast<double>(test.core_truth()),
                16.0 * kEps * test.scale());
  }
}

TEST(ClosedForms, HalfSpaceAgainstEverything) {
  Random random(122);
  for (const Kind kind : kinds) {
    for (int i = 0; i < 50; ++i) {
      const Shape other = shape_with_core(kind, random);
      const Shape plane = HalfSpace{.normal = random.direction(),
                                    .offset = random.uniform(-0.5, 0.5)};
      const Pose X_AB = random_pose(random, 0.6);
      SCOPED_TRACE(::testing::Message() << other.to_string() << " " << plane.to_string());
      for (const bool plane_first : {false, true}) {
        const Shape& a = plane_first ? plane : other;
        const Shape& b = plane_first ? other : plane;
        CorePair pair(a.core(), b.core(), X_AB, 1.0);
        CoreDistance answer;
        solve_half_space(pair, answer);
        const Truth truth = oracle_distance(a, b, X_AB);
        EXPECT_NEAR(answer.optimum.lower - pair.radius(), static_cast<double>(truth.distance),
                    16.0 * kEps);
        EXPECT_LE((answer.optimum.normal - narrow(truth.normal)).norm(), 8.0 * kEps);
        EXPECT_EQ(answer.upper, answer.optimum.lower);
        EXPECT_LE((answer.optimum.point_b - answer.optimum.point_a -
                   answer.optimum.lower * answer.optimum.normal)
                      .norm(),
                  8.0 * kEps);
        // the point of the other shape is in that shape, and the second point is on the plane
        const Vector3 on_plane = plane_first ? answer.optimum.point_a
                                             : Vector3(inverse(X_AB) * answer.optimum.point_b);
        EXPECT_NEAR(plane.core().size.dot(on_plane), plane.core().offset, 8.0 * kEps);
        EXPECT_EQ(pair.support_calls, 1);
      }
    }
  }
}

/// A shape whose core is the given segment, or a point where it has no length.
Shape shape_around(const Vector3& center, const Vector3& half) {
  return half.squaredNorm() > 0.0 ? Shape(hull_of({center - half, center + half}))
                                  : Shape(hull_of({center}));
}

void expect_proved_by(const TestPair& test, bool (*solve)(CorePair&, CoreDistance&)) {
  CorePair pair = test.cores();
  CoreDistance answer;
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
    expect_proved_by(test, solve_segments);
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
    expect_proved_by(test, solve_points);
    expect_proved_by(test, solve_segments);
    if (::testing::Test::HasFailure()) return;
  }
}

// squares of these lengths underflow in double, but not in extended precision
TEST(SegmentCores, PointsWhoseSquaredDistanceUnderflows) {
  Random random(58);
  for (const double length : {1e-100, 1e-139, 1e-142, 4.8e-161, 1e-200, 1e-300, 3e-322, 4.9e-324}) {
    for (const double at_pose : {0.0, 0.5, 1.0}) {  // fraction of the offset that is in the pose;
                                                    // the rest is in the shape
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
}  // namespace tactum::closed_forms_test
