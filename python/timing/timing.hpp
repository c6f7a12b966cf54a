// SPDX-License-Identifier: BSD-2-Clause
// The parts of the module tactum.reproduce._timing.
#pragma once

#include <nanobind/nanobind.h>

namespace tactum::python {

void bind_time_derivatives(nanobind::module_& m);
void bind_time_moves(nanobind::module_& m);
void bind_time_queries(nanobind::module_& m);
void bind_time_solves(nanobind::module_& m);

}  // namespace tactum::python
