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

std::string method_remedy() {
  std::string remedy = "give one of";
  for (const char* name : kMethodNames)
    remedy += (name == kMethodNames[0] ? " '" : ", '") + std::string(name) + "'";
  return remedy;
}

}  // namespace

Method to_method(nb::handle value) {
  if (!PyUnicode_Check(value.ptr())) throw_type_error("method", type_text(value), method_remedy());
  for (std::size_t i = 0; i < kMethodNames.size(); ++i) {
    if (PyUnicode_CompareWithASCIIString(value.ptr(), kMethodNames[i]) == 0)
      return static_cast<Method>(i);
  }
  // N.B. ascii(), not str(): lone surrogates have no UTF-8 form
  const nb::object text = nb::steal(PyObject_ASCII(value.ptr()));
  if (!text.is_valid()) throw nb::python_error();
  throw InvalidInput("method", nb::cast<std::string>(text).substr(0, 80), method_remedy());
}

}  // namespace tactum::python
