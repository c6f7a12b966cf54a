// SPDX-License-Identifier: BSD-2-Clause
// Tables of shapes: their vertices are those of the hulls, their records those of the cores, and
// what kernels do not know is refused.
#include "gpu/packed_shapes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "support/random.hpp"
#include "support/random_shapes.hpp"
#include "tactum/status.hpp"

namespace tactum::gpu {
namespace packed_shapes_tests {

Shape ball_hull(int num_points, testing::Random& random) {
  Points points(3, num_points);
  for (int i = 0; i < num_points; ++i) points.col(i) = random.direction();
  return Convex::from_points(points);
}

TEST(GpuPackedShapes, HoldsTheVerticesOfEveryHull) {
  testing::Random random(1);
  std::vector<Shape> shapes;
  for (const int count : {4, 5, 6, 7, 8, 27, 255, 256}) shapes.push_back(ball_hull(count, random));
  const PackedShapes packed = pack_shapes(shapes);
  ASSERT_EQ(packed.exact.size(), shapes.size());
  EXPECT_EQ(packed.kinds, set_of(CoreKind::polytope));
  const VertexView<1> view{packed.blocks.data(), packed.vertices.data(), 0};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Convex& hull = std::get<Convex>(shapes[i].parameters());
    const CoreRecord<double>& record = packed.exact[i];
    EXPECT_EQ(record.num_blocks, (hull.num_vertices() + 3) / 4);
    for (int v = 0; v < 4 * record.num_blocks; ++v) {
      const Vector3 expected = hull.vertex(std::min(v, hull.num_vertices() - 1));
      const Vector<double> vertex = view.vertex(record.first_block, v);
      EXPECT_EQ(Vector3(vertex.x, vertex.y, vertex.z), expected);
      const FourFloats x = view.coordinate(record.first_block + v / 4, 0);
      const std::array<float, 4> four = {x.x, x.y, x.z, x.w};
      EXPECT_EQ(four[v % 4], static_cast<float>(expected.x()));
    }
  }
}

TEST(GpuPackedShapes, ReachHoldsTheCoreOfEveryKind) {
  testing::Random random(2);
  for (const ShapeKind kind : testing::kGpuKinds) {
    if (kind == ShapeKind::half_space) continue;
    for (int i = 0; i < 50; ++i) {
      const Shape shape = testing::random_shape(kind, random);
      const PackedShapes packed = pack_shapes({&shape, 1});
      const double reach = packed.exact[0].reach + packed.exact[0].radius;
      for (int k = 0; k < 20; ++k)
        EXPECT_LE(shape.support(random.direction()).norm(), reach * (1.0 + 1e-12));
      // no more than the library's, which tolerances are relative to
      EXPECT_NEAR(reach, shape.core().bounding_radius, 1e-14 * reach);
      EXPECT_EQ(packed.single[0].reach, static_cast<float>(packed.exact[0].reach));
    }
  }
}

TEST(GpuPackedShapes, APointIsTheLastShape) {
  const Shape ball = Sphere{.radius = 1.0};
  PackedShapes packed = pack_shapes({&ball, 1});
  append_point(packed);
  ASSERT_EQ(packed.exact.size(), 2U);
  EXPECT_EQ(packed.exact[1].kind, CoreKind::point);
  EXPECT_EQ(packed.exact[1].radius, 0.0);
  EXPECT_EQ(packed.exact[1].reach, 0.0);
}

TEST(GpuPackedShapes, RefusesWhatTheKernelsDoNotKnow) {
  testing::Random random(3);
  const Shape large = ball_hull(257, random);
  EXPECT_THROW(pack_shapes({&large, 1}), InvalidInput);
  Points points(3, 4);
  points << 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1;
  const Shape volume = Stp::from_points(points, {.small_radius = 0.1, .big_radius = 5.0});
  EXPECT_THROW(pack_shapes({&volume, 1}), InvalidInput);
  EXPECT_EQ(pack_shapes({}).exact.size(), 0U);
}

}  // namespace packed_shapes_tests
}  // namespace tactum::gpu
