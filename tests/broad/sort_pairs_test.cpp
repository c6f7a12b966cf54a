// SPDX-License-Identifier: BSD-2-Clause
#include "broad/sort_pairs.hpp"

#include <gtest/gtest.h>

#include "broad/broad_fixtures.hpp"

namespace tactum::sort_pairs_test {
namespace {

using namespace tactum::testing;

TEST(SortPairs, IsThatOfASort) {
  Random random(1);
  for (const int size : {0, 1, 2, 32, 33, 1000, 20000}) {
    for (const int num_ids : {1, 2, 50, 4096, 4097, 100000, 2000000000}) {
      BoxPairs pairs;
      for (int i = 0; i < size; ++i)
        pairs.emplace_back(random.below(num_ids), random.below(num_ids));
      BoxPairs expected = pairs;
      std::ranges::sort(expected);
      sort_pairs(pairs, num_ids);
      ASSERT_EQ(pairs, expected);
    }
  }
}

}  // namespace
}  // namespace tactum::sort_pairs_test
