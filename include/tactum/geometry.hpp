// SPDX-License-Identifier: BSD-2-Clause
// A geometry is whatever has a surface: a convex shape, a compound of convex parts, a triangle
// mesh. Every query of two geometries is here or, for patches, batches and scenes, in the header of
// that name; a pair of two convex shapes has an overload of its own, which is the same query.
//
// Parts      a geometry is a union of convex parts: the shape itself, the parts of a compound, the
//            triangles of a mesh. Its distance is the smallest over all pairs of parts, so in
//            penetration that of the deepest pair. Apart, it is the true distance of the unions; in
//            penetration it is a lower bound of the depth, as for every decomposition. Two meshes
//            in penetration are the exception below.
// Surface    a mesh that is not solid is the union of its triangles, and nothing is inside it.
//            Where the surfaces of two meshes cross the status is penetrating, and that is all that
//            is proved: the depth of two triangles follows their size and says nothing of the
//            objects. `distance` and `lower` are then the separation along `normal`, a translation
//            that parts them for sure and the shortest for their hulls; `upper` is that of the pair
//            of triangles that was found to cross.
// Solid      apart the distance of the surfaces, unless one solid is inside the other. Where a
//            solid mesh overlaps another geometry the true distance is minus the length of the
//            shortest translation that parts them. `lower` is the separation along the normal that
//            is returned: a translation that parts them for sure. `upper` is minus the depth of a
//            pair of triangles that crosses or of a point inside; of solids that are their own
//            hulls it is that of the hulls. Where these bounds do not meet the status is
//            not_converged, with upper < 0 where the overlap is proved. Solids whose surfaces touch
//            without crossing are `touching` where a short step is seen to part them, or one
//            fills its hull; of others, as a peg that fills its hole, only bounds are known. Of a
//            compound and a solid mesh the smallest over the parts is meant, as everywhere with
//            compounds: its bounds are of single parts.
// Warm start WarmStart::vertices of a result are the triangles of A and of B that it was found
//            between; given back, they are looked at first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>

#include "tactum/compound.hpp"
#include "tactum/distance.hpp"
#include "tactum/distance_derivative.hpp"
#include "tactum/mesh.hpp"
#include "tactum/ray_cast.hpp"
#include "tactum/shape.hpp"

namespace tactum {

/// A convex shape, a compound or a mesh: cheap to copy, safe to use from many threads.
class Geometry {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a shape is a geometry
  Geometry(Shape shape) : value_(std::move(shape)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a compound is a geometry
  Geometry(Compound compound) : value_(std::move(compound)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a mesh is a geometry
  Geometry(Mesh mesh) : value_(std::move(mesh)) {}

  /// The convex shape that it is, or null.
  const Shape* shape() const { return std::get_if<Shape>(&value_); }
  /// The compound that it is, or null.
  const Compound* compound() const { return std::get_if<Compound>(&value_); }
  /// The mesh that it is, or null.
  const Mesh* mesh() const { return std::get_if<Mesh>(&value_); }

  /// 1, the number of parts of a compound, or the number of triangles of a mesh.
  int num_parts() const;
  Aabb aabb(const Pose& X = {}) const;  ///< tight, in the frame that X is given in
  std::size_t nbytes() const;
  friend bool operator==(const Geometry& a, const Geometry& b) = default;

 private:
  std::variant<Shape, Compound, Mesh> value_;
};

/// Distance of two geometries and the parts that it was found between: 0 for a convex shape, the
/// triangle for a mesh.
struct GeometryDistance : Distance {
  std::int32_t part_a = 0;
  std::int32_t part_b = 0;
};

/// Smallest signed distance over all pairs of parts. Bounds and status are proved for the pair of
/// unions. Errors are those of the distance of two shapes. The method of the options is not read
/// where a mesh takes part. Two meshes, and a mesh and a convex shape while they are apart,
/// allocate nothing but for the first query of a mesh, which makes its convex hull.
///
/// options.warm_start belongs to the parts (first_a, first_b), which are queried first: give the
/// parts and the warm start of the last answer. The triangles of a mesh come from the warm start
/// alone.
GeometryDistance distance(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                          const DistanceOptions& options = {}, std::int32_t first_a = 0,
                          std::int32_t first_b = 0);

/// Whether the geometries share a point. Two unions need not have a plane between them: unless both
/// geometries are convex, `lower` is a proved bound of the distance, and the normal is that of the
/// parts that were nearest to touching, or of whatever was seen to be apart around them.
Collision collide(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                  const CollideOptions& options = {});

/// The first point of a geometry on a ray, with the conventions of the ray cast of a shape. Of a
/// solid mesh, distance 0 where the ray starts inside; the normal is that of the triangle, turned
/// against the ray for a surface.
RayHit ray_cast(const Geometry& geometry, const Pose& X, const Vector3& origin,
                const Vector3& direction,
                double max_distance = std::numeric_limits<double>::infinity());

/// All Jacobians of the pair of parts that attains the distance. `smooth` is false where another
/// pair of parts attains it as well with other points or another normal, and where solids overlap.
/// Two meshes that overlap, and a solid mesh whose depth in anything else is proved, have the
/// Jacobians of their hulls; of a solid with bounds alone only the Jacobian of the distance is
/// given and the others are zero. Errors are those of the derivative of two shapes; the estimators
/// are those that accept the parts. The value of the options is not read: which parts attain the
/// distance is found anew.
DistanceDerivative distance_derivative(const Geometry& a, const Pose& X_WA, const Geometry& b,
                                       const Pose& X_WB,
                                       const DistanceDerivativeOptions& options = {});

}  // namespace tactum
