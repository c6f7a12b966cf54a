// SPDX-License-Identifier: BSD-2-Clause
// The free term is checked by the motion that follows from it.
#include <gtest/gtest.h>

#include "support/contact_scenes.hpp"

namespace tactum::testing {
namespace {

constexpr double kStep = 0.01;

/// Normal velocity after the step of a mass above the ground that falls with `before`.
double speed_after(double mass, double before, double separation, double restitution,
                   double position_gain = 0, double compliance = 0) {
  FreeVelocityTerms terms;
  terms.free_velocity = Eigen::Vector3d(0, 0, before - kGravity * kStep);
  terms.velocity = Eigen::Vector3d(0, 0, before);
  terms.separation = Eigen::VectorXd::Constant(1, separation);
  terms.restitution = Eigen::VectorXd::Constant(1, restitution);
  terms.time_step = kStep;
  terms.position_gain = position_gain;
  const Eigen::VectorXd g = contact_free_velocity({ContactKind::friction}, terms);
  const Eigen::VectorXd R = contact_compliance(Eigen::VectorXd::Constant(3, compliance), kStep);
  const ContactProblem problem(Eigen::MatrixXd::Identity(3, 3) / mass,
                               {.g = g, .mu = Eigen::VectorXd::Constant(1, 0.5), .R = R});
  const ContactSolution solution = solve(problem,
                                         {.solver = ContactSolver::ncp_pgs, .tolerance = 1e-10});
  return terms.free_velocity[2] + kStep * solution.force[2] / mass;
}

TEST(FreeVelocity, StopsAtTheGroundAndNotBefore) {
  EXPECT_NEAR(speed_after(2, -1, 0, 0), 0, 1e-12);
  EXPECT_NEAR(speed_after(2, -1, 0.004, 0), -0.4, 1e-12);  // just enough to close the gap in a step
  EXPECT_NEAR(speed_after(2, -1, 0.5, 0), -1 - kGravity * kStep, 1e-12);  // out of reach
}

TEST(FreeVelocity, BaumgarteTakesBackPartOfAPenetration) {
  EXPECT_NEAR(speed_after(2, 0, -0.002, 0), 0.2, 1e-12);  // all of it in one step
  EXPECT_NEAR(speed_after(2, 0, -0.002, 0, 0.75), 0.05, 1e-12);
  EXPECT_NEAR(speed_after(2, 0, -0.002, 0, 1), 0, 1e-12);
}

TEST(FreeVelocity, RestitutionReturnsItsShareOfTheSpeed) {
  EXPECT_NEAR(speed_after(2, -3, 0, 0.6), 1.8, 1e-12);
}

TEST(FreeVelocity, ComplianceIsMetresPerNewton) {
  // a mass of 2 kg at rest on a spring of c m/N at its static depth m g c keeps still
  const double compliance = 1e-4, depth = 2 * kGravity * compliance;
  EXPECT_NEAR(speed_after(2, 0, -depth, 0, 0, compliance), 0, 1e-12);
}

TEST(FreeVelocity, BilateralAndBoxRows) {
  FreeVelocityTerms terms{.free_velocity = Eigen::Vector2d(1, 2),
                          .separation = Eigen::Vector2d(0.1, 0.1),
                          .time_step = 0.5};
  const Eigen::VectorXd g = contact_free_velocity({ContactKind::bilateral, ContactKind::box},
                                                  terms);
  EXPECT_DOUBLE_EQ(g[0], (1 + 0.1 / 0.5) / 0.5);
  EXPECT_DOUBLE_EQ(g[1], 2 / 0.5);
}

/// Free term of one row of each kind from the formula in the header, with everything that it may
/// depend on.
TEST(FreeVelocity, EveryKindByItsFormula) {
  Random random(87);
  const std::vector<ContactKind> kinds{ContactKind::friction, ContactKind::frictionless,
                                       ContactKind::limit, ContactKind::box,
                                       ContactKind::bilateral};
  const auto fill = [&](Eigen::Index size, double least, double most) {
    Eigen::VectorXd values(size);
    for (Eigen::Index i = 0; i < size; ++i) values[i] = random.uniform(least, most);
    return values;
  };
  for (int k = 0; k < 100; ++k) {
    FreeVelocityTerms terms;
    terms.free_velocity = fill(7, -2, 2);
    terms.velocity = fill(7, -2, 2);
    terms.separation = fill(5, -0.1, 0.1);
    terms.restitution = fill(5, 0, 1);
    terms.time_step = random.uniform(0.001, 0.1);
    terms.position_gain = random.uniform();
    terms.damping_gain = random.uniform();
    const Eigen::VectorXd g = contact_free_velocity(kinds, terms);
    const double dt = terms.time_step;
    EXPECT_DOUBLE_EQ(g[0], terms.free_velocity[0] / dt);
    EXPECT_DOUBLE_EQ(g[1], terms.free_velocity[1] / dt);
    for (int block = 0; block < 3; ++block) {
      const int row = 2 + block;
      const double d = terms.separation[block], left = d < 0 ? 1 - terms.position_gain : 1;
      const double bounce = (terms.restitution[block] - terms.damping_gain) * terms.velocity[row];
      EXPECT_NEAR(g[row], (terms.free_velocity[row] + left * d / dt + bounce) / dt,
                  1e-12 * (1 + std::abs(g[row])));
    }
    EXPECT_DOUBLE_EQ(g[5], terms.free_velocity[5] / dt);
    const double error = (1 - terms.position_gain) * terms.separation[4] / dt;
    EXPECT_NEAR(g[6], (terms.free_velocity[6] + error) / dt, 1e-12 * (1 + std::abs(g[6])));
  }
}

TEST(FreeVelocity, ABilateralErrorOfEitherSignIsTakenBack) {
  for (const double error : {0.002, -0.002}) {
    for (const double gain : {0.0, 0.75, 1.0}) {
      FreeVelocityTerms terms;
      terms.free_velocity = Eigen::VectorXd::Constant(1, 0.3);
      terms.velocity = Eigen::VectorXd::Constant(1, 5.0);
      terms.separation = Eigen::VectorXd::Constant(1, error);
      terms.restitution = Eigen::VectorXd::Constant(1, 0.5);
      terms.time_step = kStep;
      terms.position_gain = gain;
      terms.damping_gain = 0.2;
      const ContactProblem problem(Eigen::MatrixXd::Constant(1, 1, 0.5),
                                   {.g = contact_free_velocity({ContactKind::bilateral}, terms),
                                    .kinds = {ContactKind::bilateral}});
      const ContactSolution solution = solve(
          problem, {.solver = ContactSolver::ncp_pgs, .tolerance = 1e-12});
      const double speed = 0.3 + kStep * 0.5 * solution.force[0];
      EXPECT_NEAR(error + kStep * speed, gain * error, 1e-12);
    }
  }
}

TEST(FreeVelocity, RefusesBadNumbersByName) {
  FreeVelocityTerms terms{.free_velocity = Eigen::Vector3d(0, 0, 0)};
  const auto field = [&] {
    try {
      contact_free_velocity({ContactKind::friction}, terms);
    } catch (const InvalidInput& error) {
      return error.field();
    }
    return std::string("accepted");
  };
  EXPECT_EQ(field(), "accepted");
  terms.restitution = Eigen::VectorXd::Constant(1, 1.5);
  EXPECT_EQ(field(), "restitution[0]");
  terms.restitution.resize(0);
  terms.time_step = 0;
  EXPECT_EQ(field(), "time_step");
  terms.time_step = 1;
  terms.free_velocity.resize(2);
  EXPECT_EQ(field(), "free_velocity");
  EXPECT_THROW(contact_compliance(Eigen::VectorXd::Constant(1, -1), 0.1), InvalidInput);
}

}  // namespace
}  // namespace tactum::testing
