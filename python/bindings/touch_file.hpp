// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <nanobind/nanobind.h>

namespace tactum::python {

/// Opens and closes a file with Python's open(), which raises FileNotFoundError and its relatives.
inline void touch_file(nanobind::handle path, const char* mode) {
  nanobind::module_::import_("io").attr("open")(path, mode).attr("close")();
}

}  // namespace tactum::python
