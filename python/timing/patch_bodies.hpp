// SPDX-License-Identifier: BSD-2-Clause
// Two bodies around the points of an STP volume, for the experiments that weigh one against the
// other: the volume itself without its small radius, and the body between its big spheres alone.
//
// Source       Escande, Miossec, Kheddar, Strictly convex hulls for computing continuous gradient
//              proximity distances, section III-E. The body of spheres has a patch of a sphere
//              above each face, and creases and corners in place of tori and small spheres.
// Dual view    the body of spheres is the intersection of the balls of radius R about the centers
// of
//              the faces: the set C of an StpSurface over these centers with alpha = R
//              (shape/stp/stp_surface.hpp). So its support point along u is the lowest point of C
//              along -u, and its second derivatives are what is left of R:
//                  s(u) = s_dual(-u) + R u,        H(u) = R (I - u u') - H_dual(-u).
//              Vertices of the dual surface are its spheres, edges its creases, faces its corners.
// Precision    centers are R away from the body, so that its points are right to the rounding of R.
// A body has   curved_support(u, visited): the point farthest along the unit vector u with its
//              derivative, in the frame of the shape; and radius(): what is swept around it, in m.
#pragma once

#include "shape/stp/stp_builder.hpp"
#include "shape/stp/stp_surface.hpp"
#include "tactum/shape.hpp"
#include "tactum/status.hpp"

namespace tactum::python {

/// Throws InvalidInput for a volume without faces: there is no sphere above a point or a segment.
inline const Stp& with_faces(const Stp& stp) {
  if (stp.num_faces() == 0)
    throw InvalidInput("stp", std::to_string(stp.num_points()) + " points",
                       "give a volume with faces: three points or more");
  return stp;
}

class VolumeBody {
 public:
  explicit VolumeBody(const Stp& stp)
      : surface_(&with_faces(stp).surface()), radius_(stp.small_radius() + stp.margin) {}

  StpSurface::Curvature curved_support(const Double3& u, int& visited) const {
    return surface_->curvature(surface_->patch(u, visited), u);
  }
  double radius() const { return radius_; }

 private:
  const StpSurface* surface_;  // of the volume, which outlives this
  double radius_;
};

class SpherePatchBody {
 public:
  explicit SpherePatchBody(const Stp& stp)
      : dual_(dual_surface(centers_of(with_faces(stp)), stp.big_radius())), radius_(stp.margin) {}

  StpSurface::Curvature curved_support(const Double3& u, int& visited) const {
    StpSurface::Curvature curvature = dual_.curvature(dual_.patch(-u, visited), -u);
    curvature.point = curvature.point + dual_.alpha() * u;
    curvature.radius = dual_.alpha() - curvature.radius;
    curvature.across_radius = dual_.alpha() - curvature.across_radius;
    return curvature;
  }
  double radius() const { return radius_; }
  const StpSurface& dual() const { return dual_; }

 private:
  static Points centers_of(const Stp& stp) {
    Points centers(3, stp.num_faces());
    for (int f = 0; f < stp.num_faces(); ++f)
      centers.col(f) = to_vector3(stp.surface().faces()[static_cast<std::size_t>(f)].center);
    return centers;
  }
  static StpSurface dual_surface(const Points& centers, double big_radius) {
    return {centers, build_stp(centers, big_radius), big_radius};
  }

  StpSurface dual_;
  double radius_;
};

}  // namespace tactum::python
