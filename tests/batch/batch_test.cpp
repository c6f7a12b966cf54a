// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/batch.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "core/thread_team.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

TEST(PoseSpan, KnowsItsFormAndSize) {
  const Pose one;
  const std::vector<Pose> three(3);
  const std::vector<double> numbers(7 * 16);
  EXPECT_EQ(PoseSpan(one).size(), 1U);
  EXPECT_EQ(PoseSpan(one).data(), &one);
  EXPECT_EQ(PoseSpan(three).size(), 3U);
  EXPECT_EQ(PoseSpan(three).form(), PoseSpan::Form::pose);
  EXPECT_EQ(PoseSpan(three).data(), three.data());
  EXPECT_EQ(PoseSpan::from_matrices(numbers).size(), 7U);
  EXPECT_EQ(PoseSpan::from_matrices(numbers).form(), PoseSpan::Form::matrix);
  EXPECT_EQ(PoseSpan::from_xyz_xyzw(numbers).size(), 16U);
  EXPECT_EQ(PoseSpan::from_xyz_xyzw(numbers).form(), PoseSpan::Form::xyz_xyzw);
  EXPECT_THROW(PoseSpan::from_matrices(std::vector<double>(17)), InvalidInput);
  EXPECT_THROW(PoseSpan::from_xyz_xyzw(std::vector<double>(8)), InvalidInput);
}

TEST(BatchWorkspace, MovesWithItsThreads) {
  BatchWorkspace first;
  const ThreadTeam* const team = &first.team();
  BatchWorkspace second = std::move(first);
  EXPECT_EQ(&second.team(), team);
}

}  // namespace
}  // namespace tactum
