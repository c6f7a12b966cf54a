// SPDX-License-Identifier: BSD-2-Clause
// A step leaves for its derivative: its input, its contacts with their queries, the contact
// problem with its solution, and the velocity that it found. Nothing of it changes afterwards.
#pragma once

#include <vector>

#include "sim/step/step_data.hpp"

struct tactum::sim::StepTape {
  Model model;
  Eigen::VectorXd q, v;
  Eigen::VectorXd tau;  ///< as it was given, perhaps beyond the limits of efforts; or empty
  double dt;
  StepOptions options;  ///< that acted: without position correction where it was given up
  bool is_corrected;    ///< whether position correction was kept
  bool is_bounded;      ///< whether a velocity was absurd and counted as 0
  std::vector<Pose> body_poses, geometry_poses;
  std::vector<double> reach;  ///< m, of geometries: contacts farther than the sum of two were left
                              ///< out
  std::vector<FoundContact> contacts;
  std::vector<ConvexQuery> queries;  ///< of pairs of convex shapes that have contacts, in order
  std::vector<JointRow> joint_rows;
  std::vector<RowBlock> blocks;
  std::vector<TreeFactor> factors;  ///< of the mass matrices of robots
  ContactProblem problem;           ///< in its own units
  double inverse_mass_unit;         ///< 1/kg
  ContactSolution solution;         ///< in N and m/s^2
  double force_unit;                ///< N
  Eigen::VectorXd velocity;         ///< in the axes before the step

  /// First block of the rows of closures.
  std::size_t first_closure_block() const { return contacts.size() + joint_rows.size(); }
};

namespace tactum::sim {

/// Copies what the derivative needs at the end of a step that was asked for a tape.
std::shared_ptr<const StepTape> make_tape(const Model& model, const State& state,
                                          const Eigen::VectorXd& tau, double dt,
                                          const StepOptions& options, const StepData& work,
                                          const ContactSolution& solution);

}  // namespace tactum::sim
