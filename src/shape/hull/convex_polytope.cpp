// SPDX-License-Identifier: BSD-2-Clause
// Tables of a convex hull.
//
// Planes     the normal of a face is the triangle's own, or that of the face across its longest
//            edge where a triangle has no area; all faces of a polygon share the normal of the best
//            triangle. The offset is the height of the support vertex.
// Fails      from_mesh throws InvalidInput for anything that is not the closed, outward, convex
//            boundary of its vertices.
#include "shape/hull/convex_polytope.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "math/epsilon.hpp"
#include "shape/check/triangle_plane.hpp"
#include "shape/hull/convex_hull.hpp"
#include "shape/hull/convex_mesh_check.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

struct HalfEdge {
  std::array<std::int32_t, 2> vertices;  // ascending
  bool backward;                         // the face runs from the larger to the smaller
  std::int32_t face, corner;
  auto operator<=>(const HalfEdge&) const = default;
};

/// Half edges sorted by vertices: the one or two of an edge follow one another, the forward one
/// first.
std::vector<HalfEdge> half_edges(const std::vector<ConvexPolytope::Face>& faces) {
  std::vector<HalfEdge> result;
  result.reserve(3 * faces.size());
  for (std::size_t f = 0; f < faces.size(); ++f) {
    for (std::int32_t k = 0; k < 3; ++k) {
      const std::int32_t from = faces[f].vertices[k];
      const std::int32_t to = faces[f].vertices[(k + 1) % 3];
      result.push_back(
          {{std::min(from, to), std::max(from, to)}, from > to, static_cast<std::int32_t>(f), k});
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

ConvexPolytope ConvexPolytope::from_points(const Points& points) {
  HullTopology hull = convex_hull(points);
  ConvexPolytope polytope;
  polytope.dimension_ = hull.dimension;
  polytope.set_vertices(points(Eigen::all, hull.vertices));
  polytope.set_faces(std::move(hull.faces));
  if (hull.dimension == 1) polytope.edges_ = {{{0, 1}, {-1, -1}}};
  assert(hull.dimension != 3 || polytope.is_sphere_like());
  polytope.set_neighbors();
  polytope.set_directions();
  polytope.set_planes();
  return polytope;
}

ConvexPolytope ConvexPolytope::from_mesh(const Points& vertices, const Triangles& faces) {
  check_closed_mesh(vertices, faces);
  std::vector<std::array<std::int32_t, 3>> corners(static_cast<std::size_t>(faces.cols()));
  for (std::size_t f = 0; f < corners.size(); ++f) {
    for (int k = 0; k < 3; ++k) corners[f][k] = faces(k, static_cast<Eigen::Index>(f));
  }
  ConvexPolytope polytope;
  polytope.dimension_ = 3;
  polytope.set_vertices(vertices);
  polytope.set_faces(std::move(corners));
  polytope.set_neighbors();
  polytope.set_directions();
  int visited = 0;
  check_mesh_is_convex(vertices, faces, [&](const Vector3& direction) {
    return polytope.support_vertex(direction, visited);
  });
  polytope.set_planes();
  return polytope;
}

void ConvexPolytope::set_vertices(const Points& vertices) {
  num_vertices_ = static_cast<int>(vertices.cols());
  vertices_.resize(static_cast<std::size_t>(num_vertices_));
  for (int i = 0; i < num_vertices_; ++i) vertices_[i].point = vertices.col(i);
  // the mean of differences: no accuracy is lost far from the origin, and no sum overflows
  const Vector3 first = vertices.col(0);
  centroid_ = first + (vertices.colwise() - first).rowwise().sum() / num_vertices_;
  rounding_ = kEpsilon * vertices.colwise().norm().maxCoeff();
}

void ConvexPolytope::set_faces(std::vector<std::array<std::int32_t, 3>> faces) {
  faces_.resize(faces.size());
  for (std::size_t f = 0; f < faces.size(); ++f) faces_[f] = {faces[f], {-1, -1, -1}};
  const std::vector<HalfEdge> sorted = half_edges(faces_);
  edges_.reserve(dimension_ == 3 ? sorted.size() / 2 : static_cast<std::size_t>(num_vertices_));
  for (std::size_t i = 0; i < sorted.size();) {
    const HalfEdge& a = sorted[i];
    const bool paired = i + 1 < sorted.size() && sorted[i + 1].vertices == a.vertices;
    // the surface is closed: each edge is run along once in each direction
    assert(dimension_ != 3 || (paired && a.backward != sorted[i + 1].backward));
    if (paired) {
      const HalfEdge& b = sorted[i + 1];
      faces_[a.face].neighbors[a.corner] = b.face;
      faces_[b.face].neighbors[b.corner] = a.face;
    }
    // inside a polygon a shared edge is a diagonal of the triangulation, not an edge of the shape
    if (dimension_ == 3) edges_.push_back({a.vertices, {a.face, sorted[i + 1].face}});
    if (dimension_ == 2 && !paired) {
      edges_.push_back({a.vertices, {a.backward ? -1 : a.face, a.backward ? a.face : -1}});
    }
    i += paired ? 2 : 1;
  }
}

void ConvexPolytope::set_neighbors() {
  for (const Edge& edge : edges_) {
    for (const std::int32_t vertex : edge.vertices) ++vertices_[vertex].num_neighbors;
  }
  std::vector<std::int32_t> next;
  std::int32_t total = 0;
  for (HullVertex& vertex : vertices_) {
    vertex.first_neighbor = total;
    next.push_back(total);
    total += vertex.num_neighbors;
  }
  neighbors_.resize(2 * edges_.size());
  // edges are sorted, so filling the larger ends first leaves every list ascending
  for (const Edge& edge : edges_) neighbors_[next[edge.vertices[1]]++] = edge.vertices[0];
  for (const Edge& edge : edges_) neighbors_[next[edge.vertices[0]]++] = edge.vertices[1];
}

// Builds the lists of directions in the memory that the other tables leave of what a hull may have.
void ConvexPolytope::set_directions() {
  constexpr std::size_t bytes_per_vertex = 256, bytes_per_hull = 16384;
  const std::size_t others = nbytes() + faces_.size() * sizeof(Plane);
  const std::size_t allowed = bytes_per_vertex * vertices_.size() + bytes_per_hull;
  directions_ = DirectionTable(vertices_, neighbors_, allowed - std::min(allowed, others));
  support_ = directions_.view();
  support_.scan = support_scan(directions_, simd_level());
}

int ConvexPolytope::support_vertex(const Vector3& direction, SimdLevel level) const {
  int visited = 0;
  return support_scan(directions_, level)(support_, direction.data(), visited);
}

void ConvexPolytope::set_planes() {
  planes_.resize(faces_.size());
  std::vector<TrianglePlane> own;
  own.reserve(faces_.size());
  for (const Face& face : faces_) {
    own.push_back(triangle_plane(vertex(face.vertices[0]), vertex(face.vertices[1]),
                                 vertex(face.vertices[2])));
  }
  const auto higher = [](const TrianglePlane& a, const TrianglePlane& b) {
    return a.height < b.height;
  };
  const auto highest = std::max_element(own.begin(), own.end(), higher);
  for (std::size_t f = 0; f < faces_.size(); ++f)
    planes_[f].normal = dimension_ == 2 ? highest->normal : face_normal(own, f);
  std::vector<char> known(faces_.size(), 0);
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    if (known[f] != 0) continue;
    check_interrupt();
    int visited = 0;
    const Vector3 &normal = planes_[f].normal, &farthest = vertex(support_vertex(normal, visited));
    planes_[f].offset = normal.x() * farthest.x() + normal.y() * farthest.y() +
                        normal.z() * farthest.z();
    known[f] = 1;
    spread_offset(f, known);
  }
}

// Copies the plane of a face to all faces that are joined to it by faces of the same normal: the
// support along the normal of a cap looks at all of its corners.
void ConvexPolytope::spread_offset(std::size_t face, std::vector<char>& known) {
  std::vector<std::size_t> stack = {face};
  while (!stack.empty()) {
    const std::size_t at = stack.back();
    stack.pop_back();
    for (const std::int32_t neighbor : faces_[at].neighbors) {
      if (neighbor < 0 || known[neighbor] != 0 || planes_[neighbor].normal != planes_[at].normal)
        continue;
      planes_[neighbor].offset = planes_[at].offset;
      known[neighbor] = 1;
      stack.push_back(static_cast<std::size_t>(neighbor));
    }
  }
}

// Gives a triangle without area the normal of the face across its longest edge, which it is a part
// of.
Vector3 ConvexPolytope::face_normal(const std::vector<TrianglePlane>& own, std::size_t face) const {
  TrianglePlane plane = own[face];
  std::size_t at = face;
  for (int step = 0; step < 64 && plane.height <= rounding_; ++step) {
    const auto& corners = faces_[at].vertices;
    const auto edge_length = [&](int k) {
      return (vertex(corners[(k + 1) % 3]) - vertex(corners[k])).norm();
    };
    int longest = 0;
    for (int k = 1; k < 3; ++k) {
      if (edge_length(k) > edge_length(longest)) longest = k;
    }
    at = static_cast<std::size_t>(faces_[at].neighbors[longest]);
    if (own[at].height > plane.height) plane = own[at];
  }
  return plane.height > 0.0 ? plane.normal : Vector3::UnitZ();
}

std::size_t ConvexPolytope::nbytes() const {
  const auto bytes = [](const auto& table) { return table.capacity() * sizeof(table[0]); };
  return sizeof(*this) + bytes(vertices_) + bytes(neighbors_) + bytes(faces_) + bytes(planes_) +
         bytes(edges_) + directions_.nbytes();
}

}  // namespace tactum
