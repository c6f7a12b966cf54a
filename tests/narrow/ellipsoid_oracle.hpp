// SPDX-License-Identifier: BSD-2-Clause
// Local maxima of the separation of two ellipsoids by plain gradient ascent from directions all
// over the sphere: slow, simple, and independent of src/narrow.
#pragma once

#include <algorithm>
#include <vector>

#include "narrow/narrow_fixtures.hpp"

namespace tactum::testing {

/// The separation sep(n) = n.c - |A n| - |B n|; a sphere counts as the point in its middle.
inline double ellipsoid_separation(const TestPair& test, const Vector3& n) {
  const auto height = [](const Shape& shape, const Vector3& u) {
    return shape.kind() == ShapeKind::ellipsoid
               ? std::get<Ellipsoid>(shape.parameters()).semi_axes.cwiseProduct(u).norm()
               : 0.0;
  };
  return n.dot(test.X_AB.translation) - height(test.a, n) -
         height(test.b, test.X_AB.rotation.transpose() * n);
}

struct Peak {
  Vector3 normal;
  double separation;
};

/// Gradient ascent on the sphere with step control, by central differences; the normal is accurate
/// to about 1e-7.
inline Peak ascend(const TestPair& test, Vector3 n) {
  double value = ellipsoid_separation(test, n), step = 0.5;
  for (int i = 0; i < 400 && step > 1e-12; ++i) {
    const double width = 1e-5;
    Vector3 gradient;
    for (int k = 0; k < 3; ++k) {
      const Vector3 shift = width * Vector3::Unit(k);
      gradient[k] = (ellipsoid_separation(test, n + shift) -
                     ellipsoid_separation(test, n - shift)) /
                    (2.0 * width);
    }
    gradient -= gradient.dot(n) * n;
    const Vector3 next = (n + step * gradient).normalized();
    const double next_value = ellipsoid_separation(test, next);
    if (next_value > value) {
      n = next;
      value = next_value;
      step *= 1.5;
    } else {
      step *= 0.3;
    }
  }
  return {n, value};
}

/// The distinct peaks, the highest first.
inline std::vector<Peak> local_peaks(const TestPair& test, int starts) {
  std::vector<Peak> peaks;
  for (const Vector3& start : lattice_directions(starts)) {
    const Peak peak = ascend(test, start);
    const bool known = std::any_of(peaks.begin(), peaks.end(), [&](const Peak& p) {
      return p.normal.dot(peak.normal) > 0.9999;
    });
    if (!known) peaks.push_back(peak);
  }
  std::sort(peaks.begin(), peaks.end(),
            [](const Peak& a, const Peak& b) { return a.separation > b.separation; });
  return peaks;
}

}  // namespace tactum::testing
