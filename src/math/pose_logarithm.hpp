// SPDX-License-Identifier: BSD-2-Clause
// The logarithm of SE(3), and the motion along the screw that joins two poses.
#pragma once

#include <Eigen/Geometry>
#include <cmath>

#include "math/pose_exponential.hpp"

namespace tactum {

/// Velocity and angular velocity of a motion, both constant in the axes of the body that moves.
struct Twist {
  Vector3 v = Vector3::Zero();
  Vector3 w = Vector3::Zero();
};

/// The twist whose exponential is X, with a turn of at most pi (Sola, Deray, Atchuthan 2021,
/// eq. 173). Without a rotation, v is the translation as it is.
inline Twist pose_logarithm(const Pose& X) {
  const Eigen::Quaterniond q(X.rotation);
  const double sine = q.vec().norm();
  if (sine == 0.0) return {X.translation, Vector3::Zero()};
  const double sign = q.w() < 0.0 ? -1.0 : 1.0;
  const double angle = 2.0 * std::atan2(sine, sign * q.w()), squared = angle * angle;
  const Vector3 w = (sign * angle / sine) * q.vec();
  // (1 - (x / 2) cot(x / 2)) / x^2; by its series where the difference cancels
  const double c = angle > 0.05 ? (1.0 - 0.5 * angle * (std::abs(q.w()) / sine)) / squared
                                : (1.0 + squared / 60.0 * (1.0 + squared / 42.0)) / 12.0;
  const Vector3& t = X.translation;
  return {t - 0.5 * w.cross(t) + c * w.cross(w.cross(t)), w};
}

/// A body that moves in unit time from one pose to another along a screw: constant speed, constant
/// turn about a fixed axis. Of the two ways to turn, the one of at most half a turn.
struct ScrewMotion {
  ScrewMotion(const Pose& from, const Pose& to)
      : X0(from), twist(pose_logarithm(inverse(from) * to)) {}
  ScrewMotion(const Pose& from, const Twist& body_twist) : X0(from), twist(body_twist) {}

  Pose at(double time) const { return X0 * pose_exponential(time * twist.v, time * twist.w); }

  Pose X0;
  Twist twist;
};

}  // namespace tactum
