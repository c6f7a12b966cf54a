// SPDX-License-Identifier: BSD-2-Clause
// Patches from triangles, and the walk over them.
//
// Walk    n is tested against the borders of a patch; where it is beyond one, the walk goes on across that border. A cube map of directions gives the
//         patch to start from, so that a few steps are enough. Borders are met within a few roundings; should rounding send the walk in circles
//         all the same, the patch with the least violation is taken.
#include "shape/stp_surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tactum {
namespace {

constexpr double kSlack = 4.0 * std::numeric_limits<double>::epsilon();  // rad: a border is met within this

Double3 unit(Double3 v) {
  const double norm = v.norm();
  return norm > 0.0 ? (1.0 / norm) * v : Double3{0.0, 0.0, 0.0};
}

}  // namespace

StpSurface::StpSurface(const Points& points, const StpTopology& topology, double alpha) : alpha_(alpha) {
  vertices_.reserve(topology.vertices.size());
  faces_.reserve(topology.spheres.size());
  edges_.reserve(std::max<std::size_t>(1, topology.origin.size() / 2));
  for (const std::int32_t column : topology.vertices) vertices_.push_back({plain(points.col(column)), 0, 0});
  for (std::size_t f = 0; f < topology.spheres.size(); ++f) {
    const StpTopology::BigSphere& sphere = topology.spheres[f];
    const std::int32_t* corner = &topology.origin[3 * f];
    const std::int32_t* across = &topology.twin[3 * f];
    faces_.push_back({plain(sphere.circumcenter),
                      plain(sphere.normal),
                      sphere.height,
                      sphere.squared_radius,
                      {corner[0], corner[1], corner[2]},
                      {-1, -1, -1},
                      {across[0] / 3, across[1] / 3, across[2] / 3}});
  }
  set_edges(topology);
  set_spokes();
  set_table();
}

void StpSurface::set_edges(const StpTopology& topology) {
  const auto add = [&](std::int32_t i, std::int32_t j) -> Edge& {
    const Double3 p = vertices_[i].point, q = vertices_[j].point;
    const double half = 0.5 * (q - p).norm();
    edges_.push_back({0.5 * p + 0.5 * q,
                      unit(q - p),
                      {},
                      {0.0, 0.0, 0.0},
                      half,
                      half / alpha_,
                      std::sqrt(std::max(0.0, (alpha_ - half) * (alpha_ + half))),
                      {i, j},
                      {-1, -1},
                      false});
    return edges_.back();
  };
  if (vertices_.size() == 2) add(0, 1);
  for (std::int32_t h = 0; h < static_cast<std::int32_t>(topology.origin.size()); ++h) {
    const std::int32_t twin = topology.twin[h];
    if (twin < h) continue;
    const auto index = static_cast<std::int32_t>(edges_.size());
    Edge& edge = add(topology.origin[h], topology.origin[twin]);
    edge.faces = {h / 3, twin / 3};
    faces_[h / 3].edges[h % 3] = faces_[twin / 3].edges[twin % 3] = index;
    // towards the centres, from the middle of the edge
    const Double3 first = unit(face_center(faces_[h / 3]) - edge.middle),
                  second = unit(face_center(faces_[twin / 3]) - edge.middle);
    edge.inward = {cross(edge.axis, first), cross(second, edge.axis)};
    edge.wide = topology.wide[h] != 0;
    edge.outward = dot(first, second) > 0.0 && !edge.wide ? -(first + second) : Double3{0.0, 0.0, 0.0};
  }
}

void StpSurface::set_spokes() {
  std::vector<std::int32_t> count(vertices_.size() + 1, 0);
  for (const Edge& edge : edges_) ++count[edge.vertices[0] + 1], ++count[edge.vertices[1] + 1];
  for (std::size_t i = 0; i < vertices_.size(); ++i) {
    vertices_[i].first_spoke = count[i];
    count[i + 1] += count[i];
  }
  spokes_.resize(2 * edges_.size());
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    for (int k = 0; k < 2; ++k) {
      Vertex& from = vertices_[edges_[e].vertices[k]];
      const std::int32_t towards = edges_[e].vertices[1 - k];
      const Double3 along = vertices_[towards].point - from.point;
      const double length = 2.0 * edges_[e].half_length, limit = length * (kSlack - edges_[e].sine);
      spokes_[from.first_spoke + from.num_spokes++] = {along, limit, static_cast<std::int32_t>(e), towards};
    }
  }
}

// --------------------------------------------------------------------------------------------------------------------- the table

/// Cell of a cube map with cells_^2 squares a side.
std::size_t StpSurface::cell(Double3 n) const {
  const double x = std::abs(n.x), y = std::abs(n.y), z = std::abs(n.z);
  int side = 0;
  double major = n.x, u = n.y, v = n.z;
  if (y > x && y >= z) {
    side = 2, major = n.y, u = n.z, v = n.x;
  } else if (z > x) {
    side = 4, major = n.z, u = n.x, v = n.y;
  }
  const double scale = 0.5 * cells_ / std::abs(major), middle = 0.5 * cells_;
  const int column = std::min(cells_ - 1, static_cast<int>(u * scale + middle));
  const int row = std::min(cells_ - 1, static_cast<int>(v * scale + middle));
  return (static_cast<std::size_t>(side + (major < 0.0 ? 1 : 0)) * cells_ + row) * cells_ + column;
}

void StpSurface::set_table() {
  // about one cell for each vertex patch
  cells_ = std::clamp(static_cast<int>(std::sqrt(static_cast<double>(vertices_.size()) / 3.0)), 1, 128);
  table_.resize(6 * static_cast<std::size_t>(cells_) * cells_);
  Patch last{Kind::vertex, 0};
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const auto row = static_cast<int>(i / cells_ % cells_), place = static_cast<int>(i % cells_);
    const int column = row % 2 == 0 ? place : cells_ - 1 - place;  // to and fro, so that neighbours follow one another
    const std::size_t side = i / cells_ / cells_;
    const double u = (2.0 * column + 1.0) / cells_ - 1.0, v = (2.0 * row + 1.0) / cells_ - 1.0, w = side % 2 == 0 ? 1.0 : -1.0;
    const Double3 direction = side / 2 == 0 ? Double3{w, u, v} : side / 2 == 1 ? Double3{v, w, u} : Double3{u, v, w};
    const Double3 n = unit(direction);
    int visited = 0;
    last = patch_from(last, n, visited);
    table_[cell(n)] = number(last);
  }
}

std::int32_t StpSurface::number(Patch patch) const {
  const auto vertices = static_cast<std::int32_t>(vertices_.size()), edges = static_cast<std::int32_t>(edges_.size());
  return patch.index + (patch.kind == Kind::vertex ? 0 : patch.kind == Kind::edge ? vertices : vertices + edges);
}

StpSurface::Patch StpSurface::patch_of_number(std::int32_t number) const {
  const auto vertices = static_cast<std::int32_t>(vertices_.size()), edges = static_cast<std::int32_t>(edges_.size());
  if (number < vertices) return {Kind::vertex, number};
  if (number < vertices + edges) return {Kind::edge, number - vertices};
  return {Kind::face, number - vertices - edges};
}

// ---------------------------------------------------------------------------------------------------------------------- the walk

StpSurface::Patch StpSurface::patch(Double3 n, int& visited) const {
  return patch_from(patch_of_number(table_[cell(n)]), n, visited);
}

/// Where to go from an edge; the edge itself when n is on it.
StpSurface::Patch StpSurface::leave_edge(std::int32_t index, Double3 n) const {
  const Edge& edge = edges_[index];
  const double along = dot(n, edge.axis);
  if (std::abs(along) > edge.sine + kSlack) return {Kind::vertex, edge.vertices[along > 0.0 ? 1 : 0]};
  if (edge.faces[0] < 0) return {Kind::edge, index};
  const double first = dot(n, edge.inward[0]), second = dot(n, edge.inward[1]);
  // a wide arc is left only where both sides say so
  const double over = edge.wide ? std::min(first, second) : std::max(first, second);
  // on both planes of an arc without length lies the far side as well
  if (over > kSlack || dot(n, edge.outward) < 0.0) return {Kind::face, edge.faces[first >= second ? 0 : 1]};
  return {Kind::edge, index};
}

StpSurface::Patch StpSurface::patch_from(Patch at, Double3 n, int& visited) const {
  if (edges_.empty()) return {Kind::vertex, 0};
  const std::size_t most = 16 + vertices_.size() + edges_.size();
  for (std::size_t step = 0; step < most; ++step) {
    ++visited;
    std::int32_t edge = at.index;
    if (at.kind == Kind::vertex) {
      const Vertex& vertex = vertices_[at.index];
      double worst = 0.0;
      edge = -1;
      for (const Spoke& spoke : spokes(vertex)) {
        const double over = dot(n, spoke.along) - spoke.limit;
        if (over > worst) worst = over, edge = spoke.edge;
      }
      if (edge < 0) return at;
    } else if (at.kind == Kind::face) {
      const Face& face = faces_[at.index];
      double worst = -kSlack;
      edge = -1;
      for (int k = 0; k < 3; ++k) {
        const Edge& side = edges_[face.edges[k]];
        const int which = side.vertices[0] == face.vertices[k] ? 0 : 1;
        const double inside = dot(n, side.inward[which]);
        if (inside < worst) worst = inside, edge = face.edges[k];
      }
      if (edge < 0) return at;
    }
    const Patch towards = leave_edge(edge, n);
    if (towards.kind == Kind::edge || (towards.kind == at.kind && towards.index == at.index)) return towards;
    at = towards;
  }
  return scanned(n);
}

/// How far n is beyond the borders of a patch, as an angle or its sine; at most zero inside.
double StpSurface::violation(Patch patch, Double3 n) const {
  if (patch.kind == Kind::vertex) {
    double worst = -1.0;
    for (const Spoke& spoke : spokes(vertices_[patch.index])) {
      const Edge& edge = edges_[spoke.edge];
      worst = std::max(worst, (dot(n, spoke.along) - spoke.limit) / (2.0 * edge.half_length));
    }
    return worst;
  }
  if (patch.kind == Kind::edge) {
    const Edge& edge = edges_[patch.index];
    const double beyond = std::abs(dot(n, edge.axis)) - edge.sine;
    if (edge.faces[0] < 0) return beyond;
    const double first = dot(n, edge.inward[0]), second = dot(n, edge.inward[1]);
    const double sides = edge.wide ? std::min(first, second) : std::max(first, second);
    return std::max(beyond, dot(n, edge.outward) < 0.0 ? 1.0 : sides);
  }
  double worst = -1.0;
  const Face& face = faces_[patch.index];
  for (int k = 0; k < 3; ++k) {
    const Edge& side = edges_[face.edges[k]];
    worst = std::max(worst, -dot(n, side.inward[side.vertices[0] == face.vertices[k] ? 0 : 1]));
  }
  return worst;
}

StpSurface::Patch StpSurface::scanned(Double3 n) const {
  Patch best{Kind::vertex, 0};
  double least = violation(best, n);
  const auto count = static_cast<std::int32_t>(vertices_.size() + edges_.size() + faces_.size());
  for (std::int32_t i = 1; i < count && least > 0.0; ++i) {
    const Patch candidate = patch_of_number(i);
    const double found = violation(candidate, n);
    if (found < least) least = found, best = candidate;
  }
  return best;
}

// ---------------------------------------------------------------------------------------------------------------------- points

// Edge   with n = s a + c g, g the unit vector along n_perp: m - rho g + alpha n = m + alpha s a + (alpha c - rho) g, and because
//        rho^2 = alpha^2 - l^2/4 the last factor is (l^2/4 - alpha^2 s^2) / (alpha c + rho), without a difference of large numbers.
// Face   with n = t + z N: q - h N + alpha n = q + alpha t + (alpha z - h) N, and the last factor is (c^2 - alpha^2 |t|^2) / (alpha z + h) where
//        the sum below is large; else alpha is no larger than the triangle and the plain form loses nothing.
StpSurface::Bend StpSurface::bend(Patch patch, Double3 n) const {
  constexpr Double3 zero{0.0, 0.0, 0.0};
  if (patch.kind == Kind::vertex) return {vertices_[patch.index].point, 0.0, 0.0, zero};
  if (patch.kind == Kind::face) {
    const Face& face = faces_[patch.index];
    if (2.0 * face.height < alpha_) return {face_center(face) + alpha_ * n, alpha_, alpha_, zero};
    const double z = dot(n, face.normal);
    const Double3 across = n - z * face.normal;  // but for the rounding of z
    const Double3 tangential = alpha_ * (across - dot(across, face.normal) * face.normal);
    const double sum = alpha_ * std::abs(z) + face.height;
    const double rise = (face.squared_radius - tangential.squared_norm()) / sum;
    const double up = z >= 0.0 ? rise : alpha_ * z - face.height;
    return {face.circumcenter + tangential + up * face.normal, alpha_, alpha_, zero};
  }
  const Edge& edge = edges_[patch.index];
  const double s = dot(n, edge.axis);
  const Double3 perpendicular = n - s * edge.axis;
  const double c = perpendicular.norm();
  if (!(c > 0.0)) return {edge.middle + alpha_ * n, alpha_, alpha_, zero};
  const Double3 g = (1.0 / c) * perpendicular;
  const double along = alpha_ * s;
  const double rise = (edge.half_length - along) * (edge.half_length + along) / (alpha_ * c + edge.radius);
  return {edge.middle + along * edge.axis + rise * g, alpha_, std::max(0.0, rise / c), cross(edge.axis, g)};
}

Double3 StpSurface::point(Patch patch, Double3 n) const { return bend(patch, n).point; }

// c* + alpha n moves by n and by the centre: h' = alpha / h along -N, rho' = alpha / rho along -g.
Double3 StpSurface::alpha_shift(Patch patch, Double3 n) const {
  if (patch.kind == Kind::vertex) return {0.0, 0.0, 0.0};
  if (patch.kind == Kind::face) {
    const Face& face = faces_[patch.index];
    return face.height > 0.0 ? n - (alpha_ / face.height) * face.normal : n;
  }
  const Edge& edge = edges_[patch.index];
  const Double3 g = unit(n - dot(n, edge.axis) * edge.axis);
  return edge.radius > 0.0 ? n - (alpha_ / edge.radius) * g : n;
}

std::size_t StpSurface::nbytes() const {
  return sizeof(*this) + vertices_.capacity() * sizeof(Vertex) + spokes_.capacity() * sizeof(Spoke) +
         edges_.capacity() * sizeof(Edge) + faces_.capacity() * sizeof(Face) + table_.capacity() * sizeof(std::int32_t);
}

}  // namespace tactum
