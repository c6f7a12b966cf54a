// SPDX-License-Identifier: BSD-2-Clause
// Trees of every type of volume over the same balls give what trying all gives.
#include "broad/volume_tree.hpp"

#include <gtest/gtest.h>

#include "broad/broad_fixtures.hpp"
#include "tactum/bounding_volume.hpp"

namespace tactum::volume_tree_test {
namespace {

using namespace tactum::testing;

struct Balls {
  Points centers;
  std::vector<double> radii;
  std::vector<Aabb> boxes;

  Balls(Random& random, int count) : centers(3, count) {
    for (Eigen::Index i = 0; i < count; ++i) {
      centers.col(i) = random.in_box(5);
      radii.push_back(random.uniform(0, 0.3));
      const Vector3 half = Vector3::Constant(radii.back());
      boxes.push_back({centers.col(i) - half, centers.col(i) + half});
    }
  }
  /// The corners of the boxes of some.
  Points corners(std::span<const std::int32_t> items) const {
    Points points(3, 8 * static_cast<Eigen::Index>(items.size()));
    Eigen::Index column = 0;
    for (const std::int32_t item : items) {
      for (int i = 0; i < 8; ++i, ++column) {
        const double r = radii[static_cast<std::size_t>(item)];
        points.col(column) = centers.col(item) + r * Vector3((i & 1) != 0 ? 1 : -1,
                                                             (i & 2) != 0 ? 1 : -1,
                                                             (i & 4) != 0 ? 1 : -1);
      }
    }
    return points;
  }
  double distance_from(std::int32_t item, const Vector3& p) const {
    return std::max((p - centers.col(item)).norm() - radii[static_cast<std::size_t>(item)], 0.0);
  }
};

template <class Volume>
void check_tree(const Balls& balls, const Balls& others, Volume (*fit)(const Points&)) {
  const VolumeTree<Volume> tree(balls.boxes, [&](auto items) { return fit(balls.corners(items)); });
  const VolumeTree<Volume> second(
      others.boxes, [&](auto items) { return fit(others.corners(items)); }, 1);
  const auto count = static_cast<std::int32_t>(balls.boxes.size());

  std::vector<std::int32_t> sorted(tree.order().begin(), tree.order().end());
  std::ranges::sort(sorted);
  for (std::int32_t i = 0; i < count; ++i) ASSERT_EQ(sorted[static_cast<std::size_t>(i)], i);

  BoxPairs expected, found;
  for (std::int32_t i = 0; i < count; ++i) {
    for (std::int32_t j = 0; j < static_cast<std::int32_t>(others.boxes.size()); ++j) {
      if (meet(balls.boxes[static_cast<std::size_t>(i)], others.boxes[static_cast<std::size_t>(j)]))
        expected.emplace_back(i, j);
    }
  }
  int tried = 0;
  tree.pairs(
      second, [](const Volume& a, const Volume& b) { return overlaps(a, b); },
      [&](std::int32_t i, std::int32_t j) {
        ++tried;
        if (meet(balls.boxes[static_cast<std::size_t>(i)],
                 others.boxes[static_cast<std::size_t>(j)]))
          found.emplace_back(i, j);
      });
  std::ranges::sort(found);
  EXPECT_EQ(found, expected);
  EXPECT_LT(tried, count * static_cast<int>(others.boxes.size()) / 4);

  Random random(11);
  for (int k = 0; k < 20; ++k) {
    const Vector3 p = random.in_box(8);
    const SweptBox point{{Matrix3::Identity(), p}, Vector3::Zero(), 0.0};
    double least = kInfinite;
    for (std::int32_t i = 0; i < count; ++i) least = std::min(least, balls.distance_from(i, p));
    int visited = 0;
    const double by_tree = tree.least(
        kInfinite,
        [&](const Volume& volume) {
          return distance(as_swept_box(volume), point) * (1 - 1e-12) - 1e-12;
        },
        [&](std::int32_t item, double best) {
          ++visited;
          return std::min(best, balls.distance_from(item, p));
        });
    EXPECT_EQ(by_tree, least);
    EXPECT_LT(visited, count / 2);
    std::vector<std::int32_t> near, all;
    const SweptBox around{{Matrix3::Identity(), p}, Vector3::Ones(), 0.5};
    tree.query([&](const Volume& volume) { return overlaps(as_swept_box(volume), around); },
               [&](std::int32_t item) { near.push_back(item); });
    std::ranges::sort(near);
    for (std::int32_t i = 0; i < count; ++i) {
      if (overlaps(as_swept_box(BoundingSphere{balls.centers.col(i),
                                               balls.radii[static_cast<std::size_t>(i)]}),
                   around))
        all.push_back(i);
    }
    EXPECT_TRUE(std::ranges::includes(near, all));
  }
}

TEST(VolumeTree, EveryTypeOfVolumeFindsWhatTryingAllFinds) {
  Random random(1);
  const Balls balls(random, 300), others(random, 150);
  check_tree<Aabb>(balls, others, &bounding_box);
  check_tree<BoundingSphere>(balls, others, &bounding_sphere);
  check_tree<OrientedBox>(balls, others, &oriented_box);
  check_tree<SweptBox>(balls, others, &swept_box);
}

TEST(VolumeTree, OneItemAndNone) {
  Random random(2);
  const Balls one(random, 1);
  int visited = 0;
  const VolumeTree<Aabb> tree(one.boxes,
                              [&](auto items) { return bounding_box(one.corners(items)); });
  tree.query([](const Aabb&) { return true; }, [&](std::int32_t) { ++visited; });
  EXPECT_EQ(visited, 1);
  const VolumeTree<Aabb> none;
  none.query([](const Aabb&) { return true; }, [&](std::int32_t) { ++visited; });
  EXPECT_EQ(visited, 1);
  EXPECT_EQ(none.least(
                7.0, [](const Aabb&) { return 0.0; }, [](std::int32_t, double) { return 0.0; }),
            7.0);
}

/// Items in one place cannot be told apart; the tree still has a logarithmic depth.
TEST(VolumeTree, CoincidentItemsMakeABalancedTree) {
  const std::vector<Aabb> boxes(1000, Aabb{Vector3::Zero(), Vector3::Ones()});
  const VolumeTree<Aabb> tree(boxes, [&](auto) { return boxes[0]; }, 1);
  EXPECT_EQ(tree.nodes().size(), 1999U);
}

}  // namespace
}  // namespace tactum::volume_tree_test
