// SPDX-License-Identifier: BSD-2-Clause
// Many warm starts as one Python object.
#pragma once

#include <vector>

#include "tactum/distance.hpp"

namespace tactum::python {

/// An opaque array: the contents of a warm start may grow, and bytes that did not come from a query
/// never become one. Its length is fixed, so that a batch may use the memory without the GIL.
struct WarmStarts {
  std::vector<WarmStart> items;
};

}  // namespace tactum::python
