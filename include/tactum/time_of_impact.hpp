// SPDX-License-Identifier: BSD-2-Clause
// The first time at which two moving geometries come within a distance of each other.
//
// Motion     each body goes in unit time from its first pose to its second along a screw: constant
//            speed, constant turn of at most half a turn about a fixed axis. Bodies that do not
//            turn move on straight lines.
// Proof      between two distance queries the bodies are too slow to come within the distance
//            (conservative advancement), so nothing is missed however thin or fast a body is.
// Rounding   is included in both bounds of the time: 64 eps of the scale of the pair and of the
//            lengths of the paths.
#pragma once

#include <limits>

#include "tactum/geometry.hpp"

namespace tactum {

struct ImpactOptions {
  double distance = 0.0;       ///< m, >= 0: the bodies meet when they are as near as this
  double tolerance = 1e-10;    ///< of the distance at the impact, relative to the scale of the pair
                               ///< there; from 64 eps to 1
  int max_iterations = 10000;  ///< distance queries, 1 to 10 million
};

/// Times are in [0, 1].
struct Impact {
  /// separated: they never come within the distance. touching: they do, at `time`. penetrating:
  /// they are within the distance from the start, so `time` is 0. not_converged: the queries ran
  /// out; until `time` the bodies are proved apart.
  Status status = Status::not_converged;
  double time = 0.0;   ///< within the distance plus the tolerance at this time; infinity: never
  double lower = 0.0;  ///< proved: not within the distance at any time before; infinity: never
  double upper = std::numeric_limits<double>::infinity();  ///< proved: within the distance at this
                                                           ///< time; infinity: nothing is proved
  GeometryDistance value;  ///< the distance at `time`, of bodies that never meet at the last time
                           ///< that was looked at
  int iterations = 0;      ///< distance queries
  explicit operator bool() const { return time <= 1.0; }  ///< whether there is an impact
};

/// The first time at which `a`, moving from X0_WA to X1_WA, and `b`, moving from X0_WB to X1_WB,
/// come within options.distance. Throws InvalidInput on bad poses or options and for a pair of
/// half-spaces.
Impact time_of_impact(const Geometry& a, const Pose& X0_WA, const Pose& X1_WA, const Geometry& b,
                      const Pose& X0_WB, const Pose& X1_WB, const ImpactOptions& options = {});

}  // namespace tactum
