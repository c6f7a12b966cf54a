// SPDX-License-Identifier: BSD-2-Clause
// Support points of the kernels against Shape::support, and hulls against a plain scan of all
// vertices.
#include "gpu/support.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "gpu/packed_shapes.hpp"
#include "support/random.hpp"
#include "support/random_shapes.hpp"

namespace tactum::gpu {
namespace support_tests {

struct Packed {
  explicit Packed(const Shape& shape)
      : shapes(pack_shapes({&shape, 1})), view{shapes.blocks.data(), shapes.vertices.data(), 0} {}
  PackedShapes shapes;
  VertexView<1> view;
};

Vector<double> to_double3(const Vector3& v) { return {v.x(), v.y(), v.z()}; }

TEST(GpuSupport, IsThatOfTheShape) {
  testing::Random random(1);
  for (const ShapeKind kind : testing::kGpuKinds) {
    if (kind == ShapeKind::half_space) continue;
    for (int i = 0; i < 60; ++i) {
      const Shape shape = testing::random_shape(kind, random);
      const Packed packed(shape);
      const CoreRecord<double>& core = packed.shapes.exact[0];
      for (int k = 0; k < 30; ++k) {
        const Vector3 direction = random.direction();
        const double expected = shape.support(direction).dot(direction),
                     scale = core.reach + core.radius;
        const double in_double =
            dot(support<kAllKinds>(core, packed.view, to_double3(direction)).point,
                to_double3(direction)) +
            core.radius;
        EXPECT_NEAR(in_double, expected, 1e-14 * scale);
        const Vector<float> u = converted<float>(to_double3(direction));
        const Vector<float> single =
            support<kAllKinds>(packed.shapes.single[0], packed.view, u).point;
        EXPECT_NEAR(dot(converted<double>(single), to_double3(direction)) + core.radius, expected,
                    1e-6 * scale);
      }
    }
  }
}

TEST(GpuSupport, ExactOneIsTheBestOfAllVertices) {
  testing::Random random(2);
  for (int i = 0; i < 200; ++i) {
    const Shape shape = testing::random_shape(ShapeKind::convex, random);
    const Packed packed(shape);
    const CoreRecord<double>& core = packed.shapes.exact[0];
    if (core.kind != CoreKind::polytope) continue;
    for (int k = 0; k < 20; ++k) {
      Vector3 direction = random.direction();
      if (k % 4 == 0 && std::get<Convex>(shape.parameters()).dimension() == 3) {
        // normals of faces: all their vertices are equally far, and single precision cannot tell
        // which is farthest
        const Convex& hull = std::get<Convex>(shape.parameters());
        const Triangles faces = hull.faces();
        const auto face = faces.col(random.below(static_cast<int>(faces.cols())));
        const Vector3 a = hull.vertex(face[0]), b = hull.vertex(face[1]), c = hull.vertex(face[2]);
        direction = (b - a).cross(c - a).normalized();
      }
      double best = -std::numeric_limits<double>::max();
      for (int v = 0; v < 4 * core.num_blocks; ++v)
        best = std::max(best, dot(packed.view.vertex(core.first_block, v), to_double3(direction)));
      const double attained = dot(
          packed.view.vertex(core.first_block, random.below(4 * core.num_blocks)),
          to_double3(direction));
      for (const double floor : {best, attained, best + core.reach}) {
        const SupportPoint<double> found = exact_support<kAllKinds>(core, packed.view,
                                                                    to_double3(direction), floor);
        EXPECT_EQ(dot(found.point, to_double3(direction)), best);
      }
    }
  }
}

TEST(GpuSupport, PiecesNameTheirPoints) {
  testing::Random random(3);
  for (const ShapeKind kind : testing::kGpuKinds) {
    if (kind == ShapeKind::half_space) continue;
    for (int i = 0; i < 60; ++i) {
      const Packed packed(testing::random_shape(kind, random));
      const Vector<double> u = to_double3(random.direction());
      const SupportPoint<double> found = support<kAllKinds>(packed.shapes.exact[0], packed.view, u);
      const Vector<double> again = piece_point<kAllKinds>(packed.shapes.exact[0], packed.view,
                                                          found.piece, u);
      EXPECT_EQ(found.point.x, again.x);
      EXPECT_EQ(found.point.y, again.y);
      EXPECT_EQ(found.point.z, again.z);
    }
  }
}

}  // namespace support_tests
}  // namespace tactum::gpu
