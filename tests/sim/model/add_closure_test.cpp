// SPDX-License-Identifier: BSD-2-Clause
// What closes loops: frames where they should be, and what is refused.
#include <gtest/gtest.h>

#include "sim/model/model_data.hpp"
#include "sim/robot_files.hpp"
#include "sim/scenes.hpp"

namespace tactum::sim::add_closure_test {
namespace {

using scenes::arm_of_links;
using scenes::at;

TEST(AddClosure, FramesThatAreNotGivenAreTogetherAtTheInitialPosition) {
  ModelBuilder builder;
  const int first = builder.add_robot(arm_of_links(2), at(0.1, 0.2, 0.3));
  const int ball = builder.add_body(scenes::ball(0.1), scenes::body(1.0, at(1, 2, 3)));
  EXPECT_EQ(builder.add_weld(first + 1, ball, at(0.5, 0, 0)), 0);
  EXPECT_EQ(builder.add_connection(first, ball, Vector3(0.1, 0, 0)), 1);
  EXPECT_EQ(builder.add_connection(first, ball, Vector3(0.1, 0, 0), Vector3(0, 0, 1)), 2);
  EXPECT_EQ(builder.add_coupling("link0", "link1"), 0);
  const Model model = builder.build();
  EXPECT_EQ(model.num_closures(), 4);
  EXPECT_EQ(model.data().num_closure_rows(), 6 + 3 + 3 + 1);
  const std::vector<Pose> X = model.body_poses(model.state().q);
  for (int i = 0; i < 2; ++i) {
    const Closure& closure = model.data().closures[static_cast<std::size_t>(i)];
    const ClosureError error = closure_error(closure, X[static_cast<std::size_t>(closure.body_a)],
                                             X[static_cast<std::size_t>(closure.body_b)]);
    EXPECT_LT(error.translation.norm() + error.rotation.norm(), 1e-14);
  }
  EXPECT_EQ(model.data().closures[2].X_BC.translation, Vector3(0, 0, 1));
}

TEST(AddClosure, WhatIsRefusedIsNamed) {
  ModelBuilder builder;
  builder.add_robot(arm_of_links(2));
  builder.add_body(scenes::ball(0.1), scenes::body(1.0, at(1, 2, 3), "ball"));
  const auto message = [](const auto& call) { return robot_files::message(call); };
  EXPECT_NE(message([&] { return builder.add_weld(0, 9); }).find("body_b"), std::string::npos);
  EXPECT_NE(message([&] { return builder.add_weld(1, 1); }).find("differ"), std::string::npos);
  EXPECT_NE(message([&] { return builder.add_coupling("link0", "link0"); }).find("differ"),
            std::string::npos);
  EXPECT_NE(message([&] { return builder.add_coupling("ball", "link0"); }).find("joint_a"),
            std::string::npos);
  EXPECT_NE(message([&] { return builder.add_coupling("link0", "nobody"); }).find("joint_b"),
            std::string::npos);
  EXPECT_NE(
      message([&] { return builder.add_coupling("link0", "link1", std::nan("")); }).find("ratio"),
      std::string::npos);
  EXPECT_NE(message([&] { return builder.add_connection(0, 1, Vector3(0, std::nan(""), 0)); }), "");
  EXPECT_EQ(builder.build().num_closures(), 0);
}

}  // namespace
}  // namespace tactum::sim::add_closure_test
