// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/contact_problem.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "support/contact_scenes.hpp"

namespace tactum::testing {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                 kInfinity = std::numeric_limits<double>::infinity();

struct Input {
  Eigen::MatrixXd G = Eigen::MatrixXd::Identity(6, 6);
  ContactTerms terms{.g = Eigen::VectorXd::Zero(6), .mu = Eigen::VectorXd::Constant(2, 0.5)};
};

/// The field and value that the constructor complains about.
void expect_refused(const std::function<void(Input&)>& spoil, const std::string& field,
                    const std::string& value) {
  Input input;
  spoil(input);
  try {
    const ContactProblem problem(input.G, input.terms);
    ADD_FAILURE() << "accepted: " << field;
  } catch (const InvalidInput& error) {
    EXPECT_EQ(error.field(), field) << error.what();
    EXPECT_NE(error.value().find(value), std::string::npos) << error.what();
  }
}

TEST(ContactProblem, RefusesBadNumbersByName) {
  expect_refused([](Input& in) { in.terms.g[4] = kNan; }, "ContactProblem.g[4]", "nan");
  expect_refused([](Input& in) { in.terms.g[1] = kInfinity; }, "ContactProblem.g[1]", "inf");
  expect_refused([](Input& in) { in.terms.mu[1] = -0.25; }, "ContactProblem.mu[1]", "-0.25");
  expect_refused([](Input& in) { in.terms.mu[0] = kNan; }, "ContactProblem.mu[0]", "nan");
  expect_refused([](Input& in) { in.terms.R = Eigen::VectorXd::Constant(6, -1.0); },
                 "ContactProblem.R[0]", "-1");
  expect_refused([](Input& in) { in.G(2, 3) = in.G(3, 2) = kNan; }, "ContactProblem.G[3, 2]",
                 "nan");
  // not symmetric
  expect_refused([](Input& in) { in.G(4, 1) = 0.5; }, "ContactProblem.G[4, 1]", "0.5");
  // negative diagonal
  expect_refused([](Input& in) { in.G(5, 5) = -1; }, "ContactProblem.G[5, 5]", "-1");
  // negative minor
  expect_refused([](Input& in) { in.G(4, 1) = in.G(1, 4) = 1.5; }, "ContactProblem.G[4, 1]", "1.5");
  expect_refused(
      [](Input& in) {  // every pair of rows is fine, the three together are not
        in.G(1, 0) = in.G(0, 1) = in.G(2, 0) = in.G(0, 2) = 0.9;
        in.G(2, 1) = in.G(1, 2) = -0.9;
      },
      "ContactProblem.G[2, 2]", "1");
}

TEST(ContactProblem, RefusesWrongSizesByName) {
  expect_refused([](Input& in) { in.terms.g.resize(5); }, "ContactProblem.g", "5 rows");
  expect_refused([](Input& in) { in.terms.mu.resize(3); }, "ContactProblem.mu", "3 entries");
  expect_refused([](Input& in) { in.terms.R.setZero(2); }, "ContactProblem.R", "2 entries");
  expect_refused([](Input& in) { in.G.resize(6, 5); }, "ContactProblem.G", "6 x 5");
  expect_refused([](Input& in) { in.terms.kinds = {ContactKind::friction, ContactKind::limit}; },
                 "ContactProblem.g", "6 rows");
  expect_refused([](Input& in) { in.terms.kinds = {static_cast<ContactKind>(9)}; },
                 "ContactProblem.kinds[0]", "9");
}

TEST(ContactProblem, VelocityRefusesForcesThatAreNoNumbers) {
  const ContactProblem problem(Eigen::MatrixXd::Identity(3, 3),
                               {.g = Eigen::VectorXd::Ones(3), .mu = Eigen::VectorXd::Ones(1)});
  EXPECT_EQ(problem.velocity(Eigen::VectorXd::Ones(3)), Eigen::VectorXd::Constant(3, 2.0));
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, 1e61}) {
    Eigen::VectorXd force = Eigen::VectorXd::Ones(3);
    force[1] = bad;
    try {
      problem.velocity(force);
      ADD_FAILURE() << bad;
    } catch (const InvalidInput& error) {
      EXPECT_EQ(error.field(), "force[1]");
    }
  }
}

TEST(ContactProblem, ReadsMixedKindsWithEitherCountOfCoefficients) {
  ContactTerms terms{.g = Eigen::VectorXd::LinSpaced(7, 0, 6)};
  terms.kinds = {ContactKind::bilateral, ContactKind::friction, ContactKind::box,
                 ContactKind::limit, ContactKind::frictionless};
  terms.mu = Eigen::VectorXd::Constant(1, 0.7);
  terms.bounds.resize(1, 2);
  terms.bounds << -kInfinity, 2;
  const ContactProblem few(Eigen::MatrixXd::Identity(7, 7), terms);
  terms.mu = Eigen::VectorXd::Constant(5, 0.7);
  terms.bounds = BoundsMatrix::Zero(5, 2);
  terms.bounds.row(2) << -kInfinity, 2;
  const ContactProblem all(Eigen::MatrixXd::Identity(7, 7), terms);
  for (const ContactProblem* problem : {&few, &all}) {
    ASSERT_EQ(problem->blocks().size(), 5U);
    EXPECT_EQ(problem->blocks()[1].row, 1);
    EXPECT_EQ(problem->blocks()[1].mu, 0.7);
    EXPECT_EQ(problem->blocks()[2].row, 4);
    EXPECT_EQ(problem->blocks()[2].lower, -kInfinity);
    EXPECT_EQ(problem->blocks()[2].upper, 2);
  }
  terms.bounds.row(2) << 3, 2;
  EXPECT_THROW(ContactProblem(Eigen::MatrixXd::Identity(7, 7), terms), InvalidInput);
}

TEST(ContactProblem, OperatorIsTheSameProblem) {
  Random random(11);
  const ContactScene scene = random_scene(random, 3, 8);
  const Eigen::VectorXd R = Eigen::VectorXd::Constant(24, 0.1),
                        force = Eigen::VectorXd::LinSpaced(24, -1, 1);
  const ContactProblem dense = scene.problem(R), thin = scene.operator_problem(R);
  EXPECT_TRUE(thin.is_operator());
  EXPECT_LT((dense.velocity(force) - thin.velocity(force)).norm(),
            1e-12 * dense.velocity(force).norm());
  EXPECT_LT((dense.G() - thin.dense_G()).norm(), 1e-12 * dense.G().norm());
  EXPECT_LT((dense.diagonal_G() - thin.diagonal_G()).norm(), 1e-12 * dense.G().norm());
  EXPECT_THROW(thin.G(), InvalidInput);
  EXPECT_THROW(dense.W(), InvalidInput);
}

TEST(ContactProblem, RefusesAFactorThatIsNone) {
  const ContactScene scene = stack_scene({1.0}, 0.5);
  const ContactTerms terms{.g = scene.g(), .mu = scene.mu};
  EXPECT_THROW(ContactProblem::from_operator(scene.J, Eigen::MatrixXd::Ones(6, 6), terms),
               InvalidInput);
  EXPECT_THROW(ContactProblem::from_operator(scene.J, Eigen::MatrixXd::Zero(6, 6), terms),
               InvalidInput);
  EXPECT_THROW(ContactProblem::from_operator(scene.J, Eigen::MatrixXd::Identity(5, 5), terms),
               InvalidInput);
}

TEST(ContactProblem, AcceptsHyperstaticAndEmptyProblems) {
  EXPECT_EQ(stack_scene({1e-3, 1e3, 1e-3}, 0.5).problem().rows(), 36);
  EXPECT_EQ(ContactProblem(Eigen::MatrixXd(0, 0), {.g = Eigen::VectorXd(0)}).rows(), 0);
}

}  // namespace
}  // namespace tactum::testing
