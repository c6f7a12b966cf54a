// SPDX-License-Identifier: BSD-2-Clause
// Vertices in one place, against the definition by all pairs.
#include "mesh/surface/weld.hpp"

#include <gtest/gtest.h>

#include "mesh/mesh_fixtures.hpp"
#include "tactum/status.hpp"

namespace tactum::weld_test {
namespace {

TEST(Weld, FindsWhatAllPairsFind) {
  testing::Random random(3);
  for (int round = 0; round < 200; ++round) {
    const int count = 1 + random.below(60);
    const double tolerance = random.log_uniform(1e-12, 1e-1);
    Points points(3, count);
    for (int i = 0; i < count; ++i) {
      points.col(i) = random.in_box(1.0);
      if (i > 0 && random.chance(0.5))
        points.col(i) = points.col(random.below(i)) + random.in_box(2.0 * tolerance);
    }
    const std::vector<std::int32_t> found = welded(points, tolerance);
    for (int i = 0; i < count; ++i) {
      int expected = i;
      for (int j = i - 1; j >= 0; --j) {
        const bool kept = found[static_cast<std::size_t>(j)] == j;
        if (kept && (points.col(j) - points.col(i)).cwiseAbs().maxCoeff() <= tolerance)
          expected = j;
      }
      ASSERT_EQ(found[static_cast<std::size_t>(i)], expected);
    }
  }
}

TEST(Weld, PointsThatAllCoincideAreTheFirst) {
  const Points points = Points::Constant(3, 1000, 7.0);
  EXPECT_EQ(weld_tolerance(points), 0.0);
  for (const std::int32_t first : welded(points, 0.0)) EXPECT_EQ(first, 0);
}

TEST(Weld, TheToleranceIsThatOfTheExtent) {
  Points points(3, 2);
  points << 0, 1, 0, 8, 0, 2;
  EXPECT_EQ(weld_tolerance(points), 32.0 * 0x1p-52);
}

/// A soup whose triangles repeat their corners, moved by less than the tolerance, is the mesh
/// again.
TEST(Weld, ASoupIsMergedToItsSurface) {
  testing::Random random(4);
  for (int round = 0; round < 20; ++round) {
    const testing::RawMesh torus = testing::torus_mesh(2.0, 0.5, 5 + round, 7);
    const auto count = static_cast<Eigen::Index>(3 * torus.triangles.cols());
    Points vertices(3, count + 2);
    Triangles triangles(3, torus.triangles.cols() + 1);
    for (Eigen::Index i = 0; i < count; ++i) {
      vertices.col(i) = torus.vertices.col(torus.triangles(i % 3, i / 3)) + random.in_box(1e-16);
      triangles(i % 3, i / 3) = static_cast<std::int32_t>(i);
    }
    vertices.col(count).setConstant(1.0);  // of no triangle
    vertices.col(count + 1) = vertices.col(0);
    triangles.rightCols(1) << 0, 1, static_cast<std::int32_t>(count + 1);  // without an area
    const Mesh merged = merge_duplicates(Mesh(vertices, triangles));
    ASSERT_EQ(merged.vertices().cols(), torus.vertices.cols());
    ASSERT_EQ(merged.triangles().cols(), torus.triangles.cols());
    for (Eigen::Index t = 0; t < torus.triangles.cols(); ++t) {
      for (int k = 0; k < 3; ++k) {
        const Vector3 expected = torus.vertices.col(torus.triangles(k, t));
        ASSERT_LE((merged.vertices().col(merged.triangles()(k, t)) - expected).norm(), 1e-15);
      }
    }
    EXPECT_EQ(merged.report().num_duplicate_vertices, 0);
    EXPECT_EQ(merge_duplicates(merged), merged);
    EXPECT_TRUE(merge_duplicates(torus.solid()).is_solid());
  }
}

TEST(Weld, OfOnePointNothingIsLeft) {
  const Points vertices = Points::Constant(3, 6, 0.5);
  Triangles triangles(3, 2);
  triangles << 0, 3, 1, 4, 2, 5;
  EXPECT_THROW(merge_duplicates(Mesh(vertices, triangles)), InvalidInput);
}

}  // namespace
}  // namespace tactum::weld_test
