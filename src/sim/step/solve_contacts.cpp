// SPDX-License-Identifier: BSD-2-Clause
// Contact forces of a step: the factor of the mass matrix applied to the rows, the solver, and the
// velocity that the forces leave.
//
// Units      The solver sees a problem without units: velocities are divided by the largest free
//            term S (or by a share of the velocities themselves), forces by F = S / m with m the
//            mean of the diagonal of G + R. So the tolerance of a step is relative, and means the
//            same at rest and in an impact. A step of the survey has impulses in N s and velocities
//            in m/s instead.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/step/step_data.hpp"

namespace tactum::sim {
namespace {

using Columns = Eigen::Map<Eigen::MatrixXd>;

constexpr double kRoundingShare = 1e-6;  // of velocities, below which differences of them are
                                         // not worth a digit
constexpr double kNoResponse = 1e-20;    // of the mean diagonal of G, that is rounding
constexpr int kMostVain = 4;             // attempts after which pauses grow no more
// iterations of ncp_admm: of an attempt with a warm start, of the second one, and of one with
// position correction but without a warm start
constexpr int kMostWarm = 60, kMostAgain = 200, kMostCorrected = 300;

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

/// Takes no penetration back along a row that no force moves, as between links of one body, or
/// along the axis of the only joint between two.
void drop_vain_corrections(const ModelData& model, StepData& work) {
  double all = 0.0;
  for (const double value : work.values) all += value * value;
  const double nothing = kNoResponse * all / std::max(1.0, static_cast<double>(work.g.size()));
  for (const RowBlock& block : work.blocks) {
    for (int k = 0; k < block.size; ++k) {
      const auto row = static_cast<std::size_t>(block.row + k);
      if (work.correction[row] == 0.0) continue;
      double square = 0.0;
      for (const RowPart& part : block.parts) {
        if (part.tree < 0) continue;
        const int nv = model.trees[static_cast<std::size_t>(part.tree)].nv;
        const double* const column = work.values.data() + part.offset + k * nv;
        for (int i = 0; i < nv; ++i) square += column[i] * column[i];
      }
      if (square > nothing) continue;
      work.g[row] -= work.correction[row];
      work.correction[row] = 0.0;
    }
  }
}

/// Chooses the units of the problem and writes it in them. Free terms are differences of
/// velocities, which may be rounding where nothing moves relative to anything: the unit of velocity
/// is never below a share of the velocities themselves.
void set_units(const StepOptions& options, double dt, StepData& work) {
  double diagonal = 0.0, largest = 0.0;
  for (const double R : work.R) diagonal += R;
  for (const double value : work.values) diagonal += value * value;
  for (const double g : work.g) largest = std::max(largest, std::abs(g));
  diagonal /= std::max<double>(1.0, static_cast<double>(work.g.size()));
  work.inverse_mass_unit = diagonal > 0.0 ? diagonal : 1.0;
  if (work.free_velocity.size() > 0)
    largest = std::max(largest, kRoundingShare / dt * work.free_velocity.cwiseAbs().maxCoeff());
  work.velocity_unit = largest > 0.0 ? largest : 1.0;
  if (options.as_printed) {
    work.inverse_mass_unit = 1.0;
    work.velocity_unit = 1.0 / dt;
  }
  work.force_unit = work.velocity_unit / work.inverse_mass_unit;
  const double shrink = 1.0 / std::sqrt(work.inverse_mass_unit);
  for (double& value : work.values) value *= shrink;
  for (double& R : work.R) R /= work.inverse_mass_unit;
  for (double& g : work.g) g /= work.velocity_unit;
  for (double& correction : work.correction) correction /= work.velocity_unit;
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

/// Whether a block moves some of the rows of a part.
bool has_entries(const Eigen::Map<const Eigen::MatrixXd>& columns, const Branch& branch) {
  for (Eigen::Index k = 0; k < columns.cols(); ++k)
    for (int i = branch.begin; i < branch.begin + branch.size; ++i)
      if (columns(i, k) != 0.0) return true;
  return false;
}

/// Adds a block with the numbers of W in the branches that it moves.
void add_problem_block(const ModelData& model, std::size_t index, StepData& work) {
  const RowBlock& block = work.blocks[index];
  const auto columns_of = [&](const RowPart& part) {
    const int rows = model.trees[static_cast<std::size_t>(part.tree)].nv;
    return Eigen::Map<const Eigen::MatrixXd>(work.values.data() + part.offset, rows, block.size);
  };
  std::vector<int>& moved = work.block_branches;
  moved.clear();
  std::size_t counts[2] = {0, 0};
  for (int p = 0; p < 2; ++p) {
    if (block.parts[p].tree < 0) continue;
    const auto columns = columns_of(block.parts[p]);
    const auto tree = static_cast<std::size_t>(block.parts[p].tree);
    for (int b = work.first_branch[tree]; b < work.first_branch[tree + 1]; ++b)
      if (has_entries(columns, work.branches[static_cast<std::size_t>(b)])) moved.push_back(b);
    // a block that moves nothing just now stays in the island of its robot
    if (moved.size() == (p > 0 ? counts[0] : 0)) moved.push_back(work.first_branch[tree]);
    counts[p] = moved.size();
  }
  ContactBlockMemory memory = work.builder.add_block(work.problem_blocks[index], moved);
  memory.g = Eigen::Map<const Eigen::VectorXd>(work.g.data() + block.row, block.size);
  memory.R = Eigen::Map<const Eigen::VectorXd>(work.R.data() + block.row, block.size);
  for (std::size_t k = 0; k < moved.size(); ++k) {
    const Branch& branch = work.branches[static_cast<std::size_t>(moved[k])];
    const RowPart& part = block.parts[k < counts[0] ? 0 : 1];
    memory.W(static_cast<int>(k)) = columns_of(part).middleRows(branch.begin, branch.size);
  }
}

/// Builds the problem in the memory of the last one.
const ContactProblem& make_problem(const ModelData& model, StepData& work) {
  work.builder.start(work.motions);
  for (std::size_t tree = 0; tree + 1 < work.first_branch.size(); ++tree) {
    work.block_branches.resize(
        static_cast<std::size_t>(work.first_branch[tree + 1] - work.first_branch[tree]));
    std::iota(work.block_branches.begin(), work.block_branches.end(), work.first_branch[tree]);
    work.builder.unite(work.block_branches);
  }
  for (std::size_t i = 0; i < work.blocks.size(); ++i) add_problem_block(model, i, work);
  return work.builder.finish();
}

/// Sets velocity = u_f + dt L^-T (W f), tree by tree.
void set_velocity(const ModelData& model, double dt, const Eigen::VectorXd& force, StepData& work) {
  work.impulse.setZero(model.nv);
  const double per_force = dt * std::sqrt(work.inverse_mass_unit);
  for (const RowBlock& block : work.blocks) {
    for (const RowPart& part : block.parts) {
      if (part.tree < 0) continue;
      const Tree& tree = model.trees[static_cast<std::size_t>(part.tree)];
      const double* column = work.values.data() + part.offset;
      double* const impulse = work.impulse.data() + tree.v;
      for (int k = 0; k < block.size; ++k, column += tree.nv) {
        const double share = per_force * force[block.row + k];
        for (int i = 0; i < tree.nv; ++i) impulse[i] += share * column[i];
      }
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

bool has_correction(const StepData& work) {
  return std::any_of(work.correction.begin(), work.correction.end(),
                     [](double correction) { return correction != 0.0; });
}

/// Whether ncp_admm begins with Newton's method and interior points. What they do not solve within
/// some ten iterations, ADMM seldom does.
bool knows_soon(const SolveOptions& options) {
  return options.solver == ContactSolver::ncp_admm && options.warm_start != nullptr &&
         !options.as_printed;
}

/// Iterations of the first attempt. A problem with correction need not have a solution.
int most_iterations_first(const SolveOptions& options, bool is_corrected) {
  if (knows_soon(options)) return std::min(options.max_iterations, kMostWarm);
  if (is_corrected && !options.as_printed) return std::min(options.max_iterations, kMostCorrected);
  return options.max_iterations;
}

/// Iterations of the second one, of at most `most`.
int most_iterations_second(const SolveOptions& options, int most) {
  return knows_soon(options) ? std::min(most, kMostAgain) : most;
}

/// A second attempt where the solver has given up. Taking back penetrations may ask for motions
/// that no joint allows, so that no forces solve the problem; without that share a solution exists,
/// with everything at rest among its motions. Begins where the first attempt began, because forces
/// that answer a question without an answer only grow; without correction it begins from the best
/// ones so far. Keeps what is better.
void try_again(const ModelData& model, SolveOptions options, StepData& work,
               ContactSolution& solution) {
  const bool was_corrected = has_correction(work);
  if (was_corrected) {
    for (std::size_t i = 0; i < work.g.size(); ++i) work.g[i] -= work.correction[i];
    work.is_corrected = false;
    work.failed.iterations = solution.iterations;
  } else {
    std::swap(work.failed, solution);
    options.warm_start = &work.failed;
  }
  solve(make_problem(model, work), options, work.solver, solution);
  solution.iterations += work.failed.iterations;
  if (!was_corrected && !(solution.residual < work.failed.residual))
    std::swap(work.failed, solution);
}

/// Whether this step makes no attempt to take penetrations back. An attempt in vain costs many
/// iterations, and what had no solution seldom has one in the next step.
bool is_paused(const State& state, const StepOptions& options, StepData& work) {
  work.pause = options.warm_start && state.memory ? state.memory->pause : CorrectionPause{};
  if (options.as_printed || work.pause.steps_left <= 0) return false;
  --work.pause.steps_left;
  return true;
}

void drop_correction(StepData& work) {
  for (std::size_t i = 0; i < work.g.size(); ++i) work.g[i] -= work.correction[i];
  std::fill(work.correction.begin(), work.correction.end(), 0.0);
}

/// Pauses double from attempt to attempt in vain.
CorrectionPause longer_pause(const CorrectionPause& last) {
  const int vain = std::min(last.vain + 1, kMostVain);
  return {vain, (1 << vain) - 1};
}

}  // namespace

void solve_contacts(const ModelData& model, const State& state, const StepOptions& options,
                    double dt, StepData& work, ContactSolution& solution) {
  apply_factor(model, work);
  const bool wants_correction = has_correction(work);
  if (is_paused(state, options, work))
    drop_correction(work);
  else if (!options.as_printed)
    drop_vain_corrections(model, work);
  set_units(options, dt, work);
  work.problem.reset();  // a problem that somebody holds is not built again in its own memory
  const ContactProblem& problem = make_problem(model, work);
  SolveOptions solve_options;
  solve_options.solver = options.solver;
  solve_options.tolerance = options.tolerance;
  solve_options.max_iterations = options.max_iterations;
  solve_options.as_printed = options.as_printed;
  const bool has_attempt = has_correction(work);
  work.is_corrected = has_attempt || !wants_correction;
  if (options.warm_start && set_start(state.memory.get(), work))
    solve_options.warm_start = &work.start;
  solve_options.max_iterations = most_iterations_first(solve_options, has_attempt);
  solve(problem, solve_options, work.solver, solution);
  if (solution.status != ContactStatus::converged && options.solver == ContactSolver::ncp_admm &&
      !options.as_printed) {
    solve_options.max_iterations = most_iterations_second(solve_options, options.max_iterations);
    try_again(model, solve_options, work, solution);
  }
  if (has_attempt) work.pause = work.is_corrected ? CorrectionPause{} : longer_pause(work.pause);
  restore_units(work, solution);
  set_velocity(model, dt, solution.force, work);
  work.is_bounded = bound_velocity(work.velocity) || work.is_bounded;
  if (options.tape) work.problem = make_problem(model, work);  // the one that was solved last
}

}  // namespace tactum::sim
