// SPDX-License-Identifier: BSD-2-Clause
// A query made local: both poses checked, B in the frame of A, one scale, a first direction.
#pragma once

#include <optional>

#include "narrow/core_pair.hpp"
#include "tactum/distance.hpp"

namespace tactum {

inline constexpr double kContactBand = 64.0 * std::numeric_limits<double>::epsilon();  ///< touching, relative to the scale
inline constexpr double kBoundSlack =
    8.0 * std::numeric_limits<double>::epsilon();  ///< what rounding can move a bound by, relative to the scale

struct PairFrame {
  Pose X_WA;
  Pose X_AB;  ///< rotation R_A' R_B, translation R_A' (t_B - t_A): nothing depends on how far both are from the origin
  double scale = 0.0;
  bool corrected = false;
};

/// The largest of the distance between the origins and of the sizes of both shapes; `t` goes from origin to origin in any axes.
double pair_scale(const CoreShape& a, const CoreShape& b, Double3 t);

/// Checks both poses and that at most one shape is a half-space: false where they are not good.
bool try_pair_frame(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, PairFrame& frame);

/// distance() for options that have been checked: false, instead of an exception, for a pair or poses that it would refuse. A warm start
/// that is not finite is the caller's to keep out.
bool try_distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, const DistanceOptions& options,
                  Distance& result);

/// As try_pair_frame, and throws InvalidInput that says what is wrong.
PairFrame make_pair_frame(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB);

/// The pair of cores in that frame, its climbs begun where the warm start ended.
CorePair make_core_pair(const Shape& a, const Shape& b, const PairFrame& frame, const WarmStart* warm_start);

/// Unit vector to begin with, in the frame of A: the caller's, the warm start's, or the line of centres.
Vector3 first_direction(const Shape& a, const Shape& b, const PairFrame& frame, const Vector3& initial_direction_W,
                        const WarmStart* warm_start);

/// Options shared by distance and collide; throws InvalidInput that names the field.
void check_options(double tolerance, int max_iterations, const Vector3& initial_direction, const WarmStart* warm_start);

}  // namespace tactum
