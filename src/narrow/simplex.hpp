// SPDX-License-Identifier: BSD-2-Clause
// Point of a simplex nearest to the origin: the distance sub-algorithm of GJK.
//
// The simplex has one to four points of M (CorePair). Every face that holds the newest point (the last one) is tried, faces that are
// flat within rounding are left to their own faces, and the nearest valid projection wins; so no chain of sign tests can take a
// wrong turn. Products are formed from edge vectors, so small simplices far from the origin keep their accuracy.
#pragma once

#include <array>

#include "narrow/core_pair.hpp"

namespace tactum {

/// Up to four points of M and the weights of the point nearest to the origin.
struct Simplex {
  std::array<MinkowskiPoint, 4> points;
  std::array<double, 4> weights = {0.0, 0.0, 0.0, 0.0};
  int size = 0;

  void push(const MinkowskiPoint& point) { points[static_cast<std::size_t>(size++)] = point; }
  Vector3 point_a() const;  ///< weighted sum of the points of A
  Vector3 point_b() const;
};

struct SimplexProjection {
  Vector3 point;  ///< nearest point, weighted sum of the kept points
  Vector3
      normal;  ///< unit vector along `point`, taken from the feature (cross product of a face) and not from the small difference
  bool contains_origin;  ///< the origin is inside a tetrahedron, or within rounding of the simplex
};

/// Projects the origin, keeps the smallest face that holds the projection and sets its weights. `scale` sets what rounding means.
SimplexProjection project_origin(Simplex& simplex, double scale);

}  // namespace tactum
