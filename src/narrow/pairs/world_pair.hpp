// SPDX-License-Identifier: BSD-2-Clause
// Pairs with a short way from poses to answer: spheres and capsules among themselves and against
// solids and ellipsoids, where a point or a segment turns with one product and nothing changes its
// frame; two boxes; two ellipsoids; solids and ellipsoids; hulls and spheres apart.
//
// Proof      every answer has bounds within 16 eps of the scale, from a closed form
//            (segment_pair.hpp, point_primitive.hpp, segment_primitive.hpp, point_ellipsoid.hpp,
//            box_box.hpp), a walk (hull_pair.hpp) or Newton (curved_pair.hpp), and its own check;
//            overlapping ellipsoids within 2e-13 (ellipsoid_pair.hpp) and solids within 56 eps
//            (core_distance.hpp), for tolerances that allow it.
// Fails      goes on in the frame of A: poses that are not exact, origins that meet, cores of
//            capsules that meet or nearly do, overlaps without a proof, points on an axis. Nothing
//            is lost but the time.
// Levels     one body, compiled for each SIMD level: three-operand instructions save the copies
//            that half of the baseline consists of.
#pragma once

#include "core/simd_level.hpp"
#include "tactum/distance.hpp"

namespace tactum {

/// distance() for options that need no further check (are_plain) and automatic choice of method. It
/// has the arguments and the result of distance(): nothing is moved or written twice on the way.
using WorldDistance = Distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                               const DistanceOptions& options);

/// try_distance() for options that have been checked: writes every field of the result, whatever it
/// holds. False, and nothing written, says nothing about the poses.
using TryWorldDistance = bool(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                              const Pose& X_WB, const DistanceOptions& options, Distance& result);

/// By the kinds of the cores of A and B. Where the general way is the only one, the first is that
/// and the second is null.
struct WorldPair {
  WorldDistance* distance;
  TryWorldDistance* try_distance;
};
inline constexpr std::size_t kNumCores = static_cast<std::size_t>(CoreShape::Kind::stp) + 1;
using WorldPairs = std::array<std::array<WorldPair, kNumCores>, kNumCores>;

/// Those of the level in use, and of a level that the processor has.
const WorldPairs& world_pairs();
const WorldPairs& world_pairs(SimdLevel level);

inline const WorldPair& world_pair(const WorldPairs& pairs, const Shape& a, const Shape& b) {
  return pairs[static_cast<std::size_t>(a.core().kind)][static_cast<std::size_t>(b.core().kind)];
}

/// The same in the frame of A: where those above give up, and for all other pairs. Throws for poses
/// and pairs that distance() refuses.
WorldDistance frame_distance;

}  // namespace tactum
