// SPDX-License-Identifier: BSD-2-Clause
// Global search over directions with a certificate: branch and bound on the sphere.
//
// Computes   max over unit n of sep(n), apart and in penetration alike, and an upper bound of it.
// Cells      n = sqrt(1 - s^2) e + s z with s in an interval and e on an arc of the unit circle around z, an axis of revolution
//            of one of the cores where there is one. On such a cell the maximum of a linear function of n has a closed form.
// Minorants  On a cell each piece of a support function is bounded from below by alpha + c.u (shape/support_minorant.hpp): a vertex by
//            itself, a body of revolution by a chord or tangent of its profile. So every corner j of a cell, by the pieces active
//            there, gives a bound sep(n) <= n.W_j - alpha_j on the whole cell.
// Bound      For any weights q >= 0 with sum 1, sep(n) <= max over the cell of n.W_q - alpha_q. Good weights make the bound equal at
//            two or three corners: the value of a small matrix game. A cell that cannot beat the best direction by more than
//            the gap is dropped, any other is cut across s or across e, whichever its bounds vary more with.
// Why        It keeps no polytope, so rounding has nothing to break: it is the last resort behind EPA, and its answer is certified.
//            Optima that fill a circle, or almost do, as of bodies of revolution on a common axis, cost nothing extra: the
//            cells follow the circle and the minorants are exact along it.
// Fails      returns false when the budget of cells is spent; optimum and upper are valid bounds all the same.
#pragma once

#include "narrow/newton_finish.hpp"

namespace tactum {

/// Searches the whole sphere. `optimum` is improved, never worsened; `upper` is lowered.
bool search_sphere(CorePair& pair, double gap, int max_cells, Optimum& optimum, double& upper);

}  // namespace tactum
