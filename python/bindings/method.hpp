// SPDX-License-Identifier: BSD-2-Clause
// The names of the methods and of their weights, for every query that takes one.
#pragma once

#include <nanobind/nanobind.h>

#include "tactum/momentum_weight.hpp"

// How stubs write the type of `method`.
#define TACTUM_METHOD                                                         \
  "typing.Literal['auto', 'gjk', 'polyak', 'polyak_normalized', 'nesterov', " \
  "'nesterov_normalized', 'frank_wolfe', "                                    \
  "'frank_wolfe_open_loop', 'frank_wolfe_polyak', 'frank_wolfe_nesterov', 'nesmino']"

// How stubs write the type of `momentum_weight`.
#define TACTUM_MOMENTUM_WEIGHT "typing.Literal['chosen', 'printed', 'authors']"

namespace tactum::python {

Method to_method(nanobind::handle value);
MomentumWeight to_momentum_weight(nanobind::handle value);

}  // namespace tactum::python
