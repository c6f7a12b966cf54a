// SPDX-License-Identifier: BSD-2-Clause
#include "sim/model/tree_branches.hpp"

#include <gtest/gtest.h>

namespace {

using tactum::sim::Branch;
using tactum::sim::branches_of;

void expect_branches(const std::vector<int>& parents, const std::vector<Branch>& expected) {
  const std::vector<Branch> found = branches_of(parents);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].begin, expected[i].begin) << i;
    EXPECT_EQ(found[i].size, expected[i].size) << i;
  }
}

TEST(TreeBranches, AChainIsOneBranch) {
  expect_branches({}, {});
  expect_branches({-1, 0, 1, 2}, {{0, 4}});
}

TEST(TreeBranches, ForksAndRootsBegin) {
  // a trunk of two that carries arms of two and one, of which the first forks once more
  expect_branches({-1, 0, 1, 2, 3, 3, 1}, {{0, 2}, {2, 2}, {4, 1}, {5, 1}, {6, 1}});
  expect_branches({-1, 0, -1, 2}, {{0, 2}, {2, 2}});  // two fingers on the world
}

}  // namespace
