// SPDX-License-Identifier: BSD-2-Clause
#include "sim/robot_file/read_srdf.hpp"

#include <gtest/gtest.h>

#include "sim/robot_files.hpp"
#include "sim/scenes.hpp"

namespace tactum::sim::read_srdf_test {
namespace {

RobotDescription three_links() {
  RobotDescription robot;
  for (int i = 0; i < 3; ++i) robot.geometries.push_back({scenes::ball(0.1), -1});
  return robot;
}

TEST(ReadSrdf, PairsOfLinksThatTheRobotHasAreForbidden) {
  RobotDescription robot = three_links();
  forbid_pairs_of_srdf(robot_files::path("arm.srdf"), {"base", "hand", "hand"}, robot);
  EXPECT_EQ(robot.forbidden, (std::vector<std::pair<int, int>>{{0, 1}, {0, 2}}));
}

TEST(ReadSrdf, BrokenFilesAreRefused) {
  RobotDescription robot = three_links();
  const robot_files::TemporaryFile file(".srdf");
  for (const char* text : {"", "<robot>", "<robot><disable_collisions link1='base'/></robot>"}) {
    file.write(text);
    EXPECT_FALSE(robot_files::message([&] {
                   forbid_pairs_of_srdf(file.path(), {"base", "hand", "tip"}, robot);
                   return 0;
                 }).empty())
        << text;
  }
  EXPECT_TRUE(robot.forbidden.empty());
}

}  // namespace
}  // namespace tactum::sim::read_srdf_test
