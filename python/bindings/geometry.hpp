// SPDX-License-Identifier: BSD-2-Clause
// Shapes and compounds as arguments.
#pragma once

#include <nanobind/nanobind.h>

#include "tactum/compound.hpp"
#include "tactum/mesh.hpp"

namespace tactum::python {

/// Leaves a call with a mesh among its arguments to the next overload.
template <class... Values>
void leave_meshes(Values... values) {
  if ((nanobind::isinstance<Mesh>(values) || ...)) throw nanobind::next_overload();
}

/// A shape or a compound.
Geometry to_geometry(nanobind::handle value, const char* field);

/// The shape, of the Python class of its kind, or the compound.
nanobind::object to_python(const Geometry& geometry);

}  // namespace tactum::python
