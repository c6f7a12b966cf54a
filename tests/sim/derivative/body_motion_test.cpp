// SPDX-License-Identifier: BSD-2-Clause
#include "sim/derivative/body_motion.hpp"

#include <gtest/gtest.h>

#include "sim/derivative_check.hpp"

namespace tactum::sim::body_motion_test {
namespace {

using derivative_check::Case;

/// A robot and a free body, in the middle of a step.
Case robot_and_body() {
  ModelBuilder builder;
  builder.add_robot(derivative_check::quadruped(), scenes::at(0, 0, 2));
  builder.add_body(scenes::cube(0.1), scenes::body(1.0, scenes::at(1, 2, 3)));
  Case out{builder.build(), {}, {}};
  const int nv = out.model.nv();
  out.state = out.model.state();
  out.state.q = out.model.integrate(out.state.q, Eigen::VectorXd::LinSpaced(nv, -0.4, 0.5));
  out.state.v = Eigen::VectorXd::LinSpaced(nv, 1.0, -2.0);
  return out;
}

/// Velocity of the point of a body at a place of the world, from two poses of the body.
Vector3 velocity_by_differences(const Model& model, const Eigen::VectorXd& q, int geometry,
                                const Vector3& point, const Eigen::VectorXd& velocity) {
  const double h = 1e-6;
  const auto pose = [&](const Eigen::VectorXd& at) {
    return model.geometry_poses(at)[static_cast<std::size_t>(geometry)];
  };
  const Pose here = pose(q);
  const Vector3 in_body = here.rotation.transpose() * (point - here.translation);
  return (pose(model.integrate(q, h * velocity)) * in_body -
          pose(model.integrate(q, -h * velocity)) * in_body) /
         (2 * h);
}

TEST(BodyMotion, TwistsAndVelocitiesAreThoseOfTheGeometries) {
  const Case given = robot_and_body();
  const StepResult result = given.run();
  const StepTape& tape = *result.tape;
  std::vector<ArticulationDerivative> robots;
  robots.emplace_back(*given.model.data().robots.at(0).robot);
  TreeDerivative tree;
  const int nv = given.model.nv(), of_robot = nv - 6;
  robots[0].set(tape.q.head(given.model.nq() - 7), tape.v.head(of_robot),
                tape.velocity.head(of_robot), tape.dt, tree);
  const BodyMotion motion(tape, robots);
  const Vector3 point(0.3, -0.2, 1.7);
  EXPECT_TRUE(motion.columns(0).empty());
  EXPECT_EQ(motion.twists(0, point).cols(), 0);
  EXPECT_TRUE(motion.twist(0, point, BodyMotion::Velocity::found).isZero(0.0));
  for (int geometry = 0; geometry < given.model.num_geometries(); ++geometry) {
    const int body = given.model.geometry_body(geometry);
    const Matrix6X twists = motion.twists(body, point);
    const auto& columns = motion.columns(body);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Vector3 expected = velocity_by_differences(given.model, tape.q, geometry, point,
                                                       Eigen::VectorXd::Unit(nv, columns[i]));
      EXPECT_LT((twists.col(static_cast<Eigen::Index>(i)).head<3>() - expected).norm(), 1e-8);
    }
    const Vector3 velocity = motion.twist(body, point, BodyMotion::Velocity::before).head<3>();
    EXPECT_LT(
        (velocity - velocity_by_differences(given.model, tape.q, geometry, point, tape.v)).norm(),
        1e-7);
    const Matrix6X by_q = motion.twist_by_q(body, point, twists, BodyMotion::Velocity::before);
    const double h = 1e-4;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Eigen::VectorXd unit = h * Eigen::VectorXd::Unit(nv, columns[i]);
      const Vector3 expected = (velocity_by_differences(given.model,
                                                        given.model.integrate(tape.q, unit),
                                                        geometry, point, tape.v) -
                                velocity_by_differences(given.model,
                                                        given.model.integrate(tape.q, -unit),
                                                        geometry, point, tape.v)) /
                               (2 * h);
      EXPECT_LT((by_q.col(static_cast<Eigen::Index>(i)).head<3>() - expected).norm(), 1e-4);
    }
  }
}

}  // namespace
}  // namespace tactum::sim::body_motion_test
