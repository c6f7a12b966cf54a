// SPDX-License-Identifier: BSD-2-Clause
// The header of a PLY file: which elements follow, with which properties.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/file/file_text.hpp"

namespace tactum {

enum class PlyType : std::uint8_t { none, i8, u8, i16, u16, i32, u32, f32, f64 };

/// Bytes of a value in a binary file.
std::size_t size_of(PlyType type);

struct PlyProperty {
  std::string name;
  PlyType type = PlyType::none;   ///< of the value, or of the items of a list
  PlyType count = PlyType::none;  ///< of the length of a list; none: no list
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;
};

enum class PlyEncoding : std::uint8_t { text, little_endian, big_endian };

struct PlyHeader {
  PlyEncoding encoding = PlyEncoding::text;
  std::vector<PlyElement> elements;
};

/// Reads up to end_header. Refuses elements that the rest of the file is too short for, so that
/// counts can be trusted.
PlyHeader read_ply_header(TextLines& lines);

}  // namespace tactum
