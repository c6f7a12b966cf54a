// SPDX-License-Identifier: BSD-2-Clause
#include "solver/query/relaxed_forces.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tactum/contact_solver.hpp"

namespace tactum::relaxed_forces_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Two contacts with friction, a limit, a box and a bilateral row.
struct Given {
  Eigen::MatrixXd G;
  ContactTerms terms;

  explicit Given(std::uint32_t seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const Eigen::MatrixXd root = Eigen::MatrixXd::NullaryExpr(9, 12,
                                                              [&] { return normal(random); });
    G = 0.1 * root * root.transpose();
    terms.g = Eigen::VectorXd::NullaryExpr(9, [&] { return normal(random); });
    terms.g[2] -= 2.0;
    terms.kinds = {ContactKind::friction, ContactKind::friction, ContactKind::limit,
                   ContactKind::box, ContactKind::bilateral};
    terms.mu = Eigen::VectorXd::Constant(5, 0.6);
    terms.bounds = BoundsMatrix::Zero(5, 2);
    terms.bounds.row(3) << -0.4, 0.7;
  }
  ContactProblem problem() const { return {G, terms}; }
};

TEST(RelaxedForces, OneRowHasAClosedForm) {
  for (const double g : {-3.0, 0.0, 2.0}) {
    ContactTerms terms;
    terms.g = Eigen::VectorXd::Constant(1, g);
    terms.kinds = {ContactKind::limit};
    const double G = 0.5, kappa = 1e-2;
    const ContactProblem problem(Eigen::MatrixXd::Constant(1, 1, G), terms);
    const Eigen::VectorXd kappas = Eigen::VectorXd::Constant(1, kappa);
    const RelaxedForces relaxed(problem, kappas);
    EXPECT_TRUE(relaxed.converged());
    // f (G f + g) = kappa
    const double root = std::sqrt(g * g + 4.0 * G * kappa), f = (root - g) / (2.0 * G);
    EXPECT_NEAR(relaxed.force()[0], f, 1e-12 * (1.0 + f));
    const double slope = (g / root - 1.0) / (2.0 * G);
    EXPECT_NEAR(relaxed.force_change(Eigen::MatrixXd::Ones(1, 1), {})(0, 0), slope, 1e-9);
    EXPECT_NEAR(relaxed.pullback(Eigen::MatrixXd::Ones(1, 1))(0, 0), slope, 1e-9);
  }
}

TEST(RelaxedForces, ProductsOfForceAndVelocityAreKappa) {
  for (std::uint32_t seed = 1; seed < 20; ++seed) {
    const Given given(seed);
    const ContactProblem problem = given.problem();
    const Eigen::VectorXd kappa = Eigen::VectorXd::LinSpaced(5, 1e-3, 2e-2);
    const RelaxedForces relaxed(problem, kappa);
    ASSERT_TRUE(relaxed.converged()) << seed;
    const Eigen::VectorXd &f = relaxed.force(), s = problem.velocity(f);
    for (const int row : {0, 3}) {
      const double slip = s.segment<2>(row).norm(), push = f.segment<2>(row).norm();
      EXPECT_LT(push, 0.6 * f[row + 2]);
      EXPECT_NEAR(f.segment<3>(row).dot(s.segment<3>(row)) + 0.6 * slip * f[row + 2],
                  kappa[row / 3], 1e-8);
      // friction is against the slip
      EXPECT_NEAR(f.segment<2>(row).dot(s.segment<2>(row)), -push * slip, 1e-8);
    }
    EXPECT_NEAR(f[6] * s[6], kappa[2], 1e-9);
    EXPECT_NEAR(s[7], kappa[3] / (f[7] + 0.4) - kappa[3] / (0.7 - f[7]), 1e-8);
    EXPECT_NEAR(s[8], 0.0, 1e-9);
  }
}

TEST(RelaxedForces, AreThoseOfTheProblemForSmallKappa) {
  for (std::uint32_t seed = 1; seed < 10; ++seed) {
    const ContactProblem problem = Given(seed).problem();
    const ContactSolution exact = solve(problem, {.tolerance = 1e-12});
    double last = kInfinity;
    for (const double kappa : {1e-2, 1e-3, 1e-4, 1e-5}) {
      const RelaxedForces relaxed(problem, Eigen::VectorXd::Constant(5, kappa));
      EXPECT_TRUE(relaxed.converged()) << seed << ' ' << kappa;
      const double off = (relaxed.force() - exact.force).norm();
      EXPECT_LT(off, last) << seed << ' ' << kappa;
      last = off;
    }
    EXPECT_LT(last, 2e-2 * (1.0 + exact.force.norm())) << seed;
  }
}

TEST(RelaxedForces, DerivativesAreThoseOfDifferences) {
  const double h = 1e-6;
  const Eigen::VectorXd kappa = Eigen::VectorXd::Constant(5, 5e-3);
  for (std::uint32_t seed = 1; seed < 6; ++seed) {
    const Given given(seed);
    const RelaxedForces here(given.problem(), kappa);
    const auto difference = [&](const auto& number) -> Eigen::VectorXd {
      Given ahead = given, behind = given;
      number(ahead) += h;
      number(behind) -= h;
      return (RelaxedForces(ahead.problem(), kappa).force() -
              RelaxedForces(behind.problem(), kappa).force()) /
             (2.0 * h);
    };
    const Eigen::MatrixXd by_g = here.force_change(Eigen::MatrixXd::Identity(9, 9), {});
    EXPECT_LT((here.pullback(Eigen::MatrixXd::Identity(9, 9)).transpose() - by_g).norm(),
              1e-9 * by_g.norm());
    for (int i = 0; i < 9; ++i) {
      const Eigen::VectorXd expected = difference(
          [i](Given& g) -> double& { return g.terms.g[i]; });
      EXPECT_LT((by_g.col(i) - expected).norm(), 1e-5 * (0.1 + expected.norm()))
          << seed << ' ' << i;
    }
    Eigen::MatrixXd by_mu = here.force_change(Eigen::MatrixXd::Zero(9, 5),
                                              Eigen::MatrixXd::Identity(5, 5));
    const Eigen::VectorXd expected = difference([](Given& g) -> double& { return g.terms.mu[1]; });
    EXPECT_LT((by_mu.col(1) - expected).norm(), 1e-5 * (0.1 + expected.norm())) << seed;
    const Eigen::VectorXd weights = Eigen::VectorXd::LinSpaced(9, -1.0, 1.0);
    EXPECT_LT((here.pullback_to_mu(weights) - by_mu.transpose() * weights).norm(),
              1e-9 * (1.0 + by_mu.norm()));
  }
}

TEST(RelaxedForces, NoRowsAndBoundsOnOneSide) {
  ContactTerms none;
  none.g.resize(0);
  const RelaxedForces empty(ContactProblem(Eigen::MatrixXd(0, 0), none), Eigen::VectorXd(0));
  EXPECT_TRUE(empty.converged());
  ContactTerms terms;
  terms.g = Eigen::VectorXd::Constant(1, -1.0);
  terms.kinds = {ContactKind::box};
  terms.bounds = BoundsMatrix(1, 2);
  terms.bounds << 0.0, kInfinity;
  const RelaxedForces box(ContactProblem(Eigen::MatrixXd::Ones(1, 1), terms),
                          Eigen::VectorXd::Constant(1, 1e-2));
  EXPECT_TRUE(box.converged());
  EXPECT_NEAR(box.force()[0] * (box.force()[0] - 1.0), 1e-2, 1e-9);
}

}  // namespace
}  // namespace tactum::relaxed_forces_test
