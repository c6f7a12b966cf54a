// SPDX-License-Identifier: BSD-2-Clause
// Threads that wait for work between batches, and a loop over chunks that the caller shares with
// them.
//
// Threads    they are started when first needed and kept until the team ends. They block all
//            signals, which are left to the caller. A forked child has none of them; the team
//            notices and starts its own.
// Order      the caller takes chunks from the front, helpers from the back. The size of a chunk
//            follows from the number of items left and the time of an item. A body that treats
//            every index by itself gives the same bits for any number of threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

namespace tactum {

/// A team serves one caller at a time; different teams are independent.
class ThreadTeam {
 public:
  ThreadTeam();
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  enum class Role { caller, helper };

  /// Runs `body` on the calling thread and on up to `num_helpers` more, and returns when all have
  /// returned. Where the system gives no more threads there are fewer helpers, down to none. `body`
  /// must not throw.
  void run(int num_helpers, const std::function<void(Role)>& body);

 private:
  struct State;
  void end();
  void grow(int num_helpers);
  std::unique_ptr<State> state_;
};

/// Throws InvalidInput unless the number is from 0 to 1024.
void check_num_threads(int num_threads);

struct ParallelOptions {
  int num_threads = 0;                                 ///< at most; 0: all that the machine has
  std::size_t largest_chunk = 256;                     ///< items
  const std::function<bool()>* interrupted = nullptr;  ///< asked now and then on the calling
                                                       ///< thread; true ends the loop early
};

/// The InterruptScope of one thread of a loop that several threads share: an interrupt on one ends
/// all.
class SharedInterrupt {
 public:
  explicit SharedInterrupt(const std::function<bool()>* interrupted) : interrupted_(interrupted) {}

  /// Runs `work`, which may throw Interrupted. The calling thread runs it within `interrupted` or,
  /// without that, within the scope that it is in.
  void run(ThreadTeam::Role role, const std::function<void()>& work);
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  /// Returns whether the loop ran to its end; to be called after the loop, on the calling thread.
  /// Throws Interrupted where the scope of the caller has ended the loop.
  bool finished() const;

 private:
  const std::function<bool()>* interrupted_;
  std::atomic<bool> stopped_ = false;
  const std::function<bool()> is_stopped_ = [this] { return stopped(); };
};

/// Calls body(begin, end) for chunks that cover 0 .. size. The first chunk runs on the calling
/// thread; helpers join when its time shows that the rest takes longer than waking them. Returns
/// false when it was interrupted: some chunks were then left out. A body may call check_interrupt()
/// within a chunk. Without a function of its own the loop obeys the scope of the caller, and throws
/// Interrupted.
bool parallel_for(ThreadTeam& team, std::size_t size, const ParallelOptions& options,
                  const std::function<void(std::size_t, std::size_t)>& body);

}  // namespace tactum
