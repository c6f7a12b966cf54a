// SPDX-License-Identifier: BSD-2-Clause
// The names of the methods, for every query that takes one.
#pragma once

#include <nanobind/nanobind.h>

#include "tactum/distance.hpp"

// How stubs write the type of `method`.
#define TACTUM_METHOD                                                         \
  "typing.Literal['auto', 'gjk', 'polyak', 'polyak_normalized', 'nesterov', " \
  "'nesterov_normalized', 'frank_wolfe', "                                    \
  "'frank_wolfe_open_loop', 'frank_wolfe_polyak', 'frank_wolfe_nesterov', 'nesmino']"

namespace tactum::python {

Method to_method(nanobind::handle value);

}  // namespace tactum::python
