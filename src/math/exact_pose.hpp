// SPDX-License-Identifier: BSD-2-Clause
// The check that nearly every pose passes, for the two poses of a query at once and cheap enough to run at every query.
#pragma once

#include <Eigen/Core>
#include <bit>
#include <cstdint>

#include "tactum/pose.hpp"

namespace tactum {
namespace detail {

/// Negative when |x| > limit for one of the numbers, or one is a NaN: by the bits, so that nothing can trap.
inline std::int64_t beyond(const double* x, int count, double limit) {
  std::int64_t sign = 0;
  for (int i = 0; i < count; ++i)
    sign |= std::bit_cast<std::int64_t>(limit) - (std::bit_cast<std::int64_t>(x[i]) & 0x7FFF'FFFF'FFFF'FFFF);
  return sign;
}

}  // namespace detail

/// Whether max|R'R - I| / 2 of both poses is at most `error`, both are right-handed and nothing is out of range. At an error of 1e-12 or less,
/// check_pose would take both as they are; false does not say that one is bad.
inline bool are_exact_poses(const Pose& a, const Pose& b, double error) {
  // beyond +-2 a product could overflow, and no rotation has such an entry
  if ((detail::beyond(a.rotation.data(), 9, 2.0) | detail::beyond(b.rotation.data(), 9, 2.0) |
       detail::beyond(a.translation.data(), 3, 1e30) | detail::beyond(b.translation.data(), 3, 1e30)) < 0)
    return false;
  using Two = Eigen::Array2d;  // one lane a pose
  const auto two = [&](int i) { return Two(a.rotation.data()[i], b.rotation.data()[i]); };
  const Two x0 = two(0), x1 = two(1), x2 = two(2), y0 = two(3), y1 = two(4), y2 = two(5), z0 = two(6), z1 = two(7), z2 = two(8);
  const Two xx = x0 * x0 + x1 * x1 + x2 * x2 - 1.0, yy = y0 * y0 + y1 * y1 + y2 * y2 - 1.0,
            zz = z0 * z0 + z1 * z1 + z2 * z2 - 1.0;
  const Two xy = x0 * y0 + x1 * y1 + x2 * y2, xz = x0 * z0 + x1 * z1 + x2 * z2, yz = y0 * z0 + y1 * z1 + y2 * z2;
  const Two largest = xx.abs().max(yy.abs()).max(zz.abs()).max(xy.abs()).max(xz.abs()).max(yz.abs());
  // of an orthonormal matrix, z is plus or minus x cross y
  const Two handedness = (x1 * y2 - x2 * y1) * z0 + (x2 * y0 - x0 * y2) * z1 + (x0 * y1 - x1 * y0) * z2;
  return largest.maxCoeff() <= 2.0 * error && handedness.minCoeff() > 0.0;
}

}  // namespace tactum
