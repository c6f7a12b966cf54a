// SPDX-License-Identifier: BSD-2-Clause
// Vectors and circumcircles in extended and in quadruple precision.
#pragma once

#include <Eigen/Core>
#include <cmath>

namespace tactum {

using Wide = long double;
using Wide3 = Eigen::Matrix<Wide, 3, 1>;
__extension__ using Quad = __float128;  // 113 bits, in software

/// Three numbers of a type that Eigen does not know.
template <class Real>
struct RealVector {
  Real x, y, z;

  friend RealVector operator+(const RealVector& a, const RealVector& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend RealVector operator-(const RealVector& a, const RealVector& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend RealVector operator*(Real s, const RealVector& v) { return {s * v.x, s * v.y, s * v.z}; }
  friend Real dot(const RealVector& a, const RealVector& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
  }
  friend RealVector cross(const RealVector& a, const RealVector& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
  Real squared_norm() const { return dot(*this, *this); }
};

/// Half the distance from one to the next number of the type.
template <class Real>
inline constexpr double kUnitRoundoff = 5.5e-20;
template <>
inline constexpr double kUnitRoundoff<Quad> = 1e-34;

inline Wide square_root(Wide x) { return std::sqrt(x); }

/// One step of Newton's method doubles the digits of the root in extended precision.
inline Quad square_root(Quad x) {
  const Quad guess = std::sqrt(static_cast<Wide>(x));
  return guess > 0 ? guess - (guess * guess - x) / (2 * guess) : guess;
}

/// The circle through three points.
template <class Real>
struct Circumcircle {
  RealVector<Real> center, normal;  ///< center as seen from the first point; normal of unit length
  Real squared_radius;              ///< negative where the points are on a line
  double rounding;                  ///< relative error of center, normal and radius
};

/// The circle through a, b and c, computed from a.
template <class Real>
Circumcircle<Real> circumcircle_from(const RealVector<Real>& a, const RealVector<Real>& b,
                                     const RealVector<Real>& c) {
  constexpr double safety = 16.0;  // factor on the bound of the rounding error
  const RealVector<Real> u = b - a, v = c - a, n = cross(u, v);
  const Real uu = u.squared_norm(), vv = v.squared_norm(), uv = dot(u, v),
             squared = n.squared_norm();
  if (!(squared > 0)) return {{}, {}, -1, 0.0};
  const RealVector<Real> center = 1 / (2 * squared) * (vv * (uu - uv) * u + uu * (vv - uv) * v);
  const double sine = std::sqrt(static_cast<double>(squared / (uu * vv)));
  return {center, 1 / square_root(squared) * n, center.squared_norm(),
          safety * kUnitRoundoff<Real> / sine};
}

/// The circle through a, b and c, with its center as seen from a.
///
/// It is computed from an end of the shortest side: from elsewhere the center of a thin triangle is
/// a difference of numbers much larger than itself.
template <class Real>
Circumcircle<Real> circumcircle(const RealVector<Real>& a, const RealVector<Real>& b,
                                const RealVector<Real>& c) {
  const auto squared_length = [](const RealVector<Real>& from, const RealVector<Real>& to) {
    return static_cast<double>((from - to).squared_norm());
  };
  const auto moved = [&](const RealVector<Real>& origin, Circumcircle<Real> circle) {
    circle.center = circle.center + (origin - a);
    return circle;
  };
  const double ab = squared_length(a, b), bc = squared_length(b, c), ca = squared_length(c, a);
  if (bc < ab && bc <= ca) return moved(b, circumcircle_from(b, c, a));
  if (ca < ab) return moved(c, circumcircle_from(c, a, b));
  return circumcircle_from(a, b, c);
}

}  // namespace tactum
