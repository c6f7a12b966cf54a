// SPDX-License-Identifier: BSD-2-Clause
// Contact forces of a step: the factor of the mass matrix applied to the rows, a start from the
// step before, the solver, and the velocity that the forces leave.
//
// Units      The solver sees a problem without units: velocities are divided by the largest free
//            term S, forces by F = S / m with m the mean of the diagonal of G + R. So the tolerance
//            of a step is relative, and means the same at rest and in an impact.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "sim/step_data.hpp"

namespace tactum::sim {
namespace {

using Columns = Eigen::Map<Eigen::MatrixXd>;

/// Solves with the factor of a free body, whose size the compiler knows.
template <int Size>
void solve_free(const Matrix6& factor, double* values) {
  Eigen::Map<Eigen::Matrix<double, 6, Size>> rows(values);
  factor.triangularView<Eigen::Lower>().solveInPlace(rows);
}

/// Replaces J^T by W = L^-1 J^T, tree by tree, with M = L L^T; L of a robot is upper triangular.
void apply_factor(const ModelData& model, StepData& work) {
  for (const RowBlock& block : work.blocks) {
    for (const RowPart& part : block.parts) {
      if (part.tree < 0) continue;
      const Tree& tree = model.trees[static_cast<std::size_t>(part.tree)];
      double* const values = work.values.data() + part.offset;
      const auto index = static_cast<std::size_t>(tree.index);
      if (tree.carrier == Carrier::free_body) {
        const Matrix6& factor = model.free_bodies[index].factor;
        block.size == 3 ? solve_free<3>(factor, values) : solve_free<1>(factor, values);
      } else {
        work.robots[index].factor().apply_inverse(Columns(values, tree.nv, block.size));
      }
    }
  }
}

/// Chooses the units of the problem and writes it in them.
void set_units(StepData& work) {
  double diagonal = 0.0, largest = 0.0;
  for (const double R : work.R) diagonal += R;
  for (const double value : work.values) diagonal += value * value;
  for (const double g : work.g) largest = std::max(largest, std::abs(g));
  diagonal /= std::max<double>(1.0, static_cast<double>(work.g.size()));
  work.inverse_mass_unit = diagonal > 0.0 ? diagonal : 1.0;
  work.velocity_unit = largest > 0.0 ? largest : 1.0;
  work.force_unit = work.velocity_unit / work.inverse_mass_unit;
  const double shrink = 1.0 / std::sqrt(work.inverse_mass_unit);
  for (double& value : work.values) value *= shrink;
  for (double& R : work.R) R /= work.inverse_mass_unit;
  for (double& g : work.g) g /= work.velocity_unit;
  for (ContactBlock& block : work.problem_blocks) {
    block.lower /= work.force_unit;
    block.upper /= work.force_unit;
  }
}

/// Writes a solution in N and m/s^2; its residuals stay relative.
void restore_units(const StepData& work, ContactSolution& solution) {
  solution.force *= work.force_unit;
  solution.velocity *= work.velocity_unit;
  solution.dual_velocity *= work.velocity_unit;
}

/// Builds the problem in the memory of the last one.
const ContactProblem& make_problem(const ModelData& model, StepData& work) {
  work.builder.start(work.motions);
  for (std::size_t i = 0; i < work.blocks.size(); ++i) {
    const RowBlock& block = work.blocks[i];
    const int trees[2] = {block.parts[0].tree, block.parts[1].tree};
    const int count = int{trees[0] >= 0} + int{trees[1] >= 0};
    ContactBlockMemory memory = work.builder.add_block(
        work.problem_blocks[i], std::span(trees, static_cast<std::size_t>(count)));
    memory.g = Eigen::Map<const Eigen::VectorXd>(work.g.data() + block.row, block.size);
    memory.R = Eigen::Map<const Eigen::VectorXd>(work.R.data() + block.row, block.size);
    for (int k = 0; k < count; ++k) {
      const int rows = model.trees[static_cast<std::size_t>(trees[k])].nv;
      memory.W(k) = Eigen::Map<const Eigen::MatrixXd>(work.values.data() + block.parts[k].offset,
                                                      rows, block.size);
    }
  }
  return work.builder.finish();
}

/// Forces of the step before for the contacts that are still there, in their new frames.
bool start_contacts(const ContactMemory& memory, StepData& work) {
  bool found = false;
  const auto pair_of = [](const auto& contact) {
    return std::pair{contact.geometry_a, contact.geometry_b};
  };
  auto old = memory.contacts.begin();
  for (std::size_t i = 0; i < work.contacts.size(); ++i) {
    const FoundContact& contact = work.contacts[i];
    while (old != memory.contacts.end() && pair_of(*old) < pair_of(contact)) ++old;
    for (auto each = old; each != memory.contacts.end() && pair_of(*each) == pair_of(contact);
         ++each) {
      if (each->feature_id != contact.feature_id) continue;
      const RowBlock& block = work.blocks[i];
      work.start.force.segment(block.row, block.size).noalias() =
          contact.frame.rightCols(block.size).transpose() * (each->force / work.force_unit);
      found = true;
      break;
    }
  }
  return found;
}

bool start_joints(const ContactMemory& memory, StepData& work) {
  bool found = false;
  auto old = memory.joints.begin();
  for (std::size_t i = 0; i < work.joint_rows.size(); ++i) {
    const JointRow& row = work.joint_rows[i];
    while (old != memory.joints.end() && old->row.key() < row.key()) ++old;
    if (old == memory.joints.end() || old->row.key() != row.key()) continue;
    work.start.force[work.blocks[work.joint_block(i)].row] = old->force / work.force_unit;
    found = true;
  }
  return found;
}

bool start_closures(const ContactMemory& memory, StepData& work) {
  if (work.closure_block(memory.closures.size()) != work.blocks.size()) return false;
  for (std::size_t i = 0; i < memory.closures.size(); ++i)
    work.start.force[work.blocks[work.closure_block(i)].row] = memory.closures[i] / work.force_unit;
  return !memory.closures.empty();
}

bool set_start(const State& state, StepData& work) {
  if (!state.memory) return false;
  work.start.force.setZero(static_cast<Eigen::Index>(work.g.size()));
  work.start.dual_velocity.resize(0);
  work.start.penalty_exponent = state.memory->penalty_exponent;
  const bool contacts = start_contacts(*state.memory, work);
  const bool joints = start_joints(*state.memory, work);
  return start_closures(*state.memory, work) || contacts || joints;
}

/// Sets velocity = u_f + dt L^-T (W f), tree by tree.
void set_velocity(const ModelData& model, double dt, const Eigen::VectorXd& force, StepData& work) {
  work.impulse.setZero(model.nv);
  const double per_force = dt * std::sqrt(work.inverse_mass_unit);
  for (const RowBlock& block : work.blocks) {
    for (const RowPart& part : block.parts) {
      if (part.tree < 0) continue;
      const Tree& tree = model.trees[static_cast<std::size_t>(part.tree)];
      work.impulse.segment(
          tree.v, tree.nv) += per_force *
                              (Columns(work.values.data() + part.offset, tree.nv, block.size) *
                               force.segment(block.row, block.size));
    }
  }
  work.velocity = work.free_velocity;
  if (work.blocks.empty()) return;
  for (const Tree& tree : model.trees) {
    const auto index = static_cast<std::size_t>(tree.index);
    if (tree.carrier == Carrier::free_body) {
      auto part = work.impulse.segment<6>(tree.v);
      model.free_bodies[index].factor.triangularView<Eigen::Lower>().transpose().solveInPlace(part);
    } else {
      work.robots[index].factor().apply_inverse_transpose(work.impulse.segment(tree.v, tree.nv));
    }
  }
  work.velocity += work.impulse;
}

/// A second attempt where the solver has given up: from the best forces so far, with Newton's
/// method on the active contacts at the end. Keeps what is better.
void try_again(const ContactProblem& problem, SolveOptions options, StepData& work,
               ContactSolution& solution) {
  std::swap(work.start, solution);
  options.warm_start = &work.start;
  options.polish = true;
  solve(problem, options, work.solver, solution);
  solution.iterations += work.start.iterations;
  if (!(solution.residual < work.start.residual)) std::swap(work.start, solution);
}

}  // namespace

void solve_contacts(const ModelData& model, const State& state, const StepOptions& options,
                    double dt, StepData& work, ContactSolution& solution) {
  apply_factor(model, work);
  set_units(work);
  const ContactProblem& problem = make_problem(model, work);
  SolveOptions solve_options;
  solve_options.solver = options.solver;
  solve_options.tolerance = options.tolerance;
  solve_options.max_iterations = options.max_iterations;
  if (options.warm_start && set_start(state, work)) solve_options.warm_start = &work.start;
  solve(problem, solve_options, work.solver, solution);
  if (solution.status != ContactStatus::converged)
    try_again(problem, solve_options, work, solution);
  restore_units(work, solution);
  set_velocity(model, dt, solution.force, work);
}

}  // namespace tactum::sim
