// SPDX-License-Identifier: BSD-2-Clause
// How the normal and the witness points of a pair move with the two shapes, from the features
// around the points: the system of src/narrow/derivative/witness_jacobian.hpp, for a lane.
//
// A small motion moves the point of X with the shape by m_X and turns the normal of its surface by
// o_X. With du = m_B - m_A, H_X the Hessians with the swept radii, and E_X the free directions,
//     dp_A = m_A + H_A (dn - o_A) + E_A l_A,    dp_B = m_B - H_B (dn - o_B) + E_B l_B,
//     E_X' (dn - o_X) = 0,                      dp_B - dp_A = (n . du) n + d dn.
// Where both shapes determine the normal along one direction (two faces, parallel edges), each
// counts by half, as in the library.
#pragma once

#include "gpu/certificate.hpp"
#include "gpu/witness_feature.hpp"

namespace tactum::gpu {

struct PlaneMatrix {
  double xx, xy, yx, yy;
};

TACTUM_HOST_DEVICE PlaneMatrix operator+(const PlaneMatrix& a, const PlaneMatrix& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.yx + b.yx, a.yy + b.yy};
}
TACTUM_HOST_DEVICE PlaneMatrix operator-(const PlaneMatrix& a, const PlaneMatrix& b) {
  return {a.xx - b.xx, a.xy - b.xy, a.yx - b.yx, a.yy - b.yy};
}
TACTUM_HOST_DEVICE PlaneMatrix operator*(double s, const PlaneMatrix& a) {
  return {s * a.xx, s * a.xy, s * a.yx, s * a.yy};
}
TACTUM_HOST_DEVICE PlaneMatrix operator*(const PlaneMatrix& a, const PlaneMatrix& b) {
  return {a.xx * b.xx + a.xy * b.yx, a.xx * b.xy + a.xy * b.yy, a.yx * b.xx + a.yy * b.yx,
          a.yx * b.xy + a.yy * b.yy};
}
TACTUM_HOST_DEVICE PlaneVector operator*(const PlaneMatrix& a, PlaneVector v) {
  return {a.xx * v.x + a.xy * v.y, a.yx * v.x + a.yy * v.y};
}
TACTUM_HOST_DEVICE PlaneVector operator+(PlaneVector a, PlaneVector b) {
  return {a.x + b.x, a.y + b.y};
}
TACTUM_HOST_DEVICE PlaneMatrix outer(PlaneVector a, PlaneVector b) {
  return {a.x * b.x, a.x * b.y, a.y * b.x, a.y * b.y};
}
TACTUM_HOST_DEVICE PlaneMatrix swept(const PlaneHessian& h, double radius) {
  return {h.xx + radius, h.xy, h.xy, h.yy + radius};
}

namespace detail {

TACTUM_HOST_DEVICE PlaneMatrix zero_matrix() { return {0.0, 0.0, 0.0, 0.0}; }
TACTUM_HOST_DEVICE PlaneMatrix one_matrix() { return {1.0, 0.0, 0.0, 1.0}; }
inline constexpr double kSingularMatrix = 1e-12;  // of the scale
inline constexpr double kParallelEdges = 1e-9;    // sine of their angle

/// Inverse of a symmetric matrix, or the pseudo-inverse of its positive part.
TACTUM_HOST_DEVICE PlaneMatrix positive_inverse(const PlaneMatrix& m, double smallest) {
  const double half_difference = 0.5 * (m.xx - m.yy);
  const double largest_value = 0.5 * (m.xx + m.yy) +
                               std::sqrt(half_difference * half_difference + m.xy * m.xy);
  if (!(largest_value > smallest)) return zero_matrix();
  const double determinant = m.xx * m.yy - m.xy * m.xy;
  if (determinant > smallest * largest_value)
    return (1.0 / determinant) * PlaneMatrix{m.yy, -m.xy, -m.xy, m.xx};
  // the eigenvector of the larger value: the longer row of m - value I, turned by a right angle
  const PlaneVector first{m.xy, largest_value - m.xx}, second{largest_value - m.yy, m.xy};
  const double squared_first = first.x * first.x + first.y * first.y,
               squared_second = second.x * second.x + second.y * second.y;
  const double squared = larger(squared_first, squared_second);
  if (!(squared > 0.0)) return {1.0 / largest_value, 0.0, 0.0, 0.0};
  const PlaneVector v = squared_first > squared_second ? first : second;
  return (1.0 / (largest_value * squared)) * outer(v, v);
}

/// How the normal answers to turns of the surfaces and to a shift, and which part of what is left
/// of the shift the point of A slides by.
struct Shares {
  PlaneMatrix turn_a, turn_b, slide_a, shift;
};

TACTUM_HOST_DEVICE Shares shares_with_edge(const PlaneMatrix& matrix, const PlaneMatrix& hessian_a,
                                           const PlaneMatrix& hessian_b, PlaneVector e,
                                           double share_a, double share_b, double smallest) {
  const PlaneVector c{-e.y, e.x}, bent = matrix * c;
  const double curvature = c.x * bent.x + c.y * bent.y;
  const double inverse = curvature > smallest ? 1.0 / curvature : 0.0;
  const PlaneMatrix along = outer(e, e), across = inverse * outer(c, c);
  const PlaneMatrix rest = along - across * (matrix * along);
  return {share_a * rest + across * hessian_a, share_b * rest + across * hessian_b, share_a * along,
          across};
}

TACTUM_HOST_DEVICE Shares shares_of_crossing_edges(PlaneVector a, PlaneVector b) {
  const double inverse = 1.0 / (a.x * b.y - a.y * b.x);
  const PlaneVector dual_a{inverse * b.y, -inverse * b.x}, dual_b{-inverse * a.y, inverse * a.x};
  return {outer(dual_a, a), outer(dual_b, b), outer(a, dual_a), zero_matrix()};
}

/// The part of the normal that a feature beside a face determines as well.
TACTUM_HOST_DEVICE PlaneMatrix claimed_half(const WitnessFeature& feature) {
  if (feature.dimension == 0) return zero_matrix();
  return 0.5 * (feature.dimension == 1 ? outer(feature.edge, feature.edge) : one_matrix());
}

TACTUM_HOST_DEVICE Shares shares_of(const WitnessFeature& a, const WitnessFeature& b,
                                    const PlaneMatrix& matrix, const PlaneMatrix& hessian_a,
                                    const PlaneMatrix& hessian_b, double smallest) {
  if (a.dimension == 2) {
    const PlaneMatrix other = claimed_half(b), rest = one_matrix() - other;
    return {rest, other, rest, zero_matrix()};
  }
  if (b.dimension == 2) {
    const PlaneMatrix other = claimed_half(a);
    return {other, one_matrix() - other, other, zero_matrix()};
  }
  if (a.dimension == 0 && b.dimension == 0) {
    const PlaneMatrix inverse = positive_inverse(matrix, smallest);
    return {inverse * hessian_a, inverse * hessian_b, zero_matrix(), inverse};
  }
  if (a.dimension == 1 && b.dimension == 1) {
    const double sine = a.edge.x * b.edge.y - a.edge.y * b.edge.x;
    if (std::fabs(sine) > kParallelEdges) return shares_of_crossing_edges(a.edge, b.edge);
    return shares_with_edge(matrix, hessian_a, hessian_b, a.edge, 0.5, 0.5, smallest);
  }
  return a.dimension == 1
             ? shares_with_edge(matrix, hessian_a, hessian_b, a.edge, 1.0, 0.0, smallest)
             : shares_with_edge(matrix, hessian_a, hessian_b, b.edge, 0.0, 1.0, smallest);
}

}  // namespace detail

/// The solved system, in coordinates of the plane: dn = shift du + turn_a o_A + turn_b o_B, and the
/// same for the tangential part of dp_A - m_A.
struct WitnessResponse {
  PlaneMatrix normal_by_shift, normal_by_turn_a, normal_by_turn_b;
  PlaneMatrix point_by_shift, point_by_turn_a, point_by_turn_b;
};

TACTUM_HOST_DEVICE WitnessResponse witness_response(const WitnessFeature& a, double radius_a,
                                                    const WitnessFeature& b, double radius_b,
                                                    double distance, double scale) {
  const PlaneMatrix hessian_a = swept(a.hessian, radius_a), hessian_b = swept(b.hessian, radius_b);
  const PlaneMatrix matrix = distance * detail::one_matrix() + hessian_a + hessian_b;
  const detail::Shares shares = detail::shares_of(a, b, matrix, hessian_a, hessian_b,
                                                  detail::kSingularMatrix * scale);
  return {
      shares.shift,
      shares.turn_a,
      shares.turn_b,
      hessian_a * shares.shift + shares.slide_a * (detail::one_matrix() - matrix * shares.shift),
      hessian_a * (shares.turn_a - detail::one_matrix()) +
          shares.slide_a * (hessian_a - matrix * shares.turn_a),
      hessian_a * shares.turn_b + shares.slide_a * (hessian_b - matrix * shares.turn_b)};
}

/// The answer of a pair in the world, and the poses that it belongs to.
struct WitnessPair {
  NormalPlane plane;
  double distance;
  Vector<double> axes_a[3], axes_b[3];  ///< of the frames that move
  Vector<double> arm_a, arm_b;  ///< from the origin of each shape to its point, in world axes
};

enum class WitnessValue : std::uint8_t { normal, point_a, point_b };

/// One column of a Jacobian, in world axes: how the value moves with motion `k` of the twelve.
template <WitnessValue kValue>
TACTUM_HOST_DEVICE Vector<double> witness_column(const WitnessPair& pair,
                                                 const WitnessResponse& response, int k) {
  const bool of_a = k < 6, turns = k % 6 >= 3;
  const Vector<double> axis = (of_a ? pair.axes_a : pair.axes_b)[k % 3];
  const Vector<double> motion = turns ? cross(axis, of_a ? pair.arm_a : pair.arm_b) : axis;
  const double sign = of_a ? -1.0 : 1.0;
  const PlaneVector along = pair.plane.project(motion), shift{sign * along.x, sign * along.y};
  // w x n in the plane: a quarter turn of the coordinates of w
  const PlaneVector c = pair.plane.project(axis), turn{c.y, -c.x};
  PlaneVector dn = response.normal_by_shift * shift;
  if (turns) dn = dn + (of_a ? response.normal_by_turn_a : response.normal_by_turn_b) * turn;
  if constexpr (kValue == WitnessValue::normal) return pair.plane.lift(dn);
  PlaneVector slide = response.point_by_shift * shift;
  if (turns) slide = slide + (of_a ? response.point_by_turn_a : response.point_by_turn_b) * turn;
  const Vector<double> slid = pair.plane.lift(slide);
  const Vector<double> point_a = of_a ? motion + slid : slid;
  if constexpr (kValue == WitnessValue::point_a) return point_a;
  return point_a + (sign * dot(pair.plane.normal, motion)) * pair.plane.normal +
         pair.distance * pair.plane.lift(dn);
}

/// How the distance moves with motion `k`.
TACTUM_HOST_DEVICE double distance_column(const WitnessPair& pair, int k) {
  const bool of_a = k < 6, turns = k % 6 >= 3;
  const Vector<double> axis = (of_a ? pair.axes_a : pair.axes_b)[k % 3];
  const Vector<double> motion = turns ? cross(axis, of_a ? pair.arm_a : pair.arm_b) : axis;
  const double along = dot(pair.plane.normal, motion);
  return of_a ? -along : along;
}

/// Where the answer of a pair is, in the world.
struct WitnessAnswer {
  double distance;
  Vector<double> normal, point_a, point_b;
};

/// The pair and the response of one answered row.
struct PreparedWitness {
  WitnessPair pair;
  WitnessResponse response;
};

struct WitnessPoses {
  WorldPose X_WA, X_WB;
};

namespace detail {

/// Columns of the rotation matrix.
TACTUM_HOST_DEVICE void set_axes(Vector<double>* axes, const Quaternion& q) {
  const double xx = 2.0 * q.x * q.x, yy = 2.0 * q.y * q.y, zz = 2.0 * q.z * q.z;
  const double xy = 2.0 * q.x * q.y, xz = 2.0 * q.x * q.z, yz = 2.0 * q.y * q.z;
  const double wx = 2.0 * q.w * q.x, wy = 2.0 * q.w * q.y, wz = 2.0 * q.w * q.z;
  axes[0] = {1.0 - yy - zz, xy + wz, xz - wy};
  axes[1] = {xy - wz, 1.0 - xx - zz, yz + wx};
  axes[2] = {xz + wy, yz - wx, 1.0 - xx - yy};
}

}  // namespace detail

/// `of_part` are the poses of the two records, `moving` those of the objects that they are parts
/// of, or the same. Points are right to the tolerance, relative to the scale, where cores are
/// curved; of an answer that is not settled they may lie anywhere, and one look at it is enough.
template <KindSet kKinds, int kReplicas>
TACTUM_HOST_DEVICE PreparedWitness prepared_witness(
    const CoreRecord<double>& a, const CoreRecord<double>& b, const VertexView<kReplicas>& view,
    const WitnessPoses& of_part, const WitnessPoses& moving, const WitnessAnswer& answer,
    double tolerance, bool settled = true) {
  const NormalPlane plane = normal_plane(answer.normal);
  const auto local = [&plane](const WorldPose& X, double sign) {
    const Quaternion inverse = conjugate(X.rotation);
    return NormalPlane{rotated(inverse, plane.x), rotated(inverse, plane.y),
                       sign * rotated(inverse, plane.normal)};
  };
  const auto in_core = [](const WorldPose& X, Vector<double> point, const NormalPlane& own,
                          double radius) {
    return rotated(conjugate(X.rotation), point - X.translation) - radius * own.normal;
  };
  const double scale = pair_scale(a, b, of_part.X_WB.translation - of_part.X_WA.translation);
  const double farthest = norm(answer.point_a) + norm(answer.point_b);
  const double slack = larger(1e-9, tolerance) * scale + 64.0 * 2.3e-16 * farthest;
  const NormalPlane own_a = local(of_part.X_WA, 1.0), own_b = local(of_part.X_WB, -1.0);
  const WitnessFeature feature_a = witness_feature<kKinds>(
      a, view, own_a, in_core(of_part.X_WA, answer.point_a, own_a, a.radius), slack, settled);
  const WitnessFeature feature_b = witness_feature<kKinds>(
      b, view, own_b, in_core(of_part.X_WB, answer.point_b, own_b, b.radius), slack, settled);
  PreparedWitness witness;
  witness.pair.plane = plane;
  witness.pair.distance = answer.distance;
  detail::set_axes(witness.pair.axes_a, moving.X_WA.rotation);
  detail::set_axes(witness.pair.axes_b, moving.X_WB.rotation);
  witness.pair.arm_a = answer.point_a - moving.X_WA.translation;
  witness.pair.arm_b = answer.point_b - moving.X_WB.translation;
  witness.response = witness_response(feature_a, a.radius, feature_b, b.radius, answer.distance,
                                      scale);
  return witness;
}

}  // namespace tactum::gpu
