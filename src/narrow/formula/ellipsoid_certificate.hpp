// SPDX-License-Identifier: BSD-2-Clause
// Two ellipsoids seen along a direction, and the proof that a local optimum of their separation is
// the global one.
//
// Separation    With A = diag(a), B = D R' (D = diag(b), R the rotation of the second ellipsoid)
//               and c the difference of the centers,
//                   sep(n) = n.c - |A n| - |B n|       for every unit vector n.
// Bound         For any orthogonal U the triangle inequality gives |A n| + |B n| >= |C n| with C =
//               A + U B, and equality at one n if U takes the direction of B n to that of A n. So
//               the difference of the two contains the ellipsoid of C and shares a point of contact
//               with it; if the depth at n is the global one for C, it is for the pair.
// Proof         For one ellipsoid, Q = C'C, with h = |C n|, depth e = -sep(n) and K = Q / h - e I,
//               stationarity reads c = K n + g with g = 0. K >= 0 makes the Lagrangian of "nearest
//               point of the surface to c" convex, and its value at the multiplier -e h gives
//                   depth >= e - g' K^-1 g for every g orthogonal to n: no better direction exists
//                   anywhere.
//               On the plane orthogonal to n (basis T, k = T'c) the Schur complement of h K is,
//               with the 2 x 2 matrices M = T'A'(I - uu')A T of A (u = A n / |A n|), N of B, and a
//               free rotation by an angle about u,
//                   S = M + N + sqrt(M) R sqrt(N) + sqrt(N) R' sqrt(M) - e (h I + k k' / (n.c)) >=
//                   0.
//               sqrt(det M) = a_1 a_2 a_3 / |A n|, so both roots are rational up to one square
//               root.
// Rounding      S must be positive by more than its own rounding. Where it is not, for instance
//               because the optima fill a curve, the proof is tried once more for a depth smaller
//               by 512 eps of the scale.
#pragma once

#include <algorithm>
#include <cmath>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "math/relative_pose.hpp"
#include "math/tangent_plane.hpp"

namespace tactum {

/// One quantity of both ellipsoids: the first lane belongs to the first, the second to the second.
using Lanes [[gnu::vector_size(16)]] = double;

inline Lanes both(double x) { return Lanes{x, x}; }
inline double sum(Lanes v) { return v[0] + v[1]; }
inline Lanes square_root(Lanes v) {
#ifdef __SSE2__
  return _mm_sqrt_pd(v);
#else
  return Lanes{std::sqrt(v[0]), std::sqrt(v[1])};
#endif
}

struct Lanes3 {
  Lanes x, y, z;

  Lanes3(Double3 a, Double3 b) : x{a.x, b.x}, y{a.y, b.y}, z{a.z, b.z} {}
  Lanes3(Lanes x_, Lanes y_, Lanes z_) : x(x_), y(y_), z(z_) {}
  friend Lanes3 operator*(Lanes3 a, Lanes3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
  friend Lanes dot(Lanes3 a, Lanes3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
};

/// Two ellipsoids in the frame of the first; zero semi axes mean a point.
struct EllipsoidPair {
  Double3 axes_a;
  Double3 axes_b;
  RelativePose b;  ///< the second ellipsoid: the directions of its axes and its center
  double scale;    ///< m; rounding is relative to it
};

/// The pair along a unit vector n: for each ellipsoid the value of its support function, and the
/// support point and its Hessian on the plane orthogonal to n; sep = n.c - |A n| - |B n| and its
/// gradient c - p - q in the plane.
struct PairShadow {
  TangentBasis plane;
  Lanes height;            ///< |A n|, |B n|
  Lanes inverse_height;    ///< 1 / height; very large but finite for a point
  Lanes point_x, point_y;  ///< support points in the basis of the plane
  Lanes xx, xy, yy;        ///< height times Hessian
  Double2 center;          ///< c in the plane
  double separation;
  Double2 gradient;
};

inline PairShadow pair_shadow(const EllipsoidPair& pair, Double3 n) {
  const Lanes never_zero = both(1e-280);  // far below every square of a size; keeps a point from
                                          // dividing by zero
  PairShadow view;
  view.plane = tangent_basis(n);
  const Lanes3 axes(pair.axes_a, pair.axes_b);
  const Lanes3 image = axes * Lanes3(n, pair.b.to_second(n));
  const Lanes3 x = axes * Lanes3(view.plane.x, pair.b.to_second(view.plane.x)),
               y = axes * Lanes3(view.plane.y, pair.b.to_second(view.plane.y));
  const Lanes square = dot(image, image) + never_zero;
  view.height = square_root(square);
  view.inverse_height = view.height * (both(1.0) / square);  // the division does not wait for the
                                                             // square root
  view.point_x = view.inverse_height * dot(x, image);
  view.point_y = view.inverse_height * dot(y, image);
  view.xx = dot(x, x) - view.point_x * view.point_x;
  view.xy = dot(x, y) - view.point_x * view.point_y;
  view.yy = dot(y, y) - view.point_y * view.point_y;
  view.center = view.plane.project(pair.b.center);
  view.separation = dot(n, pair.b.center) - sum(view.height);
  view.gradient = {view.center.x - sum(view.point_x), view.center.y - sum(view.point_y)};
  return view;
}

/// Tries to prove that no direction separates overlapping ellipsoids by more than `normal` does.
/// Returns an upper bound of max sep - sep(normal), infinite where there is no proof.
double prove_depth(const EllipsoidPair& pair, Double3 normal);

}  // namespace tactum
