// SPDX-License-Identifier: BSD-2-Clause
// One table over the kinds of two cores: how each pair is solved. `distance`, `collide`,
// `distances`, scenes and derivatives all take their pair from here.
//
// A pair with a direct form (direct_form.hpp) is tried there first; queries that it refuses, and
// all other pairs, use the general solution (general_distance.hpp).
#pragma once

#include "core/simd_level.hpp"
#include "narrow/query/general_distance.hpp"

namespace tactum {

/// Runs distance() for options that need no further check and the automatic choice of method. It
/// has the arguments and the result of distance(), so that nothing is copied or written twice on
/// the way.
using PairDistance = Distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                              const DistanceOptions& options);

/// The direct form of a pair, for options that have been checked and the automatic choice of
/// method. Writes every field of the result, whatever it contained. False means that nothing is
/// written; it says nothing about the poses.
using TryDirectly = bool(const CoreShape& a, const Pose& X_WA, const CoreShape& b, const Pose& X_WB,
                         const DistanceOptions& options, Distance& result);

struct PairEntry {
  PairDistance* distance;
  TryDirectly* try_directly;  ///< null where the pair has no direct form
  PairSolvers solvers;        ///< solvers of general_distance()
  CollideBy collide_by;
};
inline constexpr std::size_t kNumCores = static_cast<std::size_t>(CoreShape::Kind::stp) + 1;
using PairTable = std::array<std::array<PairEntry, kNumCores>, kNumCores>;

/// The table of the SIMD level in use, and the table of a level that the processor supports.
const PairTable& pair_table();
const PairTable& pair_table(SimdLevel level);

inline const PairEntry& pair_entry(const PairTable& table, const CoreShape& a, const CoreShape& b) {
  return table[static_cast<std::size_t>(a.kind)][static_cast<std::size_t>(b.kind)];
}

}  // namespace tactum
