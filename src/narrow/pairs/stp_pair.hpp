// SPDX-License-Identifier: BSD-2-Clause
// STP volume against STP volume or point: finds the pair of patches that contains the answer, and
// the answer on it.
//
// Volume      without its small radius it is an intersection of balls of radius alpha about the
//             points c of a convex set C (shape/stp/stp_surface.hpp), and its support point is
//             s(n) = c(n) + alpha n. In terms of C the distance is a maximum,
//                 d = max over c in C_A, c' in C_B of |c' - c| - alpha_A - alpha_B,
//                 n = (c' - c) / |c' - c|.
// Patches     for a fixed pair of patches this has a closed form: c is a point (a face), or lies on
//             a sphere about a point (a vertex) or on a circle (an edge). With v from center to
//             center and u_X the unit vector along the part of n across the axis of edge X,
//                 n  is parallel to  v + rho_A u_A + rho_B u_B,
//             where one edge alone has u along the part of v across its axis, and two take a few
//             steps of Newton. If n lies on both patches it is the answer: the problem is convex
//             while the cores are apart.
// Search      GJK on the vertices, from those of the patches where the last query ended. Its last
//             simplex spans the patches of the answer, except next to a border. So the search tries
//             the normal of the patches that the simplex spans, where a small gap or a small turn
//             makes it likely that they are the last, and otherwise the normal of the simplex.
//             After a turn past many vertices it first tries the direction to which two balls would
//             have turned, between the last normal and that of the simplex. The patches at each
//             normal are tried as well, if they contain their own normal: on faces and edges GJK
//             alone would need many steps, and Newton alone would cycle.
// Round       volumes, whose big radius is not much larger than they are, have few normals at
//             vertices: there the support points themselves form the simplex, and the patches of
//             the last query are tried before anything else.
// Points      below the resolution of n the support points still move, by alpha times as much, so
//             they are corrected for the rest g of the tangential part of w: with J = H_A + H_B + d
//             I, p_A = s_A + H_A J^-1 g and p_B = s_B - H_B J^-1 g. The error that remains is d
//             J^-1 g.
// Overlap     of the cores is refused: the depth has many local optima there.
#pragma once

#include "narrow/pairs/pair_solvers.hpp"

namespace tactum {

/// Solves an STP volume and a point or another volume, in any order. Proves the answer to rounding
/// when the cores are apart.
PairSearch solve_stp_pair;

}  // namespace tactum
