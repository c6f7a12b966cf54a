// SPDX-License-Identifier: BSD-2-Clause
// The tree of boxes: every triangle once, inside all boxes above it, in bounded depth.
#include "mesh/surface/mesh_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "mesh/mesh_fixtures.hpp"

namespace tactum::mesh_tree_test {
namespace {

using testing::Random;
using testing::RawMesh;

/// Checks the boxes below a node; returns the depth.
int check(const MeshTree& tree, const RawMesh& raw, std::int32_t index, std::vector<int>& seen,
          std::vector<std::int32_t>& below) {
  const MeshTree::Node& node = tree.node(index);
  const std::size_t begin = below.size();
  int depth = 0;
  if (node.is_leaf()) {
    ++seen[static_cast<std::size_t>(node.triangle)];
    below.push_back(node.triangle);
  } else {
    depth = 1 + std::max(check(tree, raw, index + 1, seen, below),
                         check(tree, raw, node.second, seen, below));
  }
  for (std::size_t i = begin; i < below.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const Vector3 vertex = raw.vertices.col(raw.triangles(k, below[i]));
      for (int axis = 0; axis < 3; ++axis) {
        EXPECT_LE(static_cast<double>(node.lower[axis]), vertex[axis]);
        EXPECT_GE(static_cast<double>(node.upper[axis]), vertex[axis]);
      }
    }
  }
  return depth;
}

int check(const RawMesh& raw) {
  const MeshTree tree(raw.vertices, raw.triangles);
  const auto count = static_cast<std::size_t>(raw.triangles.cols());
  std::vector<int> seen(count, 0);
  std::vector<std::int32_t> below;
  const int depth = check(tree, raw, 0, seen, below);
  EXPECT_EQ(seen, std::vector<int>(count, 1));
  EXPECT_EQ(tree.nodes().size(), 2 * count - 1);
  return depth;
}

TEST(MeshTree, HoldsEveryTriangleOnce) {
  Random random(41);
  for (int i = 0; i < 30; ++i)
    check(testing::triangle_soup(random, 1 + random.below(200), random.log_uniform(1e-3, 1e20),
                                 random.log_uniform(1e-25, 1.0)));
  EXPECT_LE(check(testing::torus_mesh(2.0, 0.5, 40, 30)), 20);
}

TEST(MeshTree, ABadDistributionStaysShallow) {
  RawMesh raw{Points(3, 3), Triangles(3, 3000)};
  raw.vertices.setIdentity();
  for (int t = 0; t < 3000; ++t) raw.triangles.col(t) << 0, 1, 2;
  EXPECT_LE(check(raw), 12);
  Random random(42);
  RawMesh powers = testing::triangle_soup(random, 400, 1.0, 1.0);  // each twice as large
  for (int i = 0; i < powers.vertices.cols(); ++i)
    powers.vertices.col(i) *= std::ldexp(1.0, -(i / 3) % 200);
  EXPECT_LE(check(powers), MeshTree::kMostDepth);
}

/// Several threads share a build of more than 8192 triangles.
TEST(MeshTree, IsTheSameFromAnyNumberOfThreads) {
  Random random(44);
  for (const RawMesh& raw :
       {testing::torus_mesh(2.0, 0.5, 150, 100), testing::triangle_soup(random, 20000, 3.0, 0.1)}) {
    ASSERT_GT(raw.triangles.cols(), 2 * 8192);
    const MeshTree alone(raw.vertices, raw.triangles, 1);
    const auto bytes = std::as_bytes(alone.nodes());
    for (const int num_threads : {2, 3, 8, 0}) {
      for (int round = 0; round < 5; ++round) {
        const MeshTree together(raw.vertices, raw.triangles, num_threads);
        EXPECT_TRUE(std::ranges::equal(std::as_bytes(together.nodes()), bytes)) << num_threads;
      }
    }
  }
  check(testing::torus_mesh(2.0, 0.5, 150, 100));
}

TEST(MeshTree, LeastFindsTheLeast) {
  Random random(43);
  const RawMesh raw = testing::triangle_soup(random, 300, 5.0, 0.5);
  const MeshTree tree(raw.vertices, raw.triangles);
  for (int i = 0; i < 50; ++i) {
    const Vector3 n = random.direction();
    double least = std::numeric_limits<double>::infinity();
    int visits = 0;
    tree.least(
        least,
        [&](const MeshTree::Node& node) {
          return n.dot(to_vector3(node.center())) - n.cwiseAbs().dot(to_vector3(node.half()));
        },
        [&](std::int32_t t) {
          ++visits;
          for (int k = 0; k < 3; ++k)
            least = std::min(least, n.dot(raw.vertices.col(raw.triangles(k, t))));
          return least;
        });
    EXPECT_EQ(least, (n.transpose() * raw.vertices).minCoeff());
    EXPECT_LT(visits, 100);
  }
}

}  // namespace
}  // namespace tactum::mesh_tree_test
