// SPDX-License-Identifier: BSD-2-Clause
// From the features at the two witness points to all Jacobians: one 2 x 2 system in the plane
// orthogonal to the normal.
//
// A small motion moves the witness point of X with the shape by m_X and turns the normal of its
// surface by o_X (for a rigid motion m_X = t_X + w_X x r_X and o_X = w_X x n). With du = m_B - m_A,
// H_X the finite Hessians and E_X the free directions of the features,
//     dp_A = m_A + H_A (dn - o_A) + E_A l_A,    dp_B = m_B - H_B (dn - o_B) + E_B l_B,
//     E_X' (dn - o_X) = 0,                      dp_B - dp_A = (n . du) n + d dn.
// Without free directions this is (d I + H_A + H_B) dn = P du + H_A o_A + H_B o_B: eq. (18) of
// Montaut et al. 2023 times the distance, so that it holds through d = 0. Each free direction
// replaces one row by the condition that n turns with its feature.
//
// Not unique  where both shapes determine the normal along one direction (parallel edges, an edge
// on
//             a face, two faces): each then counts by half. Where d I + H is not positive along a
//             direction that neither determines, the normal does not respond in it.
#pragma once

#include "shape/support/support_hessian.hpp"
#include "tactum/distance_derivative.hpp"

namespace tactum {

/// One witness point: its place and the surface around it.
struct WitnessSide {
  Double3 point;           ///< world
  Double3 arm;             ///< from the origin of the shape to the point, world axes
  Matrix3 rotation;        ///< rotation of the shape
  SupportFeature feature;  ///< in the coordinates of WitnessPair::plane, swept radius included in
                           ///< the Hessian
};

/// Two witness points and the plane orthogonal to the normal, in world axes.
struct WitnessPair {
  TangentPlane plane{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  double distance = 0.0;
  double scale = 0.0;
  WitnessSide a, b;
  bool smooth = true;  ///< both points lie inside their features, and no other normal is as good
};

/// The solved system: dn = S du + Q_A o_A + Q_B o_B, and the matrices of the tangential part of
/// dp_A - m_A.
struct MotionResponse {
  Matrix22 normal_by_shift, normal_by_turn_a, normal_by_turn_b;
  Matrix22 point_by_shift, point_by_turn_a, point_by_turn_b;
  bool unique = true;
};

MotionResponse response_of(const SupportFeature& a, const SupportFeature& b, double distance,
                           double scale);

/// One column of the Jacobians: the effect of a motion of one shape. `turn` is in coordinates of
/// the plane.
struct MotionColumn {
  double distance;
  Double3 normal, point_a, point_b, separation;
};
MotionColumn column_a(const WitnessPair& pair, const MotionResponse& response, Double3 shift,
                      Double2 turn);
MotionColumn column_b(const WitnessPair& pair, const MotionResponse& response, Double3 shift,
                      Double2 turn);

/// Fills all twelve columns of rigid motions.
void fill_jacobians(const WitnessPair& pair, const MotionResponse& response, TangentFrame frame,
                    DistanceJacobians& out);

}  // namespace tactum
