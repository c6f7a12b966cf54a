// SPDX-License-Identifier: BSD-2-Clause
// Patches of a sphere-torus-patch volume, and its support points.
//
// Dual view   with C the intersection of the balls of radius alpha about the points, the volume without its small radius is
//             the intersection of the balls of radius alpha about all c in C, so that for a unit vector n
//                 h(n) = alpha + min { n.c : c in C },      s(n) = c*(n) + alpha n,
//             and its patches are the faces, arcs and vertices of C. The small radius is swept around it like a margin.
//
// | patch  | c* lies on                      | for n with                                              | point s                          | Hessian on the tangent plane |
// | vertex | the sphere about p              | n.(p_j - p) <= -|p_j - p|^2 / (2 alpha) for neighbours  | p                                | 0 |
// | edge   | the circle about edge p_i p_j   | |n.a| <= l / (2 alpha), -n_perp between the two centres | m - rho n_perp/|n_perp| + alpha n | alpha I - rho / |n_perp| t t', t = a x n_perp/|n_perp| |
// | face   | the centre c of the big sphere  | n in the cone of the three p - c                        | c + alpha n                      | alpha I |
//
// Precision   differences of large numbers are taken out by hand (below), so that the height of s along n is right to the rounding of
//             the points for any alpha.
// Invariants  constant after construction; nothing allocated in a query; the answer is a function of the direction alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "math/double3.hpp"
#include "shape/stp_builder.hpp"
#include "tactum/shape.hpp"

namespace tactum {

class StpSurface {
 public:
  /// At vertex i: the edge to vertex j.
  struct Spoke {
    Double3 along;               ///< p_j - p_i
    double limit;                ///< -|p_j - p_i|^2 / (2 alpha), and a few roundings: n.along is no more on the vertex
    std::int32_t edge, towards;  ///< index of the edge; j
  };
  struct Vertex {
    Double3 point;
    std::int32_t first_spoke, num_spokes;
  };
  struct Edge {
    Double3 middle, axis;           ///< m; unit vector a from the first vertex to the second
    std::array<Double3, 2> inward;  ///< unit normals of its sides: n.inward[k] >= 0 on the cone of faces[k]
    Double3 outward;                ///< of a short arc, towards the middle of its normals; else zero: no normal of it points away
    double half_length, sine;       ///< l / 2, l / (2 alpha)
    double radius;                  ///< rho
    std::array<std::int32_t, 2> vertices;  ///< the first face runs along the edge from the first to the second
    std::array<std::int32_t, 2> faces;     ///< -1: none, the edge goes all the way round
    bool wide;                             ///< its arc is longer than half a turn
  };
  struct Face {
    Double3 circumcenter, normal;                 ///< q; unit, outward
    double height;                                ///< the centre is q - height * normal
    double squared_radius;                        ///< of the circumcircle
    std::array<std::int32_t, 3> vertices, edges;  ///< counter-clockwise; edges[k] runs from vertices[k] to vertices[k + 1]
    std::array<std::int32_t, 3> neighbors;        ///< face across edges[k]
  };
  enum class Kind : std::uint8_t { vertex, edge, face };
  struct Patch {
    Kind kind;
    std::int32_t index;
  };

  StpSurface(const Points& points, const StpTopology& topology, double alpha);

  double alpha() const { return alpha_; }
  std::span<const Vertex> vertices() const { return vertices_; }
  std::span<const Edge> edges() const { return edges_; }
  std::span<const Face> faces() const { return faces_; }
  std::span<const Spoke> spokes(const Vertex& vertex) const {
    return {spokes_.data() + vertex.first_spoke, static_cast<std::size_t>(vertex.num_spokes)};
  }
  Double3 face_center(const Face& face) const { return face.circumcenter - face.height * face.normal; }

  /// The patch whose normals hold the unit vector n. Adds the number of patches looked at to `visited`.
  Patch patch(Double3 n, int& visited) const;
  /// The same by a walk from any patch: the way to it, not the answer, depends on the start, but for directions on a border within rounding.
  Patch patch_from(Patch start, Double3 n, int& visited) const;

  /// Point that a patch, taken beyond its borders where need be, puts farthest along n.
  Double3 point(Patch patch, Double3 n) const;
  /// The same with its derivative H: what turning n does to the point.
  struct Bend {
    Double3 point;
    double radius;  ///< H = radius (I - n n') + (across_radius - radius) t t'
    double across_radius;
    Double3 across;  ///< t: unit and orthogonal to n, or zero where both radii are equal
  };
  Bend bend(Patch patch, Double3 n) const;

  /// d point / d alpha at a fixed direction.
  Double3 alpha_shift(Patch patch, Double3 n) const;

  /// All patches under one number: vertices, edges, faces.
  std::int32_t number(Patch patch) const;
  Patch patch_of_number(std::int32_t number) const;

  std::size_t nbytes() const;

 private:
  void set_edges(const StpTopology& topology);
  void set_spokes();
  void set_table();
  std::size_t cell(Double3 n) const;
  Patch leave_edge(std::int32_t edge, Double3 n) const;
  Patch scanned(Double3 n) const;
  double violation(Patch patch, Double3 n) const;

  double alpha_;
  std::vector<Vertex> vertices_;
  std::vector<Spoke> spokes_;
  std::vector<Edge> edges_;
  std::vector<Face> faces_;
  int cells_ = 1;                    // of the table, along a side of the cube
  std::vector<std::int32_t> table_;  // patch at the middle of each cell
};

}  // namespace tactum
