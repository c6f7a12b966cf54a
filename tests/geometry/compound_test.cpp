// SPDX-License-Identifier: BSD-2-Clause
// Compounds: what they hold, mass against closed forms and cut bodies, bad input.
#include "tactum/compound.hpp"

#include <gtest/gtest.h>

#include "scene/scene_fixtures.hpp"

namespace tactum::compound_test {
namespace {

using testing::Random;

Compound halves_of_a_box() {
  return Compound({{Box{.half_extents = {0.5, 1.0, 1.5}}, {.translation = {-0.5, 0, 0}}},
                   {Box{.half_extents = {0.5, 1.0, 1.5}}, {.translation = {0.5, 0, 0}}}});
}

TEST(Compound, TwoHalvesWeighAsTheWhole) {
  Random random(4);
  const Pose X = testing::random_pose(random, 1.0);
  const Compound moved(halves_of_a_box().parts_at(X));
  const MassProperties whole = Shape(Box{.half_extents = {1.0, 1.0, 1.5}}).mass_properties(700.0);
  const MassProperties parts = moved.mass_properties(700.0);
  EXPECT_NEAR(parts.mass, whole.mass, 1e-12 * whole.mass);
  EXPECT_NEAR(moved.volume(), 12.0, 1e-13);
  EXPECT_LE((parts.center_of_mass - X.translation).norm(), 1e-14);
  EXPECT_LE((parts.inertia - X.rotation * whole.inertia * X.rotation.transpose()).norm(),
            1e-12 * whole.inertia.norm());
  EXPECT_EQ(parts.inertia, parts.inertia.transpose());
}

TEST(Compound, PointsHaveNoMassButAPlace) {
  const Compound points(
      {{Sphere{}, {.translation = {1, 2, 3}}}, {Sphere{}, {.translation = {4, 5, 6}}}});
  const MassProperties mass = points.mass_properties(1.0);
  EXPECT_EQ(mass.mass, 0.0);
  EXPECT_EQ(mass.center_of_mass, Vector3(1, 2, 3));
}

TEST(Compound, BoxAndSupportAreThoseOfAllParts) {
  Random random(5);
  for (int i = 0; i < 50; ++i) {
    const Compound compound = testing::random_compound(random, 1 + random.below(8));
    const Pose X = testing::random_pose(random, 2.0);
    const Aabb box = compound.aabb(X);
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3 direction = X.rotation.row(axis).transpose();
      EXPECT_NEAR((X * compound.support(direction))[axis], box.upper[axis], 1e-12);
      EXPECT_NEAR((X * compound.support(-direction))[axis], box.lower[axis], 1e-12);
    }
  }
}

TEST(Compound, NestedPosesCompose) {
  Random random(6);
  const Compound inner = testing::random_compound(random, 3);
  const Pose X_OI = testing::random_pose(random, 1.0), X_WO = testing::random_pose(random, 1.0);
  const Compound outer(inner.parts_at(X_OI));
  const Aabb direct = inner.aabb(X_WO * X_OI), nested = outer.aabb(X_WO);
  EXPECT_LE((direct.lower - nested.lower).norm() + (direct.upper - nested.upper).norm(), 1e-14);
}

TEST(Compound, IsAValue) {
  Random random(7);
  const Compound a = halves_of_a_box(), b = halves_of_a_box();
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.hash(), b.hash());
  EXPECT_NE(a, Compound(a.parts_at({.translation = {0, 0, 1e-15}})));
  EXPECT_EQ(a.to_string(), "Compound(2 parts)");
  const Shape hull(Convex::from_points(Points::Random(3, 100)));
  const std::size_t one = Compound({{hull, {}}}).nbytes(),
                    two = Compound({{hull, {}}, {hull, {}}}).nbytes();
  EXPECT_GT(one, hull.nbytes());
  EXPECT_LT(two - one, 1000U);  // the tables are shared
}

TEST(Compound, BadPartsAreNamed) {
  const auto refused = [](std::vector<CompoundPart> parts) {
    try {
      const Compound compound(std::move(parts));
    } catch (const InvalidInput& error) {
      return error.field();
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused({}), "Compound.parts");
  EXPECT_EQ(refused({{Sphere{.radius = 1}, {}}, {HalfSpace{}, {}}}), "Compound.parts[1]");
  EXPECT_EQ(refused({{Sphere{.radius = 1}, {.rotation = 2.0 * Matrix3::Identity()}}}).substr(0, 23),
            "Compound.parts[0].X_CP.");
}

TEST(Compound, BoxHoldsThePartsExactly) {
  __extension__ using Quad = __float128;
  Random random(94);
  for (int round = 0; round < 200; ++round) {
    const Box part{.half_extents = {0.3, 0.2, 0.1}};
    const Pose X_CP{random.rotation(), random.in_box(1.0)},
        X{random.rotation(), random.in_box(2.0)};
    const Aabb box = Compound({{part, X_CP}}).aabb(X);
    for (int corner = 0; corner < 8; ++corner) {
      std::array<Quad, 3> in_compound;
      for (int i = 0; i < 3; ++i) {
        Quad place = X_CP.translation[i];
        for (int k = 0; k < 3; ++k)
          place += Quad(X_CP.rotation(i, k)) *
                   ((corner >> k & 1) != 0 ? part.half_extents[k] : -part.half_extents[k]);
        in_compound[static_cast<std::size_t>(i)] = place;
      }
      for (int i = 0; i < 3; ++i) {
        Quad place = X.translation[i];
        for (int k = 0; k < 3; ++k)
          place += Quad(X.rotation(i, k)) * in_compound[static_cast<std::size_t>(k)];
        EXPECT_TRUE(place <= Quad(box.upper[i]));
        EXPECT_TRUE(place >= Quad(box.lower[i]));
      }
    }
  }
}

}  // namespace
}  // namespace tactum::compound_test
