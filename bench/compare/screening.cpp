// SPDX-License-Identifier: BSD-2-Clause
#include "screening.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <stdexcept>

namespace tactum::compare {
namespace {

constexpr double kLimit = 0.1;  // s of processor time, so that a busy machine changes nothing

double processor_seconds(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0.0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// A number that parent and child both see.
class SharedCounter {
 public:
  SharedCounter() {
    void* memory = mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
    value_ = new (memory) std::atomic<int>(0);
  }
  ~SharedCounter() { munmap(value_, sizeof(std::atomic<int>)); }
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;
  std::atomic<int>& value() { return *value_; }

 private:
  std::atomic<int>* value_ = nullptr;
};

/// True when the child ended by itself; false when it made no progress and was ended.
bool watch(pid_t child, const std::atomic<int>& progress) {
  int last = progress;
  double since = 0.0;
  while (waitpid(child, nullptr, WNOHANG) == 0) {
    usleep(200);
    const double now = processor_seconds(child);
    if (const int current = progress; current != last) {
      last = current;
      since = now;
    } else if (now - since > kLimit) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<bool> find_endless(int count, const std::function<void(int)>& query) {
  std::vector<bool> endless(static_cast<std::size_t>(count), false);
  SharedCounter counter;
  std::atomic<int>& next = counter.value();
  while (next < count) {
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no child process");
    if (child == 0) {
      for (; next < count; ++next) query(next);
      _exit(0);
    }
    // a child that died on a query is as bad as one that never comes back
    if (!watch(child, next) || next < count) endless[next++] = true;
  }
  return endless;
}

}  // namespace tactum::compare
