// SPDX-License-Identifier: BSD-2-Clause
// The point of a triangle nearest to the origin, and what a tetrahedron says about the origin.
//
// Both serve the search, where lanes with two, three and four points run side by side: one routine
// without branches costs less there than a case for each feature. An edge is a triangle whose last
// two corners are the same.
#pragma once

#include "gpu/vector.hpp"

namespace tactum::gpu {

/// Nearest point of a triangle: point = (1 - weight_b - weight_c) a + weight_b b + weight_c c.
template <class Real>
struct TrianglePoint {
  Vector<Real> point;
  Real squared;  ///< its squared distance from the origin
  Real weight_b, weight_c;
  bool on_face;         ///< inside the triangle, not on an edge
  Vector<Real> normal;  ///< of the triangle, not unit
};

namespace detail {

/// Parameter of the point of the segment from `a` along `edge` that is nearest to the origin.
template <class Real>
TACTUM_HOST_DEVICE Real edge_parameter(Vector<Real> a, Vector<Real> edge) {
  const Real t = -dot(a, edge) * (1 / larger(squared_norm(edge), kTiny<Real>));
  return smaller(larger(t, Real(0)), Real(1));
}

}  // namespace detail

/// The point of the triangle a, b, c nearest to the origin. Without `kAllEdges` the edge b c is
/// left out: in the search `a` is the newest point and belongs to the nearest feature.
template <bool kAllEdges, class Real>
TACTUM_HOST_DEVICE TrianglePoint<Real> closest_on_triangle(Vector<Real> a, Vector<Real> b,
                                                           Vector<Real> c) {
  const Vector<Real> ab = b - a, ac = c - a;
  const Vector<Real> normal = cross(ab, ac);
  const Real to_b = detail::edge_parameter(a, ab), to_c = detail::edge_parameter(a, ac);
  const Vector<Real> on_ab = a + to_b * ab, on_ac = a + to_c * ac;
  const Real squared_ab = squared_norm(on_ab), squared_ac = squared_norm(on_ac);
  const bool first = squared_ab <= squared_ac;
  TrianglePoint<Real> best{chosen(first, on_ab, on_ac),
                           first ? squared_ab : squared_ac,
                           first ? to_b : Real(0),
                           first ? Real(0) : to_c,
                           false,
                           normal};
  if constexpr (kAllEdges) {
    const Vector<Real> bc = c - b;
    const Real along = detail::edge_parameter(b, bc);
    const Vector<Real> on_bc = b + along * bc;
    if (squared_norm(on_bc) < best.squared)
      best = {on_bc, squared_norm(on_bc), 1 - along, along, false, normal};
  }
  const Real area = squared_norm(normal);
  const Real share_b = dot(normal, cross(ac, a)), share_c = dot(normal, cross(a, ab));
  // corners on a line span no face, whatever rounding makes of their normal
  const Real thin = 16 * kUnit<Real>;
  const bool spans = area > thin * thin * squared_norm(ab) * squared_norm(ac);
  if (spans && share_b > 0 && share_c > 0 && share_b + share_c < area) {
    const Real unit = 1 / area, height = dot(normal, a) * unit;
    best = {height * normal, height * height * area, share_b * unit, share_c * unit, true, normal};
  }
  return best;
}

/// The origin seen from a tetrahedron.
template <class Real>
struct TetrahedronView {
  Real volume;      ///< six times the volume, not negative
  Real opposite_b;  ///< six times the volume between the origin and the face opposite to b (c, d),
                    ///< negative where the face sees the origin
  Real opposite_c;
  Real opposite_d;
  Real area_b, area_c, area_d;  ///< four times the squared areas of those faces
  bool flat;                    ///< within rounding, nothing can be said

  TACTUM_HOST_DEVICE Real opposite_a() const {
    return volume - opposite_b - opposite_c - opposite_d;
  }
  TACTUM_HOST_DEVICE bool holds_origin() const {
    return !flat && opposite_b >= 0 && opposite_c >= 0 && opposite_d >= 0;
  }
  /// Largest margin by which rounding may move the four shares without the origin leaving the
  /// tetrahedron.
  TACTUM_HOST_DEVICE Real smallest_share() const {
    return flat ? Real(0)
                : smaller(smaller(opposite_a(), opposite_b), smaller(opposite_c, opposite_d));
  }
};

template <class Real>
TACTUM_HOST_DEVICE TetrahedronView<Real> view_of_tetrahedron(Vector<Real> a, Vector<Real> b,
                                                             Vector<Real> c, Vector<Real> d) {
  const Vector<Real> ab = b - a, ac = c - a, ad = d - a;
  const Vector<Real> normal_abc = cross(ab, ac), normal_acd = cross(ac, ad),
                     normal_adb = cross(ad, ab);
  const Real volume = dot(normal_abc, ad);
  const Real sign = volume < 0 ? Real(1) : Real(-1);
  const Real bound = 64 * kUnit<Real>;
  const bool flat = !(volume * volume >
                      bound * bound * squared_norm(normal_abc) * squared_norm(ad));
  return {std::fabs(volume),         sign * dot(normal_acd, a),
          sign * dot(normal_adb, a), sign * dot(normal_abc, a),
          squared_norm(normal_acd),  squared_norm(normal_adb),
          squared_norm(normal_abc),  flat};
}

}  // namespace tactum::gpu
