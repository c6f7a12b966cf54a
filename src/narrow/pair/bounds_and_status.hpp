// SPDX-License-Identifier: BSD-2-Clause
// Bounds and status of two shapes from what is proved of their cores: one rule for every query.
#pragma once

#include <cassert>
#include <limits>

#include "narrow/pair/tolerance.hpp"
#include "tactum/distance.hpp"

namespace tactum {

/// A sign is claimed only where both bounds have it; what they leave open is contact.
[[gnu::always_inline]] inline Status status_of(double distance, double lower, double upper,
                                               double scale) {
  if (distance > kContactBand * scale && lower > 0.0) return Status::separated;
  return distance < -kContactBand * scale && upper < 0.0 ? Status::penetrating : Status::touching;
}

/// m: shapes that some query calls touching are at most this far apart by every other query of the
/// same poses, whatever it began with. Each is off by at most the contact band and what the support
/// points of the cores are off by.
[[gnu::always_inline]] inline double contact_reach(double scale, double support_error) {
  return 2.0 * (kContactBand * scale + support_error);
}

/// The part of a result that a proof decides.
struct BoundsAndStatus {
  Status status;
  double distance, lower, upper;

  /// `proved` is the distance of the shapes and the bounds are what is proved of it before
  /// rounding; `support_error`, in m, is what the support points of both cores are off by. Shapes
  /// are beyond the cutoff only where no other query can call them touching: contact is within
  /// every cutoff. The bounds are taken to be as close as the caller asked for.
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
