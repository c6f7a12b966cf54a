// SPDX-License-Identifier: BSD-2-Clause
// solve(): check the options, split the problem into islands, hand each to its solver, and judge
// the whole by the one evaluator.
#include "tactum/contact_solver.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "core/format_number.hpp"
#include "solver/active_set/polish.hpp"
#include "solver/method/admm.hpp"
#include "solver/method/ccp_newton.hpp"
#include "solver/method/per_contact.hpp"
#include "solver/method/staggered.hpp"
#include "solver/problem/contact_modes.hpp"
#include "solver/query/solve_one.hpp"

namespace tactum {

struct ContactWorkspace::Data {
  Eigen::VectorXd R, island_R, force, dual, motion, velocity;
  std::vector<BlockMatrix> diagonal, whole_diagonal;
  Progress progress;
  PerContactScratch per_contact;
  AdmmScratch admm;
  StaggeredScratch staggered;
  NewtonScratch newton;
};

namespace {

void check_positive(double value, const char* field, double most, const char* remedy) {
  if (!(std::isfinite(value) && value >= 0 && value <= most))
    throw InvalidInput(field, exact_text(value), remedy);
}

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

/// Begins from the force that is given, or from zero where that is better.
void choose_start(const SolverTask& task, ContactWorkspace::Data& work) {
  delassus_product(task.problem.delassus, task.force, work.motion, work.velocity);
  work.velocity += task.problem.g;
  const double given = task.residual(task.force, work.velocity);
  work.velocity = task.problem.g;
  Eigen::VectorXd& none = work.motion;
  none.setZero(task.problem.rows());
  for (const ContactBlock& block : task.problem.blocks)
    if (block.kind == ContactKind::box) none[block.row] = project_row(block, 0.0);
  if (task.residual(none, work.velocity) >= given) return;
  task.force = none;
  task.dual.setZero();
}

/// One island, from `work.force` and `work.dual`; its answer goes to `work.force`, its multiplier
/// to `work.dual`.
void solve_island(const ProblemView& view, const SolveOptions& options, bool warm,
                  ContactWorkspace::Data& work, ContactSolution& solution) {
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
  if (!work.progress.converged() && solution.status != ContactStatus::max_iterations)
    solution.status = work.progress.stalled() ? ContactStatus::stalled
                                              : ContactStatus::max_iterations;
  solution.penalty_exponent = exponent;
  const std::vector<double>& history = work.progress.history();
  const std::size_t length = std::max(solution.history.size(), history.size());
  // an island that ended earlier keeps its last residual
  const double kept = solution.history.empty() ? 0.0 : solution.history.back();
  const double held = history.empty() ? 0.0 : history.back();
  solution.history.resize(length, kept);
  for (std::size_t i = 0; i < length; ++i)
    solution.history[i] = std::max(solution.history[i], i < history.size() ? history[i] : held);
}

/// Everything that is said about the force, from fresh velocities of the whole problem.
void judge(const ContactProblem& problem, const SolveOptions& options, ContactWorkspace::Data& work,
           ContactSolution& solution) {
  const ProblemView regularized = view_of(problem.data(), work.R);
  const ProblemView given = view_of(problem.data(), problem.R());
  set_diagonal_blocks(regularized, work.whole_diagonal);
  const ResidualRule rule(model_of(options.solver), options.polygon, work.whole_diagonal);
  delassus_product(regularized.delassus, solution.force, work.motion, work.velocity);
  work.velocity += problem.g();
  const ContactResidual own = residual_of(regularized, rule, solution.force, work.velocity);
  solution.primal = own.primal;
  solution.dual = own.dual;
  solution.complementarity = own.complementarity;
  solution.residual = own.worst();
  solution.modes.resize(problem.blocks().size());
  solution.mode_margin.resize(static_cast<Eigen::Index>(problem.blocks().size()));
  for (std::size_t i = 0; i < problem.blocks().size(); ++i) {
    const ContactBlock& block = problem.blocks()[i];
    const BlockMode mode = block_mode(rule, block, work.whole_diagonal[i],
                                      block_value(solution.force, block),
                                      block_value(work.velocity, block));
    solution.modes[i] = mode.mode;
    solution.mode_margin[static_cast<Eigen::Index>(i)] = mode.margin;
  }
  delassus_product(given.delassus, solution.force, work.motion, solution.velocity);
  solution.velocity += problem.g();
  const ResidualRule ncp(ContactModel::ncp, options.polygon, work.whole_diagonal);
  solution.ncp_residual = residual_of(given, ncp, solution.force, solution.velocity).worst();
  const ContactPrinciples principles = principles_of(given, work.whole_diagonal, solution.force,
                                                     solution.velocity);
  solution.signorini = principles.signorini;
  solution.coulomb = principles.coulomb;
  solution.dissipation = principles.dissipation;
  // the residual alone says whether it converged; where it did not, the islands say why
  if (solution.residual <= options.tolerance)
    solution.status = ContactStatus::converged;
  else if (solution.status == ContactStatus::converged)
    solution.status = ContactStatus::stalled;
  if (options.solver == ContactSolver::ccp_admm || options.solver == ContactSolver::ncp_admm)
    return;
  solution.dual_velocity = work.velocity;
  if (rule.model == ContactModel::ccp) return;
  for (const ContactBlock& block : problem.blocks()) {
    if (block.kind == ContactKind::friction)
      set_block_value(solution.dual_velocity, block,
                      desaxce(block_value(work.velocity, block), block.mu));
  }
}

void solve_islands(const ContactProblem& problem, const SolveOptions& options,
                   ContactWorkspace::Data& work, ContactSolution& solution) {
  const ContactProblem::Data& data = problem.data();
  const ContactSolution* const warm = options.warm_start;
  const bool warm_dual = warm != nullptr && warm->dual_velocity.size() == problem.rows();
  const bool whole = data.islands.empty();
  const int count = problem.blocks().empty() ? 0
                    : whole                  ? 1
                                             : static_cast<int>(data.islands.size());
  solution.islands = count;
  solution.dual_velocity.setZero(problem.rows());
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
    work.force.setZero(view.rows());
    work.dual.setZero(view.rows());
    for (Eigen::Index i = 0; i < view.rows() && warm != nullptr; ++i) {
      work.force[i] = warm->force[row_of(i)];
      if (warm_dual) work.dual[i] = warm->dual_velocity[row_of(i)];
    }
    if (warm == nullptr) {
      for (const ContactBlock& block : view.blocks)
        if (block.kind == ContactKind::box) work.force[block.row] = project_row(block, 0.0);
    }
    solve_island(view, options, warm != nullptr, work, solution);
    for (Eigen::Index i = 0; i < view.rows(); ++i) {
      solution.force[row_of(i)] = work.force[i];
      solution.dual_velocity[row_of(i)] = work.dual[i];
    }
  }
}

}  // namespace

std::string_view to_string(ContactSolver solver) {
  constexpr std::string_view names[contact_solver_count] = {
      "lcp_pgs", "lcp_staggered",  "ccp_pgs", "ccp_newton",    "ccp_admm",
      "raisim",  "raisim_desaxce", "ncp_pgs", "ncp_staggered", "ncp_admm"};
  const auto index = static_cast<std::size_t>(solver);
  return index < contact_solver_count ? names[index] : "unknown";
}

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

std::string_view to_string(ContactStatus status) {
  switch (status) {
    case ContactStatus::converged: return "converged";
    case ContactStatus::max_iterations: return "max_iterations";
    case ContactStatus::invalid_input: return "invalid_input";
    case ContactStatus::stalled: return "stalled";
  }
  return "unknown";
}

std::string_view to_string(ContactMode mode) {
  switch (mode) {
    case ContactMode::breaking: return "breaking";
    case ContactMode::sticking: return "sticking";
    case ContactMode::sliding: return "sliding";
  }
  return "unknown";
}

ContactWorkspace::ContactWorkspace() : data_(std::make_unique<Data>()) {}
ContactWorkspace::~ContactWorkspace() = default;
ContactWorkspace::ContactWorkspace(ContactWorkspace&&) noexcept = default;
ContactWorkspace& ContactWorkspace::operator=(ContactWorkspace&&) noexcept = default;

void check_options(const SolveOptions& options) {
  if (static_cast<int>(options.solver) >= contact_solver_count)
    throw InvalidInput("solver", std::to_string(static_cast<int>(options.solver)),
                       "give one of the solvers");
  check_positive(options.tolerance, "tolerance", 1e30, "give a number >= 0");
  check_positive(options.relative_tolerance, "relative_tolerance", 1, "give a number from 0 to 1");
  if (options.max_iterations < 1)
    throw InvalidInput("max_iterations", std::to_string(options.max_iterations), "give at least 1");
  if (!(std::isfinite(options.over_relaxation) && options.over_relaxation > 0 &&
        options.over_relaxation < 2))
    throw InvalidInput("over_relaxation", exact_text(options.over_relaxation),
                       "give a number between 0 and 2");
  check_positive(options.regularization, "regularization", 1e3, "give a number from 0 to 1000");
  if (options.polygon.facets < 3 || options.polygon.facets > 64)
    throw InvalidInput("facets", std::to_string(options.polygon.facets), "give 3 to 64");
  if (!(std::isfinite(options.polygon.angle) && std::abs(options.polygon.angle) <= 100))
    throw InvalidInput("facet_angle", exact_text(options.polygon.angle),
                       "give radians of moderate size");
}

void check_warm_start(const ContactProblem& problem, const ContactSolution& warm) {
  if (warm.force.size() != problem.rows())
    throw InvalidInput(
        "warm_start", std::to_string(warm.force.size()) + " rows",
        "give a solution of a problem with " + std::to_string(problem.rows()) + " rows");
  for (const auto& [name, values] :
       {std::pair{"force", &warm.force}, std::pair{"dual_velocity", &warm.dual_velocity}}) {
    for (Eigen::Index i = 0; i < values->size(); ++i) {
      if (!(std::isfinite((*values)[i]) && std::abs((*values)[i]) <= 1e60))
        throw InvalidInput("warm_start." + std::string(name) + "[" + std::to_string(i) + "]",
                           exact_text((*values)[i]), "give finite numbers of at most 1e60");
    }
  }
  if (!std::isfinite(warm.penalty_exponent))
    throw InvalidInput("warm_start.penalty_exponent", exact_text(warm.penalty_exponent),
                       "give a finite number");
}

void solve_checked(const ContactProblem& problem, const SolveOptions& options,
                   ContactWorkspace& work, ContactSolution& solution) {
  ContactWorkspace::Data& data = work.data();
  data.R = problem.R();
  if (options.regularization > 0) {
    for (Eigen::Index i = 0; i < data.R.size(); ++i) {
      const auto& matrix = problem.data().matrix;
      data.R[i] += options.regularization *
                   (problem.is_operator() ? matrix.col(i).squaredNorm() : matrix(i, i));
    }
  }
  solution.status = ContactStatus::converged;
  solution.iterations = 0;
  solution.solver = options.solver;
  solution.regularization = options.regularization;
  solution.polygon = options.polygon;
  solution.polished = false;
  solution.penalty_exponent = ProximalAdmm::first_exponent;
  solution.history.clear();
  if (options.warm_start == &solution)
    throw InvalidInput("warm_start", "the solution that is written to",
                       "give another, or a copy of it");
  solution.force.resize(problem.rows());
  solve_islands(problem, options, data, solution);
  judge(problem, options, data, solution);
}

void solve(const ContactProblem& problem, const SolveOptions& options, ContactWorkspace& work,
           ContactSolution& solution) {
  check_options(options);
  if (options.warm_start != nullptr) check_warm_start(problem, *options.warm_start);
  solve_checked(problem, options, work, solution);
}

ContactSolution solve(const ContactProblem& problem, const SolveOptions& options) {
  ContactWorkspace work;
  ContactSolution solution;
  solve(problem, options, work, solution);
  return solution;
}

}  // namespace tactum
