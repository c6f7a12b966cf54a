// SPDX-License-Identifier: BSD-2-Clause
// Triangles of a sphere-torus-patch volume, each with the kind of its patch.
//
// Every patch is a grid on its normals: a torus in latitude and angle, a big sphere in barycentric
// coordinates, a small sphere in rings about a direction inside. Patches that meet share the
// vertices of their common border, so the mesh is closed; triangles that a small radius of zero
// shrinks to nothing are left out.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "shape/stp/stp_arc.hpp"
#include "tactum/interrupt.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

using Index = std::int32_t;
using Line = std::vector<Index>;
constexpr int kMostSegments = 256;

class Mesher {
 public:
  Mesher(const StpSurface& surface, double radius, int segments)
      : surface_(surface), radius_(radius), segments_(segments) {
    for (const StpSurface::Edge& edge : surface.edges()) arcs_.emplace_back(edge);
  }

  StpMesh mesh() {
    ends_.resize(surface_.edges().size());
    sides_.resize(surface_.edges().size());
    if (surface_.edges().empty()) add_ball();
    add_corners();
    for (std::size_t e = 0; e < surface_.edges().size(); ++e)
      check_interrupt(), add_edge(static_cast<Index>(e));
    for (std::size_t f = 0; f < surface_.faces().size(); ++f)
      check_interrupt(), add_face(static_cast<Index>(f));
    for (std::size_t v = 0; v < surface_.vertices().size() && radius_ > 0.0; ++v)
      check_interrupt(), add_vertex(static_cast<Index>(v));
    StpMesh result{Points(3, static_cast<Eigen::Index>(points_.size())),
                   Triangles(3, static_cast<Eigen::Index>(triangles_.size())), std::move(patches_)};
    for (std::size_t i = 0; i < points_.size(); ++i)
      result.vertices.col(static_cast<Eigen::Index>(i)) = to_vector3(points_[i]);
    for (std::size_t t = 0; t < triangles_.size(); ++t)
      for (int k = 0; k < 3; ++k)
        result.triangles(k, static_cast<Eigen::Index>(t)) = triangles_[t][k];
    return result;
  }

 private:
  Index add_point(StpSurface::Patch patch, Double3 n) {
    points_.push_back(surface_.point(patch, n) + radius_ * n);
    return static_cast<Index>(points_.size()) - 1;
  }

  void add_triangle(Index a, Index b, Index c, StpPatch patch) {
    if (a == b || b == c || c == a) return;
    triangles_.push_back({a, b, c});
    patches_.push_back(patch);
  }

  /// Adds the triangles between two lines of vertices, the second to the left of the first.
  void add_strip(const Line& lower, const Line& upper, StpPatch patch) {
    for (std::size_t i = 0; i + 1 < lower.size(); ++i) {
      add_triangle(lower[i], lower[i + 1], upper[i], patch);
      add_triangle(lower[i + 1], upper[i + 1], upper[i], patch);
    }
  }

  /// The mesh vertex where a face meets a vertex. Without small spheres all corners at a vertex
  /// coincide.
  void add_corners() {
    std::vector<Index> single(surface_.vertices().size(), -1);
    for (std::size_t f = 0; f < surface_.faces().size(); ++f) {
      const StpSurface::Face& face = surface_.faces()[f];
      std::array<Index, 3> corners{};
      for (int k = 0; k < 3; ++k) {
        const Index vertex = face.vertices[k];
        const Double3 n = unit_or_zero(surface_.vertices()[vertex].point - face.center);
        if (radius_ == 0.0 && single[vertex] >= 0) {
          corners[k] = single[vertex];
        } else {
          corners[k] = single[vertex] = add_point({StpSurface::Kind::vertex, vertex}, n);
        }
      }
      corners_.push_back(corners);
    }
  }

  /// The mesh vertex at the corner of side `side` of an edge, at its end `end`.
  Index corner(const StpSurface::Edge& edge, int side, int end) const {
    const StpSurface::Face& face = surface_.faces()[edge.faces[side]];
    int k = 0;
    while (face.vertices[k] != edge.vertices[end]) ++k;
    return corners_[edge.faces[side]][k];
  }

  void add_edge(Index index) {
    const StpSurface::Edge& edge = surface_.edges()[index];
    const StpArc& arc = arcs_[index];
    const bool closed = edge.faces[0] < 0;
    const double latitude = std::asin(std::min(1.0, edge.sine));
    const int across = std::max(
        closed ? 3 : 1,
        static_cast<int>(std::ceil(arc.angle / (0.5 * std::numbers::pi) * segments_)));
    const std::array<Index, 2> tips{pole(edge, 0, closed), pole(edge, 1, closed)};
    std::vector<Line> lines;
    for (int j = 0; j <= across; ++j) {
      if (closed && j == across) {
        lines.push_back(lines.front());
        break;
      }
      const Double3 g = arc.outward(arc.angle * j / across);
      Line line;
      for (int i = 0; i <= segments_; ++i) {
        const bool border = !closed && (j == 0 || j == across);
        const int end = i == 0 ? 0 : 1;
        if ((i == 0 || i == segments_) && border) {
          line.push_back(corner(edge, j == 0 ? 0 : 1, end));
        } else if ((i == 0 || i == segments_) && radius_ == 0.0) {
          line.push_back(closed ? tips[end] : corner(edge, 0, end));
        } else {
          const double theta = latitude * (2.0 * i / segments_ - 1.0);
          line.push_back(add_point({StpSurface::Kind::edge, index},
                                   std::sin(theta) * edge.axis + std::cos(theta) * g));
        }
      }
      lines.push_back(line);
    }
    for (int j = 0; j < across; ++j) add_strip(lines[j + 1], lines[j], StpPatch::torus);
    sides_[index] = {lines.front(), lines.back()};
    for (int end = 0; end < 2; ++end) {
      for (const Line& line : lines)
        ends_[index][end].push_back(end == 0 ? line.front() : line.back());
    }
  }

  /// Adds the sharp tip of a spindle without small spheres.
  Index pole(const StpSurface::Edge& edge, int end, bool closed) {
    if (!closed || radius_ > 0.0) return -1;
    return add_point({StpSurface::Kind::vertex, edge.vertices[end]}, edge.axis);
  }

  void add_face(Index index) {
    const StpSurface::Face& face = surface_.faces()[index];
    const Double3 center = face.center;
    std::array<Double3, 3> d{};
    std::array<Line, 3> border{};  // from corner k to corner k + 1
    for (int k = 0; k < 3; ++k) {
      d[k] = unit_or_zero(surface_.vertices()[face.vertices[k]].point - center);
      const StpSurface::Edge& edge = surface_.edges()[face.edges[k]];
      const bool forward = edge.vertices[0] == face.vertices[k];
      border[k] = sides_[face.edges[k]][forward ? 0 : 1];
      if (!forward) std::reverse(border[k].begin(), border[k].end());
    }
    // row i: from side 2 to side 1, parallel to side 0
    Line below = border[0];
    for (int i = 1; i <= segments_; ++i) {
      Line row{border[2][segments_ - i]};
      for (int j = 1; j < segments_ - i; ++j) {
        const double w2 = static_cast<double>(i) / segments_,
                     w1 = static_cast<double>(j) / segments_;
        row.push_back(add_point({StpSurface::Kind::face, index},
                                unit_or_zero((1.0 - w1 - w2) * d[0] + w1 * d[1] + w2 * d[2])));
      }
      if (i < segments_) row.push_back(border[1][i]);
      for (std::size_t j = 0; j < row.size(); ++j) {
        add_triangle(below[j], below[j + 1], row[j], StpPatch::big_sphere);
        if (j + 1 < row.size())
          add_triangle(below[j + 1], row[j + 1], row[j], StpPatch::big_sphere);
      }
      below = row;
    }
  }

  /// Adds rings from a direction inside to the borders of the edges.
  void add_vertex(Index index) {
    const StpSurface::Patch patch{StpSurface::Kind::vertex, index};
    const StpSurface::Vertex& vertex = surface_.vertices()[index];
    if (vertex.num_incident_edges == 0) return;
    const Double3 inside = inner_normal(surface_, index);
    const int rings = std::max(1, segments_ / 2);
    for (const StpSurface::IncidentEdge& incident_edge : surface_.incident_edges(vertex)) {
      const StpSurface::Edge& edge = surface_.edges()[incident_edge.edge];
      const int end = edge.vertices[1] == index ? 1 : 0;
      Line outer = ends_[incident_edge.edge][end];
      if (end == 0)
        std::reverse(outer.begin(),
                     outer.end());  // counter-clockwise about the direction inside
      borders_.push_back(outer);
    }
    fill_rings(patch, inside, rings);
  }

  /// Joins the borders into rings; neighbors share their ends.
  void fill_rings(StpSurface::Patch patch, Double3 inside, int rings) {
    const Double3 center = surface_.vertices()[patch.index].point;
    const Index middle = add_point(patch, inside);
    std::vector<std::pair<Index, Line>> radial_lines;  // from a border vertex inwards
    const auto inwards = [&](Index vertex) -> const Line& {
      for (const auto& [start, line] : radial_lines)
        if (start == vertex) return line;
      const Double3 n = unit_or_zero(points_[vertex] - center);
      Line line{vertex};
      for (int k = 1; k < rings; ++k) {
        const double t = static_cast<double>(k) / rings;
        line.push_back(add_point(patch, unit_or_zero((1.0 - t) * n + t * inside)));
      }
      line.push_back(middle);
      radial_lines.emplace_back(vertex, line);
      return radial_lines.back().second;
    };
    for (const Line& border : borders_) {
      for (std::size_t i = 0; i + 1 < border.size(); ++i) {
        const Line first = inwards(border[i]), second = inwards(border[i + 1]);
        add_strip(second, first, StpPatch::small_sphere);
      }
    }
    borders_.clear();
  }

  /// Adds the ball of a single point in rings of latitude.
  void add_ball() {
    const StpSurface::Patch patch{StpSurface::Kind::vertex, 0};
    if (radius_ == 0.0) return;
    const int around = 4 * segments_, levels = 2 * segments_;
    const Index south = add_point(patch, {0.0, 0.0, -1.0}),
                north = add_point(patch, {0.0, 0.0, 1.0});
    Line below(around + 1, south);
    for (int i = 1; i <= levels; ++i) {
      Line ring(around + 1, north);
      const double theta = std::numbers::pi * (static_cast<double>(i) / levels - 0.5);
      for (int j = 0; j < around && i < levels; ++j) {
        const double phi = 2.0 * std::numbers::pi * j / around;
        ring[j] = add_point(patch, {std::cos(theta) * std::cos(phi),
                                    std::cos(theta) * std::sin(phi), std::sin(theta)});
      }
      if (i < levels) ring[around] = ring[0];
      add_strip(below, ring, StpPatch::small_sphere);
      below = ring;
    }
  }

  const StpSurface& surface_;
  double radius_;
  int segments_;
  std::vector<StpArc> arcs_;
  std::vector<Double3> points_;
  std::vector<std::array<Index, 3>> triangles_;
  std::vector<StpPatch> patches_;
  std::vector<std::array<Index, 3>> corners_;  // of each face
  std::vector<std::array<Line, 2>> sides_;     // of each edge, along its first and last line
  std::vector<std::array<Line, 2>> ends_;      // of each edge, across it at both vertices
  std::vector<Line> borders_;                  // borders of the current vertex
};

}  // namespace

StpMesh Stp::to_mesh(int resolution) const {
  if (resolution < 1 || resolution > kMostSegments) {
    throw InvalidInput("resolution", std::to_string(resolution),
                       "give from 1 to " + std::to_string(kMostSegments) + " segments an edge");
  }
  return Mesher(surface(), small_radius_ + margin, resolution).mesh();
}

}  // namespace tactum
