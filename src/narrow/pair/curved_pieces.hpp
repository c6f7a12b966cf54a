// SPDX-License-Identifier: BSD-2-Clause
// Smooth pieces of a core along a direction, split into a fixed part and a part that turns with it.
//
// Every piece of a core (shape/support/core_support.hpp) has the point  base + factor * profile(u):
// the rims of a cylinder have the unit circle that faces u as profile, an ellipsoid is its own,
// vertices have the factor zero. So a second-order method evaluates one profile for each core and
// direction, however many pieces are active. Hessians are 2 x 2, in a basis of the plane orthogonal
// to u. An STP volume is its own profile too: its patches join smoothly, so that Newton need not
// tell them apart.
#pragma once

#include "narrow/formula/ellipsoid_certificate.hpp"
#include "narrow/pair/core_pair.hpp"

namespace tactum {

/// The part of a support point that turns with the direction, shared by all pieces of a core; frame
/// of the shape.
struct CoreProfile {
  Double3 point;
  Symmetric2 hessian;
};

/// The fixed part of a piece: its point is base + factor * profile.
struct PieceAnchor {
  Double3 base;
  double factor;
};

namespace detail {

inline CoreProfile circle_profile(Double3 u, const TangentBasis& plane) {
  const double square = u.x * u.x + u.y * u.y, radial = std::sqrt(square);
  if (along_axis(radial, u.z)) return {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  const double inverse = radial * (1.0 / square), cosine = inverse * u.x, sine = inverse * u.y;
  // a rim point moves along its circle only
  const double x = cosine * plane.x.y - sine * plane.x.x, y = cosine * plane.y.y - sine * plane.y.x;
  return {{cosine, sine, 0.0}, {inverse * x * x, inverse * x * y, inverse * y * y}};
}

inline CoreProfile ellipsoid_profile(Double3 axes, double rounding, Double3 u,
                                     const TangentBasis& plane) {
  const Double3 scaled = axes * u, image_x = axes * plane.x, image_y = axes * plane.y;
  const double square = scaled.squared_norm(), inverse = std::sqrt(square) * (1.0 / square);
  const double x = inverse * dot(image_x, scaled), y = inverse * dot(image_y, scaled);
  return {inverse * (axes * scaled) - rounding * u,
          {inverse * (dot(image_x, image_x) - x * x) - rounding,
           inverse * (dot(image_x, image_y) - x * y),
           inverse * (dot(image_y, image_y) - y * y) - rounding}};
}

inline CoreProfile patch_profile(const CoreShape& core, Double3 u, const TangentBasis& plane) {
  int visited = 0;
  const StpSurface::Curvature curvature = core.stp->curvature(core.stp->patch(u, visited), u);
  const Double2 across = plane.project(curvature.across);
  const double excess = curvature.across_radius - curvature.radius;
  return {curvature.point,
          {curvature.radius + excess * across.x * across.x, excess * across.x * across.y,
           curvature.radius + excess * across.y * across.y}};
}

}  // namespace detail

/// Profile of a core along the unit vector u; `plane` is orthogonal to u, and both are in the frame
/// of the shape.
inline CoreProfile core_profile(const CoreShape& core, Double3 u, const TangentBasis& plane) {
  if (core.kind == CoreShape::Kind::cylinder || core.kind == CoreShape::Kind::cone)
    return detail::circle_profile(u, plane);
  if (core.kind == CoreShape::Kind::ellipsoid)
    return detail::ellipsoid_profile(to_double3(core.size), core.inner_radius, u, plane);
  if (core.stp != nullptr) return detail::patch_profile(core, u, plane);
  return {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
}

inline PieceAnchor piece_anchor(const CoreShape& core, std::int32_t piece) {
  const Double3 size = to_double3(core.size);
  switch (core.kind) {
    case CoreShape::Kind::segment:
      return {piece == 0 ? to_double3(core.center) + size : to_double3(core.center) - size, 0.0};
    case CoreShape::Kind::ellipsoid:
    case CoreShape::Kind::stp: return {{0.0, 0.0, 0.0}, 1.0};
    case CoreShape::Kind::box:
      return {{piece & 1 ? -size.x : size.x, piece & 2 ? -size.y : size.y,
               piece & 4 ? -size.z : size.z},
              0.0};
    case CoreShape::Kind::cylinder: {
      const bool up = piece == top || piece == top_center;
      return {{0.0, 0.0, up ? size.y : -size.y},
              piece == top || piece == bottom_rim ? size.x : 0.0};
    }
    case CoreShape::Kind::cone:
      return {{0.0, 0.0, piece == top ? size.y : -size.y}, piece == bottom_rim ? size.x : 0.0};
    case CoreShape::Kind::polytope: return {to_double3(core.polytope->vertex(piece)), 0.0};
    case CoreShape::Kind::point:
    case CoreShape::Kind::half_space: break;
  }
  return {to_double3(core.center), 0.0};
}

/// The names that Newton uses for pieces: all patches of an STP volume count as one piece.
inline PiecePair joined(const CorePair& pair, const PiecePair& piece) {
  return {pair.a().stp != nullptr ? 0 : piece[0], pair.b().stp != nullptr ? 0 : piece[1]};
}

/// The profiles of both cores along the unit vector n.
struct PairProfile {
  TangentBasis plane;  ///< orthogonal to n, frame of A
  CoreProfile a;       ///< along n
  CoreProfile b;       ///< along -n, frame of B
  Double3 b_point;     ///< point of `b`, rotated into the frame of A

  PairProfile(const CorePair& pair, Double3 n)
      : plane(tangent_basis(n)), a(core_profile(pair.a(), n, plane)) {
    const Matrix3& R = pair.X_AB().rotation;
    b = core_profile(pair.b(), -transposed_product(R, n),
                     {transposed_product(R, plane.x), transposed_product(R, plane.y)});
    b_point = product(R, b.point);
  }
};

/// Two pieces, one of each core. Their point of M is
///     w = offset + factor_b * profile.b_point - factor_a * profile.a.point.
struct PiecePairAnchor {
  PiecePair piece;
  PieceAnchor a;
  PieceAnchor b;   ///< frame of B
  Double3 offset;  ///< difference of the bases, frame of A

  Double3 point(const PairProfile& profile) const {
    return offset + b.factor * profile.b_point - a.factor * profile.a.point;
  }
  Double3 point_a(const PairProfile& profile) const { return a.base + a.factor * profile.a.point; }
};

inline PiecePairAnchor anchor(const CorePair& pair, const PiecePair& piece) {
  const PieceAnchor a = piece_anchor(pair.a(), piece[0]), b = piece_anchor(pair.b(), piece[1]);
  return {piece, a, b,
          product(pair.X_AB().rotation, b.base) + to_double3(pair.X_AB().translation) - a.base};
}

/// Difference of the points of two pairs of pieces, which is base + factor_b * profile.b_point -
/// factor_a * profile.a.point. The base is formed in the frames of the shapes, so its error is
/// rounding of the base itself, however far from the origin.
struct PieceEdge {
  Double3 base;
  double factor_a, factor_b;

  PieceEdge() = default;
  PieceEdge(const CorePair& pair, const PiecePairAnchor& from, const PiecePairAnchor& to)
      : base(product(pair.X_AB().rotation, to.b.base - from.b.base) - (to.a.base - from.a.base)),
        factor_a(to.a.factor - from.a.factor),
        factor_b(to.b.factor - from.b.factor) {}
  Double3 along(const PairProfile& profile) const {
    return base + factor_b * profile.b_point - factor_a * profile.a.point;
  }
};

}  // namespace tactum
