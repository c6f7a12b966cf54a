// SPDX-License-Identifier: BSD-2-Clause
// solve, solve_many, contact_residual and their result.
#include "tactum/contact_solver.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "batch_call.hpp"
#include "bindings.hpp"
#include "contact_arrays.hpp"
#include "convert.hpp"
#include "pickle.hpp"
#include "text_enum.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

#define TACTUM_SOLVER                                                                          \
  "typing.Literal['lcp_pgs', 'lcp_staggered', 'ccp_pgs', 'ccp_newton', 'ccp_admm', 'raisim', " \
  "'raisim_desaxce', 'ncp_pgs', "                                                              \
  "'ncp_staggered', 'ncp_admm']"
#define TACTUM_SOLVE_OPTIONS                                                                       \
  "tolerance: float = 1e-08, relative_tolerance: float = 0.0, max_iterations: int = 1000, "        \
  "over_relaxation: float = 1.0, "                                                                 \
  "regularization: float = 0.0, facets: int = 4, facet_angle: float = 0.0, polish: bool = False, " \
  "history: bool = False, as_printed: bool = False"

namespace tactum::python {
namespace {

ContactSolver to_solver(nb::handle value) {
  std::string remedy = "give one of";
  for (int i = 0; i < contact_solver_count; ++i)
    remedy += " '" + std::string(to_string(static_cast<ContactSolver>(i))) + "'";
  if (!PyUnicode_Check(value.ptr())) throw_type_error("solver", type_text(value), remedy);
  const std::string name = nb::cast<std::string>(value);
  for (int i = 0; i < contact_solver_count; ++i)
    if (name == to_string(static_cast<ContactSolver>(i))) return static_cast<ContactSolver>(i);
  throw InvalidInput("solver", nb::cast<std::string>(nb::repr(value)).substr(0, 80), remedy);
}

bool to_flag(nb::handle value, const char* field) {
  if (!PyBool_Check(value.ptr())) throw_type_error(field, type_text(value), "give True or False");
  return value.ptr() == Py_True;
}

/// Reads the options that solve() and solve_many() share.
SolveOptions to_options(nb::handle solver, nb::handle tolerance, nb::handle relative_tolerance,
                        nb::handle max_iterations, nb::handle over_relaxation,
                        nb::handle regularization, nb::handle facets, nb::handle facet_angle,
                        nb::handle polish, nb::handle history, nb::handle as_printed) {
  return {.solver = to_solver(solver),
          .tolerance = to_double(tolerance, "tolerance"),
          .relative_tolerance = to_double(relative_tolerance, "relative_tolerance"),
          .max_iterations = to_int(max_iterations, "max_iterations"),
          .over_relaxation = to_double(over_relaxation, "over_relaxation"),
          .regularization = to_double(regularization, "regularization"),
          .polygon = {.facets = to_int(facets, "facets"),
                      .angle = to_double(facet_angle, "facet_angle")},
          .polish = to_flag(polish, "polish"),
          .as_printed = to_flag(as_printed, "as_printed"),
          .history = to_flag(history, "history")};
}

/// Reads a solution, or a force to begin from.
ContactSolution to_warm_start(nb::handle value) {
  const BoundSolution* solution = nullptr;
  if (nb::try_cast<const BoundSolution*>(value, solution) && solution != nullptr) return *solution;
  ContactSolution start;
  start.force = to_vector(value, "warm_start");
  return start;
}

BoundSolution call_solve(nb::handle problem, nb::handle solver, nb::handle tolerance,
                         nb::handle relative_tolerance, nb::handle max_iterations,
                         nb::handle over_relaxation, nb::handle regularization, nb::handle facets,
                         nb::handle facet_angle, nb::handle polish, nb::handle history,
                         nb::handle as_printed, nb::handle warm_start) {
  BoundSolution result;
  result.problem = to_problem(problem, "problem");
  SolveOptions options = to_options(solver, tolerance, relative_tolerance, max_iterations,
                                    over_relaxation, regularization, facets, facet_angle, polish,
                                    history, as_printed);
  ContactSolution start;
  if (!warm_start.is_none()) {
    start = to_warm_start(warm_start);
    options.warm_start = &start;
  }
  interruptible([&] { static_cast<ContactSolution&>(result) = solve(*result.problem, options); });
  return result;
}

std::vector<nb::object> to_items(nb::handle value, const char* field) {
  std::vector<nb::object> items;
  if (PyUnicode_Check(value.ptr()) || !PySequence_Check(value.ptr()))
    throw_type_error(field, type_text(value), "give a list");
  const Py_ssize_t size = PySequence_Size(value.ptr());
  if (size < 0) throw nb::python_error();
  for (Py_ssize_t i = 0; i < size; ++i) {
    items.push_back(nb::steal(PySequence_GetItem(value.ptr(), i)));
    if (!items.back().is_valid()) throw nb::python_error();
  }
  return items;
}

nb::list call_solve_many(nb::handle problems, nb::handle solver, nb::handle num_threads,
                         nb::handle tolerance, nb::handle relative_tolerance,
                         nb::handle max_iterations, nb::handle over_relaxation,
                         nb::handle regularization, nb::handle facets, nb::handle facet_angle,
                         nb::handle polish, nb::handle history, nb::handle as_printed,
                         nb::handle warm_starts) {
  std::vector<ContactProblem> all;
  for (const nb::object& item : to_items(problems, "problems"))
    all.push_back(to_problem(item, ("problems[" + std::to_string(all.size()) + "]").c_str()));
  const SolveOptions options = to_options(solver, tolerance, relative_tolerance, max_iterations,
                                          over_relaxation, regularization, facets, facet_angle,
                                          polish, history, as_printed);
  const SolveManyOptions many{.num_threads = to_int(num_threads, "num_threads")};
  std::vector<ContactSolution> starts;
  std::vector<const ContactSolution*> pointers;
  if (!warm_starts.is_none()) {
    const std::vector<nb::object> items = to_items(warm_starts, "warm_starts");
    starts.reserve(items.size());
    for (const nb::object& item : items) {
      if (!item.is_none()) starts.push_back(to_warm_start(item));
      pointers.push_back(item.is_none() ? nullptr : &starts.back());
    }
    if (pointers.size() != all.size())
      throw InvalidInput("warm_starts", std::to_string(pointers.size()) + " items",
                         "give one for each problem, or None");
  }
  std::vector<ContactSolution> solutions(all.size());
  WorkspaceLease lease;
  interruptible([&] { solve_many(all, options, many, pointers, lease.get(), solutions); });
  nb::list result;
  for (std::size_t i = 0; i < all.size(); ++i)
    result.append(BoundSolution{std::move(solutions[i]), all[i]});
  return result;
}

nb::object modes_of(const BoundSolution& self) {
  nb::list modes;
  for (const ContactMode mode : self.modes) modes.append(mode);
  return nb::module_::import_("tactum._enum_array").attr("Modes")(modes);
}

// -------------------------------------------------------------------------------------------------
// pickles
constexpr const char* kUnpickle = "unpickle what was pickled";
constexpr double ContactSolution::*kMeasures[] = {
    &ContactSolution::residual,       &ContactSolution::primal,
    &ContactSolution::dual,           &ContactSolution::complementarity,
    &ContactSolution::ncp_residual,   &ContactSolution::signorini,
    &ContactSolution::coulomb,        &ContactSolution::dissipation,
    &ContactSolution::regularization, &ContactSolution::penalty_exponent};

nb::object history_array(const BoundSolution& self) {
  return vector_array(Eigen::Map<const Eigen::VectorXd>(
      self.history.data(), static_cast<Eigen::Index>(self.history.size())));
}

nb::tuple get_state(const BoundSolution& self) {
  nb::list modes, measures;
  for (const ContactMode mode : self.modes) modes.append(static_cast<int>(mode));
  for (const auto measure : kMeasures) measures.append(self.*measure);
  const nb::object problem = self.problem ? nb::cast(*self.problem)
                                          : nb::object(nb::int_(self.force.size()));
  return nb::make_tuple(problem, vector_array(self.force), vector_array(self.velocity),
                        vector_array(self.dual_velocity), static_cast<int>(self.status),
                        static_cast<int>(self.solver), self.iterations, self.islands,
                        nb::tuple(measures), nb::tuple(modes), vector_array(self.mode_margin),
                        history_array(self), self.polygon.facets, self.polygon.angle,
                        static_cast<int>(self.polished), vector_array(self.penalty_exponents));
}

/// A whole number from 0 to `most`.
int bounded(int value, int most) {
  if (value < 0 || value > most) throw InvalidInput("state", std::to_string(value), kUnpickle);
  return value;
}

Eigen::VectorXd vector_of_size(nb::handle value, Eigen::Index size) {
  Eigen::VectorXd values = to_vector(value, "state");
  if (values.size() != size || !values.allFinite())
    throw InvalidInput("state", std::to_string(values.size()) + " numbers", kUnpickle);
  return values;
}

BoundSolution solution_from_state(const nb::tuple& state) {
  StateReader read(state, 16);
  BoundSolution s;
  const nb::object problem = read.next();  // the number of rows for the solution of a step
  const bool of_step = PyLong_CheckExact(problem.ptr()) != 0;
  if (!of_step) s.problem = to_problem(problem, "state");
  const auto rows = static_cast<Eigen::Index>(of_step ? to_int(problem, "state")
                                                      : s.problem->rows());
  s.force = vector_of_size(read.next(), rows);
  s.velocity = vector_of_size(read.next(), rows);
  s.dual_velocity = vector_of_size(read.next(), rows);
  s.status = static_cast<ContactStatus>(
      bounded(read.integer(), static_cast<int>(ContactStatus::infeasible)));
  s.solver = static_cast<ContactSolver>(bounded(read.integer(), contact_solver_count - 1));
  s.iterations = read.integer();
  s.islands = read.integer();
  const Eigen::VectorXd measures = vector_of_size(read.tuple(), std::size(kMeasures));
  for (std::size_t i = 0; i < std::size(kMeasures); ++i)
    s.*kMeasures[i] = measures[static_cast<Eigen::Index>(i)];
  for (const nb::handle mode : read.tuple())
    s.modes.push_back(static_cast<ContactMode>(
        bounded(to_int(mode, "state"), static_cast<int>(ContactMode::sliding))));
  const auto blocks = static_cast<Eigen::Index>(s.modes.size());
  if (s.problem && s.problem->blocks().size() != s.modes.size())
    throw InvalidInput("state", std::to_string(s.modes.size()) + " modes", kUnpickle);
  s.mode_margin = vector_of_size(read.next(), blocks);
  const Eigen::VectorXd history = to_vector(read.next(), "state");
  s.history.assign(history.begin(), history.end());
  s.polygon.facets = 3 + bounded(read.integer() - 3, 61);
  s.polygon.angle = read.number();
  s.polished = read.flag();
  s.penalty_exponents = vector_of_size(read.next(), blocks);
  return s;
}

void bind_enums(nb::module_& m) {
  nb::enum_<ContactStatus> status(m, "ContactStatus", nb::is_arithmetic(),
                                  "How a solve ended. str(status) is its name.");
  status.value("converged", ContactStatus::converged, "the residual is at most the tolerance")
      .value("max_iterations", ContactStatus::max_iterations,
             "the iterations were used up above the tolerance")
      .value("invalid_input", ContactStatus::invalid_input,
             "this problem of a batch could not be solved")
      .value(
          "stalled", ContactStatus::stalled,
          "the steps became small above the tolerance, or the solver found no better force: more "
          "iterations would not help")
      .value("infeasible", ContactStatus::infeasible,
             "no force solves the problem, by a proof: a push that moves nothing meets rows that "
             "close; it is looked for among at most 300 normals of contacts and rows of others")
      .def(
          "__str__", [](ContactStatus status) { return to_string(status); },
          "Name of the status, such as 'converged'.");
  bind_text_comparison(status, "status", static_cast<int>(ContactStatus::infeasible) + 1);
  nb::enum_<ContactMode> mode(
      m, "ContactMode", nb::is_arithmetic(),
      "What a contact does. For a block of one row, sticking means that its constraint "
      "holds, and sliding that a box force is at a bound.");
  mode.value("breaking", ContactMode::breaking, "no force")
      .value("sticking", ContactMode::sticking, "no velocity")
      .value("sliding", ContactMode::sliding, "force on the cone")
      .def(
          "__str__", [](ContactMode mode) { return to_string(mode); },
          "Name of the mode, such as 'sliding'.");
  bind_text_comparison(mode, "mode", static_cast<int>(ContactMode::sliding) + 1);
}

void bind_result(nb::module_& m) {
  nb::class_<BoundSolution> type(m, "ContactSolution",
                                 R"(Answer of solve(): forces, and how well they solve the problem.

residual is the worst of primal, dual and complementarity in the solver's own model; ncp_residual is
the residual of the nonlinear complementarity problem, whatever the solver. Both come from
velocities that are computed afresh.)");
  type.def_prop_ro(
          "force", [](const BoundSolution& self) { return frozen(vector_array(self.force)); },
          nb::sig("def force(self) -> " TACTUM_FLOAT_ARRAY), "Forces of the rows, (n,).")
      .def_prop_ro(
          "velocity", [](const BoundSolution& self) { return frozen(vector_array(self.velocity)); },
          nb::sig("def velocity(self) -> " TACTUM_FLOAT_ARRAY),
          "Velocities of the rows, (n,): (G + R) force + g.")
      .def_prop_ro(
          "status", [](const BoundSolution& self) { return self.status; },
          "converged, max_iterations, stalled or infeasible.")
      .def_prop_ro(
          "solver", [](const BoundSolution& self) { return to_string(self.solver); },
          "Name of the solver.")
      .def_prop_ro("modes", &modes_of, nb::sig("def modes(self) -> tuple[ContactMode, ...]"),
                   "One for each block.")
      .def_prop_ro(
          "mode_margin",
          [](const BoundSolution& self) { return frozen(vector_array(self.mode_margin)); },
          nb::sig("def mode_margin(self) -> " TACTUM_FLOAT_ARRAY),
          "One for each block: how far the next mode is, as a share of the force at stake; 0 on "
          "the boundary.")
      .def_prop_ro(
          "history", [](const BoundSolution& self) { return frozen(history_array(self)); },
          nb::sig("def history(self) -> " TACTUM_FLOAT_ARRAY),
          "Residual after every iteration, where solve() was told to keep it.")
      .def_prop_ro(
          "internal_force",
          [](const BoundSolution& self) {
            if (!self.problem)
              throw InvalidInput("internal_force", "the solution of a step, without its problem",
                                 "read it of a solution that solve() returned");
            return interruptible([&] { return internal_force(*self.problem, self.force); });
          },
          "Norm of the part of the force that moves nothing. It is computed when it is read, which "
          "takes a factorization of G.");
#define TACTUM_FIELD(name, text) \
  type.def_prop_ro(              \
      #name, [](const BoundSolution& self) { return self.name; }, text)
  TACTUM_FIELD(iterations, "Iterations of the island that took most.");
  TACTUM_FIELD(islands, "Number of independent groups of blocks, which are solved apart.");
  TACTUM_FIELD(residual, "Worst of primal, dual, complementarity.");
  TACTUM_FIELD(primal, "Largest distance of a force from its cone.");
  TACTUM_FIELD(dual, "Largest distance of a velocity from the dual cone.");
  TACTUM_FIELD(complementarity, "Largest power that should be 0.");
  TACTUM_FIELD(ncp_residual, "Worst residual of the nonlinear complementarity problem.");
  TACTUM_FIELD(signorini, "Largest |f_N s_N|.");
  TACTUM_FIELD(coulomb, "Largest |f_T| - mu f_N.");
  TACTUM_FIELD(dissipation, "Largest |f_T + mu f_N s_T / |s_T|| of contacts that slide.");
  TACTUM_FIELD(regularization, "Regularization that solve() was called with.");
  TACTUM_FIELD(polished, "Whether the polish was asked for and lowered the residual.");
#undef TACTUM_FIELD
  type.def("__repr__", [](const BoundSolution& self) {
    return "ContactSolution(solver='" + std::string(to_string(self.solver)) +
           "', status=" + std::string(to_string(self.status)) +
           ", iterations=" + std::to_string(self.iterations) + ", residual=" + repr(self.residual) +
           ")";
  });
  bind_immutable(
      type, [](const BoundSolution& self) { return get_state(self); }, &solution_from_state);
}

double call_residual(nb::handle problem, nb::handle force, nb::handle model, nb::handle facets,
                     nb::handle facet_angle, nb::handle regularization) {
  const char* const remedy = "give 'ncp', 'ccp', 'lcp' or 'raisim'";
  if (!PyUnicode_Check(model.ptr())) throw_type_error("model", type_text(model), remedy);
  const std::string name = nb::cast<std::string>(model);
  for (const auto& [text, value] :
       {std::pair{"ncp", ContactModel::ncp}, std::pair{"ccp", ContactModel::ccp},
        std::pair{"lcp", ContactModel::lcp}, std::pair{"raisim", ContactModel::raisim}}) {
    if (name == text)
      return contact_residual(to_problem(problem, "problem"), to_vector(force, "force"), value,
                              {.facets = to_int(facets, "facets"),
                               .angle = to_double(facet_angle, "facet_angle")},
                              to_double(regularization, "regularization"))
          .worst();
  }
  throw InvalidInput("model", nb::cast<std::string>(nb::repr(model)).substr(0, 80), remedy);
}

}  // namespace

void bind_contact_solver(nb::module_& m) {
  bind_enums(m);
  bind_result(m);
  m.def("solve", &call_solve, "problem"_a.none(), "solver"_a.none() = "ncp_admm", nb::kw_only(),
        "tolerance"_a.none() = 1e-8, "relative_tolerance"_a.none() = 0.0,
        "max_iterations"_a.none() = 1000, "over_relaxation"_a.none() = 1.0,
        "regularization"_a.none() = 0.0, "facets"_a.none() = 4, "facet_angle"_a.none() = 0.0,
        "polish"_a.none() = false, "history"_a.none() = false, "as_printed"_a.none() = false,
        "warm_start"_a.none() = nb::none(),
        nb::sig("def solve(problem: ContactProblem, solver: " TACTUM_SOLVER
                " = 'ncp_admm', *, " TACTUM_SOLVE_OPTIONS
                ", warm_start: ContactSolution | " TACTUM_ARRAY_LIKE
                " | None = None) -> ContactSolution"),
        R"(Contact forces of a problem.

solver: the part before the underscore is the model: lcp (pyramid), ccp (convex cone), raisim, ncp
(Coulomb and Signorini); raisim_desaxce is a solver of the ncp and reports its residual.
tolerance: a solution has converged when its worst residual is at most the tolerance.
relative_tolerance: if positive, the solver stops as well where an iteration changes the force by at
most this share of the largest force; such a stop above the tolerance is stalled.
over_relaxation: in (0, 2). regularization: share of the diagonal of G that is added to R.
facets, facet_angle: the polygon of the lcp; the angle is in rad.
polish: run Newton's method on the active contacts afterwards, down to rounding.
history: keep the residual after every iteration.
as_printed: run the contact survey's algorithm of that name as it is printed, a plain loop that
returns its last iterate: for claims about the survey, not for use.
warm_start: a solution of a similar problem, or a force.
Raises InvalidInput (a ValueError) for bad values, TypeError for objects of the wrong type. The GIL
is released, and Ctrl-C ends the call.)");
  m.def("solve_many", &call_solve_many, "problems"_a.none(), "solver"_a.none() = "ncp_admm",
        nb::kw_only(), "num_threads"_a.none() = 0, "tolerance"_a.none() = 1e-8,
        "relative_tolerance"_a.none() = 0.0, "max_iterations"_a.none() = 1000,
        "over_relaxation"_a.none() = 1.0, "regularization"_a.none() = 0.0, "facets"_a.none() = 4,
        "facet_angle"_a.none() = 0.0, "polish"_a.none() = false, "history"_a.none() = false,
        "as_printed"_a.none() = false, "warm_starts"_a.none() = nb::none(),
        nb::sig("def solve_many(problems: collections.abc.Sequence[ContactProblem], "
                "solver: " TACTUM_SOLVER
                " = 'ncp_admm', *, num_threads: int = 0, " TACTUM_SOLVE_OPTIONS
                ", warm_starts: collections.abc.Sequence[ContactSolution | None] | None = None) -> "
                "list[ContactSolution]"),
        "Solve many problems on all cores; each solution has the bits and the status that "
        "solve() gives. num_threads: "
        "most threads; 0 means as many as the machine has.");
  m.def("contact_residual", &call_residual, "problem"_a.none(), "force"_a.none(), nb::kw_only(),
        "model"_a.none() = "ncp", "facets"_a.none() = 4, "facet_angle"_a.none() = 0.0,
        "regularization"_a.none() = 0.0,
        nb::sig("def contact_residual(problem: ContactProblem, force: " TACTUM_ARRAY_LIKE
                ", *, model: typing.Literal['ncp', 'ccp', 'lcp', 'raisim'] = 'ncp', facets: int = "
                "4, facet_angle: float = 0.0, "
                "regularization: float = 0.0) -> float"),
        "Worst residual of a force in a model, from fresh velocities.");
}

}  // namespace tactum::python
