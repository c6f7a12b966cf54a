// SPDX-License-Identifier: BSD-2-Clause
// What the tests of mesh files share: messages, and bytes of binary files.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "tactum/mesh_file.hpp"
#include "tactum/status.hpp"

namespace tactum::testing {

/// The message with which a file is refused; empty where it is accepted.
inline std::string refusal(std::string_view bytes, MeshFormat format,
                           const MeshFileOptions& options = {}) {
  try {
    parse_mesh(bytes, format, "file", options);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

enum class Order { little, big };

template <class Bits>
void append(std::string& bytes, Bits bits, Order order = Order::little) {
  for (std::size_t i = 0; i < sizeof(Bits); ++i) {
    const std::size_t k = order == Order::little ? i : sizeof(Bits) - 1 - i;
    bytes.push_back(static_cast<char>(bits >> (8 * k) & 0xff));
  }
}

inline void append_float(std::string& bytes, float value, Order order = Order::little) {
  append(bytes, std::bit_cast<std::uint32_t>(value), order);
}

}  // namespace tactum::testing
