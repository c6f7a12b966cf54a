// SPDX-License-Identifier: BSD-2-Clause
// Bounds and status from pairs of triangles.
#include "mesh/query/mesh_answer.hpp"

#include <gtest/gtest.h>

namespace tactum::mesh_answer_test {
namespace {

TrianglePair pair_at(double lower, double upper) {
  return {lower, upper, {1, 0, 0}, {0, 0, 0}, {upper, 0, 0}};
}

const MeshFrame frame({}, false, 1.0, 1.0, Vector3(2, 0, 0));

TEST(MeshAnswer, TheNearestPairCounts) {
  NearestPair nearest(frame, 10.0);
  nearest.take(pair_at(0.5, 0.5), 1, 2);
  nearest.take(pair_at(0.2, 0.2), 3, 4);
  EXPECT_TRUE(nearest.settles(0.3));
  EXPECT_FALSE(nearest.settles(0.1));
  nearest.leave_out(0.25);
  const GeometryDistance answer = nearest.surface_answer({});
  EXPECT_EQ(answer.distance, 0.2);
  EXPECT_EQ(answer.part_a, 3);
  EXPECT_EQ(answer.status, Status::separated);
  EXPECT_LT(answer.lower, 0.2);
  EXPECT_GT(answer.upper, 0.2);
}

TEST(MeshAnswer, WideBoundsAreNotConverged) {
  NearestPair nearest(frame, 10.0);
  nearest.take(pair_at(0.1, 0.2), 0, 0);
  EXPECT_EQ(nearest.surface_answer({}).status, Status::not_converged);
  NearestPair other(frame, 10.0);
  other.take(pair_at(0.2, 0.2), 0, 0);
  other.leave_out(0.1);
  EXPECT_EQ(other.surface_answer({}).status, Status::not_converged);
}

TEST(MeshAnswer, BeyondTheCutoffOnlyTheBoundCounts) {
  NearestPair nearest(frame, 0.1);
  nearest.leave_out(0.7);
  const GeometryDistance answer = nearest.surface_answer({.cutoff = 0.1});
  EXPECT_EQ(answer.status, Status::beyond_cutoff);
  EXPECT_EQ(answer.distance, answer.lower);
  EXPECT_LT(answer.lower, 0.7);
  EXPECT_EQ(answer.upper, std::numeric_limits<double>::infinity());
}

TEST(MeshAnswer, SolidsHaveBoundsThatSeldomMeet) {
  NearestPair nearest(frame, 10.0);
  nearest.take(pair_at(-0.1, -0.1), 0, 0);
  EXPECT_TRUE(nearest.crosses());
  const GeometryDistance wide = nearest.overlap_answer({}, {-0.5, {0, 0, 1}, {0, 0, 0}}, 0.2, true);
  EXPECT_EQ(wide.status, Status::not_converged);
  EXPECT_NEAR(wide.upper, -0.2, 1e-14);
  EXPECT_NEAR(wide.lower, -0.5, 1e-14);
  const GeometryDistance tight = nearest.overlap_answer({}, {-0.1, {0, 0, 1}, {0, 0, 0}}, 0.0,
                                                        true);
  EXPECT_EQ(tight.status, Status::penetrating);
  EXPECT_EQ(tight.distance, -0.1);
  EXPECT_EQ(nearest.collision(false).status, Status::penetrating);
}

TEST(MeshAnswer, OfSurfacesThatCrossOnlyTheCrossingIsClaimed) {
  NearestPair nearest(frame, 10.0);
  nearest.take(pair_at(-0.1, -0.1), 3, 4);
  const GeometryDistance answer = nearest.overlap_answer({}, {-0.5, {0, 0, 1}, {1, 0, 0}}, 0.0,
                                                         false);
  EXPECT_EQ(answer.status, Status::penetrating);
  EXPECT_EQ(answer.distance, -0.5);
  EXPECT_NEAR(answer.lower, -0.5, 1e-14);
  EXPECT_NEAR(answer.upper, -0.1, 1e-14);
  EXPECT_EQ(answer.point_b, Vector3(1, 0, -0.5));
  EXPECT_EQ(answer.warm_start.vertices[0], 3);
  EXPECT_EQ(answer.warm_start.vertices[1], 4);
}

}  // namespace
}  // namespace tactum::mesh_answer_test
