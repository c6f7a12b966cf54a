// SPDX-License-Identifier: BSD-2-Clause
// Names of vertices, edges and faces are distinct; limits of angles say when a decision is close.
#include "contact/feature.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tactum::feature_test {
namespace {

TEST(Feature, NamesAreUnique) {
  std::set<std::uint32_t> names;
  for (std::uint32_t i = 0; i < 40; ++i) {
    EXPECT_TRUE(names.insert(vertex_name(i)).second && names.insert(face_name(i)).second);
    for (std::uint32_t j = 0; j < i; ++j) {
      EXPECT_TRUE(names.insert(edge_name(i, j)).second);
      EXPECT_EQ(edge_name(i, j), edge_name(j, i));
    }
  }
  EXPECT_NE(edge_name(40000, 1), edge_name(40000, 2));
}

TEST(Feature, LimitsOfAnglesNameCloseDecisions) {
  const AngleLimit limit(0.05);
  const auto judge = [&](double sine) {
    bool borderline = false;
    const bool holds = limit.holds(sine, borderline);
    return std::pair(holds, borderline);
  };
  EXPECT_EQ(judge(0.04), std::pair(true, false));
  EXPECT_EQ(judge(0.05), std::pair(true, true));
  EXPECT_EQ(judge(0.05 * (1.0 + 1e-7)), std::pair(false, true));
  EXPECT_EQ(judge(0.06), std::pair(false, false));
  EXPECT_TRUE(limit.clearly_holds_square(0.0024));
  EXPECT_FALSE(limit.clearly_holds_square(0.05 * 0.05));
}

}  // namespace
}  // namespace tactum::feature_test
