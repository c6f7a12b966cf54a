// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/derivative/witness_jacobian.hpp"

namespace tactum {
namespace {

constexpr double kSingular = 1e-12;      // of the scale: a smaller d I + H counts as singular
constexpr double kParallelEdges = 1e-9;  // sine of the angle between two edges below which they
                                         // count as parallel
constexpr Double3 kNoMotion{0.0, 0.0, 0.0};

/// Inverse of a symmetric 2 x 2 matrix. If it is not positive definite, the pseudo-inverse of its
/// positive part, and `positive` is false.
Matrix22 positive_inverse(const Matrix22& m, double smallest, bool& positive) {
  const double half_difference = 0.5 * (m.xx - m.yy), half_trace = 0.5 * (m.xx + m.yy);
  const double larger = half_trace + std::sqrt(half_difference * half_difference + m.xy * m.xy);
  const double determinant = m.xx * m.yy - m.xy * m.xy;
  positive = larger > smallest && determinant > smallest * larger;
  if (positive) return (1.0 / determinant) * Matrix22{m.yy, -m.xy, -m.xy, m.xx};
  if (!(larger > smallest)) return Matrix22::zero();
  // the eigenvector of the larger eigenvalue, from the longer row of m - larger I turned by a right
  // angle
  const Double2 first{m.xy, larger - m.xx}, second{larger - m.yy, m.xy};
  Double2 v = dot(first, first) > dot(second, second) ? first : second;
  const double length = v.norm();
  v = length > 0.0 ? (1.0 / length) * v : Double2{1.0, 0.0};
  return (1.0 / larger) * Matrix22::outer(v, v);
}

/// Influence of each shape on the normal and the points: the normal turns by turn_a times the turn
/// of A plus turn_b times that of B, and the points slide accordingly.
struct Shares {
  Matrix22 turn_a, turn_b;    // response of the normal to turns of the surfaces
  Matrix22 slide_a, slide_b;  // parts of the tangential rest that each point slides by
  Matrix22 shift;             // response of the normal to a shift: S of the header comment
};

Shares without_edges(const Matrix22& matrix, const SupportFeature& a, const SupportFeature& b,
                     double scale, bool& unique) {
  const Matrix22 inverse = positive_inverse(matrix, kSingular * scale, unique);
  return {inverse * a.hessian, inverse * b.hessian, Matrix22::zero(), Matrix22::zero(), inverse};
}

/// The influence of two features with one free direction e, of which A and B have the given parts;
/// across it the curvature decides.
Shares with_edge(const Matrix22& matrix, Double2 e, double share_a, double share_b,
                 const SupportFeature& a, const SupportFeature& b, double scale, bool& unique) {
  const Double2 c{-e.y, e.x};
  const double curvature = dot(c, matrix * c);
  unique = unique && curvature > kSingular * scale;
  const double inverse = curvature > kSingular * scale ? 1.0 / curvature : 0.0;
  const Matrix22 along = Matrix22::outer(e, e), across = inverse * Matrix22::outer(c, c);
  const Matrix22 coupling = across * (matrix * along);
  return {share_a * (along - coupling) + across * a.hessian,
          share_b * (along - coupling) + across * b.hessian, share_a * along, share_b * along,
          across};
}

/// The influence of two edges that cross: each determines the normal along itself, and the points
/// slide along both.
Shares crossing_edges(Double2 e_a, Double2 e_b) {
  const double inverse = 1.0 / cross(e_a, e_b);
  // dual basis: f_a . e_a = 1, f_a . e_b = 0
  const Double2 f_a = inverse * Double2{e_b.y, -e_b.x}, f_b = inverse * Double2{-e_a.y, e_a.x};
  return {Matrix22::outer(f_a, e_a), Matrix22::outer(f_b, e_b), Matrix22::outer(e_a, f_a),
          Matrix22::outer(e_b, f_b), Matrix22::zero()};
}

/// The influence of a face, which determines everything but what the other shape determines as
/// well.
Shares with_face(const Matrix22& share_of_other, bool face_is_a) {
  const Matrix22 rest = Matrix22::scaled_identity(1.0) - share_of_other;
  const Matrix22 &a = face_is_a ? rest : share_of_other, &b = face_is_a ? share_of_other : rest;
  return {a, b, a, b, Matrix22::zero()};
}

Matrix22 claimed_half(const SupportFeature& feature) {
  if (feature.dimension == 0) return Matrix22::zero();
  return feature.dimension == 1 ? 0.5 * Matrix22::outer(feature.edge, feature.edge)
                                : Matrix22::scaled_identity(0.5);
}

Shares shares_of(const SupportFeature& a, const SupportFeature& b, const Matrix22& matrix,
                 double scale, bool& unique) {
  unique = a.dimension + b.dimension <= 2;
  if (a.dimension == 2) return with_face(claimed_half(b), true);
  if (b.dimension == 2) return with_face(claimed_half(a), false);
  if (a.dimension == 0 && b.dimension == 0) return without_edges(matrix, a, b, scale, unique);
  if (b.dimension == 0) return with_edge(matrix, a.edge, 1.0, 0.0, a, b, scale, unique);
  if (a.dimension == 0) return with_edge(matrix, b.edge, 0.0, 1.0, a, b, scale, unique);
  if (std::abs(cross(a.edge, b.edge)) > kParallelEdges) return crossing_edges(a.edge, b.edge);
  Shares shares = with_edge(matrix, a.edge, 0.5, 0.5, a, b, scale, unique);
  unique = false;
  return shares;
}

[[gnu::always_inline]] inline MotionColumn column(const TangentPlane& plane, double d,
                                                  Double3 shift, double distance, Double2 normal,
                                                  Double2 point) {
  MotionColumn result;
  result.distance = distance;
  result.normal = plane.lift(normal);
  result.point_a = shift + plane.lift(point);
  result.separation = distance * plane.normal + d * result.normal;
  result.point_b = result.point_a + result.separation;
  return result;
}

[[gnu::always_inline]] inline void write(double* to, Double3 v) {
  to[0] = v.x;
  to[1] = v.y;
  to[2] = v.z;
}

[[gnu::always_inline]] inline void write(const MotionColumn& from, int index,
                                         DistanceJacobians& out) {
  out.distance_jacobian.data()[index] = from.distance;
  write(out.normal_jacobian.data() + 3 * index, from.normal);
  write(out.point_a_jacobian.data() + 3 * index, from.point_a);
  write(out.point_b_jacobian.data() + 3 * index, from.point_b);
  write(out.separation_jacobian.data() + 3 * index, from.separation);
}

Double3 axis_of(const Matrix3& rotation, TangentFrame frame, int i) {
  if (frame == TangentFrame::local) return {rotation(0, i), rotation(1, i), rotation(2, i)};
  return {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
}

}  // namespace

MotionResponse response_of(const SupportFeature& a, const SupportFeature& b, double distance,
                           double scale) {
  const Matrix22 matrix = Matrix22::scaled_identity(distance) + a.hessian + b.hessian;
  MotionResponse r;
  const Shares shares = shares_of(a, b, matrix, scale, r.unique);
  r.normal_by_shift = shares.shift;
  r.normal_by_turn_a = shares.turn_a;
  r.normal_by_turn_b = shares.turn_b;
  // slides take up the rest of the tangential shift: dp_A - m_A = H_A (dn - o_A) + slide_a * rest
  const Matrix22 one = Matrix22::scaled_identity(1.0);
  r.point_by_shift = a.hessian * shares.shift + shares.slide_a * (one - matrix * shares.shift);
  r.point_by_turn_a = a.hessian * (shares.turn_a - one) +
                      shares.slide_a * (a.hessian - matrix * shares.turn_a);
  r.point_by_turn_b = a.hessian * shares.turn_b +
                      shares.slide_a * (b.hessian - matrix * shares.turn_b);
  return r;
}

MotionColumn column_a(const WitnessPair& pair, const MotionResponse& r, Double3 shift,
                      Double2 turn) {
  const Double2 du = -pair.plane.project(shift);
  return column(pair.plane, pair.distance, shift, -dot(pair.plane.normal, shift),
                r.normal_by_shift * du + r.normal_by_turn_a * turn,
                r.point_by_shift * du + r.point_by_turn_a * turn);
}

MotionColumn column_b(const WitnessPair& pair, const MotionResponse& r, Double3 shift,
                      Double2 turn) {
  const Double2 du = pair.plane.project(shift);
  return column(pair.plane, pair.distance, kNoMotion, dot(pair.plane.normal, shift),
                r.normal_by_shift * du + r.normal_by_turn_b * turn,
                r.point_by_shift * du + r.point_by_turn_b * turn);
}

void fill_jacobians(const WitnessPair& pair, const MotionResponse& response, TangentFrame frame,
                    DistanceJacobians& out) {
  // copies, which the numbers written below cannot change
  const MotionResponse r = response;
  const TangentPlane plane = pair.plane;
  const Double3 n = plane.normal;
  const double d = pair.distance;
  const bool about_world = frame == TangentFrame::world;
  const Double3 arm_a = about_world ? pair.a.point : pair.a.arm,
                arm_b = about_world ? pair.b.point : pair.b.arm;
  for (int i = 0; i < 3; ++i) {
    const Double3 a = axis_of(pair.a.rotation, frame, i), b = axis_of(pair.b.rotation, frame, i);
    // translations turn no surface
    const Double2 c_a = plane.project(a), c_b = plane.project(b);
    write(column(plane, d, a, -dot(n, a), -(r.normal_by_shift * c_a), -(r.point_by_shift * c_a)), i,
          out);
    write(column(plane, d, kNoMotion, dot(n, b), r.normal_by_shift * c_b, r.point_by_shift * c_b),
          6 + i, out);
    // w x n in the plane: a quarter turn of the coordinates of w
    const Double3 m_a = cross(a, arm_a), m_b = cross(b, arm_b);
    const Double2 o_a{c_a.y, -c_a.x}, o_b{c_b.y, -c_b.x};
    const Double2 du_a = -plane.project(m_a), du_b = plane.project(m_b);
    write(column(plane, d, m_a, -dot(n, m_a), r.normal_by_shift * du_a + r.normal_by_turn_a * o_a,
                 r.point_by_shift * du_a + r.point_by_turn_a * o_a),
          3 + i, out);
    write(column(plane, d, kNoMotion, dot(n, m_b),
                 r.normal_by_shift * du_b + r.normal_by_turn_b * o_b,
                 r.point_by_shift * du_b + r.point_by_turn_b * o_b),
          9 + i, out);
  }
}

}  // namespace tactum
