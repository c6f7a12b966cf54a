// SPDX-License-Identifier: BSD-2-Clause
// The sparse inverse is compared with the complete orthogonal decomposition of the dense matrix.
#include "solver/linear/sparse_pseudo_inverse.hpp"

#include <gtest/gtest.h>

#include "solver/problem/problem_data.hpp"
#include "solver/whole_problem.hpp"
#include "support/contact_scenes.hpp"
#include "support/dense_reference.hpp"

namespace tactum::testing::sparse_pseudo_inverse_test {
namespace {

/// Equations of contacts that stick, slide and are apart, with directions and weights drawn at
/// random.
std::vector<PseudoInverseBlock> draw_blocks(Random& random, const ContactProblem& problem,
                                            double sliding, double apart) {
  std::vector<PseudoInverseBlock> blocks(problem.blocks().size());
  for (PseudoInverseBlock& block : blocks) {
    if (random.chance(apart)) continue;
    block.S.setIdentity();
    if (!random.chance(sliding)) continue;
    const double angle = random.uniform(0, 6.28), mu = random.uniform(0.1, 1),
                 bend = random.log_uniform(0.1, 10);
    const Eigen::Vector2d u(std::cos(angle), std::sin(angle));
    block.F.topLeftCorner<2, 2>().setIdentity();
    block.F.topRightCorner<2, 1>() = mu * u;
    block.S.topLeftCorner<2, 2>() = bend * (Eigen::Matrix2d::Identity() - u * u.transpose());
  }
  return blocks;
}

Eigen::MatrixXd written_out(const ContactProblem& problem,
                            const std::vector<PseudoInverseBlock>& blocks) {
  Eigen::MatrixXd matrix = problem.dense_G();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const int row = problem.blocks()[i].row;
    matrix.middleRows(row, 3) = (blocks[i].S * matrix.middleRows(row, 3)).eval();
    matrix.block<3, 3>(row, row) += blocks[i].F;
    if (blocks[i].F.isZero(0) && blocks[i].S.isZero(0)) matrix.middleCols(row, 3).setZero();
  }
  return matrix;
}

struct Counts {
  int singular = 0, regular = 0, refused = 0;
};

void compare(const ContactProblem& problem, std::vector<PseudoInverseBlock> blocks, Random& random,
             Counts& counts) {
  const Eigen::MatrixXd matrix = written_out(problem, blocks);
  Eigen::Index taking_part = 0;
  for (const PseudoInverseBlock& block : blocks) taking_part += block.S.isZero(0) ? 0 : 3;
  SparsePseudoInverse inverse;
  const ContactIsland whole = whole_island(problem);
  if (!inverse.factorize(whole.columns, blocks)) {
    ++counts.refused;  // says so, and a dense one takes its place
    return;
  }
  ++(inverse.singular() ? counts.singular : counts.regular);
  Eigen::VectorXd right(problem.rows());
  for (double& value : right) value = random.uniform(-1, 1);
  Eigen::VectorXd taking_part_of_rows = Eigen::VectorXd::Zero(problem.rows());
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (!blocks[i].S.isZero(0)) taking_part_of_rows.segment<3>(problem.blocks()[i].row).setOnes();
  right = right.cwiseProduct(taking_part_of_rows);
  // no x gives this right-hand side: both inverses give the least squares of least norm
  const auto [rank, x, w] = least_squares(matrix, right, 1e-10);
  EXPECT_EQ(inverse.singular(), rank < taking_part);
  EXPECT_LT((inverse.solve(right) - x).norm(), 1e-6 * x.norm());
  EXPECT_LT((inverse.solve_transposed(right) - w).norm(), 1e-6 * w.norm());
  EXPECT_LT((inverse.product(right) - matrix * right).norm(), 1e-12 * matrix.norm() * right.norm());
  const Eigen::VectorXd gap = (inverse.product_transposed(right) - matrix.transpose() * right)
                                  .cwiseProduct(taking_part_of_rows);
  EXPECT_LT(gap.norm(), 1e-12 * matrix.norm() * right.norm());
}

TEST(SparsePseudoInverse, EqualsTheDenseOne) {
  Random random(53);
  Counts counts;
  for (int i = 0; i < 24; ++i) {
    // there are more contacts than motions, and fewer; some bodies are overconstrained while others
    // are free
    const ContactProblem problem =
        random_scene(random, 6, i % 3 == 0 ? 8 : 24, i % 2 == 0 ? 10 : 1e3).operator_problem();
    compare(problem, draw_blocks(random, problem, i % 4 < 2 ? 0.3 : 0.0, 0.1), random, counts);
  }
  EXPECT_GE(counts.singular, 6);
  EXPECT_GE(counts.regular, 1);
  EXPECT_LE(counts.refused, 12);
}

TEST(SparsePseudoInverse, StacksThatStandAndSlide) {
  Random random(54);
  Counts counts;
  for (const double sliding : {0.0, 0.2, 1.0}) {
    const ContactProblem problem = stack_scene({1, 2, 1, 3, 1, 1}, 0.5).operator_problem();
    compare(problem, draw_blocks(random, problem, sliding, 0.05), random, counts);
  }
  EXPECT_GE(counts.singular, 2);
}

TEST(SparsePseudoInverse, NothingTakesPart) {
  const ContactProblem problem = stack_scene({1, 1, 1}, 0.5).operator_problem();
  SparsePseudoInverse inverse;
  const ContactIsland whole = whole_island(problem);
  ASSERT_TRUE(inverse.factorize(whole.columns, std::vector<PseudoInverseBlock>(12)));
  EXPECT_FALSE(inverse.singular());
  EXPECT_TRUE(inverse.solve(Eigen::VectorXd::Ones(36)).isZero(0));
}

}  // namespace
}  // namespace tactum::testing::sparse_pseudo_inverse_test
