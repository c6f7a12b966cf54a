// SPDX-License-Identifier: BSD-2-Clause
// The three passes over the faces of a growing polytope (epa.hpp), on plain arrays, at the SIMD level in use.
//
// Arrays   x, y, z: unit normals towards the inside; value: normal . w on the face; bound: the value and what the error of the normal can
//          add to it. A free slot has normal zero and value and bound minus infinity, so that it sees nothing and is never the best.
// Bits     every level evaluates the same expressions in the same order.
#pragma once

#include <cstdint>

#include "core/simd_level.hpp"

namespace tactum {

/// Room for this many faces; arrays are aligned to 64 bytes and may be read and written up to the next multiple of eight.
inline constexpr int kMaxPolytopeFaces = 512;

struct FacePlanes {
  alignas(64) double x[kMaxPolytopeFaces];
  alignas(64) double y[kMaxPolytopeFaces];
  alignas(64) double z[kMaxPolytopeFaces];
  alignas(64) double value[kMaxPolytopeFaces];
  alignas(64) double bound[kMaxPolytopeFaces];
};

/// Marks in `visible` (one bit a face, all words up to the count) the faces with value - normal.w > -rounding. Returns whether one of them
/// sees w by more than rounding.
using MarkVisible = bool(const FacePlanes& planes, int count, const double* w, double rounding, std::uint64_t* visible);

/// First face with the largest bound.
using BestFace = int(const FacePlanes& planes, int count);

/// Planes of the triangles (loop[k], loop[k + 1], apex) for k below `count`; the loop has count + 1 points, the first again at the end. Edges
/// are formed from the points of A and of B (R takes the frame of B to that of A), so that they are exact to rounding of their
/// own length; the normal is off by rounding over the sine at the apex.
struct FanPlanes {
  static constexpr int kCapacity = 64;
  using Coordinates = double[3][kCapacity + 8];
  alignas(64) Coordinates w;
  alignas(64) Coordinates a;
  alignas(64) Coordinates b;     ///< frame of B
  alignas(64) Coordinates edge;  ///< from the apex, made by the pass
  alignas(64) double x[kCapacity];
  alignas(64) double y[kCapacity];
  alignas(64) double z[kCapacity];
  alignas(64) double value[kCapacity];
  alignas(64) double squared_sine[kCapacity];  ///< of the corner at the apex
};
struct FanApex {
  const double* w;
  const double* a;
  const double* b;
  const double* R;  ///< column-major
};
using FanPass = void(FanPlanes& fan, int count, const FanApex& apex);

struct FacePasses {
  MarkVisible* mark_visible;
  BestFace* best_face;
  FanPass* fan;
};

/// The passes of the level in use.
const FacePasses& face_passes();
/// Those of a level that the processor has.
const FacePasses& face_passes(SimdLevel level);

}  // namespace tactum
