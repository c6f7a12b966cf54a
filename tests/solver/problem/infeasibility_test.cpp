// SPDX-License-Identifier: BSD-2-Clause
// Problems that have no solution by construction, and problems that have one: those made from a
// solution, and those of bodies that can move.
#include "solver/problem/infeasibility.hpp"

#include <gtest/gtest.h>

#include "support/contact_scenes.hpp"

namespace tactum::infeasibility_test {
namespace {

using testing::Random;

Eigen::MatrixXd random_factor(Random& random, Eigen::Index rows, Eigen::Index columns) {
  Eigen::MatrixXd factor(rows, columns);
  for (double& entry : factor.reshaped()) entry = random.uniform(-1.0, 1.0);
  return factor;
}

bool infeasible(const ContactProblem& problem) { return is_infeasible(problem, problem.R()); }

TEST(Infeasibility, NothingThatMoves) {
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(1);
  const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(3, 3);
  EXPECT_TRUE(infeasible({zero, {.g = Eigen::Vector3d(0, 0, -1), .mu = one}}));
  EXPECT_FALSE(infeasible({zero, {.g = Eigen::Vector3d(0, 0, 1), .mu = one}}));
  EXPECT_FALSE(infeasible({zero, {.g = Eigen::Vector3d(1, 0, 0), .mu = one}}));
  EXPECT_FALSE(infeasible(
      {zero, {.g = Eigen::Vector3d(0, 0, -1), .mu = one, .R = Eigen::Vector3d(0, 0, 1e-3)}}));
}

TEST(Infeasibility, TwoWallsThatCloseOnABody) {
  // the normals are opposite, so that pushing both alike moves nothing
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(2, 1);
  J << 1, -1;
  const std::vector<ContactKind> kinds(2, ContactKind::frictionless);
  const auto problem = [&](double left, double right) {
    return ContactProblem(J * J.transpose(), {.g = Eigen::Vector2d(left, right), .kinds = kinds});
  };
  EXPECT_TRUE(infeasible(problem(-1, -1)));
  EXPECT_TRUE(infeasible(problem(-1, 0.5)));
  EXPECT_FALSE(infeasible(problem(-1, 1)));
  EXPECT_FALSE(infeasible(problem(-1, 2)));
}

TEST(Infeasibility, BilateralRowsThatContradict) {
  const std::vector<ContactKind> kinds(2, ContactKind::bilateral);
  const auto problem = [&](double first, double second) {
    return ContactProblem(Eigen::MatrixXd::Ones(2, 2),
                          {.g = Eigen::Vector2d(first, second), .kinds = kinds});
  };
  EXPECT_TRUE(infeasible(problem(1, 2)));
  EXPECT_FALSE(infeasible(problem(1, 1)));
}

TEST(Infeasibility, AProblemMadeFromASolutionHasOne) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(91, seed);
    const Eigen::Index blocks = 1 + random.below(8), rows = 3 * blocks;
    const Eigen::MatrixXd W = random_factor(random, 1 + random.below(6), rows);
    Eigen::VectorXd force(rows), velocity(rows);
    for (Eigen::Index i = 0; i < rows; ++i) {
      force[i] = i % 3 == 2 ? random.uniform(0.0, 1.0) : 0.0;
      velocity[i] = i % 3 == 2 && force[i] > 0.5 ? 0.0 : random.uniform(0.0, 1.0);
      if (i % 3 == 2 && velocity[i] > 0.0) force[i] = 0.0;
    }
    const Eigen::MatrixXd G = W.transpose() * W;
    EXPECT_FALSE(infeasible({G, {.g = velocity - G * force, .mu = Eigen::VectorXd::Ones(blocks)}}))
        << seed;
  }
}

TEST(Infeasibility, FoundAmongOtherContacts) {
  // a certificate is planted: y > 0 on some normals, W y = 0, y . g < 0
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(92, seed);
    const Eigen::Index blocks = 2 + random.below(8), rows = 3 * blocks;
    Eigen::MatrixXd W = random_factor(random, 1 + random.below(6), rows);
    Eigen::VectorXd y = Eigen::VectorXd::Zero(rows), g(rows);
    for (Eigen::Index i = 2; i < rows; i += 3)
      y[i] = random.chance(0.5) ? random.uniform(0.1, 1.0) : 0.0;
    y[2] = 1.0;
    W -= (W * y) * y.transpose() / y.squaredNorm();
    for (double& entry : g) entry = random.uniform(-1.0, 1.0);
    g -= (y.dot(g) + random.uniform(0.1, 1.0)) / y.squaredNorm() * y;
    const Eigen::MatrixXd G = W.transpose() * W;
    EXPECT_TRUE(infeasible({G, {.g = g, .mu = Eigen::VectorXd::Ones(blocks)}})) << seed;
  }
}

TEST(Infeasibility, BodiesThatCanMoveHaveASolution) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(93, seed);
    const Eigen::Index blocks = 1 + random.below(8), rows = 3 * blocks;
    const Eigen::MatrixXd W = random_factor(random, rows + 2, rows);
    Eigen::VectorXd g(rows);
    for (double& entry : g) entry = random.uniform(-1.0, 1.0);
    EXPECT_FALSE(infeasible({W.transpose() * W, {.g = g, .mu = Eigen::VectorXd::Ones(blocks)}}));
  }
}

}  // namespace
}  // namespace tactum::infeasibility_test
