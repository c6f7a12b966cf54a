// SPDX-License-Identifier: BSD-2-Clause
// The extension module tactum.reproduce._timing: calls of the library timed one by one, for the
// experiments of `tactum reproduce`.
//
// The interpreter takes longer than most of these calls, so the clock has to be read on this side.
// The shapes and tables that it is given are those of tactum._core.
#include <nanobind/nanobind.h>

#include "timing.hpp"

NB_MODULE(_timing, m) {
  m.doc() = "Clocks for the experiments of tactum reproduce. Not part of the interface.";
  tactum::python::bind_time_derivatives(m);
  tactum::python::bind_time_moves(m);
  tactum::python::bind_time_queries(m);
  tactum::python::bind_time_solves(m);
}
