// SPDX-License-Identifier: BSD-2-Clause
// The passes over the faces of a growing polytope (epa.hpp), on plain arrays, at the SIMD level in
// use.
//
// Arrays   x, y, z: unit normals towards the inside; value: normal . w on the face; bound: the
//          value and what the error of the normal can add to it. A free slot has normal zero and
//          value and bound minus infinity, so that it sees nothing and is never the best.
// Bits     every level evaluates the same expressions in the same order.
#pragma once

#include <cstdint>

#include "core/simd_level.hpp"

namespace tactum {

/// Capacity for faces. Slots are used in blocks of eight: a pass may read up to the next multiple
/// of eight.
inline constexpr int kMaxPolytopeFaces = 512;

/// Length of the arrays. It is not a multiple of 4096 bytes, which would put the numbers of one
/// face into the same set of every cache.
inline constexpr int kPaddedPolytopeFaces = kMaxPolytopeFaces + 8;

struct FacePlanes {
  alignas(64) double x[kPaddedPolytopeFaces];
  alignas(64) double y[kPaddedPolytopeFaces];
  alignas(64) double z[kPaddedPolytopeFaces];
  alignas(64) double value[kPaddedPolytopeFaces];
  alignas(64) double bound[kPaddedPolytopeFaces];
};

/// Marks in `visible` (one bit a face, all words up to the count) the faces with value - normal.w >
/// -rounding. Returns whether one of them sees w by more than rounding.
using MarkVisible = bool(const FacePlanes& planes, int count, const double* w, double rounding,
                         std::uint64_t* visible);

/// First face with the largest bound among those that are not marked; -1 when all are.
using BestUnmarked = int(const FacePlanes& planes, int count, const std::uint64_t* marked);

/// The faces of a polytope that a point sees, and the best of the others.
struct SeenFaces {
  int best;  ///< first face with the largest value among those that are not marked; -1 when all are
  bool clearly;  ///< one of the marked faces sees the point by more than rounding
};

/// MarkVisible and BestUnmarked in one pass, for planes whose bound is their value.
using SeePoint = SeenFaces(const FacePlanes& planes, int count, const double* w, double rounding,
                           std::uint64_t* visible);

struct FacePasses {
  MarkVisible* mark_visible;
  BestUnmarked* best_unmarked;
  SeePoint* see_point;
};

/// The passes of the SIMD level in use.
const FacePasses& face_passes();
/// The passes of a level that the processor supports.
const FacePasses& face_passes(SimdLevel level);

}  // namespace tactum
