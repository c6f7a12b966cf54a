// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>

#include <numeric>

#include "broad/box_tree.hpp"
#include "broad/broad_fixtures.hpp"

namespace tactum::box_tree_build_test {
namespace {

using namespace tactum::testing;

std::vector<BoxTree::Id> all_ids(std::size_t count) {
  std::vector<BoxTree::Id> ids(count);
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

/// Surfaces of all nodes below the root, added up.
double node_area(const BoxTree& tree, const WideNode& node) {
  double area = 0.0;
  for (int lane = 0; node.level > 0 && lane < node.count; ++lane)
    area += half_area(node.box(lane)) + node_area(tree, tree.node(node.child[lane]));
  return area;
}

TEST(BoxTreeBuild, InvariantsHoldForAllSizesAndSorts) {
  Random random(1);
  for (const BoxSort sort : {BoxSort::plain, BoxSort::point, BoxSort::lattice, BoxSort::coincident,
                             BoxSort::far_out, BoxSort::thin}) {
    for (const int count : {0, 1, 2, 7, 8, 9, 63, 64, 65, 200, 513, 3000}) {
      std::vector<Aabb> boxes(static_cast<std::size_t>(count));
      for (Aabb& box : boxes) box = random_box(random, 10, sort);
      BoxTree tree;
      tree.build(all_ids(boxes.size()), boxes);
      ASSERT_EQ(tree.check(boxes), "") << count;
      ASSERT_EQ(tree.size(), boxes.size());
      int least = 0;
      for (std::size_t room = 1; room < boxes.size(); room *= 8) ++least;
      ASSERT_LE(tree.height(), std::max(least, 1));
    }
  }
}

/// Exponentially smaller boxes make cuts that take off one box at a time.
TEST(BoxTreeBuild, HoldsForSizesOfEveryScale) {
  std::vector<Aabb> boxes;
  for (int i = 0; i < 240; ++i) {
    const double edge = std::ldexp(1.0, i - 120);
    boxes.push_back({Vector3::Constant(edge), Vector3::Constant(1.5 * edge)});
  }
  BoxTree tree;
  tree.build(all_ids(boxes.size()), boxes);
  EXPECT_EQ(tree.check(boxes), "");
  EXPECT_EQ(tree.height(), 3);
}

TEST(BoxTreeBuild, IsTighterThanInsertionOneByOne) {
  Random random(2);
  std::vector<Aabb> boxes(2000);
  for (Aabb& box : boxes) box = random_box(random, 20, BoxSort::plain);
  BoxTree built, inserted;
  built.build(all_ids(boxes.size()), boxes);
  for (std::size_t i = 0; i < boxes.size(); ++i)
    inserted.insert(static_cast<BoxTree::Id>(i), float_box(boxes[i]));
  EXPECT_EQ(inserted.check(boxes), "");
  EXPECT_LT(node_area(built, built.node(built.root())),
            0.95 * node_area(inserted, inserted.node(inserted.root())));
}

TEST(BoxTreeBuild, RefitFollowsTheBoxesAndBuildsAnewWhenLoose) {
  Random random(3);
  std::vector<Aabb> boxes(1000);
  for (Aabb& box : boxes) box = random_box(random, 12, BoxSort::plain);
  BoxTree tree, fresh;
  tree.build(all_ids(boxes.size()), boxes);
  for (int step = 0; step < 20; ++step) {
    for (Aabb& box : boxes) {
      const Vector3 move = (step < 10 ? 0.05 : 3.0) * random.direction();
      box = {box.lower + move, box.upper + move};
    }
    tree.refit(boxes);
    ASSERT_EQ(tree.check(boxes), "");
    fresh.build(all_ids(boxes.size()), boxes);
    const double loose = node_area(tree, tree.node(tree.root())) /
                         node_area(fresh, fresh.node(fresh.root()));
    EXPECT_LT(loose, 1.9) << step;
  }
}

TEST(BoxTreeBuild, TheSameBoxesMakeTheSameTree) {
  Random random(4);
  std::vector<Aabb> boxes(700);
  for (Aabb& box : boxes) box = random_box(random, 12, BoxSort::plain);
  BoxTree a, b;
  a.build(all_ids(boxes.size()), boxes);
  b.insert(5, float_box(boxes[5]));
  b.build(all_ids(boxes.size()), boxes);
  for (int i = 0; i < 90; ++i) {
    const WideNode &first = a.node(i), &second = b.node(i);
    ASSERT_EQ(first.count, second.count);
    for (int lane = 0; lane < first.count; ++lane) ASSERT_EQ(first.child[lane], second.child[lane]);
  }
}

}  // namespace
}  // namespace tactum::box_tree_build_test
