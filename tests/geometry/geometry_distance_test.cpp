// SPDX-License-Identifier: BSD-2-Clause
// Geometries against all pairs of their parts, one by one.
#include <gtest/gtest.h>

#include "mesh/query/mesh_query_checks.hpp"
#include "scene/scene_fixtures.hpp"
#include "support/allocation_guard.hpp"
#include "tactum/contact_patch.hpp"

namespace tactum::geometry_distance_test {
namespace {

using testing::Random;

struct PlacedPart {
  Shape shape;
  Pose X;
};

std::vector<PlacedPart> placed_parts(const Geometry& geometry, const Pose& X) {
  if (geometry.shape() != nullptr) return {{*geometry.shape(), X}};
  std::vector<PlacedPart> parts;
  for (const CompoundPart& part : geometry.compound()->parts())
    parts.push_back({part.shape, X * part.X_CP});
  return parts;
}

struct Sample {
  Geometry a, b;
  Pose X_WA, X_WB;
};

Sample random_sample(Random& random) {
  const bool plane = random.chance(0.1);
  return {plane ? Geometry(Shape(HalfSpace{.normal = random.direction(), .offset = 0.1}))
                : testing::random_geometry(random),
          testing::random_compound(random, 1 + random.below(12)), testing::random_pose(random, 1.0),
          testing::random_pose(random, random.chance(0.3) ? 0.5 : 2.0)};
}

TEST(GeometryDistance, IsTheSmallestOverAllPairsOfParts) {
  Random random(11);
  for (int i = 0; i < 400; ++i) {
    const Sample s = random_sample(random);
    SCOPED_TRACE(i);
    double truth = std::numeric_limits<double>::infinity();
    for (const PlacedPart& p : placed_parts(s.a, s.X_WA)) {
      for (const PlacedPart& q : placed_parts(s.b, s.X_WB))
        truth = std::min(truth, distance(p.shape, p.X, q.shape, q.X).distance);
    }
    const GeometryDistance r = distance(s.a, s.X_WA, s.b, s.X_WB);
    EXPECT_NEAR(r.distance, truth, 1e-9);
    EXPECT_LE(r.lower, truth + 1e-9);
    EXPECT_GE(r.upper, truth - 1e-9);
    EXPECT_LE(r.lower, r.distance);
    EXPECT_LE(r.distance, r.upper);
    EXPECT_LE((r.point_b - r.point_a - r.distance * r.normal).norm(), 1e-9);
    EXPECT_NE(r.status, Status::beyond_cutoff);
    const GeometryDistance swapped = distance(s.b, s.X_WB, s.a, s.X_WA);
    EXPECT_NEAR(swapped.distance, truth, 1e-9);
    const GeometryDistance again = distance(s.a, s.X_WA, s.b, s.X_WB, {.warm_start = &r.warm_start},
                                            r.part_a, r.part_b);
    EXPECT_NEAR(again.distance, truth, 1e-9);
    EXPECT_EQ(static_cast<bool>(collide(s.a, s.X_WA, s.b, s.X_WB)), r.status != Status::separated);
  }
}

TEST(GeometryDistance, CutoffIsProved) {
  Random random(12);
  int beyond = 0;
  for (int i = 0; i < 300; ++i) {
    const Sample s = random_sample(random);
    const double truth = distance(s.a, s.X_WA, s.b, s.X_WB).distance,
                 cutoff = random.uniform(0.0, 1.5);
    const GeometryDistance r = distance(s.a, s.X_WA, s.b, s.X_WB, {.cutoff = cutoff});
    if (r.status == Status::beyond_cutoff) {
      ++beyond;
      EXPECT_GT(truth, cutoff);
      EXPECT_GT(r.lower, cutoff);
      EXPECT_LE(r.lower, truth + 1e-9);
      EXPECT_EQ(r.distance, r.lower);
    } else {
      EXPECT_NEAR(r.distance, truth, 1e-9);
    }
    if (truth > cutoff + 1e-9) {
      EXPECT_EQ(r.status, Status::beyond_cutoff);
    }
  }
  EXPECT_GT(beyond, 30);
}

TEST(GeometryDistance, TwoShapesGiveTheBitsOfTheSingleQuery) {
  Random random(13);
  for (int i = 0; i < 100; ++i) {
    const Shape a = testing::bounded_shape(random), b = testing::bounded_shape(random);
    const Pose X_WA = testing::random_pose(random, 1.0), X_WB = testing::random_pose(random, 1.0);
    const Distance single = distance(a, X_WA, b, X_WB);
    const GeometryDistance r = distance(Geometry(a), X_WA, Geometry(b), X_WB);
    EXPECT_EQ(single.distance, r.distance);
    EXPECT_EQ(single.normal, r.normal);
  }
}

TEST(GeometryDistance, AllocatesNothing) {
  Random random(14);
  const Compound a = testing::random_compound(random, 20), b = testing::random_compound(random, 20);
  const Geometry geometry_a(a), geometry_b(b);
  double sum = 0.0;
  const testing::AllocationGuard guard;
  for (int i = 0; i < 20; ++i)
    sum += distance(geometry_a, {}, geometry_b, {.translation = {0.1 * i, 0.0, 0.0}}).distance;
  EXPECT_EQ(guard.count(), 0U);
  EXPECT_TRUE(std::isfinite(sum));
}

/// Thousands of equal parts in one place cost no more than one of them; the parts named are the
/// first of them.
TEST(GeometryDistance, PartsThatCoincide) {
  Random random(15);
  for (int i = 0; i < 30; ++i) {
    const Shape shape = testing::bounded_shape(random);
    const Pose X_CP = testing::random_pose(random, 0.3);
    std::vector<CompoundPart> parts(2000, {shape, X_CP});
    parts.push_back({shape, testing::random_pose(random, 0.5)});
    const Geometry many(Compound(std::move(parts))),
        few(Compound({{shape, X_CP}, many.compound()->parts().back()}));
    const Pose X_WA = testing::random_pose(random, 0.3),
               X_WB = testing::random_pose(random, i % 2 == 0 ? 0.1 : 2.0);
    SCOPED_TRACE(::testing::Message() << i << " " << shape.to_string());
    const GeometryDistance r = distance(many, X_WA, many, X_WB),
                           expected = distance(few, X_WA, few, X_WB);
    EXPECT_EQ(r.distance, expected.distance);
    EXPECT_EQ(r.status, expected.status);
    EXPECT_EQ(r.part_a, expected.part_a == 0 ? 0 : 2000);
    EXPECT_EQ(r.part_b, expected.part_b == 0 ? 0 : 2000);
    EXPECT_LE(r.support_calls, expected.support_calls);
    EXPECT_EQ(static_cast<bool>(collide(many, X_WA, many, X_WB)),
              static_cast<bool>(collide(few, X_WA, few, X_WB)));
  }
}

/// Parts almost in one place: the normal of the nearest pair settles most of the others.
TEST(GeometryDistance, PartsThatNearlyCoincide) {
  Random random(16);
  for (int i = 0; i < 40; ++i) {
    const Shape shape = testing::bounded_shape(random), other = testing::bounded_shape(random);
    std::vector<CompoundPart> parts;
    for (int k = 0; k < 200; ++k)
      parts.push_back({shape, {Matrix3::Identity(), random.in_box(1e-9)}});
    const Geometry many(Compound(std::move(parts)));
    const Pose X_WA = testing::random_pose(random, 0.3),
               X_WB = testing::random_pose(random, i % 2 == 0 ? 0.1 : 2.0);
    double truth = std::numeric_limits<double>::infinity();
    for (const PlacedPart& part : placed_parts(many, X_WA))
      truth = std::min(truth, distance(part.shape, part.X, other, X_WB).distance);
    const GeometryDistance r = distance(many, X_WA, other, X_WB);
    SCOPED_TRACE(::testing::Message() << i << " " << shape.to_string() << " " << other.to_string());
    EXPECT_NEAR(r.distance, truth, 1e-12);
    EXPECT_LE(r.lower, truth + 1e-14);
    EXPECT_GE(r.upper, truth - 1e-14);
  }
}

/// Far from the origin a compound has the answer of its part, whose relative pose loses nothing
/// there; far parts of a compound are placed with an error that the bounds take in.
TEST(GeometryDistance, FarFromTheOriginTheBoundsHold) {
  Random random(47);
  for (int i = 0; i < 300; ++i) {
    const Shape ball = Sphere{.radius = 0.01}, other = Sphere{.radius = 0.02};
    // a grid on which poses, and the places of parts, are exact
    const auto on_grid = [&](double size) {
      return Vector3((size * random.direction() * 1048576.0).array().round() / 1048576.0);
    };
    const Vector3 away = on_grid(1e5), apart = on_grid(0.05),
                  offset = on_grid(random.chance(0.5) ? 100.0 : 0.0);
    const Compound compound({{ball, {Matrix3::Identity(), offset}}});
    const double truth = apart.norm() - 0.03;
    const Pose X_WA{Matrix3::Identity(), away}, X_WB{Matrix3::Identity(), away + offset + apart};
    const GeometryDistance ahead = distance(Geometry(compound), X_WA, Geometry(other), X_WB);
    const GeometryDistance back = distance(Geometry(other), X_WB, Geometry(compound), X_WA);
    for (const GeometryDistance& found : {ahead, back}) {
      EXPECT_LE(found.lower, truth);
      EXPECT_GE(found.upper, truth);
      EXPECT_LE(found.upper - found.lower, 1e-13 * (1.0 + offset.norm()));
      EXPECT_NEAR(found.distance, truth, 1e-14 * (1.0 + offset.norm()));
      if (found.status == Status::separated) {
        EXPECT_GT(found.lower, 0.0);
      }
    }
  }
}

/// A collision ends the search at the first part that collides; what it says of the distance holds
/// for all of them.
TEST(GeometryDistance, CollideBoundsTheDistanceFromBelow) {
  Random random(48);
  int colliding = 0;
  for (int i = 0; i < 300; ++i) {
    std::vector<CompoundPart> parts;
    for (int k = 0; k < 3; ++k)
      parts.push_back(
          {Box{.half_extents = {0.3, 0.2, 0.5}}, {random.rotation(), random.in_box(0.6)}});
    const Compound compound(parts);
    const Geometry a(compound), ball(Shape(Sphere{.radius = 0.4}));
    const Pose X{Matrix3::Identity(), random.in_box(1.0)};
    const Collision found = collide(a, {}, ball, X);
    const GeometryDistance whole = distance(a, {}, ball, X);
    EXPECT_LE(found.lower, whole.upper) << i;
    EXPECT_EQ(found.colliding, whole.distance <= 0.0) << i;
    colliding += found.colliding ? 1 : 0;
  }
  EXPECT_GT(colliding, 100);
  EXPECT_LT(colliding, 290);
}

TEST(GeometryDistance, BadPosesAreNamed) {
  const Geometry a(Compound({{Sphere{.radius = 1}, {}}}));
  const Pose bad{.translation = {std::numeric_limits<double>::quiet_NaN(), 0, 0}};
  EXPECT_THROW(distance(a, bad, a, {}), InvalidInput);
  EXPECT_THROW(collide(a, {}, a, bad), InvalidInput);
  EXPECT_THROW(distance(a, {}, a, {}, {.tolerance = -1.0}), InvalidInput);
}

TEST(ContactPatches, OneForEachNearPairOfParts) {
  // a table of four legs on the ground
  std::vector<CompoundPart> parts = {
      {Box{.half_extents = {1.0, 1.0, 0.05}}, {.translation = {0, 0, 0.5}}}};
  for (const double x : {-0.9, 0.9}) {
    for (const double y : {-0.9, 0.9})
      parts.push_back({Box{.half_extents = {0.05, 0.05, 0.25}}, {.translation = {x, y, 0.25}}});
  }
  const Compound table(parts);
  std::vector<PartPatch> patches;
  contact_patches(Shape(HalfSpace{}), {}, table, {.translation = {0, 0, -0.001}}, {.cutoff = 0.0},
                  patches);
  ASSERT_EQ(patches.size(), 4U);
  for (std::size_t i = 0; i < patches.size(); ++i) {
    EXPECT_EQ(patches[i].part_b, static_cast<std::int32_t>(i + 1));
    EXPECT_EQ(patches[i].patch.count, 4);
    EXPECT_NEAR(patches[i].patch.distances[0], -0.001, 1e-12);
  }
}

TEST(ContactPatches, EveryOneOfEqualPartsHasItsOwn) {
  const Box box{.half_extents = {0.5, 0.5, 0.5}};
  const Pose aside{.translation = {0.25, 0.0, 0.0}};
  const Compound a({{box, {}}, {box, aside}, {box, {}}}), b({{box, {}}, {box, {}}});
  std::vector<PartPatch> patches;
  contact_patches(a, {}, b, {.translation = {0.0, 0.0, 0.9}}, {.cutoff = 0.0}, patches);
  ASSERT_EQ(patches.size(), 6U);
  for (int k = 0; k < 6; ++k) {
    const PartPatch& p = patches[static_cast<std::size_t>(k)];
    EXPECT_EQ(p.part_a, k / 2);
    EXPECT_EQ(p.part_b, k % 2);
    const ContactPatch expected = contact_patch(
        box, a.parts()[static_cast<std::size_t>(p.part_a)].X_CP, box,
        {.translation = {0.0, 0.0, 0.9}}, {.cutoff = 0.0});
    ASSERT_EQ(p.patch.count, expected.count);
    for (std::size_t i = 0; i < static_cast<std::size_t>(expected.count); ++i)
      EXPECT_EQ(p.patch.points_a[i], expected.points_a[i]);
  }
}

TEST(GeometryRay, HitsTheNearestPart) {
  const Compound two({{Sphere{.radius = 0.5}, {.translation = {3, 0, 0}}},
                      {Sphere{.radius = 0.5}, {.translation = {6, 0, 0}}}});
  const RayHit from_left = ray_cast(two, {}, {0, 0, 0}, {2, 0, 0}),
               from_right = ray_cast(two, {}, {10, 0, 0}, {-1, 0, 0});
  EXPECT_NEAR(from_left.distance, 2.5, 1e-10);
  EXPECT_NEAR(from_right.distance, 3.5, 1e-10);
  EXPECT_FALSE(ray_cast(two, {}, {0, 0, 0}, {0, 1, 0}));
  EXPECT_FALSE(ray_cast(two, {}, {0, 0, 0}, {1, 0, 0}, 2.0));
}

/// The parts of a mesh are its triangles.
std::vector<PlacedPart> placed_triangles(const Mesh& mesh, const Pose& X) {
  std::vector<PlacedPart> parts;
  for (const Shape& triangle : testing::triangle_hulls(mesh)) parts.push_back({triangle, X});
  return parts;
}

TEST(GeometryDistance, OfAMeshAndACompoundIsTheSmallestOverTrianglesAndParts) {
  Random random(21);
  int crossing = 0, apart = 0;
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    const Mesh mesh = testing::triangle_soup(random, 1 + random.below(12), 0.8, 0.5).surface();
    const Compound compound = testing::random_compound(random, 1 + random.below(5));
    const Pose X_WA = testing::random_pose(random, 1.0),
               X_WB = testing::random_pose(random, i % 2 == 0 ? 0.5 : 2.0);
    double truth = std::numeric_limits<double>::infinity();
    for (const PlacedPart& p : placed_triangles(mesh, X_WA)) {
      for (const PlacedPart& q : placed_parts(compound, X_WB))
        truth = std::min(truth, distance(p.shape, p.X, q.shape, q.X).distance);
    }
    const GeometryDistance r = distance(mesh, X_WA, compound, X_WB);
    ASSERT_NEAR(r.distance, truth, 1e-9);
    ASSERT_LE(r.lower, truth + 1e-9);
    ASSERT_GE(r.upper, truth - 1e-9);
    ASSERT_LE((r.point_b - r.point_a - r.distance * r.normal).norm(), 1e-9);
    // the parts that are named have the distance
    const CompoundPart& part = compound.parts()[static_cast<std::size_t>(r.part_b)];
    ASSERT_NEAR(distance(testing::triangle_hull(mesh, r.part_a), X_WA, part.shape, X_WB * part.X_CP)
                    .distance,
                truth, 1e-9);
    const GeometryDistance swapped = distance(compound, X_WB, mesh, X_WA);
    ASSERT_NEAR(swapped.distance, truth, 1e-9);
    ASSERT_EQ(swapped.part_a, r.part_b);
    const GeometryDistance again = distance(mesh, X_WA, compound, X_WB,
                                            {.warm_start = &r.warm_start}, r.part_a, r.part_b);
    ASSERT_NEAR(again.distance, truth, 1e-9);
    if (std::abs(truth) > 1e-9) {
      ASSERT_EQ(collide(mesh, X_WA, compound, X_WB).colliding, truth < 0.0);
    }
    if (truth > 1e-9) {
      ASSERT_GT(collide(compound, X_WB, mesh, X_WA).lower, 0.0);
      ASSERT_EQ(distance(mesh, X_WA, compound, X_WB, {.cutoff = 0.5 * truth}).status,
                Status::beyond_cutoff);
    }
    (truth < 0.0 ? crossing : apart) += 1;
  }
  EXPECT_GT(crossing, 20);
  EXPECT_GT(apart, 20);
}

TEST(GeometryDistance, ASolidMeshIsTheUnionOfItsTetrahedra) {
  Random random(22);
  for (int k = 0; k < 10; ++k) {
    // a convex solid as cones over its faces from a point inside
    const testing::RawMesh raw = testing::hull_mesh(random, 20, 1.0);
    std::vector<CompoundPart> tetrahedra;
    for (Eigen::Index t = 0; t < raw.triangles.cols(); ++t) {
      Points corners(3, 4);
      for (int c = 0; c < 3; ++c) corners.col(c) = raw.vertices.col(raw.triangles(c, t));
      corners.col(3).setZero();
      tetrahedra.push_back({Convex::from_points(corners), {}});
    }
    const Geometry mesh(raw.solid()), parts(Compound(std::move(tetrahedra)));
    for (int i = 0; i < 40; ++i) {
      const Geometry other = random.chance(0.5)
                                 ? testing::random_geometry(random)
                                 : Geometry(testing::hull_mesh(random, 12, 0.5).solid());
      const Pose X_WA = testing::random_pose(random, 1.0), X_WB = testing::random_pose(random, 3.0);
      const GeometryDistance of_mesh = distance(mesh, X_WA, other, X_WB),
                             of_parts = distance(parts, X_WA, other, X_WB);
      ASSERT_EQ(collide(mesh, X_WA, other, X_WB).colliding,
                collide(parts, X_WA, other, X_WB).colliding);
      if (of_parts.distance > 0.0) {
        ASSERT_NEAR(of_mesh.distance, of_parts.distance, 1e-9);
        ASSERT_EQ(of_mesh.status, of_parts.status);
      } else {
        ASSERT_LE(of_mesh.lower, of_parts.upper);
        ASSERT_LE(of_mesh.upper, 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace tactum::geometry_distance_test
