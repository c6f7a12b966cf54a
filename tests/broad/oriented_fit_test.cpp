// SPDX-License-Identifier: BSD-2-Clause
#include "broad/oriented_fit.hpp"

#include <gtest/gtest.h>

#include "broad/broad_fixtures.hpp"
#include "support/repetitions.hpp"

namespace tactum::oriented_fit_test {
namespace {

using namespace tactum::testing;

Points random_cloud(Random& random, int count, const Vector3& size) {
  Points points(3, count);
  for (Eigen::Index i = 0; i < count; ++i)
    points.col(i) = Vector3(random.in_box(1)).cwiseProduct(size);
  return points;
}

/// A turned box with points inside comes back.
TEST(OrientedFit, FindsTheBoxThatPointsWereMadeIn) {
  Random random(1);
  for (int k = 0; k < repetitions(100); ++k) {
    const Vector3 half(random.uniform(0.1, 2), random.uniform(0.1, 2), random.uniform(0.1, 2));
    Points points = random_cloud(random, 20, 0.9 * half);
    for (Eigen::Index i = 0; i < 8; ++i)
      points.col(i) = half.cwiseProduct(
          Vector3((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1));
    const Pose X{random.rotation(), 5 * random.in_box(1)};
    points = (X.rotation * points).colwise() + X.translation;
    const OrientedBox box = oriented_fit(Convex::from_points(points));
    EXPECT_NEAR(volume(box), 8 * half.prod(), 1e-10 * half.prod());
    EXPECT_LT((box.pose.translation - X.translation).norm(), 1e-12);
    EXPECT_LT((box.pose.rotation.transpose() * box.pose.rotation - Matrix3::Identity()).norm(),
              1e-14);
    EXPECT_GT(box.pose.rotation.determinant(), 0.0);
  }
}

/// Hardly ever larger than the best of many random frames.
TEST(OrientedFit, IsBetterThanRandomFrames) {
  Random random(2);
  for (int k = 0; k < repetitions(50); ++k) {
    const Points points = random_cloud(random, 4 + random.below(60), {1, 0.6, 0.3});
    const double ours = volume(oriented_fit(Convex::from_points(points)));
    double least = kInfinite;
    for (int i = 0; i < 300; ++i) {
      const Points turned = random.rotation() * points;
      least = std::min(least, (turned.rowwise().maxCoeff() - turned.rowwise().minCoeff()).prod());
    }
    EXPECT_LE(ours, least * 1.06);
  }
}

TEST(OrientedFit, FlatStraightAndSinglePoints) {
  Random random(3);
  for (int dimension = 0; dimension < 3; ++dimension) {
    const Vector3 size(dimension > 0 ? 1 : 0, dimension > 1 ? 0.5 : 0, 0);
    const Matrix3 R = random.rotation();
    const Points points = R * random_cloud(random, 30, size);
    const Convex hull = Convex::from_points(points);
    const OrientedBox box = oriented_fit(hull);
    Vector3 sorted = box.half_extents;
    std::ranges::sort(sorted.data(), sorted.data() + 3);
    for (int i = 0; i < 3 - dimension; ++i) EXPECT_LT(sorted[i], 1e-14) << dimension;
    for (int i = 3 - dimension; i < 3; ++i) EXPECT_GT(sorted[i], 0.1) << dimension;
    EXPECT_GE(swept_fit(hull, box).radius, 0.0);
  }
}

/// Points of a ball, a capsule and a rounded plate are held better by swept boxes than by boxes.
TEST(OrientedFit, SweptBoxesFollowRoundClouds) {
  Random random(4);
  for (const Vector3& half : {Vector3(0, 0, 0), Vector3(0, 0, 1), Vector3(1, 0.7, 0)}) {
    Points points(3, 400);
    for (Eigen::Index i = 0; i < points.cols(); ++i)
      points.col(i) = Vector3(random.in_box(1)).array().sign().matrix().cwiseProduct(half) +
                      0.3 * random.direction();
    const Convex hull = Convex::from_points(points);
    const OrientedBox box = oriented_fit(hull);
    const SweptBox swept = swept_fit(hull, box);
    EXPECT_LT(volume(swept), 0.93 * volume(box)) << half.transpose();
    for (Eigen::Index i = 0; i < points.cols(); ++i) {
      const Vector3 local = swept.pose.rotation.transpose() *
                            (points.col(i) - swept.pose.translation);
      ASSERT_LE((local.cwiseAbs() - swept.half_extents).cwiseMax(0.0).norm(),
                swept.radius * (1 + 1e-12));
    }
  }
}

}  // namespace
}  // namespace tactum::oriented_fit_test
