// SPDX-License-Identifier: BSD-2-Clause
// Passes over the points and triangles of a polytope, at the SIMD level in use.
//
// Bits   every level evaluates the same expressions in the same order.
#pragma once

#include <array>
#include <span>

#include "core/simd_level.hpp"
#include "math/double3.hpp"
#include "narrow/depth/plane_kernels.hpp"
#include "shape/hull/direction_table.hpp"
#include "tactum/warm_start.hpp"

namespace tactum {

/// A point padded to one vector register.
struct alignas(32) PackedPoint {
  double x, y, z, zero;
  Double3 to_double3() const { return {x, y, z}; }
};

/// Two hulls and the pose of the second in the frame of the first.
struct PlacedHulls {
  const HullVertex* a;
  const HullVertex* b;
  const Pose& X_AB;
};

/// Computes w = X_AB b - a for each pair of vertices.
using PlacePoints = void(const PlacedHulls& hulls,
                         std::span<const WarmPolytope::VertexPair> vertices, PackedPoint* points);

/// Whether every triangle is turned outwards and lies beyond the ball of the given radius around
/// the origin. There must be at least one triangle.
using BeyondBall = bool(const PackedPoint* points,
                        std::span<const WarmPolytope::Triangle> triangles, double radius);

inline constexpr double kExactSine = 0.1;  ///< sine of a corner above which a cross product is
                                           ///< exact to rounding
inline constexpr double kFlatSine = 1e-5;  ///< sine below which a cross product of rounded points
                                           ///< is useless

/// Sets the inward unit normals and values of the planes of all triangles, in slots from 0 on;
/// `rough` marks slivers. False when a triangle is too flat to have a plane, or does not have the
/// origin behind it by more than `rounding`.
using SetPlanes = bool(const PackedPoint* points, std::span<const WarmPolytope::Triangle> triangles,
                       double rounding, FacePlanes& planes, bool* rough);

/// The edges around a hole, the new point that is joined with each of them, and the slots of the
/// new triangles. The last edge is repeated up to the next multiple of four.
struct Fan {
  static constexpr int kMost = 64;
  std::array<std::uint8_t, kMost> from, to, slot;
  int count;
  Double3 apex;
};

/// The best of the planes of a fan.
struct FanPlanes {
  bool around;   ///< no triangle is flat, and all have the origin behind them by more than rounding
  int nearest;   ///< place in the fan of the first with the largest value
  double value;  ///< value of the nearest plane
};

/// Sets the planes of the triangles (from, to, apex) of a fan in their slots, as SetPlanes does for
/// a whole polytope.
using SetFan = FanPlanes(const PackedPoint* points, const Fan& fan, double rounding,
                         FacePlanes& planes, bool* rough);

struct TrianglePasses {
  PlacePoints* place_points;
  BeyondBall* beyond_ball;
  SetPlanes* set_planes;
  SetFan* set_fan;
};

/// The passes of the SIMD level in use.
const TrianglePasses& triangle_passes();
/// The passes of a level that the processor supports.
const TrianglePasses& triangle_passes(SimdLevel level);

}  // namespace tactum
