// SPDX-License-Identifier: BSD-2-Clause
// The kinds of solvers that a pair of cores may have, beside the iterations that serve every pair.
#pragma once

#include "narrow/pair/core_optimum.hpp"
#include "tactum/warm_start.hpp"

namespace tactum {

/// Solves a pair of cores in the frame of A in closed form. Returns false, with an answer that
/// means nothing, unless the answer passes the check of its own bounds.
using ClosedForm = bool(CorePair& pair, CoreDistance& answer);

/// Solves a pair of cores that are apart, by iterations made for their kinds. Where the answer is
/// not proved, returns false and leaves in `direction`, a unit vector from A to B to begin with,
/// the best direction found. `warm_start` may be null.
using PairSearch = bool(CorePair& pair, const WarmStart* warm_start, int max_iterations,
                        Vector3& direction, CoreDistance& answer);

/// The solvers of a pair of kinds in the frame of A; null where there is none. Where neither
/// answers, the iterations that serve every pair do.
struct PairSolvers {
  ClosedForm* closed_form = nullptr;
  PairSearch* search = nullptr;
};

/// How collide() decides a pair.
enum class CollideBy : std::uint8_t {
  distance,            ///< the whole distance query costs no more than the first steps of GJK
  direct_then_search,  ///< the direct form, then GJK until a sign is proved
  search,              ///< GJK until a sign is proved
};

}  // namespace tactum
