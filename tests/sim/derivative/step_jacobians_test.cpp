// SPDX-License-Identifier: BSD-2-Clause
// Jacobians group by group: they are the columns of products with the derivative, which know of no
// groups, and blocks of trees that do not touch are zero.
#include <gtest/gtest.h>

#include "sim/derivative/step_linearization.hpp"
#include "sim/derivative_check.hpp"

namespace tactum::sim::step_jacobians_test {
namespace {

using derivative_check::Case;

/// Two piles of two boxes, a quadruped on the ground, and a ball in the air that meets nothing.
Case groups_scene() {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.6});
  const Shape box{Box{.half_extents = {0.1, 0.1, 0.05}}};
  for (const double x : {-2.0, 2.0}) {
    builder.add_body(box, scenes::body(1.0, scenes::at(x, 0, 0.05 + 1e-4)));
    builder.add_body(box, scenes::body(0.5, scenes::at(x, 0.02, 0.15 + 2e-4)));
  }
  builder.add_robot(derivative_check::quadruped(), scenes::at(0, 0, 0.3395));
  builder.add_body(scenes::ball(0.1), scenes::body(0.3, scenes::at(0, 3, 2.0)));
  Case out{builder.build(), {}, {}};
  out.state = out.model.state();
  out.state.v = Eigen::VectorXd::LinSpaced(out.model.nv(), -0.3, 0.2);
  return out;
}

/// Largest difference of the Jacobians from the products with unit vectors.
double error_of_columns(const StepDerivative& derivative, const StepJacobians& J, int nv) {
  double worst = 0.0;
  const auto compare = [&](const StepInputTangent& change, const Eigen::MatrixXd& dq,
                           const Eigen::MatrixXd& dv, int i) {
    const StepOutputTangent column = derivative.jvp(change);
    worst = std::max({worst,
                      (column.q - dq.col(i)).cwiseAbs().maxCoeff() /
                          std::max(1e-3, column.q.cwiseAbs().maxCoeff()),
                      (column.v - dv.col(i)).cwiseAbs().maxCoeff() /
                          std::max(1e-3, column.v.cwiseAbs().maxCoeff())});
  };
  for (int i = 0; i < nv; ++i) {
    const Eigen::VectorXd unit = Eigen::VectorXd::Unit(nv, i);
    compare({.q = unit}, J.dq_dq, J.dv_dq, i);
    compare({.v = unit}, J.dq_dv, J.dv_dv, i);
    compare({.tau = unit}, J.dq_dtau, J.dv_dtau, i);
  }
  return worst;
}

TEST(StepJacobians, AreTheColumnsOfProducts) {
  const testing::TrapsOff pinocchio_divides_by_zero;
  const Case given = groups_scene();
  const StepResult result = given.run();
  EXPECT_GE(result.contacts.size(), 16U);
  const StepDerivative derivative = step_derivative(result);
  EXPECT_LT(error_of_columns(derivative, derivative.jacobians(), given.model.nv()), 1e-9);
}

TEST(StepJacobians, TreesThatDoNotTouchDoNotMoveEachOther) {
  const testing::TrapsOff pinocchio_divides_by_zero;
  const Case given = groups_scene();
  const StepJacobians J = step_derivative(given.run()).jacobians();
  // the boxes of a pile move each other, and nothing else moves or is moved by them
  EXPECT_GT((J.dv_dv.block<6, 6>(0, 6).cwiseAbs().maxCoeff()), 1e-3);
  EXPECT_EQ((J.dv_dv.block<12, 12>(0, 12).cwiseAbs().maxCoeff()), 0.0);
  const int nv = given.model.nv();
  EXPECT_EQ(J.dv_dq.topRows(nv - 6).rightCols(6).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_EQ(J.dq_dtau.bottomRows(6).leftCols(nv - 6).cwiseAbs().maxCoeff(), 0.0);
}

TEST(StepJacobians, MemoryOfOthersIsUsedAgain) {
  const testing::TrapsOff pinocchio_divides_by_zero;
  const Case given = groups_scene();
  const StepDerivative derivative = step_derivative(given.run());
  StepJacobians J;
  derivative.jacobians(J);
  const double* const before = J.dv_dq.data();
  J.dv_dq.setConstant(7.0);
  derivative.jacobians(J);
  EXPECT_EQ(J.dv_dq.data(), before);
  EXPECT_EQ(J.dv_dq, derivative.jacobians().dv_dq);
}

TEST(StepJacobians, OpenContactsBetweenGroupsChangeNothing) {
  const testing::TrapsOff pinocchio_divides_by_zero;
  // a ball leaves the box under it, which rests on the ground: the contact is open
  ModelBuilder builder;
  builder.add_ground({.friction = 0.6});
  builder.add_body(Shape{Box{.half_extents = {0.1, 0.1, 0.05}}},
                   scenes::body(1.0, scenes::at(0, 0, 0.05 - 1e-6)));
  builder.add_body(scenes::ball(0.05), scenes::body(0.3, scenes::at(0, 0, 0.15 + 1e-4)));
  Case given{builder.build(), {}, {}};
  given.state = given.model.state();
  given.state.v[8] = 0.3;
  const StepResult result = given.run();
  int open = 0;
  for (const StepContact& contact : result.contacts)
    open += contact.mode == ContactMode::breaking ? 1 : 0;
  EXPECT_EQ(open, 1);
  const StepDerivative derivative = step_derivative(result);
  const StepJacobians J = derivative.jacobians();
  EXPECT_LT(error_of_columns(derivative, J, given.model.nv()), 1e-9);
  EXPECT_EQ((J.dv_dv.block<6, 6>(0, 6).cwiseAbs().maxCoeff()), 0.0);
  EXPECT_LT(derivative_check::relative_error(
                J.dv_dv.bottomRows<6>(),
                derivative_check::numerical_jacobians(given).dv_dv.bottomRows<6>(), 1.0),
            1e-6);
}

}  // namespace
}  // namespace tactum::sim::step_jacobians_test
