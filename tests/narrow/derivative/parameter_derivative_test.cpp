// SPDX-License-Identifier: BSD-2-Clause
// Derivatives with respect to sizes against central differences of the query on rebuilt shapes.
#include "narrow/derivative_fixtures.hpp"

namespace tactum::parameter_derivative_test {
namespace {

using namespace tactum::testing;

Column column_of(const ParameterDerivative& d, Eigen::Index i) {
  return {d.distance_jacobian[i], d.normal_jacobian.col(i), d.point_a_jacobian.col(i),
          d.point_b_jacobian.col(i)};
}

/// Compares one size of one side; false where the differences straddle a kink.
bool compare(const PosedPair& pair, const DistanceParameterDerivative& derivative, bool of_a,
             std::size_t i) {
  const ParameterDerivative& side = of_a ? derivative.a : derivative.b;
  const auto answer = [&](double step) {
    const PosedPair moved{of_a ? with_size(pair.a, side.names[i], step) : pair.a,
                          of_a ? pair.b : with_size(pair.b, side.names[i], step), pair.X_WA,
                          pair.X_WB};
    return Column::of(moved.answer(moved.X_WA, moved.X_WB));
  };
  const double h = 1e-4;
  const auto half = [&](double step) { return (0.5 / step) * (answer(step) - answer(-step)); };
  const Column near = half(h), far = half(2.0 * h),
               expected = (4.0 / 3.0) * near - (1.0 / 3.0) * far;
  const double spread = (near - far).largest(), size = std::max(1.0, expected.largest());
  if (spread > 1e-3 * size) return false;
  EXPECT_LE((expected - column_of(side, static_cast<Eigen::Index>(i))).largest(),
            (1e-6 + 0.05 * spread) * size)
      << side.names[i] << (of_a ? " of A" : " of B");
  return true;
}

TEST(ParameterDerivative, EverySizeAgreesWithCentralDifferences) {
  for (const ShapeKind kind : kAllKinds) {
    Random random(711, static_cast<std::uint64_t>(kind));
    int compared = 0, asked = 0;
    for (int k = 0; k < 60; ++k) {
      const ShapeKind other = pick_kind(kAllKinds, random);
      if (kind == ShapeKind::half_space && other == ShapeKind::half_space) continue;
      PosedPair pair{random_shape_of(kind, random), random_shape_of(other, random),
                     random_pose(random, 0.3), random_pose(random, k % 2 == 0 ? 0.5 : 1.2)};
      // margins that can shrink
      pair.a = with_size(pair.a, "margin", 0.01), pair.b = with_size(pair.b, "margin", 0.01);
      const DistanceParameterDerivative d = parameter_derivative(
          pair.a, pair.X_WA, pair.b, pair.X_WB, nullptr, {.tolerance = 1e-13});
      if (!d.smooth) continue;
      SCOPED_TRACE(::testing::Message()
                   << k << " " << pair.a.to_string() << " " << pair.b.to_string());
      for (std::size_t i = 0; i < d.a.names.size(); ++i) {
        // of a hull, the corners that matter, and a few that do not
        if (kind == ShapeKind::convex &&
            d.a.distance_jacobian[static_cast<Eigen::Index>(i)] == 0.0 && !random.chance(0.05))
          continue;
        ++asked;
        compared += compare(pair, d, true, i) ? 1 : 0;
      }
      if (other != ShapeKind::convex) compared += compare(pair, d, false, 0) ? 1 : 0, ++asked;
      if (::testing::Test::HasFailure()) return;
    }
    EXPECT_GT(asked, 60) << to_string(kind);
    EXPECT_GE(compared, asked * 9 / 10) << to_string(kind);
  }
}

// -------------------------------------------------------------------------------------------------
// special sizes
/// Every kind at the sizes where something degenerates: equal ones, those at the edge of their
/// domain, and those that nearly vanish.
std::vector<Shape> special_shapes() {
  const auto stp = [](const std::vector<Vector3>& points, double small, double big) {
    Points columns(3, static_cast<Eigen::Index>(points.size()));
    for (std::size_t i = 0; i < points.size(); ++i)
      columns.col(static_cast<Eigen::Index>(i)) = points[i];
    return Stp::from_points(columns, {.small_radius = small, .big_radius = big});
  };
  const Vector3 p(0.1, 0.2, -0.1), q(0.3, -0.2, 0.2), r(-0.3, 0.1, 0.1), s(0.1, 0.2, 0.4);
  return {
      Sphere{.radius = 0.0},
      Sphere{.radius = 0.3},
      Ellipsoid{.semi_axes = {0.3, 0.3, 0.3}},
      Ellipsoid{.semi_axes = {0.3, 0.3, 0.3}, .margin = 0.1},
      Ellipsoid{.semi_axes = {0.3, 0.3, 0.2}},
      Ellipsoid{.semi_axes = {0.2, 0.3, 0.2}},
      Ellipsoid{.semi_axes = {0.5, 0.3, 0.3}},
      Box{.half_extents = {0.3, 0.3, 0.3}},
      Box{.half_extents = {0.4, 0.4, 1e-9}},
      Capsule{.radius = 0.3, .half_length = 0.0},
      Capsule{.radius = 0.3, .half_length = 0.0, .margin = 0.1},
      Capsule{.radius = 0.3, .half_length = 1e-12},
      Capsule{.radius = 0.3, .half_length = 0.3},
      Capsule{.radius = 1e-9, .half_length = 0.3},
      Cylinder{.radius = 0.3, .half_length = 0.3},
      Cylinder{.radius = 0.3, .half_length = 1e-9},
      Cylinder{.radius = 1e-9, .half_length = 0.3},
      Cone{.radius = 0.3, .half_length = 0.3},
      Cone{.radius = 0.3, .half_length = 5e-3},
      Cone{.radius = 5e-3, .half_length = 0.3},
      HalfSpace{.normal = {0.6, 0.0, 0.8}, .offset = 0.0},
      hull_of({p}),
      hull_of({p, q}),
      hull_of({p, q, r}),
      hull_of({p, q, r, s}),
      stp({p}, 0.0, 0.5),
      stp({p}, 0.1, 0.5),
      stp({p, q}, 0.0, 0.6),
      stp({p, q, r}, 0.1, 0.7),
      stp({p, q, r, s}, 0.0, 0.8),
  };
}

/// The second-order difference for a growing size; no size is made smaller. `spread` is the
/// difference between two steps.
struct ForwardDifference {
  Column value;
  double spread;
};

ForwardDifference forward_difference(const PosedPair& pair, bool of_a, const std::string& name) {
  const auto answer = [&](double step) {
    const PosedPair grown{of_a ? with_size(pair.a, name, step) : pair.a,
                          of_a ? pair.b : with_size(pair.b, name, step), pair.X_WA, pair.X_WB};
    return Column::of(grown.answer(grown.X_WA, grown.X_WB));
  };
  const double h = 2e-5;
  const Column here = answer(0.0), one = answer(h), two = answer(2.0 * h), four = answer(4.0 * h);
  const Column near = (0.5 / h) * (4.0 * (one - here) - (two - here)),
               far = (0.25 / h) * (4.0 * (two - here) - (four - here));
  return {near, (near - far).largest()};
}

/// Counts the columns compared, and those that forward differences can check: the others straddle a
/// kink.
struct Tally {
  int asked = 0, compared = 0;
};

void compare_growth(const PosedPair& pair, const DistanceParameterDerivative& derivative, bool of_a,
                    Random& random, Tally& tally) {
  const ParameterDerivative& side = of_a ? derivative.a : derivative.b;
  for (std::size_t i = 0; i < side.names.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    if (side.names.size() > 7 && side.distance_jacobian[column] == 0.0 && !random.chance(0.1))
      continue;
    const ForwardDifference expected = forward_difference(pair, of_a, side.names[i]);
    const double size = std::max(1.0, expected.value.largest());
    ++tally.asked;
    if (expected.spread > 1e-3 * size) continue;
    ++tally.compared;
    EXPECT_LE((expected.value - column_of(side, column)).largest(),
              (1e-5 + 0.5 * expected.spread) * size)
        << side.names[i] << (of_a ? " of A" : " of B");
  }
}

bool all_finite(const ParameterDerivative& d) {
  return d.distance_jacobian.allFinite() && d.normal_jacobian.allFinite() &&
         d.point_a_jacobian.allFinite() && d.point_b_jacobian.allFinite() &&
         d.separation_jacobian.allFinite();
}

TEST(ParameterDerivative, SpecialSizesAgreeWithDifferencesFromInsideTheirDomain) {
  const std::vector<Shape> special = special_shapes();
  Random random(712);
  for (std::size_t s = 0; s < special.size(); ++s) {
    Tally apart, deep;
    for (int k = 0; k < repetitions(200); ++k) {
      const ShapeKind other = pick_kind(kAllKinds, random);
      const bool special_pair = random.chance(0.3);
      const Shape b =
          special_pair
              ? special[static_cast<std::size_t>(random.below(static_cast<int>(special.size())))]
              : random_shape_of(other, random);
      if (b.kind() == ShapeKind::half_space && special[s].kind() == ShapeKind::half_space) continue;
      const bool as_a = random.chance(0.5);
      PosedPair pair{as_a ? special[s] : b, as_a ? b : special[s], random_pose(random, 0.3),
                     random_pose(random, k % 2 == 0 ? 0.2 : 1.2)};
      const DistanceParameterDerivative d = parameter_derivative(
          pair.a, pair.X_WA, pair.b, pair.X_WB, nullptr, {.tolerance = 1e-13});
      SCOPED_TRACE(::testing::Message()
                   << s << " " << k << " " << pair.a.to_string() << " " << pair.b.to_string());
      EXPECT_TRUE(all_finite(d.a) && all_finite(d.b));
      if (!d.smooth) continue;
      const bool is_apart = distance(pair.a, pair.X_WA, pair.b, pair.X_WB).distance > 0;
      compare_growth(pair, d, as_a, random, is_apart ? apart : deep);
      if (::testing::Test::HasFailure()) return;
    }
    EXPECT_GE(apart.asked, repetitions(50)) << special[s].to_string();
    EXPECT_GE(deep.asked, repetitions(20)) << special[s].to_string();
    EXPECT_GE(apart.compared + deep.compared, (apart.asked + deep.asked) * 4 / 5)
        << special[s].to_string();
  }
}

/// A capsule has h(u) = r + l |u_z|, so the derivative by its half length is -|n_z|, on whichever
/// side the other shape lies.
TEST(ParameterDerivative, ACapsuleWithoutLengthGrowsBothWays) {
  const Shape capsule = Capsule{.radius = 0.5, .half_length = 0.0}, ball = Sphere{.radius = 0.1};
  for (const double z : {3.0, -3.0, 0.02, -0.02, 1e-7, -1e-7}) {
    const DistanceParameterDerivative d = parameter_derivative(capsule, {}, ball, at(1, 1, z));
    const double n_z = z / std::sqrt(2.0 + z * z);
    EXPECT_TRUE(d.smooth) << z;
    EXPECT_NEAR(d.a.distance_jacobian[1], -std::abs(n_z), 1e-12) << z;
    EXPECT_NEAR(parameter_derivative(ball, at(1, 1, z), capsule, {}).b.distance_jacobian[1],
                -std::abs(n_z), 1e-12)
        << z;
  }
  // beside it, the capsule grows towards neither side, and the motion of the points depends on
  // rounding
  const DistanceParameterDerivative beside = parameter_derivative(capsule, {}, ball, at(1, 1, 0));
  EXPECT_EQ(beside.a.distance_jacobian[1], 0.0);
  EXPECT_FALSE(beside.smooth);
}

/// For a ball given as an ellipsoid the derivative by a semi axis is -n_i^2, because h(u) = |a *
/// u|.
TEST(ParameterDerivative, ABallThatIsAnEllipsoid) {
  const Shape ellipsoid = Ellipsoid{.semi_axes = {1, 1, 1}}, box = Box{.half_extents = {1, 1, 1}};
  const Pose X_WB = at(3, 1.5, 0.2);
  const DistanceParameterDerivative d = parameter_derivative(ellipsoid, {}, box, X_WB);
  const Vector3 n = distance(ellipsoid, {}, box, X_WB).normal;
  EXPECT_TRUE(d.smooth);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(d.a.distance_jacobian[i], -n[i] * n[i], 1e-12);
}

TEST(ParameterDerivative, NamesAreThoseOfTheShape) {
  const auto names = [](const Shape& shape) {
    return parameter_derivative(shape, {}, Sphere{.radius = 0.1}, at(3, 1, 2)).a.names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(Sphere{.radius = 0.2}), (Names{"radius", "margin"}));
  EXPECT_EQ(names(Box{.half_extents = {1, 1, 1}}),
            (Names{"half_extents[0]", "half_extents[1]", "half_extents[2]", "margin"}));
  EXPECT_EQ(names(Cone{.radius = 0.2, .half_length = 0.2}),
            (Names{"radius", "half_length", "margin"}));
  EXPECT_EQ(names(hull_of({{0, 0, 0}, {1, 0, 0}})).size(), 7U);
  EXPECT_EQ(names(hull_of({{0, 0, 0}, {1, 0, 0}}))[5], "vertices[1][2]");
}

/// Moving a corner of a square face folds it: each side has a derivative, and they differ.
TEST(ParameterDerivative, CornersOfLargeFacesBendThem) {
  const Convex cube = hull_of({{-1, -1, -1},
                               {1, -1, -1},
                               {-1, 1, -1},
                               {1, 1, -1},
                               {-1, -1, 1},
                               {1, -1, 1},
                               {-1, 1, 1},
                               {1, 1, 1}});
  const Convex simplex = hull_of({{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}, {0, 0, -1}});
  const Shape ball = Sphere{.radius = 0.1};
  EXPECT_FALSE(parameter_derivative(cube, {}, ball, at(0.1, 0.2, 2.0)).smooth);
  EXPECT_TRUE(parameter_derivative(simplex, {}, ball, at(0.1, 0.2, 2.0)).smooth);
  const Distance value = distance(simplex, {}, ball, at(0.1, 0.2, 2.0));
  EXPECT_EQ(
      rejected_field([&] { parameter_derivative(cube, {}, ball, at(0.1, 0.2, 2.0), &value); }),
      "value");
}

}  // namespace
}  // namespace tactum::parameter_derivative_test
