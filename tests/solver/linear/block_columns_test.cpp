// SPDX-License-Identifier: BSD-2-Clause
// Products and systems without zeros are compared with those of the matrices themselves.
#include "solver/linear/block_columns.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "solver/whole_problem.hpp"
#include "support/contact_scenes.hpp"
#include "support/dense_reference.hpp"

namespace tactum::block_columns {
namespace {

using namespace tactum::testing;

/// A stack with contacts of other kinds, in both forms.
struct Both {
  Both() {
    const ContactScene scene = stack_scene({1, 2, 3, 4, 5, 6}, 0.5);
    ContactTerms terms{.g = scene.g(), .mu = {}, .R = {}};
    for (int i = 0; i < scene.J.rows() / 3; ++i)
      terms.kinds.insert(terms.kinds.end(), i % 5 == 3 ? 3 : 1,
                         i % 5 == 3 ? ContactKind::bilateral : ContactKind::friction);
    int friction = 0;
    for (const ContactKind kind : terms.kinds) friction += kind == ContactKind::friction;
    terms.mu = Eigen::VectorXd::Constant(friction, 0.5);
    dense = std::make_unique<ContactProblem>(scene.G(), terms);
    by_motion = std::make_unique<ContactProblem>(
        ContactProblem::from_operator(scene.J, scene.factor(), terms));
  }
  std::unique_ptr<ContactProblem> dense, by_motion;
};

TEST(BlockColumns, ProductsAreThoseOfTheMatrix) {
  const Both both;
  for (const ContactProblem* problem : {both.dense.get(), both.by_motion.get()}) {
    const ContactIsland whole = whole_island(*problem);
    const BlockColumns& columns = whole.columns;
    const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(problem->rows(), -1, 2);
    Eigen::VectorXd y(columns.positions()), rows(problem->rows());
    columns.multiply(x.data(), y.data());
    if (problem->is_operator())
      columns.multiply_transposed(y.data(), rows.data());
    else
      columns.to_rows(y.data(), rows.data());
    const Eigen::VectorXd expected = problem->dense_G() * x;
    EXPECT_LT((rows - expected).norm(), 1e-13 * expected.norm());
    EXPECT_LT(columns.pattern().value_count(),
              static_cast<std::size_t>(columns.positions() * columns.positions()) / 2);
  }
}

TEST(BlockColumns, SystemOfMotions) {
  const Both both;
  const ContactProblem& problem = *both.by_motion;
  const ContactIsland whole = whole_island(problem);
  const BlockColumns& columns = whole.columns;
  // I + sum of W_c S_c W_c^T
  Eigen::MatrixXd weight = Eigen::MatrixXd::Zero(problem.rows(), problem.rows());
  std::vector<double> values;
  columns.set_identity(values);
  for (std::size_t c = 0; c < problem.blocks().size(); ++c) {
    Eigen::Matrix3d S;
    S << 2, 0.5, 0.1, 0.5, 3, -0.2, 0.1, -0.2, 1;
    S *= 1 + 0.1 * static_cast<double>(c);
    columns.add_weighted(c, S.data(), values);
    const int rows = row_count(problem.blocks()[c].kind), row = problem.blocks()[c].row;
    weight.block(row, row, rows, rows) = S.topLeftCorner(rows, rows);
  }
  ASSERT_TRUE(columns.pattern().factorize(values));
  const Eigen::MatrixXd& W = problem.W();
  const Eigen::MatrixXd system = Eigen::MatrixXd::Identity(W.rows(), W.rows()) +
                                 product(W, product(weight, W.transpose()));
  // W^T system^-1 W x does not depend on the order of the motions
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(problem.rows(), 1, -2);
  Eigen::VectorXd y(columns.positions()), scratch(columns.positions()), result(problem.rows());
  columns.multiply(x.data(), y.data());
  columns.pattern().solve(values, y.data(), scratch.data());
  columns.multiply_transposed(y.data(), result.data());
  const Eigen::VectorXd expected = W.transpose() * solve_definite(system, W * x);
  EXPECT_LT((result - expected).norm(), 1e-12 * expected.norm());
}

TEST(BlockColumns, SystemOfForces) {
  const Both both;
  const ContactProblem& problem = *both.dense;
  const ContactIsland whole = whole_island(problem);
  const BlockColumns& columns = whole.columns;
  const std::size_t count = problem.blocks().size();
  std::vector<double> scale(9 * count), addition(9 * count, 0.0), values;
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(problem.rows(), problem.rows());
  for (std::size_t c = 0; c < count; ++c) {
    for (std::size_t i = 0; i < 9; ++i)
      scale[9 * c + i] = 0.1 * static_cast<double>(i) - 0.3 + 0.01 * static_cast<double>(c);
    for (std::size_t i = 0; i < 9; i += 4) addition[9 * c + i] = 1;
    const int rows = row_count(problem.blocks()[c].kind), row = problem.blocks()[c].row;
    B.block(row, row, rows,
            rows) = Eigen::Map<const Eigen::Matrix3d>(&scale[9 * c]).topLeftCorner(rows, rows);
  }
  columns.set_scaled(scale.data(), addition.data(), values);
  ASSERT_TRUE(columns.pattern().factorize(values));
  const Eigen::MatrixXd system = Eigen::MatrixXd::Identity(B.rows(), B.rows()) +
                                 product(B.transpose(), product(problem.G(), B));
  const Eigen::VectorXd right = Eigen::VectorXd::LinSpaced(problem.rows(), -1, 1),
                        expected = solve_definite(system, right);
  Eigen::VectorXd y(problem.rows()), scratch(problem.rows()), result(problem.rows());
  columns.to_positions(right.data(), y.data());
  columns.pattern().solve(values, y.data(), scratch.data());
  columns.to_rows(y.data(), result.data());
  EXPECT_LT((result - expected).norm(), 1e-12 * expected.norm());
}

}  // namespace
}  // namespace tactum::block_columns
