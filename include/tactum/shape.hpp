// SPDX-License-Identifier: BSD-2-Clause
// Convex shapes. Plain parameter structs go in, a validated immutable Shape comes out.
//
// All lengths are in metres, in the frame of the shape. `margin` is the radius of a sphere swept
// around the shape. Sizes are half sizes and must be positive, at most 1e30 and at least 1e-30. A
// zero is allowed where it means something: the radius of a sphere that is a point, the length of a
// capsule that is a sphere, every margin.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tactum/pose.hpp"

namespace tactum {

struct Sphere {
  double radius = 0.0;  ///< >= 0; zero is a point
  double margin = 0.0;
};

struct Ellipsoid {
  Vector3 semi_axes = Vector3::Zero();
  double margin = 0.0;
};

struct Box {
  Vector3 half_extents = Vector3::Zero();
  double margin = 0.0;
};

/// Capsule along z: a segment from -half_length to +half_length with a sphere swept along it.
struct Capsule {
  double radius = 0.0;
  double half_length = 0.0;  ///< >= 0, half the length of the segment, without the caps
  double margin = 0.0;
};

/// Cylinder along z, from -half_length to +half_length.
struct Cylinder {
  double radius = 0.0;
  double half_length = 0.0;
  double margin = 0.0;
};

/// Cone along z: apex at +half_length, disc of `radius` at -half_length.
struct Cone {
  double radius = 0.0;
  double half_length = 0.0;
  double margin = 0.0;
};

/// The solid { x : normal . x <= offset + margin }. The normal is normalized on construction of the
/// Shape.
struct HalfSpace {
  Vector3 normal = Vector3::UnitZ();
  double offset = 0.0;
  double margin = 0.0;
};

class ConvexPolytope;  // vertices, faces, edges and neighbors of a hull:
                       // src/shape/hull/convex_polytope.hpp

/// Column-major (3, N) points and triangles.
using Points = Eigen::Matrix3Xd;
using Triangles = Eigen::Matrix<std::int32_t, 3, Eigen::Dynamic>;

/// Points that lie one after the other, as columns.
inline Points columns(std::span<const Vector3> points) {
  const double* first = points.empty() ? nullptr : points.front().data();
  return Eigen::Map<const Points>(first, 3, static_cast<Eigen::Index>(points.size()));
}

/// The convex hull of finitely many points: a point, a segment, a planar polygon or a solid. A
/// cheap handle on shared tables.
class Convex {
 public:
  double margin = 0.0;

  // copies only: a moved-from hull would have no tables
  Convex(const Convex&) = default;
  Convex& operator=(const Convex&) = default;

  /// Hull of the points. Duplicates and interior points are dropped. Throws InvalidInput when empty
  /// or not finite.
  static Convex from_points(const Points& points, double margin = 0.0);
  /// Hull of points that lie one after the other, as in a std::vector<Vector3>.
  static Convex from_points(std::span<const Vector3> points, double margin = 0.0) {
    return from_points(columns(points), margin);
  }

  /// Vertices with triangles that bound their hull, counter-clockwise seen from outside. Throws
  /// InvalidInput when an index is out of range or the triangles are not the closed, outward,
  /// convex boundary of the vertices.
  static Convex from_mesh(const Points& vertices, const Triangles& faces, double margin = 0.0);

  int dimension() const;     ///< 0 point, 1 segment, 2 polygon, 3 solid
  int num_vertices() const;  ///< extreme points only
  Vector3 vertex(int index) const;
  Points vertices() const;
  Triangles faces() const;  ///< outward triangles; for a polygon, the triangles of one side; empty
                            ///< below dimension 2
  std::span<const std::int32_t> neighbors(int vertex) const;  ///< vertices joined to `vertex` by an
                                                              ///< edge of a face
  const ConvexPolytope& polytope() const { return *polytope_; }

 private:
  explicit Convex(std::shared_ptr<const ConvexPolytope> polytope, double margin_)
      : margin(margin_), polytope_(std::move(polytope)) {}
  std::shared_ptr<const ConvexPolytope> polytope_;
};

class StpSurface;  // patches of a volume with their neighbors: src/shape/stp/stp_surface.hpp

struct StpSizes {
  double small_radius = 0.0;  ///< r >= 0: of the spheres about the points; how far the volume keeps
                              ///< from the points at least
  double big_radius = 0.0;    ///< R: of the spheres over the faces; R - r is at least the radius of
                              ///< the smallest ball around the points
  double margin = 0.0;
};

/// The kind of surface patch of an Stp: around a point, along an edge, or over a face.
enum class StpPatch : std::uint8_t { small_sphere, torus, big_sphere };

/// Triangles of an Stp.
struct StpMesh {
  Points vertices;
  Triangles triangles;            ///< closed, counter-clockwise seen from outside
  std::vector<StpPatch> patches;  ///< of each triangle
};

/// The strictly convex volume of spheres and tori around finitely many points (STP-BV of Escande,
/// Miossec and Kheddar): a small sphere on each point, a big one over each face of three points, a
/// torus along each edge, joined with a continuous normal. It is the intersection of all balls of
/// radius R - r that hold the points, with a ball of radius r swept around it. A cheap handle on
/// shared tables.
class Stp {
 public:
  double margin = 0.0;

  // copies only: a moved-from volume would have no tables
  Stp(const Stp&) = default;
  Stp& operator=(const Stp&) = default;

  /// Volume of any number of points: one gives a ball, two a spindle, points on a plane a lens.
  /// Throws InvalidInput when there is none, one is not finite, or the big radius is too small for
  /// them; the message names the smallest that works.
  static Stp from_points(const Points& points, const StpSizes& sizes);
  /// Volume of points that lie one after the other, as in a std::vector<Vector3>.
  static Stp from_points(std::span<const Vector3> points, const StpSizes& sizes) {
    return from_points(columns(points), sizes);
  }

  double small_radius() const { return small_radius_; }
  double big_radius() const { return big_radius_; }
  Points points() const;    ///< those that carry a small sphere, in the order given; all others are
                            ///< covered
  int num_points() const;   ///< patches of small spheres
  int num_edges() const;    ///< patches of tori
  int num_faces() const;    ///< patches of big spheres
  Triangles faces() const;  ///< points of each big sphere, counter-clockwise seen from outside
  /// Triangles on the surface, margin included: `resolution` segments along each edge, from 1 to
  /// 256, and a quarter turn. A point without radius has none.
  StpMesh to_mesh(int resolution = 8) const;
  const StpSurface& surface() const { return *surface_; }

 private:
  Stp(std::shared_ptr<const StpSurface> surface, const StpSizes& sizes)
      : margin(sizes.margin),
        small_radius_(sizes.small_radius),
        big_radius_(sizes.big_radius),
        surface_(std::move(surface)) {}
  double small_radius_, big_radius_;
  std::shared_ptr<const StpSurface> surface_;
};

/// Axis-aligned box, in the frame that was asked for; infinite for a half-space.
struct Aabb {
  Vector3 lower;
  Vector3 upper;
};

/// Mass in kg, center of mass in the frame of the shape, inertia about the center of mass in the
/// axes of the shape (kg m^2).
struct MassProperties {
  double mass = 0.0;
  Vector3 center_of_mass = Vector3::Zero();
  Matrix3 inertia = Matrix3::Zero();
};

/// Kinds of shapes, in the order of the alternatives of Shape::Parameters.
enum class ShapeKind : std::uint8_t {
  sphere,
  ellipsoid,
  box,
  capsule,
  cylinder,
  cone,
  half_space,
  convex,
  stp
};

/// Python's name of the kind: "Sphere", "HalfSpace", ...
std::string_view to_string(ShapeKind kind);

/// The form in which queries see a shape, made once: a convex core and a radius swept around it
/// (src/shape/support/core_support.hpp).
struct CoreShape {
  enum class Kind : std::uint8_t {
    point,
    segment,
    ellipsoid,
    box,
    cylinder,
    cone,
    polytope,
    half_space,
    stp
  };
  Kind kind = Kind::point;
  double radius = 0.0;  ///< swept radius: margin, plus the radius of a sphere or capsule, the small
                        ///< radius of an Stp
  Vector3 size = Vector3::Zero();    ///< half extents, semi axes, (radius, half_length, 0), unit
                                     ///< normal of a half-space, half direction of a segment
  Vector3 center = Vector3::Zero();  ///< middle of the bounding box of the core, in the frame of
                                     ///< the shape
  double offset = 0.0;               ///< of a half-space, margin included
  double inner_radius = 0.0;         ///< radius of a ball that rolls inside an ellipsoid
                                     ///< (src/shape/support/core_support.hpp)
  double bounding_radius = 0.0;      ///< of core and swept radius, about the origin of the shape
  const ConvexPolytope* polytope = nullptr;  ///< tables of a hull of dimension 2 or 3
  const StpSurface* stp = nullptr;           ///< patches of a volume of two points or more
  double support_error = 0.0;  ///< m, of an Stp: how far supports may be from the exact ones beyond
                               ///< rounding
};

/// An immutable convex shape: validated once, cheap to copy, safe to use from many threads.
class Shape {
 public:
  using Parameters =
      std::variant<Sphere, Ellipsoid, Box, Capsule, Cylinder, Cone, HalfSpace, Convex, Stp>;

  /// Validates the parameters; throws InvalidInput that names the field, the value and the remedy.
  Shape(Parameters parameters);  // NOLINT(google-explicit-constructor): a Box is a Shape
  template <class Kind>
    requires std::constructible_from<Parameters, Kind> &&
             (!std::same_as<std::remove_cvref_t<Kind>, Parameters>) &&
             (!std::same_as<std::remove_cvref_t<Kind>, Shape>)
  Shape(Kind kind) : Shape(Parameters(std::move(kind))) {}  // NOLINT(google-explicit-constructor)

  ShapeKind kind() const { return static_cast<ShapeKind>(parameters_.index()); }
  const Parameters& parameters() const { return parameters_; }
  double margin() const;
  const CoreShape& core() const { return core_; }

  /// A point of the shape farthest along `direction` (any non-zero length), in the frame of the
  /// shape. A half-space is unbounded: it throws unless the direction is its normal within 1e-12. A
  /// zero or non-finite direction throws.
  Vector3 support(const Vector3& direction) const;

  /// Tight axis-aligned box of the shape at pose X, in the frame X is given in. Rounded outward: no
  /// point of the shape lies outside.
  Aabb aabb(const Pose& X = {}) const;

  double volume() const;  ///< m^3, margin included; infinite for a half-space
  MassProperties mass_properties(double density) const;  ///< density in kg/m^3, > 0; throws for a
                                                         ///< half-space
  std::size_t nbytes() const;     ///< bytes held, shared hull tables included
  std::string to_string() const;  ///< Box(half_extents=(0.1, 0.2, 0.3), margin=0.01)
  std::size_t hash() const;
  /// Whether both have the same kind and the same parameters, bit by bit; hulls are compared by
  /// vertices, volumes by points.
  friend bool operator==(const Shape& a, const Shape& b);

 private:
  Parameters parameters_;
  CoreShape core_;
};

}  // namespace tactum

template <>
struct std::hash<tactum::Shape> {
  std::size_t operator()(const tactum::Shape& shape) const { return shape.hash(); }
};
