// SPDX-License-Identifier: BSD-2-Clause
// A triangle of points of M, each the difference of two vertices: its plane to rounding, and the
// points of the shapes at its foot.
//
// Normal     from edges that are formed in the frames of the shapes, exact to rounding of the edge
//            itself however far the triangle is from the origin; slivers by
//            math/triangle_normal.hpp.
// Foot       of the perpendicular from the origin. Facets of M are faces of one core moved by a
//            vertex of the other, and parallelograms of two edges: of the three corners a triangle
//            has, one may have a negative weight and the foot be in the facet all the same. So the
//            weights are judged for each core, those of equal vertices added up.
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
  std::array<double, 3> weights;  ///< of the foot; may be negative
};

/// The facet through three points w, given with their names.
Facet facet_of(const CorePair& pair, const std::array<PiecePair, 3>& vertices,
               const std::array<Double3, 3>& w);

/// The same, written in place.
void set_facet(const CorePair& pair, const std::array<PiecePair, 3>& vertices,
               const std::array<Double3, 3>& w, Facet& facet);

/// Whether the foot is in both cores.
bool contains_projection(const Facet& facet);

/// The optimum at the foot of a facet whose normal proves `lower`.
SeparationOptimum optimum_at_projection(const CorePair& pair, const Facet& facet, double lower);

}  // namespace tactum
