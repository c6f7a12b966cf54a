// SPDX-License-Identifier: BSD-2-Clause
// step_derivative and rollout_derivative.
#include "tactum/sim/step_derivative.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <deque>
#include <optional>

#include "batch_call.hpp"
#include "bindings.hpp"
#include "contact_arrays.hpp"
#include "estimators.hpp"
#include "sim.hpp"
#include "tactum/sim/rollout_derivative.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

sim::StepParameter to_parameter(const std::string& name) {
  std::string remedy = "give some of";
  for (int i = 0; i < sim::step_parameter_count; ++i) {
    const auto parameter = static_cast<sim::StepParameter>(i);
    if (name == to_string(parameter)) return parameter;
    remedy += " '" + std::string(to_string(parameter)) + "'";
  }
  throw InvalidInput("parameters", "'" + name.substr(0, 80) + "'", remedy);
}

sim::StepDerivativeOptions to_options(nb::handle parameters, bool frozen_contacts,
                                      nb::handle estimator) {
  sim::StepDerivativeOptions out;
  out.frozen_contacts = frozen_contacts;
  if (!estimator.is_none()) out.estimator = to_estimator(estimator);
  if (PyUnicode_Check(parameters.ptr()))
    throw_type_error("parameters", type_text(parameters), "give a tuple of names");
  for (nb::handle name : parameters) {
    if (!PyUnicode_Check(name.ptr()))
      throw_type_error("parameters", type_text(name), "give a tuple of names");
    out.parameters.push_back(to_parameter(nb::cast<std::string>(name)));
  }
  return out;
}

/// Numbers of parameters by their names; entries of other names are errors.
sim::StepParameterValues to_parameter_values(nb::handle values) {
  sim::StepParameterValues out;
  if (values.is_none()) return out;
  if (!PyDict_Check(values.ptr()))
    throw_type_error("dparameters", type_text(values), "give a dictionary of names and arrays");
  for (const auto& [key, value] : nb::cast<nb::dict>(values)) {
    if (!PyUnicode_Check(key.ptr()))
      throw_type_error("dparameters", type_text(key), "give names of parameters");
    const std::string name = nb::cast<std::string>(key);
    const sim::StepParameter parameter = to_parameter(name);
    out[static_cast<std::size_t>(parameter)] = to_vector(value, "dparameters['" + name + "']");
  }
  return out;
}

nb::dict parameter_dict(const sim::StepParameterValues& values) {
  nb::dict out;
  for (int i = 0; i < sim::step_parameter_count; ++i) {
    const Eigen::VectorXd& value = values[static_cast<std::size_t>(i)];
    if (value.size() > 0)
      out[nb::str(std::string(to_string(static_cast<sim::StepParameter>(i))).c_str())] =
          vector_array(value);
  }
  return out;
}

Eigen::VectorXd to_optional_vector(nb::handle value, const char* field) {
  return value.is_none() ? Eigen::VectorXd{} : to_vector(value, field);
}

// -------------------------------------------------------------------------------------------------
// one step
/// A derivative, with the Jacobians that somebody has read. Its name is not that of another bound
/// type, because nanobind knows types of all extensions by name.
struct BoundStepDerivative {
  sim::StepDerivative derivative;
  std::optional<sim::StepJacobians> jacobians = {};

  const sim::StepJacobians& all() {
    if (!jacobians) jacobians = derivative.jacobians();
    return *jacobians;
  }
};

sim::StepDerivativeWorkspace& workspace_of_thread() {
  thread_local sim::StepDerivativeWorkspace work;
  return work;
}

BoundStepDerivative make_derivative(nb::handle result, nb::handle parameters, bool frozen_contacts,
                                    nb::handle estimator, nb::handle relaxation) {
  const sim::StepResult& step = to_step_result(result);
  sim::StepDerivativeOptions options = to_options(parameters, frozen_contacts, estimator);
  options.relaxation = to_double(relaxation, "relaxation");
  std::optional<BoundStepDerivative> out;
  interruptible([&] {
    out.emplace(BoundStepDerivative{sim::step_derivative(step, options, workspace_of_thread())});
  });
  return std::move(*out);
}

template <class Member>
void bind_jacobian(nb::class_<BoundStepDerivative>& type, const char* name, const char* signature,
                   const char* text, Member member) {
  type.def_prop_ro(
      name,
      [member](BoundStepDerivative& self) { return frozen(matrix_array(self.all().*member)); },
      nb::sig(signature), text);
}

/// Text that stays for as long as the module does.
const char* kept(std::string text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(std::move(text)).c_str();
}

void bind_parameter_jacobian(nb::class_<BoundStepDerivative>& type, sim::StepParameter parameter,
                             bool of_velocity) {
  const std::string name(to_string(parameter)), attribute = (of_velocity ? "dv_d" : "dq_d") + name;
  type.def_prop_ro(
      kept(attribute),
      [parameter, of_velocity](const BoundStepDerivative& self) {
        const sim::StepParameterJacobians found = self.derivative.jacobians(parameter);
        return frozen(matrix_array(of_velocity ? found.dv : found.dq));
      },
      nb::sig(kept("def " + attribute + "(self) -> " TACTUM_FLOAT_ARRAY)),
      kept("(nv, n): the next " + std::string(of_velocity ? "velocity" : "position") + " by " +
           name + ", which step_derivative must have been asked for."));
}

void bind_parameter_jacobians(nb::class_<BoundStepDerivative>& type) {
  for (int i = 0; i < sim::step_parameter_count; ++i)
    for (const bool of_velocity : {false, true})
      bind_parameter_jacobian(type, static_cast<sim::StepParameter>(i), of_velocity);
}

void bind_step_derivative(nb::module_& m) {
  using J = sim::StepJacobians;
  nb::class_<BoundStepDerivative> type(
      m, "StepDerivative",
      "How the state after a step follows the state before, the controls and the parameters, "
      "through contacts that move. Positions are tangent vectors, as Model.integrate and "
      "Model.difference take them.");
  bind_jacobian(type, "dq_dq", "def dq_dq(self) -> " TACTUM_FLOAT_ARRAY,
                "(nv, nv): next position by position.", &J::dq_dq);
  bind_jacobian(type, "dq_dv", "def dq_dv(self) -> " TACTUM_FLOAT_ARRAY,
                "(nv, nv): next position by velocity.", &J::dq_dv);
  bind_jacobian(type, "dq_dtau", "def dq_dtau(self) -> " TACTUM_FLOAT_ARRAY,
                "(nv, nv): next position by generalized forces.", &J::dq_dtau);
  bind_jacobian(type, "dv_dq", "def dv_dq(self) -> " TACTUM_FLOAT_ARRAY,
                "(nv, nv): next velocity by position.", &J::dv_dq);
  bind_jacobian(type, "dv_dv", "def dv_dv(self) -> " TACTUM_FLOAT_ARRAY,
                "(nv, nv): next velocity by velocity.", &J::dv_dv);
  bind_jacobian(type, "dv_dtau", "def dv_dtau(self) -> " TACTUM_FLOAT_ARRAY,
                "(nv, nv): next velocity by generalized forces.", &J::dv_dtau);
  bind_parameter_jacobians(type);
  type.def_prop_ro(
          "smooth", [](const BoundStepDerivative& self) { return self.derivative.smooth(); },
          "Whether the next state is differentiable here. If not, the derivative is that of one "
          "side.")
      .def_prop_ro(
          "mode_margin",
          [](const BoundStepDerivative& self) { return self.derivative.mode_margin(); },
          "Distance from the next change of mode of any contact or joint, as a share of the forces "
          "or velocities at stake; 0 on the border, at most 1.")
      .def_prop_ro(
          "rule",
          [](const BoundStepDerivative& self) {
            return std::string(to_string(self.derivative.rule()));
          },
          nb::sig("def rule(self) -> typing.Literal['unique', 'regularized', 'minimum_norm']"),
          "How changes of contact forces were made unique.")
      .def(
          "jvp",
          [](const BoundStepDerivative& self, nb::handle dq, nb::handle dv, nb::handle dtau,
             nb::handle dparameters) {
            const sim::StepOutputTangent out = self.derivative.jvp(
                {to_optional_vector(dq, "dq"), to_optional_vector(dv, "dv"),
                 to_optional_vector(dtau, "dtau"), to_parameter_values(dparameters)});
            return nb::make_tuple(vector_array(out.q), vector_array(out.v));
          },
          nb::kw_only(), "dq"_a = nb::none(), "dv"_a = nb::none(), "dtau"_a = nb::none(),
          "dparameters"_a = nb::none(),
          nb::sig("def jvp(self, *, dq: " TACTUM_ARRAY_LIKE " | None = None, dv: " TACTUM_ARRAY_LIKE
                  " | None = None, dtau: " TACTUM_ARRAY_LIKE
                  " | None = None, dparameters: dict[str, " TACTUM_ARRAY_LIKE
                  "] | None = None) -> tuple[" TACTUM_FLOAT_ARRAY ", " TACTUM_FLOAT_ARRAY "]"),
          "Changes (dq, dv) of the next state, (nv,) each, for changes of the input. What is left "
          "out is zero.")
      .def(
          "vjp",
          [](const BoundStepDerivative& self, nb::handle dq, nb::handle dv) {
            const sim::StepInputTangent out = self.derivative.vjp(
                {to_optional_vector(dq, "dq"), to_optional_vector(dv, "dv")});
            return nb::make_tuple(vector_array(out.q), vector_array(out.v), vector_array(out.tau),
                                  parameter_dict(out.parameters));
          },
          nb::kw_only(), "dq"_a = nb::none(), "dv"_a = nb::none(),
          nb::sig("def vjp(self, *, dq: " TACTUM_ARRAY_LIKE " | None = None, dv: " TACTUM_ARRAY_LIKE
                  " | None = None) -> tuple[" TACTUM_FLOAT_ARRAY ", " TACTUM_FLOAT_ARRAY
                  ", " TACTUM_FLOAT_ARRAY ", dict[str, " TACTUM_FLOAT_ARRAY "]]"),
          "Gradients (d_q, d_v, d_tau, d_parameters) of a scalar by the input, (nv,) each and a "
          "dictionary, from its gradients by the next position and velocity.")
      .def(
          "__getstate__",
          [](const BoundStepDerivative&) -> nb::tuple {
            throw_type_error("StepDerivative", "the tape of a step, which stays in its process",
                             "pickle its arrays, such as dq_dq");
          },
          nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def(
          "__copy__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __copy__(self) -> StepDerivative"))
      .def(
          "__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); }, "memo"_a,
          nb::sig("def __deepcopy__(self, memo: object, /) -> StepDerivative"))
      .def("__repr__", [](const BoundStepDerivative& self) {
        return std::string("StepDerivative(smooth=") +
               (self.derivative.smooth() ? "True" : "False") +
               ", mode_margin=" + repr(self.derivative.mode_margin()) + ")";
      });
  m.def(
      "step_derivative", make_derivative, "result"_a, nb::kw_only(), "parameters"_a = nb::tuple(),
      "frozen_contacts"_a = false, "estimator"_a.none() = nb::none(), "relaxation"_a = 0.0,
      nb::sig("def step_derivative(result: StepResult, *, parameters: "
              "collections.abc.Sequence[str] = (), frozen_contacts: bool = False, estimator: "
              "typing.Any = None, relaxation: float = 0.0) -> StepDerivative"),
      "Derivative of a step that was made with tape=True. parameters: any of 'friction', "
      "'restitution', 'compliance' (one number for each geometry), 'inertia' (ten for each "
      "body), 'gravity' (3), 'position_correction', 'slop', 'dt', 'shape' (shape_parameters() "
      "names them). frozen_contacts: points and normals stay where they are, for comparison. "
      "estimator: one of tactum's, which smooths corners and edges under contacts; pairs with a "
      "shape that Gumbel does not take move exactly. relaxation: a speed in m/s; more than 0 gives "
      "the derivative of a step with relaxed complementarity. Raises InvalidInput for a step "
      "without a tape.");
}

// -------------------------------------------------------------------------------------------------
// many steps
sim::TrajectoryMatrix to_rows(nb::handle value, const char* field) {
  if (value.is_none()) return {};
  return to_matrix(value, field);
}

const sim::Trajectory& to_trajectory(nb::handle value) {
  const sim::Trajectory* given = nullptr;
  if (!nb::try_cast<const sim::Trajectory*>(value, given) || given == nullptr)
    throw_type_error("trajectory", type_text(value), "give what rollout() returned");
  return *given;
}

sim::RolloutDerivativeOptions to_rollout_options(nb::handle segment, nb::handle parameters,
                                                 bool frozen_contacts, nb::handle estimator,
                                                 nb::handle relaxation) {
  sim::RolloutDerivativeOptions out;
  out.segment = segment.is_none() ? 0 : to_int(segment, "segment");
  out.step = to_options(parameters, frozen_contacts, estimator);
  out.step.relaxation = to_double(relaxation, "relaxation");
  return out;
}

nb::tuple rollout_vjp(nb::handle model, nb::handle trajectory, nb::handle dq, nb::handle dv,
                      nb::handle segment, nb::handle parameters, bool frozen_contacts,
                      nb::handle estimator, nb::handle relaxation) {
  const sim::Model& the_model = to_model(model);
  const sim::Trajectory& states = to_trajectory(trajectory);
  sim::RolloutOutputTangent gradient;
  gradient.q = to_rows(dq, "dq");
  gradient.v = to_rows(dv, "dv");
  const sim::RolloutDerivativeOptions options = to_rollout_options(
      segment, parameters, frozen_contacts, estimator, relaxation);
  sim::RolloutGradient out;
  interruptible([&] { out = sim::rollout_vjp(the_model, states, gradient, options); });
  return nb::make_tuple(vector_array(out.input.q), vector_array(out.input.v),
                        matrix_array(out.input.controls), parameter_dict(out.input.parameters),
                        out.smooth, out.mode_margin);
}

/// dq, dv, dcontrols, dparameters; None for those that do not change.
using Change = std::tuple<nb::object, nb::object, nb::object, nb::object>;

nb::tuple rollout_columns(nb::handle model, nb::handle trajectory, const nb::sequence& changes,
                          nb::handle parameters, bool frozen_contacts, nb::handle estimator,
                          nb::handle relaxation) {
  const sim::Model& the_model = to_model(model);
  const sim::Trajectory& states = to_trajectory(trajectory);
  std::vector<sim::RolloutInputTangent> given;
  for (nb::handle each : changes) {
    const auto [dq, dv, dcontrols, dparameters] = nb::cast<Change>(each);
    sim::RolloutInputTangent& change = given.emplace_back();
    change.q = to_optional_vector(dq, "dq");
    change.v = to_optional_vector(dv, "dv");
    change.controls = to_rows(dcontrols, "dcontrols");
    change.parameters = to_parameter_values(dparameters);
  }
  const sim::RolloutDerivativeOptions options = to_rollout_options(
      nb::none(), parameters, frozen_contacts, estimator, relaxation);
  std::vector<sim::RolloutOutputTangent> found;
  interruptible([&] { found = sim::rollout_columns(the_model, states, given, options); });
  nb::list q, v;
  for (const sim::RolloutOutputTangent& each : found) {
    q.append(matrix_array(each.q));
    v.append(matrix_array(each.v));
  }
  const bool smooth = found.empty() || found.front().smooth;
  return nb::make_tuple(q, v, smooth, found.empty() ? 1.0 : found.front().mode_margin);
}

}  // namespace

void bind_sim_derivative(nb::module_& m) {
  bind_step_derivative(m);
  m.def(
      "position_maps",
      [](nb::handle model, nb::handle q) {
        const sim::PositionMaps maps = sim::position_maps(to_model(model), to_vector(q, "q"));
        return nb::make_tuple(vector_array(maps.normalized), matrix_array(maps.numbers_by_tangent),
                              matrix_array(maps.tangent_by_numbers));
      },
      "model"_a, "q"_a,
      nb::sig("def position_maps(model: Model, q: " TACTUM_ARRAY_LIKE
              ") -> tuple[" TACTUM_FLOAT_ARRAY ", " TACTUM_FLOAT_ARRAY ", " TACTUM_FLOAT_ARRAY "]"),
      "q with unit quaternions, (nq, nv) its numbers by tangent vectors, (nv, nq) tangent vectors "
      "by its numbers.");
  m.def(
      "shape_parameters",
      [](nb::handle model) {
        nb::list out;
        for (const sim::ShapeParameter& each : sim::shape_parameters(to_model(model)))
          out.append(nb::make_tuple(each.geometry, each.size));
        return out;
      },
      "model"_a, nb::sig("def shape_parameters(model: Model) -> list[tuple[int, str]]"),
      "The entries of the parameter 'shape': geometry and size, \"radius\", \"half_extents[1]\", "
      "\"vertices[7][2]\", \"margin\". Compounds and meshes have none.");
  m.def("rollout_vjp_arrays", rollout_vjp, "model"_a, "trajectory"_a, "dq"_a.none(), "dv"_a.none(),
        "segment"_a.none(), "parameters"_a, "frozen_contacts"_a, "estimator"_a.none(),
        "relaxation"_a,
        nb::sig("def rollout_vjp_arrays(model: Model, trajectory: Trajectory, dq: typing.Any, dv: "
                "typing.Any, segment: int | None, parameters: collections.abc.Sequence[str], "
                "frozen_contacts: bool, estimator: typing.Any, relaxation: float) -> "
                "tuple[" TACTUM_FLOAT_ARRAY ", " TACTUM_FLOAT_ARRAY ", " TACTUM_FLOAT_ARRAY
                ", dict[str, " TACTUM_FLOAT_ARRAY "], bool, float]"),
        "Gradients by start, controls and parameters of a trajectory.");
  m.def("rollout_columns_arrays", rollout_columns, "model"_a, "trajectory"_a, "changes"_a,
        "parameters"_a, "frozen_contacts"_a, "estimator"_a.none(), "relaxation"_a,
        nb::sig("def rollout_columns_arrays(model: Model, trajectory: Trajectory, changes: "
                "collections.abc.Sequence[tuple[typing.Any, typing.Any, typing.Any, typing.Any]], "
                "parameters: collections.abc.Sequence[str], frozen_contacts: bool, estimator: "
                "typing.Any, relaxation: float) -> tuple[list[" TACTUM_FLOAT_ARRAY
                "], list[" TACTUM_FLOAT_ARRAY "], bool, float]"),
        "Changes of a trajectory for many changes (dq, dv, dcontrols, dparameters) of its start, "
        "controls and parameters.");
}

}  // namespace tactum::python
