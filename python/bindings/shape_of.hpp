// SPDX-License-Identifier: BSD-2-Clause
// One Python class for each kind of shape, all of them subclasses of Shape.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>
#include <variant>

#include "tactum/shape.hpp"

namespace tactum::python {

/// A Shape that is known to hold a Kind: a type of its own, so that Python has a class of its own.
template <class Kind>
struct ShapeOf : Shape {
  explicit ShapeOf(Kind kind) : Shape(Parameters(std::move(kind))) {}
  const Kind& get() const { return std::get<Kind>(parameters()); }
};

/// The Python class of a shape is that of its kind, also when it comes out of a table or a scene.
inline nanobind::object to_python(const Shape& shape) {
  return std::visit(
      [](const auto& kind) -> nanobind::object {
        return nanobind::cast(ShapeOf<std::remove_cvref_t<decltype(kind)>>(kind),
                              nanobind::rv_policy::move);
      },
      shape.parameters());
}

}  // namespace tactum::python
