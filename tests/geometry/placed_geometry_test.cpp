// SPDX-License-Identifier: BSD-2-Clause
// Pieces of two geometries: near ones are visited, and their places do not depend on the world.
#include "geometry/placed_geometry.hpp"

#include <gtest/gtest.h>

#include <set>

#include "mesh/mesh_fixtures.hpp"
#include "scene/scene_fixtures.hpp"

namespace tactum::placed_geometry_test {
namespace {

using testing::Random;

TEST(PlacedGeometry, AMeshIsOnePiece) {
  const Geometry mesh(testing::box_mesh({1, 1, 1}).solid());
  const Pose X{.translation = {1, 2, 3}};
  const PlacedGeometry placed(mesh, X);
  EXPECT_TRUE(placed.has(0));
  EXPECT_FALSE(placed.has(1));
  EXPECT_EQ(placed.piece(0).mesh, mesh.mesh());
  EXPECT_EQ(placed.piece(0).shape, nullptr);
  EXPECT_EQ(placed.piece(0).X.translation, X.translation);
  EXPECT_EQ(placed.next_equal(0), -1);
}

TEST(PlacedGeometry, VisitsEveryPairOfPiecesThatIsNear) {
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    const Compound compound = testing::random_compound(random, 1 + random.below(8));
    const Geometry a(testing::box_mesh(Vector3(0.3, 0.4, 0.5)).solid()), b(compound);
    const Pose X_WA = testing::random_pose(random, 1.0), X_WB = testing::random_pose(random, 2.0);
    const PlacedGeometryPair pair(a, X_WA, b, X_WB);
    std::set<std::int32_t> visited;
    const double left_out = visit_near(pair, 0.5, [&](std::int32_t piece_a, std::int32_t piece_b) {
      EXPECT_EQ(piece_a, 0);
      visited.insert(piece_b);
      return 0.5;
    });
    for (std::int32_t part = 0; part < b.num_parts(); ++part) {
      const CompoundPart& piece = compound.parts()[static_cast<std::size_t>(part)];
      const double apart = distance(Shape(Box{.half_extents = {0.3, 0.4, 0.5}}), X_WA, piece.shape,
                                    X_WB * piece.X_CP)
                               .distance;
      if (apart < 0.5) {
        EXPECT_TRUE(visited.contains(part));
      }
      if (!visited.contains(part)) {
        EXPECT_GE(apart, left_out);
      }
    }
  }
}

}  // namespace
}  // namespace tactum::placed_geometry_test
