// SPDX-License-Identifier: BSD-2-Clause
// Tables of a convex hull, for supports, walks along features, patches and rings.
//
// Layout     vertices are records of 32 bytes; neighbors one flat array; faces triangles with the
//            face across each edge; edges have their two vertices and two faces; supports come from
//            a direction table.
// Memory     at most 256 bytes a vertex plus 16 KB; nbytes() tells how much.
// Faces      triangles are outward, counter-clockwise seen from outside. Coplanar triangles of one
//            facet stay separate. A polygon has the triangles of one side; its edges are the sides
//            of the polygon alone, without the diagonals of its triangles.
// Order      vertices are in the order the points were given, faces and edges sorted by vertex:
//            equal points give equal tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shape/hull/direction_table.hpp"
#include "shape/hull/support_scan.hpp"
#include "tactum/shape.hpp"

namespace tactum {

struct TrianglePlane;

/// One coordinate of all vertices, as a range.
class CoordinateRange {
 public:
  class Iterator {
   public:
    using value_type = double;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const HullVertex* at, int axis) : at_(at), axis_(axis) {}
    double operator*() const { return at_->point[axis_]; }
    Iterator& operator++() { return ++at_, *this; }
    Iterator operator++(int) { return {at_++, axis_}; }
    bool operator==(const Iterator&) const = default;

   private:
    const HullVertex* at_ = nullptr;
    int axis_ = 0;
  };

  CoordinateRange(std::span<const HullVertex> vertices, int axis)
      : vertices_(vertices), axis_(axis) {}
  double operator[](std::size_t i) const { return vertices_[i].point[axis_]; }
  Iterator begin() const { return {vertices_.data(), axis_}; }
  Iterator end() const { return {vertices_.data() + vertices_.size(), axis_}; }

 private:
  std::span<const HullVertex> vertices_;
  int axis_;
};

class ConvexPolytope {
 public:
  struct Face {
    std::array<std::int32_t, 3> vertices;   ///< counter-clockwise from outside
    std::array<std::int32_t, 3> neighbors;  ///< face across the edge (vertices[i], vertices[(i + 1)
                                            ///< % 3]); -1 where there is none
  };
  struct Plane {
    Vector3 normal;  ///< unit, outward
    double offset;   ///< normal . x <= offset for every point of the hull (the largest over all
                     ///< vertices, so this is exact)
  };
  struct Edge {
    std::array<std::int32_t, 2> vertices;  ///< the smaller index first
    std::array<std::int32_t, 2> faces;  ///< the first runs along the edge from vertices[0] to [1],
                                        ///< the second back; -1: none
  };

  /// Hull of finite points; see Convex::from_points.
  static ConvexPolytope from_points(const Points& points);
  /// Checked mesh; see Convex::from_mesh.
  static ConvexPolytope from_mesh(const Points& vertices, const Triangles& faces);

  int dimension() const { return dimension_; }
  int num_vertices() const { return num_vertices_; }
  const Vector3& vertex(int i) const { return vertices_[i].point; }
  CoordinateRange x() const { return {vertices_, 0}; }
  CoordinateRange y() const { return {vertices_, 1}; }
  CoordinateRange z() const { return {vertices_, 2}; }
  std::span<const std::int32_t> neighbors(int i) const {
    return {neighbors_.data() + vertices_[i].first_neighbor,
            static_cast<std::size_t>(vertices_[i].num_neighbors)};
  }
  std::span<const Face> faces() const { return faces_; }
  std::span<const Plane> planes() const { return planes_; }  ///< one a face
  std::span<const Edge> edges() const { return edges_; }
  const Vector3& centroid() const {
    return centroid_;
  }  ///< mean of the vertices, a point of the hull

  /// Index of the vertex farthest along `direction` (three numbers, finite, not all zero): the one
  /// with the largest x * dx + y * dy + z * dz in double, the lowest index among equals, whatever
  /// the SIMD level. Adds the number of vertices looked at to `visited`.
  int support_vertex(const double* direction, int& visited) const {
    return support_.scan(support_, direction, visited);
  }
  int support_vertex(const Vector3& direction, int& visited) const {
    return support_vertex(direction.data(), visited);
  }
  /// Begins to fetch the memory that support_vertex() will read for a unit vector.
  void prefetch_support(const double* direction) const { prefetch_list(support_, direction); }
  /// Like support_vertex(), at a given SIMD level that the processor has.
  int support_vertex(const Vector3& direction, SimdLevel level) const;

  const DirectionTable& directions() const { return directions_; }

  std::size_t nbytes() const;

 private:
  ConvexPolytope() = default;
  void set_vertices(const Points& vertices);
  void set_faces(std::vector<std::array<std::int32_t, 3>> faces);
  void set_neighbors();
  /// Euler's formula.
  bool is_sphere_like() const { return vertices_.size() + faces_.size() == edges_.size() + 2; }
  void set_planes();
  void spread_offset(std::size_t face, std::vector<char>& known);
  Vector3 face_normal(const std::vector<TrianglePlane>& own, std::size_t face) const;
  void set_directions();

  int dimension_ = 0;
  int num_vertices_ = 0;
  SupportView support_;
  std::vector<HullVertex> vertices_;
  DirectionTable directions_;
  std::vector<std::int32_t> neighbors_;
  std::vector<Face> faces_;
  std::vector<Plane> planes_;
  std::vector<Edge> edges_;
  Vector3 centroid_ = Vector3::Zero();
  double rounding_ = 0.0;  // m: one rounding unit of the largest vertex
};

}  // namespace tactum
