// SPDX-License-Identifier: BSD-2-Clause
// The normals of a torus patch: n = sin(theta) axis + cos(theta) outward(phi), phi from 0 at the
// first face to `angle` at the second, |sin(theta)| up to l / (2 alpha). The centers of its big
// circles are at -outward(phi).
#pragma once

#include <cmath>
#include <numbers>

#include "shape/stp/stp_surface.hpp"

namespace tactum {

/// The arc of centers of an edge: -g(phi) from the first center to the second.
struct StpArc {
  Double3 start, turned;  ///< unit, orthogonal
  double angle;

  explicit StpArc(const StpSurface::Edge& edge) : angle(2.0 * std::numbers::pi) {
    if (edge.faces[0] < 0) {
      const Double3 a = edge.axis;
      const Double3 other = std::abs(a.x) < 0.6 ? Double3{1.0, 0.0, 0.0} : Double3{0.0, 1.0, 0.0};
      const Double3 side = cross(a, other);
      turned = (1.0 / side.norm()) * side;
      start = cross(turned, a);
      return;
    }
    turned = edge.inward[0];
    start = cross(turned, edge.axis);
    const Double3 end = cross(edge.axis, edge.inward[1]);
    angle = std::atan2(dot(turned, end), dot(start, end));
    // near no turn, half a turn and a whole turn rounding may be on either side
    constexpr double half_turn = std::numbers::pi;
    if (edge.wide) {
      angle = angle < 0.0               ? angle + 2.0 * half_turn
              : angle > 0.5 * half_turn ? half_turn
                                        : 2.0 * half_turn;
    } else if (angle < 0.0) {
      angle = angle < -0.5 * half_turn ? half_turn : 0.0;
    }
  }
  Double3 outward(double phi) const { return -(std::cos(phi) * start + std::sin(phi) * turned); }
  Double3 tangent(double phi) const { return std::sin(phi) * start - std::cos(phi) * turned; }
};

/// A direction among the normals of a vertex, which form a convex region: the mean of its borders,
/// b = sine * (towards the vertex) + cosine * outward.
inline Double3 inner_normal(const StpSurface& surface, std::int32_t vertex) {
  Double3 sum{0.0, 0.0, 0.0};
  for (const StpSurface::IncidentEdge& incident_edge :
       surface.incident_edges(surface.vertices()[vertex])) {
    const StpSurface::Edge& edge = surface.edges()[incident_edge.edge];
    const StpArc arc(edge);
    const double sine = edge.vertices[1] == vertex ? edge.sine : -edge.sine;
    sum = sum + (arc.angle * sine) * edge.axis;
    sum = sum + (edge.radius / surface.alpha()) * (arc.tangent(0.0) - arc.tangent(arc.angle));
  }
  const double norm = sum.norm();
  return norm > 0.0 ? (1.0 / norm) * sum : Double3{0.0, 0.0, 1.0};
}

}  // namespace tactum
