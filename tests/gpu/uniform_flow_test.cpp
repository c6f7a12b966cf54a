// SPDX-License-Identifier: BSD-2-Clause
// The baseline in uniform flow, on the host, against the library: right away from contact.
#include "gpu/uniform_flow.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "gpu/packed_shapes.hpp"
#include "support/random.hpp"
#include "support/repetitions.hpp"
#include "tactum/distance.hpp"

namespace tactum::gpu {
namespace uniform_flow_tests {

Shape random_hull(testing::Random& random, int num_points) {
  Points points(3, num_points);
  const Vector3 axes(random.uniform(0.1, 0.5), random.uniform(0.1, 0.5), random.uniform(0.1, 0.5));
  for (int i = 0; i < num_points; ++i) points.col(i) = axes.cwiseProduct(random.direction());
  return Convex::from_points(points);
}

TEST(GpuUniformFlow, AgreesAwayFromContact) {
  testing::Random random(31);
  constexpr int num_pairs = testing::repetitions(4000);
  int wrong = 0, hits = 0, compared = 0;
  for (int i = 0; i < num_pairs; ++i) {
    // hulls of different sizes: the smaller is padded
    const std::vector<Shape> shapes = {random_hull(random, 27), random_hull(random, 8)};
    const PackedShapes packed = pack_shapes(shapes);
    const Pose X_WA{random.rotation(), random.direction()};
    const Pose X_WB{random.rotation(),
                    X_WA.translation + random.uniform(0.0, 0.8) * random.direction()};
    const Vector7 a = pose_xyz_xyzw(X_WA), b = pose_xyz_xyzw(X_WB);
    const RelativePose<float> X_AB = converted<float>(
        relative_pose(read_pose(a.data()), read_pose(b.data())));
    const VertexView<1> view{packed.blocks.data(), packed.vertices.data(), 0};
    const bool hit = uniform_flow_hit(packed.single[0], packed.single[1], view, X_AB, 7, 20);
    const double exact = distance(shapes[0], X_WA, shapes[1], X_WB).distance;
    if (std::abs(exact) < 1e-3) continue;
    ++compared;
    hits += hit ? 1 : 0;
    wrong += hit == (exact > 0.0) ? 1 : 0;
  }
  EXPECT_GT(hits, compared / 8);
  EXPECT_LT(hits, compared * 7 / 8);
  EXPECT_LE(wrong, compared / 1000);
}

}  // namespace uniform_flow_tests
}  // namespace tactum::gpu
