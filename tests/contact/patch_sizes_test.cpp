// SPDX-License-Identifier: BSD-2-Clause
#include "contact/patch_sizes.hpp"

#include "contact/patch_fixtures.hpp"
#include "narrow/derivative/size_motion.hpp"

namespace tactum::patch_sizes_test {
namespace {

using namespace tactum::testing;

const std::vector<Shape> kShapes = {
    Sphere{.radius = 0.2},
    Ellipsoid{.semi_axes = {0.3, 0.2, 0.1}},
    Box{.half_extents = {0.1, 0.2, 0.3}},
    Capsule{.radius = 0.1, .half_length = 0.2},
    Cylinder{.radius = 0.1, .half_length = 0.2},
    Cone{.radius = 0.1, .half_length = 0.2},
    HalfSpace{},
    Convex::from_points(std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}),
    Stp::from_points(std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0.1, 3.0})};

TEST(PatchSizes, NamesAreThoseOfTheDerivativeOfTheDistance) {
  const Shape ball = Sphere{.radius = 0.1};
  for (const Shape& shape : kShapes) {
    const DistanceParameterDerivative d = parameter_derivative(shape, {}, ball, at(0.1, 0.2, 3.0));
    EXPECT_EQ(PatchSizes::names(shape), d.a.names);
    EXPECT_EQ(PatchSizes::count(shape), static_cast<int>(d.a.names.size()));
  }
}

TEST(PatchSizes, SupportPointsFollowTheSizes) {
  // the support point of a direction that has one alone is a place on the core, and its weights are
  // those of a vertex
  const Vector3 u = Vector3(0.4, 0.5, 0.7).normalized();
  const Pose X = turned(Vector3(1, 2, 3).normalized(), 0.8, {0.3, 0.1, -0.2});
  const double h = 1e-6;
  for (const Shape& shape : kShapes) {
    if (shape.kind() == ShapeKind::half_space || shape.kind() == ShapeKind::ellipsoid ||
        shape.kind() == ShapeKind::stp)
      continue;
    const std::vector<std::string> names = PatchSizes::names(shape);
    const Vector3 outward = X.rotation * u;
    const PatchSizes sizes(shape, X, to_double3(outward));
    PlaceWeights vertex{1, {0, 0, 0}, {1.0, 0.0, 0.0}, false};
    const Vector3 local = shape.support(u) - shape.core().radius * u;
    if (const auto* hull = std::get_if<Convex>(&shape.parameters()))
      while ((hull->vertex(static_cast<int>(vertex.vertices[0])) - local).norm() > 1e-12)
        ++vertex.vertices[0];
    for (int i = 0; i < PatchSizes::count(shape); ++i) {
      const std::string& name = names[static_cast<std::size_t>(i)];
      // to one side: the margin is 0
      const Vector3 moved = X.rotation * (with_size(shape, name, h).support(u) - shape.support(u)) /
                            h;
      const Vector3 found = to_vector3(sizes.velocity(i, to_double3(X * local), vertex)) +
                            sizes.radius_rate(i) * outward;
      EXPECT_LT((found - moved).norm(), 1e-6) << name;
    }
  }
}

TEST(PatchSizes, HalfSpacesMoveAlongTheirNormal) {
  const Shape wall = HalfSpace{};
  const PatchSizes sizes(wall, {}, {0.0, 0.0, 1.0});
  EXPECT_EQ(to_vector3(sizes.velocity(0, {1.0, 2.0, 0.0}, {})), Vector3::UnitZ());
  EXPECT_EQ(sizes.radius_rate(0), 0.0);
  EXPECT_EQ(sizes.radius_rate(1), 1.0);
}

TEST(PatchSizes, PlacesAreWeightedSumsOfVertices) {
  const Convex hull = hull_of(
      {{-0.3, -0.2, 0}, {0.3, -0.25, 0}, {0.2, 0.3, 0}, {-0.2, 0.2, 0}, {0.05, 0.02, 0.4}});
  const Stack stack = stacked(kTable, hull, tilted(-0.03, 0.9, 0.3), kWorld);
  const ContactPatch patch = stack.patch(stack.X_WA, stack.X_WB);
  PatchGeometry geometry(stack.a.core(), stack.X_WA, stack.b.core(), stack.X_WB, patch.distance);
  find_patch(patch.distance, stack.options, geometry);
  ASSERT_GE(geometry.count, 3);
  for (int k = 0; k < geometry.count; ++k) {
    const PatchPoint& point = geometry.points[static_cast<std::size_t>(k)];
    const PatchPlaces places = patch_places(geometry, point, false);
    Vector3 sum = Vector3::Zero();
    for (std::size_t i = 0; i < static_cast<std::size_t>(places.feature.count); ++i)
      sum += places.feature.weights[i] * hull.vertex(static_cast<int>(places.feature.vertices[i]));
    if (places.feature.count == 0) continue;
    const PatchResponse response(geometry, point);
    EXPECT_LT((stack.X_WB * sum - to_vector3(response.core_b())).norm(), 1e-9);
  }
}

}  // namespace
}  // namespace tactum::patch_sizes_test
