// SPDX-License-Identifier: BSD-2-Clause
// The loop over contacts updates rows of one entry itself, and tells the update of a friction block
// its velocity.
#include "solver/method/contact_sweep.hpp"

#include <gtest/gtest.h>

#include "solver/whole_problem.hpp"
#include "support/contact_scenes.hpp"

namespace tactum::contact_sweep_test {
namespace {

using namespace tactum::testing;

TEST(ContactSweep, RowsStepAgainstTheirVelocity) {
  const ContactBlock limit{.kind = ContactKind::limit},
      box{.kind = ContactKind::box, .lower = 1, .upper = 2};
  EXPECT_EQ(updated_row(limit, 1.0, -3.0, 2.0, 1.0), 2.5);
  EXPECT_EQ(updated_row(limit, 1.0, 3.0, 2.0, 1.0), 0.0);
  EXPECT_EQ(updated_row(box, 1.0, -6.0, 2.0, 0.5), 2.0);
  EXPECT_EQ(updated_row(box, 1.5, 1.0, 0.0, 1.0), 1.0);  // nothing moves the row
}

TEST(ContactSweep, UpdatesSeeTheVelocityOfTheForceAsItIs) {
  Random random(63);
  const ContactScene scene = random_scene(random, 3, 5);
  for (const ContactProblem& problem : {scene.problem(), scene.operator_problem()}) {
    const ContactIsland whole = whole_island(problem);
    const ProblemView view = view_of(whole, problem.R());
    std::vector<BlockMatrix> diagonal;
    set_diagonal_blocks(view, diagonal);
    const SolveOptions options{.tolerance = 0, .max_iterations = 3};
    Eigen::VectorXd force = Eigen::VectorXd::Zero(view.rows()), dual = force;
    double exponent = 0;
    SolverProgress progress;
    progress.start(options);
    SolverTask task{view,     diagonal, ResidualRule(ContactModel::ccp, {}, diagonal),
                    options,  force,    dual,
                    exponent, progress};
    VelocityTracker tracker;
    int calls = 0;
    const auto update = [&](std::size_t i, const ContactBlock& block, Double3 f, Double3 s) {
      ++calls;
      EXPECT_EQ(&block, &view.blocks[i]);
      const Double3 wanted = block_value(problem.velocity(force), block);
      EXPECT_LT((s - wanted).norm(), 1e-12 * (1 + wanted.norm()));
      return project_cone(f - 0.1 * s, block.mu);
    };
    sweep_contacts(task, tracker, update);
    EXPECT_EQ(calls, 15);
    EXPECT_EQ(progress.iterations(), 3);
  }
}

}  // namespace
}  // namespace tactum::contact_sweep_test
