// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <nanobind/nanobind.h>

#include "batch_call.hpp"
#include "buffer.hpp"
#include "convert.hpp"
#include "tactum/interrupt.hpp"

namespace tactum::python {

/// Support points of a geometry along one direction (3,) or many (N, 3).
template <class Geometry>
nanobind::object supports_of(const Geometry& geometry, nanobind::handle direction) {
  namespace nb = nanobind;
  if (const Buffer one(direction); !one.held() || one.ndim() != 2) {
    const bool list = PyList_Check(direction.ptr()) || PyTuple_Check(direction.ptr());
    const nb::object first = list && PySequence_Size(direction.ptr()) > 0
                                 ? nb::steal(PySequence_GetItem(direction.ptr(), 0))
                                 : nb::none();
    if (!PyList_Check(first.ptr()) && !PyTuple_Check(first.ptr()) && !Buffer(first).held())
      return to_array(geometry.support(to_vector3(direction, "direction")));
  }
  const Points directions = to_points(direction, "direction");
  const nb::object found = numpy().attr("empty")(nb::make_tuple(directions.cols(), 3));
  Eigen::Map<Points> points(float_span(found).data, 3, directions.cols());
  interruptible([&] {
    for (Eigen::Index i = 0; i < directions.cols(); ++i) {
      check_interrupt();
      points.col(i) = geometry.support(directions.col(i));
    }
  });
  return found;
}

}  // namespace tactum::python
