// SPDX-License-Identifier: BSD-2-Clause
// The main function of every test executable: GoogleTest with floating-point traps switched on.
//
// An invalid operation or a division by zero ends the test with SIGFPE where it happens, so a NaN
// cannot be made in passing and hidden by a later branch. A test that must do such arithmetic
// itself switches the traps off for its scope with fedisableexcept.
#include <gtest/gtest.h>

#include <cfenv>

namespace {

/// Switches the traps on before every test, whatever the test before it left behind.
class TrapListener : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& /*info*/) override {
    std::feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_INVALID | FE_DIVBYZERO);
  }
  void OnTestEnd(const testing::TestInfo& /*info*/) override { fedisableexcept(FE_ALL_EXCEPT); }
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new TrapListener);  // GoogleTest owns it
  return RUN_ALL_TESTS();
}
