// SPDX-License-Identifier: BSD-2-Clause
// The feature of a hull that contains a witness point: vertex, edge or face.
//
// Finds      the vertices at the level of the support vertex (shape/hull/level_walk.hpp); one is a
//            vertex, two are an edge, more are a face, whose coplanar triangles count as one.
// Interior   p lies strictly inside a polygon when, seen from p, every corner has other corners
//            strictly on both of its sides.
// Cost       the neighbors of the vertices found; only a face with more than 32 corners needs
//            passes over all vertices.
#pragma once

#include <array>

#include "shape/hull/convex_polytope.hpp"
#include "shape/support/support_hessian.hpp"

namespace tactum {

/// Finds the feature of a hull farthest along the unit vector `u` around its support vertex; the
/// arguments are those of support_feature().
SupportFeature polytope_feature(const ConvexPolytope& hull, int vertex, const TangentPlane& plane,
                                Double3 u, Double3 p, const FeatureTolerance& tolerance);

/// Corners of a feature whose weighted sum is the witness point, and their weights.
struct PolytopeSimplex {
  int count = 0;
  std::array<std::int32_t, 3> vertices{};
  std::array<double, 3> weights{};
  bool more = false;  ///< the feature is a face with other corners as well
};

/// Finds one to three corners of the feature of the given dimension that polytope_feature() or
/// support_feature() found.
PolytopeSimplex polytope_simplex(const ConvexPolytope& hull, const TangentPlane& plane, Double3 u,
                                 Double3 p, int dimension);

}  // namespace tactum
