// SPDX-License-Identifier: BSD-2-Clause
// Solids that are their own hulls, and such that only seem so.
#include "mesh/surface/hull_fill.hpp"

#include <gtest/gtest.h>

#include "mesh/mesh_fixtures.hpp"

namespace tactum::hull_fill_test {
namespace {

TEST(HullFill, ConvexSolidsFillTheirHulls) {
  testing::Random random(31);
  for (int i = 0; i < 50; ++i) {
    const testing::RawMesh raw = testing::hull_mesh(random, 4 + random.below(200),
                                                    random.log_uniform(1e-3, 1e3));
    EXPECT_TRUE(raw.solid().fills_hull());
    EXPECT_FALSE(raw.surface().fills_hull());
  }
  EXPECT_TRUE(testing::box_mesh({1, 2, 3}).solid().fills_hull());
}

TEST(HullFill, DentsAndHolesDoNot) {
  EXPECT_FALSE(testing::torus_mesh(1.0, 0.3, 12, 8).solid().fills_hull());
  testing::Random random(32);
  for (const double depth : {0.5, 1e-3, 1e-12}) {
    // the middle of one triangle is pushed in
    testing::RawMesh raw = testing::hull_mesh(random, 30, 1.0);
    const Eigen::Index n = raw.vertices.cols(), m = raw.triangles.cols();
    const Eigen::Vector3i t = raw.triangles.col(0);
    raw.vertices.conservativeResize(3, n + 1);
    raw.triangles.conservativeResize(3, m + 2);
    raw.vertices.col(n) = (1.0 - depth) / 3.0 *
                          (raw.vertices.col(t[0]) + raw.vertices.col(t[1]) +
                           raw.vertices.col(t[2]));
    const auto middle = static_cast<std::int32_t>(n);
    raw.triangles.col(0) << t[0], t[1], middle;
    raw.triangles.col(m) << t[1], t[2], middle;
    raw.triangles.col(m + 1) << t[2], t[0], middle;
    EXPECT_FALSE(raw.solid().fills_hull()) << depth;
  }
}

TEST(HullFill, ACavityDoesNot) {
  const testing::RawMesh outer = testing::box_mesh({2, 2, 2}), inner = testing::box_mesh({1, 1, 1});
  testing::RawMesh both{Points(3, 16), Triangles(3, 24)};
  both.vertices << outer.vertices, inner.vertices;
  both.triangles << outer.triangles, (inner.triangles.array() + 8).matrix();
  both.triangles.rightCols(12).row(0).swap(both.triangles.rightCols(12).row(1));
  EXPECT_FALSE(both.solid().fills_hull());
}

}  // namespace
}  // namespace tactum::hull_fill_test
