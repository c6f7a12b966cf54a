// SPDX-License-Identifier: BSD-2-Clause
// How fast two bodies on screws can come closer to each other.
//
// Both have a velocity field v + w x p that does not change with time, so the field of B relative
// to A, dv + dw x p, does not either. At the nearest points it is the same for both along the
// normal, because what lies between them is parallel to it. So the body that suits better gives the
// bound: its points are within a ball of radius r about c, and c moves at a constant speed u.
//
// Any sets      the distance falls by at most |dv + dw x c| + |dw| r per unit of time, and |dv + dw
//               x c| grows by at most |dw| u.
// Convex sets   the separation along a direction n that turns with the other body, at wF, grows at
//               least by n.(dv + dw x c) - |n x dw| r. The first term changes by at most |dw| u +
//               wF |dv + dw x c|, the second by wF |dw| r.
//
// Either way what is left after h is at least gap + rate h - bend h^2 / 2.
#pragma once

#include <limits>

#include "math/pose_logarithm.hpp"
#include "tactum/bounding_volume.hpp"

namespace tactum {

/// A body on its screw, and a ball around it in its own frame; infinite for a half-space.
struct MovingBody {
  ScrewMotion motion;
  BoundingSphere ball;

  bool is_bounded() const { return ball.radius < std::numeric_limits<double>::infinity(); }
  /// m: the length of the path of no point of a bounded body is larger.
  double longest_path() const;
};

class RelativeMotion {
 public:
  /// At most one of the bodies is unbounded.
  RelativeMotion(const MovingBody& a, const MovingBody& b) : a_(a), b_(b) {}

  /// A time from `time` on, up to infinity, in which the distance of the bodies cannot fall by
  /// `gap`.
  double safe_time(double time, double gap) const;

  /// A time from `time` <= 1 on in which the separation along n cannot fall by `gap`. The unit
  /// vector n goes from A to B in the frame of the screws.
  double safe_time_along(const Vector3& n, double time, double gap) const;

  /// Rate of n.(p_B - p_A) by time, for the points of both bodies that are at p.
  double rate_along(const Vector3& n, const Vector3& p, double time) const;

  /// A bound of what the distance can fall by from `time` to 1.
  double farthest_approach(double time) const;

  const MovingBody& a() const { return a_; }
  const MovingBody& b() const { return b_; }

 private:
  MovingBody a_, b_;
};

}  // namespace tactum
