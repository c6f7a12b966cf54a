// SPDX-License-Identifier: BSD-2-Clause
// The dimension of a set of points and axes to measure it in.
#pragma once

#include <cstdint>
#include <vector>

#include "tactum/shape.hpp"

namespace tactum {

/// Orthonormal axes through one of the points, in descending order of the extent of the points
/// along them.
struct AffineFrame {
  int dimension = 0;                   ///< number of reaches that are not zero
  Vector3 origin = Vector3::Zero();    ///< a point of the set
  Matrix3 axes = Matrix3::Identity();  ///< columns; right-handed
  Vector3 reach = Vector3::Ones();  ///< largest distance from the span of the axes before it; one
                                    ///< beyond the dimension

  /// Coordinates along the axes in units of the reaches: at most about one, for the thinnest set
  /// too.
  Vector3 coordinates(const Vector3& point) const {
    return (axes.transpose() * (point - origin)).cwiseQuotient(reach);
  }
};

/// Frame of the given columns; a reach of `flat` or less counts as zero. The squares of the
/// coordinates must not overflow.
AffineFrame affine_frame(const Points& points, const std::vector<std::int32_t>& columns,
                         double flat);

}  // namespace tactum
