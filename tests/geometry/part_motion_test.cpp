// SPDX-License-Identifier: BSD-2-Clause
// The motion of a part against a rigid motion of its geometry.
#include "geometry/part_motion.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace tactum::part_motion_test {
namespace {

using testing::Random;

TEST(PartMotion, MovesTheOriginOfThePart) {
  Random random(71);
  for (int i = 0; i < 20; ++i) {
    const Pose X{random.rotation(), random.in_box(2.0)},
        part{random.rotation(), random.in_box(2.0)};
    for (const TangentFrame frame :
         {TangentFrame::local, TangentFrame::world, TangentFrame::local_world_aligned}) {
      // the Jacobian of the origin of the part by its own motion, in world axes
      Matrix3x12 jacobian = Matrix3x12::Zero();
      jacobian.leftCols<3>().setIdentity();
      PartMotion(X, part, X, part, frame).apply(jacobian);
      for (int axis = 0; axis < 3; ++axis) {
        const Vector3 unit = frame == TangentFrame::local ? Vector3(X.rotation.col(axis))
                                                          : Vector3(Vector3::Unit(axis));
        const Vector3 pivot = frame == TangentFrame::world ? Vector3(Vector3::Zero())
                                                           : X.translation;
        EXPECT_LE((jacobian.col(axis) - unit).norm(), 1e-14);
        EXPECT_LE((jacobian.col(3 + axis) - unit.cross(part.translation - pivot)).norm(), 1e-14);
        EXPECT_TRUE(jacobian.col(6 + axis).isZero(0.0));
      }
    }
  }
}

TEST(PartMotion, ErrorsAddUp) {
  const Pose X{}, part{.translation = {1, 2, 3}};
  RowVector12 ones = RowVector12::Ones(), errors = ones;
  const PartMotion motion(X, part, X, part, TangentFrame::local);
  motion.apply(ones);
  motion.of_errors().apply(errors);
  EXPECT_TRUE((errors.array() >= ones.array().abs()).all());
}

}  // namespace
}  // namespace tactum::part_motion_test
