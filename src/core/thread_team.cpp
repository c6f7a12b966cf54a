// SPDX-License-Identifier: BSD-2-Clause
#include "core/thread_team.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tactum/status.hpp"

namespace tactum {
namespace {

using Clock = std::chrono::steady_clock;

/// Waking a helper and waiting for it costs about 10 us: it has to be worth several times that.
constexpr auto worth_a_helper = std::chrono::microseconds(40);
constexpr auto time_between_polls = std::chrono::milliseconds(10);

/// Blocks every signal of the calling thread in its scope; threads started there inherit that.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &old_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t old_;
};

}  // namespace

struct ThreadTeam::State {
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable done;
  const std::function<void(Role)>* body = nullptr;
  int wanted = 0;   ///< helpers that may still begin with the body
  int running = 0;  ///< helpers that have begun and not ended, and those wanted
  bool ending = false;
  pid_t process = getpid();
  std::vector<std::thread> threads;

  void help() {
    std::unique_lock lock(mutex);
    while (true) {
      wake.wait(lock, [this] { return ending || wanted > 0; });
      if (ending) return;
      --wanted;
      const auto* const work = body;
      lock.unlock();
      (*work)(Role::helper);
      lock.lock();
      if (--running == 0) done.notify_one();
    }
  }
};

ThreadTeam::ThreadTeam() = default;
ThreadTeam::~ThreadTeam() { end(); }

void ThreadTeam::end() {
  if (state_ == nullptr) return;
  if (state_->process != getpid()) {
    // a fork left copies of the threads' names and locks, but no threads: there is nothing to join, and nothing safe to destroy
    static_cast<void>(state_.release());
    return;
  }
  {
    const std::lock_guard lock(state_->mutex);
    state_->ending = true;
  }
  state_->wake.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
  state_.reset();
}

void ThreadTeam::grow(int num_helpers) {
  if (state_ != nullptr && state_->process != getpid()) end();
  if (state_ == nullptr) state_ = std::make_unique<State>();
  State& state = *state_;
  const auto wanted = static_cast<std::size_t>(num_helpers);
  if (state.threads.size() >= wanted) return;
  state.threads.reserve(wanted);
  const SignalsBlocked blocked;
  try {
    while (state.threads.size() < wanted) state.threads.emplace_back([&state] { state.help(); });
  } catch (const std::system_error&) {
    // the system gives no more threads: the work is done with those there are
  }
}

void ThreadTeam::run(int num_helpers, const std::function<void(Role)>& body) {
  if (num_helpers <= 0) {
    body(Role::caller);
    return;
  }
  grow(num_helpers);
  State& state = *state_;
  {
    const std::lock_guard lock(state.mutex);
    state.body = &body;
    state.wanted = state.running = std::min(num_helpers, static_cast<int>(state.threads.size()));
  }
  state.wake.notify_all();
  body(Role::caller);
  std::unique_lock lock(state.mutex);
  // those that have not begun need not begin any more
  state.running -= state.wanted;
  state.wanted = 0;
  state.done.wait(lock, [&state] { return state.running == 0; });
}

void check_num_threads(int num_threads) {
  if (num_threads < 0 || num_threads > 1024)
    throw InvalidInput("num_threads", std::to_string(num_threads), "give 0 for all cores, or a number up to 1024");
}

bool parallel_for(ThreadTeam& team, std::size_t size, const ParallelOptions& options,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  if (size == 0) return true;
  const int machine = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int num_threads = options.num_threads > 0 ? options.num_threads : machine;
  // small enough to share the end evenly, large enough that the counter costs nothing
  const std::size_t chunk =
      std::min(options.largest_chunk, std::max(std::size_t{16}, size / (static_cast<std::size_t>(num_threads) * 16)));

  const Clock::time_point start = Clock::now();
  const std::size_t first = std::min(chunk, size);
  body(0, first);
  if (first == size) return true;
  const Clock::duration rest = (Clock::now() - start) * ((size - first) / first + 1);
  const int num_helpers = static_cast<int>(std::min<Clock::rep>(num_threads - 1, rest / worth_a_helper));

  std::atomic<std::size_t> next = first;
  std::atomic<bool> stopped = false;
  Clock::time_point last_poll = start;
  const auto work = [&](ThreadTeam::Role role) {
    while (!stopped.load(std::memory_order_relaxed)) {
      const std::size_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
      if (begin >= size) return;
      body(begin, std::min(begin + chunk, size));
      if (role == ThreadTeam::Role::helper || options.interrupted == nullptr) continue;
      if (const auto now = Clock::now(); now - last_poll > time_between_polls) {
        last_poll = now;
        if ((*options.interrupted)()) stopped.store(true, std::memory_order_relaxed);
      }
    }
  };
  team.run(num_helpers, std::ref(work));
  return !stopped.load(std::memory_order_relaxed);
}

}  // namespace tactum
