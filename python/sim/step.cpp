// SPDX-License-Identifier: BSD-2-Clause
// step, its options and its result; energy, momentum and center of mass.
#include "tactum/sim/step.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <string>
#include <utility>
#include <vector>

#include "batch_call.hpp"
#include "bindings.hpp"
#include "contact_arrays.hpp"
#include "estimators.hpp"
#include "keywords.hpp"
#include "sim.hpp"
#include "step_pickle.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

ContactSolver to_solver_name(nb::handle value) {
  std::string remedy = "give one of";
  for (int i = 0; i < contact_solver_count; ++i)
    remedy += " '" + std::string(to_string(static_cast<ContactSolver>(i))) + "'";
  if (!PyUnicode_Check(value.ptr())) throw_type_error("solver", type_text(value), remedy);
  const std::string name = nb::cast<std::string>(value);
  for (int i = 0; i < contact_solver_count; ++i)
    if (name == to_string(static_cast<ContactSolver>(i))) return static_cast<ContactSolver>(i);
  throw InvalidInput("solver", nb::cast<std::string>(nb::repr(value)).substr(0, 80), remedy);
}

/// (N, 3) array of one vector of each contact.
template <class Get>
nb::object vectors(const BoundContacts& self, const Get& get) {
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(self.contacts.size()), 3);
  for (std::size_t i = 0; i < self.contacts.size(); ++i)
    rows.row(static_cast<Eigen::Index>(i)) = get(self.contacts[i]).transpose();
  return frozen(matrix_array(rows));
}

template <class Get>
nb::object numbers(const BoundContacts& self, const Get& get) {
  Eigen::VectorXd values(static_cast<Eigen::Index>(self.contacts.size()));
  for (std::size_t i = 0; i < self.contacts.size(); ++i)
    values[static_cast<Eigen::Index>(i)] = get(self.contacts[i]);
  return frozen(vector_array(values));
}

template <class Get>
nb::object integers(const BoundContacts& self, const char* type, const Get& get) {
  nb::list values;
  for (const sim::StepContact& contact : self.contacts) values.append(get(contact));
  return frozen(numpy().attr("array")(values, type));
}

/// (N, 2) numbers of A and B of each contact.
template <class Get>
nb::object number_pairs(const BoundContacts& self, const Get& get) {
  nb::list values;
  for (const sim::StepContact& contact : self.contacts) values.append(get(contact));
  return frozen(numpy().attr("array")(values, "int32").attr("reshape")(-1, 2));
}

void bind_contacts(nb::module_& m) {
  using Contact = sim::StepContact;
  nb::class_<BoundContacts>(m, "StepContacts",
                            "Contact points of a step with their forces, as arrays of N rows, in "
                            "the world.")
      .def("__len__", [](const BoundContacts& self) { return self.contacts.size(); })
      .def_prop_ro(
          "geometry",
          [](const BoundContacts& self) {
            return number_pairs(
                self, [](const Contact& c) { return nb::make_tuple(c.geometry_a, c.geometry_b); });
          },
          nb::sig("def geometry(self) -> " TACTUM_INT_ARRAY), "(N, 2): geometries A and B.")
      .def_prop_ro(
          "body",
          [](const BoundContacts& self) {
            return number_pairs(
                self, [](const Contact& c) { return nb::make_tuple(c.body_a, c.body_b); });
          },
          nb::sig("def body(self) -> " TACTUM_INT_ARRAY), "(N, 2): bodies of A and B.")
      .def_prop_ro(
          "point",
          [](const BoundContacts& self) {
            return vectors(self, [](const Contact& c) { return c.point; });
          },
          nb::sig("def point(self) -> " TACTUM_FLOAT_ARRAY),
          "(N, 3), m: midway between both surfaces.")
      .def_prop_ro(
          "normal",
          [](const BoundContacts& self) {
            return vectors(self, [](const Contact& c) { return c.normal; });
          },
          nb::sig("def normal(self) -> " TACTUM_FLOAT_ARRAY), "(N, 3): unit, from A to B.")
      .def_prop_ro(
          "force",
          [](const BoundContacts& self) {
            return vectors(self, [](const Contact& c) { return c.force; });
          },
          nb::sig("def force(self) -> " TACTUM_FLOAT_ARRAY),
          "(N, 3), N: on B; the opposite acts on A.")
      .def_prop_ro(
          "distance",
          [](const BoundContacts& self) {
            return numbers(self, [](const Contact& c) { return c.distance; });
          },
          nb::sig("def distance(self) -> " TACTUM_FLOAT_ARRAY),
          "(N,), m: before the step; negative in penetration.")
      .def_prop_ro(
          "friction",
          [](const BoundContacts& self) {
            return numbers(self, [](const Contact& c) { return c.material.friction; });
          },
          nb::sig("def friction(self) -> " TACTUM_FLOAT_ARRAY), "(N,): coefficient of the pair.")
      .def_prop_ro(
          "feature_id",
          [](const BoundContacts& self) {
            return integers(self, "uint64",
                            [](const Contact& c) { return nb::int_(c.feature_id); });
          },
          nb::sig("def feature_id(self) -> numpy.typing.NDArray[numpy.uint64]"),
          "(N,): stays while the features that make the point stay.")
      .def_prop_ro(
          "mode",
          [](const BoundContacts& self) {
            nb::list modes;
            for (const Contact& contact : self.contacts)
              modes.append(static_cast<int>(contact.mode));
            return named_outcomes("mode_names", modes);
          },
          nb::sig("def mode(self) -> tuple[str, ...]"),
          "'breaking', 'sticking' or 'sliding' for each contact; == with one of them is a mask.")
      .def("__getstate__", &get_contacts_state,
           nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def(
          "__setstate__",
          [](BoundContacts* self, const nb::tuple& state) {
            new (self) BoundContacts{contacts_from_state(state)};
          },
          nb::sig("def __setstate__(self, state: tuple[object, ...], /) -> None"))
      .def("__repr__", [](const BoundContacts& self) {
        return "StepContacts(" + std::to_string(self.contacts.size()) + " points)";
      });
}

sim::StepWorkspace& workspace_of_thread() {
  thread_local sim::StepWorkspace work;
  return work;
}

BoundResult call_step(nb::handle model, nb::handle state, nb::handle tau, nb::handle dt,
                      nb::handle solver, nb::handle options, bool tape) {
  const sim::Model& the_model = to_model(model);
  const sim::State& the_state = to_state(state);
  const Eigen::VectorXd forces = tau.is_none() ? Eigen::VectorXd{} : to_vector(tau, "tau");
  const double seconds = to_double(dt, "dt");
  sim::StepOptions step_options = to_step_options(options, solver);
  step_options.tape = tape;
  BoundResult out;
  interruptible([&] {
    sim::step(the_model, the_state, forces, seconds, step_options, workspace_of_thread(),
              out.result);
  });
  return out;
}

nb::dict timings_of(const sim::StepTimings& timings) {
  nb::dict out;
  out["kinematics"] = timings.kinematics;
  out["dynamics"] = timings.dynamics;
  out["pairs"] = timings.pairs;
  out["contacts"] = timings.contacts;
  out["assembly"] = timings.assembly;
  out["solve"] = timings.solve;
  out["integrate"] = timings.integrate;
  return out;
}

void bind_result(nb::module_& m) {
  nb::class_<BoundResult>(m, "StepResult", "The state after a step, and how it came about.")
      .def_prop_ro(
          "state", [](const BoundResult& self) { return self.result.state; },
          "The state after the step: a copy, which belongs to the caller.")
      .def_prop_ro(
          "status",
          [](const BoundResult& self) {
            nb::list status;
            status.append(static_cast<int>(self.result.status));
            return nb::object(named_outcomes("step_statuses", status)[0]);
          },
          nb::sig("def status(self) -> typing.Literal['converged', 'not_converged']"),
          "Whether the contact forces have a residual within the tolerance. If not, the best ones "
          "found were used, and the state is finite all the same.")
      .def_prop_ro(
          "corrected", [](const BoundResult& self) { return self.result.corrected; },
          "False where taking back penetrations had no solution: the step was solved without "
          "position correction.")
      .def_prop_ro(
          "contacts", [](const BoundResult& self) { return BoundContacts{self.result.contacts}; },
          "Contact points with their forces.")
      .def_prop_ro(
          "solution",
          [](const BoundResult& self) {
            return BoundSolution{self.result.solution, {}};
          },
          nb::sig("def solution(self) -> typing.Any"),
          "The tactum.ContactSolution of the step: residuals, modes, iterations.")
      .def_prop_ro(
          "joint_force",
          [](const BoundResult& self) {
            return frozen(vector_array(Eigen::Map<const Eigen::VectorXd>(
                self.result.joint_force.data(),
                static_cast<Eigen::Index>(self.result.joint_force.size()))));
          },
          nb::sig("def joint_force(self) -> " TACTUM_FLOAT_ARRAY),
          "(nv,), N or N m: of joint limits, dry friction and couplings.")
      .def_prop_ro(
          "closure_force",
          [](const BoundResult& self) {
            Eigen::MatrixXd rows(static_cast<Eigen::Index>(self.result.closure_force.size()), 6);
            for (std::size_t i = 0; i < self.result.closure_force.size(); ++i)
              rows.row(static_cast<Eigen::Index>(i)) = self.result.closure_force[i].transpose();
            return frozen(matrix_array(rows));
          },
          nb::sig("def closure_force(self) -> " TACTUM_FLOAT_ARRAY),
          "(N, 6): force in N and torque in N m of each connection and weld on its body B, in the "
          "world.")
      .def_prop_ro(
          "timings", [](const BoundResult& self) { return timings_of(self.result.timings); },
          nb::sig("def timings(self) -> dict[str, float]"), "Seconds that each stage took.")
      .def_prop_ro(
          "tape", [](const BoundResult& self) { return self.result.tape != nullptr; },
          "Whether the step was made with tape=True, so that step_derivative can take it.")
      .def("__getstate__", &get_result_state,
           nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def(
          "__setstate__",
          [](BoundResult* self, const nb::tuple& state) {
            new (self) BoundResult{result_from_state(state)};
          },
          nb::sig("def __setstate__(self, state: tuple[object, ...], /) -> None"))
      .def(
          "__copy__", [](const BoundResult& self) { return self; },
          nb::sig("def __copy__(self) -> StepResult"))
      .def(
          "__deepcopy__", [](const BoundResult& self, nb::handle) { return self; }, "memo"_a,
          nb::sig("def __deepcopy__(self, memo: object, /) -> StepResult"))
      .def("__repr__", [](const BoundResult& self) {
        return "StepResult(time=" + repr(self.result.state.time) +
               ", contacts=" + std::to_string(self.result.contacts.size()) +
               ", residual=" + repr(self.result.solution.residual) + ")";
      });
}

constexpr const char* kOptionsSignature =
    "def __init__(self, *, tolerance: float = 1e-08, max_iterations: int = 1000, "
    "position_correction: float = 0.1, slop: float = 1e-05, restitution_threshold: float = 0.001, "
    "max_contacts: int = 4, max_angle: float = 0.05, warm_start: bool = True, as_printed: bool = "
    "False) -> None";

/// Numbers of StepOptions by name.
constexpr std::pair<const char*, double sim::StepOptions::*> kOptionNumbers[] = {
    {"tolerance", &sim::StepOptions::tolerance},
    {"position_correction", &sim::StepOptions::position_correction},
    {"slop", &sim::StepOptions::slop},
    {"restitution_threshold", &sim::StepOptions::restitution_threshold},
    {"max_angle", &sim::StepOptions::max_angle}};
constexpr std::pair<const char*, int sim::StepOptions::*> kOptionCounts[] = {
    {"max_iterations", &sim::StepOptions::max_iterations},
    {"max_contacts", &sim::StepOptions::max_contacts}};
constexpr std::pair<const char*, bool sim::StepOptions::*> kOptionFlags[] = {
    {"warm_start", &sim::StepOptions::warm_start}, {"as_printed", &sim::StepOptions::as_printed}};

sim::StepOptions options_of(const nb::args& args, const nb::kwargs& keywords) {
  const Keywords given(
      "StepOptions", kOptionsSignature, args, keywords, {},
      {"tolerance", "max_iterations", "position_correction", "slop", "restitution_threshold",
       "max_contacts", "max_angle", "warm_start", "as_printed"});
  sim::StepOptions options;
  for (const auto& [name, member] : kOptionNumbers)
    options.*member = to_double(given.get(name, nb::float_(options.*member)), name);
  for (const auto& [name, member] : kOptionCounts)
    options.*member = to_int(given.get(name, nb::int_(options.*member)), name);
  for (const auto& [name, member] : kOptionFlags)
    options.*member = to_flag(given.get(name, nb::bool_(options.*member)), name);
  return options;
}

void bind_options(nb::module_& m) {
  nb::class_<sim::StepOptions>(m, "StepOptions", "How a step is made.")
      .def(
          "__init__",
          [](sim::StepOptions* self, const nb::args& args, const nb::kwargs& keywords) {
            new (self) sim::StepOptions(options_of(args, keywords));
          },
          nb::sig(kOptionsSignature),
          "tolerance: largest residual of the contact forces. max_iterations: of an attempt of the "
          "contact solver; ncp_admm with warm_start takes at most 60, and 200 in a second attempt. "
          "position_correction: share of a "
          "penetration beyond slop (m) that a step takes back. restitution_threshold: approach "
          "speed in m/s below which nothing bounces. max_contacts: points of a pair of convex "
          "shapes. max_angle: rad, of contact patches. warm_start: begin from the forces of the "
          "step before. as_printed: make the step of the contact survey, for claims about it: its "
          "algorithm on impulses in N s and velocities in m/s, in whose units the tolerance is.")
      .def_rw("tolerance", &sim::StepOptions::tolerance, "Largest residual of the contact forces.")
      .def_rw("max_iterations", &sim::StepOptions::max_iterations,
              "Most of an attempt of the contact solver.")
      .def_rw("position_correction", &sim::StepOptions::position_correction,
              "Share of a penetration beyond the slop that a step takes back, 0 to 1.")
      .def_rw("slop", &sim::StepOptions::slop, "m: penetration that is left alone.")
      .def_rw("restitution_threshold", &sim::StepOptions::restitution_threshold,
              "m/s: slower contacts do not bounce.")
      .def_rw("max_contacts", &sim::StepOptions::max_contacts, "Points of a pair, 1 to 32.")
      .def_rw("max_angle", &sim::StepOptions::max_angle, "rad, of contact patches.")
      .def_rw("warm_start", &sim::StepOptions::warm_start,
              "Begin from the forces of the step before.")
      .def_rw("as_printed", &sim::StepOptions::as_printed, "Make the step of the contact survey.")
      .def(
          "__getstate__",
          [](const sim::StepOptions& self) {
            return nb::make_tuple(self.tolerance, self.max_iterations, self.position_correction,
                                  self.slop, self.restitution_threshold, self.max_contacts,
                                  self.max_angle, self.warm_start, self.as_printed);
          },
          nb::sig("def __getstate__(self) -> tuple[float, int, float, float, float, int, float, "
                  "bool, bool]"))
      .def("__setstate__",
           [](sim::StepOptions& self, const std::tuple<double, int, double, double, double, int,
                                                       double, bool, bool>& values) {
             new (&self) sim::StepOptions;
             std::tie(self.tolerance, self.max_iterations, self.position_correction, self.slop,
                      self.restitution_threshold, self.max_contacts, self.max_angle,
                      self.warm_start, self.as_printed) = values;
           });
}

}  // namespace

nb::object named_outcomes(const char* maker, const nb::list& numbers) {
  return nb::module_::import_("tactum._enum_array").attr(maker)(numbers);
}

sim::StepOptions to_step_options(nb::handle options, nb::handle solver) {
  sim::StepOptions out;
  if (!options.is_none()) {
    const sim::StepOptions* given = nullptr;
    if (!nb::try_cast<const sim::StepOptions*>(options, given) || given == nullptr)
      throw_type_error("options", type_text(options), "give a StepOptions, or None");
    out = *given;
  }
  out.solver = to_solver_name(solver);
  return out;
}

const sim::StepResult& to_step_result(nb::handle value) {
  const BoundResult* given = nullptr;
  if (!nb::try_cast<const BoundResult*>(value, given) || given == nullptr)
    throw_type_error("result", type_text(value), "give what step() returned");
  return given->result;
}

void bind_sim_step(nb::module_& m) {
  bind_options(m);
  bind_contacts(m);
  bind_result(m);
  m.def("step", call_step, "model"_a.none(), "state"_a.none(), "tau"_a = nb::none(), "dt"_a = 1e-3,
        nb::kw_only(), "solver"_a = "ncp_admm", "options"_a = nb::none(), "tape"_a = false,
        nb::sig("def step(model: Model, state: State, tau: " TACTUM_ARRAY_LIKE
                " | None = None, dt: float = 0.001, *, solver: str = 'ncp_admm', options: "
                "StepOptions | None = None, tape: bool = False) -> StepResult"),
        "Advance a state by dt seconds under the generalized forces tau (nv,), or none. Contact "
        "is rigid with Coulomb friction under the solver's model. The state given stays as it is. "
        "tape: keep what step_derivative needs. "
        "Raises InvalidInput for wrong sizes and numbers that are not finite.");
  m.def(
      "energy",
      [](const sim::Model& model, const sim::State& state) {
        const sim::Energy energy = sim::energy(model, state);
        return nb::make_tuple(energy.kinetic, energy.potential);
      },
      "model"_a, "state"_a,
      nb::sig("def energy(model: Model, state: State) -> tuple[float, float]"),
      "Kinetic and potential energy in J; the potential is that of gravity, 0 at the origin of the "
      "world, and of springs.");
  m.def(
      "contact_report",
      [](const sim::Model& model, const BoundResult& result) {
        nb::list out;
        for (const sim::BodyContact& contact : sim::contact_report(result.result)) {
          nb::dict row;
          row["bodies"] = nb::make_tuple(model.body_name(contact.body_a),
                                         model.body_name(contact.body_b));
          row["points"] = contact.points;
          row["sticking"] = contact.sticking;
          row["sliding"] = contact.sliding;
          row["force"] = to_array(contact.force);
          row["point"] = to_array(contact.point);
          row["distance"] = contact.distance;
          out.append(row);
        }
        return out;
      },
      "model"_a, "result"_a,
      nb::sig("def contact_report(model: Model, result: StepResult) -> list[dict[str, "
              "typing.Any]]"),
      "What pairs of bodies do to each other in a step: the names of both 'bodies', how many "
      "'points' touch, stick and slide, the 'force' on the second in N, its 'point' in m, and the "
      "smallest 'distance' in m.");
  m.def(
      "momentum",
      [](const sim::Model& model, const sim::State& state) {
        return vector_array(sim::momentum(model, state));
      },
      "model"_a, "state"_a,
      nb::sig("def momentum(model: Model, state: State) -> " TACTUM_FLOAT_ARRAY),
      "(6,): linear momentum in N s, then angular momentum about the origin of the world in N m "
      "s.");
  m.def(
      "com",
      [](const sim::Model& model, const sim::State& state) {
        return to_array(sim::com(model, state));
      },
      "model"_a, "state"_a, nb::sig("def com(model: Model, state: State) -> " TACTUM_FLOAT_ARRAY),
      "(3,), m: center of mass of all bodies in the world.");
}

}  // namespace tactum::python
