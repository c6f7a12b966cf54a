// SPDX-License-Identifier: BSD-2-Clause
// Bounds and status of two shapes from what is proved of their cores: the last word of every query.
#pragma once

#include <algorithm>
#include <limits>

#include "narrow/pair/pair_frame.hpp"

namespace tactum {

/// A sign is claimed only where both bounds have it; what they leave open is contact.
inline Status status_of(double distance, double lower, double upper, double scale) {
  if (distance > kContactBand * scale && lower > 0.0) return Status::separated;
  return distance < -kContactBand * scale && upper < 0.0 ? Status::penetrating : Status::touching;
}

/// Whether shapes are proved to be farther apart than the cutoff. Those that touch are within every
/// cutoff, the contact band included.
inline bool is_beyond(double distance, double lower, double scale, double cutoff) {
  return lower > cutoff && distance > kContactBand * scale;
}

/// `radius` is swept around the two cores together; `residual` is how far the points are from lying
/// along the normal; `support_error` is that of both cores.
inline void judge(double lower, double upper, double residual, double radius, double scale,
                  double support_error, const DistanceOptions& options, Distance& result) {
  const double slack = kBoundSlack * scale + support_error;
  result.lower = lower - radius - slack;
  result.upper = std::max(upper, lower) - radius + slack;
  result.distance = lower - radius;
  if (is_beyond(result.distance, result.lower, scale, options.cutoff)) {
    result.distance = result.lower;
    result.upper = std::numeric_limits<double>::infinity();
    result.status = Status::beyond_cutoff;
    return;
  }
  const double allowed = options.tolerance * scale;
  const bool proved = result.upper - result.lower <= allowed && residual <= allowed;
  result.status = proved ? status_of(result.distance, result.lower, result.upper, scale)
                         : Status::not_converged;
}

}  // namespace tactum
