// SPDX-License-Identifier: BSD-2-Clause
// solve_many(): each problem is one call of solve(), on whichever thread is free. Each thread has a
// workspace of its own.
#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "core/thread_team.hpp"
#include "solver/query/solve_checked.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {

bool solve_many(std::span<const ContactProblem> problems, const SolveOptions& options,
                const SolveManyOptions& many, std::span<const ContactSolution* const> warm_starts,
                BatchWorkspace& work, std::span<ContactSolution> solutions) {
  check_options(options);
  check_num_threads(many.num_threads);
  const auto check_size = [&](std::size_t size, const char* field) {
    if (size != problems.size())
      throw InvalidInput(
          field, std::to_string(size) + " items",
          "give " + std::to_string(problems.size()) + " items, one for each problem");
  };
  check_size(solutions.size(), "solutions");
  if (!warm_starts.empty()) check_size(warm_starts.size(), "warm_starts");
  for (std::size_t i = 0; i < warm_starts.size(); ++i)
    if (warm_starts[i] != nullptr) check_warm_start(problems[i], *warm_starts[i]);

  // a counter hands out one problem at a time: a problem takes from microseconds to seconds, and
  // nothing says which beforehand
  std::atomic<std::size_t> next = 0;
  SharedInterrupt interrupt(many.interrupted ? &many.interrupted : nullptr);
  std::mutex failure_mutex;
  std::exception_ptr failure;
  const auto solve_some = [&] {
    ContactWorkspace workspace;
    for (std::size_t i = next++; i < problems.size() && !interrupt.stopped(); i = next++) {
      SolveOptions each = options;
      if (!warm_starts.empty()) each.warm_start = warm_starts[i];
      solve_checked(problems[i], each, workspace, solutions[i]);
      tell_infeasible(problems[i], each, solutions[i]);
      check_interrupt();
    }
  };
  const auto run = [&](ThreadTeam::Role role) {
    try {
      interrupt.run(role, std::ref(solve_some));
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      failure = std::current_exception();
    }
  };
  const int machine = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const std::size_t threads = std::min(
      static_cast<std::size_t>(many.num_threads > 0 ? many.num_threads : machine), problems.size());
  work.team().run(static_cast<int>(std::max<std::size_t>(threads, 1)) - 1, run);
  if (failure) std::rethrow_exception(failure);
  return interrupt.finished();
}

}  // namespace tactum
