// SPDX-License-Identifier: BSD-2-Clause
// How a polytope names its faces and edges. That it grows to the boundary of M is tested in
// depth_proof_test.cpp, where its answers are proved and held against the library.
#include "gpu/depth_polytope.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace tactum::gpu::depth_polytope_test {
namespace {

using Polytope = DepthPolytope<double, std::uint32_t, 4>;

TEST(GpuDepthPolytope, AFaceKeepsItsThreeCorners) {
  for (const int a : {0, 1, 127, 255}) {
    for (const int b : {0, 2, 128, 255}) {
      const std::uint32_t face = face_of(a, b, 77);
      EXPECT_EQ(corner_in(face, 0), a);
      EXPECT_EQ(corner_in(face, 1), b);
      EXPECT_EQ(corner_in(face, 2), 77);
      EXPECT_NE(face, Polytope::kNoFace);
    }
  }
}

TEST(GpuDepthPolytope, EdgesAreDirectedAndAreClearedByAllLanesTogether) {
  const auto polytope = std::make_unique<Polytope>();
  for (int lane = 0; lane < kWarpLanes; ++lane) polytope->clear_edges(lane);
  for (int from = 0; from < Polytope::kCorners; ++from) {
    for (int to = 0; to < Polytope::kCorners; ++to) ASSERT_FALSE(polytope->has_edge(from, to));
  }
  HostWarp::set_bit(polytope->edges[3][40 / kWarpLanes], 40 % kWarpLanes);
  EXPECT_TRUE(polytope->has_edge(3, 40));
  EXPECT_FALSE(polytope->has_edge(40, 3));
  EXPECT_FALSE(polytope->has_edge(3, 41));
}

TEST(GpuDepthPolytope, HasRoomForASphereOfTrianglesOverItsCorners) {
  EXPECT_GE(Polytope::kFaces, 2 * Polytope::kCorners - 4);
}

}  // namespace
}  // namespace tactum::gpu::depth_polytope_test
