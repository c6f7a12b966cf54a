// SPDX-License-Identifier: BSD-2-Clause
// A check that nearly every pose passes, for the two poses of a query at once and cheap enough for
// every query.
#pragma once

#include <bit>
#include <cstdint>

#include "tactum/pose.hpp"

namespace tactum {
namespace detail {

inline std::int64_t bits(double x) { return std::bit_cast<std::int64_t>(x); }

/// Whether an entry of a rotation is 2 or more, infinite or a NaN: exactly then the highest bit of
/// the exponent is set.
inline bool has_large_entry(const Matrix3& a, const Matrix3& b) {
  std::int64_t all = 0;
  for (int i = 0; i < 9; ++i) all |= bits(a.data()[i]) | bits(b.data()[i]);
  return (all & 0x4000'0000'0000'0000) != 0;
}

/// Whether a coordinate is beyond 1e30 m, infinite or a NaN, decided by its bits so that nothing
/// can trap.
inline bool is_far_out(const Vector3& a, const Vector3& b) {
  std::int64_t sign = 0;
  for (int i = 0; i < 3; ++i) {
    sign |= bits(1e30) - (bits(a[i]) & 0x7FFF'FFFF'FFFF'FFFF);
    sign |= bits(1e30) - (bits(b[i]) & 0x7FFF'FFFF'FFFF'FFFF);
  }
  return sign < 0;
}

/// One number of each of two poses. These are vectors of the compiler, because Eigen's are filled
/// through memory.
using Two [[gnu::vector_size(16)]] = double;

/// Bound of m^2 that proves R'R within 2 errors of the identity. Write z = x cross y + rest and let
/// m be the root of (x.x - 1)^2 + (y.y - 1)^2 + (x.y)^2 + |rest|^2. Then |z.z - 1| <= 2 |rest| +
/// |x.x - 1| + |y.y - 1| <= sqrt(6) m, but for m^2, and |x.z|, |y.z| <= m.
constexpr double squared_limit(double error) { return 0.8 * error * (0.8 * error); }

/// Whether both rotations with the columns x, y, z are right-handed and off by at most `error`.
[[gnu::always_inline]] inline bool are_exact_rotations(Two x0, Two x1, Two x2, Two y0, Two y1,
                                                       Two y2, Two z0, Two z1, Two z2,
                                                       double error) {
  const Two xx = x0 * x0 + x1 * x1 + x2 * x2 - 1.0, yy = y0 * y0 + y1 * y1 + y2 * y2 - 1.0,
            xy = x0 * y0 + x1 * y1 + x2 * y2;
  const Two rest0 = x1 * y2 - x2 * y1 - z0, rest1 = x2 * y0 - x0 * y2 - z1,
            rest2 = x0 * y1 - x1 * y0 - z2;
  // the sum has the order of a kernel with longer vectors
  const Two squares = (xx * xx + yy * yy) +
                      (xy * xy + ((rest2 * rest2 + rest0 * rest0) + rest1 * rest1));
  return squares[0] <= squared_limit(error) && squares[1] <= squared_limit(error);
}

}  // namespace detail

/// Whether both poses are in the range of numbers that arithmetic can do without overflow or trap.
inline bool are_poses_in_range(const Pose& a, const Pose& b) {
  // beyond +-2 a product could overflow, and no rotation has such an entry
  return !detail::has_large_entry(a.rotation, b.rotation) &&
         !detail::is_far_out(a.translation, b.translation);
}

/// Whether max|R'R - I| / 2 of both rotations is proved to be at most `error` and both are
/// right-handed.
inline bool are_exact_rotations(const Matrix3& a, const Matrix3& b, double error) {
  const auto two = [&](int i) { return detail::Two{a.data()[i], b.data()[i]}; };
  return detail::are_exact_rotations(two(0), two(1), two(2), two(3), two(4), two(5), two(6), two(7),
                                     two(8), error);
}

/// Whether max|R'R - I| / 2 of both poses is proved to be at most `error`, both are right-handed
/// and nothing is out of range. At an error of 1e-12 or less, check_pose would accept both
/// unchanged; false does not mean that one is bad.
inline bool are_exact_poses(const Pose& a, const Pose& b, double error) {
  return are_poses_in_range(a, b) && are_exact_rotations(a.rotation, b.rotation, error);
}

}  // namespace tactum
