// SPDX-License-Identifier: BSD-2-Clause
// Friction cones, discs and polygons: their projections, derivatives of the projections, and the
// correction of de Saxce.
//
// A point is (tangent, tangent, normal). K_mu = {|x_T| <= mu x_N}; its dual cone is K_{1/mu}; by
// Moreau, x - P_{K*}(x) = -P_K(-x). Nothing here divides by zero or returns a NaN for finite input.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>

#include "math/tangent_plane.hpp"

namespace tactum {

inline double tangent_norm(Double3 v) { return std::sqrt(v.x * v.x + v.y * v.y); }

/// Point of the cone |x_T| <= mu x_N that is nearest to v.
inline Double3 project_cone(Double3 v, double mu) {
  const double tangent = tangent_norm(v);
  if (tangent <= mu * v.z) return v;
  if (mu * tangent <= -v.z) return {0, 0, 0};
  const double normal = (mu * tangent + v.z) / (1 + mu * mu);
  if (tangent <= 0) return {0, 0, std::max(normal, 0.0)};
  const double shrink = mu * normal / tangent;
  return {shrink * v.x, shrink * v.y, normal};
}

/// Distance of v from the dual cone.
inline double dual_cone_distance(Double3 v, double mu) { return project_cone(-v, mu).norm(); }

/// Velocity with the correction of de Saxce: s + Gamma(s), Gamma(s) = (0, 0, mu |s_T|).
inline Double3 desaxce(Double3 s, double mu) { return {s.x, s.y, s.z + mu * tangent_norm(s)}; }

/// Point of the disc of a radius that is nearest to v. A negative radius counts as 0.
inline Double2 project_disc(Double2 v, double radius) {
  const double norm = v.norm();
  if (norm <= radius) return v;
  const double shrink = std::max(radius, 0.0) / norm;
  return {shrink * v.x, shrink * v.y};
}

/// A regular polygon around the unit disc. Its edges are the tangents at angle + 2 pi k / facets.
class Polygon {
 public:
  Polygon(int facets, double angle)
      : sector_(6.283185307179586 / facets), angle_(angle), slope_(std::tan(sector_ / 2)) {
    assert(facets >= 3);
  }

  /// Where a point lies relative to the polygon of an inner radius.
  struct Place {
    enum State { inside, facet, vertex } state;
    Double2 nearest;
    Double2 outward;  ///< normal of the facet, or the vertex of the unit polygon
    double slack;     ///< how far the point may move before the state changes
  };

  Place place(Double2 v, double radius) const {
    const double turns = std::floor((std::atan2(v.y, v.x) - angle_) / sector_ + 0.5);
    const double direction = angle_ + turns * sector_, c = std::cos(direction),
                 s = std::sin(direction);
    const double across = c * v.x + s * v.y, along = c * v.y - s * v.x;  // |along| <= slope across
    if (across <= radius) return {Place::inside, v, {c, s}, radius - across};
    const double half_edge = slope_ * radius;
    if (std::abs(along) <= half_edge) {
      const Double2 nearest{c * radius - s * along, s * radius + c * along};
      return {
          Place::facet, nearest, {c, s}, std::min(across - radius, half_edge - std::abs(along))};
    }
    const double end = std::copysign(slope_, along);
    const Double2 corner{c - s * end, s + c * end};
    return {
        Place::vertex, {radius * corner.x, radius * corner.y}, corner, std::abs(along) - half_edge};
  }

  /// Point of the polygon of an inner radius that is nearest to v. A negative radius counts as 0.
  Double2 project(Double2 v, double radius) const {
    return place(v, std::max(radius, 0.0)).nearest;
  }

  /// Largest product of a point of the unit polygon with v.
  double support(Double2 v) const {
    const double turns = std::floor((std::atan2(v.y, v.x) - angle_) / sector_ + 0.5);
    const double direction = angle_ + turns * sector_, c = std::cos(direction),
                 s = std::sin(direction);
    return c * v.x + s * v.y + slope_ * std::abs(c * v.y - s * v.x);
  }

  /// Distance of v from the polygon of an inner radius.
  double distance(Double2 v, double radius) const {
    const Double2 nearest = project(v, radius);
    return Double2{v.x - nearest.x, v.y - nearest.y}.norm();
  }

 private:
  double sector_, angle_, slope_;
};

/// Derivative of project_cone() at a point: the sum of column column^T over the first `rank`
/// columns.
struct ConeProjectionSlope {
  int rank;
  Double3 columns[3];
};

inline ConeProjectionSlope project_cone_slope(Double3 v, double mu) {
  const double tangent = tangent_norm(v);
  if (tangent <= mu * v.z) return {3, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  if (mu * tangent <= -v.z || tangent <= 0) return {v.z > 0 ? 1 : 0, {{0, 0, 1}, {}, {}}};
  const double normal = (mu * tangent + v.z) / (1 + mu * mu), scale = 1 / std::sqrt(1 + mu * mu);
  const double ux = v.x / tangent, uy = v.y / tangent, side = std::sqrt(mu * normal / tangent);
  return {2, {{scale * mu * ux, scale * mu * uy, scale}, {-side * uy, side * ux, 0}, {}}};
}

}  // namespace tactum
