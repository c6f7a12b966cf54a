// SPDX-License-Identifier: BSD-2-Clause
// Support points by lists of directions, against a scan of all vertices.
#include "gpu/direction_lists.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "gpu/collide_pair.hpp"
#include "gpu/packed_shapes.hpp"
#include "support/random_shapes.hpp"

namespace tactum::gpu {
namespace direction_lists_tests {

/// Hulls of points on ellipsoids, so that some cells see many vertices.
Shape random_hull(testing::Random& random, int num_vertices) {
  Points points(3, num_vertices);
  const Vector3 axes(0.1, 0.3, 0.5);
  for (int i = 0; i < num_vertices; ++i) points.col(i) = axes.cwiseProduct(random.direction());
  return Convex::from_points(points);
}

/// Shapes with their lists, as a search reads them.
struct Listed {
  explicit Listed(const std::vector<Shape>& shapes) : packed(pack_shapes(shapes)) {
    append_lists(packed);
    const auto* const numbers = reinterpret_cast<const float*>(packed.blocks.data());
    for (std::size_t v = 0; v < packed.blocks.size() / 3 * 4; ++v) {
      const std::size_t at = 12 * (v / 4) + v % 4;
      vertices.push_back({numbers[at], numbers[at + 4], numbers[at + 8], 0.0F});
    }
  }
  ListedView<1> listed() const { return {vertices.data(), packed.lists.data(), 0}; }
  VertexView<1> scanned() const { return {packed.blocks.data(), packed.vertices.data(), 0}; }

  ListedBlocks proved() const { return {scanned(), packed.lists.data()}; }

  PackedShapes packed;
  std::vector<FourFloats> vertices;
};

Vector<float> rounded(const Vector3& v) {
  return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}

constexpr KindSet kHulls = set_of(CoreKind::polytope);

TEST(GpuDirectionLists, EveryDirectionHasACellAndEveryCellADirection) {
  testing::Random random(1);
  std::array<int, kNumCells> met{};
  for (int i = 0; i < 20000; ++i) {
    const int cell = direction_cell(rounded(random.direction()));
    ASSERT_GE(cell, 0);
    ASSERT_LT(cell, kNumCells);
    ++met[static_cast<std::size_t>(cell)];
  }
  for (const int count : met) EXPECT_GT(count, 0);
  // corners, edges and axes of the cube, of any length
  for (const float x : {-1e-20F, 0.0F, 1e20F}) {
    for (const float y : {-1e-20F, 0.0F, 1e20F}) {
      for (const float z : {-1e20F, 1e-20F}) {
        EXPECT_GE(direction_cell({x, y, z}), 0);
        EXPECT_LT(direction_cell({x, y, z}), kNumCells);
      }
    }
  }
}

TEST(GpuDirectionLists, TheFarthestVertexIsInTheList) {
  testing::Random random(2);
  std::vector<Shape> shapes;
  for (const int count : {4, 5, 8, 12, 27, 27, 40, 64})
    shapes.push_back(random_hull(random, count));
  Points cube(3, 8);  // many vertices are as far along its axes
  for (int i = 0; i < 8; ++i)
    cube.col(i) = Vector3((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1);
  shapes.push_back(Convex::from_points(cube));
  const Listed listed(shapes);
  constexpr double half = 0.5 * kCellsAlongSide;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const CoreRecord<float>& core = listed.packed.single[i];
    const CoreRecord<double>& exact = listed.packed.exact[i];
    for (int k = 0; k < 5000; ++k) {
      Vector3 direction = random.direction();
      if (k % 4 == 0) {  // on borders of cells, where rounding may put it on either side
        direction /= direction.cwiseAbs().maxCoeff();
        for (double& x : direction) x = std::round(half * (x + 1.0)) / half - 1.0;
        if (direction.isZero()) continue;
      }
      const Vector<float> u = rounded(direction);
      const SupportPoint<float> found = support<kHulls>(core, listed.listed(), u),
                                expected = support<kHulls>(core, listed.scanned(), u);
      EXPECT_EQ(dot(found.point, u), dot(expected.point, u));
      // in double, as proofs ask for it
      const Vector3 unit = direction.normalized();
      const Vector<double> n{unit.x(), unit.y(), unit.z()};
      EXPECT_EQ(dot(exact_support<kHulls>(exact, listed.proved(), n).point, n),
                dot(support<kHulls>(exact, listed.scanned(), n).point, n));
    }
  }
}

TEST(GpuDirectionLists, AreShort) {
  testing::Random random(3);
  const Listed listed({random_hull(random, 27), random_hull(random, 27)});
  int two_words = 0, all_vertices = 0;
  for (const CoreRecord<float>& core : listed.packed.single) {
    for (int cell = 0; cell < kNumCells; ++cell) {
      const std::uint32_t more = detail::words_behind(
          listed.packed.lists[static_cast<std::size_t>(core.first_list + cell)]);
      two_words += more != kShortList && more != kAllVertices ? 1 : 0;
      all_vertices += more == kAllVertices ? 1 : 0;
    }
  }
  EXPECT_LT(two_words, 2 * kNumCells / 20);
  EXPECT_EQ(all_vertices, 0);
  // second words lie behind the cells of their hull
  EXPECT_EQ(listed.packed.lists.size(), static_cast<std::size_t>(2 * kNumCells + two_words));
  EXPECT_GE(listed.packed.single[1].first_list, kNumCells);
}

TEST(GpuDirectionLists, AreNotMadeForOtherShapes) {
  testing::Random random(4);
  PackedShapes mixed = pack_shapes(
      std::vector<Shape>{random_hull(random, 8), Sphere{.radius = 1.0}});
  append_lists(mixed);
  EXPECT_TRUE(mixed.lists.empty());
  PackedShapes large = pack_shapes(std::vector<Shape>{random_hull(random, 100)});
  append_lists(large);
  EXPECT_TRUE(large.lists.empty());
}

TEST(GpuDirectionLists, CollisionsAreThoseOfTheScan) {
  testing::Random random(5);
  const Listed shapes({random_hull(random, 27), random_hull(random, 20)});
  int apart = 0, overlapping = 0;
  for (int i = 0; i < 500; ++i) {
    const Pose X{random.rotation(), 0.6 * random.direction()};
    const Vector7 numbers = pose_xyz_xyzw(X);
    const WorldPose here{{0, 0, 0, 1}, {0, 0, 0}, true};
    const auto state_by = [&](const auto& view) {
      GjkLane<float, PieceTag> lane;
      lane.X_AB = converted<float>(relative_pose(here, read_pose(numbers.data())));
      const CoreRecord<float>&a = shapes.packed.single[0], &b = shapes.packed.single[1];
      begin(lane, a, b, 1.0F, 0.0F);
      const CollisionMargins<float> margins = collision_margins(a, b, lane.X_AB);
      CollisionState state = CollisionState::searching;
      while (state == CollisionState::searching)
        state = advance_collision<kHulls>(lane, margins, a, b, view, 32);
      return state;
    };
    const CollisionState found = state_by(shapes.listed());
    EXPECT_EQ(found, state_by(shapes.scanned()));
    apart += found == CollisionState::apart ? 1 : 0;
    overlapping += found == CollisionState::overlapping ? 1 : 0;
  }
  EXPECT_GT(apart, 50);
  EXPECT_GT(overlapping, 50);
}

}  // namespace direction_lists_tests
}  // namespace tactum::gpu
