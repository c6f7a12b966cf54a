// SPDX-License-Identifier: BSD-2-Clause
// Normals of triangles, slivers included: orthogonal to both edges, against the cross product in
// extended precision.
#include "math/triangle_normal.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace tactum::triangle_normal_test {
namespace {

using Extended = Eigen::Matrix<long double, 3, 1>;
constexpr double kEps = 2.220446049250313e-16;

TEST(TriangleNormal, StaysOrthogonalToTheLongEdgeOfASliver) {
  for (int sample = 0; sample < 2000; ++sample) {
    testing::Random random(static_cast<std::uint64_t>(sample));
    const Vector3 e1 = random.in_box(1.0);
    const double thickness = std::pow(10.0, random.uniform(-12.0, 0.0));
    const Vector3 e2 = e1 * random.uniform(0.2, 2.0) + thickness * random.in_box(1.0);
    const Vector3 n = triangle_normal(e1, e2);
    ASSERT_GT(n.norm(), 0.5);
    EXPECT_NEAR(n.norm(), 1.0, 4.0 * kEps);
    EXPECT_LE(std::abs(n.dot(e1)), 4.0 * kEps * e1.norm());
    EXPECT_LE(std::abs(n.dot(e2)), 8.0 * kEps * e2.norm());
    const Extended exact = e1.cast<long double>().cross(e2.cast<long double>()).normalized();
    const double sine = e1.normalized().cross(e2.normalized()).norm();
    EXPECT_LE(static_cast<double>((n.cast<long double>() - exact).norm()), 8.0 * kEps / sine);
  }
}

TEST(TriangleNormal, ParallelEdgesHaveNone) {
  EXPECT_TRUE(triangle_normal({1.0, 2.0, 3.0}, {2.0, 4.0, 6.0}).isZero(0.0));
  EXPECT_TRUE(triangle_normal({1.0, 2.0, 3.0}, Vector3::Zero()).isZero(0.0));
  EXPECT_TRUE(triangle_normal(Vector3::Zero(), {1.0, 2.0, 3.0}).isZero(0.0));
}

}  // namespace
}  // namespace tactum::triangle_normal_test
