// SPDX-License-Identifier: BSD-2-Clause
// Floating-point traps, which tests/support/test_main.cpp switches on, off for a scope.
#pragma once

#include <cfenv>

namespace tactum::testing {

/// Turns traps off while a test passes a NaN on purpose, since comparing one is already an invalid
/// operation, or calls a library that divides by zero and drops the quotient.
class TrapsOff {
 public:
  TrapsOff() : enabled_(fegetexcept()) { fedisableexcept(FE_ALL_EXCEPT); }
  ~TrapsOff() {
    std::feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(enabled_);
  }
  TrapsOff(const TrapsOff&) = delete;
  TrapsOff& operator=(const TrapsOff&) = delete;

 private:
  int enabled_;
};

}  // namespace tactum::testing
