// SPDX-License-Identifier: BSD-2-Clause
#include "shape/check/affine_frame.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numeric>

#include "shape/point_clouds.hpp"

namespace tactum::affine_frame_test {
namespace {

using testing::Random;

AffineFrame frame_of(const Points& points, double flat = 1e-15) {
  std::vector<std::int32_t> columns(static_cast<std::size_t>(points.cols()));
  std::iota(columns.begin(), columns.end(), 0);
  return affine_frame(points, columns, flat);
}

TEST(AffineFrame, FindsTheThinDirectionsOfATurnedBox) {
  Random random(71);
  for (int trial = 0; trial < 200; ++trial) {
    const double width = random.log_uniform(1e-12, 1e-2);
    const double height = width * random.log_uniform(1e-2, 1.0);
    Points corners(3, 8);
    for (int k = 0; k < 8; ++k) {
      corners.col(k) = Vector3((k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? width : -width,
                               (k & 4) != 0 ? height : -height);
    }
    const Matrix3 R = random.rotation();
    const AffineFrame frame = frame_of(R * corners);
    ASSERT_EQ(frame.dimension, 3);
    EXPECT_LT((frame.axes.transpose() * frame.axes - Matrix3::Identity()).cwiseAbs().maxCoeff(),
              1e-15);
    EXPECT_NEAR(frame.axes.determinant(), 1.0, 1e-15);
    EXPECT_NEAR(std::abs(frame.axes.col(0).dot(R.col(0))), 1.0, 1e-3);
    EXPECT_NEAR(frame.reach[0], 2.0, 1e-2);
    // the volume of the box spans that of the frame within a small factor
    const double ratio = frame.reach.prod() / (8.0 * width * height);
    EXPECT_GT(ratio, 0.3);
    EXPECT_LT(ratio, 3.0);
    for (int k = 0; k < 8; ++k)
      EXPECT_LE(frame.coordinates(R * corners.col(k)).cwiseAbs().maxCoeff(), 1.01);
  }
}

TEST(AffineFrame, DimensionCountsReachesAboveFlat) {
  Points points(3, 4);
  points << 0, 1, 0, 0,  //
      0, 0, 1e-3, 0,     //
      0, 0, 0, 1e-6;
  EXPECT_EQ(frame_of(points, 1e-7).dimension, 3);
  EXPECT_EQ(frame_of(points, 1e-5).dimension, 2);
  EXPECT_EQ(frame_of(points, 1e-2).dimension, 1);
  EXPECT_EQ(frame_of(points, 2.0).dimension, 0);
  EXPECT_EQ(frame_of(points, 1e-2).reach.tail<2>(), Vector3::Ones().tail<2>());
}

TEST(AffineFrame, OnePoint) {
  const AffineFrame frame = frame_of(Points::Constant(3, 1, 5.0));
  EXPECT_EQ(frame.dimension, 0);
  EXPECT_EQ(frame.coordinates(Vector3(5, 5, 6)), Vector3(0, 0, 1));
}

}  // namespace
}  // namespace tactum::affine_frame_test
