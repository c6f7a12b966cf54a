// SPDX-License-Identifier: BSD-2-Clause
// The three passes over the faces of a growing polytope (epa.hpp), on plain arrays, at the SIMD level in use.
//
// Arrays   x, y, z: unit normals towards the inside; value: normal . w on the face. A free slot has normal zero and value minus
//          infinity, so that it sees nothing and is never the best.
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
};

/// Marks in `visible` (one bit a face, all words up to the count) the faces with value - normal.w > -rounding. Returns whether one of them
/// sees w by more than rounding.
using MarkVisible = bool(const FacePlanes& planes, int count, const double* w, double rounding, std::uint64_t* visible);

/// First face with the largest value.
using BestFace = int(const FacePlanes& planes, int count);

/// Planes of the triangles (loop[k], loop[k + 1], apex) for k below `count`: loop[3][capacity] holds coordinates, the first point again at
/// the end. Triangles whose doubled area is not above `smallest` have area 0 on return and a meaningless plane.
struct FanPlanes {
  static constexpr int kCapacity = 64;
  alignas(64) double loop[3][kCapacity + 8];
  alignas(64) double x[kCapacity];
  alignas(64) double y[kCapacity];
  alignas(64) double z[kCapacity];
  alignas(64) double value[kCapacity];
  alignas(64) double area[kCapacity];
};
using FanPass = void(FanPlanes& fan, int count, const double* apex, double smallest);

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
