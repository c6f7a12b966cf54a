// SPDX-License-Identifier: BSD-2-Clause
// STL, text and binary. A file is binary exactly where its size is that of a binary file with the
// number of triangles that it states, 84 + 50 n, whatever it begins with. Corners at equal
// coordinates become one vertex. Stated normals are not read: the corners have them.
#include <array>
#include <bit>
#include <unordered_map>

#include "core/quote_text.hpp"
#include "mesh/file/file_text.hpp"
#include "mesh/file/mesh_data.hpp"

namespace tactum {
namespace {

/// Vertices by their coordinates, bit by bit but for the sign of zero.
class VertexIndex {
 public:
  explicit VertexIndex(PolygonSoup& soup) : soup_(soup) {}

  void add_corner(Vector3 vertex) {
    vertex.array() += 0.0;  // -0 becomes 0
    const auto next = static_cast<std::int32_t>(soup_.vertices.size());
    const auto [place, is_new] = known_.try_emplace(
        {std::bit_cast<std::uint64_t>(vertex.x()), std::bit_cast<std::uint64_t>(vertex.y()),
         std::bit_cast<std::uint64_t>(vertex.z())},
        next);
    if (is_new) soup_.vertices.push_back(vertex);
    soup_.add_corner(place->second);
  }

 private:
  using Key = std::array<std::uint64_t, 3>;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t state = 0;
      for (const std::uint64_t part : key) {
        state = (state ^ part) * 0x9e3779b97f4a7c15U;
        state ^= state >> 32U;
      }
      return state;
    }
  };
  PolygonSoup& soup_;
  std::unordered_map<Key, std::int32_t, Hash> known_;
};

std::uint32_t little_endian(const char* bytes) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8U | static_cast<unsigned char>(bytes[i]);
  return value;
}

constexpr std::size_t kHeader = 84, kRecord = 50;

PolygonSoup read_binary(std::string_view bytes, const std::string& name) {
  PolygonSoup soup;
  VertexIndex vertices(soup);
  const std::uint32_t count = little_endian(bytes.data() + 80);
  for (std::uint32_t t = 0; t < count; ++t) {
    const char* const record = bytes.data() + kHeader + kRecord * t;
    for (int k = 0; k < 3; ++k) {
      Vector3 vertex;
      for (int i = 0; i < 3; ++i) {
        vertex[i] = widened(little_endian(record + 12 + 12 * k + 4 * i));
        if (!is_in_range(vertex[i]))
          refuse_file(name, 0,
                      "triangle " + std::to_string(t) +
                          " with a coordinate that is not finite or "
                          "above 1e30",
                      "give finite coordinates of at most 1e30");
      }
      vertices.add_corner(vertex);
    }
    soup.end_polygon(t);
  }
  return soup;
}

class TextReader {
 public:
  TextReader(std::string_view text, const std::string& name, const MeshFileOptions& options)
      : lines_(text, name, options.max_line_bytes) {}

  PolygonSoup read() {
    expect("solid");
    rest_ = {};  // a name may follow
    for (std::string_view word = take(); !word.empty(); word = take()) {
      if (word == "endsolid" || word == "solid") {
        rest_ = {};
      } else if (word == "facet") {
        read_facet();
      } else {
        lines_.refuse(quoted_text(word), "begin with facet or endsolid");
      }
    }
    return std::move(soup_);
  }

 private:
  /// The next word, of a later line where this one has no more; empty at the end.
  std::string_view take() {
    std::string_view word = take_word(rest_);
    while (word.empty() && lines_.next(rest_)) word = take_word(rest_);
    return word;
  }
  void expect(std::string_view keyword) {
    const std::string_view word = take();
    if (word != keyword)
      lines_.refuse(word.empty() ? "the end of the file" : quoted_text(word),
                    "go on with " + std::string(keyword));
  }
  void read_facet() {
    rest_ = {};  // the normal that is stated
    expect("outer");
    expect("loop");
    for (int k = 0; k < 3; ++k) {
      expect("vertex");
      Vector3 vertex;
      for (int i = 0; i < 3; ++i) vertex[i] = to_number(take(), lines_);
      vertices_.add_corner(vertex);
    }
    expect("endloop");
    expect("endfacet");
    soup_.end_polygon(lines_.line());
  }

  TextLines lines_;
  std::string_view rest_;
  PolygonSoup soup_;
  VertexIndex vertices_{soup_};
};

}  // namespace

Mesh read_stl(std::string_view bytes, const std::string& name, const MeshFileOptions& options) {
  const bool has_count = bytes.size() >= kHeader;
  const std::uint64_t count = has_count ? little_endian(bytes.data() + 80) : 0;
  if (has_count && bytes.size() == kHeader + kRecord * count)
    return read_binary(bytes, name).to_mesh(name, PolygonSoup::Place::polygon, options);
  const std::size_t begin = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
  if (!bytes.substr(begin).starts_with("solid"))
    refuse_file(name, 0,
                std::to_string(bytes.size()) + " bytes" +
                    (has_count ? " that state " + std::to_string(count) + " triangles" : ""),
                "give text that begins with solid, or a binary file of 84 + 50 n bytes for n "
                "triangles");
  return TextReader(bytes, name, options).read().to_mesh(name, PolygonSoup::Place::line, options);
}

}  // namespace tactum
