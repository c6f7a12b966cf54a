// SPDX-License-Identifier: BSD-2-Clause
// The overlap of two convex features seen along the normal: points of both, named by the corners
// and edges that make them.
//
// Points     a corner of one that lies in the other, or the crossing of an edge of each. They come
//            from two tables alone: on which side of every edge of one every corner of the other
//            lies. So the roles of the two are the same, and no point depends on an order of
//            clipping.
// Tolerance  a corner within `tolerance` of the border counts as inside, an edge crosses only where
//            its ends are farther than that on either side. Points that coincide within it are one.
//            `on_border` says that a corner was that close: unless something holds it there, small
//            motions change the features.
// Order      counter-clockwise.
// Lines      two features of two corners overlap where they are parallel within 1e-3 rad; else they
//            cross in one point, which is not reported.
#pragma once

#include "contact/feature.hpp"

namespace tactum {

struct OverlapPoint {
  enum class Kind : std::uint8_t {
    corner_a,
    corner_b,
    corners,
    crossing,
    line_a,
    line_b,
    lines,
    witness
  };
  Double2 at;
  Kind kind;
  std::int8_t a, b;               ///< corner of A and of B, or the edge that begins there; -1: none
  double fraction_a, fraction_b;  ///< along those edges
  bool on_border = false;         ///< of the other feature, of a corner
};

struct PolygonOverlap {
  static constexpr int kCapacity = 2 * FlatFeature::kCapacity;
  int count = 0;
  bool ambiguous = false;  ///< lines are nearly parallel, or edges of one feature nearly coincide:
                           ///< small motions decide
  std::array<OverlapPoint, kCapacity> points;

  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): no point is in use
  PolygonOverlap() {}
  OverlapPoint& operator[](int i) { return points[static_cast<std::size_t>(i)]; }
  const OverlapPoint& operator[](int i) const { return points[static_cast<std::size_t>(i)]; }
  void add(const OverlapPoint& point) {
    if (count < kCapacity) points[static_cast<std::size_t>(count++)] = point;
  }
};

/// Overlap of features that are unbounded or have at least two corners; at most one is unbounded.
void find_overlap(const FlatFeature& a, const FlatFeature& b, double tolerance,
                  PolygonOverlap& overlap);

/// Whether every corner of `inner` lies inside the polygon `outer`, farther than `margin` from its
/// border.
bool lies_strictly_inside(const FlatFeature& inner, const FlatFeature& outer, double margin);

}  // namespace tactum
