// SPDX-License-Identifier: BSD-2-Clause
// Derivatives with respect to sizes against central differences of the query on shapes made anew.
#include "narrow/derivative_fixtures.hpp"

namespace tactum::parameter_derivative_test {
namespace {

using namespace tactum::testing;

/// The shape with one of its sizes changed; the name is that of the derivative.
Shape changed(const Shape& shape, const std::string& name, double by) {
  Shape::Parameters parameters = shape.parameters();
  const auto bracket = name.find('[');
  const std::string field = name.substr(0, bracket);
  const int i = bracket == std::string::npos ? 0 : std::stoi(name.substr(bracket + 1));
  if (field == "margin") {
    std::visit([&](auto& p) { p.margin += by; }, parameters);
    return parameters;
  }
  if (auto* sphere = std::get_if<Sphere>(&parameters)) sphere->radius += by;
  if (auto* ellipsoid = std::get_if<Ellipsoid>(&parameters)) ellipsoid->semi_axes[i] += by;
  if (auto* box = std::get_if<Box>(&parameters)) box->half_extents[i] += by;
  if (auto* capsule = std::get_if<Capsule>(&parameters)) (field == "radius" ? capsule->radius : capsule->half_length) += by;
  if (auto* cylinder = std::get_if<Cylinder>(&parameters)) (field == "radius" ? cylinder->radius : cylinder->half_length) += by;
  if (auto* cone = std::get_if<Cone>(&parameters)) (field == "radius" ? cone->radius : cone->half_length) += by;
  if (auto* wall = std::get_if<HalfSpace>(&parameters)) wall->offset += by;
  if (auto* hull = std::get_if<Convex>(&parameters)) {
    Points points = hull->vertices();
    points(std::stoi(name.substr(name.rfind('[') + 1)), i) += by;
    return Convex::from_points(points, hull->margin);
  }
  return parameters;
}

Column column_of(const ParameterDerivative& d, Eigen::Index i) {
  return {d.distance_jacobian[i], d.normal_jacobian.col(i), d.point_a_jacobian.col(i), d.point_b_jacobian.col(i)};
}

/// Compares one size of one side; false where the differences straddle a kink.
bool compare(const PosedPair& pair, const DistanceParameterDerivative& derivative, bool of_a, std::size_t i) {
  const ParameterDerivative& side = of_a ? derivative.a : derivative.b;
  const auto answer = [&](double step) {
    const PosedPair moved{of_a ? changed(pair.a, side.names[i], step) : pair.a,
                          of_a ? pair.b : changed(pair.b, side.names[i], step), pair.X_WA, pair.X_WB};
    return Column::of(moved.answer(moved.X_WA, moved.X_WB));
  };
  const double h = 1e-4;
  const auto half = [&](double step) { return (0.5 / step) * (answer(step) - answer(-step)); };
  const Column near = half(h), far = half(2.0 * h), expected = (4.0 / 3.0) * near - (1.0 / 3.0) * far;
  const double spread = (near - far).largest(), size = std::max(1.0, expected.largest());
  if (spread > 1e-3 * size) return false;
  EXPECT_LE((expected - column_of(side, static_cast<Eigen::Index>(i))).largest(), (1e-6 + 0.05 * spread) * size)
      << side.names[i] << (of_a ? " of A" : " of B");
  return true;
}

TEST(ParameterDerivative, EverySizeAgreesWithCentralDifferences) {
  for (int kind = 0; kind < 8; ++kind) {
    Random random(711, static_cast<std::uint64_t>(kind));
    int compared = 0, asked = 0;
    for (int k = 0; k < 60; ++k) {
      const int other = random.below(8);
      if (kind == 6 && other == 6) continue;
      PosedPair pair{random_shape_of(static_cast<ShapeKind>(kind), random),
                     random_shape_of(static_cast<ShapeKind>(other), random), random_pose(random, 0.3),
                     random_pose(random, k % 2 == 0 ? 0.5 : 1.2)};
      // margins that can shrink
      pair.a = changed(pair.a, "margin", 0.01), pair.b = changed(pair.b, "margin", 0.01);
      const DistanceParameterDerivative d =
          parameter_derivative(pair.a, pair.X_WA, pair.b, pair.X_WB, nullptr, {.tolerance = 1e-13});
      if (!d.smooth) continue;
      SCOPED_TRACE(::testing::Message() << k << " " << pair.a.to_string() << " " << pair.b.to_string());
      for (std::size_t i = 0; i < d.a.names.size(); ++i) {
        // of a hull, the corners that matter, and a few that do not
        if (kind == 7 && d.a.distance_jacobian[static_cast<Eigen::Index>(i)] == 0.0 && !random.chance(0.05)) continue;
        ++asked;
        compared += compare(pair, d, true, i) ? 1 : 0;
      }
      if (other != 7) compared += compare(pair, d, false, 0) ? 1 : 0, ++asked;
      if (::testing::Test::HasFailure()) return;
    }
    EXPECT_GT(asked, 60) << kind;
    EXPECT_GE(compared, asked * 9 / 10) << kind;
  }
}

TEST(ParameterDerivative, NamesAreThoseOfTheShape) {
  const auto names = [](const Shape& shape) {
    return parameter_derivative(shape, {}, Sphere{.radius = 0.1}, at(3, 1, 2)).a.names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(Sphere{.radius = 0.2}), (Names{"radius", "margin"}));
  EXPECT_EQ(names(Box{.half_extents = {1, 1, 1}}), (Names{"half_extents[0]", "half_extents[1]", "half_extents[2]", "margin"}));
  EXPECT_EQ(names(Cone{.radius = 0.2, .half_length = 0.2}), (Names{"radius", "half_length", "margin"}));
  EXPECT_EQ(names(hull_of({{0, 0, 0}, {1, 0, 0}})).size(), 7U);
  EXPECT_EQ(names(hull_of({{0, 0, 0}, {1, 0, 0}}))[5], "vertices[1][2]");
}

/// A corner of a square face bends it: there is a derivative to either side and none in between.
TEST(ParameterDerivative, CornersOfLargeFacesBendThem) {
  const Convex cube =
      hull_of({{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {-1, 1, 1}, {1, 1, 1}});
  const Convex simplex = hull_of({{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}, {0, 0, -1}});
  const Shape ball = Sphere{.radius = 0.1};
  EXPECT_FALSE(parameter_derivative(cube, {}, ball, at(0.1, 0.2, 2.0)).smooth);
  EXPECT_TRUE(parameter_derivative(simplex, {}, ball, at(0.1, 0.2, 2.0)).smooth);
  const Distance value = distance(simplex, {}, ball, at(0.1, 0.2, 2.0));
  EXPECT_EQ(rejected_field([&] { parameter_derivative(cube, {}, ball, at(0.1, 0.2, 2.0), &value); }), "value");
}

}  // namespace
}  // namespace tactum::parameter_derivative_test
