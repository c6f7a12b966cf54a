// SPDX-License-Identifier: BSD-2-Clause
// STP volume against STP volume or point: the pair of patches that holds the answer, and the answer
// on it.
//
// Volume      without its small radius it is an intersection of balls of radius alpha about the
//             points c of a convex set C (shape/stp/stp_surface.hpp), and its support point is s(n)
//             = c(n) + alpha n. Seen from C the distance is a largest one,
//                 d = max over c in C_A, c' in C_B of |c' - c| - alpha_A - alpha_B, n = (c' - c) /
//                 |c' - c|.
// Patches     for a fixed pair of patches this has a closed form: c is a point (a face) or runs on
//             a sphere about one (a vertex) or on a circle (an edge). With v from center to center
//             and u_X the unit vector along the part of n across the axis of edge X,
//                 n  is parallel to  v + rho_A u_A + rho_B u_B,
//             where one edge alone has u along the part of v across its axis, and two take a few
//             steps of Newton. If n lies on both patches it is the answer: the problem is convex
//             while the cores are apart.
// Search      GJK on the vertices, from those of the patches where the last query ended: the
//             simplex that it ends with carries the patches of the answer, but for those next to a
//             border. So the patches that the simplex carries are followed to their normal, where a
//             small gap or a small turn says that they may be the last, and else the normal of the
//             simplex. After a turn past many vertices the first look is where two balls would have
//             turned, between the last normal and that of the simplex. At each normal that is met
//             the patches there are tried as well, if they hold their own normal: on faces and
//             edges GJK alone would go on for long, and Newton alone in circles.
// Round       volumes, of a big radius not much larger than they are, have few normals at vertices:
//             there the support points themselves are the simplex, and the patches of the last
//             query are tried before anything else.
// Points      below the resolution of n the support points still move, by alpha times as much, so
//             the last of the tangential part g of w is taken out of them: with J = H_A + H_B + d
//             I, p_A = s_A + H_A J^-1 g and p_B = s_B - H_B J^-1 g. What is left is d J^-1 g.
// Overlap     of the cores is not for here: the depth there has many local optima.
#pragma once

#include "narrow/pairs/pair_solvers.hpp"

namespace tactum {

/// An STP volume and a point or another volume, in any order. Proves to rounding when the cores are
/// apart.
PairSearch solve_stp_pair;

}  // namespace tactum
