// SPDX-License-Identifier: BSD-2-Clause
// Robots against Pinocchio's articulated body algorithm, which is not the one that a step uses,
// against differences of poses, and in free flight.
#include "sim/model/articulation.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/multibody/sample-models.hpp>
#include <random>

#include "sim/model/pinocchio_model.hpp"

namespace tactum::sim::articulation_test {
namespace {

using In = Eigen::Ref<const Eigen::VectorXd>;

Articulation robot_of(const pinocchio::Model& model) {
  auto holder = std::make_shared<PinocchioModel>();
  holder->model = model;
  return Articulation(holder);
}

pinocchio::Model arm() {
  pinocchio::Model model;
  pinocchio::buildModels::manipulator(model);
  return model;
}

pinocchio::Model humanoid() {
  pinocchio::Model model;
  pinocchio::buildModels::humanoid(model, true);
  return model;
}

struct RandomState {
  Eigen::VectorXd q, v, tau;

  RandomState(const Articulation& robot, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> number;
    Eigen::VectorXd step(robot.nv());
    v.resize(robot.nv());
    tau.resize(robot.nv());
    for (double& entry : step) entry = 0.5 * number(random);
    for (double& entry : v) entry = number(random);
    for (double& entry : tau) entry = number(random);
    q = robot.integrate(robot.neutral(), step);
  }
};

Eigen::VectorXd acceleration(const Articulation& robot, const RandomState& state) {
  const pinocchio::Model& model = robot.pinocchio().model;
  pinocchio::Data data(model);
  pinocchio::aba(model, data, In(state.q), In(state.v), In(state.tau),
                 pinocchio::Convention::LOCAL);
  return data.ddq;
}

TEST(Articulation, FreeVelocityOfAFixedBaseIsThatOfTheArticulatedBodyAlgorithm) {
  const Articulation robot = robot_of(arm());
  ArticulationData data(robot);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomState state(robot, seed);
    const double dt = 0.01;
    Eigen::VectorXd u(robot.nv());
    data.set_kinematics(state.q, state.v);
    data.set_free_velocity(state.q, state.v, state.tau, dt, u);
    const Eigen::VectorXd expected = state.v + dt * acceleration(robot, state);
    EXPECT_LT((u - expected).norm(), 1e-12 * (1.0 + expected.norm()));
    Eigen::VectorXd next_q(robot.nq()), next_v(robot.nv());
    data.advance(state.q, u, dt, next_q, next_v);
    EXPECT_EQ(next_v, u);
    EXPECT_LT((robot.difference(state.q, next_q) - dt * u).norm(), 1e-12);
  }
}

TEST(Articulation, BaseThatFloatsKeepsItsVelocityInTheWorld) {
  const Articulation robot = robot_of(humanoid());
  ASSERT_TRUE(robot.joints()[1].floats);
  ArticulationData data(robot);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomState state(robot, seed);
    const double dt = 0.01;
    Eigen::VectorXd u(robot.nv()), next_q(robot.nq()), next_v(robot.nv());
    data.set_kinematics(state.q, state.v);
    data.set_free_velocity(state.q, state.v, state.tau, dt, u);
    Eigen::VectorXd expected = state.v + dt * acceleration(robot, state);
    const Vector3 linear = state.v.head<3>(), angular = state.v.segment<3>(3);
    expected.head<3>() += dt * angular.cross(linear);  // spatial to plain acceleration
    EXPECT_LT((u - expected).norm(), 1e-10 * (1.0 + expected.norm()));
    data.advance(state.q, u, dt, next_q, next_v);
    const Eigen::Quaterniond before(Eigen::Vector4d(state.q.segment<4>(3))),
        after(Eigen::Vector4d(next_q.segment<4>(3)));
    EXPECT_LT((after * Vector3(next_v.head<3>()) - before * Vector3(u.head<3>())).norm(), 1e-12);
    EXPECT_LT((next_q.head<3>() - state.q.head<3>() - dt * (before * Vector3(u.head<3>()))).norm(),
              1e-14);
  }
}

TEST(Articulation, JacobianIsTheDerivativeOfPlacements) {
  const Articulation robot = robot_of(humanoid());
  ArticulationData data(robot), moved(robot);
  const RandomState state(robot, 3);
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(robot.nv());
  data.set_kinematics(state.q, rest);
  const double step = 1e-6;
  for (int joint = 1; joint < static_cast<int>(robot.joints().size()); joint += 5) {
    const std::vector<int>& support = robot.joints()[static_cast<std::size_t>(joint)].support;
    const Vector3 point = data.placement(joint) * Vector3(0.1, 0.2, 0.3);
    for (int v = 0; v < robot.nv(); v += 3) {
      Eigen::VectorXd change = rest;
      change[v] = step;
      moved.set_kinematics(robot.integrate(state.q, change), rest);
      const Vector3 ahead = moved.placement(joint) * Vector3(0.1, 0.2, 0.3);
      moved.set_kinematics(robot.integrate(state.q, -change), rest);
      const Vector3 velocity = (ahead - moved.placement(joint) * Vector3(0.1, 0.2, 0.3)) /
                               (2 * step);
      const auto column = data.jacobian().col(v);
      const bool moves = std::find(support.begin(), support.end(), v) != support.end();
      const Vector3 expected = moves ? Vector3(column.head<3>() +
                                               Vector3(column.tail<3>()).cross(point))
                                     : Vector3(Vector3::Zero());
      EXPECT_LT((velocity - expected).norm(), 1e-8) << joint << " " << v;
    }
  }
}

TEST(Articulation, FactorIsThatOfTheMassMatrix) {
  const Articulation robot = robot_of(humanoid());
  ArticulationData data(robot);
  const RandomState state(robot, 4);
  Eigen::VectorXd u(robot.nv());
  data.set_kinematics(state.q, state.v);
  data.set_free_velocity(state.q, state.v, state.tau, 0.01, u);
  const Eigen::MatrixXd F = data.factor().upper().triangularView<Eigen::Upper>();
  const double energy = 0.5 * (F.transpose() * state.v).squaredNorm();
  EXPECT_NEAR(energy, data.kinetic_energy(state.q, state.v), 1e-10 * energy);
}

TEST(Articulation, MomentumIsThatOfItsCenterOfMass) {
  const Articulation robot = robot_of(humanoid());
  ArticulationData data(robot);
  const RandomState state(robot, 6);
  const double step = 1e-6;
  const Vector3 ahead = data.center(robot.integrate(state.q, step * state.v)),
                behind = data.center(robot.integrate(state.q, -step * state.v));
  const Vector3 linear = data.momentum(state.q, state.v).head<3>();
  EXPECT_LT((linear - data.mass() * (ahead - behind) / (2 * step)).norm(), 1e-6 * linear.norm());
}

}  // namespace
}  // namespace tactum::sim::articulation_test
