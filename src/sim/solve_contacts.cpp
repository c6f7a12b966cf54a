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

/// Calls function(L) with the lower factor of the mass matrix of a tree.
template <class Function>
void with_factor(const ModelData& model, const StepData& work, const Tree& tree,
                 const Function& function) {
  const auto index = static_cast<std::size_t>(tree.index);
  if (tree.carrier == Carrier::free_body)
    function(model.free_bodies[index].factor);
  else
    function(work.robots[index].factor());
}

/// Solves with the factor of a free body, whose size the compiler knows.
template <int Size>
void solve_free(const Matrix6& factor, double* values) {
  Eigen::Map<Eigen::Matrix<double, 6, Size>> rows(values);
  factor.triangularView<Eigen::Lower>().solveInPlace(rows);
}

/// Replaces J^T by W = L^-1 J^T, tree by tree.
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
        Columns rows(values, tree.nv, block.size);
        work.robots[index].factor().triangularView<Eigen::Lower>().solveInPlace(rows);
      }
    }
  }
}

/// Chooses the units of the problem and writes it in them.
void set_units(StepData& work) {
  double diagonal = work.R.sum();
  for (const double value : work.values) diagonal += value * value;
  diagonal /= std::max<double>(1.0, static_cast<double>(work.g.size()));
  const double largest = work.g.size() > 0 ? work.g.cwiseAbs().maxCoeff() : 0.0;
  work.inverse_mass_unit = diagonal > 0.0 ? diagonal : 1.0;
  work.velocity_unit = largest > 0.0 ? largest : 1.0;
  work.force_unit = work.velocity_unit / work.inverse_mass_unit;
  const double shrink = 1.0 / std::sqrt(work.inverse_mass_unit);
  for (double& value : work.values) value *= shrink;
  work.R /= work.inverse_mass_unit;
  work.g /= work.velocity_unit;
  work.bounds /= work.force_unit;
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
    const auto index = static_cast<Eigen::Index>(i);
    const ContactBlock given{work.kinds[i], 0, work.mu[index], work.bounds(index, 0),
                             work.bounds(index, 1)};
    const int trees[2] = {block.parts[0].tree, block.parts[1].tree};
    const int count = int{trees[0] >= 0} + int{trees[1] >= 0};
    ContactBlockMemory memory = work.builder.add_block(
        given, std::span(trees, static_cast<std::size_t>(count)));
    memory.g = work.g.segment(block.row, block.size);
    memory.R = work.R.segment(block.row, block.size);
    for (int k = 0; k < count; ++k) {
      const int rows = model.trees[static_cast<std::size_t>(trees[k])].nv;
      memory.W(k) = Eigen::Map<const Eigen::MatrixXd>(work.values.data() + block.parts[k].offset,
                                                      rows, block.size);
    }
  }
  return work.builder.finish();
}

/// Forces of the step before for the contacts that are still there, in their new frames.
bool set_start(const State& state, StepData& work) {
  if (!state.memory) return false;
  const ContactMemory& memory = *state.memory;
  work.start.force.setZero(work.g.size());
  work.start.dual_velocity.resize(0);
  work.start.penalty_exponent = memory.penalty_exponent;
  bool found = false;
  const auto pair_of = [](const auto& contact) {
    return std::pair{contact.geometry_a, contact.geometry_b};
  };
  for (std::size_t i = 0; i < work.contacts.size(); ++i) {
    const FoundContact& contact = work.contacts[i];
    auto old = std::lower_bound(
        memory.contacts.begin(), memory.contacts.end(), pair_of(contact),
        [&](const RememberedForce& a, const auto& pair) { return pair_of(a) < pair; });
    for (; old != memory.contacts.end() && pair_of(*old) == pair_of(contact); ++old) {
      if (old->feature_id != contact.feature_id) continue;
      const RowBlock& block = work.blocks[i];
      work.start.force.segment(
          block.row, block.size) = contact.frame.rightCols(block.size).transpose() * old->force /
                                   work.force_unit;
      found = true;
      break;
    }
  }
  for (std::size_t i = 0; i < work.joint_rows.size(); ++i) {
    for (const RememberedJoint& old : memory.joints) {
      if (old.row.kind != work.joint_rows[i].kind ||
          old.row.scalar_joint != work.joint_rows[i].scalar_joint)
        continue;
      work.start.force[work.blocks[work.contacts.size() + i].row] = old.force / work.force_unit;
      found = true;
    }
  }
  return found;
}

/// velocity = u_f + dt L^-T (W f), tree by tree.
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
    auto part = work.impulse.segment(tree.v, tree.nv);
    with_factor(model, work, tree, [&](const auto& factor) {
      factor.template triangularView<Eigen::Lower>().transpose().solveInPlace(part);
    });
  }
  work.velocity += work.impulse;
}

}  // namespace

void solve_contacts(const ModelData& model, const State& state, const StepOptions& options,
                    double dt, StepData& work, ContactSolution& solution) {
  apply_factor(model, work);
  set_units(work);
  work.problem.reset();  // a problem that somebody holds is not built again in its own memory
  const ContactProblem& problem = make_problem(model, work);
  if (options.tape) work.problem = problem;
  SolveOptions solve_options;
  solve_options.solver = options.solver;
  solve_options.tolerance = options.tolerance;
  solve_options.max_iterations = options.max_iterations;
  if (options.warm_start && set_start(state, work)) solve_options.warm_start = &work.start;
  solve(problem, solve_options, work.solver, solution);
  restore_units(work, solution);
  set_velocity(model, dt, solution.force, work);
}

}  // namespace tactum::sim
