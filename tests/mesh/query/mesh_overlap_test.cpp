// SPDX-License-Identifier: BSD-2-Clause
// Solids that touch, nest, fit and overlap: against whole numbers, where the truth is exact.
#include "mesh/query/mesh_overlap.hpp"

#include <gtest/gtest.h>

#include "mesh/query/voxel_solids.hpp"
#include "support/repetitions.hpp"
#include "tactum/geometry.hpp"

namespace tactum::mesh_overlap_test {
namespace {

using testing::Obstacles;
using testing::Random;
using testing::Voxels;

Pose at(const testing::Cell& cell) {
  return {.translation = {double(cell[0]), double(cell[1]), double(cell[2])}};
}

/// What is claimed of two geometries against the truth; returns whether the depth was proved.
bool expect_true(const GeometryDistance& found, const Collision& collision, double truth) {
  EXPECT_LE(found.lower, truth);
  EXPECT_GE(found.upper, truth);
  EXPECT_LE(found.lower, found.distance);
  EXPECT_EQ(collision.colliding, truth <= 0.0);
  EXPECT_LE(collision.lower, truth);
  switch (found.status) {
    case Status::separated: EXPECT_NEAR(found.distance, truth, 1e-12); break;
    case Status::touching: EXPECT_EQ(truth, 0.0); break;
    case Status::penetrating: EXPECT_NEAR(found.distance, truth, 1e-9); break;
    case Status::not_converged: EXPECT_LE(truth, 0.0); return false;
    default: ADD_FAILURE() << static_cast<int>(found.status);
  }
  return true;
}

testing::Cell random_place(Random& random) {
  testing::Cell place;
  for (int& k : place) k = random.below(11) - 5;
  return place;
}

TEST(MeshOverlap, OfSolidsOnAGridIsBoundedByTheTruth) {
  Random random(121);
  int deep = 0, seen = 0, touching = 0, proved = 0;
  for (int i = 0; i < testing::repetitions(150); ++i) {
    const double share = random.chance(0.5) ? 0.4 : 0.85;
    const Voxels cells_a = Voxels::random(random, 1 + random.below(4), share),
                 cells_b = Voxels::random(random, 1 + random.below(3), share);
    const Mesh a = cells_a.mesh(random).solid(), b = cells_b.mesh(random).solid();
    const Obstacles obstacles = Obstacles::of_solids(cells_a, cells_b);
    for (int k = 0; k < 10; ++k) {
      const testing::Cell place = random_place(random);
      SCOPED_TRACE(i * 10 + k);
      const double truth = obstacles.signed_distance(place);
      const GeometryDistance found = distance(a, {}, b, at(place));
      const bool is_proved = expect_true(found, collide(a, {}, b, at(place)), truth);
      if (::testing::Test::HasFailure()) return;
      touching += truth == 0.0 ? 1 : 0;
      deep += truth < 0.0 ? 1 : 0;
      seen += truth < 0.0 && found.upper < 0.0 ? 1 : 0;
      proved += truth < 0.0 && is_proved ? 1 : 0;
    }
  }
  EXPECT_GT(deep, testing::repetitions(150));
  EXPECT_GT(touching, testing::repetitions(50));
  EXPECT_EQ(seen, deep);
  EXPECT_GT(proved, deep / 10);
}

TEST(MeshOverlap, OfASolidAndASurfaceOnAGridIsBoundedByTheTruth) {
  Random random(122);
  int deep = 0, seen = 0;
  for (int i = 0; i < testing::repetitions(60); ++i) {
    const Voxels cells_a = Voxels::random(random, 1 + random.below(4), 0.7),
                 cells_b = Voxels::random(random, 1 + random.below(3), 0.7);
    const Mesh a = cells_a.mesh(random).solid(), b = cells_b.mesh(random).surface();
    const Obstacles obstacles = Obstacles::of_surface(cells_a, cells_b);
    for (int k = 0; k < 10; ++k) {
      const testing::Cell place = random_place(random);
      SCOPED_TRACE(i * 10 + k);
      const double truth = obstacles.signed_distance(place);
      const GeometryDistance found = distance(a, {}, b, at(place));
      expect_true(found, collide(a, {}, b, at(place)), truth);
      if (::testing::Test::HasFailure()) return;
      deep += truth < 0.0 ? 1 : 0;
      seen += truth < 0.0 && found.upper < 0.0 ? 1 : 0;
    }
  }
  EXPECT_GT(deep, testing::repetitions(60));
  EXPECT_GE(seen, deep - deep / 50);  // of the others the bounds leave the sign open
}

TEST(MeshOverlap, OfAGridAndABoxIsBoundedByTheTruth) {
  Random random(123);
  int deep = 0, seen = 0;
  for (int i = 0; i < testing::repetitions(200); ++i) {
    const Voxels cells = Voxels::random(random, 1 + random.below(4), 0.7);
    Voxels block;
    const testing::Cell size = {1 + random.below(3), 1 + random.below(3), 1 + random.below(3)};
    for (int x = 0; x < size[0]; ++x)
      for (int y = 0; y < size[1]; ++y)
        for (int z = 0; z < size[2]; ++z) block.cells.insert({x, y, z});
    const Mesh a = cells.mesh(random).solid();
    const Vector3 half(size[0], size[1], size[2]);
    const Shape box(Box{.half_extents = half});
    const Obstacles obstacles = Obstacles::of_solids(cells, block);
    for (int k = 0; k < 10; ++k) {
      const testing::Cell place = random_place(random);
      SCOPED_TRACE(i * 10 + k);
      Pose X = at(place);
      X.translation += half;
      const double truth = obstacles.signed_distance(place);
      const GeometryDistance found = distance(a, {}, box, X);
      expect_true(found, collide(a, {}, box, X), truth);
      if (::testing::Test::HasFailure()) return;
      deep += truth < 0.0 ? 1 : 0;
      seen += truth < 0.0 && found.upper < 0.0 ? 1 : 0;
    }
  }
  EXPECT_GT(deep, testing::repetitions(200));
  EXPECT_EQ(seen, deep);
}

TEST(MeshOverlap, OfConvexSolidsIsThatOfTheirHulls) {
  Random random(124);
  int deep = 0;
  for (int i = 0; i < 20; ++i) {
    const testing::RawMesh raw_a = testing::hull_mesh(random, 40, 1.0),
                           raw_b = testing::hull_mesh(random, 40, 1.0);
    const Mesh a = raw_a.solid(), b = raw_b.solid();
    const Shape hull_a(Convex::from_points(raw_a.vertices)),
        hull_b(Convex::from_points(raw_b.vertices));
    for (int k = 0; k < 50; ++k) {
      const Pose X_WA = testing::pose_near(random, 1.0), X_WB = testing::pose_near(random, 1.0);
      const Distance expected = distance(hull_a, X_WA, hull_b, X_WB);
      const GeometryDistance found = distance(a, X_WA, b, X_WB),
                             of_shape = distance(a, X_WA, hull_b, X_WB);
      ASSERT_NEAR(found.distance, expected.distance, 1e-9);
      ASSERT_NEAR(of_shape.distance, expected.distance, 1e-9);
      ASSERT_EQ(found.status, expected.status);
      ASSERT_EQ(of_shape.status, expected.status);
      deep += expected.status == Status::penetrating ? 1 : 0;
    }
  }
  EXPECT_GT(deep, 300);
}

}  // namespace
}  // namespace tactum::mesh_overlap_test
