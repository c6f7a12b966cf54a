// SPDX-License-Identifier: BSD-2-Clause
// Against the single query, against known distances, and the gradient against finite differences.
#include "tactum/signed_distance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "geometry/geometry_fixtures.hpp"
#include "mesh/mesh_fixtures.hpp"
#include "support/allocation_guard.hpp"
#include "support/random_shapes.hpp"
#include "tactum/distance.hpp"

namespace tactum {
namespace {

std::vector<Vector3> points_around(const Vector3& center, std::size_t size,
                                   testing::Random& random) {
  std::vector<Vector3> points(size);
  for (Vector3& point : points) point = center + random.in_box(0.8);
  return points;
}

TEST(SignedDistance, IsThatOfAPointAndHasItsNormal) {
  testing::Random random(1);
  BatchWorkspace work;
  const Shape point = Sphere{};
  for (const ShapeKind kind : testing::kAllKinds) {
    for (int k = 0; k < 6; ++k) {
      const Shape shape = testing::random_shape(kind, random);
      const Pose X{random.rotation(), random.in_box(1.0)};
      const auto points = points_around(X.translation, 60, random);
      std::vector<double> distances(60);
      std::vector<Vector3> gradients(60);
      std::vector<Status> statuses(60);
      ASSERT_TRUE(
          signed_distance(shape, X, points, {}, work,
                          {.distance = distances, .gradient = gradients, .status = statuses}));
      for (std::size_t i = 0; i < 60; ++i) {
        const Pose at_point{.translation = points[i]};
        const Distance expected = distance(shape, X, point, at_point);
        const double slack = 1e-12 * pair_scale(shape, X, point, at_point);
        EXPECT_NEAR(distances[i], expected.distance, slack) << shape.to_string();
        EXPECT_NEAR(gradients[i].norm(), 1.0, 1e-12);
        // the normal is unique where the distance is not tiny and the point not in the middle: then
        // both agree
        EXPECT_LE((points[i] - distances[i] * gradients[i] - expected.point_a).norm(),
                  distances[i] > 0.0 ? 1e-6 : std::numeric_limits<double>::infinity());
        EXPECT_EQ(statuses[i], expected.status);
      }
    }
  }
}

TEST(SignedDistance, KnownValues) {
  const auto value = [](const Shape& shape, const Vector3& point) {
    const Pose X{.rotation = testing::Random::turn({0.0, 0.0, 1.0}, 0.3),
                 .translation = {1.0, 2.0, 3.0}};
    const SignedDistance d = signed_distance(shape, X, X * point);
    return std::pair(d.distance, Vector3(X.rotation.transpose() * d.gradient));
  };
  const auto expect = [&](const Shape& shape, const Vector3& point, double distance,
                          const Vector3& gradient) {
    const auto [d, g] = value(shape, point);
    EXPECT_NEAR(d, distance, 1e-14) << shape.to_string();
    EXPECT_LE((g - gradient).norm(), 1e-14) << shape.to_string();
  };
  const Vector3 x = Vector3::UnitX(), z = Vector3::UnitZ();
  expect(Sphere{.radius = 0.5, .margin = 0.1}, 2.0 * x, 1.4, x);
  expect(Sphere{.radius = 0.5}, -0.2 * z, -0.3, -z);
  expect(Box{.half_extents = {1.0, 1.0, 1.0}}, {0.9, 0.0, 0.1}, -0.1, x);
  expect(Box{.half_extents = {1.0, 1.0, 1.0}, .margin = 0.5}, {4.0, 5.0, 0.0}, 4.5,
         {0.6, 0.8, 0.0});
  expect(Box{.half_extents = {1.0, 1.0, 1.0}, .margin = 0.5}, {0.9, 0.0, 0.1}, -0.6, x);
  expect(Capsule{.radius = 0.2, .half_length = 1.0}, {0.0, 0.0, 2.0}, 0.8, z);
  expect(Capsule{.radius = 0.2, .half_length = 1.0}, {0.1, 0.0, 0.5}, -0.1, x);
  expect(Cylinder{.radius = 1.0, .half_length = 1.0}, {4.0, 0.0, 5.0}, 5.0, {0.6, 0.0, 0.8});
  expect(Cone{.radius = 1.0, .half_length = 1.0}, {0.0, 0.0, 3.0}, 2.0, z);
  expect(HalfSpace{.normal = x, .offset = 0.25, .margin = 0.05}, {1.0, 7.0, -9.0}, 0.7, x);
  expect(HalfSpace{.normal = x, .offset = 0.25}, {-1.0, 7.0, -9.0}, -1.25, x);
  expect(Ellipsoid{.semi_axes = {1.0, 2.0, 3.0}}, 5.0 * z, 2.0, z);
}

TEST(SignedDistance, GradientIsTheDerivative) {
  testing::Random random(2);
  const double step = 1e-6;
  for (const ShapeKind kind : testing::kAllKinds) {
    for (int k = 0; k < 40; ++k) {
      const Shape shape = testing::random_shape(kind, random);
      const Pose X{random.rotation(), random.in_box(1.0)};
      const Vector3 point = X.translation + 1.5 * random.direction();
      const SignedDistance value = signed_distance(shape, X, point);
      // outside and away from the surface the distance of a convex set is once differentiable
      if (value.distance < 0.1) continue;
      for (int i = 0; i < 3; ++i) {
        const Vector3 offset = step * Vector3::Unit(i);
        const double slope = (signed_distance(shape, X, point + offset).distance -
                              signed_distance(shape, X, point - offset).distance) /
                             (2.0 * step);
        EXPECT_NEAR(slope, value.gradient[i], 1e-5) << shape.to_string();
      }
    }
  }
}

TEST(SignedDistance, BadPointsAreStatuses) {
  BatchWorkspace work;
  const Shape box = Box{.half_extents = {1.0, 1.0, 1.0}};
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<Vector3> points(5, Vector3(2.0, 0.0, 0.0));
  points[1].x() = std::numeric_limits<double>::quiet_NaN();
  points[2].y() = infinity;
  points[3].z() = -1e31;
  for (const Shape& shape :
       {box, Shape(HalfSpace{}), Shape(Ellipsoid{.semi_axes = {1.0, 2.0, 3.0}})}) {
    std::vector<double> distances(5, 7.0);
    std::vector<Vector3> gradients(5);
    std::vector<Status> statuses(5);
    ASSERT_TRUE(
        signed_distance(shape, {}, points, {}, work,
                        {.distance = distances, .gradient = gradients, .status = statuses}));
    for (const std::size_t i : {1U, 2U, 3U}) {
      EXPECT_EQ(statuses[i], Status::invalid_input);
      EXPECT_EQ(distances[i], 0.0);
      EXPECT_EQ(gradients[i], Vector3::UnitZ());
      EXPECT_THROW(signed_distance(shape, {}, points[i]), InvalidInput);
    }
    EXPECT_NE(statuses[0], Status::invalid_input);
    EXPECT_EQ(distances[0], distances[4]);
  }
}

TEST(SignedDistance, ErrorsComeBeforeAnythingIsWritten) {
  BatchWorkspace work;
  const Shape ball = Sphere{.radius = 1.0};
  const std::vector<Vector3> points(4, Vector3::Zero());
  std::vector<double> distances(4, 7.0), shorter(3);
  EXPECT_THROW(signed_distance(ball, {.rotation = Matrix3::Zero()}, points, {}, work,
                               {.distance = distances}),
               InvalidInput);
  EXPECT_THROW(
      signed_distance(ball, {}, points, {.num_threads = 5000}, work, {.distance = distances}),
      InvalidInput);
  EXPECT_THROW(signed_distance(ball, {}, points, {}, work, {.distance = shorter}), InvalidInput);
  EXPECT_EQ(distances, std::vector<double>(4, 7.0));
  EXPECT_TRUE(signed_distance(ball, {}, {}, {}, work, {}));
}

TEST(SignedDistance, SameBitsForAnyNumberOfThreadsAndNothingAllocated) {
  testing::Random random(3);
  BatchWorkspace work;
  const Shape shape = testing::random_shape(ShapeKind::convex, random);
  const Pose X{random.rotation(), random.in_box(1.0)};
  const auto points = points_around(X.translation, 5000, random);
  std::vector<double> one(5000), many(5000);
  std::vector<Vector3> one_gradient(5000), many_gradient(5000);
  ASSERT_TRUE(signed_distance(shape, X, points, {.num_threads = 1}, work,
                              {.distance = one, .gradient = one_gradient}));
  for (const int num_threads : {2, 3, 7}) {
    for (int round = 0; round < 2; ++round) {
      const testing::AllocationGuard guard;
      ASSERT_TRUE(signed_distance(shape, X, points, {.num_threads = num_threads}, work,
                                  {.distance = many, .gradient = many_gradient}));
      EXPECT_TRUE(round == 0 || guard.count() == 0);  // the first round starts the threads
    }
    EXPECT_EQ(many, one);
    EXPECT_EQ(many_gradient, one_gradient);
  }
}

TEST(SignedDistance, OfACompoundIsTheSmallestOverItsParts) {
  testing::Random random(3);
  BatchWorkspace work;
  for (int k = 0; k < 20; ++k) {
    const Compound compound = testing::random_compound(random, 4);
    const Pose X = testing::pose_near(random, 1.0);
    const std::vector<Vector3> points = points_around(X.translation, 50, random);
    std::vector<double> found(points.size());
    ASSERT_TRUE(signed_distance(compound, X, points, {}, work, {.distance = found}));
    for (std::size_t i = 0; i < points.size(); ++i) {
      double expected = std::numeric_limits<double>::infinity();
      for (const CompoundPart& part : compound.parts())
        expected = std::min(expected,
                            signed_distance(part.shape, X * part.X_CP, points[i]).distance);
      ASSERT_NEAR(found[i], expected, 1e-9);
    }
  }
}

TEST(SignedDistance, OfAConvexMeshIsThatOfItsHull) {
  testing::Random random(4);
  BatchWorkspace work;
  const testing::RawMesh raw = testing::hull_mesh(random, 30, 1.0);
  const Mesh mesh = raw.surface();
  const Shape hull(Convex::from_points(raw.vertices));
  const Pose X = testing::pose_near(random, 1.0);
  const std::vector<Vector3> points = points_around(X.translation, 300, random);
  std::vector<double> of_mesh(points.size()), of_hull(points.size());
  ASSERT_TRUE(signed_distance(mesh, X, points, {}, work, {.distance = of_mesh}));
  ASSERT_TRUE(signed_distance(hull, X, points, {}, work, {.distance = of_hull}));
  for (std::size_t i = 0; i < points.size(); ++i) ASSERT_NEAR(of_mesh[i], of_hull[i], 1e-9);
}

}  // namespace
}  // namespace tactum
