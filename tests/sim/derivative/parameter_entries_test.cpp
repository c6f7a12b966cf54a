// SPDX-License-Identifier: BSD-2-Clause
#include "sim/derivative/parameter_entries.hpp"

#include <gtest/gtest.h>

namespace tactum::sim::parameter_entries_test {
namespace {

TEST(ParameterEntries, KeepWhatIsNotZero) {
  ParameterEntries entries;
  ParameterEntries::add(entries.force, 1, 2, 0.0);
  EXPECT_TRUE(entries.force.empty());
  ParameterEntries::add_vector(entries.force, 1, 2, Vector3(3.0, 0.0, -4.0));
  Eigen::SparseMatrix<double> matrix(5, 3);
  matrix.setFromTriplets(entries.force.begin(), entries.force.end());
  EXPECT_EQ(matrix.nonZeros(), 2);
  EXPECT_EQ(matrix.coeff(1, 2), 3.0);
  EXPECT_EQ(matrix.coeff(3, 2), -4.0);
}

}  // namespace
}  // namespace tactum::sim::parameter_entries_test
