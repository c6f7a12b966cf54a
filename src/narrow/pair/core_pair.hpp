// SPDX-License-Identifier: BSD-2-Clause
// Two cores in the frame of A, seen as one convex set M = B - A (Minkowski difference).
//
// With n a unit vector from A to B, the separation along n is
//     sep(n) = min over w in M of n.w = -(h_A(n) + h_B(-n)),
// and the signed distance of the cores is the maximum of sep over the sphere: apart it is the norm
// of the point of M nearest to the origin, in penetration minus the distance from the origin to the
// boundary of M. Any n gives a lower bound.
//
// The pair owns the counters and the climb starts of one query; it lives on the stack and is never
// shared.
#pragma once

#include <array>

#include "shape/support/core_support.hpp"
#include "tactum/warm_start.hpp"

namespace tactum {

/// Names of the pieces of A and of B that a point of M came from.
using PiecePair = std::array<std::int32_t, 2>;

/// A point w = b - a of M with its two origins, in the frame of A unless named otherwise.
struct MinkowskiPoint {
  Vector3 w;
  Vector3 a;
  PiecePair piece;
  Vector3 b_B;  ///< the point of B, in the frame of B

  Vector3 b() const { return a + w; }
};

/// Two pieces followed to a direction n: their point w of M and H = H_A(n) + H_B(-n), so that dw =
/// -H dn.
struct MinkowskiPiece {
  MinkowskiPoint point;
  Matrix3 hessian;
};

class CorePair {
 public:
  CorePair(const CoreShape& a, const CoreShape& b, const Pose& X_AB, double scale)
      : a_(&a),
        b_(&b),
        X_AB_(X_AB),
        scale_(scale),
        radius_a_(a.radius + a.inner_radius),
        radius_b_(b.radius + b.inner_radius) {}

  /// Point of M with the smallest n.w, for a unit vector n in the frame of A.
  MinkowskiPoint support(const Vector3& n) {
    MinkowskiPoint point;
    support(to_double3(n), point);
    return point;
  }

  /// Like support(), on plain numbers and written in place: the point of M with the smallest n.w.
  /// Returns n.w.
  double support(Double3 n, MinkowskiPoint& point) {
    ++support_calls;
    const PlainCorePoint a = core_support(*a_, n, vertices_visited);
    const PlainCorePoint b = core_support(*b_, -transposed_product(X_AB_.rotation, n),
                                          vertices_visited);
    const Double3 w = product(X_AB_.rotation, b.point) + to_double3(X_AB_.translation) - a.point;
    point.w = to_vector3(w);
    point.a = to_vector3(a.point);
    point.b_B = to_vector3(b.point);
    point.piece[0] = hints[0] = a.piece;
    point.piece[1] = hints[1] = b.piece;
    return dot(n, w);
  }

  /// The point of M that the given pieces have lowest along the unit vector n, and its derivative
  /// by n.
  MinkowskiPiece piece(const PiecePair& piece, const Vector3& n) const {
    const CorePiece a = core_piece(*a_, piece[0], n);
    const CorePiece b = core_piece(*b_, piece[1], -(X_AB_.rotation.transpose() * n));
    return {{X_AB_ * b.point - a.point, a.point, piece, b.point},
            a.hessian + X_AB_.rotation * b.hessian * X_AB_.rotation.transpose()};
  }

  /// Returns to.w - from.w, formed from differences in the frames of the shapes: accurate to
  /// rounding of the edge itself, however far it is from the origin.
  Vector3 edge(const MinkowskiPoint& from, const MinkowskiPoint& to) const {
    return to_vector3(product(X_AB_.rotation, to_double3(to.b_B) - to_double3(from.b_B)) -
                      (to_double3(to.a) - to_double3(from.a)));
  }

  /// A copy of this pair with B moved by `shift` (frame of A).
  CorePair shifted(const Vector3& shift) const {
    CorePair moved = *this;
    moved.record = nullptr;
    moved.X_AB_.translation += shift;
    return moved;
  }

  const CoreShape& a() const { return *a_; }
  const CoreShape& b() const { return *b_; }
  const Pose& X_AB() const { return X_AB_; }
  double scale() const { return scale_; }  ///< m; rounding is relative to it
  double radius_a() const { return radius_a_; }
  double radius_b() const { return radius_b_; }
  double radius() const {
    return radius_a_ + radius_b_;
  }  ///< radius swept around both cores together
  /// Error of separations, in m, against those of the exact shapes, beyond the rounding of the
  /// scale.
  double support_error() const { return a_->support_error + b_->support_error; }
  bool polyhedral() const { return is_polyhedral(*a_) && is_polyhedral(*b_); }

  PiecePair hints = {0, 0};  ///< vertices where the next hull climbs begin
  int support_calls = 0;
  int vertices_visited = 0;
  WarmPolytope* record = nullptr;  ///< where a query leaves the simplex or the polytope that it
                                   ///< ended with; null where the pair is not tracked

 private:
  const CoreShape* a_;
  const CoreShape* b_;
  Pose X_AB_;
  double scale_;
  double radius_a_;
  double radius_b_;
};

}  // namespace tactum
