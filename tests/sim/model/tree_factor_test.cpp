// SPDX-License-Identifier: BSD-2-Clause
// The factor of a tree against dense solutions, and the zeros that it has to keep.
#include "sim/model/tree_factor.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <random>

#include "support/allocation_guard.hpp"

namespace tactum::sim::tree_factor_test {
namespace {

struct RandomTree {
  std::vector<int> parents;
  Eigen::MatrixXd M;

  /// A positive definite matrix as a tree has it: M = B B^T, with B(i, j) zero unless i is above j.
  RandomTree(int size, std::mt19937_64& random) {
    std::normal_distribution<double> number;
    Eigen::MatrixXd B = Eigen::MatrixXd::Zero(size, size);
    for (int j = 0; j < size; ++j) {
      parents.push_back(j == 0 ? -1 : std::uniform_int_distribution<int>(-1, j - 1)(random));
      B(j, j) = 1.0 + std::abs(number(random));
      for (int i = parents.back(); i >= 0; i = parents[static_cast<std::size_t>(i)])
        B(i, j) = number(random);
    }
    M = B * B.transpose();
  }

  bool is_above(int i, int j) const {
    while (j > i) j = parents[static_cast<std::size_t>(j)];
    return i == j;
  }
};

TEST(TreeFactor, SolvesAsADenseFactorDoes) {
  std::mt19937_64 random(3);
  for (const int size : {1, 2, 6, 13, 40}) {
    for (int repeat = 0; repeat < 10; ++repeat) {
      const RandomTree tree(size, random);
      TreeFactor factor(tree.parents);
      const Eigen::VectorXd diagonal = Eigen::VectorXd::Constant(size, 0.3);
      factor.set(tree.M, diagonal);
      Eigen::MatrixXd M = tree.M;
      M.diagonal() += diagonal;
      const Eigen::MatrixXd F = factor.upper().triangularView<Eigen::Upper>();
      EXPECT_LT((F * F.transpose() - M).norm(), 1e-12 * M.norm());

      const Eigen::MatrixXd x = Eigen::MatrixXd::Random(size, 5);
      Eigen::MatrixXd solved = x, half = x;
      factor.solve(solved);
      EXPECT_LT((M * solved - x).norm(), 1e-11 * M.norm() * solved.norm());
      factor.apply_inverse(half);
      EXPECT_LT((F * half - x).norm(), 1e-12 * F.norm() * half.norm());
      factor.apply_inverse_transpose(half);
      EXPECT_EQ(half, solved);
    }
  }
}

TEST(TreeFactor, KeepsTheZerosOfABranch) {
  std::mt19937_64 random(4);
  const RandomTree tree(30, random);
  TreeFactor factor(tree.parents);
  factor.set(tree.M, Eigen::VectorXd::Zero(30));
  for (int last = 0; last < 30; ++last) {
    Eigen::MatrixXd x = Eigen::MatrixXd::Zero(30, 3);
    for (int i = 0; i <= last; ++i)
      if (tree.is_above(i, last)) x.row(i).setRandom();
    factor.apply_inverse(x);
    for (int i = 0; i < 30; ++i) {
      if (i > last || !tree.is_above(i, last)) {
        EXPECT_EQ(x.row(i).norm(), 0.0);
      }
    }
  }
}

TEST(TreeFactor, AllocatesNothingAndStaysFinite) {
  std::mt19937_64 random(5);
  const RandomTree tree(20, random);
  TreeFactor factor(tree.parents);
  Eigen::MatrixXd x = Eigen::MatrixXd::Random(20, 3);
  const Eigen::MatrixXd nothing = Eigen::MatrixXd::Zero(20, 20);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(20);
  const testing::AllocationGuard guard;
  factor.set(tree.M, none);
  factor.solve(x);
  EXPECT_EQ(guard.count(), 0U);
  factor.set(nothing, none);
  EXPECT_TRUE(factor.upper().allFinite());
}

}  // namespace
}  // namespace tactum::sim::tree_factor_test
