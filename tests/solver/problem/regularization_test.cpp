// SPDX-License-Identifier: BSD-2-Clause
// The regularized compliance is compared with the diagonal of G, for both forms of a problem.
#include "solver/problem/regularization.hpp"

#include <gtest/gtest.h>

#include "support/contact_scenes.hpp"

namespace tactum::regularization_test {
namespace {

using namespace tactum::testing;

TEST(Regularization, AddsAShareOfTheDiagonal) {
  Random random(81);
  const ContactScene scene = random_scene(random, 3, 6);
  const Eigen::VectorXd R = Eigen::VectorXd::LinSpaced(scene.J.rows(), 0, 0.3),
                        wanted = R + 0.25 * scene.G().diagonal();
  for (const ContactProblem& problem : {scene.problem(R), scene.operator_problem(R)}) {
    EXPECT_LT((regularized_compliance(problem, 0.25) - wanted).norm(), 1e-13 * wanted.norm());
    EXPECT_EQ(regularized_compliance(problem, 0.0), R);
    Eigen::VectorXd out = Eigen::VectorXd::Ones(2);
    set_regularized_compliance(problem, 0.25, out);
    EXPECT_EQ(out, regularized_compliance(problem, 0.25));
  }
}

}  // namespace
}  // namespace tactum::regularization_test
