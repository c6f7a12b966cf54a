// SPDX-License-Identifier: BSD-2-Clause
#include "math/unit_vector.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/random.hpp"

namespace tactum::unit_vector_test {
namespace {

using testing::Random;

TEST(UnitVector, HasTheDirectionAndUnitLengthAtEverySize) {
  constexpr double kEps = std::numeric_limits<double>::epsilon();
  Random random(61);
  for (int i = 0; i < 1000; ++i) {
    const Vector3 direction = random.direction();
    const Double3 u = unit(to_double3(random.log_uniform(1e-100, 1e100) * direction));
    EXPECT_NEAR(u.norm(), 1.0, 4.0 * kEps);
    EXPECT_LE((to_vector3(u) - direction).norm(), 8.0 * kEps);
  }
}

}  // namespace
}  // namespace tactum::unit_vector_test
