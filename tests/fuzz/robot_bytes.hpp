// SPDX-License-Identifier: BSD-2-Clause
// Bytes as a robot file: it is refused with InvalidInput, or it becomes a model that steps.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tactum/sim/robot.hpp"
#include "tactum/sim/step.hpp"

namespace tactum::testing {

/// `read` takes the path of the file. Ends the process where a model gives a state that is not
/// finite.
template <class Read>
void try_robot(const std::uint8_t* data, std::size_t size, const Read& read) {
  static const std::string path = "/tmp/tactum_fuzz_" + std::to_string(getpid()) + ".xml";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    sim::ModelBuilder builder;
    builder.add_ground({.friction = 0.5});
    builder.add_robot(read(path));
    const sim::Model model = builder.build();
    if (model.nv() > 60) return;
    const sim::StepResult result = sim::step(model, model.state(), {}, 1e-3);
    if (!result.state.q.allFinite() || !result.state.v.allFinite()) std::abort();
  } catch (const InvalidInput&) {
    return;
  }
}

}  // namespace tactum::testing
