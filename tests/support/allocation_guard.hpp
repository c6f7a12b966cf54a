// SPDX-License-Identifier: BSD-2-Clause
// Counts heap allocations of the calling thread while a guard is alive: operator new in all its
// forms, and Eigen's own malloc.
#pragma once

#include <cstddef>

namespace tactum::testing {

class AllocationGuard {
 public:
  AllocationGuard();
  ~AllocationGuard();
  AllocationGuard(const AllocationGuard&) = delete;
  AllocationGuard& operator=(const AllocationGuard&) = delete;

  /// Allocations of this thread since the guard was made.
  std::size_t count() const;

 private:
  std::size_t start_;
};

}  // namespace tactum::testing
