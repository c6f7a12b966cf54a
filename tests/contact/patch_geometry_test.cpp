// SPDX-License-Identifier: BSD-2-Clause
// The patch of a pair as those see it who collect many: the same points as contact_patch, and
// coordinates that give them back.
#include "contact/patch_geometry.hpp"

#include "contact/contact_fixtures.hpp"
#include "support/allocation_guard.hpp"

namespace tactum::patch_geometry_test {
namespace {

using namespace tactum::testing;

TEST(PatchGeometry, AppendedPointsAreThoseOfThePatch) {
  Random random(95);
  std::array<PatchContact, 3 * ContactPatch::capacity> buffer;
  for (int i = 0; i < repetitions(200); ++i) {
    const TestPair pair = random_solids(random, 0.5);
    const ContactPatchOptions options{.max_points = 1 + i % 32, .cutoff = 0.2, .max_angle = 0.3};
    const ContactPatch patch = contact_patch(pair.a, {}, pair.b, pair.X_AB, options);
    const AllocationGuard guard;
    const int count = append_patch(patch.distance, pair.a, {}, pair.b, pair.X_AB, options,
                                   std::span(buffer).subspan(5));
    EXPECT_EQ(guard.count(), 0U);
    ASSERT_EQ(count, patch.count);
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
      const PatchContact& contact = buffer[5 + k];
      EXPECT_TRUE(contact.point_a == patch.points_a[k] && contact.point_b == patch.points_b[k]);
      EXPECT_TRUE(contact.distance == patch.distances[k] &&
                  contact.feature_id == patch.feature_ids[k]);
    }
  }
}

TEST(PatchGeometry, HeightsAreDistances) {
  const Shape a = Box{.half_extents = {0.5, 0.4, 0.3}, .margin = 0.01},
              b = Cylinder{.radius = 0.2, .half_length = 0.1, .margin = 0.02};
  const Pose X = turned({1, 0, 0}, 0.01, {0.1, 0.2, 0.43});
  const Distance value = distance(a, {}, b, X);
  PatchGeometry patch(a.core(), {}, b.core(), X, value);
  find_patch(value, {}, patch);
  ASSERT_EQ(patch.count, 8);
  for (int i = 0; i < patch.count; ++i) {
    const PatchPoint& point = patch.points[static_cast<std::size_t>(i)];
    EXPECT_NEAR(point.distance, point.height_b - point.height_a - 0.03, 1e-15);
    EXPECT_NEAR(patch.point_a(point).z, 0.31, 1e-15);
  }
}

}  // namespace
}  // namespace tactum::patch_geometry_test
