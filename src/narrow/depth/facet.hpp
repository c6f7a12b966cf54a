// SPDX-License-Identifier: BSD-2-Clause
// A triangle of points of M, each the difference of two vertices: its plane to rounding, and the
// points of the shapes at the projection of the origin on it.
//
// Normal      from edges that are formed in the frames of the shapes, exact to rounding of the edge
//             itself however far the triangle is from the origin; slivers by
//             math/triangle_normal.hpp.
// Projection  of the origin on the plane. Facets of M are faces of one core moved by a vertex of
// the
//             other, and parallelograms of two edges: one of the three corners of a triangle may
//             have a negative weight although the projection is in the facet. So the weights are
//             checked for each core, with those of equal vertices added up.
#pragma once

#include "narrow/depth/triangle_kernels.hpp"
#include "narrow/gjk/newton_refinement.hpp"
#include "narrow/gjk/warm_polytope.hpp"

namespace tactum {

struct Facet {
  std::array<PiecePair, 3> vertices;  ///< names of the corners
  std::array<Double3, 3> a, b_B;      ///< the corners of A, and of B in its own frame
  Double3 normal;                 ///< unit, towards the origin; zero where the corners are in line
  double value;                   ///< the largest normal.w of the corners
  std::array<double, 3> weights;  ///< weights of the projection; may be negative
};

/// The facet through three points w, given with their names.
Facet facet_of(const CorePair& pair, const std::array<PiecePair, 3>& vertices,
               const std::array<Double3, 3>& w);

/// Like facet_of(), written in place.
void set_facet(const CorePair& pair, const std::array<PiecePair, 3>& vertices,
               const std::array<Double3, 3>& w, Facet& facet);

/// Whether the projection of the origin on the facet is a point of both cores.
bool contains_projection(const Facet& facet);

/// The optimum at the projection of the origin on a facet whose normal proves `lower`.
SeparationOptimum optimum_at_projection(const CorePair& pair, const Facet& facet, double lower);

}  // namespace tactum
