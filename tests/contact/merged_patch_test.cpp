// SPDX-License-Identifier: BSD-2-Clause
// Patches of one normal become the outline of their points.
#include "contact/merged_patch.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/random.hpp"

namespace tactum::merged_patch_test {
namespace {

using testing::Random;

PartPatch patch_of(std::int32_t part, std::span<const Vector3> points, double distance) {
  PartPatch result;
  result.part_a = part;
  for (const Vector3& point : points) {
    const auto i = static_cast<std::size_t>(result.patch.count++);
    result.patch.points_a[i] = point;
    result.patch.distances[i] = distance;
    result.patch.points_b[i] = point + distance * Vector3::UnitZ();
    result.patch.feature_ids[i] = feature_of_parts(i + 1, part, 0);
  }
  result.patch.normal = Vector3::UnitZ();
  return result;
}

PartPatch square(std::int32_t part, double x, double y, double distance) {
  const Vector3 corners[] = {{x, y, 0}, {x + 1, y, 0}, {x + 1, y + 1, 0}, {x, y + 1, 0}};
  return patch_of(part, corners, distance);
}

TEST(MergedPatch, NeighborsBecomeOnePolygon) {
  const PartPatch a = square(0, 0, 0, -0.1), b = square(1, 1, 0, -0.1);
  const PartPatch* const both[] = {&a, &b};
  const MergedPatch merged = merged_patch(both, 8);
  ASSERT_EQ(merged.patch.count, 4);
  double area = 0.0;
  std::set<std::uint64_t> ids;
  for (std::size_t i = 0; i < 4; ++i) {
    const Vector3 p = merged.patch.points_a[i], q = merged.patch.points_a[(i + 1) % 4];
    area += 0.5 * (p.x() * q.y() - p.y() * q.x());
    ids.insert(merged.patch.feature_ids[i]);
    const PartPatch* const from = both[merged.sources[i].patch];
    EXPECT_EQ(from->patch.points_a[static_cast<std::size_t>(merged.sources[i].point)], p);
    EXPECT_EQ(merged.patch.points_b[i], p - 0.1 * Vector3::UnitZ());
  }
  EXPECT_NEAR(area, 2.0, 1e-14);
  EXPECT_EQ(ids.size(), 4U);
}

TEST(MergedPatch, KeepsTheDeepestPointInside) {
  const PartPatch a = square(0, 0, 0, 0.0);
  const Vector3 middle[] = {{0.4, 0.5, 0.0}};
  const PartPatch b = patch_of(1, middle, -0.2);
  const PartPatch* const both[] = {&a, &b};
  const MergedPatch merged = merged_patch(both, 8);
  ASSERT_EQ(merged.patch.count, 5);
  EXPECT_EQ(merged.patch.distances[4], -0.2);
  const MergedPatch one = merged_patch(both, 1);
  ASSERT_EQ(one.patch.count, 1);
  EXPECT_EQ(one.patch.distances[0], -0.2);
}

TEST(MergedPatch, OfManyPointsTakesCornersOfTheOutline) {
  Random random(31);
  for (int k = 0; k < 50; ++k) {
    std::vector<PartPatch> patches;
    for (int i = 0; i < 40; ++i) {
      const Vector3 at = random.in_box(1.0);
      patches.push_back(square(i, at.x(), at.y(), 0.0));
    }
    std::vector<const PartPatch*> all;
    for (const PartPatch& patch : patches) all.push_back(&patch);
    const MergedPatch merged = merged_patch(all, 6);
    ASSERT_LE(merged.patch.count, 6);
    ASSERT_GE(merged.patch.count, 3);
    // each is farthest of all along some direction: no point lies strictly outside both of its
    // sides
    for (std::size_t i = 0; i < static_cast<std::size_t>(merged.patch.count); ++i) {
      const Vector3 p = merged.patch.points_a[i];
      bool is_extreme = false;
      for (int step = 0; step < 720 && !is_extreme; ++step) {
        const double angle = 0.5 * 3.14159265358979 / 180.0 * step;
        const Vector3 along(std::cos(angle), std::sin(angle), 0.0);
        is_extreme = true;
        for (const PartPatch& patch : patches)
          for (std::size_t c = 0; c < 4; ++c)
            is_extreme &= along.dot(patch.patch.points_a[c]) <= along.dot(p) + 0.02;
      }
      ASSERT_TRUE(is_extreme);
    }
  }
}

TEST(MergedPatch, PointsInOnePlaceAreOne) {
  const Vector3 point[] = {{0.3, 0.2, 0.1}};
  const PartPatch a = patch_of(0, point, 0.0), b = patch_of(1, point, 0.0);
  const PartPatch* const both[] = {&a, &b};
  EXPECT_EQ(merged_patch(both, 8).patch.count, 1);
}

TEST(MergedPatch, PartsAreInTheIds) {
  EXPECT_EQ(feature_of_parts(77, 0, 0), 77U);
  std::set<std::uint64_t> ids;
  for (std::int32_t a = 0; a < 100; ++a)
    for (std::int32_t b = 0; b < 100; ++b) ids.insert(feature_of_parts(77, a, b));
  EXPECT_EQ(ids.size(), 10000U);
}

}  // namespace
}  // namespace tactum::merged_patch_test
