// SPDX-License-Identifier: BSD-2-Clause
// The answer of a solver for two cores, in the axes that the solver works in.
#pragma once

#include <cstdint>

#include "narrow/pair/core_optimum.hpp"

namespace tactum {

/// The place from which a witness point is reached along the normal: the origin of a frame, a point
/// of its z axis, or a point in a frame.
enum class Base : std::uint8_t { center_a, axis_a, center_b, axis_b, frame_a, frame_b };

/// The axes in which a solver gives the normal. `centers` stands for the line from the origin of A
/// to that of B, for which the answer holds no numbers.
enum class Axes : std::uint8_t { centers, world, frame_a, frame_b };

/// Distance, bounds and witness points of two cores. Vectors are not normalized: one factor,
/// `inverse`, holds their length, so that little waits for the square root. Positions are left to
/// the poses, from which whole vectors are read.
struct PairAnswer {
  double distance;      ///< distance of the cores, between the bounds, as exact as it is known
  double lower, upper;  ///< proved bounds of the distance
  double radius;        ///< radius swept around both cores together
  double scale;         ///< m
  double inverse;       ///< 1 / |along|
  Double3 along;        ///< from A to B along the normal, in the axes of the pair (Axes)
  double on_axis_a, on_axis_b;  ///< m; used where the base is on an axis
  Double3 base_a, base_b;       ///< used where the base is in the frame of A or B
  double step_a, step_b;        ///< m along the normal from the base to the point of the shape
  int iterations, support_calls, vertices_visited;
};

/// Copies an answer in the frame of A; the radii are those swept around the cores.
[[gnu::always_inline]] inline void set_from_cores(const CoreDistance& found, double radius_a,
                                                  double radius_b, PairAnswer& answer) {
  const SeparationOptimum& optimum = found.optimum;
  answer.distance = answer.lower = optimum.lower;
  answer.upper = found.upper;
  answer.radius = radius_a + radius_b;
  answer.inverse = 1.0;
  answer.along = to_double3(optimum.normal);
  answer.base_a = to_double3(optimum.point_a);
  answer.base_b = to_double3(optimum.point_b);
  answer.step_a = radius_a;
  answer.step_b = -radius_b;
}

/// Axes and bases of an answer in the frame of A.
struct InFrameOfA {
  static constexpr Axes kAxes = Axes::frame_a;
  static constexpr Base kBaseA = Base::frame_a, kBaseB = Base::frame_a;
};

}  // namespace tactum
