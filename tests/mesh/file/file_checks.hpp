// SPDX-License-Identifier: BSD-2-Clause
// What the tests of mesh files share: messages, and bytes of binary files.
#pragma once

#include <bit>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "mesh/mesh_fixtures.hpp"
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

/// A binary STL file, little-endian as all of them; its normals are zero.
inline std::string binary_stl(const RawMesh& mesh, const std::string& title = "a box") {
  std::string bytes = title;
  bytes.resize(80, ' ');
  append(bytes, static_cast<std::uint32_t>(mesh.triangles.cols()));
  for (const auto& triangle : mesh.triangles.colwise()) {
    for (int i = 0; i < 3; ++i) append_float(bytes, 0.0F);
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i)
        append_float(bytes, static_cast<float>(mesh.vertices(i, triangle[k])));
    append(bytes, std::uint16_t{0});
  }
  return bytes;
}

inline std::string text_stl(const RawMesh& mesh) {
  std::ostringstream text;
  text << "solid a box\n";
  for (const auto& triangle : mesh.triangles.colwise()) {
    text << "facet normal 0 0 0\n outer loop\n";
    for (const std::int32_t i : triangle)
      text << "  vertex " << mesh.vertices.col(i).transpose() << "\n";
    text << " endloop\nendfacet\n";
  }
  text << "endsolid a box\n";
  return text.str();
}

}  // namespace tactum::testing
