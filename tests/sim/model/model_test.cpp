// SPDX-License-Identifier: BSD-2-Clause
// Tangent steps of a model against their inverse and against small motions; pairs and surfaces.
#include "tactum/sim/model.hpp"

#include <gtest/gtest.h>

#include <random>

#include "sim/scenes.hpp"

namespace tactum::sim::model_test {
namespace {

using scenes::at;
using scenes::body;
using scenes::cube;

Model two_bodies() {
  ModelBuilder builder;
  builder.add_body(cube(0.1), body(1.0, at(1, 2, 3)));
  builder.add_body(cube(0.1), body(1.0, at(0, 0, 1)));
  return builder.build();
}

TEST(SimModel, DifferenceIsTheInverseOfIntegrate) {
  const Model model = two_bodies();
  std::mt19937_64 random(3);
  std::normal_distribution<double> number;
  Eigen::VectorXd q = model.state().q;
  for (int i = 0; i < 500; ++i) {
    Eigen::VectorXd dq(12);
    for (double& entry : dq) entry = number(random);
    for (const int w : {3, 9})  // below half a turn
      dq.segment<3>(w) *= std::min(1.0, 3.1 / dq.segment<3>(w).norm());
    const Eigen::VectorXd next = model.integrate(q, dq);
    EXPECT_LT((model.difference(q, next) - dq).norm(), 1e-9);
    EXPECT_NEAR(next.segment<4>(3).norm(), 1.0, 1e-14);
    q = next;
  }
}

TEST(SimModel, IntegrateMovesAlongTheAxesOfTheBody) {
  const Model model = two_bodies();
  Eigen::VectorXd q = model.state().q, dq = Eigen::VectorXd::Zero(12);
  q.segment<4>(3) << 0, 0, std::sqrt(0.5), std::sqrt(0.5);  // a quarter turn about z
  dq[0] = 0.5;
  const Eigen::VectorXd next = model.integrate(q, dq);
  EXPECT_NEAR(next[0], 1.0, 1e-15);
  EXPECT_NEAR(next[1], 2.5, 1e-15);
}

TEST(SimModel, SurfacesTakeTheFrictionOfTheirPartner) {
  EXPECT_EQ(combined({.friction = 0.3}, {}).friction, 0.3);
  EXPECT_EQ(combined({}, {.friction = 0.3}).friction, 0.3);
  EXPECT_EQ(combined({}, {}).friction, Material{}.friction);
  EXPECT_NEAR(combined({.friction = 0.2}, {.friction = 0.8}).friction, 0.4, 1e-15);
  EXPECT_EQ(combined({.friction = 0.0}, {.friction = 0.8}).friction, 0.0);
  EXPECT_EQ(combined({.restitution = 0.5}, {}).restitution, 0.5);
  EXPECT_EQ(combined({.compliance = 1e-4}, {.compliance = 2e-4}).compliance, 1e-4 + 2e-4);
}

TEST(SimModel, PairsThatMayMeet) {
  ModelBuilder builder;
  const int ground = builder.add_ground(), wall = builder.add_fixed(cube(0.1));
  const int first = builder.add_body(cube(0.1), body(1.0, {}));
  builder.add_body(cube(0.1), body(1.0, {}));
  const int knob = builder.add_geometry(first, cube(0.05), at(0.1, 0, 0));
  builder.forbid(wall, 3);
  const Model model = builder.build();
  EXPECT_FALSE(model.may_meet(ground, wall));  // both are the world
  EXPECT_FALSE(model.may_meet(2, knob));       // one body
  EXPECT_TRUE(model.may_meet(knob, 3));
  EXPECT_FALSE(model.may_meet(3, wall));
  EXPECT_TRUE(model.may_meet(2, wall));
  builder.allow(3, wall);
  EXPECT_TRUE(builder.build().may_meet(3, wall));
  EXPECT_THROW(model.may_meet(0, 99), InvalidInput);
  const std::vector<Pose> poses = model.geometry_poses(model.state().q);
  EXPECT_EQ(poses[static_cast<std::size_t>(knob)].translation, Vector3(0.1, 0, 0));
}

}  // namespace
}  // namespace tactum::sim::model_test
