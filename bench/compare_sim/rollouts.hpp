// SPDX-License-Identifier: BSD-2-Clause
// Rollouts of many states of one file, which begin with random velocities.
#pragma once

#include <string>

namespace tactum::compare {

struct RolloutsSize {
  int count = 1024;
  int steps = 250;
  int threads = 2;
  double dt = 2e-3;            ///< s
  double largest_speed = 1.0;  ///< of each entry of v at the start
  double tolerance = 1e-6;
};

/// Time in s that tactum takes for all of them.
double time_of_rollouts(const std::string& file, const RolloutsSize& size);

}  // namespace tactum::compare
