// SPDX-License-Identifier: BSD-2-Clause
#include "geometry.hpp"

#include "convert.hpp"
#include "shape_of.hpp"
#include "tactum/height_field.hpp"

namespace nb = nanobind;

namespace tactum::python {

Geometry to_geometry(nb::handle value, const char* field) {
  const Shape* shape = nullptr;
  if (nb::try_cast<const Shape*>(value, shape) && shape != nullptr) return *shape;
  const Compound* compound = nullptr;
  if (nb::try_cast<const Compound*>(value, compound) && compound != nullptr) return *compound;
  const Mesh* mesh = nullptr;
  if (nb::try_cast<const Mesh*>(value, mesh) && mesh != nullptr) return *mesh;
  throw_type_error(field, type_text(value),
                   "give a shape, such as Box(half_extents=(1, 1, 1)), a Compound or a Mesh");
}

nb::object to_python(const Geometry& geometry) {
  if (geometry.shape() != nullptr) return to_python(*geometry.shape());
  if (geometry.mesh() != nullptr) return nb::cast(*geometry.mesh());
  const Compound& compound = *geometry.compound();
  return compound.height_grid() != nullptr ? nb::cast(HeightField(compound)) : nb::cast(compound);
}

}  // namespace tactum::python
