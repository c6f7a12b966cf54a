// SPDX-License-Identifier: BSD-2-Clause
#include "solver/active_set/active_system.hpp"

#include <gtest/gtest.h>

#include "solver/whole_problem.hpp"
#include "support/contact_scenes.hpp"

namespace tactum::testing {
namespace {

/// Writes down the whole matrix from its definition.
Eigen::MatrixXd whole_matrix(const ContactProblem& problem, const ActiveSystem& system) {
  Eigen::MatrixXd result = problem.dense_G();
  result.diagonal() += problem.R();
  for (std::size_t i = 0; i < problem.blocks().size(); ++i) {
    const int row = problem.blocks()[i].row;
    result.middleRows(row,
                      3) = (system.equations()[i].by_velocity * result.middleRows(row, 3)).eval();
    result.block<3, 3>(row, row) += system.equations()[i].by_force;
  }
  return result;
}

struct Assembled {
  Assembled(const ContactProblem& p, ContactSolver solver)
      : problem(p),
        whole(whole_island(problem)),
        solution(solve(p, {.solver = solver, .tolerance = 1e-10})) {
    const ProblemView view = view_of(whole, problem.R());
    set_diagonal_blocks(view, diagonal);
    system.assemble(view, ResidualRule(model_of(solver), {}, diagonal), solution.force,
                    solution.velocity);
  }
  ContactProblem problem;
  ContactIsland whole;
  ContactSolution solution;
  std::vector<BlockMatrix> diagonal;
  ActiveSystem system;
};

TEST(ActiveSystem, SolvesItsMatrixAndTheTranspose) {
  Random random(41);
  for (int i = 0; i < 20; ++i) {
    const ContactScene scene = random_scene(random, 4, 6, 1e4);
    const Eigen::VectorXd R = Eigen::VectorXd::Constant(18, 0.01);
    for (const ContactProblem& problem : {scene.problem(R), scene.operator_problem(R)}) {
      const Assembled a(problem, ContactSolver::ncp_pgs);
      ASSERT_FALSE(a.system.singular());
      const Eigen::MatrixXd matrix = whole_matrix(problem, a.system);
      const Eigen::VectorXd right = Eigen::VectorXd::LinSpaced(18, -1, 2);
      // the equation of a force that is fixed is df = right
      Eigen::VectorXd x = a.system.solve(right);
      Eigen::VectorXd consistent = matrix * x;
      for (std::size_t b = 0; b < 6; ++b) {
        if (a.system.modes()[b].mode == ContactMode::breaking)
          x.segment<3>(3 * static_cast<int>(b)).setZero();
      }
      consistent = matrix * x;
      for (std::size_t b = 0; b < 6; ++b) {
        const int row = 3 * static_cast<int>(b);
        if (a.system.modes()[b].mode == ContactMode::breaking) continue;
        EXPECT_LT((consistent - right).segment<3>(row).norm(), 1e-8 * right.norm());
      }
    }
  }
}

TEST(ActiveSystem, LeastNormWhereTheForcesAreNotUnique) {
  const Assembled a(stack_scene({1.0}, 0.5).problem(), ContactSolver::ncp_admm);
  ASSERT_TRUE(a.system.singular());
  const Eigen::MatrixXd matrix = whole_matrix(a.problem, a.system);
  const Eigen::VectorXd right = matrix * Eigen::VectorXd::LinSpaced(12, -1, 1);
  const Eigen::VectorXd x = a.system.solve(right);
  EXPECT_LT((matrix * x - right).norm(), 1e-10 * right.norm());
  EXPECT_LT(internal_force(a.problem, x), 1e-10 * x.norm());  // nothing of it is internal
  const Eigen::VectorXd w = a.system.solve_transposed(Eigen::VectorXd::LinSpaced(12, 0, 1));
  // (A^+)^T: its product with any right-hand side is that of the least-norm solution
  EXPECT_NEAR(w.dot(right), Eigen::VectorXd::LinSpaced(12, 0, 1).dot(x),
              1e-10 * w.norm() * right.norm());
}

}  // namespace
}  // namespace tactum::testing
