// SPDX-License-Identifier: BSD-2-Clause
// Clock of single queries: the time stamp counter between fences where there is one, the steady
// clock elsewhere. What an empty measurement takes is subtracted.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace tactum::compare {

class Stopwatch {
 public:
  static std::uint64_t now() {
#if defined(__x86_64__)
    _mm_lfence();
    const std::uint64_t ticks = __rdtsc();
    _mm_lfence();
    return ticks;
#else
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
  }

  /// ns between two ticks, never negative.
  static double nanoseconds(std::uint64_t start, std::uint64_t end) {
    static const Stopwatch watch;
    return std::max(0.0, static_cast<double>(end - start) - watch.overhead_) *
           watch.nanoseconds_per_tick_;
  }

 private:
  double nanoseconds_per_tick_ = 1.0;
  double overhead_ = std::numeric_limits<double>::infinity();

  Stopwatch() {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    const std::uint64_t first = now();
    Clock::duration elapsed{};
    while ((elapsed = Clock::now() - start) < std::chrono::milliseconds(20)) continue;
    nanoseconds_per_tick_ = std::chrono::duration<double, std::nano>(elapsed).count() /
                            static_cast<double>(now() - first);
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t before = now();
      overhead_ = std::min(overhead_, static_cast<double>(now() - before));
    }
  }
};

/// Runs step(i) for every entry and writes what each took.
template <class Step>
void time_steps(int count, double* nanoseconds, Step&& step) {
  for (int i = 0; i < count; ++i) {
    const std::uint64_t start = Stopwatch::now();
    step(i);
    nanoseconds[i] = Stopwatch::nanoseconds(start, Stopwatch::now());
  }
}

}  // namespace tactum::compare
