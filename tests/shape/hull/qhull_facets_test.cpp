// SPDX-License-Identifier: BSD-2-Clause
#include "shape/hull/qhull_facets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "shape/point_clouds.hpp"

namespace tactum::qhull_facets_test {
namespace {

Points cube() {
  testing::Random random(1);
  return testing::dense_cube_points(0, random);
}

TEST(QhullFacets, CubeHasSixSquaresWhoseSidesAreItsEdges) {
  const auto facets = qhull_facets(cube(), "Pp");
  ASSERT_EQ(facets.size(), 6U);
  std::multiset<std::pair<int, int>> sides;
  for (const auto& ring : facets) {
    ASSERT_EQ(ring.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
      const auto [low, high] = std::minmax(ring[i], ring[(i + 1) % 4]);
      sides.insert({low, high});
      EXPECT_DOUBLE_EQ((cube().col(low) - cube().col(high)).norm(), 2.0);  // never a diagonal
    }
  }
  EXPECT_EQ(sides.size(), 24U);
  for (const auto& side : sides) EXPECT_EQ(sides.count(side), 2U);
}

TEST(QhullFacets, CapOfThousandCornersIsOneRing) {
  const auto facets = qhull_facets(testing::prism_points(1000), "Pp");
  EXPECT_EQ(facets.size(), 1002U);
  EXPECT_EQ(std::count_if(facets.begin(), facets.end(),
                          [](const auto& ring) { return ring.size() == 1000; }),
            2);
}

TEST(QhullFacets, FlatPointsGiveNothingAndNothingIsPrinted) {
  Points flat = testing::prism_points(5);
  flat.row(2).setZero();
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  EXPECT_TRUE(qhull_facets(flat, "Pp").empty());
  EXPECT_TRUE(qhull_facets(Points::Random(3, 3), "Pp").empty());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace tactum::qhull_facets_test
