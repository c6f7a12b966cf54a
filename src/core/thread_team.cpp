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

#include "tactum/interrupt.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

using Clock = std::chrono::steady_clock;

/// Waking a helper and waiting for it costs about 10 us: it has to be worth several times that.
constexpr auto kLeastTimeForHelper = std::chrono::microseconds(40);
/// Threads look for work this long before they sleep: batches often follow each other, and a thread
/// that is awake begins at once.
constexpr auto kTimeAwake = std::chrono::microseconds(50);
/// A chunk takes at least about this long, so that the shared counter costs nothing.
constexpr auto kLeastChunkTime = std::chrono::microseconds(2);
/// The time of an item is taken as known after this many items, or after this time.
constexpr std::size_t kItemsToTime = 32;
constexpr auto kTimingPeriod = std::chrono::microseconds(5);
/// A chunk takes at most about this long, so that a loop can be interrupted soon.
constexpr auto kMostChunkTime = std::chrono::milliseconds(10);

/// Waits for `ready` without sleeping; returns whether it came true before it was time to sleep.
template <class Ready>
bool spin_until(const Ready& ready) {
  const Clock::time_point until = Clock::now() + kTimeAwake;
  do {
    for (int i = 0; i < 8; ++i) {
      if (ready()) return true;
#if defined(__x86_64__) && defined(__GNUC__)
      __builtin_ia32_pause();
#endif
    }
  } while (Clock::now() < until);
  return false;
}

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
  // written with the mutex held, read without it
  std::atomic<int> wanted = 0;   ///< helpers that may still begin with the body
  std::atomic<int> running = 0;  ///< helpers that have begun and not ended, and those wanted
  std::atomic<bool> ending = false;
  pid_t process = getpid();
  std::vector<std::thread> threads;

  bool has_work() const { return ending || wanted > 0; }

  void run_helper() {
    std::unique_lock lock(mutex);
    while (true) {
      if (!has_work()) {
        lock.unlock();
        spin_until([this] { return has_work(); });
        lock.lock();
      }
      wake.wait(lock, [this] { return has_work(); });
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
    // a fork copied the names and locks of the threads but not the threads: there is nothing to
    // join, and nothing safe to destroy
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
    while (state.threads.size() < wanted)
      state.threads.emplace_back([&state] { state.run_helper(); });
  } catch (const std::system_error&) {
    // the system gives no more threads: the work is done with those that exist
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
  const auto all_done = [&state] { return state.running == 0; };
  std::unique_lock lock(state.mutex);
  // helpers that have not begun need not begin any more
  state.running -= state.wanted;
  state.wanted = 0;
  if (!all_done()) {
    lock.unlock();
    spin_until(all_done);
    lock.lock();
  }
  state.done.wait(lock, all_done);
}

void check_num_threads(int num_threads) {
  if (num_threads < 0 || num_threads > 1024)
    throw InvalidInput("num_threads", std::to_string(num_threads),
                       "give 0 for all cores, or a number up to 1024");
}

void SharedInterrupt::run(ThreadTeam::Role role, const std::function<void()>& work) {
  const std::function<bool()>* const asked = role == ThreadTeam::Role::helper ? &is_stopped_
                                                                              : interrupted_;
  try {
    if (asked == nullptr) return work();
    const InterruptScope scope(*asked);
    work();
  } catch (const Interrupted&) {
    stopped_.store(true, std::memory_order_relaxed);
  }
}

bool SharedInterrupt::finished() const {
  if (stopped() && interrupted_ == nullptr) throw Interrupted();
  return !stopped();
}

namespace {

using Body = std::function<void(std::size_t, std::size_t)>;

/// The time that the first items of a loop took, from which that of the others is estimated.
struct Sample {
  std::size_t done = 0;       ///< items
  std::size_t timed = 1;      ///< the last of them ...
  Clock::duration elapsed{};  ///< ... took this long together, > 0
};

/// Runs twice as many items each time: the first ones run with cold caches.
Sample run_first_items(std::size_t size, std::size_t largest_chunk, Clock::time_point start,
                       const Body& body) {
  Sample sample;
  for (Clock::time_point before = start;
       sample.done < std::min(size, kItemsToTime) && before - start < kTimingPeriod;) {
    sample.timed = std::min(
        {std::max(sample.done, std::size_t{1}), largest_chunk, size - sample.done});
    body(sample.done, sample.done + sample.timed);
    check_interrupt();
    sample.done += sample.timed;
    const Clock::time_point now = Clock::now();
    sample.elapsed = std::max(now - before, Clock::duration(1));
    before = now;
  }
  return sample;
}

}  // namespace

bool parallel_for(ThreadTeam& team, std::size_t size, const ParallelOptions& options,
                  const Body& body) {
  if (size == 0) return true;
  SharedInterrupt interrupt(options.interrupted);
  Sample sample;
  const auto begin = [&] {
    sample = run_first_items(size, options.largest_chunk, Clock::now(), body);
  };
  interrupt.run(ThreadTeam::Role::caller, std::ref(begin));
  if (interrupt.stopped() || sample.done == size) return interrupt.finished();
  const int machine = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int num_threads = options.num_threads > 0 ? options.num_threads : machine;
  const auto [first, timed, elapsed] = sample;
  const Clock::duration rest = elapsed * ((size - first) / timed + 1);
  const int num_helpers = static_cast<int>(
      std::min<Clock::rep>(num_threads - 1, rest / kLeastTimeForHelper));
  const auto least = static_cast<std::size_t>(timed * kLeastChunkTime / elapsed);
  const auto most = static_cast<std::size_t>(timed * kMostChunkTime / elapsed);

  // The rest is handed out in ever smaller chunks, so that all threads end at about the same time.
  // The caller takes them from the front and the helpers from the back: threads that write next to
  // each other would compete for cache lines.
  const std::size_t largest = std::clamp<std::size_t>(most, 1, options.largest_chunk);
  const std::size_t smallest = std::clamp<std::size_t>(least, 1, largest);
  const std::size_t shares = 4 * (static_cast<std::size_t>(num_helpers) + 1);
  std::atomic<std::size_t> left = size - first, back = size;
  std::size_t front = first;  // used by the caller alone
  const auto next_chunk_size = [&] {
    std::size_t all = left.load(std::memory_order_relaxed), taken = 0;
    do taken = std::min(all, std::clamp(all / shares, smallest, largest));
    while (!left.compare_exchange_weak(all, all - taken, std::memory_order_relaxed));
    return taken;
  };
  const auto work = [&](ThreadTeam::Role role) {
    const auto run_chunks = [&] {
      while (!interrupt.stopped()) {
        const std::size_t taken = next_chunk_size();
        if (taken == 0) return;
        if (role == ThreadTeam::Role::helper) {
          const std::size_t end = back.fetch_sub(taken, std::memory_order_relaxed);
          body(end - taken, end);
        } else {
          body(front, front + taken);
          front += taken;
          check_interrupt();
        }
      }
    };
    interrupt.run(role, std::ref(run_chunks));
  };
  team.run(num_helpers, std::ref(work));
  return interrupt.finished();
}

}  // namespace tactum
