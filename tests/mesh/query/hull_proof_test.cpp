// SPDX-License-Identifier: BSD-2-Clause
// Hulls of meshes: their bounds hold for all vertices, and are sharp where the hulls are the
// meshes.
#include "mesh/query/hull_proof.hpp"

#include <gtest/gtest.h>

#include "mesh/mesh_fixtures.hpp"
#include "mesh/query/placed_mesh.hpp"

namespace tactum::hull_proof_test {
namespace {

using testing::Random;

double separation_of_vertices(const Mesh& a, const Mesh& b, const Pose& X_AB, Double3 n) {
  double top = -HUGE_VAL, low = HUGE_VAL;
  for (const auto& v : a.vertices().colwise()) top = std::max(top, dot(n, to_double3(Vector3(v))));
  for (const auto& v : b.vertices().colwise())
    low = std::min(low, dot(n, placed(X_AB, to_double3(Vector3(v)))));
  return low - top;
}

TEST(HullProof, BoundsHoldForAllVertices) {
  Random random(41);
  int proved = 0;
  for (int i = 0; i < 200; ++i) {
    const Mesh a = testing::triangle_soup(random, 3 + random.below(40), 1.0, 0.5).surface(),
               b = testing::torus_mesh(1.0, 0.3, 8, 5).surface();
    const Pose X = testing::pose_near(random, 4.0);
    const HullPair pair{*a.hull(), *b.hull(), X, hull_slack(a) + hull_slack(b)};
    const Double3 n = to_double3(random.direction());
    const double separation = hull_separation(pair, n);
    EXPECT_LE(separation, separation_of_vertices(a, b, X, n) + 1e-15);
    EXPECT_GE(separation, separation_of_vertices(a, b, X, n) - 1e-13);
    const HullProof found = hull_distance(pair, HUGE_VAL, Vector3::Zero());
    const HullProof plane = hull_plane(pair, random.direction());
    EXPECT_EQ(found.lower > 0.0, plane.lower > 0.0);
    if (!(found.lower > 0.0)) continue;
    ++proved;
    EXPECT_LE(found.lower, separation_of_vertices(a, b, X, found.normal) + 1e-14);
    EXPECT_LE(plane.lower, separation_of_vertices(a, b, X, plane.normal) + 1e-14);
    EXPECT_LE(plane.lower, found.lower + 1e-14);
    EXPECT_NEAR((found.point_b - found.point_a).norm(), found.lower, 1e-12);
  }
  EXPECT_GT(proved, 50);
}

TEST(HullProof, TheDepthPartsAllVertices) {
  Random random(42);
  for (int i = 0; i < 200; ++i) {
    const Mesh a = testing::triangle_soup(random, 3 + random.below(40), 1.0, 0.5).surface(),
               b = testing::torus_mesh(1.0, 0.3, 8, 5).surface();
    const Pose X = testing::pose_near(random, 0.5);
    const HullPair pair{*a.hull(), *b.hull(), X, hull_slack(a) + hull_slack(b)};
    const HullProof found = hull_depth(pair);
    EXPECT_LE(found.lower, separation_of_vertices(a, b, X, found.normal) + 1e-14);
    EXPECT_GE(found.lower, separation_of_vertices(a, b, X, found.normal) - 1e-8);
    for (int k = 0; k < 20; ++k)  // no direction that is tried parts them sooner
      EXPECT_GE(found.lower,
                separation_of_vertices(a, b, X, to_double3(random.direction())) - 1e-8);
  }
}

TEST(HullProof, StopsBeyondTheCutoff) {
  const Mesh box = testing::box_mesh({1, 1, 1}).solid();
  const Pose X{Matrix3::Identity(), Vector3(5, 0, 0)};
  const HullPair pair{*box.hull(), *box.hull(), X, 2.0 * hull_slack(box)};
  const HullProof found = hull_distance(pair, 0.5, Vector3::Zero());
  EXPECT_GT(found.lower, 0.5);
  EXPECT_LE(found.lower, 3.0);
  EXPECT_NEAR(hull_distance(pair, HUGE_VAL, Vector3::Zero()).lower, 3.0, 1e-13);
}

}  // namespace
}  // namespace tactum::hull_proof_test
