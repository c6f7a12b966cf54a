// SPDX-License-Identifier: BSD-2-Clause
// Global search over directions with a certificate: branch and bound on the sphere.
//
// Computes   max over unit n of sep(n), apart and in penetration alike, and an upper bound of it.
// Cells      n = sin(theta) e + cos(theta) z with theta in an interval and e on an arc of the unit
//            circle around z, an axis of revolution of one of the cores where there is one. The
//            maxima below then have a closed form.
// Columns    The point of a core farthest along one corner of a cell bounds its support function
//            from below everywhere. A core of revolution about z holds the whole ring that the
//            point describes, so its bound is exact around the axis; one about another axis is
//            bounded by a chord or tangent of its profile (shape/support/support_minorant.hpp). So
//            every corner j gives a bound on the cell, sep(n) <= n.W_j - r_j sin(theta) - alpha_j.
// Bound      Any mixture of the columns with weights >= 0 of sum 1 is a bound too. Good weights
//            make it equal at two or three corners: the value of a small matrix game. A cell that
//            cannot beat the best direction by more than the gap is dropped, any other is cut
//            across theta or across e, whichever its bounds vary more with.
// Why        It keeps no polytope, so rounding has nothing to break: it is the last resort behind
//            EPA, and its answer is certified. Optima that fill a circle, or almost do, as of
//            bodies of revolution on a common axis, cost nothing extra: the cells follow the circle
//            and the minorants are exact along it.
// Fails      returns false when the budget of cells is spent; optimum and upper are valid bounds
//            all the same.
#pragma once

#include "narrow/gjk/newton_refinement.hpp"

namespace tactum {

/// Searches the whole sphere until upper - optimum.lower <= gap. `optimum` is improved, never
/// worsened; `upper` is lowered. False when max_cells are spent.
bool search_sphere(CorePair& pair, double gap, int max_cells, SeparationOptimum& optimum,
                   double& upper);

}  // namespace tactum
