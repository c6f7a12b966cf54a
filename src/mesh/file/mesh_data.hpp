// SPDX-License-Identifier: BSD-2-Clause
// A mesh file before it is a mesh: vertices and polygons as they were read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tactum/mesh_file.hpp"

namespace tactum {

/// Polygons one after the other, each with the place in the file that it comes from.
class PolygonSoup {
 public:
  std::vector<Vector3> vertices;

  void add_corner(std::int32_t vertex) { corners_.push_back(vertex); }
  /// The corners that were added since the last one are a polygon. `place` is a line, or for binary
  /// files the number of the polygon.
  void end_polygon(std::size_t place) {
    ends_.push_back(corners_.size());
    places_.push_back(place);
  }
  std::size_t num_polygons() const { return ends_.size(); }

  /// How a file names the place of a polygon in messages.
  enum class Place { line, polygon };
  /// Checks the corners and cuts polygons into triangles.
  Mesh to_mesh(const std::string& name, Place place, const MeshFileOptions& options) const;

 private:
  std::vector<std::int32_t> corners_;
  std::vector<std::size_t> ends_;
  std::vector<std::size_t> places_;
};

/// The readers. Each refuses what it does not understand, by `name` and line or byte.
Mesh read_obj(std::string_view text, const std::string& name, const MeshFileOptions& options);
Mesh read_stl(std::string_view bytes, const std::string& name, const MeshFileOptions& options);
Mesh read_ply(std::string_view bytes, const std::string& name, const MeshFileOptions& options);
Mesh read_dae(std::string_view text, const std::string& name, const MeshFileOptions& options);

}  // namespace tactum
