// SPDX-License-Identifier: BSD-2-Clause
#include "contact/patch_response.hpp"

#include "contact/patch_fixtures.hpp"

namespace tactum::patch_response_test {
namespace {

using namespace tactum::testing;

constexpr Double3 kStill{0.0, 0.0, 0.0};

/// B moves straight, and nothing turns.
struct Translation {
  Double3 by;
  Double3 normal = kStill;
  Double3 velocity_a(Double3, PatchPlace) const { return kStill; }
  Double3 velocity_b(Double3, PatchPlace) const { return by; }
  Double3 turn_a(Double3) const { return kStill; }
  Double3 turn_b(Double3) const { return kStill; }
};

struct Found {
  Stack stack;
  ContactPatch value = stack.patch(stack.X_WA, stack.X_WB);
  PatchGeometry patch{stack.a.core(), stack.X_WA, stack.b.core(), stack.X_WB, value.distance};

  explicit Found(const Stack& given) : stack(given) {
    find_patch(value.distance, stack.options, patch);
  }
};

TEST(PatchResponse, CornersGoAlongAndDistancesGrow) {
  const Found found(
      stacked(HalfSpace{}, Box{.half_extents = {0.2, 0.3, 0.25}}, at(0, 0, 0), kWorld));
  ASSERT_EQ(found.patch.count, 4);
  const Double3 n = found.patch.plane.normal, along = found.patch.plane.x;
  int visited = 0;
  const PatchUse use = for_each_point(
      found.patch, [](std::size_t) { ADD_FAILURE() << "a corner follows its features"; },
      [&](std::size_t, const PatchResponse& point) {
        ++visited;
        EXPECT_NEAR(point.change(Translation{n}).distance, 1.0, 1e-12);
        EXPECT_NEAR(point.change(Translation{along}).distance, 0.0, 1e-12);
        EXPECT_LT((to_vector3(point.change(Translation{along}).core_a) - to_vector3(along)).norm(),
                  1e-12);
        EXPECT_FALSE(point.kinked());
      });
  EXPECT_EQ(visited, 4);
  EXPECT_FALSE(use.witness || use.kink);
}

TEST(PatchResponse, CurvedContactIsTheWitness) {
  const Found found(
      {Ellipsoid{.semi_axes = {0.3, 0.2, 0.1}}, Sphere{.radius = 0.1}, {}, at(0.3, 0.2, 0.1), {}});
  int visited = 0;
  const PatchUse use = for_each_point(
      found.patch, [&](std::size_t) { ++visited; },
      [](std::size_t, const PatchResponse&) { ADD_FAILURE() << "it has no features"; });
  EXPECT_EQ(visited, 1);
  EXPECT_TRUE(use.witness);
}

}  // namespace
}  // namespace tactum::patch_response_test
