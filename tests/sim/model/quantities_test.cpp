// SPDX-License-Identifier: BSD-2-Clause
// Energy, momentum and center of mass against sums over small parts of the bodies.
#include <gtest/gtest.h>

#include <random>

#include "sim/model/model_data.hpp"
#include "sim/scenes.hpp"
#include "tactum/sim/step.hpp"

namespace tactum::sim::quantities_test {
namespace {

/// Momentum and energy of a body as four point masses that have its mass, center and inertia.
struct PointMasses {
  double mass = 0.0, kinetic = 0.0, potential = 0.0;
  Vector3 first = Vector3::Zero(), linear = Vector3::Zero(), angular = Vector3::Zero();

  void add(const FreeBody& body, const State& state, const Vector3& gravity) {
    const Pose X = free_pose(state.q, body.q);
    const Vector3 v = state.v.segment<3>(body.v), w = state.v.segment<3>(body.v + 3);
    // six masses on the axes of a box whose inertia is diagonal
    const double m = body.inertia.mass / 6.0;
    const Vector3 moments = body.inertia.inertia.diagonal();
    for (int axis = 0; axis < 3; ++axis) {
      const double square = (moments.sum() / 2.0 - moments[axis]) / (2.0 * m);
      for (const double side : {-1.0, 1.0}) {
        const Vector3 r = body.inertia.center + side * std::sqrt(square) * Vector3::Unit(axis);
        const Vector3 p = X * r, velocity = X.rotation * (v + w.cross(r));
        mass += m;
        first += m * p;
        kinetic += 0.5 * m * velocity.squaredNorm();
        potential -= m * gravity.dot(p);
        linear += m * velocity;
        angular += p.cross(m * velocity);
      }
    }
  }
};

TEST(SimQuantities, AreThoseOfPointMasses) {
  ModelBuilder builder(Vector3(0.5, 0.0, -9.0));
  builder.add_body(Shape{Box{.half_extents = {0.1, 0.2, 0.3}}}, scenes::body(2.0, {}));
  builder.add_body(Shape{Cone{.radius = 0.2, .half_length = 0.3}}, scenes::body(1.5, {}));
  const Model model = builder.build();
  std::mt19937_64 random(5);
  std::normal_distribution<double> number;
  for (int i = 0; i < 100; ++i) {
    State state = model.state();
    for (double& entry : state.q) entry = number(random);
    for (const int quaternion : {3, 10}) state.q.segment<4>(quaternion).normalize();
    for (double& entry : state.v) entry = number(random);
    PointMasses sum;
    for (const FreeBody& body : model.data().free_bodies) sum.add(body, state, model.gravity());
    const Energy found = energy(model, state);
    EXPECT_NEAR(found.kinetic, sum.kinetic, 1e-10);
    EXPECT_NEAR(found.potential, sum.potential, 1e-10);
    EXPECT_LT((momentum(model, state).head<3>() - sum.linear).norm(), 1e-10);
    EXPECT_LT((momentum(model, state).tail<3>() - sum.angular).norm(), 1e-10);
    EXPECT_LT((com(model, state) - sum.first / sum.mass).norm(), 1e-12);
  }
}

TEST(SimQuantities, SpringsStoreEnergy) {
  RobotDescription robot = scenes::arm_of_links(1);
  robot.joints[0].stiffness = 30.0;
  robot.joints[0].rest_position = 0.2;
  ModelBuilder builder(Vector3::Zero());
  builder.add_robot(robot);
  const Model model = builder.build();
  State state = model.state();
  state.q[0] = 0.7;
  EXPECT_NEAR(energy(model, state).potential, 0.5 * 30.0 * 0.25, 1e-12);
}

TEST(SimQuantities, ContactsAreReportedByPairsOfBodies) {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.5});
  builder.add_body(scenes::cube(0.1), scenes::body(1.0, scenes::at(0, 0, 0.1)));
  builder.add_body(scenes::cube(0.1), scenes::body(2.0, scenes::at(0, 0, 0.3)));
  const Model model = builder.build();
  const std::vector<BodyContact> report = contact_report(step(model, model.state(), {}, 1e-3));
  ASSERT_EQ(report.size(), 2U);
  EXPECT_EQ(report[0].body_a, 0);
  EXPECT_EQ(report[0].body_b, 1);
  EXPECT_EQ(report[0].points, 4);
  EXPECT_EQ(report[0].sticking, 4);
  EXPECT_LT((report[0].force - Vector3(0, 0, 3.0 * 9.81)).norm(), 1e-5);
  EXPECT_LT((report[1].force - Vector3(0, 0, 2.0 * 9.81)).norm(), 1e-5);
  EXPECT_NEAR(report[1].point.z(), 0.2, 1e-9);
  EXPECT_NEAR(report[0].distance, 0.0, 1e-12);
}

TEST(SimQuantities, OfNothingAreZero) {
  const Model model = ModelBuilder().build();
  EXPECT_EQ(energy(model, model.state()).kinetic, 0.0);
  EXPECT_EQ(com(model, model.state()), Vector3::Zero());
}

}  // namespace
}  // namespace tactum::sim::quantities_test
