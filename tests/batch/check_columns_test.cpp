// SPDX-License-Identifier: BSD-2-Clause
// Checks of the lengths of columns.
#include "batch/check_columns.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tactum::check_columns_test {
namespace {

TEST(CheckColumns, TakesTheRightLengthOrNothing) {
  const std::vector<double> none, three(3);
  EXPECT_NO_THROW(check_column(none, 5, "distance"));
  EXPECT_NO_THROW(check_column(three, 3, "distance"));
}

TEST(CheckColumns, SaysWhichColumnAndHowManyAreWanted) {
  const std::vector<double> three(3);
  try {
    check_column(three, 5, "distance");
    FAIL() << "a column of another length was taken";
  } catch (const InvalidInput& error) {
    EXPECT_EQ(error.field(), "out.distance");
    EXPECT_EQ(error.value(), "3 items");
    EXPECT_EQ(error.remedy(), "give 5, one for each pair");
  }
  EXPECT_THROW(check_size(1, 2, "a.", "index"), InvalidInput);
}

}  // namespace
}  // namespace tactum::check_columns_test
