// SPDX-License-Identifier: BSD-2-Clause
// Needs of a batched query besides its arrays: threads that stay, and Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <utility>

#include "tactum/batch.hpp"
#include "tactum/interrupt.hpp"

namespace tactum::python {

/// The workspace of the calling thread, kept as long as the thread lives; a new one for a call made
/// from within a call (a signal handler can do that).
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

/// Runs work that may take long without the GIL. Ctrl-C ends it: the exception of the signal
/// handler is raised, and nothing is returned.
template <class Work>
auto interruptible(Work&& work) {
  try {
    const nanobind::gil_scoped_release release;
    static const std::function<bool()> kIsInterrupted = signal_raised;
    const InterruptScope scope(kIsInterrupted);
    return std::forward<Work>(work)();
  } catch (const Interrupted&) {
    throw nanobind::python_error();
  }
}

/// Runs work that Ctrl-C can end while the GIL is held, because other threads and signal handlers
/// may change what it works on. No handler runs before the work has ended; where a handler raises
/// nothing, the work begins again.
template <class Work>
auto interruptible_with_gil(const Work& work) {
  static const std::function<bool()> kIsInterrupted = [] { return PyOS_InterruptOccurred() != 0; };
  while (true) {
    try {
      const InterruptScope scope(kIsInterrupted);
      return work();
    } catch (const Interrupted&) {
      PyErr_SetInterrupt();
      if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    }
  }
}

}  // namespace tactum::python
