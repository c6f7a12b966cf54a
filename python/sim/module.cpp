// SPDX-License-Identifier: BSD-2-Clause
// The extension module tactum._sim: the simulator. Shapes, solutions and errors are those of
// tactum._core, which tactum.sim imports first.
#include <nanobind/nanobind.h>

#include "sim.hpp"

NB_MODULE(_sim, m) {
  m.doc() = "Models, states and steps of the simulator; tactum.sim has the names.";
  tactum::python::bind_sim_model(m);
  tactum::python::bind_sim_robot(m);
  tactum::python::bind_sim_step(m);
  tactum::python::bind_sim_rollout(m);
  tactum::python::bind_sim_derivative(m);
}
