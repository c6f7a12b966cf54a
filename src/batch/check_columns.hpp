// SPDX-License-Identifier: BSD-2-Clause
// Checks of the lengths of the columns of a batch.
#pragma once

#include <cstddef>
#include <string>

#include "tactum/status.hpp"

namespace tactum {

// N.B. names are put together only when something is wrong: a batch allocates nothing
inline void check_size(std::size_t size, std::size_t expected, const char* prefix,
                       const char* field, const char* row = "pair") {
  if (size != expected)
    throw InvalidInput(std::string(prefix) + field, std::to_string(size) + " items",
                       "give " + std::to_string(expected) + ", one for each " + row);
}

/// Checks a column; one that is not wanted is empty.
template <class Column>
void check_column(const Column& column, std::size_t size, const char* field,
                  const char* prefix = "out.", const char* row = "pair") {
  if (!column.empty()) check_size(column.size(), size, prefix, field, row);
}

}  // namespace tactum
