// SPDX-License-Identifier: BSD-2-Clause
// Poses from seven numbers x, y, z, qx, qy, qz, qw, and the pose of B in the frame of A, always
// formed in double precision.
#pragma once

#include "gpu/vector.hpp"

namespace tactum::gpu {

struct Quaternion {
  double x, y, z, w;  ///< unit
};

/// Pose of a shape in the world.
struct WorldPose {
  Quaternion rotation;
  Vector<double> translation;
  bool valid;  ///< finite, at most 1e30 m from the origin, the quaternion within 1e-6 of unit
               ///< length
};

/// p_A = rotation * p_B + translation; `row_*` are the rows of the rotation.
template <class Real>
struct RelativePose {
  Vector<Real> row_x, row_y, row_z;
  Vector<Real> translation;
};

template <class Real>
TACTUM_HOST_DEVICE Vector<Real> turned_to_a(const RelativePose<Real>& X_AB,
                                            Vector<Real> direction_B) {
  return {dot(X_AB.row_x, direction_B), dot(X_AB.row_y, direction_B), dot(X_AB.row_z, direction_B)};
}
template <class Real>
TACTUM_HOST_DEVICE Vector<Real> turned_to_b(const RelativePose<Real>& X_AB,
                                            Vector<Real> direction_A) {
  return direction_A.x * X_AB.row_x + direction_A.y * X_AB.row_y + direction_A.z * X_AB.row_z;
}
template <class Real>
TACTUM_HOST_DEVICE Vector<Real> moved_to_a(const RelativePose<Real>& X_AB, Vector<Real> point_B) {
  return turned_to_a(X_AB, point_B) + X_AB.translation;
}

TACTUM_HOST_DEVICE Vector<double> rotated(const Quaternion& q, Vector<double> v) {
  const Vector<double> u{q.x, q.y, q.z};
  const Vector<double> t = 2.0 * cross(u, v);
  return v + q.w * t + cross(u, t);
}

TACTUM_HOST_DEVICE Quaternion conjugate(const Quaternion& q) { return {-q.x, -q.y, -q.z, q.w}; }

TACTUM_HOST_DEVICE Quaternion product(const Quaternion& p, const Quaternion& q) {
  return {
      p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y, p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
      p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w, p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z};
}

/// Reads seven numbers. A pose that is not valid comes back as the identity.
TACTUM_HOST_DEVICE WorldPose read_pose(const double* numbers) {
  const Vector<double> t{numbers[0], numbers[1], numbers[2]};
  const Quaternion q{numbers[3], numbers[4], numbers[5], numbers[6]};
  const WorldPose refused{{0.0, 0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}, false};
#ifndef __CUDA_ARCH__
  // on the host a comparison with NaN may trap; on the device it is false
  for (int i = 0; i < 7; ++i) {
    if (!std::isfinite(numbers[i])) return refused;
  }
#endif
  if (!(std::fabs(t.x) <= 1e30 && std::fabs(t.y) <= 1e30 && std::fabs(t.z) <= 1e30)) return refused;
  const double squared = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  if (!(squared >= (1.0 - 1e-6) * (1.0 - 1e-6) && squared <= (1.0 + 1e-6) * (1.0 + 1e-6)))
    return refused;
  // 1 / sqrt(squared): the next term of the series is below 1e-22
  const double e = squared - 1.0, unit = 1.0 - e * (0.5 - e * (0.375 - e * 0.3125));
  return {{unit * q.x, unit * q.y, unit * q.z, unit * q.w}, t, true};
}

/// The pose of B in the frame of A, from the difference of the translations: nothing depends on how
/// far both are from the origin.
TACTUM_HOST_DEVICE RelativePose<double> relative_pose(const WorldPose& X_WA,
                                                      const WorldPose& X_WB) {
  const Quaternion inverse = conjugate(X_WA.rotation);
  const Quaternion q = product(inverse, X_WB.rotation);
  const double xx = 2.0 * q.x * q.x, yy = 2.0 * q.y * q.y, zz = 2.0 * q.z * q.z;
  const double xy = 2.0 * q.x * q.y, xz = 2.0 * q.x * q.z, yz = 2.0 * q.y * q.z;
  const double wx = 2.0 * q.w * q.x, wy = 2.0 * q.w * q.y, wz = 2.0 * q.w * q.z;
  return {{1.0 - yy - zz, xy - wz, xz + wy},
          {xy + wz, 1.0 - xx - zz, yz - wx},
          {xz - wy, yz + wx, 1.0 - xx - yy},
          rotated(inverse, X_WB.translation - X_WA.translation)};
}

template <class Real>
TACTUM_HOST_DEVICE RelativePose<Real> converted(const RelativePose<double>& X_AB) {
  return {converted<Real>(X_AB.row_x), converted<Real>(X_AB.row_y), converted<Real>(X_AB.row_z),
          converted<Real>(X_AB.translation)};
}

}  // namespace tactum::gpu
