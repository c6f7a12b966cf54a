// SPDX-License-Identifier: BSD-2-Clause
// Rows of contacts against velocities of points, and free terms against their formulas.
#include <gtest/gtest.h>

#include <random>

#include "contact/contact_frame.hpp"
#include "sim/scenes.hpp"
#include "sim/step/step_data.hpp"

namespace tactum::sim::contact_rows_test {
namespace {

using scenes::ball;
using scenes::body;

/// The memory of a step between two bodies at random states, up to its contact rows.
struct Prepared {
  Model model;
  State state;
  StepWorkspace workspace;
  StepData& work = workspace.data();

  Prepared(const Surface& surface, std::uint64_t seed, double dt, double distance,
           const StepOptions& options = {})
      : model(make(surface)), state(model.state()) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> number;
    for (double& entry : state.q) entry = number(random);
    for (const int quaternion : {3, 10}) state.q.segment<4>(quaternion).normalize();
    for (double& entry : state.v) entry = number(random);
    work.prepare(model);
    work.tau.setZero(model.nv());
    set_kinematics(model.data(), state, work);
    set_free_velocity(model.data(), state, dt, work);
    const Vector3 normal = Vector3(number(random), number(random), number(random)).normalized();
    work.contacts = {{0, 1, Vector3(number(random), number(random), number(random)), distance, 7,
                      contact_frame(normal), combined(surface, surface)}};
    set_contact_rows(model.data(), state, options, dt, work);
  }

  static Model make(const Surface& surface) {
    ModelBuilder builder;
    BodyOptions options = body(2.0, {});
    options.surface = surface;
    builder.add_body(Shape{Cone{.radius = 0.2, .half_length = 0.3}}, options);
    builder.add_body(ball(0.2), options);
    return builder.build();
  }

  Vector3 point_velocity(int which, const Eigen::VectorXd& v) const {
    const Pose X = free_pose(state.q, 7 * which);
    const Vector3 arm = X.rotation.transpose() * (work.contacts[0].point - X.translation);
    const Vector3 angular = v.segment<3>(6 * which + 3);
    return X.rotation * (v.segment<3>(6 * which) + angular.cross(arm));
  }
  /// Velocity of B relative to A in the contact frame.
  Vector3 expected(const Eigen::VectorXd& v) const {
    return work.contacts[0].frame.transpose() * (point_velocity(1, v) - point_velocity(0, v));
  }
};

TEST(ContactRows, AreTheRelativeVelocityOfTheContactPoint) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Prepared p({.friction = 0.5}, seed, 0.01, 1.0);
    ASSERT_EQ(p.work.blocks.size(), 1U);
    const RowBlock& block = p.work.blocks[0];
    ASSERT_EQ(block.size, 3);
    Vector3 found = Vector3::Zero();
    for (const RowPart& part : block.parts)
      found += Eigen::Map<const Eigen::Matrix<double, 6, 3>>(p.work.values.data() + part.offset)
                   .transpose() *
               p.state.v.segment<6>(p.model.data().trees[static_cast<std::size_t>(part.tree)].v);
    EXPECT_LT((found - p.expected(p.state.v)).norm(), 1e-12);
  }
}

TEST(ContactRows, FreeTermOfAGapLetsTheSurfacesMeet) {
  const double dt = 0.01;
  const Prepared p({.friction = 0.5}, 1, dt, 0.3);
  const Vector3 free = p.expected(p.work.free_velocity);
  EXPECT_NEAR(p.work.g[0], free[0] / dt, 1e-9);
  EXPECT_NEAR(p.work.g[2], (free[2] + 0.3 / dt) / dt, 1e-9);
  for (const double R : p.work.R) EXPECT_EQ(R, 0.0);
}

TEST(ContactRows, FreeTermOfAPenetrationTakesBackItsShare) {
  const double dt = 0.01;
  StepOptions options;
  options.position_correction = 0.25;
  options.slop = 0.01;
  const Prepared deep({.friction = 0.5}, 1, dt, -0.05, options);
  EXPECT_NEAR(deep.work.g[2], (deep.expected(deep.work.free_velocity)[2] - 0.25 * 0.04 / dt) / dt,
              1e-9);
  const Prepared shallow({.friction = 0.5}, 1, dt, -0.005, options);
  EXPECT_NEAR(shallow.work.g[2], shallow.expected(shallow.work.free_velocity)[2] / dt, 1e-9);
}

TEST(ContactRows, ContactThatApproachesBounces) {
  const double dt = 0.01;
  int bounced = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Prepared p({.friction = 0.5, .restitution = 0.6}, seed, dt, -1e-6);
    const double approach = p.expected(p.state.v)[2], free = p.expected(p.work.free_velocity)[2];
    const bool bounces = approach < -1e-3;
    bounced += bounces ? 1 : 0;
    EXPECT_NEAR(p.work.g[2], (bounces ? free + 0.6 * approach : free) / dt, 1e-9);
  }
  EXPECT_GT(bounced, 4);
}

TEST(ContactRows, ComplianceKeepsTheWholeDistance) {
  const double dt = 0.01;
  const Prepared p({.friction = 0.5, .compliance = 1e-4}, 1, dt, -0.02);
  EXPECT_NEAR(p.work.g[2], (p.expected(p.work.free_velocity)[2] - 0.02 / dt) / dt, 1e-9);
  EXPECT_NEAR(p.work.R[2], 2e-4 / (dt * dt), 1e-12);  // both surfaces yield
  EXPECT_EQ(p.work.R[0], 0.0);
}

TEST(ContactRows, WithoutFrictionThereIsOneRow) {
  const Prepared p({.friction = 0.0}, 1, 0.01, 0.0);
  EXPECT_EQ(p.work.blocks[0].size, 1);
  EXPECT_EQ(p.work.problem_blocks[0].kind, ContactKind::frictionless);
  EXPECT_EQ(p.work.g.size(), 1U);
}

}  // namespace
}  // namespace tactum::sim::contact_rows_test
