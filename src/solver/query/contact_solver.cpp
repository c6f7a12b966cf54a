// SPDX-License-Identifier: BSD-2-Clause
// solve(): the checks of its options, the names of its enumerations, and its two forms.
#include "tactum/contact_solver.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "core/format_number.hpp"
#include "solver/as_printed/as_printed.hpp"
#include "solver/problem/infeasibility.hpp"
#include "solver/problem/regularization.hpp"
#include "solver/query/solve_checked.hpp"

namespace tactum {
namespace {

constexpr double kLargestForce = 1e60;

void check_range(double value, const char* field, double most, const char* remedy) {
  if (!(std::isfinite(value) && value >= 0 && value <= most))
    throw InvalidInput(field, exact_text(value), remedy);
}

}  // namespace

std::string_view to_string(ContactSolver solver) {
  constexpr std::string_view names[contact_solver_count] = {
      "lcp_pgs", "lcp_staggered",  "ccp_pgs", "ccp_newton",    "ccp_admm",
      "raisim",  "raisim_desaxce", "ncp_pgs", "ncp_staggered", "ncp_admm"};
  const auto index = static_cast<std::size_t>(solver);
  return index < contact_solver_count ? names[index] : "unknown";
}

std::string_view to_string(ContactStatus status) {
  switch (status) {
    case ContactStatus::converged: return "converged";
    case ContactStatus::max_iterations: return "max_iterations";
    case ContactStatus::invalid_input: return "invalid_input";
    case ContactStatus::stalled: return "stalled";
    case ContactStatus::infeasible: return "infeasible";
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

void check_options(const SolveOptions& options) {
  if (static_cast<int>(options.solver) >= contact_solver_count)
    throw InvalidInput("solver", std::to_string(static_cast<int>(options.solver)),
                       "give one of the solvers");
  check_range(options.tolerance, "tolerance", 1e30, "give a number >= 0");
  check_range(options.relative_tolerance, "relative_tolerance", 1, "give a number from 0 to 1");
  if (options.max_iterations < 1)
    throw InvalidInput("max_iterations", std::to_string(options.max_iterations), "give at least 1");
  if (!(std::isfinite(options.over_relaxation) && options.over_relaxation > 0 &&
        options.over_relaxation < 2))
    throw InvalidInput("over_relaxation", exact_text(options.over_relaxation),
                       "give a number between 0 and 2");
  check_range(options.regularization, "regularization", 1e3, "give a number from 0 to 1000");
  if (options.as_printed && !is_printed(options.solver))
    throw InvalidInput("as_printed", std::string(to_string(options.solver)),
                       "give a solver that the survey lists, or as_printed false");
  if (options.as_printed && options.polish)
    throw InvalidInput("polish", "true", "as_printed goes without: give one of the two");
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
       {std::pair{"force", &warm.force}, std::pair{"dual_velocity", &warm.dual_velocity},
        std::pair{"penalty_exponents", &warm.penalty_exponents}}) {
    for (Eigen::Index i = 0; i < values->size(); ++i) {
      if (!(std::isfinite((*values)[i]) && std::abs((*values)[i]) <= kLargestForce))
        throw InvalidInput("warm_start." + std::string(name) + "[" + std::to_string(i) + "]",
                           exact_text((*values)[i]), "give finite numbers of at most 1e60");
    }
  }
  if (!std::isfinite(warm.penalty_exponent))
    throw InvalidInput("warm_start.penalty_exponent", exact_text(warm.penalty_exponent),
                       "give a finite number");
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
  // the form with a workspace does without: it would allocate, and factor a matrix, in every step
  // of a simulation
  tell_infeasible(problem, options, solution);
  return solution;
}

void tell_infeasible(const ContactProblem& problem, const SolveOptions& options,
                     ContactSolution& solution) {
  if (solution.status == ContactStatus::converged) return;
  Eigen::VectorXd R;
  set_regularized_compliance(problem, options.regularization, R);
  if (is_infeasible(problem, R)) solution.status = ContactStatus::infeasible;
}

}  // namespace tactum
