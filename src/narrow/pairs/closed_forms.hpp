// SPDX-License-Identifier: BSD-2-Clause
// Closed forms of pairs of cores in the frame of A. They answer what the direct forms
// (direct_form.hpp) refuse: origins that meet, cores that touch, poses that need a correction.
#pragma once

#include "narrow/pairs/pair_solvers.hpp"

namespace tactum {

/// A half-space against any core: one support point. At most one of the two may be a half-space.
/// Always answers.
ClosedForm solve_half_space;

/// Two points: the cores of spheres. Always answers, to rounding.
ClosedForm solve_points;

/// Points and segments: the cores of spheres and capsules. Proved when the separation along the
/// normal, n.w - |n.u| - |n.v| for centers w apart and halves u and v, equals the distance of the
/// points within 16 eps of the scale.
ClosedForm solve_segments;

/// A box, a cylinder or a cone as A and a point as B, and both in the other order.
ClosedForm solve_primitive_point, solve_point_primitive;

}  // namespace tactum
