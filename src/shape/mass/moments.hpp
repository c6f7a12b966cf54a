// SPDX-License-Identifier: BSD-2-Clause
// Volume integrals of a body up to second order, for mass properties.
#pragma once

#include "tactum/pose.hpp"

namespace tactum {

/// Integrals over a body of uniform density one, about a point that the function returning them
/// names.
struct Moments {
  double volume = 0.0;               ///< integral of 1, m^3
  Vector3 first = Vector3::Zero();   ///< integral of x, m^4
  Matrix3 second = Matrix3::Zero();  ///< integral of x x^T, m^5

  Moments& operator+=(const Moments& other) {
    volume += other.volume;
    first += other.first;
    second += other.second;
    return *this;
  }
};

}  // namespace tactum
