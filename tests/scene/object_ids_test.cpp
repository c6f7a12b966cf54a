// SPDX-License-Identifier: BSD-2-Clause
// Ids against a set that is searched in the plainest way, dense and sparse; scenes of both kinds
// against each other.
#include "scene/object_ids.hpp"

#include <gtest/gtest.h>

#include <set>

#include "scene/scene_fixtures.hpp"

namespace tactum::object_ids_test {
namespace {

using testing::Random;

TEST(ObjectIds, TheNextIsTheLowestThatIsFree) {
  Random random(11);
  for (int trial = 0; trial < 50; ++trial) {
    ObjectIds ids;
    ids.become_sparse();
    std::set<SceneId> plain;
    std::set<std::int32_t> slots;  // as the tree gives them
    const auto lowest = [](const auto& set) {
      std::int32_t id = 0;
      while (set.contains(id)) ++id;
      return id;
    };
    for (const SceneId id : {0, 2, 3, 7, 1000000, static_cast<int>(ObjectIds::kMost)}) {
      const std::int32_t slot = lowest(slots);
      slots.insert(slot), plain.insert(id), ids.claim(id, slot);
    }
    for (int step = 0; step < 400; ++step) {
      if (random.chance(0.55)) {
        const std::int32_t slot = lowest(slots);
        const SceneId expected = lowest(plain), given = ids.assign(slot);
        ASSERT_EQ(given, expected);
        slots.insert(slot), plain.insert(given);
      } else if (!plain.empty()) {
        const SceneId id = *std::next(plain.begin(), random.below(static_cast<int>(plain.size())));
        slots.erase(ids.slot(id)), plain.erase(id), ids.release(id);
      }
      for (const SceneId id : plain) {
        ASSERT_TRUE(ids.contains(id));
        ASSERT_TRUE(slots.contains(ids.slot(id)));
        ASSERT_EQ(ids.id(ids.slot(id)), id);
      }
    }
  }
}

/// A copy of a scene with ids spread out: the answers agree except for the ids.
TEST(ObjectIds, ScenesWithSpreadIdsAnswerAlike) {
  Random random(12);
  for (int trial = 0; trial < 10; ++trial) {
    Scene dense = testing::random_scene(random, 40, 1.0);
    std::vector<SceneId> spread;
    std::string text;
    for (const std::string& line : testing::lines_of(dense.to_text())) {
      const std::size_t second = line.find(' ', 7);
      if (line.starts_with("object ")) {
        spread.push_back(static_cast<SceneId>(1000003 * spread.size() + 5));
        text += "object " + std::to_string(spread.back()) + line.substr(second) + "\n";
      } else {
        text += line + "\n";
      }
    }
    Scene sparse = Scene::from_text(text);
    ASSERT_EQ(sparse.ids(), spread);
    EXPECT_EQ(sparse.to_text(), text);
    for (int step = 0; step < 3; ++step) {
      std::vector<Pose> poses;
      for (std::size_t i = 0; i < spread.size(); ++i)
        poses.push_back(testing::random_pose(random, 1.0));
      dense.set_poses(dense.ids(), poses);
      sparse.set_poses(spread, poses);
      SceneDistances a, b;
      ASSERT_TRUE(dense.distances({.margin = 0.1}, a) && sparse.distances({.margin = 0.1}, b));
      ASSERT_EQ(a.pairs.size(), b.pairs.size());
      for (std::size_t i = 0; i < a.pairs.size(); ++i) {
        EXPECT_EQ(spread[static_cast<std::size_t>(a.pairs[i].first)], b.pairs[i].first);
        EXPECT_EQ(spread[static_cast<std::size_t>(a.pairs[i].second)], b.pairs[i].second);
        EXPECT_EQ(a.distances[i].distance, b.distances[i].distance);
      }
      const SceneHit p = dense.raycast({0, 0, 5}, {0.1, 0.0, -1}),
                     q = sparse.raycast({0, 0, 5}, {0.1, 0.0, -1});
      EXPECT_EQ(p.distance, q.distance);
      EXPECT_EQ(p.id < 0 ? -1 : spread[static_cast<std::size_t>(p.id)], q.id);
    }
    // lower ids than those there are come first, in pairs as well
    const SceneObject first{.geometry = Shape(Sphere{.radius = 10.0}), .name = "new"};
    EXPECT_EQ(sparse.add(first), 0);
    EXPECT_EQ(sparse.add(first), 1);
    EXPECT_EQ(sparse.find("new"), 0);
    EXPECT_EQ(sparse.ids().front(), 0);
    const auto pairs = sparse.pairs();
    EXPECT_TRUE(std::ranges::is_sorted(pairs));
    for (const auto& [a, b] : pairs) EXPECT_LT(a, b);
    EXPECT_EQ(pairs.front(), std::pair(0, 1));
    sparse.remove(0);
    EXPECT_FALSE(sparse.contains(0));
    EXPECT_THROW(static_cast<void>(sparse.object(0)), InvalidInput);
    Scene copy = sparse;
    EXPECT_EQ(copy.add(first), 0);
    EXPECT_EQ(copy.ids().size(), sparse.size() + 1);
  }
}

}  // namespace
}  // namespace tactum::object_ids_test
