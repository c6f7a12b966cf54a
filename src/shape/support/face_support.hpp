// SPDX-License-Identifier: BSD-2-Clause
// Support points on the whole face of a core that is farthest along a direction.
//
// The normal of a flat face, an edge, a generator or a cap meets it as a whole; among its points
// the one farthest along a second direction is wanted. `slack` is the length within which points
// count as equally far along the first.
#pragma once

#include <cmath>
#include <limits>

#include "shape/hull/level_walk.hpp"
#include "shape/support/core_support.hpp"

namespace tactum {

namespace detail {

/// Point of a disc at the given height: on the rim where u points outwards, along t where the whole
/// disc is the face.
inline Vector3 disc_face_point(double radius, double height, const Vector3& u, const Vector3& t,
                               double slack) {
  const bool cap = radius * std::hypot(u.x(), u.y()) <= slack;
  const Vector3& outward = cap ? t : u;
  const double length = std::hypot(outward.x(), outward.y());
  if (!(length > 0.0)) return {0.0, 0.0, height};
  return {radius * outward.x() / length, radius * outward.y() / length, height};
}

}  // namespace detail

/// Among the points of the core within `slack` of the farthest along the unit vector u, one
/// farthest along t (frame of the shape).
inline Vector3 face_support(const CoreShape& core, const Vector3& u, const Vector3& t,
                            double slack) {
  // sign along an axis of half length h: by u, or by t where u is orthogonal to the axis
  const auto signed_length = [&](double h, double along_u, double along_t) {
    return (2.0 * h * std::abs(along_u) <= slack ? along_t : along_u) < 0.0 ? -h : h;
  };
  switch (core.kind) {
    case CoreShape::Kind::segment:
      return core.center + signed_length(1.0, core.size.dot(u), core.size.dot(t)) * core.size;
    case CoreShape::Kind::box:
      return {signed_length(core.size.x(), u.x(), t.x()),
              signed_length(core.size.y(), u.y(), t.y()),
              signed_length(core.size.z(), u.z(), t.z())};
    case CoreShape::Kind::cylinder:
      return detail::disc_face_point(core.size.x(), signed_length(core.size.y(), u.z(), t.z()), u,
                                     t, slack);
    case CoreShape::Kind::cone: {
      const Vector3 apex(0.0, 0.0, core.size.y());
      const Vector3 rim = detail::disc_face_point(core.size.x(), -core.size.y(), u, t, slack);
      const double ahead = (apex - rim).dot(u);
      if (std::abs(ahead) <= slack) return (apex - rim).dot(t) > 0.0 ? apex : rim;
      return ahead > 0.0 ? apex : rim;
    }
    case CoreShape::Kind::polytope: {
      const ConvexPolytope& hull = *core.polytope;
      int visited = 0, best = hull.support_vertex(u, visited);
      const double lowest = hull.vertex(best).dot(u) - slack;
      double best_along = -std::numeric_limits<double>::infinity();
      visit_level_vertices(
          hull, best, [&](int vertex) { return hull.vertex(vertex).dot(u) >= lowest; },
          [&](int vertex) {
            const double along = hull.vertex(vertex).dot(t);
            // among equals the lowest index, in whatever order the walk meets them
            if (along < best_along || (along == best_along && vertex > best)) return;
            best = vertex;
            best_along = along;
          });
      return hull.vertex(best);
    }
    case CoreShape::Kind::ellipsoid:
    case CoreShape::Kind::stp: {
      int visited = 0;
      return core_support(core, u, visited).point;
    }
    case CoreShape::Kind::point:
    case CoreShape::Kind::half_space: break;
  }
  return core.center;
}

}  // namespace tactum
