// SPDX-License-Identifier: BSD-2-Clause
// The work of solve(): every island of the problem goes to its solver, then one evaluator says what
// its force is worth. A solution holds the forces of all islands and the largest numbers of all.
#include "solver/query/solve_checked.hpp"

#include <algorithm>
#include <cassert>

#include "solver/active_set/polish.hpp"
#include "solver/as_printed/as_printed.hpp"
#include "solver/method/admm.hpp"
#include "solver/method/ccp_newton.hpp"
#include "solver/method/per_contact.hpp"
#include "solver/method/staggered.hpp"
#include "solver/problem/contact_modes.hpp"
#include "solver/problem/regularization.hpp"

namespace tactum {

struct ContactWorkspace::Data {
  Eigen::VectorXd R;  ///< of the whole problem, with the regularization
  // of the island that is solved
  Eigen::VectorXd island_R, given_R, force, dual, start, motion, velocity, given_velocity;
  std::vector<BlockMatrix> diagonal;
  // largest numbers of the islands so far
  ContactResidual residual, ncp;
  ContactPrinciples principles;
  SolverProgress progress;
  PerContactScratch per_contact;
  AdmmScratch admm;
  StaggeredScratch staggered;
  NewtonScratch newton;
  PrintedScratch printed;
};

ContactModel model_of(ContactSolver solver) {
  switch (solver) {
    case ContactSolver::lcp_pgs:
    case ContactSolver::lcp_staggered: return ContactModel::lcp;
    case ContactSolver::ccp_pgs:
    case ContactSolver::ccp_newton:
    case ContactSolver::ccp_admm: return ContactModel::ccp;
    case ContactSolver::raisim: return ContactModel::raisim;
    default: return ContactModel::ncp;
  }
}

ContactWorkspace::ContactWorkspace() : data_(std::make_unique<Data>()) {}
ContactWorkspace::~ContactWorkspace() = default;
ContactWorkspace::ContactWorkspace(ContactWorkspace&&) noexcept = default;
ContactWorkspace& ContactWorkspace::operator=(ContactWorkspace&&) noexcept = default;

namespace {

void dispatch(SolverTask& task, ContactWorkspace::Data& work) {
  if (task.options.as_printed) return solve_as_printed(task, work.printed);
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

/// Sets `work.force` and `work.dual` of an island to the warm start, or to the start from zero.
void set_start(const ContactIsland& island, const ProblemView& view, const ContactSolution* warm,
               Eigen::Index all_rows, ContactWorkspace::Data& work) {
  if (warm == nullptr) {
    set_start_force(view.blocks, view.rows(), work.force);
    work.dual.setZero(view.rows());
    return;
  }
  gather_rows(island, warm->force, work.force);
  if (warm->dual_velocity.size() == all_rows)
    gather_rows(island, warm->dual_velocity, work.dual);
  else
    work.dual.setZero(view.rows());
}

/// Proximal parameter that ADMM begins with on an island: the mean of its blocks.
double start_exponent(const ContactIsland& island, const ContactSolution* warm,
                      std::size_t blocks) {
  if (warm == nullptr) return ProximalAdmm::kFirstExponent;
  if (warm->penalty_exponents.size() != static_cast<Eigen::Index>(blocks))
    return warm->penalty_exponent;
  double sum = 0;
  for (const int block : island.blocks) sum += warm->penalty_exponents[block];
  return sum / static_cast<double>(island.blocks.size());
}

/// Solves one island from `work.force` and `work.dual`, and leaves its force and its multiplier
/// there. Returns whether its iterations were used up above the tolerance.
bool solve_island(const ContactIsland& island, const ProblemView& view, const SolveOptions& options,
                  ContactWorkspace::Data& work, ContactSolution& solution) {
  const bool warm = options.warm_start != nullptr;
  double exponent = start_exponent(island, options.warm_start, solution.modes.size());
  SolverTask task{view,
                  work.diagonal,
                  ResidualRule(model_of(options.solver), options.polygon, work.diagonal),
                  options,
                  work.force,
                  work.dual,
                  exponent,
                  work.progress};
  if (warm && !options.as_printed) choose_start(task, work);
  work.progress.start(options);
  dispatch(task, work);
  work.force = work.progress.best();
  if (options.polish && polish_force(task, work.force)) solution.polished = true;
  solution.iterations = std::max(solution.iterations, work.progress.iterations());
  solution.penalty_exponent = exponent;
  for (const int block : island.blocks) solution.penalty_exponents[block] = exponent;
  add_history(work.progress.history(), solution.history);
  return !work.progress.converged() && !work.progress.stalled();
}

/// Sets the mode and the margin of every block of an island.
void set_modes(const ContactIsland& island, const ProblemView& view, const ResidualRule& rule,
               const ContactWorkspace::Data& work, ContactSolution& solution) {
  for (std::size_t i = 0; i < view.blocks.size(); ++i) {
    const ContactBlock& block = view.blocks[i];
    const BlockMode mode = block_mode(rule, block, rule.diagonal[i], block_value(work.force, block),
                                      block_value(work.velocity, block));
    solution.modes[static_cast<std::size_t>(island.blocks[i])] = mode.mode;
    solution.mode_margin[island.blocks[i]] = mode.margin;
  }
}

/// Sets the multiplier that ADMM would tend to, for solvers that have none: s + Gamma(s), or s in
/// the convex model.
void set_dual_velocity(const ProblemView& view, ContactModel model, ContactWorkspace::Data& work) {
  work.dual = work.velocity;
  if (model == ContactModel::ccp) return;
  for (const ContactBlock& block : view.blocks) {
    if (block.kind == ContactKind::friction)
      set_block_value(work.dual, block, desaxce(block_value(work.velocity, block), block.mu));
  }
}

/// Computes everything that a solution says about the force of an island, from fresh velocities.
void evaluate_island(const ContactProblem& problem, const ContactIsland& island,
                     const ProblemView& view, const SolveOptions& options,
                     ContactWorkspace::Data& work, ContactSolution& solution) {
  const ResidualRule rule(model_of(options.solver), options.polygon, work.diagonal);
  set_contact_velocity(view, work.force, work.motion, work.velocity);
  const ContactResidual own = residual_of(view, rule, work.force, work.velocity);
  raise(work.residual, own);
  set_modes(island, view, rule, work, solution);
  if (options.solver != ContactSolver::ccp_admm && options.solver != ContactSolver::ncp_admm)
    set_dual_velocity(view, rule.model, work);

  // the ncp and the principles are those of the problem without regularization
  const bool same = options.regularization == 0;
  if (!same) {
    gather_rows(island, problem.R(), work.given_R);
    set_contact_velocity(view_of(island, work.given_R), work.force, work.motion,
                         work.given_velocity);
  }
  const Eigen::VectorXd& velocity = same ? work.velocity : work.given_velocity;
  const ResidualRule ncp(ContactModel::ncp, options.polygon, work.diagonal);
  raise(work.ncp,
        same && rule.model == ncp.model ? own : residual_of(view, ncp, work.force, velocity));
  raise(work.principles, principles_of(view, work.diagonal, work.force, velocity));
  scatter_rows(island, work.force, solution.force);
  scatter_rows(island, work.dual, solution.dual_velocity);
  scatter_rows(island, velocity, solution.velocity);
}

/// Solves and evaluates all islands. Returns whether one of them used up its iterations above the
/// tolerance.
bool solve_islands(const ContactProblem& problem, const SolveOptions& options,
                   ContactWorkspace::Data& work, ContactSolution& solution) {
  bool used_up = false;
  for (const ContactIsland& island : problem.data().islands()) {
    gather_rows(island, work.R, work.island_R);
    const ProblemView view = view_of(island, work.island_R);
    set_diagonal_blocks(view, work.diagonal);
    set_start(island, view, options.warm_start, problem.rows(), work);
    used_up |= solve_island(island, view, options, work, solution);
    evaluate_island(problem, island, view, options, work, solution);
  }
  return used_up;
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
  const auto blocks = static_cast<Eigen::Index>(problem.blocks().size());
  set_regularized_compliance(problem, options.regularization, data.R);
  data.residual = data.ncp = {};
  data.principles = {};
  solution.iterations = 0;
  solution.islands = static_cast<int>(problem.data().island_count);
  solution.solver = options.solver;
  solution.regularization = options.regularization;
  solution.polygon = options.polygon;
  solution.polished = false;
  solution.penalty_exponent = ProximalAdmm::kFirstExponent;
  solution.history.clear();
  for (Eigen::VectorXd* vector : {&solution.force, &solution.velocity, &solution.dual_velocity})
    vector->resize(problem.rows());
  solution.modes.resize(problem.blocks().size());
  solution.mode_margin.resize(blocks);
  solution.penalty_exponents.resize(blocks);
  const bool used_up = solve_islands(problem, options, data, solution);
  solution.primal = data.residual.primal;
  solution.dual = data.residual.dual;
  solution.complementarity = data.residual.complementarity;
  solution.residual = data.residual.worst();
  solution.ncp_residual = data.ncp.worst();
  solution.signorini = data.principles.signorini;
  solution.coulomb = data.principles.coulomb;
  solution.dissipation = data.principles.dissipation;
  solution.status = status_of(solution.residual, options.tolerance, used_up);
  assert(solution.force.allFinite() && solution.velocity.allFinite());
}

}  // namespace tactum
