// SPDX-License-Identifier: BSD-2-Clause
// The names of the methods, for every query that takes one.
#pragma once

#include <nanobind/nanobind.h>

#include "tactum/distance.hpp"

namespace tactum::python {

Method to_method(nanobind::handle value);

}  // namespace tactum::python
