// SPDX-License-Identifier: BSD-2-Clause
// The body between the big spheres of an STP volume alone: a patch of a sphere above each face,
// creases and corners in place of tori and small spheres.
//
// Source     Escande, Miossec, Kheddar, Strictly convex hulls for computing continuous gradient
//            proximity distances, section III-E, where the volume is compared with it. It serves
//            experiments: no Shape has this core.
// Dual view  it is the intersection of the balls of radius R about the centers of the faces: the
//            set C of an StpSurface over these centers with alpha = R (shape/stp/stp_surface.hpp).
//            So its support point along u is the lowest point of C along -u, and the second
//            derivatives are the complements to R:
//                s(u) = c*(-u) = s_dual(-u) + R u,        H(u) = R (I - u u') - H_dual(-u).
//            Vertices of the dual surface are its spheres, edges its creases and faces its corners.
// Precision  centers are R away from the body, so a point is accurate to the rounding of R, not to
//            that of the body.
#pragma once

#include "shape/stp/stp_surface.hpp"
#include "tactum/shape.hpp"

namespace tactum {

/// Owner of the surface of a core that is part of no Shape.
class SpherePatches {
 public:
  /// The body around the points of a volume, with the same least distance from them. Throws
  /// InvalidInput for a volume without faces: there is no sphere above a point or a segment.
  explicit SpherePatches(const Stp& stp);
  SpherePatches(const SpherePatches&) = delete;
  SpherePatches& operator=(const SpherePatches&) = delete;
  ~SpherePatches() = default;

  const CoreShape& core() const { return core_; }

 private:
  StpSurface dual_;
  CoreShape core_;
};

/// The point of a patch of the dual surface, extended to the unit vector u, that is farthest along
/// u.
inline Double3 sphere_patch_point(const StpSurface& dual, StpSurface::Patch patch,
                                  const Double3& u) {
  return dual.point(patch, -u) + dual.alpha() * u;
}

/// Like sphere_patch_point(), with the derivative of the point.
inline StpSurface::Curvature sphere_patch_curvature(const StpSurface& dual, StpSurface::Patch patch,
                                                    const Double3& u) {
  StpSurface::Curvature curvature = dual.curvature(patch, -u);
  curvature.point = curvature.point + dual.alpha() * u;
  curvature.radius = dual.alpha() - curvature.radius;
  curvature.across_radius = dual.alpha() - curvature.across_radius;
  return curvature;
}

}  // namespace tactum
