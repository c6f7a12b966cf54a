// SPDX-License-Identifier: BSD-2-Clause
// rollout, rollouts and their trajectories.
#include "tactum/sim/rollout.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <chrono>

#include "batch_call.hpp"
#include "bindings.hpp"
#include "contact_arrays.hpp"
#include "sim.hpp"
#include "step_pickle.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

void bind_trajectory(nb::module_& m) {
  // tactum.sim keeps the model with a trajectory, so that it can be shown
  nb::class_<sim::Trajectory>(m, "Trajectory", nb::dynamic_attr(),
                              "States of a rollout; rows are times.")
      .def_prop_ro(
          "q", [](const sim::Trajectory& self) { return frozen(matrix_array(self.q)); },
          nb::sig("def q(self) -> " TACTUM_FLOAT_ARRAY), "(T + 1, nq): the start, then each step.")
      .def_prop_ro(
          "v", [](const sim::Trajectory& self) { return frozen(matrix_array(self.v)); },
          nb::sig("def v(self) -> " TACTUM_FLOAT_ARRAY), "(T + 1, nv).")
      .def_prop_ro(
          "status",
          [](const sim::Trajectory& self) {
            nb::list numbers;
            for (const sim::StepStatus status : self.status)
              numbers.append(static_cast<int>(status));
            return named_outcomes("step_statuses", numbers);
          },
          nb::sig("def status(self) -> tuple[str, ...]"),
          "'converged' or 'not_converged' for each step; == with one of them is a mask.")
      .def_prop_ro(
          "residual",
          [](const sim::Trajectory& self) {
            return frozen(vector_array(Eigen::Map<const Eigen::VectorXd>(
                self.residual.data(), static_cast<Eigen::Index>(self.residual.size()))));
          },
          nb::sig("def residual(self) -> " TACTUM_FLOAT_ARRAY),
          "(T,): of the contact forces of each step.")
      .def_prop_ro(
          "state", [](const sim::Trajectory& self) { return self.last; },
          "The last state, as a copy; a rollout from it goes on with the same bits.")
      .def_prop_ro(
          "start", [](const sim::Trajectory& self) { return self.start; },
          "The first state, as a copy; a rollout from it makes the same trajectory again.")
      .def_prop_ro(
          "controls",
          [](const sim::Trajectory& self) { return frozen(matrix_array(self.controls)); },
          nb::sig("def controls(self) -> " TACTUM_FLOAT_ARRAY),
          "(T, nv): generalized forces of each step.")
      .def_ro("dt", &sim::Trajectory::dt, "Time step, s.")
      .def_prop_ro(
          "options", [](const sim::Trajectory& self) { return self.options; },
          "StepOptions that it was made with, as a copy.")
      .def_prop_ro(
          "solver",
          [](const sim::Trajectory& self) { return std::string(to_string(self.options.solver)); },
          "Name of the contact solver.")
      .def("__len__", [](const sim::Trajectory& self) { return self.status.size(); })
      .def("__getstate__", &get_trajectory_state,
           nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def("__setstate__", &set_trajectory_state,
           nb::sig("def __setstate__(self, state: tuple[object, ...], /) -> None"))
      .def("__repr__", [](const sim::Trajectory& self) {
        return "Trajectory(" + std::to_string(self.status.size()) + " steps)";
      });
}

/// Calls progress(done, total) ten times a second at most, and at the end.
class ProgressCalls {
 public:
  ProgressCalls(nb::handle function, int total) : function_(function), total_(total) {}

  void tell(int done) {
    if (function_.is_none()) return;
    const Clock::time_point now = Clock::now();
    if (done < total_ && now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    const nb::gil_scoped_acquire acquire;
    function_(done, total_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  nb::handle function_;
  int total_;
  Clock::time_point last_ = {};
};

sim::Trajectory call_rollout(nb::handle model, nb::handle state, nb::handle controls, nb::handle dt,
                             nb::handle solver, nb::handle options, nb::handle steps,
                             nb::handle progress) {
  const sim::Model& the_model = to_model(model);
  const sim::State start = to_state(state);
  const double seconds = to_double(dt, "dt");
  const sim::StepOptions step_options = to_step_options(options, solver);
  sim::Trajectory out;
  sim::StepWorkspace work;
  const bool is_function = PyCallable_Check(controls.ptr()) != 0;
  if (is_function && steps.is_none())
    throw InvalidInput("steps", "None", "give the number of steps with a controls function");
  if (!is_function && !steps.is_none())
    throw InvalidInput("steps", nb::cast<std::string>(nb::repr(steps)),
                       "leave it out: there is a step for each row of controls");
  const sim::TrajectoryMatrix rows = is_function
                                         ? sim::TrajectoryMatrix{}
                                         : sim::TrajectoryMatrix(to_matrix(controls, "controls"));
  sim::check_controls(the_model, rows);
  const int count = is_function ? to_int(steps, "steps") : static_cast<int>(rows.rows());
  ProgressCalls calls(progress, count);
  int done = 0;
  interruptible([&] {
    const sim::Controller controller = [&](double time, const sim::State& now) -> Eigen::VectorXd {
      if (done > 0) calls.tell(done);
      ++done;
      if (!is_function) return rows.row(done - 1).transpose();
      const nb::gil_scoped_acquire acquire;
      const nb::object forces = controls(time, now);
      return forces.is_none() ? Eigen::VectorXd{} : to_vector(forces, "controls(t, state)");
    };
    sim::rollout(the_model, start, controller, count, seconds, step_options, work, out);
    calls.tell(count);
  });
  return out;
}

nb::list call_rollouts(nb::handle model, const nb::list& states, const nb::list& controls,
                       nb::handle dt, nb::handle solver, nb::handle options,
                       nb::handle num_threads) {
  const sim::Model& the_model = to_model(model);
  std::vector<sim::State> starts;
  std::vector<sim::TrajectoryMatrix> rows;
  for (nb::handle state : states) starts.push_back(to_state(state));
  for (nb::handle each : controls)
    rows.emplace_back(to_matrix(each, "controls[" + std::to_string(rows.size()) + "]"));
  sim::RolloutsOptions all;
  all.step = to_step_options(options, solver);
  all.num_threads = to_int(num_threads, "num_threads");
  const double seconds = to_double(dt, "dt");
  std::vector<sim::Trajectory> found(starts.size());
  interruptible([&] {
    WorkspaceLease lease;
    sim::rollouts(the_model, starts, rows, seconds, all, lease.get(), found);
  });
  nb::list out;
  for (sim::Trajectory& trajectory : found) out.append(std::move(trajectory));
  return out;
}

}  // namespace

void bind_sim_rollout(nb::module_& m) {
  bind_trajectory(m);
  m.def("rollout_array", call_rollout, "model"_a, "state"_a, "controls"_a, "dt"_a, "solver"_a,
        "options"_a.none(), "steps"_a.none(), "progress"_a.none(),
        nb::sig("def rollout_array(model: Model, state: State, controls: typing.Any, dt: float, "
                "solver: str, options: StepOptions | None, steps: int | None, progress: "
                "collections.abc.Callable[[int, int], object] | None) -> Trajectory"),
        "Steps with one row of controls each, or with a function of time and state.");
  m.def("rollouts_array", call_rollouts, "model"_a, "states"_a, "controls"_a, "dt"_a, "solver"_a,
        "options"_a.none(), "num_threads"_a,
        nb::sig("def rollouts_array(model: Model, states: list[State], controls: "
                "list[" TACTUM_FLOAT_ARRAY
                "], dt: float, solver: str, options: StepOptions | None, num_threads: int) -> "
                "list[Trajectory]"),
        "Rollouts of many states on all cores.");
}

}  // namespace tactum::python
