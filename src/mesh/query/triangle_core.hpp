// SPDX-License-Identifier: BSD-2-Clause
// A triangle and the core of a convex shape: signed distance with a certificate.
//
// Balls and capsules have points and segments as cores, and closed forms. Everything else takes GJK
// on the difference of the two, whose simplex solver is that of the library, until the bounds meet.
// Cores that overlap the triangle are left to the caller.
#pragma once

#include "mesh/query/triangle_pair.hpp"
#include "tactum/shape.hpp"

namespace tactum {

struct TriangleCoreLimits {
  double gap = 0.0;  ///< m: upper - lower to reach
  int max_iterations = 128;
  double stop_above = 0.0;  ///< m: stop as soon as lower is larger
  double scale = 0.0;       ///< m: what rounding is relative to
};

enum class TriangleCoreOutcome : std::uint8_t {
  solved,
  farther,    ///< lower > stop_above; only lower and normal mean something
  overlaps,   ///< the core meets the triangle: nothing else is known
  unfinished  ///< valid bounds that are wider than asked
};

/// The triangle is A and the shape B, at X in the frame of the triangle; not a half-space. Swept
/// radii are part of the distance.
TriangleCoreOutcome triangle_core_distance(const Triangle3& triangle, const CoreShape& core,
                                           const Pose& X, const TriangleCoreLimits& limits,
                                           TrianglePair& result);

/// Smallest n.x over the shape, swept radius included, for a unit vector in the frame of the mesh.
double lowest_of_core(const CoreShape& core, const Pose& X, Double3 n);

}  // namespace tactum
