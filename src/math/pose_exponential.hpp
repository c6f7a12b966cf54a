// SPDX-License-Identifier: BSD-2-Clause
// The exponential of SE(3), for the small motions of derivatives.
#pragma once

#include <cmath>

#include "tactum/pose.hpp"

namespace tactum {

/// The motion exp([v; w]) with constant velocity v and angular velocity w for unit time (Sola,
/// Deray, Atchuthan 2021, eq. 172).
inline Pose pose_exponential(const Vector3& v, const Vector3& w) {
  const double squared = w.squaredNorm(), angle = std::sqrt(squared);
  // sin(x) / x, (1 - cos(x)) / x^2, (x - sin(x)) / x^3; by series where the differences cancel
  double a = 1.0 - squared / 6.0 * (1.0 - squared / 20.0 * (1.0 - squared / 42.0));
  double b = 0.5 - squared / 24.0 * (1.0 - squared / 30.0 * (1.0 - squared / 56.0));
  double c = 1.0 / 6.0 - squared / 120.0 * (1.0 - squared / 42.0 * (1.0 - squared / 72.0));
  if (angle > 0.05) {
    a = std::sin(angle) / angle;
    b = (1.0 - std::cos(angle)) / squared;
    c = (1.0 - a) / squared;
  }
  Matrix3 hat;
  hat << 0.0, -w.z(), w.y(), w.z(), 0.0, -w.x(), -w.y(), w.x(), 0.0;
  const Matrix3 twice = hat * hat;
  const Matrix3 rotation = Matrix3::Identity() + a * hat + b * twice;
  return {rotation, v + b * (hat * v) + c * (twice * v)};
}

}  // namespace tactum
