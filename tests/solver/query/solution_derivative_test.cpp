// SPDX-License-Identifier: BSD-2-Clause
// Derivatives of polished solutions are compared with central differences of polished solutions,
// for every solver and mode.
#include "tactum/solution_derivative.hpp"

#include <gtest/gtest.h>

#include <array>

#include "support/contact_scenes.hpp"
#include "support/dense_reference.hpp"
#include "support/repetitions.hpp"

namespace tactum::testing {
namespace {

/// The parts of a problem, each of which can be moved.
struct Parts {
  Eigen::MatrixXd G;
  Eigen::VectorXd g, mu, R;
  ContactProblem problem() const { return {G, {.g = g, .mu = mu, .R = R}, false}; }
  Parts moved(const ContactTangent& d, double step) const {
    return {G + step * d.G, g + step * d.g, mu + step * d.mu, R + step * d.R};
  }
};

Parts parts_of(const ContactScene& scene, double R) {
  return {scene.G(), scene.g(), scene.mu, Eigen::VectorXd::Constant(scene.J.rows(), R)};
}

ContactTangent random_tangent(Random& random, const Parts& parts, const ContactScene& scene) {
  ContactTangent d;
  const Eigen::Index rows = parts.g.size();
  const auto fill = [&](Eigen::Index size, double scale) {
    Eigen::VectorXd values(size);
    for (Eigen::Index i = 0; i < size; ++i) values[i] = scale * random.uniform(-1, 1);
    return values;
  };
  d.g = fill(rows, 1);
  d.mu = fill(parts.mu.size(), 0.1);
  d.R = parts.R[0] > 0 ? fill(rows, 0.3 * parts.R[0]) : Eigen::VectorXd::Zero(rows);
  // another mass changes G and leaves it semidefinite
  const Eigen::MatrixXd W = solve_lower_factor(scene.M, scene.J.transpose());
  d.G = product(W.transpose() * fill(W.rows(), 0.2).asDiagonal(), W);
  return d;
}

struct Case {
  Parts parts;
  ContactTangent tangent;
  SolveOptions options;
};

/// Relative error of the derivative. It is negative where modes change within the step, so that
/// central differences cannot say.
double error_of(const Case& c, bool& smooth) {
  const ContactSolution solution = solve(c.parts.problem(), c.options);
  if (solution.residual > 1e-8 * (1 + solution.force.squaredNorm())) return -1;
  const SolutionDerivative derivative = solution_derivative(c.parts.problem(), solution);
  smooth = derivative.smooth();
  const double step = 1e-6;
  SolveOptions near = c.options;
  near.warm_start = &solution;
  near.tolerance = 0;
  near.max_iterations = 3;
  const ContactSolution ahead = solve(c.parts.moved(c.tangent, step).problem(), near);
  const ContactSolution behind = solve(c.parts.moved(c.tangent, -step).problem(), near);
  if (ahead.modes != solution.modes || behind.modes != solution.modes ||
      solution.mode_margin.minCoeff() < 1e-4)
    return -1;
  const Eigen::VectorXd difference = (ahead.force - behind.force) / (2 * step),
                        exact = derivative.jvp(c.tangent);
  return (difference - exact).norm() / (1e-9 + 1e-2 * solution.force.norm() + difference.norm());
}

TEST(SolutionDerivative, AgainstCentralDifferencesForEverySolver) {
  Random random(81);
  std::array<int, contact_solver_count> judged{};
  std::array<int, 3> seen{};
  for (int i = 0; i < repetitions(100); ++i) {
    const ContactScene scene = random_scene(random, 3, 4);
    const Parts parts = parts_of(scene, i % 2 == 0 ? 0.05 : 0.0);
    const ContactTangent tangent = random_tangent(random, parts, scene);
    for (const ContactSolver solver : kAllSolvers) {
      bool smooth = false;
      const SolveOptions options{
          .solver = solver, .tolerance = 1e-8, .max_iterations = 3000, .polish = true};
      const double error = error_of({parts, tangent, options}, smooth);
      if (error < 0 || !smooth) continue;  // a body held by more contacts than it needs
      EXPECT_LT(error, 1e-6) << to_string(solver) << " problem " << i;
      ++judged[static_cast<std::size_t>(solver)];
      for (const ContactMode mode : solve(parts.problem(), options).modes)
        ++seen[static_cast<std::size_t>(mode)];
    }
  }
  for (const int count : judged) EXPECT_GT(count, repetitions(60));
  for (const int count : seen) EXPECT_GT(count, repetitions(300));
}

TEST(SolutionDerivative, HyperstaticBoxWithTheSameSmallCompliance) {
  // four contacts on a face that slides and spins
  Random random(82);
  const ContactScene scene = stack_scene({1.0}, 0.4, {0.5, 0.2, 0}, 2);
  for (const ContactSolver solver : kAllSolvers) {
    const Parts parts = parts_of(scene, 0.0);
    bool smooth = false;
    const SolveOptions options{
        .solver = solver, .max_iterations = 5000, .regularization = 1e-3, .polish = true};
    const ContactTangent tangent = random_tangent(random, parts, scene);
    const double error = error_of({parts, tangent, options}, smooth);
    ASSERT_GE(error, 0) << to_string(solver);
    EXPECT_LT(error, 1e-5) << to_string(solver);
    EXPECT_EQ(solution_derivative(parts.problem(), solve(parts.problem(), options)).rule(),
              HyperstaticRule::regularized);
  }
}

TEST(SolutionDerivative, HyperstaticBoxWithoutComplianceMovesRight) {
  // the forces are not unique, but the velocity that they make is
  Random random(83);
  const ContactScene scene = stack_scene({1.0}, 0.9);
  const Parts parts = parts_of(scene, 0.0);
  ContactTangent tangent = random_tangent(random, parts, scene);
  tangent.g = scene.J * Eigen::VectorXd::LinSpaced(6, -1, 1);
  const ContactSolution solution = solve(parts.problem(), {.tolerance = 1e-10});
  const SolutionDerivative derivative = solution_derivative(parts.problem(), solution);
  EXPECT_EQ(derivative.rule(), HyperstaticRule::minimum_norm);
  EXPECT_FALSE(derivative.smooth());
  // the box sticks, so the change of the velocity is 0
  const Eigen::VectorXd change = parts.G * derivative.jvp(tangent) + tangent.G * solution.force +
                                 tangent.g;
  EXPECT_LT(change.norm(), 1e-8 * tangent.g.norm());
}

TEST(SolutionDerivative, RefusesAnAsymmetricChangeOfG) {
  Random random(84);
  const ContactScene scene = stack_scene({1.0}, 0.9);
  const Parts parts = parts_of(scene, 0.05);
  const SolutionDerivative derivative = solution_derivative(
      parts.problem(), solve(parts.problem(), {.tolerance = 1e-10}));
  ContactTangent tangent;
  tangent.G = random_tangent(random, parts, scene).G;
  EXPECT_TRUE(derivative.jvp(tangent).allFinite());
  tangent.G(1, 2) += 1e-6 * tangent.G.cwiseAbs().maxCoeff();
  try {
    derivative.jvp(tangent);
    ADD_FAILURE();
  } catch (const InvalidInput& error) {
    EXPECT_EQ(error.field(), "d_G[1,2]");
  }
}

TEST(SolutionDerivative, LargeProblemsWithoutTheirZeros) {
  // a matrix is differentiated by dense decompositions, an operator of this size by sparse ones
  Random random(85);
  for (const double R : {0.0, 0.05}) {
    for (const double push : {0.0, 0.8}) {
      // without compliance contacts of a pushed stack carry nothing and move at the speed of
      // rounding: their modes are noise
      if (R == 0 && push > 0) continue;
      const ContactScene scene = stack_scene({1, 1, 2, 1, 3, 1, 1}, 0.5, {push, 0.3 * push, 0},
                                             push);
      const Parts parts = parts_of(scene, R);
      const ContactSolution solution = solve(
          parts.problem(), {.tolerance = 1e-9, .max_iterations = 5000, .polish = true});
      ASSERT_EQ(solution.status, ContactStatus::converged);
      const ContactProblem thin = scene.operator_problem(parts.R);
      const SolutionDerivative dense = solution_derivative(parts.problem(), solution),
                               sparse = solution_derivative(thin, solution);
      EXPECT_EQ(dense.rule(), sparse.rule());
      EXPECT_EQ(dense.smooth(), sparse.smooth());
      const ContactTangent tangent = random_tangent(random, parts, scene);
      const Eigen::VectorXd change = dense.jvp(tangent),
                            weight = Eigen::VectorXd::LinSpaced(thin.rows(), -1, 2);
      EXPECT_LT((sparse.jvp(tangent) - change).norm(), 1e-6 * change.norm()) << R << " " << push;
      const ContactCotangent back = sparse.vjp(weight), expected = dense.vjp(weight);
      EXPECT_LT((back.g - expected.g).norm(), 1e-6 * expected.g.norm()) << R << " " << push;
      EXPECT_LT((back.mu - expected.mu).norm(), 1e-6 * (expected.mu.norm() + 1))
          << R << " " << push;
    }
  }
}

TEST(SolutionDerivative, JacobiansAndProductsAreOneDerivative) {
  Random random(84);
  for (int i = 0; i < repetitions(20); ++i) {
    const ContactScene scene = random_scene(random, 2, 4);
    const Parts parts = parts_of(scene, 0.02);
    for (const ContactSolver solver : kAllSolvers) {
      const ContactProblem problem = parts.problem();
      const ContactSolution solution = solve(
          problem, {.solver = solver, .regularization = i % 2 == 0 ? 0.0 : 0.01, .polish = true});
      const SolutionDerivative derivative = solution_derivative(problem, solution);
      ContactTangent d = random_tangent(random, parts, scene);
      const Eigen::VectorXd weight = Eigen::VectorXd::LinSpaced(12, -1, 2),
                            change = derivative.jvp(d);
      const ContactCotangent back = derivative.vjp(weight);
      const double forward = weight.dot(change);
      const double reverse = back.g.dot(d.g) + back.mu.dot(d.mu) + back.R.dot(d.R) +
                             back.dense_G(problem).cwiseProduct(d.G).sum();
      EXPECT_NEAR(forward, reverse, 1e-9 * (1 + change.norm())) << to_string(solver);
      d.G.setZero();
      const Eigen::VectorXd sum = derivative.force_wrt_g() * d.g +
                                  derivative.force_wrt_mu() * d.mu + derivative.force_wrt_R() * d.R;
      EXPECT_LT((sum - derivative.jvp(d)).norm(), 1e-9 * (1 + change.norm())) << to_string(solver);
    }
  }
}

TEST(SolutionDerivative, FrictionFromNothing) {
  // mu = 0: the first bit of friction pulls against the velocity with the normal force
  const ContactProblem problem(Eigen::MatrixXd::Identity(3, 3),
                               {.g = Eigen::Vector3d(3, 4, -2), .mu = Eigen::VectorXd::Zero(1)});
  const Eigen::MatrixXd by_mu =
      solution_derivative(problem, solve(problem, {.tolerance = 1e-12})).force_wrt_mu();
  EXPECT_LT((by_mu - Eigen::Vector3d(-2 * 0.6, -2 * 0.8, 0)).norm(), 1e-9);
}

TEST(SolutionDerivative, NotSmoothBetweenTwoModes) {
  const auto smooth_at = [](double pull) {
    const ContactProblem problem(
        Eigen::MatrixXd::Identity(3, 3),
        {.g = Eigen::Vector3d(pull, 0, -2), .mu = Eigen::VectorXd::Constant(1, 0.5)});
    const SolutionDerivative derivative = solution_derivative(
        problem, solve(problem, {.tolerance = 1e-12, .polish = true}));
    EXPECT_TRUE(derivative.force_wrt_g().allFinite());
    return derivative.smooth();
  };
  EXPECT_TRUE(smooth_at(0.9));
  EXPECT_FALSE(smooth_at(1.0));  // exactly at the limit of friction
  EXPECT_TRUE(smooth_at(1.1));
}

std::string refused_field(const ContactProblem& problem, const ContactSolution& solution) {
  try {
    solution_derivative(problem, solution);
  } catch (const InvalidInput& error) {
    return error.field();
  }
  return "accepted";
}

TEST(SolutionDerivative, RefusesTheSolutionOfAnotherProblem) {
  const auto one_contact = [](double G, const Eigen::Vector3d& g, double mu) {
    return ContactProblem(G * Eigen::Matrix3d::Identity(),
                          {.g = g, .mu = Eigen::VectorXd::Constant(1, mu)});
  };
  const ContactProblem mine = one_contact(5, {-9, 3, -1}, 0.9),
                       other = one_contact(1, {1, 0, -2}, 0.3);
  EXPECT_EQ(refused_field(mine, solve(other)).substr(0, 9), "solution.");
  EXPECT_EQ(refused_field(other, solve(other)), "accepted");
  // a force that is reported to be farther from a solution than it is here is taken, and is not
  // smooth
  const ContactSolution rough = solve(
      other, {.solver = ContactSolver::ccp_pgs, .tolerance = 0, .max_iterations = 1});
  EXPECT_EQ(refused_field(other, rough), "accepted");
  EXPECT_FALSE(solution_derivative(other, rough).smooth());
  // a sticking force with room to spare solves the problem of another friction as well
  const ContactSolution sticks = solve(one_contact(1, {0.1, 0, -2}, 0.3));
  EXPECT_EQ(refused_field(one_contact(1, {0.1, 0, -2}, 0.6), sticks), "accepted");
  EXPECT_NE(refused_field(one_contact(1, {0.1, 0, -2}, 0.01), sticks), "accepted");
}

TEST(SolutionDerivative, TakesEverySolutionOfItsProblemAndNoneOfAnother) {
  Random random(86);
  int refused = 0, others = 0;
  for (int i = 0; i < repetitions(200); ++i) {
    const ContactScene scene = random_scene(random, 1 + random.below(3), 1 + random.below(5),
                                            random.log_uniform(1, 1e8));
    const ContactProblem dense = scene.problem(), thin = scene.operator_problem();
    // the free velocity of one contact a hundredth off
    const int row = 3 * random.below(static_cast<int>(scene.mu.size()));
    Eigen::VectorXd g = dense.g();
    const double speed = g.norm();
    g.segment<3>(row) += 0.01 * speed * random.direction();
    const ContactProblem moved(scene.G(), {.g = g, .mu = scene.mu}, false);
    for (const ContactSolver solver : kAllSolvers) {
      const ContactSolution s = solve(dense, {.solver = solver,
                                              .tolerance = random.log_uniform(1e-12, 1e-4),
                                              .max_iterations = 1 + random.below(300),
                                              .regularization = i % 3 == 0 ? 0.01 : 0.0,
                                              .polish = i % 2 == 0});
      EXPECT_EQ(refused_field(dense, s), "accepted") << to_string(solver) << " " << i;
      EXPECT_EQ(refused_field(thin, s), "accepted") << to_string(solver) << " " << i;
      const bool is_loaded = s.force.segment<3>(row).norm() > 1e-3 * s.force.norm();
      if (s.status != ContactStatus::converged || s.residual > 1e-6 || !is_loaded) continue;
      ++others;
      refused += refused_field(moved, s) == "accepted" ? 0 : 1;
    }
  }
  EXPECT_GT(others, repetitions(200));
  EXPECT_EQ(refused, others);
}

TEST(SolutionDerivative, ManyChangesAtOnceAreTheSameAsOneByOne) {
  Random random(87);
  for (int i = 0; i < repetitions(40); ++i) {
    const ContactScene scene = random_scene(random, 3, 1 + random.below(6));
    const ContactProblem problem = i % 2 == 0 ? scene.problem() : scene.operator_problem();
    const ContactSolution solution = solve(problem, {.polish = true});
    const SolutionDerivative derivative = solution_derivative(problem, solution);
    const Eigen::Index rows = problem.rows(), blocks = scene.mu.size();
    const auto uniform = [&] { return random.uniform(-1, 1); };
    const Eigen::MatrixXd b = Eigen::MatrixXd::NullaryExpr(rows, 4, uniform),
                          d_mu = Eigen::MatrixXd::NullaryExpr(blocks, 4, uniform);
    const Eigen::MatrixXd both = derivative.force_change(b, d_mu),
                          by_b = derivative.force_change(b);
    Eigen::Index seen = 0;  // rows of all islands
    for (int k = 0; k < 4; ++k) {
      const Eigen::VectorXd g = derivative.jvp({.g = b.col(k)}),
                            all = derivative.jvp({.g = b.col(k), .mu = d_mu.col(k)});
      EXPECT_LE((by_b.col(k) - g).norm(), 1e-12 * (1 + g.norm()));
      EXPECT_LE((both.col(k) - all).norm(), 1e-12 * (1 + all.norm()));
    }
    const Eigen::MatrixXd by_force = Eigen::MatrixXd::NullaryExpr(rows, 3, uniform);
    Eigen::MatrixXd pulled = Eigen::MatrixXd::Zero(rows, 3);
    for (int island = 0; island < derivative.islands(); ++island) {
      const std::span<const int> of_island = derivative.island_rows(island);
      pulled(of_island, Eigen::all) = derivative.island_force_pullback(
          island, by_force(of_island, Eigen::all));
      seen += static_cast<Eigen::Index>(of_island.size());
    }
    EXPECT_EQ(seen, rows);
    // (w, K b) = (K^T w, b)
    const Eigen::MatrixXd forward = by_force.transpose() * by_b, backward = pulled.transpose() * b;
    EXPECT_LE((forward - backward).norm(), 1e-9 * (1 + forward.norm()));
    EXPECT_THROW(derivative.island_force_pullback(0, Eigen::MatrixXd::Zero(rows + 1, 2)),
                 InvalidInput);
    EXPECT_THROW(derivative.force_change(Eigen::MatrixXd::Zero(rows + 1, 2)), InvalidInput);
    EXPECT_THROW(derivative.force_change(b, Eigen::MatrixXd::Zero(blocks, 3)), InvalidInput);
  }
}

TEST(SolutionDerivative, ForcesThatAreNotUniqueMayStillMoveUniquely) {
  const auto derivative_of = [](const ContactScene& scene, double R) {
    const ContactProblem problem = scene.problem(Eigen::VectorXd::Constant(scene.J.rows(), R));
    return solution_derivative(problem, solve(problem, {.tolerance = 1e-12, .polish = true}));
  };
  // four points under a box: at rest, pushed straight, and turned while it slides
  const ContactScene rests = stack_scene({1.0}, 0.5), slides = stack_scene({1.0}, 0.5, {1, 0, 0}),
                     spins = stack_scene({1.0}, 0.5, {1, 0, 0}, 8.0);
  for (const ContactScene* scene : {&rests, &slides, &spins})
    EXPECT_EQ(derivative_of(*scene, 0.0).rule(), HyperstaticRule::minimum_norm);
  EXPECT_TRUE(derivative_of(rests, 0.0).velocity_is_unique());
  EXPECT_TRUE(derivative_of(slides, 0.0).velocity_is_unique());
  EXPECT_FALSE(derivative_of(spins, 0.0).velocity_is_unique());
  EXPECT_TRUE(derivative_of(spins, 1e-3).velocity_is_unique());
}

TEST(SolutionDerivative, ModesStayWhereABodyCanFollow) {
  const ContactScene scene = stack_scene({1.0}, 0.5);
  const ContactProblem problem = scene.problem();
  const SolutionDerivative derivative = solution_derivative(
      problem, solve(problem, {.tolerance = 1e-12, .polish = true}));
  // a motion of the box moves all points together
  const Eigen::VectorXd motion = Eigen::VectorXd::LinSpaced(6, -1.0, 0.7);
  EXPECT_TRUE(derivative.keeps_modes(scene.J * motion));
  // one point that is asked to move alone leaves the ground, or the others do
  Eigen::VectorXd alone = Eigen::VectorXd::Zero(problem.rows());
  alone[2] = 1.0;
  EXPECT_FALSE(derivative.keeps_modes(alone));
}

TEST(SolutionDerivative, RefusesWhatDoesNotFit) {
  const ContactProblem problem = stack_scene({1.0}, 0.5).problem();
  const ContactSolution solution = solve(problem);
  EXPECT_THROW(solution_derivative(stack_scene({1, 1}, 0.5).problem(), solution), InvalidInput);
  const SolutionDerivative derivative = solution_derivative(problem, solution);
  EXPECT_THROW(derivative.jvp({.g = Eigen::VectorXd::Zero(3)}), InvalidInput);
  EXPECT_THROW(derivative.vjp(Eigen::VectorXd::Zero(3)), InvalidInput);
  EXPECT_THROW(
      derivative.jvp({.g = Eigen::VectorXd::Constant(12, std::numeric_limits<double>::infinity())}),
      InvalidInput);
}

}  // namespace
}  // namespace tactum::testing
