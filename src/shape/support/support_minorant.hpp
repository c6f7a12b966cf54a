// SPDX-License-Identifier: BSD-2-Clause
// Lower bounds of support functions that hold on a whole cell of directions.
//
// A core of revolution about the axis z has a support function of s = z.u alone, plus a height: r
// sqrt(1 - s^2) for a disc, which is concave in s and so above its chord, sqrt(a^2 + (c^2 - a^2)
// s^2) for a spheroid, above its chord when oblate and above its tangent when prolate. So on a cell
// where s stays in [low, high], h(u) >= alpha + c.u: exact along circles about the axis.
#pragma once

#include <cmath>

#include "math/epsilon.hpp"
#include "shape/support/core_support.hpp"

namespace tactum {

inline constexpr double kNearAxis = 1.0 - 2e-4;  ///< cosine of the angle to the axis, about a
                                                 ///< degree, below which chords lose digits

/// h(u) >= constant + linear . u for every unit vector u of the cell (frame of the shape).
struct SupportMinorant {
  double constant;
  Vector3 linear;
};

/// Axis of the coordinate s that the minorant of this core needs: 0, 1, 2, or -1 for none.
inline int minorant_axis(const CoreShape& core) {
  if (core.kind == CoreShape::Kind::cylinder || core.kind == CoreShape::Kind::cone) return 2;
  if (core.kind != CoreShape::Kind::ellipsoid) return -1;
  for (int i = 0; i < 3; ++i) {
    if (core.size[(i + 1) % 3] == core.size[(i + 2) % 3]) return i;
  }
  return -1;
}

/// Minorant of the piece that `point` belongs to, where u[minorant_axis] stays in [low, high].
inline SupportMinorant support_minorant(const CoreShape& core, const CorePoint& point, double low,
                                        double high) {
  const int axis = minorant_axis(core);
  const bool disc = core.kind == CoreShape::Kind::cylinder || core.kind == CoreShape::Kind::cone;
  if (axis < 0 || (core.kind == CoreShape::Kind::cone && point.piece == top))
    return {0.0, point.point};
  // near the axis of a disc the chord is steep and loses digits; a point of the rim gives as good a
  // bound
  if (disc && low * high > 0.0 && std::min(std::abs(low), std::abs(high)) > kNearAxis)
    return {0.0, point.point};
  const double around = disc ? core.size.x() : core.size[(axis + 1) % 3];
  const double along = disc ? 0.0 : core.size[axis];
  const auto profile = [&](double s) {
    return std::sqrt(std::max(0.0, around * around * (1.0 - s * s) + along * along * s * s));
  };
  double slope = 0.0, value = 0.0, at = low;
  if (along <= around) {
    // chord
    value = profile(low);
    slope = high > low ? (profile(high) - value) / (high - low) : 0.0;
  } else {
    // tangent in the middle
    at = 0.5 * (low + high);
    value = profile(at);
    slope = (along * along - around * around) * at / value;
  }
  // constant and linear part nearly cancel where the slope is large (near the poles of a disc):
  // rounding must not raise the bound. A constant bound, the smaller end of a profile that is
  // concave or monotone there, may then be better
  const double slack = 8.0 * kEpsilon * (std::abs(slope) + value);
  const double ends = std::min(profile(low), profile(high));
  const bool flat = low * high > 0.0 && ends >= value + slope * (0.5 * (low + high) - at) - slack;
  Vector3 linear = Vector3::Zero();
  linear[axis] = (flat ? 0.0 : slope) + (disc ? point.point.z() : 0.0);
  return {(flat ? ends : value - slope * at - slack) - core.inner_radius, linear};
}

}  // namespace tactum
