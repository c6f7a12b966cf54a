// SPDX-License-Identifier: BSD-2-Clause
// The memory of a step, and its stages in the order in which they run. Each stage reads what the
// ones before it wrote and writes its own part.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "sim/model/model_data.hpp"
#include "sim/model/tree_branches.hpp"
#include "tactum/broad_phase.hpp"
#include "tactum/contact_patch.hpp"
#include "tactum/contact_problem_builder.hpp"
#include "tactum/sim/step.hpp"

namespace tactum::sim {

/// Up to this many geometries, trying all pairs that may meet is as fast as a tree.
constexpr std::size_t kFewGeometries = 64;

/// A contact before its force is known.
struct FoundContact {
  int geometry_a, geometry_b;
  Vector3 point;  ///< midway between both surfaces
  double distance;
  std::uint64_t feature_id;
  Matrix3 frame;  ///< columns: tangent, tangent, normal from A to B
  Material material;
};

/// The query of a pair of convex shapes, kept for the derivative of a step.
struct ConvexQuery {
  std::size_t first_contact;  ///< of the pair
  Distance value;
};

/// A row of the contact problem that belongs to a joint.
struct JointRow {
  enum class Kind : std::uint8_t { lower_limit, upper_limit, dry_friction };
  Kind kind;
  int scalar_joint;
  double distance;  ///< rad or m to the limit

  /// Rows come in this order.
  auto key() const { return std::pair{scalar_joint, kind}; }
};

/// The part of the rows of one block that one tree moves: J^T, and later L^-1 J^T, in as many rows
/// as the tree has velocities.
struct RowPart {
  int tree = -1;           ///< -1: none
  std::size_t offset = 0;  ///< of its first number, column by column
};

struct RowBlock {
  int row = 0;
  int size = 0;
  RowPart parts[2];
};

/// The force of one contact, kept for the next step, with the multiplier and the proximal parameter
/// of ADMM.
struct RememberedForce {
  int geometry_a, geometry_b;
  std::uint64_t feature_id;
  Vector3 point;  ///< m, in the world
  Vector3 force;  ///< N, in the world, on B
  Vector3 dual;   ///< m/s^2, in the world
  double penalty_exponent;
};

/// The force of a block with one row, kept for the next step, with its multiplier.
struct RememberedRow {
  double force;  ///< N or N m
  double dual;   ///< m/s^2 or rad/s^2
  double penalty_exponent;
};

struct RememberedJoint {
  JointRow row;
  RememberedRow value;
};

/// Position correction that had no solution waits before it is tried again.
struct CorrectionPause {
  int vain = 0;        ///< attempts without a solution since the last one that had one
  int steps_left = 0;  ///< that make no attempt
};

}  // namespace tactum::sim

struct tactum::sim::ContactMemory {
  std::vector<RememberedForce> contacts;  ///< ascending by geometries
  std::vector<RememberedJoint> joints;    ///< ascending by their keys
  std::vector<RememberedRow> closures;    ///< of all rows of closures
  CorrectionPause pause;
};

struct tactum::sim::StepWorkspace::Data {
  std::optional<Model> model;  ///< that the rest was made for

  // kinematics
  std::vector<ArticulationData> robots;
  std::vector<Pose> body_poses;
  std::vector<double> linear_speed, angular_speed;  ///< of bodies
  std::vector<Pose> geometry_poses;
  // dynamics
  Eigen::VectorXd tau, free_velocity;  ///< tau is within the limits of efforts
  // pairs and contacts
  std::vector<double> reach;  ///< m that each geometry may move in this step, and its margin
  std::vector<Aabb> boxes;
  DynamicTree tree;
  std::vector<BoxId> box_ids;
  BoxPairs candidates;  ///< all pairs that may meet, of a model with few geometries
  BoxPairs pairs;
  std::vector<PartPatch> patches;
  std::vector<FoundContact> contacts;
  std::vector<ConvexQuery> queries;  ///< filled for a tape only
  std::vector<JointRow> joint_rows;
  // contact problem
  std::vector<RowBlock> blocks;
  std::vector<double> values;      ///< of the parts of rows
  std::vector<double> g, R;        ///< of rows
  std::vector<double> correction;  ///< share of g that takes back penetrations and open closures
  bool is_bounded = false;         ///< whether a velocity was absurd and counts as 0
  bool is_corrected = true;        ///< whether that share was kept
  CorrectionPause pause;           ///< after this step
  std::vector<ContactBlock> problem_blocks;
  double inverse_mass_unit = 1.0;   ///< 1/kg: the units of the problem that the solver sees
  double velocity_unit = 1.0;       ///< m/s^2
  double force_unit = 1.0;          ///< N
  std::vector<int> first_branch;    ///< of each tree, and the number of all branches
  std::vector<Branch> branches;     ///< of all trees; velocities count from the first of the tree
  std::vector<int> motions;         ///< of each branch, which is a body of the contact problem
  std::vector<int> block_branches;  ///< that one block moves
  ContactProblemBuilder builder{ContactProblemBuilder::Checks::none};
  std::optional<ContactProblem> problem;  ///< held for a tape only
  ContactWorkspace solver;
  ContactSolution start;
  std::vector<std::uint8_t> taken;        ///< of what a pair remembers: whether a contact has it
  std::vector<std::size_t> without_past;  ///< contacts of a pair whose features are new
  ContactSolution failed;                 ///< of an attempt that did not converge
  // the velocity that the contact forces leave
  Eigen::VectorXd impulse, velocity;

  /// Makes room for a model, and keeps it alive.
  void prepare(const Model& given);
  /// Blocks: contacts, then rows of joints, then rows of closures.
  std::size_t joint_block(std::size_t i) const { return contacts.size() + i; }
  std::size_t closure_block(std::size_t i) const { return contacts.size() + joint_rows.size() + i; }
};

namespace tactum::sim {

using StepData = StepWorkspace::Data;

/// The entries of a contact in a vector over all rows, as a vector in the world.
inline Vector3 in_world(const FoundContact& contact, const RowBlock& block,
                        const Eigen::VectorXd& rows) {
  if (block.size == 3) return contact.frame * rows.segment<3>(block.row);
  return rows[block.row] * contact.frame.col(2);
}

void set_kinematics(const ModelData& model, const State& state, StepData& work);
void set_free_velocity(const ModelData& model, const State& state, double dt, StepData& work);
/// Sets entries that are not finite or absurd to 0, so that a state always is a state. Returns
/// whether there were any.
bool bound_velocity(Eigen::VectorXd& velocity);
void find_pairs(const ModelData& model, double dt, StepData& work);
void find_contacts(const ModelData& model, const StepOptions& options, StepData& work);
/// Rows of contacts, joint limits, dry friction and closures, and the terms of the problem besides
/// G.
void set_contact_rows(const ModelData& model, const State& state, const StepOptions& options,
                      double dt, StepData& work);
/// Sets `work.start` to the forces of the step before, and to 0 for blocks without a past. Returns
/// whether its numbers are sane.
bool set_start(const ContactMemory* memory, StepData& work);
/// Contact forces, and the velocity that they leave.
void solve_contacts(const ModelData& model, const State& state, const StepOptions& options,
                    double dt, StepData& work, ContactSolution& solution);
/// The state after the step, with the forces for the next one.
void integrate(const ModelData& model, const State& state, double dt, const StepData& work,
               const ContactSolution& solution, State& out);

}  // namespace tactum::sim
