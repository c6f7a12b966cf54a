// SPDX-License-Identifier: BSD-2-Clause
// Contact problems of a simulator's step: a robot on its feet, and a pile of free bodies. Building
// one, and solving it from the last solution.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "tactum/contact_problem_builder.hpp"
#include "tactum/contact_solver.hpp"

namespace tactum::bench {
namespace {

/// Bodies and the entries of all contacts, as a simulator has them after its kinematics.
struct Scene {
  struct Contact {
    int bodies[2];
    int body_count;
    std::vector<double> numbers;  ///< W of both bodies
  };
  std::vector<int> motions;
  std::vector<Contact> contacts;

  void add(std::mt19937& random, int a, int b) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    Contact contact{{a, b}, b < 0 ? 1 : 2, {}};
    for (int k = 0; k < contact.body_count; ++k)
      for (int i = 0; i < 3 * motions[static_cast<std::size_t>(contact.bodies[k])]; ++i)
        contact.numbers.push_back(uniform(random));
    contacts.push_back(std::move(contact));
  }
};

Scene robot(int motions, int contacts) {
  std::mt19937 random(1);
  Scene scene;
  scene.motions = {motions};
  for (int i = 0; i < contacts; ++i) scene.add(random, 0, -1);
  return scene;
}

/// A box of bodies, each of which touches some of those around it with one to four contacts.
Scene pile(int side, int contacts) {
  std::mt19937 random(2);
  Scene scene;
  const int bodies = side * side * side;
  scene.motions.assign(static_cast<std::size_t>(bodies), 6);
  while (static_cast<int>(scene.contacts.size()) < contacts) {
    const int a = static_cast<int>(random() % static_cast<unsigned>(bodies));
    const int steps[] = {1, side, side * side}, step = steps[random() % 3];
    const int b = a % (step * side) + step < step * side ? a + step : -1;
    for (int i = static_cast<int>(random() % 4); i >= 0; --i) scene.add(random, a, b);
  }
  return scene;
}

const ContactProblem& build(const Scene& scene, ContactProblemBuilder& builder) {
  builder.start(scene.motions);
  for (const Scene::Contact& contact : scene.contacts) {
    ContactBlockMemory memory = builder.add_block(
        {.mu = 0.7}, std::span(contact.bodies).first(static_cast<std::size_t>(contact.body_count)));
    memory.g[0] = 0.1;
    memory.g[2] = -1;
    // the entries of a block lie one after the other
    std::copy(contact.numbers.begin(), contact.numbers.end(), memory.W(0).data());
  }
  return builder.finish();
}

void build_problem(benchmark::State& state, const Scene& scene) {
  ContactProblemBuilder builder(ContactProblemBuilder::Checks::none);
  for (auto _ : state) benchmark::DoNotOptimize(build(scene, builder).rows());
}

/// Two scenes in turn, so that the pattern changes every time.
void build_changing(benchmark::State& state, const Scene& scene) {
  ContactProblemBuilder builder(ContactProblemBuilder::Checks::none);
  Scene other = scene;
  other.contacts.resize(scene.contacts.size() - scene.contacts.size() / 20);
  bool odd = false;
  for (auto _ : state) {
    benchmark::DoNotOptimize(build(odd ? scene : other, builder).rows());
    odd = !odd;
  }
}

void solve_problem(benchmark::State& state, const Scene& scene, ContactSolver solver) {
  ContactProblemBuilder builder(ContactProblemBuilder::Checks::none);
  ContactWorkspace work;
  ContactSolution warm, solution;
  const ContactProblem& problem = build(scene, builder);
  solve(problem, {.solver = solver, .tolerance = 1e-6}, work, warm);
  for (auto _ : state) {
    solve(problem, {.solver = solver, .tolerance = 1e-6, .warm_start = &warm}, work, solution);
    benchmark::DoNotOptimize(solution.residual);
  }
}

BENCHMARK_CAPTURE(build_problem, robot_18_motions_4_contacts, robot(18, 4));
BENCHMARK_CAPTURE(build_problem, robot_38_motions_12_contacts, robot(38, 12));
BENCHMARK_CAPTURE(build_problem, pile_of_512_bodies_2000_contacts, pile(8, 2000));
BENCHMARK_CAPTURE(build_changing, pile_of_512_bodies_2000_contacts, pile(8, 2000));
BENCHMARK_CAPTURE(solve_problem, warm_18_motions_4_contacts, robot(18, 4), ContactSolver::ncp_admm);
BENCHMARK_CAPTURE(solve_problem, warm_38_motions_12_contacts, robot(38, 12),
                  ContactSolver::ncp_admm);
BENCHMARK_CAPTURE(solve_problem, warm_pgs_38_motions_12_contacts, robot(38, 12),
                  ContactSolver::ncp_pgs);

}  // namespace
}  // namespace tactum::bench
