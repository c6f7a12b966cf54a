// SPDX-License-Identifier: BSD-2-Clause
#include "broad/box_tree_pairs.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "broad/broad_fixtures.hpp"

namespace tactum::box_tree_pairs_test {
namespace {

using namespace tactum::testing;

/// The walks against brute force are in dynamic_tree_test.cpp; here, that parts of the work make up
/// the whole.
TEST(PairJobs, TogetherFindEveryPairOnce) {
  Random random(1);
  for (const int count : {0, 1, 5, 60, 500, 3000}) {
    std::vector<Aabb> boxes(static_cast<std::size_t>(count));
    std::vector<BoxTree::Id> ids(boxes.size());
    std::iota(ids.begin(), ids.end(), 0);
    for (Aabb& box : boxes) box = random_box(random, 10, BoxSort::plain);
    BoxTree tree;
    tree.build(ids, boxes);
    BoxPairs whole;
    self_pairs(tree, [&](BoxId i, BoxId j) { whole.emplace_back(std::min(i, j), std::max(i, j)); });
    std::ranges::sort(whole);
    EXPECT_TRUE(std::ranges::adjacent_find(whole) == whole.end());
    std::vector<PairJob> jobs;
    for (const std::size_t wanted : {1U, 2U, 16U, 300U}) {
      pair_jobs(tree, wanted, jobs);
      if (count >= 500) {
        EXPECT_GE(jobs.size(), std::min<std::size_t>(wanted, 100));
      }
      BoxPairs parts;
      std::size_t largest = 0;
      for (const PairJob& job : jobs) {
        const std::size_t before = parts.size();
        run_pair_job(tree, job,
                     [&](BoxId i, BoxId j) { parts.emplace_back(std::min(i, j), std::max(i, j)); });
        largest = std::max(largest, parts.size() - before);
      }
      std::ranges::sort(parts);
      EXPECT_EQ(parts, whole);
      if (count == 3000 && wanted >= 16) {
        EXPECT_LT(largest, whole.size() / 3);
      }
    }
  }
}

}  // namespace
}  // namespace tactum::box_tree_pairs_test
