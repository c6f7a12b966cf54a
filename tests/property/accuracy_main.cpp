// SPDX-License-Identifier: BSD-2-Clause
// tactum_accuracy: random poses of every ordered pair of shape kinds against the oracles, and the
// table of what was found.
//
// Usage   tactum_accuracy [--poses N] [--seed S] [--threads T] [--seconds L] [--pair A-B]
//                         [--markdown FILE]
//         N poses in total, 1e6 unless told; after L seconds no new ones are begun, and what is
//         written is what a run of as many poses as were done writes. With A-B, for example
//         Stp-Ellipsoid, only that pair's share of the N poses is asked, so that a pose that a run
//         found can be found again; there is no table of one pair.
// Exit    0 when every requirement holds, 1 when one is broken (each case printed at once so that
//         it can be run again, the first 20 and all wrong signs), 2 on bad usage
// Results do not depend on the number of threads.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/claim_check.hpp"

namespace {

using namespace tactum;
using namespace tactum::testing;
using Clock = std::chrono::steady_clock;

struct Arguments {
  std::uint64_t poses = 1000000;
  std::uint64_t seed = 1;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  double seconds = std::numeric_limits<double>::infinity();
  std::string pair;  // empty: all
  std::string markdown;
};

struct Tally {
  std::uint64_t poses = 0, failures = 0, not_converged = 0, wrong_signs = 0, unproved = 0;
  Real distance_error = 0, normal_error = 0, gap = 0;

  void add(const ClaimReport& report) {
    ++poses;
    failures += !report.failure.empty();
    not_converged += report.not_converged;
    wrong_signs += report.wrong_sign;
    unproved += !report.proved;
    distance_error = std::max(distance_error, report.distance_error);
    normal_error = std::max(normal_error, report.normal_error);
    gap = std::max(gap, report.not_converged ? Real(0) : report.gap);
  }
  void add(const Tally& other) {
    poses += other.poses;
    failures += other.failures;
    not_converged += other.not_converged;
    wrong_signs += other.wrong_signs;
    unproved += other.unproved;
    distance_error = std::max(distance_error, other.distance_error);
    normal_error = std::max(normal_error, other.normal_error);
    gap = std::max(gap, other.gap);
  }
};

std::string name(const KindPair& pair) {
  return std::string(to_string(pair.a)) + "-" + std::string(to_string(pair.b));
}

// The work is cut into blocks of one pair with its own shapes; a block is the unit of threads and
// of seeds.
class Run {
 public:
  explicit Run(const Arguments& arguments) : arguments_(arguments), tallies_(kAllPairs.size()) {}

  bool execute() {
    plan();
    start_ = Clock::now();
    std::vector<std::thread> workers;
    working_ = arguments_.threads;
    for (unsigned t = 0; t < arguments_.threads; ++t) {
      workers.emplace_back([this] {
        work();
        --working_;
      });
    }
    show_progress();
    for (std::thread& worker : workers) worker.join();
    if (!arguments_.markdown.empty()) write_markdown();
    return holds();
  }

 private:
  static constexpr std::uint64_t kBlockSize = 1000;
  /// Pairs with an STP volume get that many times fewer poses: their oracle tries all triples of
  /// points.
  static constexpr std::uint64_t kFewerVolumes = 5;
  static constexpr std::size_t kMaxPrinted = 20;
  const Arguments& arguments_;
  std::vector<Tally> tallies_;
  std::vector<std::uint64_t> block_sizes_;
  std::atomic<std::uint64_t> next_block_ = 0, done_ = 0, broken_ = 0;
  std::atomic<unsigned> working_ = 0;  // threads that have not ended
  std::mutex mutex_;
  Clock::time_point start_;

  void plan() {
    for (std::uint64_t left = arguments_.poses; left > 0;) {
      const KindPair& pair = kAllPairs[block_sizes_.size() % kAllPairs.size()];
      const std::uint64_t size = pair.has(ShapeKind::stp) ? kBlockSize / kFewerVolumes : kBlockSize;
      block_sizes_.push_back(std::min(size, left));
      left -= block_sizes_.back();
    }
  }

  bool is_in_time() const {
    return std::chrono::duration<double>(Clock::now() - start_).count() < arguments_.seconds;
  }

  void work() {
    // a block is taken only in time, and every block that is taken is done: they are the first ones
    while (is_in_time()) {
      const std::uint64_t block = next_block_++;
      if (block >= block_sizes_.size()) return;
      const std::size_t pair_index = block % kAllPairs.size();
      const KindPair pair = kAllPairs[pair_index];
      if (!arguments_.pair.empty() && arguments_.pair != name(pair)) {
        done_ += block_sizes_[block];
        continue;
      }
      const std::uint64_t shape_seed = arguments_.seed * 1000003 + block;
      const PairSampler sampler(pair.a, pair.b, shape_seed, 24);
      Tally tally;
      for (std::uint64_t i = 0; i < block_sizes_[block]; ++i) {
        const PairSample sample = sampler.sample(i);
        const ClaimReport report = query_and_check(sample, {.always_search = i % 64 == 0});
        tally.add(report);
        if (!report.failure.empty()) print_failure(shape_seed, i, pair, sample, report);
        ++done_;
      }
      const std::lock_guard lock(mutex_);
      tallies_[pair_index].add(tally);
    }
  }

  /// Says at once what is broken: a long run may be stopped by then.
  void print_failure(std::uint64_t shape_seed, std::uint64_t i, const KindPair& pair,
                     const PairSample& sample, const ClaimReport& report) {
    const std::lock_guard lock(mutex_);
    if (++broken_ > kMaxPrinted && !report.wrong_sign) return;
    std::fprintf(stderr, "\nbroken: %s: %s\n  shape seed %llu pose %llu, %s\n", name(pair).c_str(),
                 report.failure.c_str(), static_cast<unsigned long long>(shape_seed),
                 static_cast<unsigned long long>(i), sample.describe().c_str());
  }

  void show_progress() const {
    const bool terminal = isatty(STDERR_FILENO) != 0;
    auto last_shown = start_;
    while (working_ > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const auto now = Clock::now();
      if (now - last_shown < std::chrono::seconds(terminal ? 1 : 30) && working_ > 0) continue;
      last_shown = now;
      const double seconds = std::chrono::duration<double>(now - start_).count();
      const double share = static_cast<double>(done_) / static_cast<double>(arguments_.poses),
                   rate = static_cast<double>(done_) / seconds;
      const std::string bar(static_cast<std::size_t>(30 * share), '#');
      std::fprintf(stderr, "%s[%-30s] %5.1f %%  %llu poses  %.0f/s  %.0f s left  %llu broken%s",
                   terminal ? "\r" : "", bar.c_str(), 100 * share,
                   static_cast<unsigned long long>(done_), rate,
                   rate > 0 ? static_cast<double>(arguments_.poses - done_) / rate : 0.0,
                   static_cast<unsigned long long>(broken_), terminal ? "   " : "\n");
    }
    if (terminal) std::fprintf(stderr, "\n");
  }

  Tally total() const {
    Tally sum;
    for (const Tally& tally : tallies_) sum.add(tally);
    return sum;
  }

  bool holds() const {
    const Tally sum = total();
    std::fprintf(
        stderr,
        "%llu poses: %llu broken, %llu wrong signs, %llu not converged, truth proved for %.3f %%\n",
        static_cast<unsigned long long>(sum.poses), static_cast<unsigned long long>(sum.failures),
        static_cast<unsigned long long>(sum.wrong_signs),
        static_cast<unsigned long long>(sum.not_converged),
        100.0 - 100.0 * static_cast<double>(sum.unproved) /
                    static_cast<double>(std::max<std::uint64_t>(1, sum.poses)));
    return sum.failures == 0 &&
           sum.not_converged <= std::max<std::uint64_t>(1, sum.poses / 1000000);
  }

  void write_markdown() const {
    std::FILE* file = std::fopen(arguments_.markdown.c_str(), "w");
    if (file == nullptr) {
      std::fprintf(stderr, "tactum_accuracy: cannot write %s\n", arguments_.markdown.c_str());
      std::exit(2);
    }
    std::fprintf(file,
                 "# Accuracy of `distance`\n\nWritten by `tactum_accuracy --poses %llu --seed "
                 "%llu`. Errors and gaps are "
                 "relative to the scale of the pair; the "
                 "oracles and what they can prove are described in `tests/support`. Poses in equal "
                 "parts: apart, grazing, "
                 "shallow, deep, contained, concentric, "
                 "parallel features, far from the origin, far apart. Pairs with an STP volume get "
                 "fewer of them: their oracle tries all triples of points.\n\n",
                 static_cast<unsigned long long>(total().poses),
                 static_cast<unsigned long long>(arguments_.seed));
    std::fprintf(file,
                 "| pair | poses | worst distance error | allowed | worst normal error (rad) | "
                 "worst gap | not converged | wrong "
                 "signs | claims broken | truth proved |\n"
                 "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    const auto row = [&](const char* label, const Tally& t, const char* allowed) {
      std::fprintf(file,
                   "| %s | %llu | %.1Le | %s | %.1Le | %.1Le | %llu | %llu | %llu | %.2f %% |\n",
                   label, static_cast<unsigned long long>(t.poses), t.distance_error, allowed,
                   t.normal_error, t.gap, static_cast<unsigned long long>(t.not_converged),
                   static_cast<unsigned long long>(t.wrong_signs),
                   static_cast<unsigned long long>(t.failures),
                   100.0 - 100.0 * static_cast<double>(t.unproved) /
                               static_cast<double>(std::max<std::uint64_t>(1, t.poses)));
    };
    for (std::size_t i = 0; i < kAllPairs.size(); ++i) {
      const auto is_smooth = [](ShapeKind k) {
        return k == ShapeKind::ellipsoid || k == ShapeKind::cylinder || k == ShapeKind::cone;
      };
      row(name(kAllPairs[i]).c_str(), tallies_[i],
          is_smooth(kAllPairs[i].a) || is_smooth(kAllPairs[i].b) ? "1e-12" : "1.4e-14");
    }
    row("all", total(), "");
    std::fclose(file);
  }
};

bool is_pair(const std::string& text) {
  return std::any_of(kAllPairs.begin(), kAllPairs.end(),
                     [&](const KindPair& pair) { return name(pair) == text; });
}

bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i], value = argv[i + 1];
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);  // so that 1e7 may be written
    const bool is_count = *end == '\0' && number >= 1 && number <= 1e15;
    if (key == "--poses" && is_count) {
      arguments.poses = static_cast<std::uint64_t>(number);
    } else if (key == "--seed" && *end == '\0' && number >= 0 && number <= 1e15) {
      arguments.seed = static_cast<std::uint64_t>(number);
    } else if (key == "--threads" && is_count && number <= 1024) {
      arguments.threads = static_cast<unsigned>(number);
    } else if (key == "--seconds" && is_count) {
      arguments.seconds = number;
    } else if (key == "--pair" && is_pair(value)) {
      arguments.pair = value;
    } else if (key == "--markdown") {
      arguments.markdown = value;
    } else {
      return false;
    }
  }
  return argc % 2 == 1 && (arguments.pair.empty() || arguments.markdown.empty());
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::fprintf(stderr,
                 "usage: tactum_accuracy [--poses N] [--seed S] [--threads T] [--seconds L] "
                 "[--pair A-B] [--markdown FILE]\n");
    return 2;
  }
  return Run(arguments).execute() ? 0 : 1;
}
