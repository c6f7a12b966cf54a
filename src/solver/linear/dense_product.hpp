// SPDX-License-Identifier: BSD-2-Clause
// Operations on many columns, done in strips of columns, so that one that takes seconds can be
// interrupted.
#pragma once

#include <Eigen/Core>
#include <algorithm>

#include "tactum/interrupt.hpp"

namespace tactum {

/// Calls `work(first, count)` for one strip of columns after the other. `column_work` is the number
/// of multiplications that one column takes; a strip takes some hundredths of a second.
template <class Work>
void for_column_strips(Eigen::Index columns, double column_work, const Work& work) {
  constexpr double most_work = 2e8;
  constexpr Eigen::Index least_width = 32, most_width = 256;
  const auto fitting = static_cast<Eigen::Index>(
      std::min(most_work / std::max(column_work, 1.0), static_cast<double>(most_width)));
  const Eigen::Index width = std::max(least_width, fitting);
  for (Eigen::Index first = 0; first < columns; first += width) {
    check_interrupt();
    work(first, std::min(width, columns - first));
  }
}

/// out = a b. `out` is neither of the two factors.
template <class Out, class A, class B>
void multiply_dense(Out&& out, const A& a, const B& b) {
  const double column_work = static_cast<double>(a.rows()) * static_cast<double>(a.cols());
  for_column_strips(b.cols(), column_work, [&](Eigen::Index first, Eigen::Index count) {
    out.middleCols(first, count).noalias() = a * b.middleCols(first, count);
  });
}

}  // namespace tactum
