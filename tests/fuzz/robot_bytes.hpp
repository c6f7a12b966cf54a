// SPDX-License-Identifier: BSD-2-Clause
// Bytes as a robot file: it is refused with InvalidInput, or it becomes a model that steps.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tactum/sim/robot.hpp"
#include "tactum/sim/step.hpp"

namespace tactum::testing {

/// A folder named robots for robot files, with the mesh tetrahedron.obj; gone at the end.
class RobotFolder {
 public:
  RobotFolder() {
    static int made = 0;
    parent_ = std::filesystem::temp_directory_path() /
              ("tactum_robot_" + std::to_string(getpid()) + "_" + std::to_string(made++));
    std::filesystem::create_directories(parent_ / "robots");
    write("tetrahedron.obj",
          "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  }
  ~RobotFolder() {
    std::error_code error;
    std::filesystem::remove_all(parent_, error);
  }
  RobotFolder(const RobotFolder&) = delete;
  RobotFolder& operator=(const RobotFolder&) = delete;

  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& content) const {
    const std::string path = (parent_ / "robots" / name).string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

 private:
  std::filesystem::path parent_;
};

/// `read` takes the path of the file. Returns whether the file became a model; ends the process
/// where that gives a state that is not finite.
template <class Read>
bool try_robot(const std::string& content, const Read& read) {
  static const RobotFolder folder;
  try {
    sim::ModelBuilder builder;
    builder.add_ground({.friction = 0.5});
    builder.add_robot(read(folder.write("robot.xml", content)));
    const sim::Model model = builder.build();
    if (model.nv() > 60) return true;
    const sim::StepResult result = sim::step(model, model.state(), {}, 1e-3);
    if (!result.state.q.allFinite() || !result.state.v.allFinite()) std::abort();
  } catch (const InvalidInput&) {
    return false;
  }
  return true;
}

}  // namespace tactum::testing
