// SPDX-License-Identifier: BSD-2-Clause
// tactum_derivative_accuracy: the exact derivative of every ordered pair of shape kinds against
// central differences on the group.
//
// Usage   tactum_derivative_accuracy [--poses N] [--seed S] [--threads T] N poses in total, 1e6
//         unless told
// Prints  for each pair the share of poses that are smooth, the share within a step of a kink
//         (differences of two steps or two sides disagree), and the worst and the 99.9 % error of
//         one random column, relative to the largest entry of the Jacobians
// Exit    0 when errors away from kinks are at most 1e-6 but for one pose in 1e5, 1 when more are
//         larger (each printed with what makes it again), 2 on bad usage
// Results do not depend on the number of threads.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "narrow/derivative_fixtures.hpp"

namespace {

using namespace tactum;
using namespace tactum::testing;
using Clock = std::chrono::steady_clock;

constexpr double kAllowed = 1e-6;
constexpr std::uint64_t kBlock = 1000;
constexpr std::uint64_t kOneIn = 100000;

struct Arguments {
  std::uint64_t poses = 1000000;
  std::uint64_t seed = 1;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
};

struct Tally {
  std::uint64_t poses = 0, smooth = 0, kinks = 0, broken = 0, not_finite = 0;
  std::vector<double> errors;

  void add(const Tally& other) {
    poses += other.poses, smooth += other.smooth, kinks += other.kinks, broken += other.broken,
        not_finite += other.not_finite;
    errors.insert(errors.end(), other.errors.begin(), other.errors.end());
  }
};

/// One random column of one pose.
void check_pose(const PosedPair& pair, TangentFrame frame, int column, Tally& tally,
                const std::string& where) {
  const DistanceDerivative derivative = pair.derivative(
      {.frame = frame, .query = {.tolerance = 1e-13}});
  ++tally.poses;
  tally.not_finite += all_finite(derivative) ? 0 : 1;
  if (!derivative.smooth) return;
  ++tally.smooth;
  const double error = column_error(pair, derivative, size_of(derivative), column, frame);
  if (error == kInfinity) {
    ++tally.kinks;
    return;
  }
  tally.errors.push_back(error);
  if (error <= kAllowed) return;
  ++tally.broken;
  std::fprintf(stderr, "\nbroken: %s column %d error %.1e distance %.17g\n  %s\n  %s\n",
               where.c_str(), column, error, derivative.value.distance, pair.a.to_string().c_str(),
               pair.b.to_string().c_str());
}

class Run {
 public:
  explicit Run(const Arguments& arguments) : arguments_(arguments), tallies_(kAllPairs.size()) {}

  bool execute() {
    start_ = Clock::now();
    std::vector<std::thread> workers;
    for (unsigned t = 0; t < arguments_.threads; ++t) workers.emplace_back([this] { work(); });
    show_progress();
    for (std::thread& worker : workers) worker.join();
    return report();
  }

 private:
  const Arguments& arguments_;
  std::vector<Tally> tallies_;
  std::atomic<std::uint64_t> next_block_ = 0, done_ = 0;
  std::mutex mutex_;
  Clock::time_point start_;

  std::uint64_t num_blocks() const { return (arguments_.poses + kBlock - 1) / kBlock; }

  static std::string name(const KindPair& kinds) {
    return std::string(to_string(kinds.a)) + "-" + std::string(to_string(kinds.b));
  }

  void work() {
    for (std::uint64_t block = next_block_++; block < num_blocks(); block = next_block_++) {
      const std::size_t index = block % kAllPairs.size();
      const KindPair kinds = kAllPairs[index];
      Random random(arguments_.seed * 1000003, block);
      Tally tally;
      const std::uint64_t count = std::min(kBlock, arguments_.poses - block * kBlock);
      for (std::uint64_t i = 0; i < count; ++i) {
        const PosedPair pair{random_shape_of(kinds.a, random), random_shape_of(kinds.b, random),
                             random_pose(random, 0.3), random_pose(random, i % 2 == 0 ? 0.4 : 1.2)};
        check_pose(pair, static_cast<TangentFrame>(i % 3), random.below(12), tally,
                   name(kinds) + " block " + std::to_string(block) + " pose " + std::to_string(i));
        ++done_;
      }
      const std::lock_guard lock(mutex_);
      tallies_[index].add(tally);
    }
  }

  void show_progress() const {
    const bool terminal = isatty(STDERR_FILENO) != 0;
    auto last_shown = start_;
    while (done_ < arguments_.poses) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const auto now = Clock::now();
      if (now - last_shown < std::chrono::seconds(terminal ? 1 : 30)) continue;
      last_shown = now;
      const double seconds = std::chrono::duration<double>(now - start_).count(),
                   done = static_cast<double>(done_), all = static_cast<double>(arguments_.poses);
      std::fprintf(stderr, "%s%5.1f %%  %.0f poses  %.0f/s  %.0f s left%s", terminal ? "\r" : "",
                   100.0 * done / all, done, done / seconds,
                   done > 0.0 ? (all - done) / (done / seconds) : 0.0, terminal ? "   " : "\n");
    }
    if (terminal) std::fprintf(stderr, "\n");
  }

  static void print_row(const std::string& label, Tally& tally) {
    std::sort(tally.errors.begin(), tally.errors.end());
    const auto at = [&](double share) {
      if (tally.errors.empty()) return 0.0;
      return tally
          .errors[static_cast<std::size_t>(share * static_cast<double>(tally.errors.size() - 1))];
    };
    const double poses = static_cast<double>(std::max<std::uint64_t>(1, tally.poses));
    std::printf("%-24s %9llu  %7.3f  %7.3f  %8.1e  %8.1e  %6llu\n", label.c_str(),
                static_cast<unsigned long long>(tally.poses),
                100.0 * static_cast<double>(tally.smooth) / poses,
                100.0 * static_cast<double>(tally.kinks) / poses, at(0.999), at(1.0),
                static_cast<unsigned long long>(tally.broken));
  }

  bool report() {
    std::printf("%-24s %9s  %7s  %7s  %8s  %8s  %6s\n", "pair", "poses", "smooth%", "kink%",
                "99.9 %", "worst", "broken");
    Tally total;
    for (std::size_t i = 0; i < kAllPairs.size(); ++i) {
      total.add(tallies_[i]);
      print_row(name(kAllPairs[i]), tallies_[i]);
    }
    print_row("all", total);
    // next to nearly flat and nearly sharp rims the differences are wrong now and then
    return total.broken <= total.poses / kOneIn && total.not_finite == 0;
  }
};

bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i];
    char* end = nullptr;
    const double number = std::strtod(argv[i + 1], &end);  // so that 1e7 may be written
    if (*end != '\0' || !(number >= 0.0 && number <= 1e15)) return false;
    if (key == "--poses" && number >= 1.0) {
      arguments.poses = static_cast<std::uint64_t>(number);
    } else if (key == "--seed") {
      arguments.seed = static_cast<std::uint64_t>(number);
    } else if (key == "--threads" && number >= 1.0 && number <= 1024.0) {
      arguments.threads = static_cast<unsigned>(number);
    } else {
      return false;
    }
  }
  return argc % 2 == 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::fprintf(stderr,
                 "usage: tactum_derivative_accuracy [--poses N] [--seed S] [--threads T]\n");
    return 2;
  }
  return Run(arguments).execute() ? 0 : 1;
}
