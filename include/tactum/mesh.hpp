// SPDX-License-Identifier: BSD-2-Clause
// Triangle meshes: surfaces, and the solids that closed ones bound.
//
// Metres, in the frame of the mesh. Triangles run counter-clockwise seen from outside. A mesh of
// any sort is accepted, as a soup of triangles; only what is called solid has to be closed and
// oriented. report() says what a mesh is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tactum/shape.hpp"

namespace tactum {

/// Properties of a mesh that its queries depend on. Vertices closer than 4 eps of the extent, axis
/// by axis, count as one, so that a soup whose triangles repeat their corners is judged as the
/// surface that it draws. Triangles with two equal corners are left out of everything about edges.
struct MeshReport {
  bool closed = false;    ///< every edge has an even number of triangles
  bool manifold = false;  ///< every edge has at most two triangles, and those around a vertex are
                          ///< one fan
  bool oriented = false;  ///< of the triangles at every inner edge, as many run along it as against
  int num_components = 0;            ///< pieces that share no vertex
  double volume = 0.0;               ///< m^3, signed, by the divergence theorem; closed meshes only
  double area = 0.0;                 ///< m^2
  int num_boundary_edges = 0;        ///< with an odd number of triangles
  int num_non_manifold_edges = 0;    ///< with more than two
  int num_misoriented_edges = 0;     ///< inner ones that are run along more often one way
  int num_duplicate_vertices = 0;    ///< that lie where one before them lies
  int num_duplicate_triangles = 0;   ///< with the corners of one before them, in any order
  int num_degenerate_triangles = 0;  ///< without area
  int num_unused_vertices = 0;       ///< of no triangle
  int num_self_intersections = -1;   ///< pairs of triangles; -1: report() does not look for them,
                                     ///< self_intersections() does
  /// Vertices of an edge that is one of the three kinds above, of the first triangle that has one;
  /// -1, -1: there is none.
  std::array<std::int32_t, 2> first_offending_edge = {-1, -1};
};

/// The part of a mesh that carries the mass.
enum class MassOf : std::uint8_t {
  solid,  ///< the inside of a closed mesh; density in kg/m^3
  shell,  ///< the surface; density in kg/m^2
};

enum class SampleMethod : std::uint8_t {
  uniform,  ///< independent points
  poisson,  ///< points that keep away from each other: the best n of 5 n independent ones
};

/// Points of a surface, in the frame of the mesh, and the unit normals of their triangles.
struct MeshSamples {
  Points points;
  Points normals;
};

class MeshTree;     // bounding boxes of the triangles: src/mesh/surface/mesh_tree.hpp
class VertexRings;  // vertices next to each other: src/mesh/surface/vertex_rings.hpp

/// An immutable triangle mesh: validated once, cheap to copy, safe to use from many threads.
class Mesh {
 public:
  /// One triangle or more, of finite vertices up to 1e30 m. A solid mesh has to be closed and
  /// oriented outward. Throws InvalidInput that names the vertex, the triangle or the edge.
  Mesh(Points vertices, Triangles triangles, bool solid = false);

  const Points& vertices() const;
  const Triangles& triangles() const;
  bool is_solid() const;  ///< queries take the inside for filled

  const MeshTree& tree() const;
  /// A vertex of every piece of the surface: pieces have no vertex index in common.
  std::span<const std::int32_t> component_vertices() const;
  /// Made at the first call, which contacts make; not part of nbytes().
  const VertexRings& vertex_rings() const;

  /// The convex hull as a shape, null where no hull of the vertices is proved. Made at the first
  /// call, which the first distance or collision makes; not part of nbytes().
  const Shape* hull() const;
  /// Whether the mesh is solid and its own hull within rounding, so that it is as deep in contact
  /// as the hull. Found out at the first call, which an overlap makes.
  bool fills_hull() const;

  MeshReport report() const;
  /// Whether it is closed, oriented and of positive volume: then it has an inside. Found out at the
  /// first call for a mesh that is not solid.
  bool has_inside() const;
  Convex convex_hull(double margin = 0.0) const;

  /// A vertex of a triangle farthest along `direction` (any non-zero length), in the frame of the
  /// mesh.
  Vector3 support(const Vector3& direction) const;
  Aabb aabb(const Pose& X = {}) const;  ///< tight, rounded outward, in the frame X is given in
  double reach() const;                 ///< m: no vertex is farther from the origin
  double area() const;                  ///< m^2
  /// m^3, of a closed mesh that is oriented outward; throws InvalidInput for any other.
  double volume() const;
  /// Throws InvalidInput on a density that is not positive, and for the solid as volume() does.
  MassProperties mass_properties(double density, MassOf what = MassOf::solid) const;
  /// n points, each triangle in proportion to its area. Same seed, same bits. Throws InvalidInput
  /// unless n is from 0 to 10 million and the mesh has an area.
  MeshSamples sample(int n, std::uint64_t seed = 0,
                     SampleMethod method = SampleMethod::uniform) const;

  std::size_t nbytes() const;
  std::string to_string() const;  ///< Mesh(vertices=8, triangles=12, solid=False)
  std::size_t hash() const;
  /// the same vertices and triangles in the same order, both solid or not
  friend bool operator==(const Mesh& a, const Mesh& b);

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

/// Repairs a soup whose triangles repeat their corners: of vertices closer than 4 eps of the
/// extent, axis by axis, the first stays and is the corner of all their triangles. Triangles that
/// have no three different corners then, and vertices of no triangle, are left out; the rest keeps
/// its order. Throws InvalidInput where no triangle is left.
Mesh merge_duplicates(const Mesh& mesh);

/// How often the surface winds around a point in the frame of the mesh: 1 inside a closed mesh that
/// is oriented outward, 0 outside. Of an open mesh the generalised winding number, rounded to the
/// nearest integer.
int winding_number(const Mesh& mesh, const Vector3& point);

/// Pairs of triangles that share more than the corner or side they have in common, contact within
/// rounding included; the smaller index first, ascending. Ends after `max_pairs`, those first
/// found. Triangles with the same three corners are duplicates and not among them.
std::vector<std::array<std::int32_t, 2>> self_intersections(const Mesh& mesh,
                                                            std::size_t max_pairs = 1000000);

}  // namespace tactum

template <>
struct std::hash<tactum::Mesh> {
  std::size_t operator()(const tactum::Mesh& mesh) const { return mesh.hash(); }
};
