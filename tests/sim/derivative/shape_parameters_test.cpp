// SPDX-License-Identifier: BSD-2-Clause
// Derivatives of a step by sizes of shapes against steps of models with other sizes.
#include "sim/derivative/shape_parameters.hpp"

#include <gtest/gtest.h>

#include "mesh/mesh_fixtures.hpp"
#include "narrow/derivative_fixtures.hpp"
#include "sim/derivative_check.hpp"

namespace tactum::sim::shape_parameters_test {
namespace {

using derivative_check::Case;
using tactum::testing::with_size;

/// Two bodies that move: the poses, inertias and velocities are the same for all sizes.
struct Pair {
  Geometry a, b;
  Pose X_A, X_B;
  Vector3 normal;
  Surface surface;

  Pair(const Geometry& first, const Geometry& second, std::uint32_t seed, const Surface& given)
      : a(first), b(second), surface(given) {
    std::mt19937 random(seed);
    X_A = {scenes::random_rotation(random), {0, 0, 1}};
    if (is_wall()) X_A = {};
    const Vector3 direction = scenes::random_vector(random, 1.0).normalized();
    X_B = {scenes::random_rotation(random), X_A.translation + 2.0 * direction};
    const GeometryDistance apart = distance(a, X_A, b, X_B);
    X_B.translation -= (apart.distance + 1e-4) * apart.normal;
    normal = apart.normal;
  }

  bool is_wall() const {
    return a.shape() != nullptr && a.shape()->kind() == ShapeKind::half_space;
  }

  Case make() const {
    ModelBuilder builder;
    const BodyInertia inertia{1.3, {0.01, -0.02, 0.015}, Vector3(0.012, 0.02, 0.017).asDiagonal()};
    BodyOptions of_a, of_b;
    of_a.inertia = of_b.inertia = inertia;
    of_a.X = X_A;
    of_b.X = X_B;
    of_a.surface = of_b.surface = surface;
    if (is_wall())
      builder.add_fixed(a, X_A, surface);
    else
      builder.add_body(a, of_a);
    builder.add_body(b, of_b);
    Case out{builder.build(), {}, {}};
    out.state = out.model.state();
    const Eigen::Index nv = out.model.nv();
    out.state.v = Eigen::VectorXd::LinSpaced(nv, -1.1, 1.3);
    out.state.v.segment<3>(nv - 6) -= 2.0 * X_B.rotation.transpose() * normal;
    return out;
  }
};

void expect_sizes(const Pair& pair) {
  const Case given = pair.make();
  const StepResult here = given.run();
  ASSERT_FALSE(here.contacts.empty());
  const StepDerivative derivative = step_derivative(here, {.parameters = {StepParameter::shape}});
  EXPECT_TRUE(derivative.smooth()) << derivative.mode_margin();
  const StepParameterJacobians found = derivative.jacobians(StepParameter::shape);
  const std::vector<ShapeParameter> sizes = shape_parameters(given.model);
  ASSERT_EQ(found.dv.cols(), static_cast<Eigen::Index>(sizes.size()));
  ASSERT_EQ(parameter_size(given.model, StepParameter::shape), static_cast<int>(sizes.size()));
  const double h = 1e-6;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool is_zero = sizes[i].size == "margin";  // it is 0 and can only grow
    const auto end = [&](double by) {
      Pair other = pair;
      Geometry& geometry = sizes[i].geometry == 0 ? other.a : other.b;
      geometry = with_size(*geometry.shape(), sizes[i].size, by);
      return other.make().run().state;
    };
    const double least = is_zero ? 0.0 : -h, most = is_zero ? 2.0 * h : h;
    const State ahead = end(most), behind = end(least);
    const Eigen::VectorXd dv = (ahead.v - behind.v) / (2.0 * h),
                          dq = position_maps(given.model, here.state.q).tangent_by_numbers *
                               (ahead.q - behind.q) / (2.0 * h);
    const auto column = static_cast<Eigen::Index>(i);
    const double tolerance = is_zero ? 1e-3 : 1e-6;
    EXPECT_LT((found.dv.col(column) - dv).norm(), tolerance * std::max(10.0, dv.norm()))
        << sizes[i].geometry << ' ' << sizes[i].size;
    EXPECT_LT((found.dq.col(column) - dq).norm(), tolerance * std::max(0.01, dq.norm()))
        << sizes[i].geometry << ' ' << sizes[i].size;
  }
}

const Shape kEllipsoid = Ellipsoid{.semi_axes = {0.1, 0.06, 0.14}};
const Shape kCapsule = Capsule{.radius = 0.05, .half_length = 0.1};
const Shape kBox = Box{.half_extents = {0.1, 0.08, 0.12}};
const Shape kHull = Convex::from_points(std::vector<Vector3>{
    {0.1, 0, 0}, {-0.1, 0.02, 0}, {0, 0.1, 0.01}, {0, -0.1, 0.1}, {0.02, 0, -0.12}});
const Surface kRough{.friction = 0.4};

TEST(ShapeParameters, PairsOfBodies) {
  std::uint32_t seed = 60;
  for (const Shape& a : {kEllipsoid, kCapsule, kBox, kHull})
    for (const Shape& b : {kEllipsoid, kCapsule, kBox, kHull}) {
      SCOPED_TRACE(seed);
      expect_sizes({a, b, seed++, kRough});
    }
}

TEST(ShapeParameters, BodiesThatBounceAndYield) {
  const Shape wall = HalfSpace{};
  expect_sizes({wall, kEllipsoid, 5, {.friction = 0.5, .restitution = 0.6}});
  expect_sizes({wall, kHull, 6, {.friction = 0.5, .restitution = 0.6}});
  expect_sizes({wall, kBox, 7, {.friction = 0.5, .compliance = 1e-5}});
}

TEST(ShapeParameters, ShapesOnMeshesAndCompounds) {
  const Geometry ball = scenes::ball(0.08),
                 solid = tactum::testing::box_mesh({0.2, 0.15, 0.1}).solid(),
                 parts = Compound({{kBox, scenes::at(0.1, 0, 0)}, {kCapsule, {}}});
  std::uint32_t seed = 100;
  for (const Geometry& partner : {solid, parts})
    for (const Geometry& shape : {ball, Geometry(kEllipsoid), Geometry(kBox)}) {
      SCOPED_TRACE(seed);
      expect_sizes({partner, shape, seed++, kRough});
      SCOPED_TRACE(seed);
      expect_sizes({shape, partner, seed++, kRough});
    }
}

/// A box flat on a floor of two triangles: one patch, whose corners come from both.
TEST(ShapeParameters, PatchOfSeveralTriangles) {
  Points corners(3, 4);
  corners << -1, 1, 1, -1, -1, -1, 1, 1, 0, 0, 0, 0;
  Triangles faces(3, 2);
  faces << 0, 0, 1, 2, 2, 3;
  const auto run = [&](double height) {
    ModelBuilder builder;
    builder.add_fixed(Mesh(corners, faces), {}, {.friction = 0.5});
    builder.add_body(Shape{Box{.half_extents = {0.1, 0.08, height}}},
                     scenes::body(1.0, scenes::at(0.03, 0.01, 0.12 - 1e-4)));
    Case out{builder.build(), {}, {}};
    out.state = out.model.state();
    out.state.v << 1.0, 0.4, -0.5, 0.0, 0.0, 0.0;
    return out;
  };
  const Case given = run(0.12);
  const StepResult here = given.run();
  EXPECT_EQ(here.contacts.size(), 4U);
  const StepDerivative derivative = step_derivative(here, {.parameters = {StepParameter::shape}});
  ASSERT_EQ(parameter_size(given.model, StepParameter::shape), 4);
  const double h = 1e-6;
  const Eigen::VectorXd dv = (run(0.12 + h).run().state.v - run(0.12 - h).run().state.v) / (2 * h);
  EXPECT_GT(dv.norm(), 1.0);
  EXPECT_LT((derivative.jacobians(StepParameter::shape).dv.col(2) - dv).norm(), 1e-6 * dv.norm());
}

/// Deep inside a solid the contact is made of no triangle, and has no derivative by a size.
TEST(ShapeParameters, ContactWithoutPartsSaysSo) {
  ModelBuilder builder;
  builder.add_fixed(tactum::testing::box_mesh({2, 2, 2}).solid());
  builder.add_body(scenes::ball(0.1), scenes::body(1.0, scenes::at(0.3, 0.1, 0)));
  Case given{builder.build(), {}, {}};
  given.state = given.model.state();
  const StepResult result = given.run();
  ASSERT_FALSE(result.contacts.empty());
  EXPECT_FALSE(step_derivative(result, {.parameters = {StepParameter::shape}}).smooth());
}

TEST(ShapeParameters, EntriesAreThoseOfTheNames) {
  ModelBuilder builder;
  builder.add_ground();
  builder.add_body(kCapsule, scenes::body(1.0, scenes::at(0, 0, 1)));
  const Model model = builder.build();
  const std::vector<int> offsets = shape_offsets(model.data());
  EXPECT_EQ(offsets, (std::vector<int>{0, 2, 5}));
  const std::vector<ShapeParameter> sizes = shape_parameters(model);
  EXPECT_EQ(sizes[2].geometry, 1);
  EXPECT_EQ(sizes[2].size, "radius");
  EXPECT_EQ(sizes[4].size, "margin");
}

}  // namespace
}  // namespace tactum::sim::shape_parameters_test
