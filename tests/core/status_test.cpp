// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/status.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

namespace tactum::status_test {
namespace {

TEST(Status, EveryValueHasThePythonName) {
  EXPECT_EQ(to_string(Status::separated), "separated");
  EXPECT_EQ(to_string(Status::touching), "touching");
  EXPECT_EQ(to_string(Status::penetrating), "penetrating");
  EXPECT_EQ(to_string(Status::beyond_cutoff), "beyond_cutoff");
  EXPECT_EQ(to_string(Status::not_converged), "not_converged");
  EXPECT_EQ(to_string(Status::invalid_input), "invalid_input");
}

TEST(InvalidInput, MessageSaysFieldValueAndRemedy) {
  const InvalidInput error("Box.half_extents[1]", "-2", "give a size from 1e-30 to 1e30 m");
  EXPECT_STREQ(error.what(), "Box.half_extents[1]: got -2; give a size from 1e-30 to 1e30 m");
  EXPECT_EQ(error.field(), "Box.half_extents[1]");
  EXPECT_EQ(error.value(), "-2");
  EXPECT_EQ(error.remedy(), "give a size from 1e-30 to 1e30 m");
}

TEST(InvalidInput, IsCaughtAsInvalidArgument) {
  EXPECT_THROW(throw InvalidInput("field", "value", "remedy"), std::invalid_argument);
}

}  // namespace
}  // namespace tactum::status_test
