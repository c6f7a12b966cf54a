// SPDX-License-Identifier: BSD-2-Clause
// libFuzzer target: bytes as a robot file of the format MJCF.
#include "fuzz/robot_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactum;
  testing::try_robot(data, size, [](const std::string& path) { return sim::read_mjcf(path); });
  return 0;
}
