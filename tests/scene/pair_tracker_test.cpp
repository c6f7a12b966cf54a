// SPDX-License-Identifier: BSD-2-Clause
// The tracker against a map that is written in the plainest way.
#include "scene/pair_tracker.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/random.hpp"

namespace tactum::pair_tracker_test {
namespace {

TEST(PairTracker, KeepsWhatStaysAndForgetsTheRest) {
  testing::Random random(21);
  PairTracker tracker;
  std::vector<std::uint64_t> serials(12);
  std::map<std::pair<SceneId, SceneId>, std::int32_t> plain;  // what was last written for a pair
  std::int32_t written = 0;
  for (int step = 0; step < 500; ++step) {
    if (random.chance(0.2)) {  // an object is replaced
      const SceneId id = random.below(12);
      serials[static_cast<std::size_t>(id)] = static_cast<std::uint64_t>(step) + 100;
      std::erase_if(plain, [&](const auto& entry) {
        return entry.first.first == id || entry.first.second == id;
      });
    }
    std::set<std::pair<SceneId, SceneId>> close;
    const int count = random.below(30);
    for (int i = 0; i < count; ++i) {
      const SceneId a = random.below(11), b = a + 1 + random.below(11 - a);
      close.emplace(a, b);
    }
    const std::vector<std::pair<SceneId, SceneId>> pairs(close.begin(), close.end());
    tracker.follow(pairs, ObjectIds(), serials);
    ASSERT_EQ(tracker.size(), pairs.size());
    std::map<std::pair<SceneId, SceneId>, std::int32_t> next;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto known = plain.find(pairs[i]);
      EXPECT_EQ(tracker[i].part_a, known == plain.end() ? 0 : known->second);
      tracker[i].part_a = next[pairs[i]] = ++written;
    }
    plain = next;
  }
}

}  // namespace
}  // namespace tactum::pair_tracker_test
