// SPDX-License-Identifier: BSD-2-Clause
#include "method.hpp"

#include <nanobind/stl/string.h>

#include <array>
#include <string>

#include "convert.hpp"

namespace nb = nanobind;

namespace tactum::python {
namespace {

/// Python's names, in the order of Method.
constexpr std::array<const char*, 11> kMethodNames = {"auto",
                                                      "gjk",
                                                      "polyak",
                                                      "polyak_normalized",
                                                      "nesterov",
                                                      "nesterov_normalized",
                                                      "frank_wolfe",
                                                      "frank_wolfe_open_loop",
                                                      "frank_wolfe_polyak",
                                                      "frank_wolfe_nesterov",
                                                      "nesmino"};

/// Python's names, in the order of MomentumWeight.
constexpr std::array<const char*, 3> kWeightNames = {"chosen", "printed", "authors"};

/// The place of a name in a list. Throws TypeError or InvalidInput, which names the field.
template <std::size_t Count>
std::size_t place_of(nb::handle value, const char* field,
                     const std::array<const char*, Count>& names) {
  std::string remedy = "give one of";
  for (const char* name : names)
    remedy += (name == names[0] ? " '" : ", '") + std::string(name) + "'";
  if (!PyUnicode_Check(value.ptr())) throw_type_error(field, type_text(value), remedy);
  for (std::size_t i = 0; i < Count; ++i) {
    if (PyUnicode_CompareWithASCIIString(value.ptr(), names[i]) == 0) return i;
  }
  // N.B. ascii(), not str(): lone surrogates have no UTF-8 form
  const nb::object text = nb::steal(PyObject_ASCII(value.ptr()));
  if (!text.is_valid()) throw nb::python_error();
  throw InvalidInput(field, nb::cast<std::string>(text).substr(0, 80), remedy);
}

}  // namespace

Method to_method(nb::handle value) {
  return static_cast<Method>(place_of(value, "method", kMethodNames));
}

MomentumWeight to_momentum_weight(nb::handle value) {
  return static_cast<MomentumWeight>(place_of(value, "momentum_weight", kWeightNames));
}

}  // namespace tactum::python
