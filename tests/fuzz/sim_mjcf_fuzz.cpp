// SPDX-License-Identifier: BSD-2-Clause
// libFuzzer target: bytes as a robot file of the format MJCF.
#include <cstdint>

#include "fuzz/robot_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactum;
  const std::string content(reinterpret_cast<const char*>(data), size);
  testing::try_robot(content, [](const std::string& path) { return sim::read_mjcf(path); });
  return 0;
}
