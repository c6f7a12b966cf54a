// SPDX-License-Identifier: BSD-2-Clause
// Distance, collision, signed distance and rays of triangle meshes, exact as triangles.
//
// Surface    a mesh that is not solid is the union of its triangles, and nothing is inside it. Its
//            distance is the smallest signed distance over all pairs of triangles: apart that of
//            the surfaces; where they cross, minus the depth of the deepest pair of triangles, as
//            for a compound. Status penetrating is proved.
// Solid      apart the distance of the surfaces, unless one solid is inside the other. Where solids
//            overlap the true distance is minus the length of the shortest translation that parts
//            them. `lower` is the separation along the normal that is returned: a translation that
//            parts them for sure. `upper` is minus the depth of the deepest pair of triangles or of
//            a point inside. These bounds seldom meet: the status is then not_converged, with
//            upper < 0 where the overlap is proved.
// Convex     shapes are solids; they meet a mesh triangle by triangle.
// Warm start WarmStart::vertices of a result are the triangles of A and of B that it was found
//            between; given back, they are looked at first.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "tactum/batch.hpp"
#include "tactum/compound.hpp"
#include "tactum/mesh.hpp"
#include "tactum/ray_cast.hpp"
#include "tactum/signed_distance.hpp"

namespace tactum {

/// part_a and part_b are triangles; 0 for a convex shape. Throws InvalidInput on bad poses and
/// options. The method of the options is not read. Allocates nothing for two meshes, and for a mesh
/// and a convex shape while they are apart.
GeometryDistance distance(const Mesh& a, const Pose& X_WA, const Mesh& b, const Pose& X_WB,
                          const DistanceOptions& options = {});
GeometryDistance distance(const Mesh& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                          const DistanceOptions& options = {});
GeometryDistance distance(const Shape& a, const Pose& X_WA, const Mesh& b, const Pose& X_WB,
                          const DistanceOptions& options = {});

/// Whether they share a point: stops at the first triangles that do. Apart, `lower` is a proved
/// bound of the distance.
Collision collide(const Mesh& a, const Pose& X_WA, const Mesh& b, const Pose& X_WB,
                  const CollideOptions& options = {});
Collision collide(const Mesh& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                  const CollideOptions& options = {});
Collision collide(const Shape& a, const Pose& X_WA, const Mesh& b, const Pose& X_WB,
                  const CollideOptions& options = {});

/// Distance of a point from the surface; negative inside a closed, oriented mesh, by its winding
/// number; a mesh that is not has no inside. The gradient is outward; on the surface it is the
/// normal of a triangle. Throws InvalidInput when the point is not finite.
SignedDistance signed_distance(const Mesh& mesh, const Pose& X, const Vector3& point);

/// Signed distances of many points from a mesh, on all cores, with the options, columns and result
/// of signed_distance() of a shape.
bool signed_distance(const Mesh& mesh, const Pose& X, std::span<const Vector3> points,
                     const SignedDistanceOptions& options, BatchWorkspace& work,
                     const SignedDistanceColumns& out);

/// How often the surface winds around a point in the frame of the mesh: 1 inside a closed mesh that
/// is oriented outward, 0 outside. Of an open mesh the generalised winding number, rounded to the
/// nearest integer.
int winding_number(const Mesh& mesh, const Vector3& point);

/// The first point of the surface on a ray; of a solid mesh, distance 0 where it starts inside. The
/// normal is that of the triangle, turned against the ray for a surface.
RayHit ray_cast(const Mesh& mesh, const Pose& X, const Vector3& origin, const Vector3& direction,
                double max_distance = std::numeric_limits<double>::infinity());

}  // namespace tactum
