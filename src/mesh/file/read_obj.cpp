// SPDX-License-Identifier: BSD-2-Clause
// Wavefront OBJ: lines `v x y z` and `f a b c ...` with indices from 1, or from -1 for the last
// vertex; a/b/c has the vertex first. A backslash at the end of a line goes on in the next. All
// other lines (normals, groups, materials) say nothing about the surface and are skipped.
#include "mesh/file/file_text.hpp"
#include "mesh/file/mesh_data.hpp"

namespace tactum {
namespace {

class ObjReader {
 public:
  ObjReader(std::string_view text, const std::string& name, const MeshFileOptions& options)
      : lines_(text, name, options.max_line_bytes) {}

  PolygonSoup read() {
    std::string_view line;
    while (lines_.next(line)) {
      std::string_view rest = continued(line);
      const std::string_view keyword = take_word(rest);
      if (keyword == "v") add_vertex(rest);
      if (keyword == "f") add_face(rest);
    }
    return std::move(soup_);
  }

 private:
  /// A line and those it goes on in. The text lives until the next call.
  std::string_view continued(std::string_view line) {
    if (!line.ends_with('\\')) return line;
    joined_.clear();
    bool more = true;
    while (more) {
      more = line.ends_with('\\');
      joined_.append(line.substr(0, line.size() - (more ? 1 : 0)));
      joined_.push_back(' ');
      if (more && !lines_.next(line)) break;
    }
    return joined_;
  }

  void add_vertex(std::string_view rest) {
    Vector3 vertex;
    for (int i = 0; i < 3; ++i) vertex[i] = to_number(take_word(rest), lines_);
    soup_.vertices.push_back(vertex);
  }

  void add_face(std::string_view rest) {
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
      if (word.starts_with('#')) break;
      const std::int64_t index = to_integer(word.substr(0, word.find('/')), lines_);
      const auto count = static_cast<std::int64_t>(soup_.vertices.size());
      if (index == 0 || index < -count || index > 0x7fffffff)
        lines_.refuse("vertex " + std::to_string(index),
                      "give indices from 1, or from -1 back; so far there are " +
                          std::to_string(count) + " vertices");
      soup_.add_corner(static_cast<std::int32_t>(index > 0 ? index - 1 : count + index));
    }
    soup_.end_polygon(lines_.line());
  }

  TextLines lines_;
  PolygonSoup soup_;
  std::string joined_;
};

}  // namespace

Mesh read_obj(std::string_view text, const std::string& name, const MeshFileOptions& options) {
  return ObjReader(text, name, options).read().to_mesh(name, PolygonSoup::Place::line, options);
}

}  // namespace tactum
