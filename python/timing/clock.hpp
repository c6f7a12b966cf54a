// SPDX-License-Identifier: BSD-2-Clause
// The clock by which calls are timed one by one.
#pragma once

#include <algorithm>
#include <chrono>

namespace tactum::python {

using Clock = std::chrono::steady_clock;

inline double nanoseconds(Clock::duration time) {
  return std::chrono::duration<double, std::nano>(time).count();
}

/// The least difference of two readings of the clock with nothing between them.
inline double cost_of_clock() {
  double least = 1e9;
  for (int i = 0; i < 1000; ++i) {
    const auto begin = Clock::now();
    least = std::min(least, nanoseconds(Clock::now() - begin));
  }
  return least;
}

}  // namespace tactum::python
