// SPDX-License-Identifier: BSD-2-Clause
// All solvers are compared with each other and with enumeration, and get all sorts of input.
#include "tactum/contact_solver.hpp"

#include <gtest/gtest.h>

#include <cfenv>

#include "support/allocation_guard.hpp"
#include "support/contact_scenes.hpp"
#include "support/dense_reference.hpp"
#include "support/repetitions.hpp"

namespace tactum::testing {
namespace {

TEST(ContactSolver, SolversOfAModelAgree) {
  Random random(71);
  int compared = 0;
  for (int i = 0; i < repetitions(60); ++i) {
    const ContactScene scene = random_scene(random, 4, 8);
    const bool compliant = i % 2 == 0;
    const Eigen::VectorXd R = compliant ? Eigen::VectorXd(Eigen::VectorXd::Constant(24, 0.02))
                                        : Eigen::VectorXd();
    for (const ContactModel model : {ContactModel::lcp, ContactModel::ccp, ContactModel::ncp}) {
      std::vector<ContactSolution> solutions;
      for (const ContactSolver solver : kAllSolvers) {
        if (model_of(solver) != model) continue;
        const ContactProblem problem = solutions.size() % 2 == 0 ? scene.problem(R)
                                                                 : scene.operator_problem(R);
        ContactSolution solution = solve(
            problem,
            {.solver = solver, .tolerance = 1e-10, .max_iterations = 20000, .polish = true});
        if (solution.status == ContactStatus::converged) solutions.push_back(solution);
      }
      ASSERT_GE(solutions.size(), 1U);
      for (const ContactSolution& other : solutions) {
        // the ncp may have several solutions: only the convex model must give one velocity
        const double difference = (other.velocity - solutions[0].velocity).norm() /
                                  (1 + solutions[0].velocity.norm());
        const double of_force = (other.force - solutions[0].force).norm() /
                                (1 + solutions[0].force.norm());
        if (model != ContactModel::ccp && difference > 1e-3) continue;
        EXPECT_LT(difference, 1e-8) << to_string(other.solver);
        ++compared;
        if (!compliant) continue;
        EXPECT_LT(of_force, 1e-7) << to_string(other.solver);
      }
    }
  }
  EXPECT_GT(compared, repetitions(60) * 8);
}

TEST(ContactSolver, ModesDetermineTheForce) {
  // with the modes and the directions of sliding known, the force is the solution of a linear
  // system written down here
  Random random(72);
  for (int i = 0; i < repetitions(40); ++i) {
    const ContactScene scene = random_scene(random, 1, 2);
    const Eigen::VectorXd R = Eigen::VectorXd::Constant(6, 0.05);
    const ContactProblem problem = scene.problem(R);
    const ContactSolution solution = solve(
        problem, {.solver = ContactSolver::ncp_pgs, .tolerance = 1e-12, .max_iterations = 20000});
    if (solution.status != ContactStatus::converged) continue;
    Eigen::MatrixXd A = scene.G() + Eigen::MatrixXd(R.asDiagonal());
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(6, 6);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(6);
    for (int c = 0; c < 2; ++c) {
      const int row = 3 * c;
      const Eigen::Vector2d u = solution.velocity.segment<2>(row).normalized();
      switch (solution.modes[static_cast<std::size_t>(c)]) {
        case ContactMode::breaking: matrix.block<3, 3>(row, row).setIdentity(); break;
        case ContactMode::sticking:
          matrix.middleRows(row, 3) = A.middleRows(row, 3);
          right.segment<3>(row) = -scene.g().segment<3>(row);
          break;
        case ContactMode::sliding:
          matrix.block<2, 2>(row, row).setIdentity();
          matrix.block<2, 1>(row, row + 2) = scene.mu[c] * u;
          matrix.row(row + 2) = A.row(row + 2);
          right[row + 2] = -scene.g()[row + 2];
          break;
      }
    }
    EXPECT_LT((solve_full_pivot(matrix, right) - solution.force).norm(),
              1e-8 * (1 + solution.force.norm()));
  }
}

TEST(ContactSolver, ConeModelEqualsCoulombWhereNothingSlides) {
  const ContactProblem still = stack_scene({1, 2, 1}, 0.9).problem();
  const ContactProblem pushed = stack_scene({1.0}, 0.4, {0.5, 0, 0}).problem();
  const auto velocity = [](const ContactProblem& problem, ContactSolver solver) {
    return solve(problem, {.solver = solver, .tolerance = 1e-11, .max_iterations = 5000}).velocity;
  };
  EXPECT_LT(
      (velocity(still, ContactSolver::ccp_admm) - velocity(still, ContactSolver::ncp_admm)).norm(),
      1e-8);
  // a sliding box lifts off with mu times the sliding speed
  const Eigen::VectorXd ccp = velocity(pushed, ContactSolver::ccp_admm);
  EXPECT_NEAR(ccp[2], 0.4 * ccp.head<2>().norm(), 1e-6);
  EXPECT_NEAR(velocity(pushed, ContactSolver::ncp_admm)[2], 0, 1e-8);
}

TEST(ContactSolver, ResidualsAreThoseOfTheEvaluator) {
  Random random(73);
  for (int i = 0; i < 20; ++i) {
    const ContactProblem problem = random_scene(random, 2, 5).problem();
    for (const ContactSolver solver : kAllSolvers) {
      const ContactSolution s = solve(problem, {.solver = solver,
                                                .tolerance = 1e-6,
                                                .max_iterations = 50,
                                                .regularization = i % 2 == 0 ? 0.0 : 0.01});
      const ContactResidual own = contact_residual(problem, s.force, model_of(solver), s.polygon,
                                                   s.regularization);
      const auto near = [](double a, double b) {
        return std::abs(a - b) <= 1e-12 * (1 + std::abs(b));
      };
      EXPECT_TRUE(near(s.primal, own.primal) && near(s.dual, own.dual) &&
                  near(s.complementarity, own.complementarity));
      EXPECT_EQ(s.residual, std::max({s.primal, s.dual, s.complementarity}));
      EXPECT_TRUE(near(s.ncp_residual, contact_residual(problem, s.force).worst()));
      const ContactPrinciples principles = contact_principles(problem, s.force);
      EXPECT_TRUE(near(s.signorini, principles.signorini) && near(s.coulomb, principles.coulomb));
      EXPECT_EQ(s.status == ContactStatus::converged, s.residual <= 1e-6);
    }
  }
}

TEST(ContactSolver, StopsWhenItIsAskedTo) {
  const ContactProblem problem = stack_scene({1, 1, 1}, 0.9).problem();
  for (const ContactSolver solver : kAllSolvers) {
    const ContactSolution capped = solve(
        problem, {.solver = solver, .tolerance = 0, .max_iterations = 3, .history = true});
    EXPECT_LE(capped.iterations, 3);
    EXPECT_EQ(capped.history.size(), static_cast<std::size_t>(capped.iterations));
    const ContactSolution relative = solve(
        problem, {.solver = solver, .tolerance = 0, .relative_tolerance = 1e-3});
    EXPECT_EQ(relative.status,
              relative.residual <= 0 ? ContactStatus::converged : ContactStatus::stalled)
        << to_string(solver);
    EXPECT_LT(relative.iterations, 1000) << to_string(solver);
    const ContactSolution finer = solve(
        problem, {.solver = solver, .tolerance = 0, .relative_tolerance = 1e-6});
    EXPECT_GE(finer.iterations, relative.iterations) << to_string(solver);
  }
}

TEST(ContactSolver, OverRelaxationAndWarmStartKeepTheSolution) {
  const ContactProblem problem =
      stack_scene({1.0}, 0.4, {0.5, 0.2, 0}, 1).problem(Eigen::VectorXd::Constant(12, 0.5));
  for (const ContactSolver solver : kAllSolvers) {
    const ContactSolution plain = solve(
        problem, {.solver = solver, .tolerance = 1e-11, .max_iterations = 5000});
    ASSERT_EQ(plain.status, ContactStatus::converged) << to_string(solver);
    const double allowed = model_of(solver) == ContactModel::ccp ? 1e-5 : 1e-8;
    for (const double w : {0.8, 1.2}) {
      const ContactSolution other = solve(
          problem,
          {.solver = solver, .tolerance = 1e-11, .max_iterations = 5000, .over_relaxation = w});
      EXPECT_EQ(other.status, ContactStatus::converged) << to_string(solver);
      EXPECT_LT((other.force - plain.force).norm(), allowed * plain.force.norm())
          << to_string(solver);
    }
    EXPECT_EQ(
        solve(problem, {.solver = solver, .tolerance = 1e-11, .warm_start = &plain}).iterations, 0)
        << to_string(solver);
  }
}

TEST(ContactSolver, NothingIsAllocatedAfterWarmUp) {
  // one body, and a stack in which it pays to skip zeros, are given as a matrix and as an operator
  const ContactScene small = stack_scene({1, 1}, 0.4, {0.5, 0.2, 0}, 1),
                     large = stack_scene(std::vector(8, 1.0), 0.4, {0.5, 0.2, 0}, 1);
  for (const ContactProblem& problem :
       {small.problem(), small.operator_problem(), large.problem(), large.operator_problem()}) {
    for (const ContactSolver solver : kAllSolvers) {
      ContactWorkspace work;
      ContactSolution solution;
      const SolveOptions options{.solver = solver, .tolerance = 1e-6, .max_iterations = 300};
      solve(problem, options, work, solution);
      const Eigen::VectorXd first = solution.force;
      const AllocationGuard guard;
      solve(problem, options, work, solution);
      EXPECT_EQ(guard.count(), 0U) << to_string(solver) << ", " << problem.rows() << " rows";
      EXPECT_EQ(solution.force, first);
    }
  }
}

TEST(ContactSolver, RefusesBadOptionsByName) {
  const ContactProblem problem = stack_scene({1.0}, 0.5).problem();
  const auto field = [&](const SolveOptions& options) {
    try {
      solve(problem, options);
    } catch (const InvalidInput& error) {
      return error.field();
    }
    return std::string("accepted");
  };
  EXPECT_EQ(field({.tolerance = -1}), "tolerance");
  EXPECT_EQ(field({.relative_tolerance = std::nan("")}), "relative_tolerance");
  EXPECT_EQ(field({.max_iterations = 0}), "max_iterations");
  EXPECT_EQ(field({.over_relaxation = 2}), "over_relaxation");
  EXPECT_EQ(field({.regularization = -1}), "regularization");
  EXPECT_EQ(field({.polygon = {.facets = 2}}), "facets");
  ContactSolution other;
  EXPECT_EQ(field({.warm_start = &other}), "warm_start");
  other.force = Eigen::VectorXd::Constant(12, std::numeric_limits<double>::infinity());
  EXPECT_EQ(field({.warm_start = &other}), "warm_start.force[0]");
  other.force.setZero();
  other.dual_velocity = Eigen::VectorXd::Zero(12);
  other.dual_velocity[3] = std::nan("");
  EXPECT_EQ(field({.warm_start = &other}), "warm_start.dual_velocity[3]");
}

TEST(ContactSolver, AlwaysEndsWithFiniteNumbers) {
  Random random(74);
  for (int i = 0; i < repetitions(1000); ++i) {
    const ContactProblem problem = hostile_problem(random);
    for (const ContactSolver solver : kAllSolvers) {
      const ContactSolution solution = solve(problem, {.solver = solver,
                                                       .max_iterations = 60,
                                                       .over_relaxation = random.uniform(0.1, 1.9),
                                                       .polish = i % 3 == 0});
      ASSERT_TRUE(all_finite(solution)) << to_string(solver) << " problem " << i;
      ASSERT_EQ(solution.status == ContactStatus::converged, solution.residual <= 1e-8)
          << to_string(solver) << " problem " << i;
      ASSERT_LE(solution.iterations, 61);
    }
  }
}

/// A column of point masses of 1 kg with a heavy one on top, and a step of 1 ms. The force spreads
/// from contact to contact.
ContactProblem heavy_column(int count, double top) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Identity(3 * count, 3 * count);
  for (int i = 3; i < 3 * count; ++i) J(i, i - 3) = -1;
  Eigen::VectorXd inverse_mass = Eigen::VectorXd::Ones(3 * count),
                  motion = Eigen::VectorXd::Zero(3 * count);
  inverse_mass.tail<3>().setConstant(1 / top);
  for (int i = 2; i < 3 * count; i += 3) motion[i] = -kGravity * 1e-3;
  return {J * inverse_mass.asDiagonal() * J.transpose(),
          {.g = J * motion, .mu = Eigen::VectorXd::Constant(count, 0.5)}};
}

TEST(ContactSolver, SmallStepsAreNoSolution) {
  const ContactProblem problem = heavy_column(100, 1000);
  const double weight = 1000 * kGravity * 1e-3;
  int stalled = 0;
  for (const ContactSolver solver : kAllSolvers) {
    const ContactSolution s = solve(
        problem, {.solver = solver, .relative_tolerance = 1e-3, .max_iterations = 100000});
    if (s.status == ContactStatus::converged) {
      EXPECT_NEAR(s.force[299], weight, 1e-4 * weight) << to_string(solver);
    }
    if (std::abs(s.force[299] - weight) > 1e-2 * weight) {
      EXPECT_EQ(s.status, ContactStatus::stalled) << to_string(solver);
    }
    stalled += s.status == ContactStatus::stalled ? 1 : 0;
  }
  EXPECT_GE(stalled, 4);
}

TEST(ContactSolver, NothingToMoveIsInfeasible) {
  // no force moves this contact, which closes: there is no solution, and nothing to iterate on
  const ContactProblem problem(Eigen::MatrixXd::Zero(3, 3),
                               {.g = Eigen::Vector3d(0, 0, -1), .mu = Eigen::VectorXd::Ones(1)});
  for (const ContactSolver solver : kAllSolvers) {
    const ContactSolution s = solve(problem, {.solver = solver});
    EXPECT_EQ(s.status, ContactStatus::infeasible) << to_string(solver);
  }
}

TEST(ContactSolver, TheStatusSaysWhyItEnded) {
  Random random(76);
  int seen[5] = {};
  for (int i = 0; i < repetitions(300); ++i) {
    const ContactProblem problem = hostile_problem(random);
    const double tolerance = random.chance(0.2) ? 0.0 : random.log_uniform(1e-12, 1e-2);
    const double relative = random.chance(0.3) ? 0.0 : random.log_uniform(1e-8, 1.0);
    const int most = 1 + random.below(200);
    for (const ContactSolver solver : kAllSolvers) {
      const ContactSolution s = solve(problem, {.solver = solver,
                                                .tolerance = tolerance,
                                                .relative_tolerance = relative,
                                                .max_iterations = most,
                                                .regularization = i % 4 == 0 ? 0.01 : 0.0,
                                                .polish = i % 5 == 0});
      SCOPED_TRACE(::testing::Message()
                   << to_string(solver) << " problem " << i << " " << to_string(s.status));
      ++seen[static_cast<int>(s.status)];
      const ContactResidual own = contact_residual(problem, s.force, model_of(solver), s.polygon,
                                                   s.regularization);
      ASSERT_NEAR(own.worst(), s.residual,
                  1e-9 * (own.worst() + s.force.norm() * (1 + s.velocity.norm())));
      ASSERT_EQ(s.status == ContactStatus::converged, s.residual <= tolerance);
      if (s.status == ContactStatus::max_iterations) {
        ASSERT_GE(s.iterations, most);
      }
      if (s.status == ContactStatus::stalled && relative == 0 && s.islands == 1 &&
          s.iterations > 0 && s.iterations < most) {
        // more iterations change nothing
        const ContactSolution longer = solve(problem, {.solver = solver,
                                                       .tolerance = tolerance,
                                                       .max_iterations = 2 * most,
                                                       .regularization = s.regularization,
                                                       .polish = i % 5 == 0});
        ASSERT_EQ(longer.force, s.force);
      }
    }
  }
  EXPECT_GT(seen[static_cast<int>(ContactStatus::converged)], repetitions(300));
  EXPECT_GT(seen[static_cast<int>(ContactStatus::max_iterations)], repetitions(100));
  EXPECT_GT(seen[static_cast<int>(ContactStatus::stalled)], repetitions(100));
}

TEST(ContactSolver, HundredContactsOnOneBody) {
  Random random(75);
  ContactScene scene = random_scene(random, 1, 100);
  for (int c = 0; c < 100; ++c)
    scene.J.block<3, 6>(
        3 * c, 0) = point_rows({random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), -0.1});
  scene.free_motion << 1, 0, -kGravity, 0, 0, 0;
  for (const ContactSolver solver : kAllSolvers) {
    const ContactSolution solution = solve(scene.problem(), {.solver = solver, .tolerance = 1e-6});
    EXPECT_TRUE(all_finite(solution));
    EXPECT_EQ(solution.status, ContactStatus::converged)
        << to_string(solver) << " " << solution.residual;
  }
}

}  // namespace
}  // namespace tactum::testing
