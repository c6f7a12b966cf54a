// SPDX-License-Identifier: BSD-2-Clause
// Support points of shape cores, and the smooth pieces of their support functions.
//
// The support function of every core is a maximum of a few smooth pieces, h(u) = max_k phi_k(u):
// the vertices of a polytope, the two rims of a cylinder, apex and rim of a cone, the one piece of
// an ellipsoid. A support point names the piece it comes from, and `core_piece` evaluates that
// piece alone at another direction, with its Hessian, as a second-order method needs it to stay on
// the active features (narrow/gjk/newton_refinement.hpp).
//
// Inner ball an ellipsoid with semi axes a contains a rolling ball of radius min(a)^2 / max(a), the
//            smallest radius of curvature, so it is a smaller convex core with that ball swept
//            around it. `CoreShape::inner_radius` is that radius; supports of the core leave it
//            out.
#pragma once

#include <cmath>
#include <cstdint>

#include "math/double3.hpp"
#include "math/epsilon.hpp"
#include "shape/hull/convex_polytope.hpp"
#include "shape/stp/stp_surface.hpp"
#include "tactum/shape.hpp"

namespace tactum {

/// A point of the core, in the frame of the shape, and the piece it belongs to.
struct CorePoint {
  Vector3 point;
  std::int32_t piece;
};

/// A core point in plain doubles.
struct PlainCorePoint {
  Double3 point;
  std::int32_t piece;
};

/// A piece evaluated at a direction: its point and H = d point / d direction at unit length,
/// tangential.
struct CorePiece {
  Vector3 point;
  Matrix3 hessian;
};

/// Pieces of a cylinder and of a cone. The centers represent a flat cap that is met exactly along
/// the axis.
enum RoundPiece : std::int32_t { top = 0, bottom_rim = 1, top_center = 2, bottom_center = 3 };

/// The radius that can be taken out of an ellipsoid and swept around the rest. It is a little less
/// than the limit, so that the rest is convex in floating point too.
inline double ellipsoid_inner_radius(const Vector3& semi_axes) {
  const double smallest = semi_axes.minCoeff();
  return 0.999 * smallest * (smallest / semi_axes.maxCoeff());
}

namespace detail {

/// Whether `u` is the axis within rounding: the cap of a disc is then the whole support face.
inline bool along_axis(double radial, double axial) {
  return radial <= 0.25 * kEpsilon * std::abs(axial);
}

inline CorePiece rim_piece(double radius, double height, const Vector3& u) {
  const double radial = std::sqrt(u.x() * u.x() + u.y() * u.y());
  if (along_axis(radial, u.z())) return {{0.0, 0.0, height}, Matrix3::Zero()};
  const Vector3 outward(u.x() / radial, u.y() / radial, 0.0);
  const Vector3 around(-outward.y(), outward.x(), 0.0);
  return {radius * outward + Vector3(0.0, 0.0, height),
          (radius / radial) * around * around.transpose()};
}

}  // namespace detail

/// Farthest point of the core along the unit vector `u`. `visited` counts the vertices of a hull
/// that were looked at.
inline PlainCorePoint core_support(const CoreShape& core, Double3 u, int& visited) {
  using Kind = CoreShape::Kind;
  const Double3 size = to_double3(core.size);
  switch (core.kind) {
    case Kind::segment: {
      const bool positive = dot(size, u) >= 0.0;
      return {positive ? to_double3(core.center) + size : to_double3(core.center) - size,
              positive ? 0 : 1};
    }
    case Kind::ellipsoid: {
      const Double3 scaled = size * u;
      return {(1.0 / scaled.norm()) * (size * scaled) - core.inner_radius * u, 0};
    }
    case Kind::box: {
      const std::int32_t piece = (u.x < 0.0 ? 1 : 0) | (u.y < 0.0 ? 2 : 0) | (u.z < 0.0 ? 4 : 0);
      return {{std::copysign(size.x, u.x + 0.0), std::copysign(size.y, u.y + 0.0),
               std::copysign(size.z, u.z + 0.0)},
              piece};
    }
    case Kind::cylinder: {
      const double radial = std::sqrt(u.x * u.x + u.y * u.y);
      const bool up = !(u.z < 0.0);
      const double height = up ? size.y : -size.y;
      if (detail::along_axis(radial, u.z))
        return {{0.0, 0.0, height}, up ? top_center : bottom_center};
      const double factor = size.x / radial;
      return {{factor * u.x, factor * u.y, height}, up ? top : bottom_rim};
    }
    case Kind::cone: {
      const double radial = std::sqrt(u.x * u.x + u.y * u.y);
      const double half_length = size.y;
      if (half_length * u.z >= size.x * radial - half_length * u.z)
        return {{0.0, 0.0, half_length}, top};
      if (detail::along_axis(radial, u.z)) return {{0.0, 0.0, -half_length}, bottom_center};
      const double factor = size.x / radial;
      return {{factor * u.x, factor * u.y, -half_length}, bottom_rim};
    }
    case Kind::polytope: {
      const int vertex = core.polytope->support_vertex(&u.x, visited);
      return {to_double3(core.polytope->vertex(vertex)), vertex};
    }
    case Kind::stp: {
      const StpSurface::Patch patch = core.stp->patch(u, visited);
      return {core.stp->point(patch, u), core.stp->number(patch)};
    }
    case Kind::point:
    case Kind::half_space: break;
  }
  return {to_double3(core.center), 0};
}

inline CorePoint core_support(const CoreShape& core, const Vector3& u, int& visited) {
  const PlainCorePoint support = core_support(core, to_double3(u), visited);
  return {to_vector3(support.point), support.piece};
}

/// The point of `piece` alone that is farthest along the unit vector `u`.
inline CorePiece core_piece(const CoreShape& core, std::int32_t piece, const Vector3& u) {
  using Kind = CoreShape::Kind;
  switch (core.kind) {
    case Kind::segment:
      return {piece == 0 ? Vector3(core.center + core.size) : Vector3(core.center - core.size),
              Matrix3::Zero()};
    case Kind::ellipsoid: {
      const Vector3 scaled = core.size.cwiseProduct(u);
      const double h = scaled.norm();
      const Vector3 point = core.size.cwiseProduct(scaled) / h;
      Matrix3 hessian = -point * point.transpose();
      hessian.diagonal() += core.size.cwiseAbs2();
      const double rounding = core.inner_radius;
      hessian /= h;
      hessian -= rounding * (Matrix3::Identity() - u * u.transpose());
      return {point - rounding * u, hessian};
    }
    case Kind::box:
      return {
          {piece & 1 ? -core.size.x() : core.size.x(), piece & 2 ? -core.size.y() : core.size.y(),
           piece & 4 ? -core.size.z() : core.size.z()},
          Matrix3::Zero()};
    case Kind::cylinder:
      if (piece == top_center || piece == bottom_center)
        return {{0.0, 0.0, piece == top_center ? core.size.y() : -core.size.y()}, Matrix3::Zero()};
      return detail::rim_piece(core.size.x(), piece == top ? core.size.y() : -core.size.y(), u);
    case Kind::cone:
      if (piece == top) return {{0.0, 0.0, core.size.y()}, Matrix3::Zero()};
      if (piece == bottom_center) return {{0.0, 0.0, -core.size.y()}, Matrix3::Zero()};
      return detail::rim_piece(core.size.x(), -core.size.y(), u);
    case Kind::polytope: return {core.polytope->vertex(piece), Matrix3::Zero()};
    case Kind::stp: {
      const StpSurface::Curvature curvature = core.stp->curvature(core.stp->patch_of_number(piece),
                                                                  to_double3(u));
      const Vector3 across = to_vector3(curvature.across);
      Matrix3 hessian = curvature.radius * (Matrix3::Identity() - u * u.transpose());
      hessian += (curvature.across_radius - curvature.radius) * across * across.transpose();
      return {to_vector3(curvature.point), hessian};
    }
    case Kind::point:
    case Kind::half_space: break;
  }
  return {core.center, Matrix3::Zero()};
}

/// Whether every piece of the core is a single point, so that finitely many features decide the
/// answer.
inline bool is_polyhedral(const CoreShape& core) {
  using Kind = CoreShape::Kind;
  return core.kind == Kind::point || core.kind == Kind::segment || core.kind == Kind::box ||
         core.kind == Kind::polytope;
}

}  // namespace tactum
