// SPDX-License-Identifier: BSD-2-Clause
// Supports of a mesh, bounds of pairs of boxes, and the visit of near triangles, against all
// vertices and all pairs.
#include "mesh/query/placed_mesh.hpp"

#include <gtest/gtest.h>

#include "mesh/query/mesh_query_checks.hpp"

namespace tactum::placed_mesh_test {
namespace {

using testing::Random;

TEST(PlacedMesh, SupportIsTheFarthestOfAllVertices) {
  Random random(72);
  const Mesh mesh = testing::torus_mesh(2.0, 0.5, 14, 9).surface();
  for (int i = 0; i < 200; ++i) {
    const Vector3 n = random.direction();
    const MeshSupport found = mesh_support(mesh, to_double3(n));
    EXPECT_NEAR(found.height, (n.transpose() * mesh.vertices()).maxCoeff(), 1e-15 * 8);
    EXPECT_NEAR(n.dot(to_vector3(found.point)), found.height, 1e-15 * 8);
  }
}

TEST(PlacedMesh, VisitReachesEveryPairThatIsNearEnough) {
  Random random(74);
  const Mesh mesh = testing::box_mesh({1, 2, 3}).surface();
  for (int i = 0; i < 50; ++i) {
    const Pose X = testing::pose_near(random, 4.0);
    const NodePairBound bound(mesh.tree(), mesh.tree(), X);
    int visited = 0;
    // with an unlimited distance every pair of triangles is visited and none is left out
    const double left_out = visit_near_triangles(mesh.tree(), mesh.tree(), bound,
                                                 std::numeric_limits<double>::infinity(),
                                                 [&](std::int32_t, std::int32_t) {
                                                   ++visited;
                                                   return std::numeric_limits<double>::infinity();
                                                 });
    EXPECT_EQ(visited, 12 * 12);
    EXPECT_EQ(left_out, std::numeric_limits<double>::infinity());
  }
}

}  // namespace
}  // namespace tactum::placed_mesh_test
