// SPDX-License-Identifier: BSD-2-Clause
// The tree against all pairs of parts: nothing near is left out, nothing left out is nearer than it
// says.
#include "geometry/part_tree.hpp"

#include <gtest/gtest.h>

#include <set>

#include "scene/scene_fixtures.hpp"

namespace tactum::part_tree_test {
namespace {

using testing::Random;

std::vector<Aabb> random_boxes(Random& random, int count) {
  std::vector<Aabb> boxes;
  for (int i = 0; i < count; ++i) {
    const Vector3 center = random.in_box(1.0), half = random.in_box(0.3).cwiseAbs();
    boxes.push_back({center - half, center + half});
  }
  return boxes;
}

PartBoxes boxes_of(const PartTree& tree) { return {tree.nodes(), tree.parts()}; }

TEST(PartTree, BoxesHoldTheParts) {
  Random random(1);
  for (const int count : {1, 2, 3, 7, 64, 1000}) {
    const std::vector<Aabb> boxes = random_boxes(random, count);
    const PartTree tree(boxes);
    ASSERT_EQ(tree.nodes().size(), static_cast<std::size_t>(2 * count - 1));
    for (const PartTree::Node& node : tree.nodes()) {
      EXPECT_EQ(node.second < 0, node.end - node.begin == 1);
      for (std::int32_t k = node.begin; k < node.end; ++k) {
        const Aabb& box =
            boxes[static_cast<std::size_t>(tree.order()[static_cast<std::size_t>(k)])];
        EXPECT_TRUE(
            ((node.volume.center + node.volume.half).array() >= box.upper.array() - 1e-15).all());
        EXPECT_TRUE(
            ((node.volume.center - node.volume.half).array() <= box.lower.array() + 1e-15).all());
      }
    }
  }
}

TEST(PartTree, BoundsAreBelowTheDistanceOfTheBoxes) {
  Random random(2);
  for (int i = 0; i < 500; ++i) {
    const std::vector<Aabb> boxes = random_boxes(random, 2);
    const Pose X_AB = testing::random_pose(random, 1.5);
    const auto box_at = [](const Aabb& box) {
      return Shape(Box{.half_extents = (0.5 * (box.upper - box.lower)).cwiseMax(1e-6)});
    };
    const auto middle = [](const Aabb& box) {
      return Pose{.translation = 0.5 * (box.upper + box.lower)};
    };
    const double truth = distance(box_at(boxes[0]), middle(boxes[0]), box_at(boxes[1]),
                                  X_AB * middle(boxes[1]))
                             .distance;
    EXPECT_LE(BoxBound(X_AB)(part_box(boxes[0]), part_box(boxes[1])), truth + 1e-5);
    const HalfSpace plane{.normal = random.direction(), .offset = random.uniform(-1, 1)};
    const double height =
        distance(Shape(plane), {}, box_at(boxes[1]), X_AB * middle(boxes[1])).distance;
    EXPECT_NEAR(PlaneBound(plane.normal, plane.offset, X_AB)(part_box(boxes[1])), height, 1e-5);
  }
}

TEST(PartTree, VisitsAllNearPairsAndBoundsTheRest) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const std::vector<Aabb> boxes_a = random_boxes(random, 1 + random.below(20)),
                            boxes_b = random_boxes(random, 1 + random.below(20));
    const PartTree a(boxes_a), b(boxes_b);
    const BoxBound bound(testing::random_pose(random, 2.0));
    const double largest = random.uniform(-0.3, 1.0);
    std::set<std::pair<std::int32_t, std::int32_t>> visited;
    const double left_out = visit_near_parts(boxes_of(a), boxes_of(b), bound, largest,
                                             [&](std::int32_t p, std::int32_t q) {
                                               EXPECT_TRUE(visited.emplace(p, q).second);
                                               return largest;
                                             });
    EXPECT_GT(left_out, largest);
    for (std::int32_t p = 0; p < static_cast<std::int32_t>(boxes_a.size()); ++p) {
      for (std::int32_t q = 0; q < static_cast<std::int32_t>(boxes_b.size()); ++q) {
        const double own = bound(part_box(boxes_a[static_cast<std::size_t>(p)]),
                                 part_box(boxes_b[static_cast<std::size_t>(q)]));
        if (visited.contains({p, q})) {
          EXPECT_LE(own, largest);
        } else {
          EXPECT_GE(own, left_out - 1e-14);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tactum::part_tree_test
