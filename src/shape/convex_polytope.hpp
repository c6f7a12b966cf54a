// SPDX-License-Identifier: BSD-2-Clause
// Tables of a convex hull: what supports, walks along features, patches and rings read.
//
// Layout  vertices as three separate coordinate arrays, so that a scan is one pass of vector loads; neighbours as one flat array
//         with offsets; faces as triangles with the face across each edge; edges with their two vertices and two faces.
// Memory  at most 256 bytes a vertex plus 16 KB (nbytes() says).
// Faces   outward, counter-clockwise seen from outside. Coplanar triangles of one facet stay separate triangles. A polygon shows
//         one side; its edges are the sides of the polygon alone, without the diagonals of its triangles.
// Order   vertices in the order the points were given, faces and edges by vertex: the same points give the same tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tactum/shape.hpp"

namespace tactum {

struct TrianglePlane;

class ConvexPolytope {
 public:
  struct Face {
    std::array<std::int32_t, 3> vertices;   ///< counter-clockwise from outside
    std::array<std::int32_t, 3> neighbors;  ///< face across the edge (vertices[i], vertices[(i + 1) % 3]); -1 where there is none
  };
  struct Plane {
    Vector3 normal;  ///< unit, outward
    double offset;   ///< normal . x <= offset for every point of the hull (the largest over all vertices, so this is exact)
  };
  struct Edge {
    std::array<std::int32_t, 2> vertices;  ///< the smaller index first
    std::array<std::int32_t, 2> faces;     ///< the first runs along the edge from vertices[0] to [1], the second back; -1: none
  };

  /// Hull of finite points; see Convex::from_points.
  static ConvexPolytope from_points(const Points& points);
  /// Checked mesh; see Convex::from_mesh.
  static ConvexPolytope from_mesh(const Points& vertices, const Triangles& faces);

  int dimension() const { return dimension_; }
  int num_vertices() const { return num_vertices_; }
  Vector3 vertex(int i) const { return {x_[i], y_[i], z_[i]}; }
  std::span<const double> x() const { return x_; }
  std::span<const double> y() const { return y_; }
  std::span<const double> z() const { return z_; }
  std::span<const std::int32_t> neighbors(int i) const {
    return {neighbors_.data() + neighbor_offsets_[i], neighbors_.data() + neighbor_offsets_[i + 1]};
  }
  std::span<const Face> faces() const { return faces_; }
  std::span<const Plane> planes() const { return planes_; }  ///< one a face
  std::span<const Edge> edges() const { return edges_; }
  const Vector3& centroid() const { return centroid_; }  ///< mean of the vertices, a point of the hull

  /// Index of a vertex farthest along `direction` (finite, not zero): a scan for small hulls, else a climb from `start`. The climb
  /// never stops on a plateau short of the best by more than rounding. Adds the number of vertices looked at to `visited`.
  /// The vertex returned does not depend on `start`: equal vertices within rounding give way to the one a full scan finds.
  int support_vertex(const Vector3& direction, int start, int& visited) const;

  std::size_t nbytes() const;

 private:
  ConvexPolytope() = default;
  void set_vertices(const Points& vertices);
  void set_faces(std::vector<std::array<std::int32_t, 3>> faces);
  void set_neighbors();
  void set_planes();
  Vector3 face_normal(const std::vector<TrianglePlane>& own, std::size_t face) const;
  double farthest_along(const Vector3& normal, std::int32_t start, std::vector<std::int32_t>& seen, std::int32_t stamp) const;
  int scan(const Vector3& direction) const;

  int dimension_ = 0;
  int num_vertices_ = 0;
  std::vector<double> x_, y_, z_;
  std::vector<std::int32_t> neighbor_offsets_, neighbors_;
  std::vector<Face> faces_;
  std::vector<Plane> planes_;
  std::vector<Edge> edges_;
  Vector3 centroid_ = Vector3::Zero();
  double plateau_ = 0.0;  // m: vertices this close in height, for a unit direction, are told apart by a scan
};

}  // namespace tactum
