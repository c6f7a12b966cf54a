// SPDX-License-Identifier: BSD-2-Clause
#include "solver/method/law_equations.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "solver/whole_problem.hpp"

namespace tactum::law_equations {
namespace {

using namespace tactum::testing;

TEST(LawEquations, SolveTheDenseSystem) {
  std::srand(5);
  const Eigen::MatrixXd half = Eigen::MatrixXd::Random(6, 6);
  const Eigen::MatrixXd G = half * half.transpose() + Eigen::MatrixXd::Identity(6, 6);
  const ContactProblem problem(
      G, {.g = Eigen::VectorXd::Ones(6), .mu = Eigen::VectorXd::Constant(2, 0.5)});
  const ContactIsland whole = whole_island(problem);
  const ProblemView view = view_of(whole, problem.R());
  const Eigen::VectorXd weight = Eigen::VectorXd::Constant(6, 2.0),
                        value = Eigen::VectorXd::LinSpaced(6, -1.0, 2.0);
  const double proximal = 1e-3;
  Eigen::MatrixXd by_force = Eigen::MatrixXd::Zero(6, 6), by_velocity = by_force;
  LawEquations equations;
  equations.start(view, weight, proximal);
  for (int c = 0; c < 2; ++c) {
    const Eigen::Matrix3d E_f = Eigen::Matrix3d::Random() + 3.0 * Eigen::Matrix3d::Identity(),
                          E_s = Eigen::Matrix3d::Random();
    by_force.block<3, 3>(3 * c, 3 * c) = E_f;
    by_velocity.block<3, 3>(3 * c, 3 * c) = E_s;
    ASSERT_TRUE(equations.set_block(static_cast<std::size_t>(c), E_f, E_s));
  }
  ASSERT_TRUE(equations.factorize());
  Eigen::VectorXd step;
  equations.solve(value, step);
  const Eigen::MatrixXd shifted = G + proximal * Eigen::MatrixXd(weight.asDiagonal());
  const Eigen::VectorXd wanted = (by_force + by_velocity * shifted).partialPivLu().solve(-value);
  EXPECT_LT((step - wanted).norm(), 1e-11 * (1.0 + wanted.norm()));
}

TEST(LawEquations, BlocksOutOfBoundsAreNotRegular) {
  const ContactProblem problem(
      Eigen::Matrix3d::Identity(),
      {.g = Eigen::Vector3d::Ones(), .mu = Eigen::VectorXd::Constant(1, 0.5)});
  const ContactIsland whole = whole_island(problem);
  const ProblemView view = view_of(whole, problem.R());
  const Eigen::VectorXd weight = Eigen::VectorXd::Ones(3);
  LawEquations equations;
  equations.start(view, weight, 0.0);
  Eigen::Matrix3d entries;
  entries << 1.0, 0.5, 0.25, -0.5, 2.0, 1.0, 0.75, 1.0, -1.0;
  // the determinant of the first is infinity less infinity; the inverse of the last is infinite
  for (const double size : {1e132, 1e200, 1e-200, 0.0})
    EXPECT_FALSE(equations.set_block(0, size * entries, Eigen::Matrix3d::Zero())) << size;
  EXPECT_TRUE(equations.set_block(0, 1e9 * entries, Eigen::Matrix3d::Zero()));
  EXPECT_TRUE(equations.set_block(0, 1e-9 * entries, Eigen::Matrix3d::Zero()));
}

}  // namespace
}  // namespace tactum::law_equations
