// SPDX-License-Identifier: BSD-2-Clause
#include "mesh/file/dae_geometry.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <unordered_map>

#include "core/quote_text.hpp"
#include "mesh/file/xml_list.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

constexpr std::int32_t kMostInputs = 64;

const XmlElement* input_with(const XmlElement& element, std::string_view semantic) {
  for (const XmlElement& child : element.children) {
    if (child.name == "input" && required_attribute(child, "semantic") == semantic) return &child;
  }
  return nullptr;
}

/// The triples that the accessor of a source makes of its array of numbers.
std::vector<Vector3> triples_of(const XmlElement& source) {
  const XmlElement& array = required_child(source, "float_array");
  const std::vector<double> numbers = number_list(array);
  if (static_cast<std::size_t>(index_attribute(
          array, "count", static_cast<std::int32_t>(numbers.size()))) != numbers.size())
    array.refuse("count " + *array.find("count"),
                 "there are " + std::to_string(numbers.size()) + " numbers");
  const XmlElement& accessor = required_child(required_child(source, "technique_common"),
                                              "accessor");
  const auto count = static_cast<std::size_t>(index_attribute(accessor, "count", 0)),
             stride = static_cast<std::size_t>(index_attribute(accessor, "stride", 1)),
             offset = static_cast<std::size_t>(index_attribute(accessor, "offset", 0));
  std::array<std::size_t, 3> places = {0, 1, 2};
  std::size_t place = 0;
  for (const XmlElement& child : accessor.children) {
    if (child.name != "param") continue;
    const std::string* const name = child.find("name");
    for (std::size_t k = 0; k < 3; ++k)
      if (name != nullptr && *name == std::string(1, "XYZ"[k])) places[k] = place;
    ++place;
  }
  const std::size_t last = std::max({places[0], places[1], places[2]});
  if (last >= stride)
    accessor.refuse("stride " + std::to_string(stride), "positions have three numbers");
  // compared by division, so that no product can overflow
  if (count > 0 && (numbers.size() < last + 1 || offset > numbers.size() - last - 1 ||
                    count - 1 > (numbers.size() - last - 1 - offset) / stride))
    accessor.refuse("count " + std::to_string(count),
                    "the array has " + std::to_string(numbers.size()) + " numbers");
  std::vector<Vector3> out(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      out[i][static_cast<Eigen::Index>(k)] = numbers[offset + i * stride + places[k]];
  return out;
}

class GeometryReader {
 public:
  explicit GeometryReader(const XmlElement& mesh) : mesh_(mesh) {
    for (const XmlElement& child : mesh.children) {
      const std::string* const id = child.find("id");
      if (id != nullptr && (child.name == "source" || child.name == "vertices"))
        children_.emplace(child.name + "#" + *id, &child);
    }
  }

  DaeGeometry read() {
    for (const XmlElement& child : mesh_.children) {
      check_interrupt();
      if (child.name == "triangles") {
        open(child);
        for (const XmlElement& list : child.children)
          if (list.name == "p") add_triangles(list, corners_of(list));
      } else if (child.name == "polylist") {
        open(child);
        add_polylist(child);
      } else if (child.name == "polygons") {
        open(child);
        add_polygons(child);
      } else if (child.name == "trifans" || child.name == "tristrips") {
        open(child);
        for (const XmlElement& list : child.children)
          if (list.name == "p") add_strip(list, corners_of(list), child.name == "trifans");
      }
    }
    return std::move(out_);
  }

 private:
  struct Range {
    std::int32_t first, count;
  };

  /// Finds the vertices of a primitive, and its inputs.
  void open(const XmlElement& primitive) {
    const XmlElement* const input = input_with(primitive, "VERTEX");
    if (input == nullptr)
      primitive.refuse("<" + primitive.name + "> without VERTEX", "give it an input of VERTEX");
    offset_ = index_attribute(*input, "offset", 0);
    stride_ = 1;
    for (const XmlElement& child : primitive.children) {
      if (child.name != "input") continue;
      const std::int32_t offset = index_attribute(child, "offset", 0);
      if (offset >= kMostInputs)
        child.refuse("offset " + std::to_string(offset),
                     "give at most " + std::to_string(kMostInputs - 1));
      stride_ = std::max(stride_, offset + 1);
    }
    const XmlElement& vertices = referred("vertices", *input);
    const XmlElement* const position = input_with(vertices, "POSITION");
    if (position == nullptr)
      vertices.refuse("<vertices> without POSITION", "give it an input of POSITION");
    range_ = range_of(referred("source", *position));
  }

  /// The child that the attribute `source` of an element names as #id.
  const XmlElement& referred(const char* kind, const XmlElement& referring) const {
    const std::string& reference = required_attribute(referring, "source");
    const auto found = children_.find(kind + reference);
    if (found == children_.end())
      referring.refuse("source " + quoted_text(reference),
                       std::string("name a <") + kind + "> of the same mesh as #id");
    return *found->second;
  }

  /// Where the vertices of a source are; each source is read once, however often it is named.
  Range range_of(const XmlElement& source) {
    const auto known = ranges_.find(&source);
    if (known != ranges_.end()) return known->second;
    const std::vector<Vector3> added = triples_of(source);
    const Range range = {static_cast<std::int32_t>(out_.vertices.size()),
                         static_cast<std::int32_t>(added.size())};
    out_.vertices.insert(out_.vertices.end(), added.begin(), added.end());
    ranges_.emplace(&source, range);
    return range;
  }

  /// The vertices of a list of indices, which has `stride` of them for each corner.
  std::vector<std::int32_t> corners_of(const XmlElement& list) const {
    const std::vector<std::int32_t> indices = index_list(list);
    const auto stride = static_cast<std::size_t>(stride_);
    if (indices.size() % stride != 0)
      list.refuse(std::to_string(indices.size()) + " indices",
                  "give a multiple of " + std::to_string(stride));
    std::vector<std::int32_t> corners(indices.size() / stride);
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const std::int32_t index = indices[i * stride + static_cast<std::size_t>(offset_)];
      if (index >= range_.count)
        list.refuse("vertex " + std::to_string(index),
                    "there are " + std::to_string(range_.count) + " vertices, counted from 0");
      corners[i] = range_.first + index;
    }
    return corners;
  }

  void add(std::span<const std::int32_t> corners, const XmlElement& list) {
    out_.corners.insert(out_.corners.end(), corners.begin(), corners.end());
    out_.ends.push_back(out_.corners.size());
    out_.lines.push_back(list.line);
  }

  void add_triangles(const XmlElement& list, std::span<const std::int32_t> corners) {
    if (corners.size() % 3 != 0)
      list.refuse(std::to_string(corners.size()) + " corners", "give three for each triangle");
    for (std::size_t i = 0; i < corners.size(); i += 3) add(corners.subspan(i, 3), list);
  }

  void add_polylist(const XmlElement& primitive) {
    const XmlElement* const list = primitive.child("p");
    if (list == nullptr) return;
    const std::vector<std::int32_t> corners = corners_of(*list);
    const XmlElement& counts = required_child(primitive, "vcount");
    std::size_t at = 0;
    for (const std::int32_t count : index_list(counts)) {
      if (static_cast<std::size_t>(count) > corners.size() - at)
        counts.refuse("more corners than <p> has",
                      "give counts that add up to " + std::to_string(corners.size()));
      add(std::span(corners).subspan(at, static_cast<std::size_t>(count)), *list);
      at += static_cast<std::size_t>(count);
    }
    if (at != corners.size())
      counts.refuse(std::to_string(at) + " corners",
                    "give counts that add up to " + std::to_string(corners.size()));
  }

  void add_polygons(const XmlElement& primitive) {
    for (const XmlElement& list : primitive.children) {
      if (list.name == "ph")
        list.refuse("a polygon with holes", "join holes to the rim, or cut it into triangles");
      if (list.name == "p") add(corners_of(list), list);
    }
  }

  void add_strip(const XmlElement& list, std::span<const std::int32_t> corners, bool is_fan) {
    for (std::size_t i = 2; i < corners.size(); ++i) {
      const std::array<std::int32_t, 3> fan = {corners[0], corners[i - 1], corners[i]};
      const std::array<std::int32_t, 3> even = {corners[i - 2], corners[i - 1], corners[i]};
      const std::array<std::int32_t, 3> odd = {corners[i - 1], corners[i - 2], corners[i]};
      add(is_fan ? fan : i % 2 == 0 ? even : odd, list);
    }
  }

  const XmlElement& mesh_;
  std::unordered_map<std::string, const XmlElement*> children_;  // by kind and #id
  std::unordered_map<const XmlElement*, Range> ranges_;          // of sources
  Range range_ = {0, 0};
  std::int32_t offset_ = 0, stride_ = 1;
  DaeGeometry out_;
};

}  // namespace

DaeGeometry read_dae_geometry(const XmlElement& geometry) {
  if (geometry.child("spline") != nullptr) return {};
  const XmlElement* const mesh = geometry.child("mesh");
  if (mesh == nullptr) geometry.refuse("a <geometry> without <mesh>", "export it as triangles");
  return GeometryReader(*mesh).read();
}

}  // namespace tactum
