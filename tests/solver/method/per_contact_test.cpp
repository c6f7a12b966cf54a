// SPDX-License-Identifier: BSD-2-Clause
// The solution of one contact can be written down. Problems of many contacts that do not touch are
// compared with it.
#include "solver/method/per_contact.hpp"

#include <gtest/gtest.h>

#include "support/contact_scenes.hpp"

namespace tactum::testing {
namespace {

/// A point mass m on the ground with the free velocity v: G = I/m.
ContactProblem point_mass(double mass, const Vector3& free, double mu) {
  return {Eigen::MatrixXd::Identity(3, 3) / mass,
          {.g = free, .mu = Eigen::VectorXd::Constant(1, mu)}};
}

ContactSolution solved(const ContactProblem& problem, ContactSolver solver,
                       double over_relaxation = 1) {
  return solve(problem, {.solver = solver, .tolerance = 1e-13, .over_relaxation = over_relaxation});
}

constexpr ContactSolver kSolvers[] = {ContactSolver::lcp_pgs, ContactSolver::ccp_pgs,
                                      ContactSolver::ncp_pgs, ContactSolver::raisim,
                                      ContactSolver::raisim_desaxce};

TEST(PerContact, SticksAndBreaksAsInClosedForm) {
  for (const ContactSolver solver : kSolvers) {
    for (const double relaxation : {0.7, 1.0, 1.3}) {
      const ContactSolution stick = solved(point_mass(2, {0.2, -0.1, -1}, 0.5), solver, relaxation);
      EXPECT_LT((stick.force - Eigen::Vector3d(-0.4, 0.2, 2)).norm(), 1e-12) << to_string(solver);
      EXPECT_EQ(stick.modes[0], ContactMode::sticking);
      const ContactSolution apart = solved(point_mass(2, {0.2, -0.1, 1}, 0.5), solver, relaxation);
      EXPECT_EQ(apart.force.norm(), 0) << to_string(solver);
      EXPECT_EQ(apart.modes[0], ContactMode::breaking);
    }
  }
}

TEST(PerContact, SlidesAsInClosedForm) {
  // friction acts against the motion with mu times the weight; the corner of the square allows
  // sqrt(2) times that
  const double mu = 0.5, c = std::sqrt(0.5);
  const ContactProblem problem = point_mass(2, {3 * c, 3 * c, -1}, mu);
  for (const ContactSolver solver :
       {ContactSolver::ncp_pgs, ContactSolver::raisim, ContactSolver::raisim_desaxce})
    EXPECT_LT((solved(problem, solver).force - Eigen::Vector3d(-c, -c, 2)).norm(), 1e-12)
        << to_string(solver);
  EXPECT_LT((solved(problem, ContactSolver::lcp_pgs).force - Eigen::Vector3d(-1, -1, 2)).norm(),
            1e-12);
  // the solution of the ccp is the projection of -m g on the cone
  const double normal = (mu * 6 + 2) / (1 + mu * mu);
  EXPECT_LT((solved(problem, ContactSolver::ccp_pgs).force -
             Eigen::Vector3d(-c * mu * normal, -c * mu * normal, normal))
                .norm(),
            1e-12);
}

TEST(PerContact, PolygonOfAnyAngleAndCount) {
  // the free velocity is along the normal of a side, so the force ends on that side
  const double angle = 0.3;
  const ContactProblem problem = point_mass(1, {-3 * std::cos(angle), -3 * std::sin(angle), -1},
                                            0.5);
  for (const int facets : {3, 4, 8, 32}) {
    const ContactSolution solution = solve(problem,
                                           {.solver = ContactSolver::lcp_pgs,
                                            .tolerance = 1e-12,
                                            .polygon = {.facets = facets, .angle = angle}});
    EXPECT_EQ(solution.status, ContactStatus::converged);
    EXPECT_NEAR(solution.force[0] * std::cos(angle) + solution.force[1] * std::sin(angle), 0.5,
                1e-12)
        << facets;
    EXPECT_NEAR(solution.force[1] * std::cos(angle) - solution.force[0] * std::sin(angle), 0, 1e-10)
        << facets;
  }
}

TEST(PerContact, NoFrictionMeansNoTangentialForce) {
  for (const ContactSolver solver : kSolvers) {
    const ContactSolution solution = solved(point_mass(1, {3, 2, -1}, 0), solver);
    EXPECT_EQ(solution.status, ContactStatus::converged) << to_string(solver);
    EXPECT_LT((solution.force - Eigen::Vector3d(0, 0, 1)).norm(), 1e-12) << to_string(solver);
    EXPECT_EQ(solution.modes[0], ContactMode::sliding);
  }
}

TEST(PerContact, RowsOfEveryKind) {
  // rows are independent with G = 2, so f is -g/2 within the bounds
  ContactTerms terms{.g = Eigen::VectorXd(5)};
  terms.g << 3, 3, -3, 3, -30;
  terms.kinds = {ContactKind::bilateral, ContactKind::limit, ContactKind::frictionless,
                 ContactKind::box, ContactKind::box};
  terms.bounds.resize(2, 2);
  terms.bounds << -1, 1, -1, std::numeric_limits<double>::infinity();
  const ContactProblem problem(2 * Eigen::MatrixXd::Identity(5, 5), terms);
  for (const ContactSolver solver : kAllSolvers) {
    const ContactSolution solution = solve(problem, {.solver = solver, .tolerance = 1e-11});
    EXPECT_EQ(solution.status, ContactStatus::converged) << to_string(solver);
    Eigen::VectorXd expected(5);
    expected << -1.5, 0, 1.5, -1, 15;
    EXPECT_LT((solution.force - expected).norm(), 1e-9) << to_string(solver);
    EXPECT_EQ(solution.islands, 5);
    EXPECT_EQ(solution.modes[3], ContactMode::sliding);
    EXPECT_EQ(solution.modes[4], ContactMode::sticking);
  }
}

}  // namespace
}  // namespace tactum::testing
