// SPDX-License-Identifier: BSD-2-Clause
// The frame in which a pair is queried: both poses checked, B in the frame of A, the scale, a first
// direction.
#pragma once

#include <bit>
#include <optional>

#include "narrow/pair/core_pair.hpp"
#include "narrow/pair/tolerance.hpp"
#include "tactum/distance.hpp"

namespace tactum {

struct PairFrame {
  Pose X_WA;
  Pose X_AB;  ///< rotation R_A' R_B, translation R_A' (t_B - t_A): independent of how far both
              ///< shapes are from the origin
  double scale = 0.0;
  bool corrected = false;
};

/// Scale of a pair: the largest of the distance between the origins and the sizes of both shapes.
/// `t` goes from origin to origin, in any axes.
inline double pair_scale(const CoreShape& a, const CoreShape& b, Double3 t) {
  const auto size = [](const CoreShape& core) {
    return core.kind == CoreShape::Kind::half_space ? std::abs(core.offset) : core.bounding_radius;
  };
  // lengths whose squares underflow are scaled first
  const double squared = t.squared_norm();
  const double length = squared > 1e-280 ? std::sqrt(squared) : to_vector3(t).stableNorm();
  return std::max(length, std::max(size(a), size(b)));
}

/// Checks that both poses are rigid and that at most one shape is a half-space; false where they
/// are not.
bool try_pair_frame(const CoreShape& a, const Pose& X_WA, const CoreShape& b, const Pose& X_WB,
                    PairFrame& frame);

/// Like try_pair_frame(), but throws InvalidInput that says which argument is wrong.
PairFrame make_pair_frame(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB);

/// The pair of cores in the given frame; hull climbs begin where the warm start ended.
CorePair make_core_pair(const CoreShape& a, const CoreShape& b, const PairFrame& frame,
                        const WarmStart* warm_start);

/// Unit vector to begin a search with, in the frame of A: the caller's, the warm start's, or the
/// line of centers.
Vector3 first_direction(const CoreShape& a, const CoreShape& b, const PairFrame& frame,
                        const Vector3& initial_direction_W, const WarmStart* warm_start);

/// Checks the options that distance and collide share; throws InvalidInput that names the field.
void check_options(double tolerance, int max_iterations, const Vector3& initial_direction,
                   const WarmStart* warm_start);

/// Whether the tolerance and the number of iterations are in range and there is neither a direction
/// nor a warm start: such options need no further check.
template <class Options>
bool need_no_check(const Options& options) {
  // compared by bits: those of positive numbers are in order, and nothing traps
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  const Vector3& v = options.initial_direction;
  return bits(options.tolerance) - bits(kSmallestTolerance) <=
             bits(1.0) - bits(kSmallestTolerance) &&
         static_cast<unsigned>(options.max_iterations) - 1U < kMostIterations &&
         (bits(v.x()) | bits(v.y()) | bits(v.z())) == 0 && options.warm_start == nullptr;
}

}  // namespace tactum
