// SPDX-License-Identifier: BSD-2-Clause
// Shapes, compounds and meshes as arguments and as answers.
#pragma once

#include <nanobind/nanobind.h>

#include "tactum/geometry.hpp"

namespace tactum::python {

/// A shape, a compound or a mesh. Throws TypeError that names the field for anything else.
Geometry to_geometry(nanobind::handle value, const char* field);

/// The shape, of the Python class of its kind, the compound or the mesh.
nanobind::object to_python(const Geometry& geometry);

}  // namespace tactum::python
