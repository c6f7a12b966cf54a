// SPDX-License-Identifier: BSD-2-Clause
// Depths by one lane, on the host: what they prove against the library, and how often they do.
#include "gpu/lane_polytope.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu/distance_pair.hpp"
#include "gpu/packed_shapes.hpp"
#include "support/random.hpp"
#include "support/repetitions.hpp"
#include "tactum/distance.hpp"

namespace tactum::gpu {
namespace lane_polytope_tests {

Shape random_hull(testing::Random& random) {
  Points points(3, 27);
  const Vector3 axes(random.uniform(0.1, 0.5), random.uniform(0.1, 0.5), random.uniform(0.1, 0.5));
  for (int i = 0; i < 27; ++i) points.col(i) = axes.cwiseProduct(random.direction());
  return Convex::from_points(points);
}

Shape random_box(testing::Random& random) {
  return Box{.half_extents = {random.uniform(0.1, 0.5), random.uniform(0.1, 0.5),
                              random.uniform(0.1, 0.5)}};
}

struct Tally {
  int overlapping = 0, proved = 0;
};

/// One pair whose search ends in four points: its depth by a lane against the library.
template <KindSet kKinds>
void check_depth(const std::vector<Shape>& shapes, const Pose& X_WA, const Pose& X_WB,
                 double tolerance, Tally& tally) {
  const PackedShapes packed = pack_shapes(shapes);
  const TableView<1> table{
      packed.single.data(), packed.exact.data(), {packed.blocks.data(), packed.vertices.data(), 0}};
  const Vector7 a = pose_xyz_xyzw(X_WA), b = pose_xyz_xyzw(X_WB);
  const DoublePair pair = double_pair(table, 0, read_pose(a.data()), 1, read_pose(b.data()),
                                      tolerance);
  const auto result = searched<kKinds>(pair, table.single[0], table.single[1], table.vertices,
                                       0.5 * tolerance, kSingleIterations, true);
  if (result.state != LaneState::overlapping) return;
  ++tally.overlapping;
  const PairAnswer answer = depth_by_lane<kKinds>(pair, table.single[0], table.single[1],
                                                  table.vertices, result);
  if (answer.status == Status::not_converged) return;
  ++tally.proved;
  const Distance exact = distance(shapes[0], pose_from_xyz_xyzw(a), shapes[1],
                                  pose_from_xyz_xyzw(b));
  EXPECT_LE(answer.lower, answer.distance);
  EXPECT_LE(answer.distance, answer.upper);
  EXPECT_LE(answer.lower, exact.upper);
  EXPECT_GE(answer.upper, exact.lower);
  EXPECT_NEAR(answer.distance, exact.distance, 1.01 * tolerance * pair.scale);
  EXPECT_NEAR(norm(answer.normal), 1.0, 1e-14);
  const Vector<double> off = answer.point_b - answer.point_a - answer.distance * answer.normal;
  EXPECT_LE(norm(off), 2.0 * std::sqrt(tolerance) * pair.scale);
}

template <KindSet kKinds, class MakeShape>
void check_shapes(MakeShape make, double spread, double tolerance, double share) {
  testing::Random random(17);
  Tally tally;
  for (int i = 0; i < testing::repetitions(1500); ++i) {
    const std::vector<Shape> shapes = {make(random), make(random)};
    const Pose X_WA{random.rotation(), random.direction()};
    // some poses in line, where faces have ties
    const Matrix3 turn = i % 10 == 0 ? X_WA.rotation : random.rotation();
    const Pose X_WB{turn, X_WA.translation + random.uniform(0.0, spread) * random.direction()};
    check_depth<kKinds>(shapes, X_WA, X_WB, tolerance, tally);
  }
  EXPECT_GT(tally.overlapping, testing::repetitions(300));
  EXPECT_GE(tally.proved, static_cast<int>(share * tally.overlapping));
}

TEST(GpuLanePolytope, DepthsOfHullsAreThoseOfTheLibrary) {
  // a fifth of these, which are deep in each other, need more corners than a lane has
  check_shapes<set_of(CoreKind::polytope)>(random_hull, 0.6, 1e-6, 0.75);
  check_shapes<set_of(CoreKind::polytope)>(random_hull, 0.6, 1e-10, 0.75);
}

TEST(GpuLanePolytope, DepthsOfBoxesAreThoseOfTheLibrary) {
  check_shapes<set_of(CoreKind::box)>(random_box, 0.9, 1e-6, 0.85);
}

}  // namespace lane_polytope_tests
}  // namespace tactum::gpu
