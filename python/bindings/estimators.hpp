// SPDX-License-Identifier: BSD-2-Clause
// Estimators and frames of derivatives, to and from Python.
#pragma once

#include <nanobind/nanobind.h>

#include "tactum/distance_derivative.hpp"

namespace tactum::python {

Estimator to_estimator(nanobind::handle value, const char* field = "estimator");
nanobind::object to_object(const Estimator& estimator);

/// "local", "world" or "local_world_aligned".
TangentFrame to_frame(nanobind::handle value);

/// Accepts True or False alone, no other object that behaves like a bool.
bool to_flag(nanobind::handle value, const char* field);

/// An estimator: Exact, FiniteDifference, ZerothOrder, Gaussian or Gumbel.
void bind_estimators(nanobind::module_& m);

}  // namespace tactum::python

#define TACTUM_ESTIMATOR "Exact | FiniteDifference | ZerothOrder | Gaussian | Gumbel"
#define TACTUM_FRAME "typing.Literal['local', 'world', 'local_world_aligned']"
