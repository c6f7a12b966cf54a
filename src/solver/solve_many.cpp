// SPDX-License-Identifier: BSD-2-Clause
// Many problems: each is one call of solve(), on whichever thread is free, with a workspace that one thread has at a time.
#include <mutex>
#include <string>

#include "core/thread_team.hpp"
#include "solver/solve_one.hpp"

namespace tactum {
namespace {

/// Workspaces that wait for a thread.
class WorkspacePool {
 public:
  ContactWorkspace take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return {};
    ContactWorkspace workspace = std::move(free_.back());
    free_.pop_back();
    return workspace;
  }
  void give(ContactWorkspace workspace) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(workspace));
  }

 private:
  std::mutex mutex_;
  std::vector<ContactWorkspace> free_;
};

}  // namespace

bool solve_many(std::span<const ContactProblem> problems, const SolveOptions& options, const SolveManyOptions& many,
                std::span<const ContactSolution* const> warm_starts, BatchWorkspace& work, std::span<ContactSolution> solutions) {
  check_options(options);
  check_num_threads(many.num_threads);
  const auto check_size = [&](std::size_t size, const char* field) {
    if (size != problems.size())
      throw InvalidInput(field, std::to_string(size) + " items",
                         "give " + std::to_string(problems.size()) + ", one for each problem");
  };
  check_size(solutions.size(), "solutions");
  if (!warm_starts.empty()) check_size(warm_starts.size(), "warm_starts");
  for (std::size_t i = 0; i < warm_starts.size(); ++i)
    if (warm_starts[i] != nullptr) check_warm_start(problems[i], *warm_starts[i]);

  WorkspacePool pool;
  std::mutex failure_mutex;
  std::exception_ptr failure;
  const auto run = [&](std::size_t begin, std::size_t end) {
    try {
      ContactWorkspace workspace = pool.take();
      for (std::size_t i = begin; i < end; ++i) {
        SolveOptions each = options;
        if (!warm_starts.empty()) each.warm_start = warm_starts[i];
        solve_checked(problems[i], each, workspace, solutions[i]);
      }
      pool.give(std::move(workspace));
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      failure = std::current_exception();
    }
  };
  const bool complete = parallel_for(
      work.team(), problems.size(),
      {.num_threads = many.num_threads, .largest_chunk = 4, .interrupted = many.interrupted ? &many.interrupted : nullptr}, run);
  if (failure) std::rethrow_exception(failure);
  return complete;
}

}  // namespace tactum
