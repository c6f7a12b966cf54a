// SPDX-License-Identifier: BSD-2-Clause
// Proximal ADMM solves quadratic programs over boxes; the conditions of optimality are checked.
#include "solver/method/proximal_admm.hpp"

#include <gtest/gtest.h>

#include "solver/whole_problem.hpp"
#include "support/contact_scenes.hpp"

namespace tactum::proximal_admm_test {
namespace {

using namespace tactum::testing;

TEST(ProximalAdmm, SolvesQuadraticProgramsOverBoxes) {
  Random random(61);
  for (int trial = 0; trial < 20; ++trial) {
    const ContactScene scene = random_scene(random, 4, 6);
    const Eigen::VectorXd R = Eigen::VectorXd::Constant(scene.J.rows(), 0.01);
    for (const ContactProblem& problem : {scene.problem(R), scene.operator_problem(R)}) {
      const ContactIsland whole = whole_island(problem);
      const ProblemView view = view_of(whole, problem.R());
      const Eigen::VectorXd weight = Eigen::VectorXd::Ones(view.rows()),
                            zero = Eigen::VectorXd::Zero(view.rows());
      ProximalAdmm admm;
      admm.start(view.delassus, weight, zero, zero, ProximalAdmm::kFirstExponent);
      const auto project = [](Eigen::VectorXd& x) { x = x.cwiseMax(-1.0).cwiseMin(1.0); };
      for (int i = 0; i < 5000; ++i) admm.iterate(view.delassus, problem.g(), 1.0, project);
      // where a force is inside, the gradient is 0; at a bound it points outwards
      const Eigen::VectorXd gradient = problem.velocity(admm.force());
      const double least = 1e-6 * (1 + problem.g().norm());
      for (Eigen::Index i = 0; i < gradient.size(); ++i) {
        const double f = admm.force()[i];
        EXPECT_LE(std::abs(f), 1.0);
        EXPECT_TRUE(f <= -1 || gradient[i] < least) << trial;
        EXPECT_TRUE(f >= 1 || gradient[i] > -least) << trial;
      }
    }
  }
}

TEST(ProximalAdmm, WeightsAreMeanDiagonalsAndNeverZero) {
  const std::vector<ContactBlock> blocks = {{.kind = ContactKind::friction, .row = 0},
                                            {.kind = ContactKind::limit, .row = 3},
                                            {.kind = ContactKind::limit, .row = 4}};
  const std::vector<BlockMatrix> diagonal = {{3, 0, 0, 0, 6, 0, 0, 0, 9}, {5}, {0}};
  Eigen::VectorXd weight(5);
  set_block_weights(blocks, diagonal, weight);
  EXPECT_EQ(weight.head(4), Eigen::Vector4d(6, 6, 6, 5));
  EXPECT_GT(weight[4], 0.0);
}

}  // namespace
}  // namespace tactum::proximal_admm_test
