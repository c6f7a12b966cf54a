// SPDX-License-Identifier: BSD-2-Clause
#include "solver/problem/problem_checks.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/allocation_guard.hpp"

namespace tactum::problem_checks {
namespace {

using namespace tactum::testing;

constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                 kNan = std::numeric_limits<double>::quiet_NaN();

template <class Call>
std::string refused(const Call& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.field();
  }
  return "nothing";
}

TEST(ProblemChecks, NamesTheEntryThatIsWrong) {
  EXPECT_EQ(refused([] { check_kind(static_cast<ContactKind>(5), "kinds", 3); }), "kinds[3]");
  for (const double mu : {-1e-300, 1.1e6, kInfinity, kNan})
    EXPECT_EQ(refused([&] { check_friction(mu, "mu", 2); }), "mu[2]") << mu;
  for (const double lower : {kInfinity, kNan, 1e31, -1e31})
    EXPECT_EQ(refused([&] { check_bounds(lower, 1, "bounds", 4); }), "bounds[4, 0]") << lower;
  for (const double upper : {-kInfinity, kNan, 1e31, -0.5})
    EXPECT_EQ(refused([&] { check_bounds(0, upper, "bounds", 4); }), "bounds[4, 1]") << upper;
}

TEST(ProblemChecks, GoodNumbersPassWithoutAllocating) {
  const AllocationGuard guard;
  check_kind(ContactKind::bilateral, "a field with a long name that would not fit", 0);
  for (const double mu : {0.0, 0.5, 1e6}) check_friction(mu, "a field with a long name", 0);
  check_bounds(-kInfinity, kInfinity, "a field with a long name that would not fit", 0);
  check_bounds(1, 1, "a field with a long name that would not fit", 0);
  EXPECT_EQ(guard.count(), 0U);
}

}  // namespace
}  // namespace tactum::problem_checks
