// SPDX-License-Identifier: BSD-2-Clause
// time_solves and time_solution_derivatives: how long contact forces and their derivatives take,
// for comparisons. Not public names of the package.
//
// The problem is made beforehand; the clock runs around solve() with a workspace and a solution
// that earlier calls have sized, as a simulator calls it, and the cost of reading it is subtracted.
// One thread.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <string>

#include "bindings.hpp"
#include "clock.hpp"
#include "contact_arrays.hpp"
#include "convert.hpp"
#include "tactum/solution_derivative.hpp"
#include "timing.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

int to_repeats(nb::handle value) {
  const int repeats = to_int(value, "repeats");
  if (repeats < 1) throw InvalidInput("repeats", std::to_string(repeats), "give a number >= 1");
  return repeats;
}

/// Nanoseconds of `repeats` calls of `work`, after one that is not timed.
template <class Work>
Eigen::VectorXd time_calls(int repeats, const Work& work) {
  Eigen::VectorXd times(repeats);
  const double clock = cost_of_clock();
  work();
  for (int k = 0; k < repeats; ++k) {
    const auto begin = Clock::now();
    work();
    times[k] = std::max(nanoseconds(Clock::now() - begin) - clock, 0.0);
  }
  return times;
}

nb::tuple call_time_solves(nb::handle problem, nb::handle solver, nb::handle tolerance,
                           nb::handle max_iterations, nb::handle over_relaxation,
                           nb::handle repeats, nb::handle as_printed, nb::handle warm_start) {
  const int count = to_repeats(repeats);
  BoundSolution solution;
  solution.problem = to_problem(problem, "problem");
  SolveOptions options{.tolerance = to_double(tolerance, "tolerance"),
                       .max_iterations = to_int(max_iterations, "max_iterations"),
                       .over_relaxation = to_double(over_relaxation, "over_relaxation"),
                       .as_printed = nb::cast<bool>(as_printed)};
  if (!warm_start.is_none()) options.warm_start = &to_solution(warm_start, "warm_start");
  const std::string name = nb::cast<std::string>(nb::str(solver));
  int index = 0;
  while (index < contact_solver_count && name != to_string(static_cast<ContactSolver>(index)))
    ++index;
  options.solver = static_cast<ContactSolver>(index);  // one too many is refused by solve()
  Eigen::VectorXd times;
  {
    const nb::gil_scoped_release release;
    ContactWorkspace work;
    times = time_calls(count, [&] { solve(*solution.problem, options, work, solution); });
  }
  return nb::make_tuple(vector_array(times), nb::cast(std::move(solution)));
}

nb::object call_time_solution_derivatives(nb::handle problem, nb::handle solution,
                                          nb::handle repeats) {
  const int count = to_repeats(repeats);
  const ContactProblem& own = to_problem(problem, "problem");
  const BoundSolution& at = to_solution(solution, "solution");
  Eigen::VectorXd times;
  {
    const nb::gil_scoped_release release;
    const Eigen::VectorXd direction = Eigen::VectorXd::Ones(own.rows());
    times = time_calls(count, [&] { solution_derivative(own, at).vjp(direction); });
  }
  return vector_array(times);
}

}  // namespace

void bind_time_solves(nb::module_& m) {
  m.def("time_solves", &call_time_solves, "problem"_a.none(), "solver"_a.none(), nb::kw_only(),
        "tolerance"_a.none(), "max_iterations"_a.none(), "over_relaxation"_a.none() = 1.0,
        "repeats"_a.none() = 1, "as_printed"_a.none() = false, "warm_start"_a.none() = nb::none(),
        nb::sig("def time_solves(problem: tactum.ContactProblem, solver: str, *, "
                "tolerance: float, max_iterations: int, "
                "over_relaxation: float = 1.0, repeats: int = 1, as_printed: bool = False, "
                "warm_start: tactum.ContactSolution | None = None) -> "
                "tuple[" TACTUM_FLOAT_ARRAY ", tactum.ContactSolution]"),
        "Nanoseconds of `repeats` solves, cold or from a solution, after one that sizes the "
        "workspace, and the solution. One thread, without the GIL.");
  m.def("time_solution_derivatives", &call_time_solution_derivatives, "problem"_a.none(),
        "solution"_a.none(), nb::kw_only(), "repeats"_a.none() = 1,
        nb::sig("def time_solution_derivatives(problem: tactum.ContactProblem, solution: "
                "tactum.ContactSolution, *, repeats: int = 1) -> " TACTUM_FLOAT_ARRAY),
        "Nanoseconds of `repeats` times solution_derivative() with one "
        "vector-Jacobian product. One thread, without the GIL.");
}

}  // namespace tactum::python
