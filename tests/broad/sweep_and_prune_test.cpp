// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "broad/broad_fixtures.hpp"
#include "support/allocation_guard.hpp"
#include "support/repetitions.hpp"

namespace tactum::sweep_and_prune_test {
namespace {

using namespace tactum::testing;

TEST(SweepAndPrune, EqualsBruteForceAfterAnySequence) {
  for (int seed = 0; seed < repetitions(1000); ++seed) {
    run_sequence<SweepAndPrune>(
        static_cast<std::uint64_t>(seed) + 5000, 25, 6.0,
        [](const SweepAndPrune& sweep, const BoxModel& model) {
          for (const auto& [id, box] : model.boxes)
            ASSERT_TRUE(sweep.contains(id) && sweep.box(id).upper == box.upper);
        });
    if (HasFatalFailure()) return;
  }
}

TEST(SweepAndPrune, EqualsTheTreeOnManyBoxesThatMove) {
  Random random(3);
  std::vector<Aabb> boxes(static_cast<std::size_t>(repetitions(3000)));
  std::vector<BoxId> ids(boxes.size());
  for (Aabb& box : boxes)
    box = random_box(random, std::cbrt(static_cast<double>(boxes.size())), BoxSort::plain);
  DynamicTree tree;
  SweepAndPrune sweep;
  tree.insert(boxes, ids);
  sweep.insert(boxes, ids);
  BoxPairs a, b;
  for (int step = 0; step < 8; ++step) {
    for (Aabb& box : boxes) {
      // kept in order by insertion, then sorted afresh
      const Vector3 move = (step < 4 ? 0.02 : 5.0) * random.direction();
      box = {box.lower + move, box.upper + move};
    }
    tree.update(ids, boxes);
    sweep.update(ids, boxes);
    tree.pairs(a);
    sweep.pairs(b);
    EXPECT_EQ(a, b);
    EXPECT_FALSE(a.empty());
  }
}

TEST(SweepAndPrune, SortsAlongTheAxisOfLargestVariance) {
  Random random(5);
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<Aabb> boxes(200);
    std::vector<BoxId> ids(boxes.size());
    for (Aabb& box : boxes) {
      Vector3 center = random.in_box(1.0);
      center[axis] *= 20.0;
      box = {center, center + Vector3::Ones()};
    }
    SweepAndPrune sweep;
    sweep.insert(boxes, ids);
    EXPECT_EQ(sweep.axis(), axis);
    // and finds a better one when the boxes are spread along another
    for (Aabb& box : boxes) {
      box.lower[(axis + 1) % 3] *= 1000.0;
      box.upper[(axis + 1) % 3] = box.lower[(axis + 1) % 3] + 1.0;
    }
    sweep.update(ids, boxes);
    EXPECT_EQ(sweep.axis(), (axis + 1) % 3);
  }
}

TEST(SweepAndPrune, CopiesAreIndependent) {
  SweepAndPrune sweep;
  sweep.insert(Aabb{Vector3::Zero(), Vector3::Ones()});
  SweepAndPrune copy = sweep;
  copy.insert(Aabb{Vector3::Zero(), Vector3::Ones()});
  BoxPairs found;
  sweep.pairs(found);
  EXPECT_TRUE(found.empty());
  copy.pairs(found);
  EXPECT_EQ(found, (BoxPairs{{0, 1}}));
}

TEST(SweepAndPrune, BadInputIsNamedAndChangesNothing) {
  expect_bad_input_is_named<SweepAndPrune>();
}

TEST(SweepAndPrune, AllocatesNothingOnceItHasGrown) {
  Random random(9);
  std::vector<Aabb> boxes(500);
  std::vector<BoxId> ids(boxes.size());
  for (Aabb& box : boxes) box = random_box(random, 8, BoxSort::plain);
  SweepAndPrune sweep;
  sweep.insert(boxes, ids);
  BoxPairs found;
  found.reserve(20000);
  const AllocationGuard guard;
  for (int k = 0; k < 20; ++k) {
    for (Aabb& box : boxes) {
      const Vector3 move = (k < 10 ? 0.05 : 2.0) * random.direction();
      box = {box.lower + move, box.upper + move};
    }
    sweep.update(ids, boxes);
    for (std::size_t i = 0; i < boxes.size(); i += 7) sweep.update(ids[i], boxes[i]);
    sweep.pairs(found);
  }
  EXPECT_EQ(guard.count(), 0U);
}

}  // namespace
}  // namespace tactum::sweep_and_prune_test
