// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>

#include "sim/derivative_check.hpp"

namespace tactum::sim::position_maps_test {
namespace {

Model model_with_all_joints() {
  RobotDescription robot = derivative_check::quadruped();
  robot.geometries.clear();
  for (const JointKind kind : {JointKind::spherical, JointKind::planar, JointKind::continuous}) {
    RobotJoint joint;
    joint.name = "extra" + std::to_string(static_cast<int>(kind));
    joint.parent = static_cast<int>(robot.joints.size()) - 1;
    joint.kind = kind;
    joint.inertia = {0.3, Vector3::Zero(), Matrix3::Identity()};
    robot.joints.push_back(joint);
  }
  ModelBuilder builder;
  builder.add_body(scenes::cube(0.1), scenes::body(1.0, scenes::at(1, 2, 3)));
  builder.add_robot(robot, {});
  return builder.build();
}

TEST(PositionMaps, AreThoseOfIntegrate) {
  const testing::TrapsOff pinocchio_divides_by_zero;
  const Model model = model_with_all_joints();
  const int nv = model.nv();
  const Eigen::VectorXd q = model.integrate(model.state().q,
                                            Eigen::VectorXd::LinSpaced(nv, -0.9, 1.1));
  const PositionMaps maps = position_maps(model, q);
  EXPECT_LT((maps.normalized - q).norm(), 1e-12);
  const double h = 1e-6;
  for (int i = 0; i < nv; ++i) {
    const Eigen::VectorXd unit = h * Eigen::VectorXd::Unit(nv, i);
    const Eigen::VectorXd expected = (model.integrate(q, unit) - model.integrate(q, -unit)) /
                                     (2 * h);
    EXPECT_LT((maps.numbers_by_tangent.col(i) - expected).norm(), 1e-8) << i;
  }
  EXPECT_LT((maps.tangent_by_numbers * maps.numbers_by_tangent - Eigen::MatrixXd::Identity(nv, nv))
                .norm(),
            1e-12);
}

TEST(PositionMaps, QuaternionsCountAsNormalized) {
  const testing::TrapsOff pinocchio_divides_by_zero;
  const Model model = model_with_all_joints();
  Eigen::VectorXd q = model.state().q;
  q.segment<4>(3) << 0.2, -0.4, 0.6, 1.0;
  const PositionMaps here = position_maps(model, q);
  EXPECT_NEAR(here.normalized.segment<4>(3).norm(), 1.0, 1e-15);
  const double h = 1e-6;
  for (int i = 0; i < model.nq(); ++i) {
    const Eigen::VectorXd unit = h * Eigen::VectorXd::Unit(model.nq(), i);
    const Eigen::VectorXd expected = model.difference(position_maps(model, q - unit).normalized,
                                                      position_maps(model, q + unit).normalized) /
                                     (2 * h);
    EXPECT_LT((here.tangent_by_numbers.col(i) - expected).norm(), 1e-7) << i;
  }
  q.segment<4>(3).setZero();
  EXPECT_THROW(position_maps(model, q), InvalidInput);
  EXPECT_THROW(position_maps(model, Eigen::VectorXd::Zero(3)), InvalidInput);
}

}  // namespace
}  // namespace tactum::sim::position_maps_test
