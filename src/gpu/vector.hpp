// SPDX-License-Identifier: BSD-2-Clause
// Vectors of three numbers, for host and device, in single or double precision.
#pragma once

#include "gpu/host_device.hpp"

namespace tactum::gpu {

template <class Real>
struct Vector {
  Real x, y, z;
};

template <class Real>
TACTUM_HOST_DEVICE Vector<Real> operator+(Vector<Real> a, Vector<Real> b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Real>
TACTUM_HOST_DEVICE Vector<Real> operator-(Vector<Real> a, Vector<Real> b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class Real>
TACTUM_HOST_DEVICE Vector<Real> operator-(Vector<Real> a) {
  return {-a.x, -a.y, -a.z};
}
template <class Real>
TACTUM_HOST_DEVICE Vector<Real> operator*(Real s, Vector<Real> a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class Real>
TACTUM_HOST_DEVICE Real dot(Vector<Real> a, Vector<Real> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class Real>
TACTUM_HOST_DEVICE Vector<Real> cross(Vector<Real> a, Vector<Real> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class Real>
TACTUM_HOST_DEVICE Real squared_norm(Vector<Real> a) {
  return dot(a, a);
}
template <class Real>
TACTUM_HOST_DEVICE Real norm(Vector<Real> a) {
  return std::sqrt(dot(a, a));
}
template <class To, class From>
TACTUM_HOST_DEVICE Vector<To> converted(Vector<From> a) {
  return {static_cast<To>(a.x), static_cast<To>(a.y), static_cast<To>(a.z)};
}
template <class Real>
TACTUM_HOST_DEVICE Vector<Real> chosen(bool first, Vector<Real> a, Vector<Real> b) {
  return {first ? a.x : b.x, first ? a.y : b.y, first ? a.z : b.z};
}

/// The larger and the smaller of two numbers, neither of them NaN: one instruction of the device.
template <class Real>
TACTUM_HOST_DEVICE Real larger(Real a, Real b) {
#ifdef __CUDA_ARCH__
  return fmax(a, b);
#else
  return a > b ? a : b;
#endif
}
template <class Real>
TACTUM_HOST_DEVICE Real smaller(Real a, Real b) {
#ifdef __CUDA_ARCH__
  return fmin(a, b);
#else
  return a < b ? a : b;
#endif
}

/// 1 / sqrt(a) of a number above zero: in single precision one instruction of the device.
template <class Real>
TACTUM_HOST_DEVICE Real inverse_root(Real a) {
#ifdef __CUDA_ARCH__
  return rsqrt(a);
#else
  return 1 / std::sqrt(a);
#endif
}

/// Half the distance from 1 to the next number: the relative error of one rounding.
template <class Real>
inline constexpr Real kUnit = std::numeric_limits<Real>::epsilon() / 2;
template <class Real>
inline constexpr Real kLargest = std::numeric_limits<Real>::max();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// The smallest number that a quotient may be divided by.
template <class Real>
inline constexpr Real kTiny = std::numeric_limits<Real>::min();

}  // namespace tactum::gpu
