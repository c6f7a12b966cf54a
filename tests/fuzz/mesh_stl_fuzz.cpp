// SPDX-License-Identifier: BSD-2-Clause
// libFuzzer target: bytes as a mesh file of the format STL.
#include <cstdint>
#include <cstdlib>

#include "fuzz/mesh_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactum;
  if (!testing::mesh_bytes_hold({reinterpret_cast<const char*>(data), size}, MeshFormat::stl))
    std::abort();
  return 0;
}
