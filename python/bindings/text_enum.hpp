// SPDX-License-Identifier: BSD-2-Clause
// Enumerations that compare with their names: status == "touching" is true or false, and a name
// that no value has raises instead of being different in silence.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "convert.hpp"
#include "tactum/status.hpp"

namespace tactum::python {

/// Whether an enumerator equals a name, a number or another enumerator. Throws InvalidInput for a
/// name that its class does not have.
template <class Enum>
bool equals(nanobind::handle self, nanobind::handle other, const char* field, int count) {
  if (self.ptr() == other.ptr()) return true;
  if (!PyUnicode_Check(other.ptr())) {
    const nanobind::object number = nanobind::steal(PyNumber_Long(self.ptr()));
    if (!number.is_valid()) throw nanobind::python_error();
    const int same = PyObject_RichCompareBool(number.ptr(), other.ptr(), Py_EQ);
    if (same < 0) throw nanobind::python_error();
    return same != 0;
  }
  std::string remedy = "give one of";
  for (int i = 0; i < count; ++i) {
    const std::string name(to_string(static_cast<Enum>(i)));
    if (PyUnicode_CompareWithASCIIString(other.ptr(), name.c_str()) == 0)
      return nanobind::cast<Enum>(self) == static_cast<Enum>(i);
    remedy += " '" + name + "'";
  }
  throw InvalidInput(field, nanobind::cast<std::string>(nanobind::repr(other)).substr(0, 80),
                     remedy);
}

/// Lets an enumeration of `count` values from 0 up compare with text.
template <class Enum>
void bind_text_comparison(nanobind::enum_<Enum>& type, const char* field, int count) {
  type.def(
          "__eq__",
          [field, count](nanobind::handle self, nanobind::handle other) {
            return equals<Enum>(self, other, field, count);
          },
          nanobind::arg("other").none(),
          nanobind::sig("def __eq__(self, other: object, /) -> bool"),
          "Whether it is that value, number or name; a name that does not exist raises.")
      .def(
          "__ne__",
          [field, count](nanobind::handle self, nanobind::handle other) {
            return !equals<Enum>(self, other, field, count);
          },
          nanobind::arg("other").none(),
          nanobind::sig("def __ne__(self, other: object, /) -> bool"),
          "Whether it is another value, number or name; a name that does not exist raises.")
      .def(
          "__hash__",
          [](nanobind::handle self) {
            const std::string name(to_string(nanobind::cast<Enum>(self)));
            return nanobind::hash(nanobind::str(name.c_str()));
          },
          nanobind::sig("def __hash__(self) -> int"),
          "The hash of its name, so that sets and dicts of names find it.");
}

/// A view of an array of numbers of an enumeration that compares with names and whose items are
/// enumerators; `enumeration` is the name of the class in tactum.
nanobind::object enum_array(nanobind::handle array, const char* enumeration);

}  // namespace tactum::python
