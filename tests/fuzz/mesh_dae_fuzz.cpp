// SPDX-License-Identifier: BSD-2-Clause
// libFuzzer target: bytes as a mesh file of the format Collada.
#include <cstdint>
#include <cstdlib>

#include "fuzz/mesh_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactum;
  if (!testing::mesh_bytes_hold({reinterpret_cast<const char*>(data), size}, MeshFormat::dae))
    std::abort();
  return 0;
}
