// SPDX-License-Identifier: BSD-2-Clause
// Status as a Python IntEnum, and InvalidInput as the Python exception of the same name.
#include "tactum/status.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "bindings.hpp"
#include "text_enum.hpp"

namespace nb = nanobind;

namespace tactum::python {
namespace {

/// Raises tactum.InvalidInput with the three parts of the C++ exception.
void translate_invalid_input(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InvalidInput& error) {
    const nb::object type = nb::module_::import_("tactum._errors").attr("InvalidInput");
    // a file may hold any bytes, and messages quote it
    const auto text = [](const std::string& bytes) {
      return nb::steal(
          PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
    };
    const nb::tuple parts = nb::make_tuple(text(error.field()), text(error.value()),
                                           text(error.remedy()));
    PyErr_SetObject(type.ptr(), parts.ptr());
  }
}

}  // namespace

void bind_status(nb::module_& m) {
  nb::enum_<Status> type(
      m, "Status", nb::is_arithmetic(),
      "Outcome of a query. str(status) is its name, int(status) its number in arrays.");
  type.value("separated", Status::separated, "lower > 0, beyond the contact band")
      .value(
          "touching", Status::touching,
          "abs(distance) within the contact band, 64 eps times the scale, or lower <= 0 <= upper")
      .value("penetrating", Status::penetrating, "upper < 0, beyond the contact band")
      .value(
          "beyond_cutoff", Status::beyond_cutoff,
          "proved farther apart than the cutoff, and not touching; distance = lower, upper = inf")
      .value("not_converged", Status::not_converged,
             "the bounds hold but are wider than asked; the points are the best found")
      .value("invalid_input", Status::invalid_input,
             "only in batches: this row could not be computed")
      .def(
          "__str__", [](Status status) { return to_string(status); },
          "Name of the status, such as 'touching'.")
      .def(
          "__format__",
          [](Status status, const nb::str& spec) {
            return nb::str(nb::cast(to_string(status))).attr("__format__")(spec);
          },
          "Name of the status, formatted as text.");
  bind_text_comparison(type, "status", static_cast<int>(Status::invalid_input) + 1);
  nb::register_exception_translator(translate_invalid_input);
}

}  // namespace tactum::python
