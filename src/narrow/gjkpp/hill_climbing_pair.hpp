// SPDX-License-Identifier: BSD-2-Clause
// The Minkowski difference in the form of the GJK++ paper: one type-erased support for every shape,
// plain hill climbing on hulls.
//
// Set        M = B - A in the frame of A, of cores with their swept radii left out. An ellipsoid is
//            taken whole here, without the ball that CorePair sweeps around a smaller one, so that
//            iterations count as in the paper.
// Sign       The paper works on A - B; M is its mirror image. x in M points from A to B, and every
//            count is the same.
// Climb      From the vertex where the last support of that hull ended to the best neighbor, until
//            none is better (GJK++ section II). `vertices_visited` counts the vertices evaluated,
//            so it depends on how far one direction is from the last.
// Limits     Rounding may end a climb a little short of the farthest vertex of a badly shaped hull.
//            The result is still a point of M; code that needs a proved bound uses CorePair, whose
//            supports are exact.
#pragma once

#include "narrow/pair/core_pair.hpp"

namespace tactum {

class ClimbingPair {
 public:
  /// Takes the cores of `pair`; climbs begin at its hints.
  explicit ClimbingPair(const CorePair& pair);

  /// The support S_M(d): a point of M with the smallest d.w. The vector d may have any length but
  /// zero.
  MinkowskiPoint support(const Vector3& direction);

  /// The point b - a of M for a point of A and one of B, each in the frame of its shape.
  MinkowskiPoint point(const Vector3& a, const Vector3& b_B) const;

  const CoreShape& a() const { return a_; }
  const CoreShape& b() const { return b_; }
  const Pose& X_AB() const { return X_AB_; }
  double scale() const { return scale_; }

  PiecePair hints;  ///< vertices where the next climbs begin
  int support_calls = 0;
  int vertices_visited = 0;

 private:
  using Support = PlainCorePoint (*)(const CoreShape& core, Double3 direction, std::int32_t start,
                                     int& visited);
  static Support support_of(const CoreShape& core);

  CoreShape a_;
  CoreShape b_;
  Support support_a_;
  Support support_b_;
  Pose X_AB_;
  double scale_;
};

/// Vertex of the hull farthest along `direction`, by climbing from vertex `start`. Adds the number
/// of vertices evaluated to `visited`.
int climb(const ConvexPolytope& polytope, Double3 direction, int start, int& visited);

}  // namespace tactum
