// SPDX-License-Identifier: BSD-2-Clause
// The work of solve(): every island of the problem goes to its solver, then one evaluator says what
// the force of the whole problem is worth.
#include "solver/query/solve_checked.hpp"

#include <algorithm>
#include <cassert>

#include "solver/active_set/polish.hpp"
#include "solver/method/admm.hpp"
#include "solver/method/ccp_newton.hpp"
#include "solver/method/per_contact.hpp"
#include "solver/method/staggered.hpp"
#include "solver/problem/contact_modes.hpp"
#include "solver/problem/regularization.hpp"

namespace tactum {

struct ContactWorkspace::Data {
  Eigen::VectorXd R, island_R, force, dual, start, motion, velocity;
  std::vector<BlockMatrix> diagonal, whole_diagonal;
  SolverProgress progress;
  PerContactScratch per_contact;
  AdmmScratch admm;
  StaggeredScratch staggered;
  NewtonScratch newton;
};

ContactWorkspace::ContactWorkspace() : data_(std::make_unique<Data>()) {}
ContactWorkspace::~ContactWorkspace() = default;
ContactWorkspace::ContactWorkspace(ContactWorkspace&&) noexcept = default;
ContactWorkspace& ContactWorkspace::operator=(ContactWorkspace&&) noexcept = default;

namespace {

void dispatch(SolverTask& task, ContactWorkspace::Data& work) {
  switch (task.options.solver) {
    case ContactSolver::lcp_pgs: return solve_lcp_pgs(task, work.per_contact);
    case ContactSolver::lcp_staggered: return solve_lcp_staggered(task, work.staggered);
    case ContactSolver::ccp_pgs: return solve_ccp_pgs(task, work.per_contact);
    case ContactSolver::ccp_newton: return solve_ccp_newton(task, work.newton);
    case ContactSolver::ccp_admm: return solve_ccp_admm(task, work.admm);
    case ContactSolver::raisim: return solve_raisim(task, work.per_contact);
    case ContactSolver::raisim_desaxce: return solve_raisim_desaxce(task, work.per_contact);
    case ContactSolver::ncp_pgs: return solve_ncp_pgs(task, work.per_contact);
    case ContactSolver::ncp_staggered: return solve_ncp_staggered(task, work.staggered);
    case ContactSolver::ncp_admm: return solve_ncp_admm(task, work.admm);
  }
}

/// Replaces the force of a warm start by a start from zero where that has the smaller residual.
void choose_start(const SolverTask& task, ContactWorkspace::Data& work) {
  const double given = task.fresh_residual(task.force, work.motion, work.velocity);
  const bool zero = set_start_force(task.problem.blocks, task.problem.rows(), work.start);
  if (zero)
    work.velocity = task.problem.g;
  else
    set_contact_velocity(task.problem, work.start, work.motion, work.velocity);
  if (task.residual(work.start, work.velocity) >= given) return;
  task.force = work.start;
  task.dual.setZero();
}

/// Adds the residuals of an island to those of the islands before it: the largest one after every
/// iteration counts, and an island that ended earlier keeps its last residual.
void add_history(const std::vector<double>& history, std::vector<double>& total) {
  const std::size_t length = std::max(total.size(), history.size());
  const double kept = total.empty() ? 0.0 : total.back();
  const double held = history.empty() ? 0.0 : history.back();
  total.resize(length, kept);
  for (std::size_t i = 0; i < length; ++i)
    total[i] = std::max(total[i], i < history.size() ? history[i] : held);
}

/// Solves one island from `work.force` and `work.dual`, and leaves its force and its multiplier
/// there. Returns whether its iterations were used up above the tolerance.
bool solve_island(const ProblemView& view, const SolveOptions& options,
                  ContactWorkspace::Data& work, ContactSolution& solution) {
  const bool warm = options.warm_start != nullptr;
  set_diagonal_blocks(view, work.diagonal);
  double exponent = warm ? options.warm_start->penalty_exponent : ProximalAdmm::first_exponent;
  SolverTask task{view,
                  work.diagonal,
                  ResidualRule(model_of(options.solver), options.polygon, work.diagonal),
                  options,
                  work.force,
                  work.dual,
                  exponent,
                  work.progress};
  if (warm) choose_start(task, work);
  work.progress.start(options);
  dispatch(task, work);
  work.force = work.progress.best();
  if (options.polish && polish_force(task, work.force)) solution.polished = true;
  solution.iterations = std::max(solution.iterations, work.progress.iterations());
  solution.penalty_exponent = exponent;
  add_history(work.progress.history(), solution.history);
  return !work.progress.converged() && !work.progress.stalled();
}

/// Sets `work.force` and `work.dual` of an island to the warm start, or to the start from zero.
template <class RowOf>
void set_start(const ProblemView& view, const ContactSolution* warm, Eigen::Index all_rows,
               const RowOf& row_of, ContactWorkspace::Data& work) {
  set_start_force(view.blocks, view.rows(), work.force);
  work.dual.setZero(view.rows());
  if (warm == nullptr) return;
  const bool has_dual = warm->dual_velocity.size() == all_rows;
  for (Eigen::Index i = 0; i < view.rows(); ++i) {
    work.force[i] = warm->force[row_of(i)];
    if (has_dual) work.dual[i] = warm->dual_velocity[row_of(i)];
  }
}

/// Solves all islands. Returns whether one of them used up its iterations above the tolerance.
bool solve_islands(const ContactProblem& problem, const SolveOptions& options,
                   ContactWorkspace::Data& work, ContactSolution& solution) {
  const ContactProblem::Data& data = problem.data();
  const bool whole = data.islands.empty();
  const int count = problem.blocks().empty() ? 0
                    : whole                  ? 1
                                             : static_cast<int>(data.islands.size());
  solution.islands = count;
  solution.dual_velocity.setZero(problem.rows());
  bool used_up = false;
  for (int island = 0; island < count; ++island) {
    const ContactIsland* const part = whole ? nullptr
                                            : &data.islands[static_cast<std::size_t>(island)];
    const auto row_of = [&](Eigen::Index i) {
      return whole ? static_cast<int>(i) : part->rows[static_cast<std::size_t>(i)];
    };
    if (!whole) {
      work.island_R.resize(static_cast<Eigen::Index>(part->rows.size()));
      for (Eigen::Index i = 0; i < work.island_R.size(); ++i) work.island_R[i] = work.R[row_of(i)];
    }
    const ProblemView view = whole ? view_of(data, work.R) : view_of(data, *part, work.island_R);
    set_start(view, options.warm_start, problem.rows(), row_of, work);
    used_up |= solve_island(view, options, work, solution);
    for (Eigen::Index i = 0; i < view.rows(); ++i) {
      solution.force[row_of(i)] = work.force[i];
      solution.dual_velocity[row_of(i)] = work.dual[i];
    }
  }
  return used_up;
}

/// Sets the mode and the margin of every block.
void set_modes(const ProblemView& problem, const ResidualRule& rule,
               const Eigen::VectorXd& velocity, ContactSolution& solution) {
  solution.modes.resize(problem.blocks.size());
  solution.mode_margin.resize(static_cast<Eigen::Index>(problem.blocks.size()));
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const ContactBlock& block = problem.blocks[i];
    const BlockMode mode = block_mode(rule, block, rule.diagonal[i],
                                      block_value(solution.force, block),
                                      block_value(velocity, block));
    solution.modes[i] = mode.mode;
    solution.mode_margin[static_cast<Eigen::Index>(i)] = mode.margin;
  }
}

/// Sets the multiplier that ADMM would tend to, for solvers that have none: s + Gamma(s), or s in
/// the convex model.
void set_dual_velocity(const ProblemView& problem, ContactModel model,
                       const Eigen::VectorXd& velocity, ContactSolution& solution) {
  solution.dual_velocity = velocity;
  if (model == ContactModel::ccp) return;
  for (const ContactBlock& block : problem.blocks) {
    if (block.kind == ContactKind::friction)
      set_block_value(solution.dual_velocity, block,
                      desaxce(block_value(velocity, block), block.mu));
  }
}

/// Computes everything that a solution says about its force, from fresh velocities of the whole
/// problem.
void evaluate_solution(const ContactProblem& problem, const SolveOptions& options,
                       ContactWorkspace::Data& work, ContactSolution& solution) {
  const ProblemView regularized = view_of(problem.data(), work.R);
  const ProblemView given = view_of(problem.data(), problem.R());
  set_diagonal_blocks(regularized, work.whole_diagonal);
  const ResidualRule rule(model_of(options.solver), options.polygon, work.whole_diagonal);
  set_contact_velocity(regularized, solution.force, work.motion, work.velocity);
  const ContactResidual own = residual_of(regularized, rule, solution.force, work.velocity);
  solution.primal = own.primal;
  solution.dual = own.dual;
  solution.complementarity = own.complementarity;
  solution.residual = own.worst();
  set_modes(regularized, rule, work.velocity, solution);

  set_contact_velocity(given, solution.force, work.motion, solution.velocity);
  const ResidualRule ncp(ContactModel::ncp, options.polygon, work.whole_diagonal);
  solution.ncp_residual = residual_of(given, ncp, solution.force, solution.velocity).worst();
  const ContactPrinciples principles = principles_of(given, work.whole_diagonal, solution.force,
                                                     solution.velocity);
  solution.signorini = principles.signorini;
  solution.coulomb = principles.coulomb;
  solution.dissipation = principles.dissipation;
  if (options.solver != ContactSolver::ccp_admm && options.solver != ContactSolver::ncp_admm)
    set_dual_velocity(regularized, rule.model, work.velocity, solution);
}

/// The residual alone says whether a solution converged; where it did not, the islands say why.
ContactStatus status_of(double residual, double tolerance, bool used_up) {
  if (residual <= tolerance) return ContactStatus::converged;
  return used_up ? ContactStatus::max_iterations : ContactStatus::stalled;
}

}  // namespace

void solve_checked(const ContactProblem& problem, const SolveOptions& options,
                   ContactWorkspace& work, ContactSolution& solution) {
  if (options.warm_start == &solution)
    throw InvalidInput("warm_start", "the solution that is written to",
                       "give another solution, or a copy of this one");
  ContactWorkspace::Data& data = work.data();
  set_regularized_compliance(problem, options.regularization, data.R);
  solution.iterations = 0;
  solution.solver = options.solver;
  solution.regularization = options.regularization;
  solution.polygon = options.polygon;
  solution.polished = false;
  solution.penalty_exponent = ProximalAdmm::first_exponent;
  solution.history.clear();
  solution.force.resize(problem.rows());
  const bool used_up = solve_islands(problem, options, data, solution);
  evaluate_solution(problem, options, data, solution);
  solution.status = status_of(solution.residual, options.tolerance, used_up);
  assert(solution.force.allFinite() && solution.velocity.allFinite());
}

}  // namespace tactum
