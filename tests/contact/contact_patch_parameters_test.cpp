// SPDX-License-Identifier: BSD-2-Clause
// Derivatives of patches by sizes against central differences of patches of rebuilt shapes.
#include "contact/patch_fixtures.hpp"

namespace tactum::contact_patch_parameters_test {
namespace {

using namespace tactum::testing;

ContactPatchParameterDerivative derivative_of(const Stack& stack) {
  const Distance value = sharpened(
      stack.a, stack.X_WA, stack.b, stack.X_WB,
      distance(stack.a, stack.X_WA, stack.b, stack.X_WB, {.tolerance = 1e-13}));
  return contact_patch_parameter_derivative(stack.a, stack.X_WA, stack.b, stack.X_WB,
                                            {.patch = stack.options, .value = &value});
}

/// Error of one column at one step; infinite where the points are not the same. A margin of 0 can
/// only grow.
double column_error(const Stack& stack, const ContactPatchParameterDerivative& d, bool of_a,
                    std::size_t size, double step) {
  const PatchParameterDerivative& side = of_a ? d.a : d.b;
  const Shape& of = of_a ? stack.a : stack.b;
  const bool one_sided = side.names[size] == "margin" && of.margin() == 0.0;
  const auto patch_at = [&](double by) {
    Stack other = stack;
    (of_a ? other.a : other.b) = with_size(of, side.names[size], by);
    return other.patch(other.X_WA, other.X_WB);
  };
  // weights of the patches at 2 h, h, and 0 or -h
  const std::array<ContactPatch, 3> at = {patch_at(2.0 * step), patch_at(step),
                                          one_sided ? d.value : patch_at(-step)};
  const std::array<double, 3> weights = one_sided ? std::array<double, 3>{-0.5, 2.0, -1.5}
                                                  : std::array<double, 3>{0.0, 0.5, -0.5};
  const auto here = by_id(d.value);
  const auto same = [](const auto& x, const auto& y) { return x.first == y.first; };
  std::array<std::map<std::uint64_t, int>, 3> ids;
  for (std::size_t k = 0; k < 3; ++k) {
    ids[k] = by_id(at[k]);
    if (!std::equal(here.begin(), here.end(), ids[k].begin(), ids[k].end(), same)) return kInfinity;
  }
  const auto column = static_cast<Eigen::Index>(size);
  Vector3 d_normal = Vector3::Zero();
  for (std::size_t k = 0; k < 3; ++k) d_normal += weights[k] / step * at[k].normal;
  double error = (d_normal - side.normal_jacobian.col(column)).cwiseAbs().maxCoeff();
  for (const auto& [id, index] : here) {
    Vector3 d_a = Vector3::Zero(), d_b = Vector3::Zero();
    double d_distance = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto j = static_cast<std::size_t>(ids[k].at(id));
      d_a += weights[k] / step * at[k].points_a[j];
      d_b += weights[k] / step * at[k].points_b[j];
      d_distance += weights[k] / step * at[k].distances[j];
    }
    const auto i = static_cast<std::size_t>(index);
    error = std::max(
        {error, (d_a - side.points_a_jacobian[i].col(column)).cwiseAbs().maxCoeff(),
         (d_b - side.points_b_jacobian[i].col(column)).cwiseAbs().maxCoeff(),
         std::abs(d_distance - side.distances_jacobian(static_cast<Eigen::Index>(i), column))});
  }
  return error;
}

void expect_smooth(const Stack& stack, int least_points, const char* name) {
  const ContactPatchParameterDerivative d = derivative_of(stack);
  EXPECT_TRUE(d.smooth) << name;
  EXPECT_GE(d.value.count, least_points) << name;
  for (const bool of_a : {true, false}) {
    const PatchParameterDerivative& side = of_a ? d.a : d.b;
    for (std::size_t size = 0; size < side.names.size(); ++size) {
      double error = kInfinity;
      for (const double step : {1e-6, 1e-5, 1e-4})
        error = std::min(error, column_error(stack, d, of_a, size, step));
      EXPECT_LE(error, 2e-6) << name << ' ' << (of_a ? "a." : "b.") << side.names[size];
    }
  }
}

const Shape kWall = HalfSpace{.normal = {0.1, -0.2, 1.0}};
const Shape kHull = hull_of(
    {{-0.3, -0.2, 0}, {0.3, -0.25, 0}, {0.2, 0.3, 0}, {-0.2, 0.2, 0}, {0.05, 0.02, 0.4}});
const Shape kTetrahedron = hull_of({{-0.3, -0.2, 0}, {0.3, -0.25, 0}, {0.1, 0.3, 0}, {0, 0, 0.4}});
const Matrix3 kLying = Random::turn(Vector3::UnitX(), M_PI / 2.0);

TEST(ContactPatchParameters, FlatFeaturesThatStay) {
  const Shape box = Box{.half_extents = {0.2, 0.3, 0.25}, .margin = 0.02};
  expect_smooth(stacked(kTable, box, tilted(0.0, 0.1, 0.2), kWorld), 4, "box on table");
  expect_smooth(stacked(kTable, box, tilted(0.02, 0.95, 1.1), kWorld), 4, "box across a corner");
  expect_smooth(stacked(kWall, box, tilted(0.02, 0.3, 0.4), kWorld), 1, "box turned on a wall");
  expect_smooth(stacked(kTetrahedron, Box{.half_extents = {0.02, 0.03, 0.04}},
                        turned(Vector3::UnitX(), M_PI, {0.1, 0.02, 0.0}), kWorld, -1e-3),
                1, "box near the tip of a tetrahedron");
}

TEST(ContactPatchParameters, VerticesOfHulls) {
  // seen along the normal of the wall, the corners of the lower face are the points
  const Pose on_wall{Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), Vector3(0.1, -0.2, 1.0))
                         .toRotationMatrix(),
                     {0.2, 0.1, 0}};
  expect_smooth(stacked(kWall, kTetrahedron, on_wall, kWorld), 3, "tetrahedron on a wall");
  expect_smooth(stacked(kHull, kTable, turned(Vector3::UnitX(), M_PI, {0.1, 0.2, 0.0}), kWorld), 1,
                "table on the tip of a hull");
  expect_smooth(stacked(kTable, kTetrahedron, tilted(-0.03, 0.9, 0.3), kWorld), 3,
                "tilted tetrahedron on a table");
}

TEST(ContactPatchParameters, GeneratorsAndRims) {
  const Shape cylinder = Cylinder{.radius = 0.2, .half_length = 0.3},
              cone = Cone{.radius = 0.2, .half_length = 0.3, .margin = 0.01};
  expect_smooth(
      stacked(kTable, cylinder, {tilted(0.01, 0, 0).rotation * kLying, {0.5, 0.3, 0.0}}, kWorld), 2,
      "cylinder on its side");
  expect_smooth(stacked(kTable, Capsule{.radius = 0.1, .half_length = 0.3},
                        {tilted(0.0, 0, 0).rotation * kLying, {0.4, 0.3, 0.0}}, kWorld),
                2, "capsule on a table");
  const Matrix3 on_side = Random::turn(Vector3::UnitX(), M_PI / 2.0 + std::atan2(0.2, 0.6) + 0.01);
  expect_smooth(stacked(HalfSpace{}, cone,
                        {Random::turn(Vector3::UnitZ(), 0.3) * on_side, {0.9, 0.3, 0.0}}, kWorld),
                2, "cone on its side");
  Stack on_rim = stacked(kTable, cylinder, tilted(0.03, 0.1, 0.1), kWorld);
  on_rim.options.max_points = 32;
  expect_smooth(on_rim, 17, "tilted cylinder");
}

TEST(ContactPatchParameters, CurvedShapesFollowTheWitness) {
  expect_smooth(
      {Ellipsoid{.semi_axes = {0.3, 0.2, 0.1}}, Sphere{.radius = 0.1}, {}, at(0.3, 0.2, 0.1)}, 1,
      "curved");
  const std::vector<Vector3> points = {
      {-0.3, -0.2, 0}, {0.3, -0.25, 0}, {0.2, 0.3, 0}, {-0.2, 0.2, 0}, {0.05, 0.02, 0.4}};
  const Shape volume = Stp::from_points(points, {0.02, 1.5});
  expect_smooth(stacked(kWall, volume, tilted(0.3, 0.1, 0.1), kWorld), 1, "strictly convex volume");
}

TEST(ContactPatchParameters, FacesThatFoldAreNotSmooth) {
  // the hull's face of four corners decides the normal of the small box that lies on it
  const Shape box = Box{.half_extents = {0.05, 0.05, 0.05}};
  const Stack stack = stacked(box, kHull, at(0.02, 0.01, 0.0), kWorld);
  EXPECT_FALSE(derivative_of(stack).smooth);
  EXPECT_TRUE(derivative_of(stacked(box, kTetrahedron, at(0.02, -0.03, 0.0), kWorld)).smooth);
}

TEST(ContactPatchParameters, RefusesWhatPatchesRefuse) {
  const Shape box = Box{.half_extents = {0.05, 0.05, 0.05}};
  EXPECT_THROW(contact_patch_parameter_derivative(box, {}, box, {}, {.patch = {.max_points = 0}}),
               InvalidInput);
}

}  // namespace
}  // namespace tactum::contact_patch_parameters_test
