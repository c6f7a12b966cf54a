// SPDX-License-Identifier: BSD-2-Clause
// Bounds of pairs of boxes: below the signed distance of every pair of triangles in them, near the
// origin, far from it, large and small.
#include "mesh/query/node_pair_bound.hpp"

#include <gtest/gtest.h>

#include "mesh/mesh_fixtures.hpp"
#include "mesh/query/placed_mesh.hpp"

namespace tactum::node_pair_bound_test {
namespace {

using testing::Random;
using testing::RawMesh;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Mesh moved(RawMesh raw, double scale, const Vector3& offset) {
  raw.vertices *= scale;
  raw.vertices.colwise() += offset;
  return raw.surface();
}

/// A random node, and a triangle below it.
struct Below {
  Below(Random& random, const MeshTree& tree) {
    node = random.below(static_cast<int>(tree.nodes().size()));
    std::int32_t leaf = node;
    while (!tree.node(leaf).is_leaf())
      leaf = random.chance(0.5) ? leaf + 1 : tree.node(leaf).second;
    triangle = tree.node(leaf).triangle;
  }
  std::int32_t node, triangle;
};

TEST(NodePairBound, IsBelowTheDistanceOfAllTriangles) {
  Random random(73);
  int apart = 0, sharp = 0;
  for (const double scale : {1.0, 1e-12, 1e20}) {
    for (const double offset : {0.0, 1000.0}) {
      const Mesh a = moved(testing::torus_mesh(2.0, 0.5, 14, 9), scale,
                           offset * scale * Vector3(1, -2, 3)),
                 b = moved(testing::triangle_soup(random, 60, 2.0, 1.0), scale,
                           offset * scale * Vector3(-3, 1, 2));
      for (int i = 0; i < 300; ++i) {
        Pose X = testing::pose_near(random, 0.0);
        X.translation = scale * (offset * Vector3(1, -2, 3) -
                                 X.rotation * (offset * Vector3(-3, 1, 2)) + random.in_box(4.0));
        NodePairBound bound(a.tree(), b.tree(), X);
        if (random.chance(0.7)) bound.look_along(to_double3(random.direction()));
        for (int k = 0; k < 10; ++k) {
          const Below in_a(random, a.tree()), in_b(random, b.tree());
          const MeshTree::Node &node_a = a.tree().node(in_a.node),
                               &node_b = b.tree().node(in_b.node);
          const double whole = bound(node_a, node_b, kInfinity);
          const TrianglePair pair = triangle_distance(mesh_triangle(a, in_a.triangle),
                                                      placed(X, mesh_triangle(b, in_b.triangle)));
          ASSERT_LE(whole, pair.upper + 1e-12 * scale * (1.0 + offset));
          apart += whole > 0.0 ? 1 : 0;
          sharp += whole > 0.8 * pair.upper ? 1 : 0;
          // what stops early is a bound as well, and says as much as was asked for
          const double enough = scale * random.uniform(-3.0, 3.0),
                       stopped = bound(node_a, node_b, enough);
          ASSERT_LE(stopped, whole);
          ASSERT_TRUE(stopped == whole || stopped > enough);
        }
      }
    }
  }
  EXPECT_GT(apart, 2000);
  EXPECT_GT(sharp, 500);
}

}  // namespace
}  // namespace tactum::node_pair_bound_test
