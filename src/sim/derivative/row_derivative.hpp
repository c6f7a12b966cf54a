// SPDX-License-Identifier: BSD-2-Clause
// How the rows of one block of the contact problem follow position and velocity: the rows
// themselves turn and move, and so do the forces along them.
//
// Contact    Everything about a contact follows two twists at its point p, those of body A and of
//            body B: the point by D_p, the frame by the rotation vector D_r, the distance by D_d,
//            which come from the derivative of the contact patch. With F the force on B and V the
//            velocity of B relative to A at p, both in the world:
//              force on B at p:  dF = D_r x F, with the moment D_p x F about p
//              velocity:         V x D_r + (w_B - w_A) x D_p, and what V changes at constant p
//            The rest of the change of J^T f, that of bodies which turn under constant forces in
//            the world, is that of the trees (tree_derivative.hpp).
#pragma once

#include <vector>

#include "sim/derivative/body_motion.hpp"
#include "tactum/contact_patch.hpp"
#include "tactum/sim/step_derivative.hpp"

namespace tactum::sim {

struct RowDerivative {
  int row = 0;               ///< first row of the block
  std::vector<int> columns;  ///< entries of v that take part; one may occur twice, for both bodies
  Eigen::MatrixXd J;         ///< rows x columns; no columns for a contact that is open
  /// Derivative by q, m/s, of J u for constant u and of the velocity that is asked for besides;
  /// rows x columns.
  Eigen::MatrixXd velocity_by_q;
  Eigen::MatrixXd velocity_by_v;  ///< of the velocity that is asked for; empty where it has none
  Eigen::MatrixXd force_by_q;     ///< columns x columns: J^T f by q; empty where it is zero

  double margin = 1.0;  ///< to the next kink of the velocity that is asked for, as a share of the
                        ///< largest velocity at stake
  bool smooth = true;   ///< whether the contact patch is

  // of parameters
  double approach = 0.0;  ///< m/s: normal velocity before the step, of a contact that bounces
  bool bounces = false;
  double gap_share = 0.0;  ///< derivative of the velocity that is asked for by the distance, times
                           ///< dt
  double distance = 0.0;   ///< m
};

/// Derivatives of the rows of contacts and joints of a taped step, in the order of its blocks; in
/// that order, the rows of closures follow them (closure_derivative.hpp).
std::vector<RowDerivative> row_derivatives(const StepTape& tape, const BodyMotion& motion,
                                           const StepDerivativeOptions& options);

/// Options of the patch of two geometries, as the step made it.
ContactPatchDerivativeOptions patch_options(const StepTape& tape, std::size_t geometry_a,
                                            std::size_t geometry_b);
/// Whether a contact is open, so that nothing follows it.
bool is_open(const StepTape& tape, std::size_t contact);
bool all_open(const StepTape& tape, std::size_t first, std::size_t end);
/// The first contact after `first` of another pair of geometries.
std::size_t end_of_pair(const StepTape& tape, std::size_t first);

/// Changes of a contact, in columns: how its frame turns and its point and distance move.
struct ContactChange {
  Eigen::Matrix3Xd rotation, point;
  Eigen::RowVectorXd distance;
};
/// Change of the rows of a contact by it, in m/s, for constant twists of both bodies at its
/// point; `row` is that of the contact.
Eigen::MatrixXd velocity_by_change(const StepTape& tape, const BodyMotion& motion,
                                   std::size_t contact, const RowDerivative& row,
                                   const ContactChange& change);
/// The wrench [force; moment] on B about the point by it, for a constant force in the contact
/// frame.
Matrix6X wrench_by_change(const Vector3& force, const ContactChange& change);

/// Force of a contact on B, in the world, N.
Vector3 contact_force(const StepTape& tape, std::size_t contact);

}  // namespace tactum::sim
