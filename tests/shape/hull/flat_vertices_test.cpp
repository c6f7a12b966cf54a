// SPDX-License-Identifier: BSD-2-Clause
// Grids on the sides of turned boxes lose all but the corners; round bodies lose nothing.
#include "shape/hull/flat_vertices.hpp"

#include <gtest/gtest.h>

#include "shape/hull/exact_hull.hpp"
#include "shape/point_clouds.hpp"

namespace tactum::flat_vertices_test {
namespace {

using testing::Random;
constexpr double kRounding = 0x1p-52;

TEST(FlatVertices, CornersOfAGridStay) {
  Random random(31);
  for (int trial = 0; trial < 10; ++trial) {
    const Matrix3 turn = trial == 0 ? Matrix3(Matrix3::Identity()) : Matrix3(random.rotation());
    Points points = (turn * testing::grid_points(12)).eval();
    const Vector3 lower = points.rowwise().minCoeff();
    points = ((points.colwise() - lower) / (points.colwise() - lower).maxCoeff()).eval();
    const auto faces = exact_hull(points, kRounding);
    const std::vector<std::int32_t> kept = without_flat_vertices(points, faces, 8.0 * kRounding);
    EXPECT_EQ(kept.size(), 8U) << trial;
  }
}

TEST(FlatVertices, RoundBodiesKeepAll) {
  Random random(32);
  const Points points = 0.5 * testing::sphere_points(2000, random);
  const auto faces = exact_hull(points, kRounding);
  EXPECT_EQ(without_flat_vertices(points, faces, 8.0 * kRounding).size(), 2000U);
}

}  // namespace
}  // namespace tactum::flat_vertices_test
