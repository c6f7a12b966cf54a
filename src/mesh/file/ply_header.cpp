// SPDX-License-Identifier: BSD-2-Clause
#include "mesh/file/ply_header.hpp"

#include <array>
#include <utility>

#include "core/quote_text.hpp"

namespace tactum {
namespace {

constexpr std::size_t kMostProperties = 1000;

PlyType to_type(std::string_view word, const TextLines& lines) {
  using enum PlyType;
  constexpr std::array<std::pair<std::string_view, PlyType>, 16> names = {{{"char", i8},
                                                                           {"int8", i8},
                                                                           {"uchar", u8},
                                                                           {"uint8", u8},
                                                                           {"short", i16},
                                                                           {"int16", i16},
                                                                           {"ushort", u16},
                                                                           {"uint16", u16},
                                                                           {"int", i32},
                                                                           {"int32", i32},
                                                                           {"uint", u32},
                                                                           {"uint32", u32},
                                                                           {"float", f32},
                                                                           {"float32", f32},
                                                                           {"double", f64},
                                                                           {"float64", f64}}};
  for (const auto& [name, type] : names)
    if (name == word) return type;
  lines.refuse(quoted_text(word), "give a type such as float, double, int or uchar");
}

PlyEncoding to_encoding(std::string_view word, const TextLines& lines) {
  if (word == "ascii") return PlyEncoding::text;
  if (word == "binary_little_endian") return PlyEncoding::little_endian;
  if (word == "binary_big_endian") return PlyEncoding::big_endian;
  lines.refuse(quoted_text(word), "give ascii, binary_little_endian or binary_big_endian");
}

PlyElement to_element(std::string_view rest, const TextLines& lines) {
  PlyElement element;
  element.name = take_word(rest);
  const std::int64_t count = to_integer(take_word(rest), lines);
  if (count < 0) lines.refuse(std::to_string(count) + " elements", "give a count of zero or more");
  element.count = static_cast<std::uint64_t>(count);
  return element;
}

PlyProperty to_property(std::string_view rest, const TextLines& lines) {
  PlyProperty property;
  std::string_view word = take_word(rest);
  if (word == "list") {
    property.count = to_type(take_word(rest), lines);
    if (property.count == PlyType::f32 || property.count == PlyType::f64)
      lines.refuse("a list whose length is no integer", "give the length as uchar or int");
    word = take_word(rest);
  }
  property.type = to_type(word, lines);
  property.name = take_word(rest);
  return property;
}

/// Bytes that an element takes at least.
std::uint64_t least_size(const PlyElement& element, PlyEncoding encoding) {
  std::uint64_t size = 0;
  for (const PlyProperty& property : element.properties) {
    if (encoding == PlyEncoding::text) {
      size += 2;  // a digit and what parts it from the next
    } else {
      size += size_of(property.count == PlyType::none ? property.type : property.count);
    }
  }
  return size;
}

void check_counts(const PlyHeader& header, const TextLines& lines) {
  const std::uint64_t left = lines.bytes_left() + 1;  // the last line may end without a newline
  for (const PlyElement& element : header.elements) {
    const std::uint64_t size = least_size(element, header.encoding);
    if (size == 0 ? element.count == 0 : element.count <= left / size) continue;
    lines.refuse(std::to_string(element.count) + " elements " + quoted_text(element.name) +
                     " with " + std::to_string(left - 1) + " bytes behind the header",
                 "give a whole file with the right counts");
  }
}

}  // namespace

std::size_t size_of(PlyType type) {
  using enum PlyType;
  switch (type) {
    case none: return 0;
    case i8:
    case u8: return 1;
    case i16:
    case u16: return 2;
    case i32:
    case u32:
    case f32: return 4;
    case f64: return 8;
  }
  return 0;
}

PlyHeader read_ply_header(TextLines& lines) {
  PlyHeader header;
  std::string_view line;
  if (!lines.next(line) || take_word(line) != "ply")
    lines.refuse("another first line", "begin a PLY file with the line ply");
  bool has_format = false;
  std::size_t properties = 0;
  while (lines.next(line)) {
    const std::string_view keyword = take_word(line);
    if (keyword == "format") {
      header.encoding = to_encoding(take_word(line), lines);
      has_format = true;
    } else if (keyword == "element") {
      header.elements.push_back(to_element(line, lines));
    } else if (keyword == "property") {
      if (header.elements.empty()) lines.refuse("a property", "name its element first");
      header.elements.back().properties.push_back(to_property(line, lines));
    } else if (keyword == "end_header") {
      if (!has_format) lines.refuse("no format", "name the format in the header");
      check_counts(header, lines);
      return header;
    } else if (keyword != "comment" && keyword != "obj_info" && !keyword.empty()) {
      lines.refuse(quoted_text(keyword), "give element, property, comment or end_header");
    }
    if (++properties > kMostProperties)
      lines.refuse("more lines than " + std::to_string(kMostProperties), "give a shorter header");
  }
  lines.refuse("the end of the file", "end the header with end_header");
}

}  // namespace tactum
