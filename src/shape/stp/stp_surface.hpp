// SPDX-License-Identifier: BSD-2-Clause
// Patches of a sphere-torus-patch volume, and its support points.
//
// Dual view   with C the intersection of the balls of radius alpha about the points, the volume
//             without its small radius is the intersection of the balls of radius alpha about all c
//             in C, so that for a unit vector n
//                 h(n) = alpha + min { n.c : c in C },      s(n) = c*(n) + alpha n,
//             and its patches are the faces, arcs and vertices of C. The small radius is swept
//             around it like a margin.
// Vertex      c* on the sphere about p, for n with n.(p_j - p) <= -|p_j - p|^2 / (2 alpha) for all
//             neighbors: s = p, Hessian 0.
// Edge        c* on the circle about p_i p_j, for |n.a| <= l / (2 alpha) and -n_perp between the
//             two centers: s = m - rho n_perp / |n_perp| + alpha n, Hessian alpha I - rho /
//             |n_perp| t t' on the tangent plane, t = a x n_perp / |n_perp|.
// Face        c* = c, the center of the big sphere, for n in the cone of the three p - c: s = c +
//             alpha n, Hessian alpha I.
// Precision  differences of large numbers are rewritten (see the .cpp), so that the height of s
//            along n is right to the rounding of the points for any alpha. The error of the big
//            spheres is known (deviation), and the error of supports follows from it
//            (support_error).
// Speed      large functions take vectors by reference: a copy on the stack that is read right
//            after it was written stalls.
// Invariants  constant after construction; nothing allocated in a query; the answer is a function
//             of the direction alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "math/double3.hpp"
#include "shape/stp/stp_builder.hpp"
#include "tactum/bounding_volume.hpp"
#include "tactum/shape.hpp"

namespace tactum {

class StpSurface {
 public:
  /// An edge at a vertex, and the vertex at its other end.
  struct IncidentEdge {
    std::int32_t edge, towards;
  };
  struct alignas(32) Vertex {
    Double3 point;
    std::int32_t first_incident_edge, num_incident_edges;
  };
  // a test of an edge or of a face reads its own record alone
  struct alignas(64) Edge {
    Double3 middle,
        axis;                       ///< m; unit vector a from the first vertex to the second
    double half_length, sine;       ///< l / 2, l / (2 alpha)
    std::array<Double3, 2> inward;  ///< unit normals of its sides: n.inward[k] >= 0 on the cone of
                                    ///< faces[k]
    std::array<std::int32_t, 2> vertices;  ///< the first face runs along the edge from the first to
                                           ///< the second
    std::array<std::int32_t, 2> faces;     ///< -1 for none: the edge goes all the way round
    std::array<std::int32_t, 2> apexes;    ///< the third vertices of the faces
    Double3 outward;  ///< of a short arc, towards the middle of its normals; else zero: none of its
                      ///< normals points away
    double radius;    ///< rho
    bool wide;        ///< its arc is longer than half a turn
    bool has_arc;  ///< false between triangles of one sphere: the edge has no normals of its own,
                   ///< they belong to the sphere
  };
  struct alignas(64) Face {
    Double3 circumcenter, normal;   ///< q; unit, outward
    double height;                  ///< the center is q - height * normal
    double squared_radius;          ///< of the circumcircle
    std::array<Double3, 3> inward;  ///< the inward normals of its edges, towards the face
    Double3 center;           ///< circumcenter - height * normal, stored to avoid recomputing it
    Double3 corner, outward;  ///< a vertex on the sphere, and the unit normal there
    std::array<std::int32_t, 3> vertices,
        edges;  ///< counter-clockwise; edges[k] runs from vertices[k] to
                ///< vertices[k + 1]
  };
  enum class Kind : std::uint8_t { vertex, edge, face };
  struct Patch {
    Kind kind;
    std::int32_t index;
  };

  StpSurface(const Points& points, const StpTopology& topology, double alpha);

  double alpha() const { return alpha_; }
  /// The smallest ball around all given points, those that carry no patch included: rounding may
  /// drop points that hold the volume together, and the smallest ball around the vertices may be
  /// much smaller.
  const BoundingSphere& smallest_ball() const { return smallest_ball_; }
  /// Bound, in m, of the distance of supports from those of the exact volume. Where all points are
  /// off by v, a center c of the balls that contain them is off by v as well; moved by v / s of the
  /// way to the center of the smallest ball, where s = alpha - radius, its ball contains them.
  /// Centers are no farther from that one than sqrt(alpha^2 - radius^2).
  double support_error() const;
  /// Solid angle, in rad^2, of the normals of a vertex.
  double squared_spacing() const { return squared_spacing_; }
  std::span<const Vertex> vertices() const { return vertices_; }
  std::span<const Edge> edges() const { return edges_; }
  std::span<const Face> faces() const { return faces_; }
  std::span<const IncidentEdge> incident_edges(const Vertex& vertex) const {
    return {incident_edges_.data() + vertex.first_incident_edge,
            static_cast<std::size_t>(vertex.num_incident_edges)};
  }
  /// The patch whose normals contain the unit vector n. Adds the number of patches looked at to
  /// `visited`.
  Patch patch(const Double3& n, int& visited) const;
  /// Like patch(), by a walk from any patch. The start changes the way and not the answer,
  /// except for directions on a border within rounding.
  Patch patch_from(Patch start, const Double3& n, int& visited) const;

  /// A patch near the one whose normals contain n, from the table of directions.
  Patch patch_nearby(const Double3& n) const { return patch_of_number(table_[cell(n)]); }

  /// A volume, the patch that a walk on it has reached, and the direction it goes to.
  struct Walk {
    const StpSurface& surface;
    Patch at;
    const Double3& n;
  };
  /// Runs patch_from() for two volumes step by step, so that neither waits for the other.
  static void walk_both(Walk& a, Walk& b, int& visited);

  /// The patch that two or three vertices carry; false where there is none.
  bool carried_patch(const std::int32_t* names, int count, Patch& patch) const;

  /// Whether the curvature jumps within an angle (rad) of n, which is a normal of the patch: at the
  /// border to a patch of another kind or sphere.
  bool is_on_border(Patch patch, const Double3& n, double angle) const;

  /// Whether the normals of a patch contain the unit vector n.
  bool holds(Patch patch, const Double3& n) const;

  /// The point of a patch, extended beyond its borders where needed, that is farthest along n.
  Double3 point(Patch patch, const Double3& n) const;
  /// The support point of a patch with its derivative H with respect to n.
  struct Curvature {
    Double3 point;
    double radius;  ///< H = radius (I - n n') + (across_radius - radius) t t'
    double across_radius;
    Double3 across;  ///< t: unit and orthogonal to n, or zero where both radii are equal
  };
  void curvature(Patch patch, const Double3& n, Curvature& result) const;
  Curvature curvature(Patch patch, const Double3& n) const {
    Curvature result;
    curvature(patch, n, result);
    return result;
  }

  /// Derivative of the support point with respect to alpha at a fixed direction.
  Double3 alpha_shift(Patch patch, const Double3& n) const;

  /// Numbers of all patches: vertices, then edges, then faces.
  std::int32_t number(Patch patch) const;
  Patch patch_of_number(std::int32_t number) const;

  std::size_t nbytes() const;

 private:
  using Float4 [[gnu::vector_size(16)]] = float;

  /// Eight incident edges of a vertex: unit vectors along them, and l / (2 alpha). Single precision
  /// decides all directions except those next to a border. The first block of vertex i is block i,
  /// so that it is found without a look at the vertex; unused places repeat the last incident edge.
  struct alignas(64) IncidentEdgeBlock {
    static constexpr int kWidth = 8;
    std::array<Float4, 2> x{}, y{}, z{}, sine{};
    std::array<std::int32_t, kWidth> towards{};  ///< vertices at the other ends
    std::int32_t next = -1;                      ///< block with more of them
  };
  /// How far n is at most beyond the borders of a vertex, and across which incident edge.
  struct BorderViolation {
    float worst;
    int place;
  };
  static BorderViolation border_violation(const IncidentEdgeBlock& block, Float4 x, Float4 y,
                                          Float4 z);

  void set_edges(const StpTopology& topology);
  void set_incident_edges();
  void set_block(std::int32_t vertex, int first, IncidentEdgeBlock& block) const;
  void set_table();
  std::size_t cell(const Double3& n) const;
  Patch leave_vertex(std::int32_t vertex, const Double3& n) const;
  std::int32_t crossed_incident_edge(const Vertex& vertex, const Double3& n) const;
  Patch leave_edge(std::int32_t edge, const Double3& n) const;
  std::int32_t crossed_side(const Face& face, const Double3& n) const;
  Patch scanned(const Double3& n) const;
  double violation(Patch patch, const Double3& n) const;

  double alpha_;
  double deviation_;  // of the big spheres
  BoundingSphere smallest_ball_;
  double squared_spacing_ = 4.0 * std::numbers::pi;
  std::vector<Vertex> vertices_;
  std::vector<IncidentEdge> incident_edges_;
  std::vector<IncidentEdgeBlock> blocks_;  // one a vertex; those of more than eight incident edges
                                           // go on at the end
  std::vector<Edge> edges_;
  std::vector<Face> faces_;
  int cells_ = 1;                    // of the table, along an edge of the octahedron
  std::vector<std::int32_t> table_;  // patch at the middle of each cell
};

}  // namespace tactum
