// SPDX-License-Identifier: BSD-2-Clause
// Bounds and status of two shapes from what is proved of their cores: one rule for every query.
#pragma once

#include <cassert>
#include <limits>

#include "narrow/pair/tolerance.hpp"
#include "tactum/distance.hpp"

namespace tactum {

/// Claims a sign only where both bounds have it; a sign that the bounds leave open counts as
/// touching.
[[gnu::always_inline]] inline Status status_of(double distance, double lower, double upper,
                                               double scale) {
  if (distance > kContactBand * scale && lower > 0.0) return Status::separated;
  return distance < -kContactBand * scale && upper < 0.0 ? Status::penetrating : Status::touching;
}

/// Largest distance, in m, that any query can find for shapes that another query of the same poses
/// calls touching, whatever directions the two began with. Each query errs by at most the contact
/// band plus the error of the support points of the cores.
[[gnu::always_inline]] inline double contact_reach(double scale, double support_error) {
  return 2.0 * (kContactBand * scale + support_error);
}

/// The part of a result that follows from the proved bounds.
struct BoundsAndStatus {
  Status status;
  double distance, lower, upper;

  /// `proved` is the distance of the shapes, and the two bounds are proved before rounding is
  /// allowed for; `support_error`, in m, bounds the error of the support points of both cores.
  /// Shapes are beyond the cutoff only where no other query can call them touching: contact is
  /// within every cutoff. The bounds are taken to be as close as the caller asked for.
  [[gnu::always_inline]] BoundsAndStatus(double proved, double proved_lower, double proved_upper,
                                         double support_error, double scale, double cutoff) {
    const double slack = kBoundSlack * scale + support_error;
    lower = proved_lower - slack;
    upper = proved_upper + slack;
    assert(lower <= upper);
    const bool beyond = lower > cutoff && proved > contact_reach(scale, support_error);
    status = beyond ? Status::beyond_cutoff : status_of(proved, lower, upper, scale);
    distance = beyond ? lower : proved;
    upper = beyond ? std::numeric_limits<double>::infinity() : upper;
  }
};

}  // namespace tactum
