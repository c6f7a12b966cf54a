// SPDX-License-Identifier: BSD-2-Clause
// What a solver finds of two cores, in the axes that it finds it in.
#pragma once

#include <cstdint>

#include "narrow/pair/core_optimum.hpp"

namespace tactum {

/// Where a point of a pair starts from, to go along the normal: the origin of a frame, a point of
/// its z axis, or a point in a frame.
enum class Base : std::uint8_t { center_a, axis_a, center_b, axis_b, frame_a, frame_b };

/// The axes in which a solver gives the normal; `centers` is the line from the origin of A to
/// that of B, which needs no numbers.
enum class Axes : std::uint8_t { centers, world, frame_a, frame_b };

/// What a solver finds of the cores. Lengths are left to one factor, so that little waits for
/// its root; positions are left to the poses, from which whole vectors are read.
struct PairAnswer {
  double distance;              ///< of the cores: between the bounds, and as exact as it is known
  double lower, upper;          ///< proved
  double radius;                ///< swept around both cores together
  double scale;                 ///< m
  double inverse;               ///< of the length of `along`
  Double3 along;                ///< from A to B along the normal, in the axes that the pair says
  double on_axis_a, on_axis_b;  ///< m, where the pair has its base on an axis
  Double3 base_a, base_b;       ///< where it has its base in the frame of A or B
  double step_a, step_b;        ///< m along the normal from the base to the point of the shape
  int iterations, support_calls, vertices_visited;
};

/// Takes over what is known of the cores in the frame of A; the radii are those swept around them.
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

/// Where an answer in the frame of A has its vectors.
struct InFrameOfA {
  static constexpr Axes kAxes = Axes::frame_a;
  static constexpr Base kBaseA = Base::frame_a, kBaseB = Base::frame_a;
};

}  // namespace tactum
