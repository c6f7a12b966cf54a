// SPDX-License-Identifier: BSD-2-Clause
// Witness points for a normal and a signed distance that are already known.
#pragma once

#include "narrow/newton_finish.hpp"

namespace tactum {

/// Moves B by -lower * normal, so that the cores just touch, and lets GJK find the common point: the points it returns satisfy
/// point_b - point_a = lower * normal. Takes them when they are better than those `optimum` has; returns whether they are
/// within rounding.
bool find_witness_points(CorePair& pair, Optimum& optimum);

}  // namespace tactum
