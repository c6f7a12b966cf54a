// SPDX-License-Identifier: BSD-2-Clause
// Contact problems meant to break solvers, many of them: tactum_contact_forces [PROBLEMS] [SEED].
//
// Mass ratios to 1e12, rows of zeros, contacts twice at the same place, forces of 1e-9 to 1e9, mu
// from 0 to 10, rows that contradict each other. Every solver must end within its cap with finite
// numbers and a status that its residual bears out. Prints how often each converged.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/contact_scenes.hpp"

int main(int argc, char** argv) {
  using namespace tactum;
  using namespace tactum::testing;
  const long count = argc > 1 ? std::atol(argv[1]) : 100000;
  Random random(argc > 2 ? static_cast<std::uint64_t>(std::atoll(argv[2])) : 1);
  std::array<long, contact_solver_count> converged{};
  long bad = 0;
  ContactWorkspace work;
  ContactSolution solution;
  for (long i = 0; i < count; ++i) {
    const ContactProblem problem = hostile_problem(random);
    for (const ContactSolver solver : kAllSolvers) {
      const SolveOptions options{.solver = solver,
                                 .max_iterations = 100,
                                 .over_relaxation = random.uniform(0.1, 1.9),
                                 .polish = i % 3 == 0};
      solve(problem, options, work, solution);
      const bool honest = (solution.status == ContactStatus::converged) ==
                          (solution.residual <= options.tolerance);
      if (!all_finite(solution) || !honest || solution.iterations > options.max_iterations + 1) {
        std::printf("problem %ld, %s: not finite or not honest\n", i,
                    std::string(to_string(solver)).c_str());
        ++bad;
      }
      converged[static_cast<std::size_t>(solver)] += solution.status == ContactStatus::converged;
    }
  }
  for (const ContactSolver solver : kAllSolvers) {
    std::printf("%-15s converged within 100 iterations %5.1f %%\n",
                std::string(to_string(solver)).c_str(),
                100.0 * static_cast<double>(converged[static_cast<std::size_t>(solver)]) /
                    static_cast<double>(count));
  }
  std::printf("%ld problems, %ld bad answers\n", count, bad);
  return bad == 0 ? 0 : 1;
}
