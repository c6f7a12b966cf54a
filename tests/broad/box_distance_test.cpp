// SPDX-License-Identifier: BSD-2-Clause
// Boxes of full size are compared with the narrow phase in bounding_volume_test.cpp; here, those
// that are flat, and the separating gap.
#include "broad/box_distance.hpp"

#include <gtest/gtest.h>

#include "broad/broad_fixtures.hpp"
#include "support/repetitions.hpp"
#include "tactum/distance.hpp"

namespace tactum::box_distance_test {
namespace {

using namespace tactum::testing;

/// The hull of the corners of a box that may be flat.
Shape hull_of(const OrientedBox& box) {
  Points corners(3, 8);
  for (Eigen::Index i = 0; i < 8; ++i)
    corners.col(i) = box.half_extents.cwiseProduct(
        Vector3((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1));
  return Convex::from_points(corners);
}

OrientedBox flat_box(Random& random) {
  OrientedBox box{{random.rotation(), random.in_box(2)}, {}};
  for (int i = 0; i < 3; ++i)
    box.half_extents[i] = random.chance(0.4) ? 0.0 : random.uniform(0.1, 1);
  return box;
}

TEST(BoxDistance, OfFlatBoxesIsThatOfTheirHulls) {
  Random random(1);
  for (int k = 0; k < repetitions(1000); ++k) {
    const OrientedBox a = flat_box(random);
    OrientedBox b = flat_box(random);
    if (k % 3 == 0) b.pose.rotation = a.pose.rotation;
    // one pair of axes parallel
    if (k % 5 == 0) b.pose.rotation = a.pose.rotation * Random::turn(Vector3::UnitX(), 0.3);
    const double truth = tactum::distance(hull_of(a), a.pose, hull_of(b), b.pose).distance;
    ASSERT_NEAR(box_distance(a, b), std::max(truth, 0.0), 1e-9) << k;
    ASSERT_NEAR(box_distance(b, a), std::max(truth, 0.0), 1e-9) << k;
    ASSERT_LE(separating_gap(a, b), std::max(truth, 0.0) + 1e-12);
  }
}

TEST(BoxDistance, FromAPoint) {
  const OrientedBox box{{Matrix3::Identity(), {1, 2, 3}}, {1, 1, 1}};
  EXPECT_EQ(point_distance(box, {1.5, 2, 3}), 0.0);
  EXPECT_EQ(point_distance(box, {5, 2, 3}), 3.0);
  EXPECT_NEAR(point_distance(box, {3, 4, 5}), std::sqrt(3.0), 1e-15);
}

}  // namespace
}  // namespace tactum::box_distance_test
