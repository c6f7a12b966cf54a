// SPDX-License-Identifier: BSD-2-Clause
// The frame of a contact: two tangents and the normal, as a function of the normal alone, and how
// it turns when the normal turns.
//
// Frame      The columns x, y, n are a fixed basis (b1, b2, e), turned by the smallest rotation
//            that takes e to n: x = b1 - (n . b1) / (1 + n . e) (e + n), and y likewise. The
//            frame is smooth everywhere but at n = -e, where it jumps; no choice of tangents is
//            continuous on the whole sphere. The direction -e = -(2, 3, 6) / 7 is that of no
//            axis, so that floors and walls do not meet the jump.
// Derivative A small turn dn of the normal turns the frame by the rotation vector n x dn + t n, in
//            the axes that n is given in, with t = -(e x n) . dn / (1 + n . e).
#pragma once

#include "tactum/pose.hpp"

namespace tactum {

/// Columns: tangent, tangent, unit normal; right-handed. `normal` has unit length.
inline Matrix3 contact_frame(const Vector3& normal) {
  const Vector3 e(2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0), b1(3.0 / 7.0, -6.0 / 7.0, 2.0 / 7.0),
      b2(6.0 / 7.0, 2.0 / 7.0, -3.0 / 7.0);
  const double c = normal.dot(e), n1 = normal.dot(b1), n2 = normal.dot(b2);
  const double side = n1 * n1 + n2 * n2;
  Matrix3 frame;
  if (c < 0.0 && side < 1e-28) {  // at the jump, to rounding
    frame << b1, -b2, normal;
    return frame;
  }
  // 1 / (1 + c) from the part of n that is orthogonal to e where the sum would cancel
  const double factor = c > 0.0 ? 1.0 / (1.0 + c) : (1.0 - c) / side;
  frame << (1.0 - n1 * n1 * factor) * b1 - n1 * n2 * factor * b2 - n1 * e,
      (1.0 - n2 * n2 * factor) * b2 - n1 * n2 * factor * b1 - n2 * e, normal;
  return frame;
}

/// Linear map from a change dn of the normal, orthogonal to it, to the rotation vector of the
/// frame, both in the axes of `normal`.
inline Matrix3 contact_frame_rotation(const Vector3& normal) {
  const Vector3 e(2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0);
  Matrix3 map;
  map << 0.0, -normal.z(), normal.y(), normal.z(), 0.0, -normal.x(), -normal.y(), normal.x(), 0.0;
  const double denominator = 1.0 + normal.dot(e);
  if (denominator > 1e-300) map -= normal * e.cross(normal).transpose() / denominator;
  return map;
}

}  // namespace tactum
