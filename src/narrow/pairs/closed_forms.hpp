// SPDX-License-Identifier: BSD-2-Clause
// The pairs of cores with a closed form, as a literal table.
#pragma once

#include "narrow/pair/core_answer.hpp"

namespace tactum {

/// Solves the pair if the table has a closed form for it and the result passes the check of its own
/// bounds; else returns false.
bool solve_closed_form(CorePair& pair, CoreAnswer& answer);

/// A half-space against anything: one support point. At most one side may be a half-space.
void solve_half_space(CorePair& pair, CoreAnswer& answer);

}  // namespace tactum
