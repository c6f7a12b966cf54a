// SPDX-License-Identifier: BSD-2-Clause
// A thousand derivatives of contact forces, each against central differences of
// solutions that Newton took to rounding.
//
// Families   free bodies with and without compliance, without friction in part
// or whole, with rows of every kind, and boxes that stand, slide
//            or spin on four contacts of one face, with more forces than
//            equations.
// Unique     where the force is unique its change is compared, relative to its
// own norm. A box that rests on four rigid contacts has many
//            forces; what they do to the box, G df, is one, and that is
//            compared.
// Stencil    five points, fourth order: 1e-6 of the change is then neither
// rounding nor curvature of the solution.
#include <gtest/gtest.h>

#include <array>

#include "support/contact_scenes.hpp"
#include "support/dense_reference.hpp"
#include "support/repetitions.hpp"
#include "tactum/solution_derivative.hpp"

namespace tactum::testing::force_derivative_test {
namespace {

constexpr double kStep = 1e-4,
                 kMargin = 2e-3;  // no mode changes within two steps of a
                                  // problem with such a margin
constexpr std::array kFamilies = {"rigid",     "compliant",  "no friction",      "some friction",
                                  "all kinds", "stiff face", "regularised face", "resting face"};
enum Family {
  rigid,
  compliant,
  no_friction,
  some_friction,
  all_kinds,
  stiff_face,
  regularised_face,
  resting_face
};

/// A problem by its parts, so that each can be moved.
struct Parts {
  Eigen::MatrixXd G;
  ContactTerms terms;

  ContactProblem problem() const { return {G, terms, false}; }

  Parts moved(const ContactTangent& d, double step) const {
    Parts other = *this;
    other.G += step * d.G;
    other.terms.g += step * d.g;
    other.terms.mu += step * d.mu;
    other.terms.R += step * d.R;
    return other;
  }
};

struct Case {
  Parts parts;
  ContactTangent tangent;
  SolveOptions options;
};

Eigen::VectorXd random_vector(Random& random, Eigen::Index size, double scale) {
  Eigen::VectorXd values(size);
  for (Eigen::Index i = 0; i < size; ++i) values[i] = scale * random.uniform(-1, 1);
  return values;
}

/// Friction blocks first, then rows of the other kinds in turn.
void use_all_kinds(Random& random, ContactTerms& terms, Eigen::Index rows) {
  terms.kinds.assign(2, ContactKind::friction);
  for (Eigen::Index i = 6; i < rows; ++i)
    terms.kinds.push_back(static_cast<ContactKind>(1 + i % 4));
  const auto blocks = static_cast<Eigen::Index>(terms.kinds.size());
  terms.mu = terms.mu.head(2).eval();
  terms.mu.conservativeResize(blocks);
  terms.mu.tail(blocks - 2).setZero();
  terms.bounds.resize(blocks, 2);
  for (Eigen::Index i = 0; i < blocks; ++i)
    terms.bounds.row(i) << -random.uniform(0.1, 1), random.uniform(0.1, 1);
}

Case draw(Random& random, Family family, ContactSolver solver) {
  Case c;
  ContactScene scene;
  if (family >= stiff_face) {
    const bool rests = family == resting_face;
    const double push = rests ? 0 : random.uniform(0, 1), angle = random.uniform(0, 6.28);
    scene = stack_scene({random.log_uniform(0.1, 10)}, random.uniform(0.2, 0.9),
                        {push * std::cos(angle), push * std::sin(angle), 0},
                        rests ? 0 : random.uniform(-3, 3));
    scene.free_motion += random_vector(random, 6, rests ? 0.5 : 5);
  } else {
    scene = random_scene(random, 3, 4);
  }
  const Eigen::Index rows = scene.J.rows();
  c.parts = {scene.G(), {.g = scene.g(), .mu = scene.mu, .R = Eigen::VectorXd::Zero(rows)}};
  ContactTerms& terms = c.parts.terms;
  if (family == compliant || family == stiff_face || family == all_kinds)
    terms.R = random_vector(random, rows, 0.01).array() + (family == stiff_face ? 0.02 : 0.05);
  if (family == no_friction) terms.mu.setZero();
  if (family == some_friction) terms.mu.head(2).setZero();
  if (family == all_kinds) use_all_kinds(random, terms, rows);

  c.tangent.g = family == resting_face ? Eigen::VectorXd(scene.J * random_vector(random, 6, 1))
                                       : random_vector(random, rows, 1);
  c.tangent.mu = 0.1 * terms.mu.cwiseProduct(random_vector(random, terms.mu.size(), 1));
  c.tangent.R = terms.R.cwiseProduct(random_vector(random, rows, 0.3));
  // other masses: G keeps its null space
  const Eigen::MatrixXd W = solve_lower_factor(scene.M, scene.J.transpose());
  c.tangent.G = product(W.transpose() * random_vector(random, W.rows(), 0.2).asDiagonal(), W);
  c.options = {.solver = solver,
               .tolerance = 1e-9,
               .max_iterations = 2000,
               .regularization = family == regularised_face ? 1e-2 : 0.0,
               .polish = true};
  return c;
}

enum class Verdict { compared, not_solved, near_a_boundary, not_unique, no_contact };

/// Checks the derivative backwards: w . jvp(d) = vjp(w) . d.
void expect_adjoint(const ContactProblem& problem, const SolutionDerivative& derivative,
                    const ContactTangent& d) {
  const Eigen::VectorXd weight = Eigen::VectorXd::LinSpaced(problem.rows(), -1, 2),
                        change = derivative.jvp(d);
  const ContactCotangent back = derivative.vjp(weight);
  const double sum = back.g.dot(d.g) + back.mu.dot(d.mu) + back.R.dot(d.R) +
                     back.dense_G(problem).cwiseProduct(d.G).sum();
  EXPECT_NEAR(weight.dot(change), sum, 1e-8 * (1 + weight.norm() * change.norm()));
}

/// The error of jvp relative to the change; modes of the solution for the
/// count.
Verdict judge(const Case& c, bool rests, double& error, std::vector<ContactMode>& modes) {
  const ContactProblem problem = c.parts.problem();
  const ContactSolution solution = solve(problem, c.options);
  if (solution.status != ContactStatus::converged) return Verdict::not_solved;
  if (solution.mode_margin.minCoeff() < kMargin) return Verdict::near_a_boundary;
  const SolutionDerivative derivative = solution_derivative(problem, solution);
  expect_adjoint(problem, derivative, c.tangent);
  if (!rests && !derivative.smooth()) return Verdict::not_unique;
  SolveOptions near = c.options;
  near.warm_start = &solution;
  near.tolerance = 0;
  near.max_iterations = 1;
  Eigen::VectorXd difference = Eigen::VectorXd::Zero(solution.force.size());
  for (const auto& [place, weight] :
       {std::pair{1.0, 8.0}, {-1.0, -8.0}, {2.0, -1.0}, {-2.0, 1.0}}) {
    const ContactSolution moved = solve(c.parts.moved(c.tangent, place * kStep).problem(), near);
    // not to rounding
    if (moved.residual > 1e-11 * (1 + moved.force.squaredNorm())) return Verdict::not_solved;
    if (moved.modes != solution.modes) return Verdict::near_a_boundary;
    difference += weight / (12 * kStep) * moved.force;
  }
  Eigen::VectorXd gap = derivative.jvp(c.tangent) - difference;
  if (rests) {
    gap = c.parts.G * gap;
    difference = c.parts.G * difference;
  }
  if (solution.force.isZero(0)) {  // all break, and go on breaking
    EXPECT_TRUE(gap.isZero(0));
    return Verdict::no_contact;
  }
  error = gap.norm() / std::max(difference.norm(), 1e-3 * solution.force.norm());
  modes = solution.modes;
  return Verdict::compared;
}

TEST(ForceDerivative, AThousandProblemsAgainstCentralDifferences) {
  std::array<int, contact_solver_count> by_solver{};
  std::array<int, kFamilies.size()> by_family{};
  std::array<int, 3> by_mode{};
  int compared = 0;
  double worst = 0;
  for (int i = 0; i < repetitions(1280); ++i) {
    Random random(91, static_cast<std::uint64_t>(i));
    const ContactSolver solver = kAllSolvers[i % contact_solver_count];
    const auto family = static_cast<Family>(i / contact_solver_count %
                                            static_cast<int>(kFamilies.size()));
    double error = 0;
    std::vector<ContactMode> modes;
    const Verdict verdict = judge(draw(random, family, solver), family == resting_face, error,
                                  modes);
    if (verdict != Verdict::compared) continue;
    EXPECT_LT(error, 1e-6) << to_string(solver) << ", " << kFamilies[family] << ", problem " << i;
    ++compared;
    worst = std::max(worst, error);
    ++by_solver[static_cast<std::size_t>(solver)];
    ++by_family[family];
    for (const ContactMode mode : modes) ++by_mode[static_cast<std::size_t>(mode)];
  }
  RecordProperty("worst_relative_error", std::to_string(worst / 1e-6) + "e-6");
  EXPECT_GE(compared, repetitions(1000));
  for (const int count : by_solver) EXPECT_GE(count, repetitions(70));
  for (const int count : by_family) EXPECT_GE(count, repetitions(50));
  for (const int count : by_mode) EXPECT_GE(count, repetitions(300));
}

}  // namespace
}  // namespace tactum::testing::force_derivative_test
