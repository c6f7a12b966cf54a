// SPDX-License-Identifier: BSD-2-Clause
// Tables of a convex hull, and the climb along its edges.
//
// Climb      from vertex to best neighbour while the height n.x grows. Where it stops with every neighbour lower by more than the
//            plateau width (64 eps max|x| |n|), the vertex is the highest: on a surface within rounding of convex, the part above any
//            level is connected up to that rounding. Otherwise the vertex may be a ripple on a flat part that rises slowly to a far
//            end (a cap with 1000 corners seen 1e-12 rad off its axis), and a scan of all vertices decides.
// Planes     the normal is the triangle's own, or that of the face across the longest edge where a triangle has no area; all faces
//            of a polygon share that of the best triangle. The offset is the largest n.x over all vertices, found by a climb and a
//            flood of what lies within the plateau width.
// Fails      from_mesh throws InvalidInput for anything that is not the closed, outward, convex boundary of its vertices.
#include "shape/convex_polytope.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "shape/convex_hull.hpp"
#include "shape/convex_mesh_check.hpp"
#include "shape/triangle_plane.hpp"

namespace tactum {
namespace {

constexpr int largest_scan = 64;  // up to here a scan costs no more than a climb
constexpr double epsilon = std::numeric_limits<double>::epsilon();

struct HalfEdge {
  std::array<std::int32_t, 2> vertices;  // ascending
  bool backward;                         // the face runs from the larger to the smaller
  std::int32_t face, corner;
  auto operator<=>(const HalfEdge&) const = default;
};

/// Half edges sorted by vertices: the one or two of an edge follow one another, the forward one first.
std::vector<HalfEdge> half_edges(const std::vector<ConvexPolytope::Face>& faces) {
  std::vector<HalfEdge> result;
  result.reserve(3 * faces.size());
  for (std::size_t f = 0; f < faces.size(); ++f) {
    for (std::int32_t k = 0; k < 3; ++k) {
      const std::int32_t from = faces[f].vertices[k];
      const std::int32_t to = faces[f].vertices[(k + 1) % 3];
      result.push_back({{std::min(from, to), std::max(from, to)}, from > to, static_cast<std::int32_t>(f), k});
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
  polytope.set_neighbors();
  polytope.set_planes();
  return polytope;
}

ConvexPolytope ConvexPolytope::from_mesh(const Points& vertices, const Triangles& faces) {
  check_convex_mesh(vertices, faces);
  std::vector<std::array<std::int32_t, 3>> corners(static_cast<std::size_t>(faces.cols()));
  for (std::size_t f = 0; f < corners.size(); ++f) {
    for (int k = 0; k < 3; ++k) corners[f][k] = faces(k, static_cast<Eigen::Index>(f));
  }
  ConvexPolytope polytope;
  polytope.dimension_ = 3;
  polytope.set_vertices(vertices);
  polytope.set_faces(std::move(corners));
  polytope.set_neighbors();
  polytope.set_planes();
  return polytope;
}

void ConvexPolytope::set_vertices(const Points& vertices) {
  num_vertices_ = static_cast<int>(vertices.cols());
  const auto copy_row = [&](int row, std::vector<double>& out) {
    out.resize(static_cast<std::size_t>(num_vertices_));
    for (int i = 0; i < num_vertices_; ++i) out[i] = vertices(row, i);
  };
  copy_row(0, x_);
  copy_row(1, y_);
  copy_row(2, z_);
  // the mean of differences: no accuracy is lost far from the origin, and no sum overflows
  const Vector3 first = vertices.col(0);
  centroid_ = first + (vertices.colwise() - first).rowwise().sum() / num_vertices_;
  plateau_ = 64.0 * epsilon * vertices.colwise().norm().maxCoeff();
}

void ConvexPolytope::set_faces(std::vector<std::array<std::int32_t, 3>> faces) {
  faces_.resize(faces.size());
  for (std::size_t f = 0; f < faces.size(); ++f) faces_[f] = {faces[f], {-1, -1, -1}};
  const std::vector<HalfEdge> sorted = half_edges(faces_);
  edges_.reserve(dimension_ == 3 ? sorted.size() / 2 : static_cast<std::size_t>(num_vertices_));
  for (std::size_t i = 0; i < sorted.size();) {
    const HalfEdge& a = sorted[i];
    const bool paired = i + 1 < sorted.size() && sorted[i + 1].vertices == a.vertices;
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
  neighbor_offsets_.assign(static_cast<std::size_t>(num_vertices_) + 1, 0);
  for (const Edge& edge : edges_) {
    for (const std::int32_t vertex : edge.vertices) ++neighbor_offsets_[vertex + 1];
  }
  std::partial_sum(neighbor_offsets_.begin(), neighbor_offsets_.end(), neighbor_offsets_.begin());
  neighbors_.resize(2 * edges_.size());
  std::vector<std::int32_t> next(neighbor_offsets_.begin(), neighbor_offsets_.end() - 1);
  // edges are sorted, so filling the larger ends first leaves every list ascending
  for (const Edge& edge : edges_) neighbors_[next[edge.vertices[1]]++] = edge.vertices[0];
  for (const Edge& edge : edges_) neighbors_[next[edge.vertices[0]]++] = edge.vertices[1];
}

void ConvexPolytope::set_planes() {
  planes_.resize(faces_.size());
  std::vector<TrianglePlane> own;
  own.reserve(faces_.size());
  for (const Face& face : faces_) {
    own.push_back(triangle_plane(vertex(face.vertices[0]), vertex(face.vertices[1]), vertex(face.vertices[2])));
  }
  const auto higher = [](const TrianglePlane& a, const TrianglePlane& b) { return a.height < b.height; };
  std::vector<std::int32_t> seen(static_cast<std::size_t>(num_vertices_), -1);
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    const Vector3 normal = dimension_ == 2 ? std::max_element(own.begin(), own.end(), higher)->normal : face_normal(own, f);
    planes_[f] = {normal, farthest_along(normal, faces_[f].vertices[0], seen, static_cast<std::int32_t>(f))};
  }
}

// A triangle without area takes the normal of the face across its longest edge, which it is a part of.
Vector3 ConvexPolytope::face_normal(const std::vector<TrianglePlane>& own, std::size_t face) const {
  TrianglePlane plane = own[face];
  std::size_t at = face;
  for (int step = 0; step < 64 && plane.height <= plateau_ / 64.0; ++step) {
    const auto& corners = faces_[at].vertices;
    const auto edge_length = [&](int k) { return (vertex(corners[(k + 1) % 3]) - vertex(corners[k])).norm(); };
    int longest = 0;
    for (int k = 1; k < 3; ++k) {
      if (edge_length(k) > edge_length(longest)) longest = k;
    }
    at = static_cast<std::size_t>(faces_[at].neighbors[longest]);
    if (own[at].height > plane.height) plane = own[at];
  }
  return plane.height > 0.0 ? plane.normal : Vector3::UnitZ();
}

double ConvexPolytope::farthest_along(const Vector3& normal, std::int32_t start, std::vector<std::int32_t>& seen,
                                      std::int32_t stamp) const {
  const auto height = [&](std::int32_t i) { return normal.x() * x_[i] + normal.y() * y_[i] + normal.z() * z_[i]; };
  // climb
  double best = height(start);
  for (bool higher = true; higher;) {
    higher = false;
    for (const std::int32_t neighbor : neighbors(start)) {
      if (height(neighbor) > best) {
        best = height(neighbor);
        start = neighbor;
        higher = true;
        break;
      }
    }
  }
  // flood what is level with it
  std::vector<std::int32_t> stack{start};
  seen[start] = stamp;
  while (!stack.empty()) {
    const std::int32_t at = stack.back();
    stack.pop_back();
    for (const std::int32_t neighbor : neighbors(at)) {
      if (seen[neighbor] == stamp || height(neighbor) < best - plateau_) continue;
      seen[neighbor] = stamp;
      best = std::max(best, height(neighbor));
      stack.push_back(neighbor);
    }
  }
  return best;
}

int ConvexPolytope::scan(const Vector3& direction) const {
  const double dx = direction.x();
  const double dy = direction.y();
  const double dz = direction.z();
  const double* x = x_.data();
  const double* y = y_.data();
  const double* z = z_.data();
  const auto height = [=](int i) { return dx * x[i] + dy * y[i] + dz * z[i]; };
  // four independent maxima, which the compiler keeps in vector registers
  std::array<double, 4> best;
  best.fill(height(0));
  int i = 0;
  for (; i + 4 <= num_vertices_; i += 4) {
    for (int k = 0; k < 4; ++k) {
      const double h = height(i + k);
      best[k] = h > best[k] ? h : best[k];
    }
  }
  for (; i < num_vertices_; ++i) best[0] = std::max(best[0], height(i));
  const double highest = std::max(std::max(best[0], best[1]), std::max(best[2], best[3]));
  // the same expression gives the same bits, so the first vertex that reaches it exists
  int first = 0;
  while (first + 1 < num_vertices_ && height(first) < highest) ++first;
  return first;
}

int ConvexPolytope::support_vertex(const Vector3& direction, int start, int& visited) const {
  if (num_vertices_ <= largest_scan) {
    visited += num_vertices_;
    return scan(direction);
  }
  const auto height = [&](int i) { return direction.x() * x_[i] + direction.y() * y_[i] + direction.z() * z_[i]; };
  int at = start >= 0 && start < num_vertices_ ? start : 0;
  double at_height = height(at);
  ++visited;
  for (;;) {
    int best = -1;
    double best_height = -std::numeric_limits<double>::infinity();
    const std::span<const std::int32_t> around = neighbors(at);
    for (const std::int32_t neighbor : around) {
      const double h = height(neighbor);
      if (h > best_height) {
        best_height = h;
        best = neighbor;
      }
    }
    visited += static_cast<int>(around.size());
    if (best_height > at_height) {
      at = best;
      at_height = best_height;
    } else if (at_height - best_height > plateau_ * direction.norm()) {
      return at;
    } else {
      visited += num_vertices_;
      return scan(direction);
    }
  }
}

std::size_t ConvexPolytope::nbytes() const {
  const auto bytes = [](const auto& table) { return table.capacity() * sizeof(table[0]); };
  return sizeof(*this) + bytes(x_) + bytes(y_) + bytes(z_) + bytes(neighbor_offsets_) + bytes(neighbors_) + bytes(faces_) +
         bytes(planes_) + bytes(edges_);
}

}  // namespace tactum
