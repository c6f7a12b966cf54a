// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/contact_warm_start.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "support/allocation_guard.hpp"
#include "support/contact_scenes.hpp"

namespace tactum::contact_warm_start {
namespace {

using namespace tactum::testing;

/// A problem of friction contacts that are independent of each other.
ContactProblem apart(int contacts, double mu = 1.0) {
  return {Eigen::MatrixXd::Identity(3 * contacts, 3 * contacts),
          {.g = Eigen::VectorXd::Constant(3 * contacts, -1),
           .mu = Eigen::VectorXd::Constant(contacts, mu)}};
}

Matrix3 turned(double angle) { return Eigen::AngleAxisd(angle, Vector3::UnitZ()).matrix(); }

TEST(ContactWarmStart, TurnsForcesIntoTheNewFrames) {
  Random random(611);
  const ContactProblem problem = apart(3);
  std::vector<ContactFeature> before, after;
  for (int i = 0; i < 3; ++i) {
    before.push_back({.pair = 7 - i, .feature = 10 + i, .frame = random.rotation()});
    after.push_back(before.back());
  }
  std::swap(after[0], after[2]);
  ContactSolution solution = solve(problem);
  for (int i = 0; i < 3; ++i) {
    solution.force.segment<3>(3 * i) << 0.1 * i, 0.2, 1.0 + i;
    solution.dual_velocity.segment<3>(3 * i) << 0.3, -0.1 * i, 2.0 + i;
  }
  // frames turn about their normals, so that forces stay in their cones
  for (ContactFeature& feature : after)
    feature.frame = feature.frame * turned(random.uniform(-3, 3));
  ContactWarmStart warm;
  warm.keep(problem, before, solution);
  const ContactSolution& start = warm.start(problem, after);
  for (int i = 0; i < 3; ++i) {
    const auto& old_frame = before[static_cast<std::size_t>(2 - i)].frame;
    const auto& new_frame = after[static_cast<std::size_t>(i)].frame;
    EXPECT_LT((new_frame * start.force.segment<3>(3 * i) -
               old_frame * solution.force.segment<3>(6 - 3 * i))
                  .norm(),
              1e-14);
    EXPECT_LT((new_frame * start.dual_velocity.segment<3>(3 * i) -
               old_frame * solution.dual_velocity.segment<3>(6 - 3 * i))
                  .norm(),
              1e-14);
  }
}

TEST(ContactWarmStart, NewContactsTakeTheNearestElseTheMeanElseZero) {
  const ContactProblem old = apart(3), next = apart(5);
  const std::vector<ContactFeature> before = {
      {.pair = 1, .feature = 1, .point = {0, 0, 0}},
      {.pair = 1, .feature = 2, .point = {1, 0, 0}},
      {.pair = 2, .feature = 1, .point = {5, 0, 0}},
  };
  ContactSolution solution = solve(old);
  solution.force << 0, 0, 1, 0, 0, 3, 0, 0, 10;
  solution.dual_velocity = 2 * solution.force;
  const std::vector<ContactFeature> after = {
      {.pair = 1, .feature = 2, .point = {0, 0, 0}, .pair_size = 1},     // the same contact
      {.pair = 1, .feature = 3, .point = {0.05, 0, 0}, .pair_size = 1},  // near the first
      {.pair = 1, .feature = 4, .point = {0.5, 0, 0}, .pair_size = 1},   // near none
      {.pair = 1, .feature = 5, .point = {0, 0, 0}},                     // no size is known
      {.pair = 3, .feature = 1, .point = {5, 0, 0}, .pair_size = 1},     // a new pair
  };
  ContactWarmStart warm;
  warm.keep(old, before, solution);
  const ContactSolution& start = warm.start(next, after);
  const double expected[] = {3, 1, 2, 2, 0};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(start.force[3 * i + 2], expected[i]) << i;
    EXPECT_EQ(start.dual_velocity[3 * i + 2], 2 * expected[i]) << i;
  }
  warm.clear();
  EXPECT_EQ(warm.start(next, after).force, Eigen::VectorXd::Zero(15));
}

TEST(ContactWarmStart, ForcesFitTheNewBlocks) {
  // another kind is another contact; a smaller cone and other bounds cut the force
  const auto problem = [](std::vector<ContactKind> kinds, double mu, double upper) {
    const Eigen::Index rows = kinds[0] == ContactKind::friction ? 5 : 3;
    BoundsMatrix bounds(1, 2);
    bounds << -upper, upper;
    return ContactProblem(Eigen::MatrixXd::Identity(rows, rows),
                          {.g = Eigen::VectorXd::Zero(rows),
                           .mu = Eigen::VectorXd::Constant(rows == 5 ? 1 : 0, mu),
                           .kinds = std::move(kinds),
                           .bounds = bounds});
  };
  using Kind = ContactKind;
  const ContactProblem old = problem({Kind::friction, Kind::box, Kind::limit}, 1, 2);
  const std::vector<ContactFeature> features = {{.pair = 1}, {.pair = 2}, {.pair = 3}};
  ContactSolution solution = solve(old);
  solution.force << 1, 0, 1, -2, 3;
  ContactWarmStart warm;
  warm.keep(old, features, solution);
  const ContactSolution& start = warm.start(
      problem({Kind::friction, Kind::box, Kind::limit}, 0.5, 1), features);
  EXPECT_LE(start.force.head<2>().norm(), 0.5 * start.force[2] + 1e-15);
  EXPECT_EQ(start.force[3], -1);
  EXPECT_EQ(start.force[4], 3);
  const ContactSolution& other = warm.start(problem({Kind::limit, Kind::box, Kind::limit}, 0.5, 2),
                                            features);
  EXPECT_EQ(other.force, Eigen::Vector3d(0, -2, 3));
}

TEST(ContactWarmStart, IslandsKeepTheirProximalParameter) {
  const ContactProblem problem = apart(3);
  std::vector<ContactFeature> features = {{.pair = 1}, {.pair = 2}, {.pair = 3}};
  ContactSolution solution = solve(problem);
  ASSERT_EQ(solution.penalty_exponents.size(), 3);
  solution.penalty_exponents << 0.1, 0.3, 0.7;
  ContactWarmStart warm;
  warm.keep(problem, features, solution);
  features[2].pair = 4;
  EXPECT_EQ(warm.start(problem, features).penalty_exponents, Eigen::Vector3d(0.1, 0.3, 0.2));
  // one island of all contacts begins with the mean of those that it knows
  const ContactProblem joined(Eigen::MatrixXd::Identity(9, 9) + Eigen::MatrixXd::Ones(9, 9),
                              {.g = problem.g(), .mu = Eigen::Vector3d::Ones()});
  EXPECT_EQ(warm.start(joined, features).penalty_exponents, Eigen::Vector3d::Constant(0.2));
}

/// A box of side 0.2 m that slides and turns on the ground. Some of its eight possible contacts
/// are there in each step.
struct SlidingBox {
  ContactProblem problem;
  std::vector<ContactFeature> features;
};

SlidingBox sliding_box(int step) {
  const double angle = 0.02 * step;
  const Matrix3 R = turned(angle);
  std::vector<ContactFeature> features;
  for (int i = 0; i < 8; ++i) {
    if ((i + step / 3) % 4 == 0) continue;
    const double around = M_PI / 4 * i, reach = i % 2 == 0 ? 0.1 : 0.1 * std::sqrt(2.0);
    const Vector3 local(reach * std::cos(around), reach * std::sin(around), -0.1);
    features.push_back({.pair = 5,
                        .feature = i,
                        .point = local,
                        .frame = turned(0.3 * i - 0.05 * step),
                        .pair_size = 0.2});
  }
  const int contacts = static_cast<int>(features.size());
  Eigen::MatrixXd J(3 * contacts, 6);
  for (int c = 0; c < contacts; ++c) {
    const ContactFeature& feature = features[static_cast<std::size_t>(c)];
    J.middleRows(3 * c, 3) = feature.frame.transpose() * point_rows(R * feature.point);
  }
  Eigen::MatrixXd L = Eigen::MatrixXd::Identity(6, 6);
  L.bottomRightCorner(3, 3) *= std::sqrt(0.04 / 6);
  Eigen::VectorXd free(6);
  free << 1.0 - 0.01 * step, 0.2, -kGravity * kTimeStep, 0, 0, 1.5;
  return {ContactProblem::from_operator(
              J, L, {.g = J * free / kTimeStep, .mu = Eigen::VectorXd::Constant(contacts, 0.5)}),
          features};
}

TEST(ContactWarmStart, ASlidingBoxNeedsFewerIterations) {
  for (const ContactSolver solver :
       {ContactSolver::ncp_admm, ContactSolver::ncp_pgs, ContactSolver::ccp_admm}) {
    ContactWarmStart warm;
    int warm_iterations = 0, cold_iterations = 0;
    for (int step = 0; step < 40; ++step) {
      const SlidingBox box = sliding_box(step);
      SolveOptions options{.solver = solver, .tolerance = 1e-8};
      cold_iterations += solve(box.problem, options).iterations;
      options.warm_start = &warm.start(box.problem, box.features);
      const ContactSolution solution = solve(box.problem, options);
      EXPECT_EQ(solution.status, ContactStatus::converged) << to_string(solver) << " " << step;
      warm_iterations += solution.iterations;
      warm.keep(box.problem, box.features, solution);
    }
    EXPECT_LT(warm_iterations, cold_iterations) << to_string(solver);
  }
}

TEST(ContactWarmStart, NothingIsAllocatedAfterWarmUp) {
  const SlidingBox box = sliding_box(0);
  const ContactSolution solution = solve(box.problem);
  ContactWarmStart warm;
  for (int i = 0; i < 2; ++i) {
    warm.keep(box.problem, box.features, solution);
    warm.start(box.problem, box.features);
  }
  const AllocationGuard guard;
  warm.keep(box.problem, box.features, solution);
  warm.start(box.problem, box.features);
  EXPECT_EQ(guard.count(), 0U);
}

TEST(ContactWarmStart, RefusesWhatIsNoFeature) {
  const ContactProblem problem = apart(2);
  const ContactSolution solution = solve(problem);
  ContactWarmStart warm;
  const auto refused = [&](const std::vector<ContactFeature>& features,
                           const ContactSolution& kept) -> std::string {
    try {
      warm.keep(problem, features, kept);
    } catch (const InvalidInput& error) {
      return error.field();
    }
    return "nothing";
  };
  const std::vector<ContactFeature> good(2);
  EXPECT_EQ(refused(good, solution), "nothing");
  EXPECT_EQ(refused({{}, {}, {}}, solution), "features");
  std::vector<ContactFeature> bad = good;
  bad[1].point.y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refused(bad, solution), "features[1].point");
  bad = good;
  bad[0].frame *= 2;
  EXPECT_EQ(refused(bad, solution), "features[0].frame");
  bad = good;
  bad[0].pair_size = -1;
  EXPECT_EQ(refused(bad, solution), "features[0].pair_size");
  ContactSolution other = solution;
  other.force.conservativeResize(3);
  EXPECT_EQ(refused(good, other), "warm_start");
}

}  // namespace
}  // namespace tactum::contact_warm_start
