// SPDX-License-Identifier: BSD-2-Clause
// The Boolean query of a lane, on the host, against the certified library: every ordered pair of
// kinds.
#include "gpu/collide_pair.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu/packed_shapes.hpp"
#include "support/random_shapes.hpp"
#include "support/repetitions.hpp"
#include "tactum/distance.hpp"

namespace tactum::gpu {
namespace collide_pair_tests {

Status collision(const Shape& a, const Vector7& numbers_a, const Shape& b,
                 const Vector7& numbers_b) {
  const std::vector<Shape> shapes = {a, b};
  const PackedShapes packed = pack_shapes(shapes);
  const TableView<1> table{
      packed.single.data(), packed.exact.data(), {packed.blocks.data(), packed.vertices.data(), 0}};
  return collision_of_pair<kAllKinds>(table, 0, read_pose(numbers_a.data()), 1,
                                      read_pose(numbers_b.data()));
}

TEST(GpuCollidePair, NoSignIsWrong) {
  constexpr int num_samples = testing::repetitions(400);
  for (const ShapeKind kind_a : testing::kGpuKinds) {
    for (const ShapeKind kind_b : testing::kGpuKinds) {
      if (kind_a == ShapeKind::half_space && kind_b == ShapeKind::half_space) continue;
      const testing::PairSampler sampler(kind_a, kind_b, 3141);
      int decided = 0;
      for (int i = 0; i < num_samples; ++i) {
        const testing::PairSample sample = sampler.sample(static_cast<std::uint64_t>(i));
        const Vector7 a = pose_xyz_xyzw(sample.X_WA), b = pose_xyz_xyzw(sample.X_WB);
        const Status found = collision(sample.a, a, sample.b, b);
        // by GJK and the exact stage behind it, so that no closed form of the library is between
        // the two
        const Status exact = distance(sample.a, pose_from_xyz_xyzw(a), sample.b,
                                      pose_from_xyz_xyzw(b), {.method = Method::gjk})
                                 .status;
        EXPECT_FALSE(found == Status::separated && exact == Status::penetrating)
            << sample.describe();
        EXPECT_FALSE(found == Status::penetrating && exact == Status::separated)
            << sample.describe();
        decided += found == Status::separated || found == Status::penetrating ||
                           found == Status::touching
                       ? 1
                       : 0;
      }
      EXPECT_GE(decided, num_samples * 8 / 10) << to_string(kind_a) << " " << to_string(kind_b);
    }
  }
}

TEST(GpuCollidePair, ThinSimplexDoesNotProveOverlap) {
  // a ball just outside a cylinder: the plane of a thin triangle of points of the cylinder passes
  // nearer to its center than the triangle does
  const testing::PairSampler sampler(ShapeKind::sphere, ShapeKind::cylinder, 7);
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const testing::PairSample sample = sampler.sample(i);
    const Vector7 a = pose_xyz_xyzw(sample.X_WA), b = pose_xyz_xyzw(sample.X_WB);
    if (collision(sample.a, a, sample.b, b) != Status::penetrating) continue;
    EXPECT_NE(distance(sample.a, pose_from_xyz_xyzw(a), sample.b, pose_from_xyz_xyzw(b)).status,
              Status::separated)
        << sample.describe();
  }
}

TEST(GpuCollidePair, BadRowsAreRefused) {
  const Shape plane = HalfSpace{}, ball = Sphere{.radius = 1.0};
  Vector7 here = Vector7::Unit(6), there = Vector7::Unit(6);
  there[2] = 5.0;
  EXPECT_EQ(collision(plane, here, plane, there), Status::invalid_input);
  EXPECT_EQ(collision(ball, here, ball, there), Status::separated);
  EXPECT_EQ(collision(ball, here, ball, here), Status::penetrating);
  there[6] = 0.5;
  EXPECT_EQ(collision(ball, here, ball, there), Status::invalid_input);
}

}  // namespace collide_pair_tests
}  // namespace tactum::gpu
