// SPDX-License-Identifier: BSD-2-Clause
// Bounds of parts: never above the distance of the parts, and numbers of pairs without a gap.
#include "gpu/object_parts.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "gpu/packed_objects.hpp"
#include "support/random.hpp"
#include "support/repetitions.hpp"

namespace tactum::gpu {
namespace object_parts_tests {

TEST(GpuObjectParts, LowerBoundsAreBelowTheDistance) {
  testing::Random random(12);
  int negative = 0, positive = 0;
  for (int i = 0; i < testing::repetitions(2000); ++i) {
    const auto size = [&] { return random.uniform(0.05, 0.5); };
    const auto part = [&]() -> CompoundPart {
      const Pose X{random.rotation(), random.in_box(0.5)};
      if (i % 2 == 0) return {Box{.half_extents = {size(), size(), size()}}, X};
      return {Capsule{.radius = size(), .half_length = size()}, X};
    };
    const std::vector<Geometry> objects = {Compound({part()}), Compound({part()})};
    const PackedObjects packed = pack_objects(objects);
    const Pose X_WA{random.rotation(), random.in_box(10.0)};
    const Pose X_WB{random.rotation(), X_WA.translation + random.in_box(1.5)};
    const Vector7 a = pose_xyz_xyzw(X_WA), b = pose_xyz_xyzw(X_WB);
    const ObjectFrames frames = object_frames(
        relative_pose(read_pose(a.data()), read_pose(b.data())), packed.objects[0],
        packed.objects[1]);
    const float bound = lower_bound(placed_part_of_a(frames, packed.bounds[0]),
                                    placed_part_of_b(frames, packed.bounds[1]));
    const GeometryDistance exact = distance(objects[0], X_WA, objects[1], X_WB);
    EXPECT_LE(static_cast<double>(bound - frames.slack), exact.upper) << i;
    negative += bound < 0 ? 1 : 0;
    positive += bound > 0 ? 1 : 0;
  }
  EXPECT_GT(negative, testing::repetitions(200));
  EXPECT_GT(positive, testing::repetitions(200));
}

TEST(GpuObjectParts, PairsAreNumberedWithoutAGap) {
  for (int rows = 1; rows <= kMostParts; ++rows) {
    for (int columns = 1; columns <= kMostParts; ++columns) {
      for (int at = 0; at < rows * columns; ++at) {
        const NearPair pair = near_pair(at, {rows, columns});
        ASSERT_EQ(pair.a, at / columns);
        ASSERT_EQ(pair.b, at % columns);
      }
    }
  }
}

TEST(GpuObjectParts, FarObjectsAreNotExcluded) {
  const ObjectRecord object{{{0, 0, 0}, 1, {1, 1, 1}, 0}, 0, 1, 1.0};
  const ObjectFrames frames = object_frames({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1e20, 0, 0}}, object,
                                            object);
  EXPECT_TRUE(lower_bound(placed_part_of_a(frames, object.whole),
                          placed_part_of_b(frames, object.whole)) <= frames.slack);
}

}  // namespace object_parts_tests
}  // namespace tactum::gpu
