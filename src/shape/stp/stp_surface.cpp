// SPDX-License-Identifier: BSD-2-Clause
// Patches from triangles, and the walk over them.
//
// Walk       n is tested against the borders of a patch; where it is beyond one, the walk goes on
//            across that border. A table of directions gives the patch to start from, so that a few
//            steps are enough. Borders are met within a few roundings; should rounding send the
//            walk in circles all the same, the patch with the least violation is taken.
#include "shape/stp/stp_surface.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "math/epsilon.hpp"
#include "shape/check/smallest_sphere.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tactum {
namespace {

// rad: a border is met within this
constexpr double kSlack = 4.0 * kEpsilon;
constexpr float kUnsure = 1e-6F;  // error of single precision: a few roundings of numbers up to two

constexpr double kLeastSquare = 1e-290;  // squares from here on have an inverse

/// A vector whose four numbers are all the largest of v.
template <class Float4>
Float4 spread_largest(Float4 v) {
  const Float4 swapped = __builtin_shufflevector(v, v, 2, 3, 0, 1), two = v > swapped ? v : swapped;
  const Float4 turned = __builtin_shufflevector(two, two, 1, 0, 3, 2);
  return two > turned ? two : turned;
}

/// Index of a number among eight, the first of equals. It has no branches, because none could be
/// predicted.
template <class Float4>
int place_of(Float4 number, Float4 low, Float4 high) {
#ifdef __SSE2__
  const auto bits = static_cast<unsigned>(_mm_movemask_ps(low == number) |
                                          _mm_movemask_ps(high == number) << 4);
  return std::countr_zero(bits);
#else
  int place = 7;
  for (int i = 2; i >= 0; --i) place = high[i] == number[i] ? 4 + i : place;
  for (int i = 3; i >= 0; --i) place = low[i] == number[i] ? i : place;
  return place;
#endif
}

/// The sine l / (2 alpha) of an incident edge.
template <class Block>
float sine_of(const Block& block, int place) {
  return block.sine[static_cast<std::size_t>(place / 4)][place % 4];
}

}  // namespace

StpSurface::StpSurface(const Points& points, const StpTopology& topology, double alpha)
    : alpha_(alpha), deviation_(topology.deviation), smallest_ball_(smallest_sphere(points)) {
  squared_spacing_ /= static_cast<double>(topology.vertices.size());
  vertices_.reserve(topology.vertices.size());
  faces_.reserve(topology.spheres.size());
  edges_.reserve(std::max<std::size_t>(1, topology.origin.size() / 2));
  for (const std::int32_t column : topology.vertices)
    vertices_.push_back({to_double3(points.col(column)), 0, 0});
  for (std::size_t f = 0; f < topology.spheres.size(); ++f) {
    const StpTopology::BigSphere& sphere = topology.spheres[f];
    const std::int32_t* corner = &topology.origin[3 * f];
    faces_.push_back({to_double3(sphere.circumcenter),
                      to_double3(sphere.normal),
                      sphere.height,
                      sphere.squared_radius,
                      {},
                      to_double3(sphere.circumcenter) - sphere.height * to_double3(sphere.normal),
                      to_double3(sphere.corner),
                      to_double3(sphere.outward),
                      {corner[0], corner[1], corner[2]},
                      {-1, -1, -1}});
  }
  set_edges(topology);
  set_incident_edges();
  set_table();
}

void StpSurface::set_edges(const StpTopology& topology) {
  const auto add = [&](std::int32_t i, std::int32_t j) -> Edge& {
    const Double3 p = vertices_[i].point, q = vertices_[j].point;
    const double half = 0.5 * (q - p).norm();
    // the difference of radius and half length may be much smaller than both
    const auto exact = [](double x, double y) {
      return static_cast<long double>(x) - static_cast<long double>(y);
    };
    const long double x = exact(q.x, p.x), y = exact(q.y, p.y), z = exact(q.z, p.z);
    const long double wide_half = 0.5L * std::sqrt(x * x + y * y + z * z);
    edges_.push_back({0.5 * p + 0.5 * q,
                      unit_or_zero(q - p),
                      half,
                      half / alpha_,
                      {},
                      {i, j},
                      {-1, -1},
                      {-1, -1},
                      {0.0, 0.0, 0.0},
                      static_cast<double>(
                          std::sqrt(std::max(0.0L, (alpha_ - wide_half) * (alpha_ + wide_half)))),
                      false,
                      true});
    return edges_.back();
  };
  if (vertices_.size() == 2) add(0, 1);
  for (std::int32_t h = 0; h < static_cast<std::int32_t>(topology.origin.size()); ++h) {
    const std::int32_t twin = topology.twin[h];
    if (twin < h) continue;
    const auto index = static_cast<std::int32_t>(edges_.size());
    Edge& edge = add(topology.origin[h], topology.origin[twin]);
    edge.faces = {h / 3, twin / 3};
    edge.apexes = {faces_[h / 3].vertices[(h + 2) % 3], faces_[twin / 3].vertices[(twin + 2) % 3]};
    faces_[h / 3].edges[h % 3] = faces_[twin / 3].edges[twin % 3] = index;
    // towards the centers, from the middle of the edge
    const Double3 first = unit_or_zero(faces_[h / 3].center - edge.middle),
                  second = unit_or_zero(faces_[twin / 3].center - edge.middle);
    edge.inward = {cross(edge.axis, first), cross(second, edge.axis)};
    faces_[h / 3].inward[h % 3] = edge.inward[0];
    faces_[twin / 3].inward[twin % 3] = edge.inward[1];
    edge.wide = topology.wide[h] != 0;
    // triangles of one sphere share its center to the last bit
    edge.has_arc = edge.wide ||
                   (faces_[h / 3].center - faces_[twin / 3].center).squared_norm() > 0.0;
    edge.outward = dot(first, second) > 0.0 && !edge.wide ? -(first + second)
                                                          : Double3{0.0, 0.0, 0.0};
  }
}

void StpSurface::set_incident_edges() {
  for (const Edge& edge : edges_) {
    for (const std::int32_t i : edge.vertices) ++vertices_[i].num_incident_edges;
  }
  std::int32_t incident_edges = 0;
  for (Vertex& vertex : vertices_) {
    vertex.first_incident_edge = incident_edges;
    incident_edges += vertex.num_incident_edges;
    vertex.num_incident_edges = 0;
  }
  incident_edges_.resize(static_cast<std::size_t>(incident_edges));
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    for (int k = 0; k < 2; ++k) {
      Vertex& from = vertices_[edges_[e].vertices[k]];
      incident_edges_[from.first_incident_edge + from.num_incident_edges++] = {
          static_cast<std::int32_t>(e), edges_[e].vertices[1 - k]};
    }
  }
  blocks_.reserve(vertices_.size() + incident_edges_.size() / IncidentEdgeBlock::kWidth);
  blocks_.resize(vertices_.size());
  for (std::size_t v = 0; v < vertices_.size(); ++v) {
    std::size_t place = v;
    set_block(static_cast<std::int32_t>(v), 0, blocks_[place]);
    for (int first = IncidentEdgeBlock::kWidth; first < vertices_[v].num_incident_edges;
         first += IncidentEdgeBlock::kWidth) {
      blocks_[place].next = static_cast<std::int32_t>(blocks_.size());
      place = blocks_.size();
      set_block(static_cast<std::int32_t>(v), first, blocks_.emplace_back());
    }
  }
}

void StpSurface::set_block(std::int32_t index, int first, IncidentEdgeBlock& block) const {
  const Vertex& vertex = vertices_[index];
  for (int i = 0; i < IncidentEdgeBlock::kWidth && vertex.num_incident_edges > 0; ++i) {
    const IncidentEdge& incident_edge =
        incident_edges_[vertex.first_incident_edge +
                        std::min(first + i, vertex.num_incident_edges - 1)];
    const Edge& edge = edges_[incident_edge.edge];
    const Double3 along = edge.vertices[0] == index ? edge.axis : -edge.axis;
    const auto half = static_cast<std::size_t>(i / 4);
    block.x[half][i % 4] = static_cast<float>(along.x);
    block.y[half][i % 4] = static_cast<float>(along.y);
    block.z[half][i % 4] = static_cast<float>(along.z);
    block.sine[half][i % 4] = static_cast<float>(edge.sine);
    block.towards[static_cast<std::size_t>(i)] = incident_edge.towards;
  }
}

// -------------------------------------------------------------------------------------------------
// the table

/// Cell of the octahedron |x| + |y| + |z| = 1: its octants are cut into squares of side 1 / cells_
/// in (|x|, |y|); those beyond the diagonal are not used.
std::size_t StpSurface::cell(const Double3& n) const {
  const double x = std::abs(n.x), y = std::abs(n.y), z = std::abs(n.z);
  const double scale = cells_ / (x + y + z);
  const int octant = (std::signbit(n.x) ? 1 : 0) + (std::signbit(n.y) ? 2 : 0) +
                     (std::signbit(n.z) ? 4 : 0);
  const int column = std::min(cells_ - 1, static_cast<int>(x * scale)),
            row = std::min(cells_ - 1, static_cast<int>(y * scale));
  return static_cast<std::size_t>((octant * cells_ + row) * cells_ + column);
}

void StpSurface::set_table() {
  // about four cells for each vertex
  cells_ = std::clamp(static_cast<int>(std::sqrt(static_cast<double>(vertices_.size()))), 1, 256);
  table_.resize(8 * static_cast<std::size_t>(cells_) * cells_);
  Patch last{Kind::vertex, 0};
  for (int octant = 0; octant < 8; ++octant) {
    for (int row = 0; row < cells_; ++row) {
      const int columns = std::min(cells_,
                                   cells_ - row + 1);  // one beyond the diagonal: rounding may lead
                                                       // there
      for (int place = 0; place < columns; ++place) {
        // alternating directions, so that neighbors follow one another
        const int column = row % 2 == 0 ? place : columns - 1 - place;
        const double third = 1.0 / 3.0, x = (column + third) / cells_, y = (row + third) / cells_,
                     z = std::max(0.0, 1.0 - x - y);
        int visited = 0;
        last = patch_from(
            last, unit_or_zero({octant & 1 ? -x : x, octant & 2 ? -y : y, octant & 4 ? -z : z}),
            visited);
        table_[static_cast<std::size_t>((octant * cells_ + row) * cells_ + column)] = number(last);
      }
    }
  }
}

std::int32_t StpSurface::number(Patch patch) const {
  const auto vertices = static_cast<std::int32_t>(vertices_.size()),
             edges = static_cast<std::int32_t>(edges_.size());
  return patch.index + (patch.kind == Kind::vertex ? 0
                        : patch.kind == Kind::edge ? vertices
                                                   : vertices + edges);
}

StpSurface::Patch StpSurface::patch_of_number(std::int32_t number) const {
  const auto vertices = static_cast<std::int32_t>(vertices_.size()),
             edges = static_cast<std::int32_t>(edges_.size());
  if (number < vertices) return {Kind::vertex, number};
  if (number < vertices + edges) return {Kind::edge, number - vertices};
  return {Kind::face, number - vertices - edges};
}

// -------------------------------------------------------------------------------------------------
// the walk

StpSurface::Patch StpSurface::patch(const Double3& n, int& visited) const {
  return patch_from(patch_nearby(n), n, visited);
}

[[gnu::always_inline]] inline StpSurface::BorderViolation StpSurface::border_violation(
    const IncidentEdgeBlock& block, Float4 x, Float4 y, Float4 z) {
  const Float4 low = x * block.x[0] + y * block.y[0] + z * block.z[0] + block.sine[0],
               high = x * block.x[1] + y * block.y[1] + z * block.z[1] + block.sine[1];
  const Float4 worst = spread_largest(low > high ? low : high);
  return {worst[0], place_of(worst, low, high)};
}

void StpSurface::walk_both(Walk& a, Walk& b, int& visited) {
  constexpr int most = 8;  // steps; longer walks are left to patch_from()
  const auto spread = [](double number) { return static_cast<float>(number) - Float4{}; };
  const Float4 ax = spread(a.n.x), ay = spread(a.n.y), az = spread(a.n.z), bx = spread(b.n.x),
               by = spread(b.n.y), bz = spread(b.n.z);
  const bool vertices = a.at.kind == Kind::vertex && b.at.kind == Kind::vertex;
  bool in_a = false, in_b = false;
  for (int step = 0; step < most && vertices; ++step) {
    const IncidentEdgeBlock &block_a = a.surface.blocks_[a.at.index],
                            &block_b = b.surface.blocks_[b.at.index];
    const BorderViolation violation_a = border_violation(block_a, ax, ay, az),
                          violation_b = border_violation(block_b, bx, by, bz);
    const bool over_a = violation_a.worst > 2.0F * sine_of(block_a, violation_a.place) + kUnsure;
    const bool over_b = violation_b.worst > 2.0F * sine_of(block_b, violation_b.place) + kUnsure;
    in_a = (violation_a.worst < -kUnsure) & (block_a.next < 0);
    in_b = (violation_b.worst < -kUnsure) & (block_b.next < 0);
    // neither on its vertex nor beyond the edge next to it: the full test is needed
    if (!((in_a | over_a) & (in_b | over_b))) break;
    visited += 2;
    if (in_a & in_b) return;
    a.at.index = over_a ? block_a.towards[static_cast<std::size_t>(violation_a.place)] : a.at.index;
    b.at.index = over_b ? block_b.towards[static_cast<std::size_t>(violation_b.place)] : b.at.index;
  }
  if (!in_a) a.at = a.surface.patch_from(a.at, a.n, visited);
  if (!in_b) b.at = b.surface.patch_from(b.at, b.n, visited);
}

/// The incident edge of a vertex that n is farthest beyond; -1 where there is none.
std::int32_t StpSurface::crossed_incident_edge(const Vertex& vertex, const Double3& n) const {
  double worst = 0.0;
  std::int32_t crossed = -1;
  for (std::int32_t i = 0; i < vertex.num_incident_edges; ++i) {
    const IncidentEdge& incident_edge = incident_edges_[vertex.first_incident_edge + i];
    const Edge& edge = edges_[incident_edge.edge];
    const double along = dot(n, edge.axis);
    const double over = (edge.vertices[1] == incident_edge.towards ? along : -along) + edge.sine -
                        kSlack;
    if (over > worst) worst = over, crossed = i;
  }
  return crossed;
}

/// The patch to go to from a vertex; the vertex itself when n is on it.
StpSurface::Patch StpSurface::leave_vertex(std::int32_t index, const Double3& n) const {
  const auto spread = [](double number) { return static_cast<float>(number) - Float4{}; };
  const Float4 x = spread(n.x), y = spread(n.y), z = spread(n.z);
  const IncidentEdgeBlock* block = &blocks_[index];
  BorderViolation found = border_violation(*block, x, y, z);
  float sine = sine_of(*block, found.place);
  std::int32_t crossed = found.place;
  for (std::int32_t first = IncidentEdgeBlock::kWidth; block->next >= 0;
       first += IncidentEdgeBlock::kWidth) {
    block = &blocks_[block->next];
    const BorderViolation more = border_violation(*block, x, y, z);
    if (!(more.worst > found.worst)) continue;
    found = more;
    sine = sine_of(*block, more.place);
    crossed = first + more.place;
  }
  if (found.worst < -kUnsure) return {Kind::vertex, index};
  const Vertex& vertex = vertices_[index];
  if (found.worst <= kUnsure) crossed = crossed_incident_edge(vertex, n);
  if (crossed < 0) return {Kind::vertex, index};
  const IncidentEdge& incident_edge = incident_edges_[vertex.first_incident_edge + crossed];
  // n is beyond the other end of the edge as well
  if (found.worst > 2.0F * sine + kUnsure) return {Kind::vertex, incident_edge.towards};
  return leave_edge(incident_edge.edge, n);
}

/// The patch to go to from an edge; the edge itself when n is on it.
StpSurface::Patch StpSurface::leave_edge(std::int32_t index, const Double3& n) const {
  const Edge& edge = edges_[index];
  const double along = dot(n, edge.axis);
  if (std::abs(along) > edge.sine + kSlack)
    return {Kind::vertex, edge.vertices[along > 0.0 ? 1 : 0]};
  if (edge.faces[0] < 0) return {Kind::edge, index};
  const double first = dot(n, edge.inward[0]), second = dot(n, edge.inward[1]);
  // a wide arc is left only where n is beyond both sides
  const double over = edge.wide ? std::min(first, second) : std::max(first, second);
  // the far side of a very short arc is on both planes as well
  const bool is_off = over > kSlack || dot(n, edge.outward) < 0.0;
  if (is_off || !edge.has_arc) return {Kind::face, edge.faces[first >= second ? 0 : 1]};
  return {Kind::edge, index};
}

/// The edge of a face that n is farthest beyond; -1 where there is none.
std::int32_t StpSurface::crossed_side(const Face& face, const Double3& n) const {
  const double first = dot(n, face.inward[0]), second = dot(n, face.inward[1]),
               third = dot(n, face.inward[2]);
  const double least = std::min(std::min(first, second), third);
  if (!(least < -kSlack)) return -1;
  return face.edges[least == first ? 0 : least == second ? 1 : 2];
}

bool StpSurface::holds(Patch patch, const Double3& n) const {
  if (patch.kind == Kind::face) return crossed_side(faces_[patch.index], n) < 0;
  const Patch next = patch.kind == Kind::edge ? leave_edge(patch.index, n)
                                              : leave_vertex(patch.index, n);
  return next.kind == patch.kind && next.index == patch.index;
}

StpSurface::Patch StpSurface::patch_from(Patch at, const Double3& n, int& visited) const {
  if (edges_.empty()) return {Kind::vertex, 0};
  constexpr std::size_t few = 16;
  for (std::size_t step = 0; step < few || step < few + vertices_.size() + edges_.size(); ++step) {
    ++visited;
    Patch next = at;
    if (at.kind == Kind::vertex) {
      next = leave_vertex(at.index, n);
    } else {
      const std::int32_t edge = at.kind == Kind::edge ? at.index
                                                      : crossed_side(faces_[at.index], n);
      if (edge >= 0) next = leave_edge(edge, n);
    }
    if (next.kind == Kind::edge || (next.kind == at.kind && next.index == at.index)) return next;
    at = next;
  }
  return scanned(n);
}

bool StpSurface::carried_patch(const std::int32_t* names, int count, Patch& patch) const {
  for (const IncidentEdge& incident_edge : incident_edges(vertices_[names[0]])) {
    if (incident_edge.towards != names[1]) continue;
    const Edge& edge = edges_[incident_edge.edge];
    patch = edge.has_arc ? Patch{Kind::edge, incident_edge.edge} : Patch{Kind::face, edge.faces[0]};
    if (count == 2) return true;
    if (names[2] != edge.apexes[0] && names[2] != edge.apexes[1]) continue;
    patch = {Kind::face, edge.faces[names[2] == edge.apexes[0] ? 0 : 1]};
    return true;
  }
  return false;
}

bool StpSurface::is_on_border(Patch patch, const Double3& n, double angle) const {
  if (patch.kind != Kind::face) return violation(patch, n) > -angle;
  const Face& face = faces_[patch.index];
  int near = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    if (!(dot(n, face.inward[k]) < angle)) continue;
    // next to two sides is a corner, where the normals of its vertex begin
    if (edges_[face.edges[k]].has_arc || ++near == 2) return true;
  }
  return false;
}

/// How far n is beyond the borders of a patch, as an angle or its sine; at most zero inside. An
/// edge between triangles of one sphere has no inside.
double StpSurface::violation(Patch patch, const Double3& n) const {
  if (patch.kind == Kind::vertex) {
    double worst = -1.0;
    for (const IncidentEdge& incident_edge : incident_edges(vertices_[patch.index])) {
      const Edge& edge = edges_[incident_edge.edge];
      const double along = dot(n, edge.axis);
      worst = std::max(worst,
                       (edge.vertices[0] == patch.index ? along : -along) + edge.sine - kSlack);
    }
    return worst;
  }
  if (patch.kind == Kind::edge) {
    const Edge& edge = edges_[patch.index];
    if (!edge.has_arc) return 1.0;
    const double beyond = std::abs(dot(n, edge.axis)) - edge.sine;
    if (edge.faces[0] < 0) return beyond;
    const double first = dot(n, edge.inward[0]), second = dot(n, edge.inward[1]);
    const double sides = edge.wide ? std::min(first, second) : std::max(first, second);
    return std::max(beyond, dot(n, edge.outward) < 0.0 ? 1.0 : sides);
  }
  double worst = -1.0;
  for (const Double3& inward : faces_[patch.index].inward) worst = std::max(worst, -dot(n, inward));
  return worst;
}

StpSurface::Patch StpSurface::scanned(const Double3& n) const {
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

// -------------------------------------------------------------------------------------------------
// points

// Edge       with n = s a + c g, g the unit vector along n_perp: m - rho g + alpha n = m + alpha s
//            a + (alpha c - rho) g, and because rho^2 = alpha^2 - l^2/4 the last factor is (l^2/4 -
//            alpha^2 s^2) / (alpha c + rho), without a difference of large numbers.
// Face       with u the normal at a corner p and d = n - u: c + alpha n = p + alpha d, whose height
//            over p, alpha n.d, is alpha |d|^2 / 2 for unit vectors: the latter loses no digits and
//            is used instead.
void StpSurface::curvature(Patch patch, const Double3& n, Curvature& result) const {
  result.radius = result.across_radius = patch.kind == Kind::vertex ? 0.0 : alpha_;
  result.across = {0.0, 0.0, 0.0};
  if (patch.kind == Kind::vertex) {
    result.point = vertices_[patch.index].point;
  } else if (patch.kind == Kind::face) {
    const Face& face = faces_[patch.index];
    const Double3 d = n - face.outward;
    result.point = face.corner + alpha_ * d + (alpha_ * (0.5 * d.squared_norm() - dot(n, d))) * n;
  } else {
    const Edge& edge = edges_[patch.index];
    const double s = dot(n, edge.axis);
    const Double3 perpendicular = n - s * edge.axis;
    const double square = perpendicular.squared_norm();
    if (!(square > kLeastSquare)) {
      result.point = edge.middle + alpha_ * n;
      return;
    }
    const double c = std::sqrt(square), inverse = c * (1.0 / square), along = alpha_ * s;
    const Double3 g = inverse * perpendicular;
    const double rise = (edge.half_length - along) * (edge.half_length + along) /
                        (alpha_ * c + edge.radius);
    result.point = edge.middle + along * edge.axis + rise * g;
    result.across_radius = std::max(0.0, rise * inverse);
    result.across = cross(edge.axis, g);
  }
}

Double3 StpSurface::point(Patch patch, const Double3& n) const { return curvature(patch, n).point; }

double StpSurface::support_error() const {
  const double radius = smallest_ball_.radius, room = alpha_ - radius;
  const double farthest = std::sqrt(std::max(0.0, room * (alpha_ + radius)));
  return room > deviation_ ? deviation_ / room * farthest : farthest;
}

// Derivative: c* + alpha n moves by n and by the center, with h' = alpha / h along -N and rho' =
// alpha / rho along -g.
Double3 StpSurface::alpha_shift(Patch patch, const Double3& n) const {
  if (patch.kind == Kind::vertex) return {0.0, 0.0, 0.0};
  if (patch.kind == Kind::face) {
    const Face& face = faces_[patch.index];
    return face.height > 0.0 ? n - (alpha_ / face.height) * face.normal : n;
  }
  const Edge& edge = edges_[patch.index];
  const Double3 g = unit_or_zero(n - dot(n, edge.axis) * edge.axis);
  return edge.radius > 0.0 ? n - (alpha_ / edge.radius) * g : n;
}

std::size_t StpSurface::nbytes() const {
  return sizeof(*this) + vertices_.capacity() * sizeof(Vertex) +
         incident_edges_.capacity() * sizeof(IncidentEdge) +
         blocks_.capacity() * sizeof(IncidentEdgeBlock) + edges_.capacity() * sizeof(Edge) +
         faces_.capacity() * sizeof(Face) + table_.capacity() * sizeof(std::int32_t);
}

}  // namespace tactum
