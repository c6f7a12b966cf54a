// SPDX-License-Identifier: BSD-2-Clause
// A segment against a box, a cylinder and a cone, against the oracle.
#include "narrow/formula/segment_primitive.hpp"

#include <gtest/gtest.h>

#include "narrow/narrow_fixtures.hpp"

namespace tactum::segment_primitive_test {
namespace {

using namespace tactum::testing;

template <class PointPrimitive>
int count_answers(const Shape& primitive, Random& random) {
  int answers = 0;
  for (int k = 0; k < 30; ++k) {
    const double half = random.uniform(0.05, 0.6);
    const Pose X{random.rotation(), random.log_uniform(0.5, 2.0) * random.direction()};
    SegmentPrimitiveAnswer found;
    if (!segment_against<PointPrimitive>(to_double3(primitive.core().size),
                                         to_double3(X.translation), to_double3(X.rotation.col(2)),
                                         half, 1.0, found))
      continue;
    ++answers;
    const Shape capsule = Capsule{.radius = 0.1, .half_length = half};
    const Truth truth = oracle_distance(primitive, capsule, X);
    const double distance = static_cast<double>(truth.distance) + 0.1;
    SCOPED_TRACE(::testing::Message() << k << " " << primitive.to_string());
    EXPECT_NEAR(found.nearest.distance, distance, 1e-14 + static_cast<double>(truth.error));
    EXPECT_LE(found.lower, distance + static_cast<double>(truth.error) + 1e-15);
    EXPECT_LE(std::abs(found.s), half);
  }
  return answers;
}

TEST(SegmentPrimitive, AnswersAreTrueAndMostPosesHaveOne) {
  Random random(11);
  int answers = 0;
  for (int k = 0; k < 5; ++k) {
    const Vector3 sizes = random_sizes(random);
    answers += count_answers<PointBox>(Box{.half_extents = sizes}, random);
    answers += count_answers<PointCylinder>(Cylinder{.radius = sizes.x(), .half_length = sizes.y()},
                                            random);
    answers += count_answers<PointCone>(Cone{.radius = sizes.x(), .half_length = sizes.y()},
                                        random);
  }
  EXPECT_GE(answers, 3 * 5 * 30 / 2);
}

TEST(SegmentPrimitive, RefusesASegmentThatMeetsTheSolid) {
  SegmentPrimitiveAnswer found;
  EXPECT_FALSE(segment_against<PointBox>({0.5, 0.5, 0.5}, {0.1, 0.0, 0.0}, {0.0, 0.0, 1.0}, 1.0,
                                         1.0, found));
}

}  // namespace
}  // namespace tactum::segment_primitive_test
