// SPDX-License-Identifier: BSD-2-Clause
// Counter-based random numbers: the k-th number of a stream depends on (seed, stream, k) alone, on
// every machine and thread.
#pragma once

#include <cmath>
#include <cstdint>

#include "tactum/pose.hpp"

namespace tactum::testing {

class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
      : key_(mix(mix(seed + kGolden) ^ (stream * 0xd1342543de82ef95ULL + kGolden))) {}

  std::uint64_t bits() { return mix(key_ + kGolden * ++counter_); }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double log_uniform(double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
  }
  int below(int count) { return static_cast<int>(uniform() * count); }
  bool chance(double probability) { return uniform() < probability; }
  double sign() { return chance(0.5) ? 1.0 : -1.0; }

  Vector3 direction() {
    const double z = uniform(-1, 1), angle = uniform(0, 6.283185307179586),
                 r = std::sqrt(1 - z * z);
    return Vector3(r * std::cos(angle), r * std::sin(angle), z).normalized();
  }
  Vector3 in_box(double half) {
    return {uniform(-half, half), uniform(-half, half), uniform(-half, half)};
  }

  /// Uniform rotation from a unit quaternion (Shoemake 1992).
  Matrix3 rotation() {
    const double u = uniform(), a = uniform(0, 6.283185307179586),
                 b = uniform(0, 6.283185307179586);
    const double r = std::sqrt(1 - u), s = std::sqrt(u);
    return from_quaternion(r * std::sin(a), r * std::cos(a), s * std::sin(b), s * std::cos(b));
  }

  /// Rotation by `angle` about a unit axis.
  static Matrix3 turn(const Vector3& axis, double angle) {
    const Vector3 v = axis * std::sin(angle / 2);
    return from_quaternion(v[0], v[1], v[2], std::cos(angle / 2));
  }

 private:
  static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;
  std::uint64_t key_;
  std::uint64_t counter_ = 0;

  // the finalizer of SplitMix64 (Steele, Lea, Flood 2014)
  static constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }

  // in extended precision, so that the rotation is orthonormal to one rounding
  static Matrix3 from_quaternion(long double x, long double y, long double z, long double w) {
    const long double n = 2 / (x * x + y * y + z * z + w * w);
    Eigen::Matrix<long double, 3, 3> r;
    r << 1 - n * (y * y + z * z), n * (x * y - z * w), n * (x * z + y * w),  //
        n * (x * y + z * w), 1 - n * (x * x + z * z), n * (y * z - x * w),   //
        n * (x * z - y * w), n * (y * z + x * w), 1 - n * (x * x + y * y);
    return r.cast<double>();
  }
};

}  // namespace tactum::testing
