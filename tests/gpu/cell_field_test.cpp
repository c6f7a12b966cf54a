// SPDX-License-Identifier: BSD-2-Clause
// The field between its nodes against the same formula in double, cell by cell.
#include "gpu/cell_field.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "gpu/network_layout.hpp"

namespace tactum::gpu {
namespace cell_field_tests {

constexpr int kNodes = 12;

/// Values of random nodes in half precision, and the words that hold them.
struct Field {
  explicit Field(std::mt19937& random) {
    std::uniform_real_distribution<float> uniform(-0.1F, 0.1F);
    for (int i = 0; i < kFieldWords; ++i) bits.push_back(to_half_bits(uniform(random)));
    for (int i = 0; i < kFieldWords; ++i) {
      const std::size_t at = static_cast<std::size_t>(i), above = at + (i % kNodes < kNodes - 1);
      words.push_back(static_cast<std::uint32_t>(bits[at]) | static_cast<std::uint32_t>(bits[above])
                                                                 << 16U);
    }
  }
  double node(int x, int y, int z) const {
    return static_cast<double>(
        from_half_bits(bits[static_cast<std::size_t>((x * kNodes + y) * kNodes + z)]));
  }

  std::vector<std::uint16_t> bits;
  std::vector<std::uint32_t> words;
};

/// Place in spacings from the first node, clamped, as lower node and smooth step.
struct Step {
  int lower;
  double share, beyond;
};

Step step_at(float place) {
  const double u = static_cast<double>(place) + 0.5, inside = std::clamp(u, 0.0, 11.0);
  const int lower = std::min(static_cast<int>(inside), kNodes - 2);
  const double t = inside - lower;
  return {lower, t * t * (3.0 - 2.0 * t), u - inside};
}

/// Value and distance outside, in spacings.
std::array<double, 2> expected_at(const Field& field, Vector<float> place) {
  const Step x = step_at(place.x), y = step_at(place.y), z = step_at(place.z);
  double value = 0.0;
  for (int corner = 0; corner < 8; ++corner) {
    const int i = corner >> 2, j = corner >> 1 & 1, k = corner & 1;
    value += (i == 1 ? x.share : 1.0 - x.share) * (j == 1 ? y.share : 1.0 - y.share) *
             (k == 1 ? z.share : 1.0 - z.share) * field.node(x.lower + i, y.lower + j, z.lower + k);
  }
  return {value, std::hypot(x.beyond, y.beyond, z.beyond)};
}

TEST(GpuCellField, IsTheFieldBetweenItsNodes) {
  std::mt19937 random(1);
  const Field field(random);
  std::uniform_real_distribution<float> uniform(-4.0F, 14.0F);
  for (int i = 0; i < 20000; ++i) {
    const Vector<float> place{uniform(random), uniform(random), uniform(random)};
    const FieldPlace at = field_place(place);
    const std::array<double, 2> expected = expected_at(field, place);
    EXPECT_NEAR(static_cast<double>(field_value(field.words.data(), at)), expected[0], 1e-6);
    EXPECT_NEAR(static_cast<double>(at.outside), expected[1], 3e-6);
  }
}

TEST(GpuCellField, PlacesThatAreNoneStayInside) {
  for (const float bad : {std::nanf(""), 1e30F, -1e30F, HUGE_VALF}) {
    const FieldPlace at = field_place({bad, 5.0F, bad});
    // the last word that a value reads is one step further in x and y
    EXPECT_LT(at.word + 156U, static_cast<std::uint32_t>(kFieldWords));
  }
}

TEST(GpuCellField, CellsCountByLogisticFunctions) {
  for (float share = -3.0F; share < 6.0F; share += 0.125F) {
    const CellWeights weights = cell_weights(share);
    const double x = static_cast<double>(share);
    EXPECT_NEAR(static_cast<double>(weights.wide), 1.0 / (1.0 + std::exp((x - 1.2) / 0.25)), 1e-6);
    EXPECT_NEAR(static_cast<double>(weights.near), 1.0 / (1.0 + std::exp((x - 0.4) / 0.2)), 1e-6);
  }
  EXPECT_EQ(cell_weights(1e6F).wide, 0.0F);
}

}  // namespace cell_field_tests
}  // namespace tactum::gpu
