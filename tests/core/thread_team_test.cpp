// SPDX-License-Identifier: BSD-2-Clause
#include "core/thread_team.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "tactum/status.hpp"

namespace tactum::thread_team_test {
namespace {

using namespace std::chrono_literals;

/// How often every index was given out.
std::vector<int> visits(ThreadTeam& team, std::size_t size, const ParallelOptions& options,
                        bool slow = false) {
  std::vector<int> count(size, 0);
  EXPECT_TRUE(parallel_for(team, size, options, [&](std::size_t begin, std::size_t end) {
    EXPECT_LT(begin, end);
    EXPECT_LE(end - begin, options.largest_chunk);
    if (slow) std::this_thread::sleep_for(200us);
    for (std::size_t i = begin; i < end; ++i) ++count[i];
  }));
  return count;
}

TEST(ThreadTeam, EveryIndexOnce) {
  ThreadTeam team;
  for (const int num_threads : {0, 1, 2, 3, 7}) {
    for (const std::size_t size : {0, 1, 15, 16, 17, 255, 256, 257, 5000}) {
      for (const std::size_t largest_chunk : {1U, 5U, 64U}) {
        const std::vector<int> count = visits(
            team, size, {.num_threads = num_threads, .largest_chunk = largest_chunk});
        EXPECT_EQ(std::count(count.begin(), count.end(), 1), static_cast<std::ptrdiff_t>(size));
      }
    }
  }
}

TEST(ThreadTeam, SlowWorkIsSharedByAsManyThreadsAsAllowed) {
  for (const int num_threads : {1, 2, 3}) {
    ThreadTeam team;
    std::mutex mutex;
    std::set<std::thread::id> ids;
    parallel_for(team, 640, {.num_threads = num_threads, .largest_chunk = 16},
                 [&](std::size_t, std::size_t) {
                   std::this_thread::sleep_for(1ms);
                   const std::lock_guard lock(mutex);
                   ids.insert(std::this_thread::get_id());
                 });
    EXPECT_EQ(ids.size(), static_cast<std::size_t>(num_threads));
    EXPECT_EQ(ids.count(std::this_thread::get_id()), 1U);
  }
}

TEST(ThreadTeam, QuickWorkStaysOnTheCaller) {
  ThreadTeam team;
  parallel_for(team, 32, {.num_threads = 4, .largest_chunk = 16},
               [caller = std::this_thread::get_id()](std::size_t, std::size_t) {
                 EXPECT_EQ(std::this_thread::get_id(), caller);
               });
}

TEST(ThreadTeam, HelpersAreKept) {
  ThreadTeam team;
  std::mutex mutex;
  std::set<std::thread::id> ids;
  for (int round = 0; round < 20; ++round) {
    if (round % 2 == 1) std::this_thread::sleep_for(1ms);  // they go to sleep now and then
    team.run(2, [&](ThreadTeam::Role) {
      std::this_thread::sleep_for(500us);
      const std::lock_guard lock(mutex);
      ids.insert(std::this_thread::get_id());
    });
  }
  EXPECT_LE(ids.size(), 3U);
}

TEST(ThreadTeam, TheCallerSaysWhenToStop) {
  for (const int num_threads : {1, 3}) {
    ThreadTeam team;
    std::atomic<std::size_t> done = 0;
    std::atomic<bool> on_caller = true;
    const auto caller = std::this_thread::get_id();
    const std::function<bool()> interrupted = [&] {
      if (std::this_thread::get_id() != caller) on_caller = false;
      return true;
    };
    const bool finished = parallel_for(
        team, 100000,
        {.num_threads = num_threads, .largest_chunk = 16, .interrupted = &interrupted},
        [&](std::size_t begin, std::size_t end) {
          std::this_thread::sleep_for(1ms);
          done += end - begin;
        });
    EXPECT_FALSE(finished);
    EXPECT_TRUE(on_caller);
    EXPECT_LT(done, 50000U);
    // the team is still good for the next loop
    visits(team, 1000, {.num_threads = num_threads}, true);
  }
}

TEST(ThreadTeam, SignalsAreLeftToTheCaller) {
  ThreadTeam team;
  std::atomic<int> blocked = 0;
  team.run(2, [&](ThreadTeam::Role role) {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    if (role == ThreadTeam::Role::helper && sigismember(&mask, SIGINT) == 1) ++blocked;
    if (role == ThreadTeam::Role::caller) {
      EXPECT_EQ(sigismember(&mask, SIGINT), 0);
      std::this_thread::sleep_for(20ms);
    }
  });
  EXPECT_EQ(blocked, 2);
}

#if !defined(__SANITIZE_THREAD__)
TEST(ThreadTeam, AForkedChildStartsItsOwn) {
  ThreadTeam team;
  visits(team, 1000, {.num_threads = 3, .largest_chunk = 16}, true);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a child that waits for threads it does not have ends here
    const std::vector<int> count = visits(team, 1000, {.num_threads = 3, .largest_chunk = 16},
                                          true);
    _exit(std::count(count.begin(), count.end(), 1) == 1000 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  visits(team, 1000, {.num_threads = 3, .largest_chunk = 16}, true);
}
#endif

TEST(ThreadTeam, NumberOfThreadsIsChecked) {
  EXPECT_NO_THROW(check_num_threads(0));
  EXPECT_NO_THROW(check_num_threads(1024));
  EXPECT_THROW(check_num_threads(-1), InvalidInput);
  EXPECT_THROW(check_num_threads(1025), InvalidInput);
}

}  // namespace
}  // namespace tactum::thread_team_test
