// SPDX-License-Identifier: BSD-2-Clause
// Ending long work early: Ctrl-C in Python, a button, a deadline.
//
// Scope      an InterruptScope names the function that says whether to stop, for everything its
//            thread does while the scope lives. A batch asks on the thread that called it and stops
//            its helpers with it.
// Question   every loop of the library that can run long calls check_interrupt() now and then:
//            without a scope it costs a few instructions, with one a look at the clock. The
//            function is called about 100 times a second, on the thread of the scope alone.
// Answer     when the function returns true, check_interrupt() throws Interrupted, which leaves
//            through the call that was made. No data of the caller has changed then: a scene is as
//            it was, and no half-made object exists.
#pragma once

#include <exception>
#include <functional>

namespace tactum {

/// Thrown out of a call that an InterruptScope has ended early.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override;
};

/// Lets `interrupted` end what the calling thread does until the end of the scope. Scopes nest: the
/// innermost counts.
class InterruptScope {
 public:
  /// Keeps a reference to the function, which must not be empty and must outlive the scope.
  explicit InterruptScope(const std::function<bool()>& interrupted);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  const std::function<bool()>* outer_;
};

/// Throws Interrupted when the scope of this thread asks to stop; does nothing without a scope. For
/// loops of your own.
void check_interrupt();

/// Calls check_interrupt() once in 4096 steps, for loops whose steps are very short.
class LoopInterrupt {
 public:
  void check() {
    if (++steps_ % 4096 == 0) check_interrupt();
  }

 private:
  unsigned steps_ = 0;
};

}  // namespace tactum
