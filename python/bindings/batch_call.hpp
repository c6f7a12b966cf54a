// SPDX-License-Identifier: BSD-2-Clause
// What a batched query needs from Python besides its arrays: threads that stay, and Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include "tactum/batch.hpp"

namespace tactum::python {

/// The workspace of the calling thread, kept as long as the thread lives; a new one for a call made from within a call (a signal
/// handler can do that).
class WorkspaceLease {
 public:
  WorkspaceLease() : outermost_(!busy) {
    if (outermost_) busy = true;
  }
  ~WorkspaceLease() {
    if (outermost_) busy = false;
  }
  WorkspaceLease(const WorkspaceLease&) = delete;
  WorkspaceLease& operator=(const WorkspaceLease&) = delete;

  BatchWorkspace& get() { return outermost_ ? of_this_thread() : own_; }

 private:
  static BatchWorkspace& of_this_thread() {
    thread_local BatchWorkspace workspace;
    return workspace;
  }
  inline static thread_local bool busy = false;
  bool outermost_;
  BatchWorkspace own_;
};

/// Runs Python's signal handlers; true when one raised. To be called without the GIL.
inline bool signal_raised() {
  const nanobind::gil_scoped_acquire acquire;
  return PyErr_CheckSignals() != 0;
}

}  // namespace tactum::python
