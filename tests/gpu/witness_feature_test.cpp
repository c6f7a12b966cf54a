// SPDX-License-Identifier: BSD-2-Clause
#include "gpu/witness_feature.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gpu/packed_shapes.hpp"
#include "support/random_shapes.hpp"

namespace tactum::gpu {
namespace witness_feature_tests {

/// The feature of a shape at its support point along a direction, and a neighbor of that direction.
struct Placed {
  explicit Placed(const Shape& shape) : packed(pack_shapes(std::vector<Shape>{shape})) {}
  VertexView<1> view() const { return {packed.blocks.data(), packed.vertices.data(), 0}; }
  Vector<double> support(Vector<double> u) const {
    return exact_support<kAllKinds>(packed.exact[0], view(), u).point;
  }
  WitnessFeature feature(Vector<double> u, Vector<double> point) const {
    return witness_feature<kAllKinds>(packed.exact[0], view(), normal_plane(u), point, 1e-9);
  }
  PackedShapes packed;
};

Vector<double> unit(Vector<double> v) { return (1.0 / norm(v)) * v; }

TEST(GpuNormalPlane, IsRightHandedAndOrthonormal) {
  testing::Random random(1);
  for (int i = 0; i < 200; ++i) {
    const Vector3 d = random.direction();
    const NormalPlane plane = normal_plane({d.x(), d.y(), d.z()});
    const Vector<double> z = cross(plane.x, plane.y);
    EXPECT_LT(norm(z - plane.normal), 1e-14);
    EXPECT_NEAR(norm(plane.x), 1.0, 1e-14);
  }
  EXPECT_EQ(normal_plane({0.0, 0.0, -1.0}).normal.z, -1.0);
  EXPECT_NEAR(norm(normal_plane({0.0, 0.0, -1.0}).x), 1.0, 1e-15);
}

TEST(GpuWitnessFeature, CornersEdgesAndFacesOfABoxAndOfItsHull) {
  const Shape box = Box{.half_extents = {1.0, 2.0, 3.0}};
  Points points(3, 8);
  for (int i = 0; i < 8; ++i)
    points.col(i) = Vector3((i & 1) != 0 ? -1 : 1, (i & 2) != 0 ? -2 : 2, (i & 4) != 0 ? -3 : 3);
  const Shape hull = Convex::from_points(points);
  for (const Shape& shape : {box, hull}) {
    const Placed placed(shape);
    EXPECT_EQ(placed.feature(unit({1, 1, 1}), {1, 2, 3}).dimension, 0);
    const WitnessFeature edge = placed.feature(unit({1, 1, 0}), {1, 2, 0.5});
    EXPECT_EQ(edge.dimension, 1);
    const Vector<double> along = normal_plane(unit({1, 1, 0})).lift(edge.edge);
    EXPECT_NEAR(std::abs(along.z), 1.0, 1e-14);
    EXPECT_EQ(placed.feature({0, 0, 1}, {0.2, 0.3, 3}).dimension, 2);
  }
}

TEST(GpuWitnessFeature, OfABodyOfRevolutionFollowsFromThePoint) {
  const Placed cylinder(Cylinder{.radius = 0.5, .half_length = 1.0}),
      cone(Cone{.radius = 0.5, .half_length = 1.0}),
      capsule(Capsule{.radius = 0.5, .half_length = 1.0});
  EXPECT_EQ(cylinder.feature({0, 0, 1}, {0.1, 0.2, 1.0}).dimension, 2);
  EXPECT_EQ(cylinder.feature({1, 0, 0}, {0.5, 0.0, 0.2}).dimension, 1);
  EXPECT_EQ(cylinder.feature(unit({1, 0, 1}), {0.5, 0.0, 1.0}).dimension, 0);
  EXPECT_EQ(cone.feature({0, 0, 1}, {0.0, 0.0, 1.0}).dimension, 0);
  EXPECT_EQ(cone.feature({0, 0, -1}, {0.1, 0.2, -1.0}).dimension, 2);
  EXPECT_EQ(cone.feature(unit({4, 0, 1}), {0.25, 0.0, 0.0}).dimension, 1);
  EXPECT_EQ(capsule.feature({1, 0, 0}, {0.0, 0.0, 0.3}).dimension, 1);
  EXPECT_EQ(capsule.feature(unit({1, 0, 1}), {0.0, 0.0, 1.0}).dimension, 0);
}

TEST(GpuWitnessFeature, HessianIsTheDifferenceOfSupportPoints) {
  testing::Random random(2);
  const double step = 1e-6;
  for (const Shape& shape : {Shape(Ellipsoid{.semi_axes = {0.3, 0.5, 0.9}}),
                             Shape(Cylinder{.radius = 0.5, .half_length = 1.0}),
                             Shape(Cone{.radius = 0.5, .half_length = 1.0})}) {
    const Placed placed(shape);
    for (int i = 0; i < 50; ++i) {
      const Vector3 d = random.direction();
      const Vector<double> u{d.x(), d.y(), d.z()};
      const NormalPlane plane = normal_plane(u);
      const WitnessFeature feature = placed.feature(u, placed.support(u));
      ASSERT_EQ(feature.dimension, 0);
      const auto derivative = [&](Vector<double> along) {
        const Vector<double> forward = placed.support(unit(u + step * along)),
                             backward = placed.support(unit(u - step * along));
        return plane.project((0.5 / step) * (forward - backward));
      };
      const PlaneVector by_x = derivative(plane.x), by_y = derivative(plane.y);
      EXPECT_NEAR(feature.hessian.xx, by_x.x, 1e-5);
      EXPECT_NEAR(feature.hessian.xy, by_x.y, 1e-5);
      EXPECT_NEAR(feature.hessian.yy, by_y.y, 1e-5);
    }
  }
}

}  // namespace witness_feature_tests
}  // namespace tactum::gpu
