// SPDX-License-Identifier: BSD-2-Clause
// Problems that are built block by block are compared with those made from dense matrices.
#include "tactum/contact_problem_builder.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <limits>
#include <numeric>

#include "solver/problem/problem_data.hpp"
#include "support/allocation_guard.hpp"
#include "support/contact_scenes.hpp"
#include "tactum/solution_derivative.hpp"

namespace tactum::contact_problem_builder {
namespace {

using namespace tactum::testing;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A scene of bodies with blocks of all kinds.
struct MixedScene {
  ContactScene scene;
  std::vector<int> motions;  ///< of each body
  ContactTerms terms;

  ContactProblem dense() const { return {scene.G(), terms, false}; }
  ContactProblem thin() const {
    return ContactProblem::from_operator(scene.J, scene.factor(), terms);
  }
  const ContactProblem& build(ContactProblemBuilder& builder) const;
};

const ContactProblem& MixedScene::build(ContactProblemBuilder& builder) const {
  builder.start(motions);
  const Eigen::MatrixXd L = scene.factor();
  int row = 0;
  for (std::size_t c = 0; c < terms.kinds.size(); ++c) {
    const auto at = static_cast<Eigen::Index>(c);
    const int rows = row_count(terms.kinds[c]);
    std::vector<int> bodies;
    for (int b = 0, first = 0; b < static_cast<int>(motions.size()); ++b) {
      const int size = motions[static_cast<std::size_t>(b)];
      if (!scene.J.block(row, first, rows, size).isZero(0)) bodies.push_back(b);
      first += size;
    }
    ContactBlockMemory memory = builder.add_block({.kind = terms.kinds[c],
                                                   .mu = terms.mu[at],
                                                   .lower = terms.bounds(at, 0),
                                                   .upper = terms.bounds(at, 1)},
                                                  bodies);
    memory.g = terms.g.segment(row, rows);
    memory.R = terms.R.segment(row, rows);
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      const auto body = static_cast<std::size_t>(bodies[k]);
      const int first = std::accumulate(motions.begin(), motions.begin() + bodies[k], 0),
                size = motions[body];
      memory.W(static_cast<int>(k)) = L.block(first, first, size, size)
                                          .triangularView<Eigen::Lower>()
                                          .solve(scene.J.block(row, first, rows, size).transpose());
    }
    row += rows;
  }
  return builder.finish();
}

/// Bodies with six motions and one robot with eleven, whose first rows hang on everything.
MixedScene mixed_scene(Random& random, int bodies, int blocks, double compliance) {
  MixedScene mixed;
  mixed.motions.assign(static_cast<std::size_t>(bodies), 6);
  if (random.chance(0.5)) mixed.motions[0] = 11;
  const int nv = std::accumulate(mixed.motions.begin(), mixed.motions.end(), 0);
  int rows = 0;
  for (int c = 0; c < blocks; ++c) {
    mixed.terms.kinds.push_back(random.chance(0.6) ? ContactKind::friction
                                                   : static_cast<ContactKind>(random.below(5)));
    rows += row_count(mixed.terms.kinds.back());
  }
  mixed.terms.mu.resize(blocks);
  mixed.terms.bounds.resize(blocks, 2);
  for (int c = 0; c < blocks; ++c) {
    mixed.terms.mu[c] = random.uniform(0.1, 0.8);
    mixed.terms.bounds.row(c) << -random.uniform(0.1, 2), random.uniform(0.1, 2);
  }
  ContactScene& scene = mixed.scene;
  scene.M = Eigen::MatrixXd::Zero(nv, nv);
  scene.J = Eigen::MatrixXd::Zero(rows, nv);
  scene.free_motion.resize(nv);
  for (int i = 0; i < nv; ++i) scene.free_motion[i] = random.uniform(-10, 10);
  int first = 0;
  for (const int size : mixed.motions) {
    Eigen::MatrixXd A(size, size);
    for (double& entry : A.reshaped()) entry = random.uniform(-1, 1);
    scene.M.block(first, first, size, size) = Eigen::MatrixXd::Identity(size, size) +
                                              A * A.transpose();
    first += size;
  }
  int row = 0;
  for (int c = 0; c < blocks; ++c) {
    const int size = row_count(mixed.terms.kinds[static_cast<std::size_t>(c)]);
    for (const int body : {c % bodies, random.below(bodies)}) {
      const int begin = std::accumulate(mixed.motions.begin(), mixed.motions.begin() + body, 0),
                count = mixed.motions[static_cast<std::size_t>(body)];
      for (int i = 0; i < size; ++i)
        for (int k = 0; k < count; ++k) scene.J(row + i, begin + k) = random.uniform(-1, 1);
    }
    row += size;
  }
  mixed.terms.g = scene.g();
  mixed.terms.R = Eigen::VectorXd::Constant(rows, compliance);
  return mixed;
}

TEST(ContactProblemBuilder, MakesTheProblemThatDenseMatricesMake) {
  Random random(511);
  ContactProblemBuilder builder;
  for (int trial = 0; trial < 60; ++trial) {
    const MixedScene mixed = mixed_scene(random, 1 + random.below(6), random.below(30), 0.01);
    const ContactProblem &built = mixed.build(builder), dense = mixed.dense(), thin = mixed.thin();
    ASSERT_EQ(built.rows(), dense.rows());
    EXPECT_TRUE(built.is_operator());
    EXPECT_EQ(built.g(), dense.g());
    EXPECT_EQ(built.R(), dense.R());
    const double size = dense.rows() > 0 ? dense.G().norm() : 0.0;
    EXPECT_LE((built.dense_G() - dense.G()).norm(), 1e-13 * size);
    EXPECT_LE((built.diagonal_G() - dense.G().diagonal()).norm(), 1e-13 * size);
    EXPECT_LE((built.dense_W().transpose() * built.dense_W() - dense.G()).norm(), 1e-13 * size);
    EXPECT_EQ(built.data().island_count, thin.data().island_count);
    for (std::size_t c = 0; c < dense.blocks().size(); ++c) {
      EXPECT_EQ(built.blocks()[c].kind, dense.blocks()[c].kind);
      EXPECT_EQ(built.blocks()[c].row, dense.blocks()[c].row);
    }
    const Eigen::VectorXd force = Eigen::VectorXd::LinSpaced(dense.rows(), -1, 2);
    const Eigen::VectorXd velocity = dense.velocity(force);
    EXPECT_LE((built.velocity(force) - velocity).norm(), 1e-12 * velocity.norm());
    EXPECT_NEAR(internal_force(built, force), internal_force(dense, force), 1e-7 * force.norm());
    for (const ContactModel model :
         {ContactModel::lcp, ContactModel::ccp, ContactModel::raisim, ContactModel::ncp}) {
      const double expected = contact_residual(dense, force, model).worst();
      EXPECT_NEAR(contact_residual(built, force, model).worst(), expected, 1e-11 * expected);
    }
  }
}

/// Runs a solver on a problem of each form and compares what does not depend on rounding.
void expect_equal_solutions(const MixedScene& mixed, const ContactProblem& built,
                            ContactSolver solver, int& compared) {
  const SolveOptions options{.solver = solver, .tolerance = 1e-10, .max_iterations = 1000};
  const ContactSolution expected = solve(mixed.dense(), options);
  if (expected.status != ContactStatus::converged) return;
  ++compared;
  for (const ContactProblem& problem : {built, mixed.thin()}) {
    const ContactSolution solution = solve(problem, options);
    EXPECT_EQ(solution.status, ContactStatus::converged) << to_string(solver);
    EXPECT_LT((solution.force - expected.force).norm(), 1e-5 * (1 + expected.force.norm()))
        << to_string(solver);
    EXPECT_LE(contact_residual(mixed.dense(), solution.force, model_of(solver)).worst(), 1.1e-10);
  }
}

TEST(ContactProblemBuilder, AllSolversGiveTheForcesOfDenseMatrices) {
  Random random(512);
  ContactProblemBuilder builder(ContactProblemBuilder::Checks::none);
  for (const ContactSolver solver : kAllSolvers) {
    int compared = 0;
    for (int trial = 0; trial < 12; ++trial) {
      // with 40 blocks an island has more than 64 rows and keeps W
      const MixedScene mixed = mixed_scene(random, 2 + random.below(4),
                                           trial < 9 ? 1 + random.below(9) : 40, 0.2);
      expect_equal_solutions(mixed, mixed.build(builder), solver, compared);
    }
    EXPECT_GE(compared, 6) << to_string(solver);
  }
}

TEST(ContactProblemBuilder, DerivativesAreThoseOfDenseMatrices) {
  Random random(513);
  ContactProblemBuilder builder;
  for (int trial = 0; trial < 12; ++trial) {
    const MixedScene mixed = mixed_scene(random, 3, trial % 3 == 0 ? 40 : 8, 0.1);
    const ContactProblem &built = mixed.build(builder), dense = mixed.dense();
    const SolveOptions options{.tolerance = 1e-10, .polish = true};
    const ContactSolution solution = solve(dense, options), own = solve(built, options);
    if (solution.status != ContactStatus::converged) continue;
    const SolutionDerivative expected(dense, solution), derivative(built, own);
    EXPECT_EQ(derivative.smooth(), expected.smooth());
    if (!expected.smooth()) continue;
    const Eigen::MatrixXd by_g = expected.force_wrt_g(), by_mu = expected.force_wrt_mu();
    EXPECT_LT((derivative.force_wrt_g() - by_g).norm(), 1e-6 * (1 + by_g.norm()));
    EXPECT_LT((derivative.force_wrt_mu() - by_mu).norm(), 1e-6 * (1 + by_mu.norm()));
  }
}

TEST(ContactProblemBuilder, MemoryThatWasUsedGivesTheBitsOfFreshMemory) {
  Random random(514);
  ContactProblemBuilder used;
  ContactWorkspace work;
  ContactSolution solution;
  for (int trial = 0; trial < 30; ++trial) {
    const MixedScene mixed = mixed_scene(random, 1 + random.below(5), random.below(25), 0.1);
    solve(mixed.build(used), {.max_iterations = 50}, work, solution);
    ContactProblemBuilder fresh;
    EXPECT_EQ(solution.force, solve(mixed.build(fresh), {.max_iterations = 50}).force) << trial;
  }
}

TEST(ContactProblemBuilder, CopiesStayAsTheyAre) {
  Random random(515);
  const MixedScene first = mixed_scene(random, 2, 6, 0.1), second = mixed_scene(random, 3, 9, 0.1);
  ContactProblemBuilder builder;
  const ContactProblem kept = first.build(builder);
  const Eigen::VectorXd force = solve(kept).force;
  const ContactProblem& other = second.build(builder);
  EXPECT_EQ(other.rows(), second.dense().rows());
  EXPECT_EQ(kept.g(), first.dense().g());
  EXPECT_EQ(solve(kept).force, force);
}

TEST(ContactProblemBuilder, NothingIsAllocatedAfterWarmUp) {
  Random random(516);
  // two scenes in turn: one island that keeps G, and several that keep W
  const MixedScene small = mixed_scene(random, 1, 6, 0.1), large = mixed_scene(random, 6, 50, 0.1);
  for (const MixedScene* scene : {&small, &large}) {
    ContactProblemBuilder builder;
    const auto build = [&] {
      builder.start(scene->motions);
      for (std::size_t c = 0; c < scene->terms.kinds.size(); ++c) {
        const int body = static_cast<int>(c % scene->motions.size());
        const ContactBlock block{.kind = ContactKind::friction, .mu = 0.5};
        ContactBlockMemory memory = c % 3 == 0 || body == 0
                                        ? builder.add_block(block, {body})
                                        : builder.add_block(block, {body, body - 1});
        memory.g << 0.1, 0.2, -1;
        memory.W(0).setConstant(0.1 + 0.01 * static_cast<double>(c));
        memory.W(0).topLeftCorner<3, 3>().setIdentity();
      }
      return builder.finish().rows();
    };
    for (int i = 0; i < 2; ++i) build();
    const AllocationGuard guard;
    build();
    EXPECT_EQ(guard.count(), 0U);
  }
}

TEST(ContactProblemBuilder, BlocksThatMoveNothing) {
  ContactProblemBuilder builder;
  builder.start({});
  builder.add_block({.kind = ContactKind::friction, .mu = 0.5}, {});
  builder.add_block({.kind = ContactKind::bilateral}, {});
  const ContactProblem& problem = builder.finish();
  EXPECT_EQ(problem.rows(), 4);
  EXPECT_EQ(problem.dense_G(), Eigen::MatrixXd::Zero(4, 4));
  EXPECT_EQ(problem.data().island_count, 2U);
  for (const ContactSolver solver : kAllSolvers)
    EXPECT_EQ(solve(problem, {.solver = solver}).status, ContactStatus::converged);
  builder.start({});
  EXPECT_EQ(builder.finish().rows(), 0);
  EXPECT_EQ(solve(builder.finish()).status, ContactStatus::converged);
}

TEST(ContactProblemBuilder, UnitedBodiesAreOneIsland) {
  ContactProblemBuilder builder;
  const int motions[] = {1, 1, 1}, both[] = {0, 2};
  const auto islands = [&](std::span<const int> united) {
    builder.start(motions);
    builder.unite(united);
    for (int body = 0; body < 3; ++body) {
      ContactBlockMemory memory = builder.add_block({.kind = ContactKind::limit}, {body});
      memory.W(0).setOnes();
      memory.g.setConstant(-1.0);
    }
    EXPECT_LT((solve(builder.finish()).force - Eigen::Vector3d::Ones()).norm(), 1e-6);
    return builder.finish().data().island_count;
  };
  EXPECT_EQ(islands({}), 3U);
  EXPECT_EQ(islands(both), 2U);
}

/// Name of the field that is refused.
template <class Call>
std::string refused(const Call& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return std::string(error.field());
  }
  return "nothing";
}

TEST(ContactProblemBuilder, RefusesWhatIsNoProblem) {
  ContactProblemBuilder builder;
  const ContactBlock contact{.mu = 0.5};
  EXPECT_EQ(refused([&] { builder.add_block(contact, {0}); }), "add_block");
  EXPECT_EQ(refused([&] { builder.finish(); }), "finish");
  const int third[] = {2};
  EXPECT_EQ(refused([&] { builder.unite(third); }), "unite");
  const int none[] = {6, 0}, many[] = {60'000'000, 60'000'000}, good[] = {6, 6};
  EXPECT_EQ(refused([&] { builder.start(none); }), "motions_of_body[1]");
  EXPECT_EQ(refused([&] { builder.start(many); }), "motions_of_body");
  builder.start(good);
  EXPECT_EQ(refused([&] { builder.unite(third); }), "bodies");
  EXPECT_EQ(refused([&] { builder.add_block(contact, {2}); }), "bodies[0] of block 0");
  EXPECT_EQ(refused([&] { builder.add_block(contact, {-1}); }), "bodies[0] of block 0");
  EXPECT_EQ(refused([&] { builder.add_block(contact, {1, 1}); }), "bodies[1] of block 0");
  EXPECT_EQ(refused([&] { builder.add_block({.mu = -0.1}, {0}); }), "block.mu[0]");
  EXPECT_EQ(refused([&] { builder.add_block({.mu = std::nan("")}, {0}); }), "block.mu[0]");
  EXPECT_EQ(refused([&] { builder.add_block({.kind = static_cast<ContactKind>(9)}, {0}); }),
            "block.kind[0]");
  const auto box = [](double lower, double upper) {
    return ContactBlock{.kind = ContactKind::box, .lower = lower, .upper = upper};
  };
  EXPECT_EQ(refused([&] { builder.add_block(box(1, 0), {0}); }), "block.bounds[0, 1]");
  EXPECT_EQ(refused([&] { builder.add_block(box(kInfinity, 0), {0}); }), "block.bounds[0, 0]");

  const auto finish_with = [&](int part, double value) {
    builder.start(good);
    builder.add_block({.kind = ContactKind::limit}, {});
    builder.add_block(contact, {0, 1});
    ContactBlockMemory memory = builder.add_block(contact, {0, 1});
    double* const places[] = {memory.g.data() + 1, memory.R.data() + 2, memory.W(1).data() + 17};
    *places[part] = value;
    return refused([&] { builder.finish(); });
  };
  EXPECT_EQ(finish_with(0, std::nan("")), "ContactProblem.g[5]");
  EXPECT_EQ(finish_with(0, 1e31), "ContactProblem.g[5]");
  EXPECT_EQ(finish_with(1, -1.0), "ContactProblem.R[6]");
  EXPECT_EQ(finish_with(2, kInfinity), "ContactProblem.W of block 2");
  EXPECT_EQ(finish_with(2, 0.5), "nothing");
  EXPECT_EQ(refused([&] { builder.finish().W(); }), "ContactProblem.W");
  EXPECT_EQ(refused([&] { builder.finish().G(); }), "ContactProblem.G");
}

}  // namespace
}  // namespace tactum::contact_problem_builder
