// SPDX-License-Identifier: BSD-2-Clause
#include "mesh/file/mesh_data.hpp"

#include <array>

#include "core/format_number.hpp"
#include "mesh/file/file_text.hpp"
#include "mesh/file/polygon.hpp"
#include "tactum/interrupt.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

constexpr std::size_t kMostItems = 100'000'000;

Points scaled(const std::vector<Vector3>& vertices, double scale) {
  Points points(3, static_cast<Eigen::Index>(vertices.size()));
  for (std::size_t i = 0; i < vertices.size(); ++i)
    points.col(static_cast<Eigen::Index>(i)) = scale * vertices[i];
  return points;
}

}  // namespace

Mesh PolygonSoup::to_mesh(const std::string& name, Place place,
                          const MeshFileOptions& options) const {
  const auto refuse = [&](std::size_t polygon, const std::string& value,
                          const std::string& remedy) {
    const bool lines = place == Place::line;
    refuse_file(name, lines ? places_[polygon] : 0,
                lines ? value : "face " + std::to_string(places_[polygon]) + " with " + value,
                remedy);
  };
  if (vertices.empty()) refuse_file(name, 0, "no vertices", "give a mesh with vertices");
  if (ends_.empty()) refuse_file(name, 0, "no faces", "give a mesh with faces");
  if (vertices.size() > kMostItems || corners_.size() > kMostItems)
    refuse_file(name, 0, std::to_string(vertices.size()) + " vertices", "give a smaller mesh");
  std::vector<std::array<std::int32_t, 3>> triangles;
  triangles.reserve(ends_.size());
  PolygonCutter cutter;
  for (std::size_t p = 0, begin = 0; p < ends_.size(); begin = ends_[p++]) {
    if (p % 4096 == 0) check_interrupt();
    const std::span<const std::int32_t> corners(corners_.data() + begin, ends_[p] - begin);
    if (corners.size() < 3)
      refuse(p, std::to_string(corners.size()) + " corners", "give three or more");
    if (corners.size() > options.max_corners)
      refuse(p, std::to_string(corners.size()) + " corners",
             "give at most " + std::to_string(options.max_corners));
    for (const std::int32_t corner : corners) {
      if (corner >= 0 && static_cast<std::size_t>(corner) < vertices.size()) continue;
      refuse(p, "vertex " + std::to_string(corner + (place == Place::line ? 1 : 0)),
             "the file has " + std::to_string(vertices.size()) + " vertices");
    }
    cutter.cut(vertices, corners, triangles);
  }
  Triangles columns(3, static_cast<Eigen::Index>(triangles.size()));
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (int k = 0; k < 3; ++k)
      columns(k, static_cast<Eigen::Index>(t)) = triangles[t][static_cast<std::size_t>(k)];
  try {
    return Mesh(scaled(vertices, options.scale), std::move(columns), options.solid);
  } catch (const InvalidInput& error) {
    refuse_file(name + ": " + error.field(), 0, error.value(), error.remedy());
  }
}

}  // namespace tactum
