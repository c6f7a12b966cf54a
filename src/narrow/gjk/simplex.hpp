// SPDX-License-Identifier: BSD-2-Clause
// Point of a simplex nearest to the origin: the distance sub-algorithm of GJK.
//
// The simplex has one to four points of M (CorePair), the last one the newest. Signs of barycentric
// coordinates decide where they are sure, which is nearly always; where one is within rounding of
// zero, or the simplex is almost flat, every face that holds the newest point is tried and the
// nearest valid projection wins, so no chain of sign tests can take a wrong turn. Products are
// formed from edge vectors, so small simplices far from the origin keep their accuracy.
#pragma once

#include <array>
#include <cassert>

#include "narrow/pair/core_pair.hpp"

namespace tactum {

struct SimplexProjection;

/// Up to four points of M and the weights of the point nearest to the origin.
struct Simplex {
  std::array<MinkowskiPoint, 4> points;
  std::array<double, 4> weights = {0.0, 0.0, 0.0, 0.0};
  int size = 0;

  void push(const MinkowskiPoint& point) {
    assert(size < 4);
    points[static_cast<std::size_t>(size++)] = point;
  }
  void keep(const SimplexProjection& projection);  ///< drops the points that the projection does
                                                   ///< not need
  Vector3 point_a() const;                         ///< weighted sum of the points of A
  Vector3 point_b() const;
};

struct SimplexProjection {
  Double3 point;    ///< nearest point, weighted sum of the kept points
  Double3 normal;   ///< unit, along `point`: the cross product of a face, not a small difference
  Double3 along;    ///< a vector along `normal` of another length, known before the square root and
                    ///< the division
  double distance;  ///< |point|
  bool contains_origin;  ///< the origin is inside a tetrahedron, or within rounding of the simplex
  int size;              ///< number of points whose weighted sum is `point`
  std::array<std::int8_t, 4> kept;  ///< indices of these points, in ascending order
  std::array<double, 4> weights;    ///< weights of these points
};

/// Finds the point of the simplex nearest to the origin. `scale` sets the size of rounding.
void find_nearest(const Simplex& simplex, double scale, SimplexProjection& result);

/// Like find_nearest(), and reduces the simplex to the smallest face that contains the nearest
/// point.
inline SimplexProjection project_origin(Simplex& simplex, double scale) {
  SimplexProjection projection;
  find_nearest(simplex, scale, projection);
  simplex.keep(projection);
  simplex.weights = projection.weights;
  return projection;
}

}  // namespace tactum
