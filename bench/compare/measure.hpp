// SPDX-License-Identifier: BSD-2-Clause
// Times and errors of one cell for every library.
//
// A round runs all queries of the cell with one side, then with the next, so no query follows
// itself and all sides meet the same disturbances. Queries are timed in blocks; a block (or a
// tracked step) counts with its fastest round, a cell with the median over its blocks (steps). The
// peers without a goal run two rounds only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "library.hpp"

namespace tactum::compare {

/// One library's best setting in one cell.
struct Column {
  std::string library;
  std::string setting;
  double median = 0.0;               ///< ns a query, over blocks or steps
  double spread = 0.0;               ///< ns, interquartile range
  double mean = 0.0;                 ///< ns a query
  double distance_error = 0.0;       ///< largest, relative to the scale of the pair; failures not
                                     ///< counted
  double normal_error = 0.0;         ///< degrees, 99th percentile; failures not counted
  double jacobian_difference = 0.0;  ///< of the derivative task: from the exact derivative,
                                     ///< relative, median where that is smooth
  int failures = 0;  ///< not converged, not finite, thrown, wrong by more than 0.1 mm, or a wrong
                     ///< Boolean answer
};

struct Effort {
  double seconds = 0.1;  ///< about what the rounds of a cell may take
  int min_rounds = 3;
  int max_rounds = 25;
};

/// Columns in the order of the libraries; a library that cannot answer the cell has none.
std::vector<Column> measure(const Cell& cell, const Family& family,
                            const std::vector<std::unique_ptr<Library>>& libraries,
                            const Effort& effort);

}  // namespace tactum::compare
