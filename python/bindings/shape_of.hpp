// SPDX-License-Identifier: BSD-2-Clause
// One Python class for each kind of shape, all of them subclasses of Shape.
#pragma once

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

}  // namespace tactum::python
