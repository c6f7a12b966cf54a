// SPDX-License-Identifier: BSD-2-Clause
// PLY, text and both binary orders: x, y, z of the element vertex and the list vertex_indices (or
// vertex_index) of the element face; everything else is skipped.
#include <bit>

#include "mesh/file/mesh_data.hpp"
#include "mesh/file/ply_header.hpp"

namespace tactum {
namespace {

/// Values one after the other, from words or from bytes.
class PlyValues {
 public:
  PlyValues(std::string_view bytes, TextLines& lines, const std::string& name, PlyEncoding encoding)
      : bytes_(bytes), lines_(lines), name_(name), encoding_(encoding), at_(lines.offset()) {}

  double number(PlyType type) {
    if (encoding_ == PlyEncoding::text) return to_number(word(), lines_);
    const std::uint64_t bits = take(size_of(type));
    if (type == PlyType::f64) return std::bit_cast<double>(bits);
    if (type == PlyType::f32) return widened(static_cast<std::uint32_t>(bits));
    return static_cast<double>(with_sign(bits, type));
  }

  std::int64_t integer(PlyType type) {
    if (encoding_ == PlyEncoding::text) return to_integer(word(), lines_);
    if (type != PlyType::f32 && type != PlyType::f64) return with_sign(take(size_of(type)), type);
    refuse("indices that are no integers", "give vertex indices as int or uint");
  }

  /// The length of a list whose items the file can still hold.
  std::size_t length(const PlyProperty& property) {
    const std::int64_t count = integer(property.count);
    const std::size_t left = encoding_ == PlyEncoding::text ? lines_.bytes_left() + rest_.size()
                                                            : bytes_.size() - at_;
    const std::size_t least = encoding_ == PlyEncoding::text ? 1 : size_of(property.type);
    if (count < 0 || static_cast<std::uint64_t>(count) > left / least)
      refuse("a list of " + std::to_string(count) + " items with " + std::to_string(left) +
                 " bytes left",
             "give a whole file with the right counts");
    return static_cast<std::size_t>(count);
  }

  [[noreturn]] void refuse(const std::string& value, const std::string& remedy) const {
    if (encoding_ == PlyEncoding::text) lines_.refuse(value, remedy);
    refuse_file(name_, 0, value + " at byte " + std::to_string(at_), remedy);
  }
  std::size_t line() const { return lines_.line(); }

 private:
  std::string_view word() {
    std::string_view found = take_word(rest_);
    while (found.empty() && lines_.next(rest_)) found = take_word(rest_);
    if (found.empty()) lines_.refuse("the end of the file", "give a whole file");
    return found;
  }

  std::uint64_t take(std::size_t size) {
    if (bytes_.size() - at_ < size) refuse("the end of the file", "give a whole file");
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t k = encoding_ == PlyEncoding::big_endian ? i : size - 1 - i;
      value = value << 8U | static_cast<unsigned char>(bytes_[at_ + k]);
    }
    at_ += size;
    return value;
  }

  static std::int64_t with_sign(std::uint64_t bits, PlyType type) {
    if (type == PlyType::i8) return static_cast<std::int8_t>(bits);
    if (type == PlyType::i16) return static_cast<std::int16_t>(bits);
    if (type == PlyType::i32) return static_cast<std::int32_t>(bits);
    return static_cast<std::int64_t>(bits);
  }

  std::string_view bytes_;
  TextLines& lines_;
  const std::string& name_;
  PlyEncoding encoding_;
  std::string_view rest_;
  std::size_t at_;
};

class PlyReader {
 public:
  PlyReader(std::string_view bytes, const std::string& name, const MeshFileOptions& options)
      : lines_(bytes, name, options.max_line_bytes),
        header_(read_ply_header(lines_)),
        values_(bytes, lines_, name, header_.encoding) {}

  PolygonSoup read() {
    for (const PlyElement& element : header_.elements) {
      if (element.name == "vertex") soup_.vertices.reserve(element.count);
      for (std::uint64_t i = 0; i < element.count; ++i) read_element(element, i);
    }
    return std::move(soup_);
  }
  PolygonSoup::Place place() const {
    return header_.encoding == PlyEncoding::text ? PolygonSoup::Place::line
                                                 : PolygonSoup::Place::polygon;
  }

 private:
  void read_element(const PlyElement& element, std::uint64_t index) {
    const bool is_vertex = element.name == "vertex", is_face = element.name == "face";
    Vector3 vertex = Vector3::Zero();
    int coordinates = 0;
    for (const PlyProperty& property : element.properties) {
      const bool is_polygon = is_face && (property.name == "vertex_indices" ||
                                          property.name == "vertex_index");
      if (property.count != PlyType::none) {
        read_list(property, is_polygon);
        if (is_polygon)
          soup_.end_polygon(place() == PolygonSoup::Place::line ? values_.line() : index);
        continue;
      }
      const bool is_coordinate = is_vertex && property.name.size() == 1 &&
                                 property.name[0] >= 'x' && property.name[0] <= 'z';
      const double value = values_.number(property.type);
      if (!is_coordinate) continue;
      vertex[property.name[0] - 'x'] = checked(value);
      ++coordinates;
    }
    if (!is_vertex) return;
    if (coordinates < 3) values_.refuse("vertices without x, y and z", "give all three");
    soup_.vertices.push_back(vertex);
  }

  void read_list(const PlyProperty& property, bool is_polygon) {
    const std::size_t length = values_.length(property);
    for (std::size_t i = 0; i < length; ++i) {
      if (!is_polygon) {
        values_.number(property.type);
        continue;
      }
      const std::int64_t corner = values_.integer(property.type);
      if (corner < 0 || corner > 0x7ffffffe)
        values_.refuse("vertex " + std::to_string(corner), "give indices from 0");
      soup_.add_corner(static_cast<std::int32_t>(corner));
    }
  }

  double checked(double value) const {
    if (!is_in_range(value))
      values_.refuse("a coordinate that is not finite or above 1e30",
                     "give finite coordinates of at most 1e30");
    return value;
  }

  TextLines lines_;
  PlyHeader header_;
  PlyValues values_;
  PolygonSoup soup_;
};

}  // namespace

Mesh read_ply(std::string_view bytes, const std::string& name, const MeshFileOptions& options) {
  PlyReader reader(bytes, name, options);
  const PolygonSoup soup = reader.read();
  return soup.to_mesh(name, reader.place(), options);
}

}  // namespace tactum
