// SPDX-License-Identifier: BSD-2-Clause
#include "broad/box_tree.hpp"

#include <gtest/gtest.h>

#include "broad/broad_fixtures.hpp"
#include "support/repetitions.hpp"

namespace tactum::box_tree_test {
namespace {

using namespace tactum::testing;

TEST(FloatBox, ContainsTheBoxItWasMadeOf) {
  Random random(1);
  for (int k = 0; k < repetitions(20000); ++k) {
    Aabb box;
    for (int i = 0; i < 3; ++i) {
      const double a = random.sign() * random.log_uniform(1e-60, 3.3e38),
                   b = random.sign() * random.log_uniform(1e-60, 3.3e38);
      box.lower[i] = std::min(a, b);
      box.upper[i] = k % 3 == 0 ? box.lower[i] : std::max(a, b);
    }
    ASSERT_TRUE(is_ordinary(box));
    const FloatBox rounded = float_box(box), large = enlarged_box(box);
    for (int i = 0; i < 3; ++i) {
      ASSERT_LE(static_cast<double>(rounded.lower[i]), box.lower[i]);
      ASSERT_GE(static_cast<double>(rounded.upper[i]), box.upper[i]);
      // no more than two units out
      ASSERT_GE(static_cast<double>(rounded.lower[i]),
                box.lower[i] - 0x1p-22 * std::abs(box.lower[i]) - 2e-38);
    }
    ASSERT_TRUE(encloses(large, rounded));
  }
}

TEST(FloatBox, OrdinaryBoxesAreInOrderAndInRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Aabb unit{Vector3::Zero(), Vector3::Ones()};
  EXPECT_TRUE(is_ordinary(unit));
  EXPECT_TRUE(is_ordinary({Vector3::Ones(), Vector3::Ones()}));
  for (int i = 0; i < 3; ++i) {
    for (const double bad : {nan, -nan, kInfinite, 3.5e38, -1.0}) {
      Aabb box = unit;
      box.upper[i] = bad;
      EXPECT_FALSE(is_ordinary(box)) << bad;
      box = unit;
      box.lower[i] = -bad;
      EXPECT_EQ(is_ordinary(box), bad == -1.0) << bad;  // lower = upper = 1 touches
    }
  }
}

/// Half the boxes put in one by one, moved, taken out, in random order; after each the invariants
/// hold.
TEST(BoxTree, InvariantsHoldAfterAnySequence) {
  for (int seed = 0; seed < repetitions(100); ++seed) {
    Random random(static_cast<std::uint64_t>(seed), 9);
    BoxTree tree;
    std::vector<Aabb> boxes(150);
    for (int k = 0; k < 400; ++k) {
      const BoxTree::Id id = random.below(150);
      Aabb& box = boxes[static_cast<std::size_t>(id)];
      if (!tree.contains(id)) {
        box = random_box(random, 10, static_cast<BoxSort>(random.below(6)));
        tree.insert(id, float_box(box));
      } else if (random.chance(0.3)) {
        tree.remove(id);
      } else {
        const Vector3 move = random.log_uniform(1e-3, 10) * random.direction();
        box = {box.lower + move, box.upper + move};
        tree.update(id, float_box(box), enlarged_box(box));
      }
      ASSERT_EQ(tree.check(boxes), "") << "seed " << seed << ", operation " << k;
    }
  }
}

TEST(BoxTree, SmallMotionsLeaveTheTreeAsItIs) {
  Random random(2);
  BoxTree tree;
  std::vector<Aabb> boxes(100);
  for (int i = 0; i < 100; ++i) {
    boxes[static_cast<std::size_t>(i)] = {Vector3(i, 0, 0), Vector3(i + 1, 1, 1)};
    tree.insert(i, enlarged_box(boxes[static_cast<std::size_t>(i)]));
  }
  const WideNode before = tree.node(tree.root());
  for (int i = 0; i < 100; ++i) {
    const Vector3 move = 0.09 * random.direction();
    Aabb& box = boxes[static_cast<std::size_t>(i)];
    box = {box.lower + move, box.upper + move};
    tree.update(i, float_box(box), enlarged_box(box));
  }
  EXPECT_EQ(tree.check(boxes), "");
  for (int lane = 0; lane < before.count; ++lane) {
    EXPECT_EQ(before.lower[0][lane], tree.node(tree.root()).lower[0][lane]);
    EXPECT_EQ(before.child[lane], tree.node(tree.root()).child[lane]);
  }
}

/// Surfaces of the nodes below the root, added up.
double node_area(const BoxTree& tree, const WideNode& node) {
  double area = 0.0;
  for (int lane = 0; node.level > 0 && lane < node.count; ++lane)
    area += half_area(node.box(lane)) + node_area(tree, tree.node(node.child[lane]));
  return area;
}

/// Boxes that wander one by one: refitted, rotated and put back, the tree stays nearly as tight as
/// one that is made afresh.
TEST(BoxTree, StaysTightWhileBoxesWander) {
  Random random(6);
  std::vector<Aabb> boxes(600);
  BoxTree tree, fresh;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    boxes[i] = random_box(random, 12, BoxSort::plain);
    tree.insert(static_cast<BoxTree::Id>(i), enlarged_box(boxes[i]));
  }
  for (int step = 0; step < 60; ++step) {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const Vector3 move = 0.1 * random.direction();
      boxes[i] = {boxes[i].lower + move, boxes[i].upper + move};
      tree.update(static_cast<BoxTree::Id>(i), float_box(boxes[i]), enlarged_box(boxes[i]));
    }
  }
  ASSERT_EQ(tree.check(boxes), "");
  for (std::size_t i = 0; i < boxes.size(); ++i)
    fresh.insert(static_cast<BoxTree::Id>(i), enlarged_box(boxes[i]));
  const double loose = node_area(tree, tree.node(tree.root())) /
                       node_area(fresh, fresh.node(fresh.root()));
  RecordProperty("loose", std::to_string(loose));
  EXPECT_LT(loose, 1.25);
}

TEST(BoxTree, TheCheckSeesABoxThatHasLeft) {
  BoxTree tree;
  std::vector<Aabb> boxes(20, Aabb{Vector3::Zero(), Vector3::Ones()});
  for (int i = 0; i < 20; ++i) tree.insert(i, float_box(boxes[static_cast<std::size_t>(i)]));
  EXPECT_EQ(tree.check(boxes), "");
  boxes[11].upper[1] = 1.1;
  EXPECT_NE(tree.check(boxes), "");
}

}  // namespace
}  // namespace tactum::box_tree_test
