// SPDX-License-Identifier: BSD-2-Clause
#include "solver/problem/delassus.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <vector>

#include "solver/whole_problem.hpp"
#include "support/contact_scenes.hpp"
#include "support/dense_reference.hpp"

namespace tactum::testing {
namespace {

struct BothForms {
  explicit BothForms(const ContactScene& scene)
      : R(Eigen::VectorXd::LinSpaced(scene.J.rows(), 0, 0.3)),
        dense(scene.problem(R)),
        thin(scene.operator_problem(R)),
        dense_island(whole_island(dense)),
        thin_island(whole_island(thin)) {}
  Eigen::VectorXd R;
  ContactProblem dense, thin;
  ContactIsland dense_island, thin_island;
  ProblemView view(bool is_operator) const {
    return view_of(is_operator ? thin_island : dense_island, R);
  }
  Eigen::MatrixXd matrix() const { return dense.G() + Eigen::MatrixXd(R.asDiagonal()); }
};

BothForms forms() {
  Random random(5);
  return BothForms(random_scene(random, 3, 6));
}

TEST(Delassus, ShiftedInverseIsTheInverse) {
  const BothForms both = forms();
  const Eigen::VectorXd shift = Eigen::VectorXd::LinSpaced(18, 0.1, 2),
                        right = Eigen::VectorXd::LinSpaced(18, -3, 5);
  const Eigen::VectorXd expected = solve_full_pivot(
      both.matrix() + Eigen::MatrixXd(shift.asDiagonal()), right);
  for (const bool is_operator : {false, true}) {
    ShiftedInverse inverse;
    const ProblemView view = both.view(is_operator);
    ASSERT_TRUE(inverse.factorize(view.delassus, shift));
    Eigen::VectorXd x = right;
    inverse.solve(view.delassus, x);
    EXPECT_LT((x - expected).norm(), 1e-11 * expected.norm()) << is_operator;
  }
}

TEST(Delassus, AMaskTakesRowsOut) {
  const BothForms both = forms();
  Eigen::VectorXd mask = Eigen::VectorXd::Ones(18);
  std::vector<int> rows;
  for (int i = 0; i < 18; ++i) {
    if (i % 3 == 2 || i == 4) rows.push_back(i);
    mask[i] = i % 3 == 2 || i == 4 ? 1 : 0;
  }
  const Eigen::VectorXd shift = Eigen::VectorXd::LinSpaced(18, 0.1, 2),
                        right = Eigen::VectorXd::LinSpaced(18, -3, 5);
  const Eigen::MatrixXd shifted = both.matrix() + Eigen::MatrixXd(shift.asDiagonal());
  Eigen::VectorXd expected = Eigen::VectorXd::Zero(18);
  expected(rows) = solve_full_pivot(shifted(rows, rows), right(rows));
  for (const bool is_operator : {false, true}) {
    DelassusView view = both.view(is_operator).delassus;
    view.mask = &mask;
    ShiftedInverse inverse;
    ASSERT_TRUE(inverse.factorize(view, shift));
    Eigen::VectorXd x = right.cwiseProduct(mask), scratch, product;
    inverse.solve(view, x);
    EXPECT_LT((x - expected).norm(), 1e-11 * expected.norm()) << is_operator;
    delassus_product(view, expected, scratch, product);
    EXPECT_LT((product - mask.cwiseProduct(both.matrix() * expected)).norm(),
              1e-12 * expected.norm())
        << is_operator;
  }
}

TEST(Delassus, TrackerFollowsChangesOfBlocks) {
  const BothForms both = forms();
  for (const bool is_operator : {false, true}) {
    const ProblemView view = both.view(is_operator);
    Eigen::VectorXd force = Eigen::VectorXd::LinSpaced(18, 1, 2);
    VelocityTracker tracker;
    tracker.start(view, force);
    for (std::size_t i = 0; i < view.blocks.size(); ++i) {
      tracker.add(i, {0.5, -0.25, 1});
      force.segment<3>(view.blocks[i].row) += Eigen::Vector3d(0.5, -0.25, 1);
    }
    const Eigen::VectorXd expected = both.matrix() * force + both.dense.g();
    EXPECT_LT((tracker.velocity(force) - expected).norm(), 1e-12 * expected.norm());
    const Double3 third = tracker.block_velocity(2, force);
    EXPECT_NEAR(third.y, expected[7], 1e-12 * expected.norm());
  }
}

TEST(Delassus, DiagonalBlocksAndTheirEigenvalues) {
  const BothForms both = forms();
  for (const bool is_operator : {false, true}) {
    const ProblemView view = both.view(is_operator);
    std::vector<BlockMatrix> diagonal;
    set_diagonal_blocks(view, diagonal);
    for (std::size_t i = 0; i < view.blocks.size(); ++i) {
      const ContactBlock& block = view.blocks[i];
      const BlockMatrix& entries = diagonal[i];
      const Eigen::Matrix3d expected = both.matrix().block<3, 3>(block.row, block.row);
      EXPECT_LT((Eigen::Map<const Eigen::Matrix3d>(entries.data()) - expected).norm(),
                1e-12 * expected.norm());
      const Eigen::Matrix2d tangent = expected.topLeftCorner<2, 2>();
      const double two = Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d>(tangent).eigenvalues()[1];
      EXPECT_NEAR(largest_eigenvalue(entries, 2), two, 1e-12 * two);
      const double three = expected.operatorNorm();
      EXPECT_NEAR(largest_eigenvalue(entries, 3), three, 1e-12 * three);
    }
  }
}

}  // namespace
}  // namespace tactum::testing
