// SPDX-License-Identifier: BSD-2-Clause
#include "contact/patch_normal.hpp"

#include "contact/patch_fixtures.hpp"

namespace tactum::patch_normal_test {
namespace {

using namespace tactum::testing;

struct Found {
  DecidingShape decides;
  bool smooth;
};

Found find(const Stack& stack) {
  const ContactPatch value = stack.patch(stack.X_WA, stack.X_WB);
  const WitnessPair pair = make_witness_pair(stack.a, stack.X_WA, stack.b, stack.X_WB,
                                             value.distance);
  const MotionResponse response = response_of(pair.a.feature, pair.b.feature, pair.distance,
                                              pair.scale);
  PatchGeometry patch(stack.a.core(), stack.X_WA, stack.b.core(), stack.X_WB, value.distance);
  find_patch(value.distance, stack.options, patch);
  const DecidingShape decides = deciding_shape(patch, pair);
  const PatchNormal normal{patch, pair, response, decides};
  return {decides, normal.is_smooth(stack.X_WA, stack.X_WB, value.distance, {})};
}

const Shape kBox = Box{.half_extents = {0.2, 0.3, 0.25}};

TEST(PatchNormal, HalfSpacesAndLargerFacesDecide) {
  EXPECT_EQ(find(stacked(HalfSpace{}, kBox, at(0, 0, 0), kWorld)).decides, DecidingShape::a);
  EXPECT_EQ(find(stacked(kTable, kBox, tilted(0.0, 0.1, 0.2), kWorld)).decides, DecidingShape::a);
  EXPECT_EQ(find(stacked(kBox, kTable, tilted(0.0, 0.1, 0.2), kWorld)).decides, DecidingShape::b);
  EXPECT_TRUE(find(stacked(kTable, kBox, tilted(0.0, 0.1, 0.2), kWorld)).smooth);
}

TEST(PatchNormal, FacesWhoseOutlinesCrossDecideByHalf) {
  const Found found = find(stacked(kTable, kBox, tilted(0.0, 0.95, 0.0), kWorld));
  EXPECT_EQ(found.decides, DecidingShape::both);
  EXPECT_FALSE(found.smooth);
}

TEST(PatchNormal, FlatCapsAreNotSmooth) {
  EXPECT_FALSE(
      find(stacked(HalfSpace{}, Cylinder{.radius = 0.2, .half_length = 0.3}, at(0, 0, 0), kWorld))
          .smooth);
}

}  // namespace
}  // namespace tactum::patch_normal_test
