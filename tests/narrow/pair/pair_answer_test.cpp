// SPDX-License-Identifier: BSD-2-Clause
// An answer taken over from the cores keeps what was proved.
#include "narrow/pair/pair_answer.hpp"

#include <gtest/gtest.h>

namespace tactum::pair_answer_test {
namespace {

TEST(PairAnswer, TakesOverBoundsPointsAndRadii) {
  CoreDistance found;
  found.optimum.normal = Vector3(0.0, 0.6, 0.8);
  found.optimum.lower = 0.25;
  found.optimum.point_a = Vector3(1.0, 2.0, 3.0);
  found.optimum.point_b = Vector3(1.0, 2.15, 3.2);
  found.upper = 0.26;
  PairAnswer answer{};
  set_from_cores(found, 0.1, 0.02, answer);
  EXPECT_EQ(answer.distance, 0.25);
  EXPECT_EQ(answer.lower, 0.25);
  EXPECT_EQ(answer.upper, 0.26);
  EXPECT_DOUBLE_EQ(answer.radius, 0.12);
  // the points of the shapes are one radius from those of the cores, towards each other
  EXPECT_EQ(answer.step_a, 0.1);
  EXPECT_EQ(answer.step_b, -0.02);
  EXPECT_EQ(to_vector3(answer.base_a), found.optimum.point_a);
  EXPECT_EQ(to_vector3(answer.base_b), found.optimum.point_b);
  EXPECT_EQ(to_vector3(answer.inverse * answer.along), found.optimum.normal);
}

}  // namespace
}  // namespace tactum::pair_answer_test
