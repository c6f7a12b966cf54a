// SPDX-License-Identifier: BSD-2-Clause
#include "shape/hull/flat_vertices.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <span>
#include <utility>

namespace tactum {
namespace {

constexpr std::size_t kMostOnEdge = 64;  // neighbors up to which all pairs are tried; a vertex with
                                         // more is no point of an edge

/// A vertex with the ends of the edges that leave it, each with the next corner of its triangle.
struct Star {
  Vector3 middle;
  std::span<const std::array<std::int32_t, 3>> incident_edges;  ///< vertex, neighbor, the one after
};

bool is_in_face(const Points& points, const Star& star, double flat) {
  Vector3 normal = Vector3::Zero();
  for (const auto& [vertex, next, after] : star.incident_edges)
    normal += (points.col(next) - star.middle).cross(points.col(after) - star.middle);
  const double length = normal.norm();
  return length > 0.0 && std::ranges::all_of(star.incident_edges, [&](const auto& incident_edge) {
           return std::abs(normal.dot(points.col(incident_edge[1]) - star.middle)) <= flat * length;
         });
}

bool is_between(const Vector3& a, const Vector3& b, double flat) {
  const Vector3 along = b - a;
  const double squared = along.squaredNorm();
  if (!(a.dot(b) < 0.0 && squared > 0.0)) return false;
  return (a - (a.dot(along) / squared) * along).norm() <= flat;
}

bool is_on_edge(const Points& points, const Star& star, double flat) {
  if (star.incident_edges.size() > kMostOnEdge) return false;
  for (std::size_t i = 0; i < star.incident_edges.size(); ++i) {
    const Vector3 first = points.col(star.incident_edges[i][1]) - star.middle;
    for (std::size_t j = 0; j < i; ++j) {
      if (is_between(first, points.col(star.incident_edges[j][1]) - star.middle, flat)) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::int32_t> without_flat_vertices(
    const Points& points, const std::vector<std::array<std::int32_t, 3>>& faces, double flat) {
  std::vector<std::array<std::int32_t, 3>> incident_edges;
  incident_edges.reserve(3 * faces.size());
  for (const auto& face : faces) {
    for (int k = 0; k < 3; ++k)
      incident_edges.push_back({face[k], face[(k + 1) % 3], face[(k + 2) % 3]});
  }
  std::ranges::sort(incident_edges);
  std::vector<std::int32_t> kept;
  for (std::size_t begin = 0, end = 0; begin < incident_edges.size(); begin = end) {
    while (end < incident_edges.size() && incident_edges[end][0] == incident_edges[begin][0]) ++end;
    const Star star{points.col(incident_edges[begin][0]),
                    std::span(incident_edges).subspan(begin, end - begin)};
    if (!is_in_face(points, star, flat) && !is_on_edge(points, star, flat))
      kept.push_back(incident_edges[begin][0]);
  }
  return kept;
}

}  // namespace tactum
