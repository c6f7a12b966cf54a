// SPDX-License-Identifier: BSD-2-Clause
// Point of a simplex nearest to the origin: the distance sub-algorithm of GJK.
//
// The simplex has one to four points of M (CorePair), the last one the newest. Signs of barycentric coordinates decide where they are
// sure, which is nearly always; where one is within rounding of zero, or the simplex is almost flat, every face that holds the newest
// point is tried and the nearest valid projection wins, so no chain of sign tests can take a wrong turn. Products are formed
// from edge vectors, so small simplices far from the origin keep their accuracy.
#pragma once

#include <array>

#include "narrow/core_pair.hpp"

namespace tactum {

struct SimplexProjection;

/// Up to four points of M and the weights of the point nearest to the origin.
struct Simplex {
  std::array<MinkowskiPoint, 4> points;
  std::array<double, 4> weights = {0.0, 0.0, 0.0, 0.0};
  int size = 0;

  void push(const MinkowskiPoint& point) { points[static_cast<std::size_t>(size++)] = point; }
  void keep(const SimplexProjection& projection);  ///< drops the points that the projection does not need and sets the weights
  Vector3 point_a() const;                         ///< weighted sum of the points of A
  Vector3 point_b() const;
};

struct SimplexProjection {
  Double3 point = {0.0, 0.0, 0.0};                 ///< nearest point, weighted sum of the kept points
  Double3 normal = {0.0, 0.0, 0.0};                ///< unit, along `point`: the cross product of a face, not a small difference
  double distance = 0.0;                           ///< |point|
  bool contains_origin = false;                    ///< the origin is inside a tetrahedron, or within rounding of the simplex
  std::array<std::int8_t, 4> kept = {0, 0, 0, 0};  ///< which points hold it, in ascending order
  std::array<double, 4> weights = {0.0, 0.0, 0.0, 0.0};
  int size = 0;
};

/// Nearest point to the origin. `scale` sets what rounding means.
SimplexProjection nearest_to_origin(const Simplex& simplex, double scale);

/// The same, and the simplex reduced to the smallest face that holds it.
inline SimplexProjection project_origin(Simplex& simplex, double scale) {
  const SimplexProjection projection = nearest_to_origin(simplex, scale);
  simplex.keep(projection);
  return projection;
}

}  // namespace tactum
