// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "broad/broad_fixtures.hpp"
#include "broad/ray_box.hpp"
#include "support/allocation_guard.hpp"
#include "support/repetitions.hpp"

namespace tactum::dynamic_tree_test {
namespace {

using namespace tactum::testing;

TEST(DynamicTree, EqualsBruteForceAfterAnySequence) {
  for (int seed = 0; seed < repetitions(1000); ++seed) {
    run_sequence<DynamicTree>(static_cast<std::uint64_t>(seed), 25, 6.0,
                              [](const DynamicTree& tree, const BoxModel& model) {
                                for (const auto& [id, box] : model.boxes)
                                  ASSERT_TRUE(tree.contains(id) && tree.box(id).lower == box.lower);
                              });
    if (HasFatalFailure()) return;
  }
}

TEST(DynamicTree, EqualsBruteForceOnManyBoxesThatMove) {
  Random random(3);
  const int count = repetitions(2000);
  DynamicTree tree;
  BoxModel model;
  std::vector<Aabb> boxes(static_cast<std::size_t>(count));
  std::vector<BoxId> ids(boxes.size());
  for (Aabb& box : boxes) box = random_box(random, std::cbrt(count), BoxSort::plain);
  tree.insert(boxes, ids);
  BoxPairs found;
  for (int step = 0; step < 6; ++step) {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const Vector3 move = (step < 3 ? 0.1 : 5.0) * random.direction();
      boxes[i] = {boxes[i].lower + move, boxes[i].upper + move};
      model.boxes[ids[i]] = boxes[i];
    }
    tree.update(ids, boxes);
    tree.pairs(found);
    EXPECT_EQ(found, model.pairs());
    EXPECT_FALSE(found.empty());
  }
}

TEST(DynamicTree, TreeAgainstTreeEqualsBruteForce) {
  for (int seed = 0; seed < repetitions(100); ++seed) {
    Random random(static_cast<std::uint64_t>(seed), 5);
    DynamicTree a, b;
    BoxPairs expected, found;
    for (int i = random.below(80); i > 0; --i) a.insert(random_box(random, 5));
    for (int i = random.below(10); i > 0; --i) b.insert(random_box(random, 5));
    for (BoxId i = 0; i < static_cast<BoxId>(a.size()); ++i) {
      for (BoxId j = 0; j < static_cast<BoxId>(b.size()); ++j) {
        if (meet(a.box(i), b.box(j))) expected.emplace_back(i, j);
      }
    }
    a.pairs_with(b, found);
    ASSERT_EQ(found, expected);
    b.pairs_with(a, found);
    for (auto& [i, j] : expected) std::swap(i, j);
    std::ranges::sort(expected);
    ASSERT_EQ(found, expected);
  }
}

/// Where a ray is inside a closed box, in extended precision: slabs by definition. Below zero when
/// it misses.
long double extended_entry(const Vector3& origin, const Vector3& direction, const Aabb& box,
                           long double widen) {
  long double near = 0, far = std::numeric_limits<long double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const long double o = origin[i], d = direction[i], lower = box.lower[i] - widen,
                      upper = box.upper[i] + widen;
    if (d == 0) {
      if (o < lower || o > upper) return -1;
      continue;
    }
    near = std::max(near, std::min((lower - o) / d, (upper - o) / d));
    far = std::min(far, std::max((lower - o) / d, (upper - o) / d));
  }
  return near <= far ? near : -1;
}

TEST(DynamicTree, RaysFindWhatTryingEveryBoxFinds) {
  int hits = 0;
  for (int seed = 0; seed < repetitions(200); ++seed) {
    Random random(static_cast<std::uint64_t>(seed), 6);
    DynamicTree tree;
    for (int i = random.below(200); i > 0; --i) tree.insert(random_box(random, 6));
    Vector3 direction = random.direction();
    if (random.chance(0.3)) direction[random.below(3)] = 0.0;
    if (random.chance(0.2)) direction = Vector3::Unit(random.below(3));
    direction.normalize();
    const Vector3 origin = random.chance(0.5) ? Vector3(random.in_box(5))
                                              : Vector3(Vector3(random.in_box(5)).array().round());
    const double limit = random.chance(0.5) ? kInfinite : random.uniform(0, 10);

    std::vector<BoxId> found;
    tree.raycast(origin, 3.0 * direction, limit, [&](BoxId id, double distance) {
      const Aabb& box = tree.box(id);
      found.push_back(id);
      // where it is said to enter, the ray is at the box
      for (int i = 0; i < 3; ++i) {
        const double at = origin[i] + distance * direction[i], slack = 1e-12 * (1 + std::abs(at));
        EXPECT_TRUE(at >= box.lower[i] - slack && at <= box.upper[i] + slack);
      }
      return limit;
    });
    hits += static_cast<int>(found.size());
    std::ranges::sort(found);
    std::vector<BoxId> sure, possible;
    for (BoxId id = 0; id < static_cast<BoxId>(tree.size()); ++id) {
      const long double inner = extended_entry(origin, direction, tree.box(id), 0);
      const long double outer = extended_entry(origin, direction, tree.box(id), 1e-12L);
      if (inner >= 0 && inner <= limit * (1 - 1e-12L)) sure.push_back(id);
      if (outer >= 0 && outer <= limit * (1 + 1e-12L)) possible.push_back(id);
    }
    EXPECT_TRUE(std::ranges::includes(found, sure)) << seed;
    EXPECT_TRUE(std::ranges::includes(possible, found)) << seed;
  }
  EXPECT_GT(hits, repetitions(200));
}

TEST(DynamicTree, AVisitorThatLowersTheDistanceGetsTheNearest) {
  Random random(8);
  DynamicTree tree;
  for (int i = 0; i < 500; ++i) tree.insert(random_box(random, 10, BoxSort::plain));
  int visited_in_all = 0;
  for (int k = 0; k < 100; ++k) {
    const Vector3 origin = random.in_box(8), direction = random.direction();
    double nearest = kInfinite, all = kInfinite;
    tree.raycast(origin, direction, kInfinite, [&](BoxId, double distance) {
      ++visited_in_all;
      return nearest = std::min(nearest, distance);
    });
    tree.raycast(origin, direction, kInfinite, [&](BoxId, double distance) {
      all = std::min(all, distance);
      return kInfinite;
    });
    EXPECT_EQ(nearest, all);
  }
  EXPECT_LT(visited_in_all, 100 * 4);
}

TEST(DynamicTree, AQueryEndsWhenTheVisitorSaysSo) {
  DynamicTree tree;
  for (int i = 0; i < 100; ++i) tree.insert({Vector3::Zero(), Vector3::Ones()});
  int visited = 0;
  tree.query({Vector3::Zero(), Vector3::Zero()}, [&](BoxId) { return ++visited < 7; });
  EXPECT_EQ(visited, 7);
}

TEST(DynamicTree, HeightIsLogarithmicWhateverTheOrder) {
  // sorted insertion, then removal of all but a few
  DynamicTree tree;
  for (int i = 0; i < 3000; ++i) tree.insert({Vector3(i, 0, 0), Vector3(i + 0.5, 1, 1)});
  EXPECT_LE(tree.height(), 8);  // log of 3000 to the base 3, the least filling after a split,
                                // is 7.3
  for (BoxId id = 0; id < 2990; ++id) tree.remove(id);
  EXPECT_LE(tree.height(), 4);
  DynamicTree bulk;
  std::vector<Aabb> same(3000, Aabb{Vector3::Zero(), Vector3::Ones()});
  std::vector<BoxId> ids(same.size());
  bulk.insert(same, ids);
  EXPECT_EQ(bulk.height(), 4);  // 8^4 = 4096
}

TEST(DynamicTree, CopiesAreIndependentAndEqual) {
  Random random(4);
  DynamicTree tree;
  for (int i = 0; i < 300; ++i) tree.insert(random_box(random, 8));
  DynamicTree copy = tree, assigned;
  assigned = tree;
  BoxPairs a, b;
  tree.pairs(a);
  for (BoxId id = 0; id < 300; ++id) tree.remove(id);
  for (const DynamicTree* other : {&copy, &assigned}) {
    other->pairs(b);
    EXPECT_EQ(a, b);
  }
  DynamicTree moved = std::move(copy);
  moved.pairs(b);
  EXPECT_EQ(a, b);
}

TEST(DynamicTree, BadInputIsNamedAndChangesNothing) {
  expect_bad_input_is_named<DynamicTree>();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const DynamicTree tree;
  const auto stay = [](BoxId, double distance) { return distance; };
  EXPECT_EQ(complaint([&] { tree.raycast(Vector3(0, nan, 0), Vector3::UnitX(), 1, stay); }),
            "origin[1] = nan");
  EXPECT_EQ(complaint([&] { tree.raycast(Vector3::Zero(), Vector3::Zero(), 1, stay); }),
            "direction = a vector of norm 0");
  EXPECT_EQ(complaint([&] { tree.raycast(Vector3::Zero(), Vector3::UnitX(), nan, stay); }),
            "max_distance = nan");
}

TEST(DynamicTree, AllocatesNothingOnceItHasGrown) {
  Random random(9);
  std::vector<Aabb> boxes(500);
  std::vector<BoxId> ids(boxes.size());
  for (Aabb& box : boxes) box = random_box(random, 8, BoxSort::plain);
  DynamicTree tree;
  tree.insert(boxes, ids);
  BoxPairs found;
  const auto step = [&](double length) {
    for (Aabb& box : boxes) {
      const Vector3 move = length * random.direction();
      box = {box.lower + move, box.upper + move};
    }
    tree.update(ids, boxes);
    for (std::size_t i = 0; i < boxes.size(); i += 7) tree.update(ids[i], boxes[i]);
    tree.pairs(found);
  };
  for (int k = 0; k < 20; ++k) step(2.0);  // far: built anew each time
  found.reserve(20000);
  const AllocationGuard guard;
  for (int k = 0; k < 20; ++k) step(k < 10 ? 0.05 : 2.0);
  EXPECT_EQ(guard.count(), 0U);
}

}  // namespace
}  // namespace tactum::dynamic_tree_test
