// SPDX-License-Identifier: BSD-2-Clause
// Patches of pairs of parts: those of the parts alone, less what is no outer normal.
#include "contact/part_patches.hpp"

#include <gtest/gtest.h>

#include "contact/merged_patch.hpp"
#include "geometry/geometry_fixtures.hpp"
#include "mesh/mesh_fixtures.hpp"

namespace tactum::part_patches_test {
namespace {

using testing::Random;

TEST(PartPatches, AreThoseOfTheParts) {
  Random random(41);
  int found = 0;
  for (int i = 0; i < 100; ++i) {
    const Compound compound = testing::random_compound(random, 4);
    const Geometry a(testing::bounded_shape(random)), b(compound);
    const Pose X = testing::pose_near(random, 1.0);
    const PlacedGeometryPair pair(a, {}, b, X);
    const ContactPatchOptions options{.cutoff = 0.3};
    std::vector<PartPatch> patches;
    find_part_patches(pair, options, patches);
    for (std::int32_t part = 0; part < 4; ++part) {
      const CompoundPart& of_b = compound.parts()[static_cast<std::size_t>(part)];
      const ContactPatch expected = contact_patch(*a.shape(), {}, of_b.shape, X * of_b.X_CP,
                                                  options);
      const auto at = std::ranges::find(patches, part, &PartPatch::part_b);
      ASSERT_EQ(at != patches.end(), expected.count > 0);
      if (expected.count == 0) continue;
      ++found;
      ASSERT_EQ(at->patch.count, expected.count);
      ASSERT_NEAR(at->patch.distance.distance, expected.distance.distance, 1e-12);
      ASSERT_EQ(at->patch.feature_ids[0], feature_of_parts(expected.feature_ids[0], 0, part));
    }
  }
  EXPECT_GT(found, 100);
}

TEST(PartPatches, OfAFloorAreThoseUnderTheBox) {
  // 10 by 10 squares of 1 m, cut in two
  Points vertices(3, 121);
  Triangles triangles(3, 200);
  for (int i = 0; i < 121; ++i) vertices.col(i) = Vector3(i % 11 - 5, i / 11 - 5, 0.0);
  for (int cell = 0; cell < 100; ++cell) {
    const int at = cell % 10 + 11 * (cell / 10);
    triangles.col(2 * cell) << at, at + 1, at + 12;
    triangles.col(2 * cell + 1) << at, at + 12, at + 11;
  }
  const Geometry floor(Mesh(vertices, triangles)), box(Shape(Box{.half_extents = {1.3, 0.7, 0.5}}));
  for (const double height : {0.501, 0.5, 0.499, 0.45}) {
    const PlacedGeometryPair pair(floor, {}, box, {.translation = {0.21, 0.13, height}});
    std::vector<PartPatch> patches;
    find_part_patches(pair, {.cutoff = 0.3}, patches);
    ASSERT_GT(patches.size(), 4U);
    for (const PartPatch& patch : patches) {
      ASSERT_LE((patch.patch.normal - Vector3::UnitZ()).norm(), 1e-9) << height;
      ASSERT_NEAR(patch.patch.distance.distance, height - 0.5, 1e-12);
    }
  }
}

}  // namespace
}  // namespace tactum::part_patches_test
