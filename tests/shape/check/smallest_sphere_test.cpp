// SPDX-License-Identifier: BSD-2-Clause
#include "shape/check/smallest_sphere.hpp"

#include <gtest/gtest.h>

#include "broad/broad_fixtures.hpp"
#include "support/repetitions.hpp"

namespace tactum::smallest_sphere_test {
namespace {

using namespace tactum::testing;

double farthest(const Points& points, const Vector3& center) {
  return (points.colwise() - center).colwise().norm().maxCoeff();
}

/// The farthest distance is a convex function of the center: where no small step makes it smaller,
/// it is least.
TEST(SmallestSphere, NoOtherCenterIsBetter) {
  Random random(1);
  for (int k = 0; k < repetitions(500); ++k) {
    const int count = 1 + random.below(60);
    const double unit = random.log_uniform(1e-20, 1e20);
    Points points(3, count);
    const int sort = random.below(5);
    for (Eigen::Index i = 0; i < count; ++i) {
      Vector3 p = random.in_box(1);
      if (sort == 1) p.normalize();                                 // all on a sphere
      if (sort == 2) p = p.array().round();                         // corners of a cube, repeated
      if (sort == 3) p.z() = 0;                                     // flat
      if (sort == 4) p = random.uniform(-1, 1) * Vector3(1, 2, 3);  // on a line
      points.col(i) = unit * (p + Vector3(3, 0, 0));
    }
    const BoundingSphere ball = smallest_sphere(points);
    ASSERT_NEAR(farthest(points, ball.center), ball.radius, 1e-13 * 4 * unit);
    for (int i = 0; i < 40; ++i) {
      const double step = random.log_uniform(1e-6, 0.1) * unit;
      ASSERT_GE(farthest(points, ball.center + step * random.direction()),
                ball.radius - 1e-12 * unit)
          << k << " sort " << sort;
    }
  }
}

TEST(SmallestSphere, ClosedForms) {
  Points points(3, 4);
  points << 0, 2, 1, 1, 0, 0, 0.5, 0.1, 0, 0, 0, 0;  // the others are inside the sphere of the
                                                     // first two
  EXPECT_NEAR(smallest_sphere(points).radius, 1.0, 1e-14);
  points << 1, -1, -1, 1, 1, -1, 1, -1, 1, 1, -1, -1;  // a regular tetrahedron
  EXPECT_NEAR(smallest_sphere(points).radius, std::sqrt(3.0), 1e-14);
  EXPECT_LT(smallest_sphere(points).center.norm(), 1e-14);
  EXPECT_EQ(smallest_sphere(Points::Constant(3, 5, 0.7)).radius, 0.0);
}

}  // namespace
}  // namespace tactum::smallest_sphere_test
