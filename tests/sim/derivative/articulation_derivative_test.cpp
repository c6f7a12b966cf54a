// SPDX-License-Identifier: BSD-2-Clause
#include "sim/derivative/articulation_derivative.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "sim/derivative_check.hpp"
#include "sim/model/make_articulation.hpp"
#include "sim/model/model_data.hpp"

namespace tactum::sim::articulation_derivative_test {
namespace {

using derivative_check::quadruped;

/// The quadruped with a joint of each other kind behind its first leg.
RobotDescription all_joints() {
  RobotDescription robot = quadruped();
  robot.geometries.clear();
  for (const JointKind kind : {JointKind::spherical, JointKind::planar, JointKind::prismatic,
                               JointKind::continuous, JointKind::free}) {
    RobotJoint joint;
    joint.name = "extra" + std::to_string(static_cast<int>(kind));
    joint.parent = static_cast<int>(robot.joints.size()) - 1;
    joint.kind = kind;
    joint.axis = Vector3(0.0, 0.6, 0.8);
    joint.X_PJ = scenes::at(0.02, 0.03, -0.1);
    joint.inertia = {0.3, {0.01, 0.02, -0.03}, Vector3(4e-4, 5e-4, 6e-4).asDiagonal()};
    if (kind == JointKind::prismatic) {
      joint.stiffness = 20.0;
      joint.rest_position = 0.1;
    }
    robot.joints.push_back(joint);
  }
  return robot;
}

struct Robot {
  Model model;
  Eigen::VectorXd q, v, u;
  const Articulation& articulation() const { return *model.data().robots.at(0).robot; }
};

Robot moving_robot() {
  ModelBuilder builder;
  builder.add_robot(all_joints(), {});
  Robot out{builder.build(), {}, {}, {}};
  const int nv = out.model.nv();
  out.q = out.model.integrate(out.model.state().q, Eigen::VectorXd::LinSpaced(nv, -0.7, 0.9));
  out.v = Eigen::VectorXd::LinSpaced(nv, 1.0, -2.0);
  out.u = out.v + Eigen::VectorXd::LinSpaced(nv, 0.02, -0.03);
  return out;
}

TEST(ArticulationDerivative, TwistsOfJointsFollowThePositions) {
  const testing::TrapsOff pinocchio_divides_by_zero;
  const Robot robot = moving_robot();
  const Articulation& articulation = robot.articulation();
  ArticulationDerivative derivative(articulation);
  TreeDerivative tree;
  derivative.set(robot.q, robot.v, robot.u, 1e-3, tree);
  JointTwists twists;
  twists.set(articulation, derivative.jacobian(), robot.u);
  const auto twists_at = [&](const Eigen::VectorXd& q) {
    ArticulationData data(articulation);
    data.set_kinematics(q, robot.u);
    JointTwists out;
    out.set(articulation, data.jacobian(), robot.u);
    return out.of_joint;
  };
  const double h = 1e-6;
  for (int l = 0; l < robot.model.nv(); ++l) {
    const Eigen::VectorXd unit = h * Eigen::VectorXd::Unit(robot.model.nv(), l);
    const Matrix6X expected = (twists_at(robot.model.integrate(robot.q, unit)) -
                               twists_at(robot.model.integrate(robot.q, -unit))) /
                              (2 * h);
    for (std::size_t j = 1; j < articulation.joints().size(); ++j) {
      const auto& support = articulation.joints()[j].support;
      Vector6 found = Vector6::Zero();
      if (std::ranges::find(support, l) != support.end())
        found = twist_cross(derivative.jacobian().col(l),
                            twists.of_joint.col(static_cast<Eigen::Index>(j))) -
                twists.before_column.col(l);
      EXPECT_LT((found - expected.col(static_cast<Eigen::Index>(j))).norm(), 1e-7) << l << " " << j;
    }
  }
}

TEST(ArticulationDerivative, ForcesOfWrenchesFollowThePositions) {
  const testing::TrapsOff pinocchio_divides_by_zero;
  const Robot robot = moving_robot();
  const Articulation& articulation = robot.articulation();
  ArticulationDerivative derivative(articulation);
  TreeDerivative tree;
  derivative.set(robot.q, robot.v, robot.u, 1e-3, tree);
  Matrix6X wrenches = Matrix6X::Zero(6, static_cast<Eigen::Index>(articulation.joints().size()));
  for (Eigen::Index j = 3; j < wrenches.cols(); j += 4)
    wrenches.col(j) = Vector6::LinSpaced(-1.0, 0.3 * static_cast<double>(j));
  const Matrix6X given = wrenches;
  const auto forces_at = [&](const Eigen::VectorXd& q) {
    ArticulationData data(articulation);
    data.set_kinematics(q, robot.u);
    Eigen::VectorXd out = Eigen::VectorXd::Zero(articulation.nv());
    for (std::size_t j = 1; j < articulation.joints().size(); ++j)
      for (const int k : articulation.joints()[j].support)
        out[k] += data.jacobian().col(k).dot(given.col(static_cast<Eigen::Index>(j)));
    return out;
  };
  Eigen::MatrixXd found = Eigen::MatrixXd::Zero(articulation.nv(), articulation.nv());
  add_wrench_derivative(articulation, derivative.jacobian(), wrenches, found);
  const double h = 1e-6;
  for (int l = 0; l < articulation.nv(); ++l) {
    const Eigen::VectorXd unit = h * Eigen::VectorXd::Unit(articulation.nv(), l);
    const Eigen::VectorXd expected = (forces_at(robot.model.integrate(robot.q, unit)) -
                                      forces_at(robot.model.integrate(robot.q, -unit))) /
                                     (2 * h);
    EXPECT_LT((found.col(l) - expected).norm(), 1e-7) << l;
  }
}

TEST(ArticulationDerivative, StepOfARobotWithJointsOfAllKinds) {
  const Robot robot = moving_robot();
  derivative_check::Case given{robot.model, robot.model.state(),
                               Eigen::VectorXd::LinSpaced(robot.model.nv(), -1.0, 2.0)};
  given.state.q = robot.q;
  given.state.v = robot.v;
  derivative_check::expect_derivative(given, 1e-6);
}

TEST(ArticulationDerivative, ForcesByGravityAreThoseOfABaseThatAccelerates) {
  // a uniform gravity is what the base feels when it accelerates the other way
  ModelBuilder builder;
  builder.add_robot(quadruped(), {});
  const Model model = builder.build();
  const Articulation& articulation = *model.data().robots.at(0).robot;
  const Eigen::VectorXd q = model.integrate(model.state().q,
                                            Eigen::VectorXd::LinSpaced(model.nv(), -0.7, 0.9)),
                        v = Eigen::VectorXd::Zero(model.nv());
  ArticulationDerivative derivative(articulation);
  TreeDerivative tree;
  derivative.set(q, v, v, 1e-3, tree);
  ArticulationData data(articulation);
  data.set_kinematics(q, v);
  Eigen::VectorXd u(model.nv());
  data.set_free_velocity(q, v, v, 1e-9, u);
  const Eigen::MatrixXd F = data.factor().upper().triangularView<Eigen::Upper>();
  const Matrix3 R = data.placement(1).rotation;
  const Eigen::MatrixXd expected = (F * F.transpose()).leftCols(3) * R.transpose();
  EXPECT_LT((derivative.forces_by_gravity() - expected).norm(), 1e-7);
}

}  // namespace
}  // namespace tactum::sim::articulation_derivative_test
