// SPDX-License-Identifier: BSD-2-Clause
#include "measure.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "stopwatch.hpp"
#include "tactum/distance_derivative.hpp"

namespace tactum::compare {
namespace {

double quantile(std::vector<double> values, double fraction) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  const double place = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

/// One setting of one library, and the fastest time seen of each of its blocks or steps.
class Contestant {
 public:
  Contestant(std::size_t library, bool is_principal, std::unique_ptr<Side> side, const Cell& cell)
      : library_(library), is_principal_(is_principal), side_(std::move(side)), cell_(cell) {
    const int total = static_cast<int>(cell.queries.size());
    block_ = side_->block_size(total);
    const int count = cell.task == Task::tracked ? total - cell.num_pairs
                                                 : (total + block_ - 1) / block_;
    best_.assign(static_cast<std::size_t>(count), std::numeric_limits<double>::infinity());
  }

  void run_round() {
    if (cell_.task == Task::tracked) {
      run_steps();
    } else {
      run_blocks();
    }
  }

  std::size_t library() const { return library_; }
  bool is_principal() const { return is_principal_; }
  Side& side() { return *side_; }
  double median() const { return quantile(best_, 0.5); }
  double mean() const {
    return std::accumulate(best_.begin(), best_.end(), 0.0) / static_cast<double>(best_.size());
  }
  double spread() const { return quantile(best_, 0.75) - quantile(best_, 0.25); }

 private:
  std::size_t library_;
  bool is_principal_;
  std::unique_ptr<Side> side_;
  const Cell& cell_;
  int block_ = 1;
  std::vector<double> best_;
  std::vector<double> steps_;
  volatile double sum_ = 0.0;  // seen by nobody: the compiler must not drop the queries

  void run_blocks() {
    const int total = static_cast<int>(cell_.queries.size());
    for (int first = 0, entry = 0; first < total; first += block_, ++entry) {
      const int count = std::min(block_, total - first);
      const std::uint64_t start = Stopwatch::now();
      sum_ = side_->run(first, count);
      best_[entry] = std::min(best_[entry],
                              Stopwatch::nanoseconds(start, Stopwatch::now()) / count);
    }
  }

  /// The first query of each pair has no past and does not count.
  void run_steps() {
    steps_.resize(cell_.queries.size());
    side_->run_tracked(steps_);
    for (std::size_t i = 0; i < best_.size(); ++i)
      best_[i] = std::min(best_[i], steps_[cell_.num_pairs + i]);
  }
};

/// Keeps the few fastest settings of each library.
void drop_slow_settings(std::vector<Contestant>& contestants, std::size_t num_libraries,
                        std::size_t keep) {
  std::vector<Contestant> kept;
  for (std::size_t library = 0; library < num_libraries; ++library) {
    std::vector<Contestant*> own;
    for (Contestant& contestant : contestants) {
      if (contestant.library() == library) own.push_back(&contestant);
    }
    std::sort(own.begin(), own.end(),
              [](const Contestant* x, const Contestant* y) { return x->median() < y->median(); });
    for (std::size_t i = 0; i < std::min(keep, own.size()); ++i) kept.push_back(std::move(*own[i]));
  }
  contestants = std::move(kept);
}

/// The bounds of the signed distance at the tightest tolerance there is, and the normal.
struct Truth {
  double lower;
  double upper;
  Vector3 normal;
  double scale;
};

std::vector<Truth> find_truths(const Cell& cell, const Family& family) {
  constexpr double tightest = 64 * std::numeric_limits<double>::epsilon();
  std::vector<Truth> truths;
  for (const Query& query : cell.queries) {
    const Shape &a = family.a[query.pair], &b = family.b[query.pair];
    const Distance found = distance(a, query.X_WA, b, query.X_WB, {.tolerance = tightest});
    truths.push_back(
        {found.lower, found.upper, found.normal, pair_scale(a, query.X_WA, b, query.X_WB)});
  }
  return truths;
}

void find_errors(Side& side, const Cell& cell, const std::vector<Truth>& truths, Column& column) {
  constexpr double failure = 1e-4;  // m
  std::vector<double> angles;
  for (std::size_t i = 0; i < truths.size(); ++i) {
    const Truth& truth = truths[i];
    const Answer answer = side.answer(static_cast<int>(i));
    if (cell.task == Task::collide) {
      column.failures += answer.failed || answer.colliding != (cell.gap < 0.0);
      continue;
    }
    const double error = std::max(
        {0.0, truth.lower - answer.distance, answer.distance - truth.upper});
    if (answer.failed || !std::isfinite(answer.distance) || !answer.normal.allFinite() ||
        error > failure) {
      ++column.failures;
      continue;
    }
    column.distance_error = std::max(column.distance_error, error / truth.scale);
    const double sine = truth.normal.cross(answer.normal).norm();
    angles.push_back(std::atan2(sine, truth.normal.dot(answer.normal)) *
                     (180.0 / 3.141592653589793));
  }
  column.normal_error = quantile(angles, 0.99);
}

void find_jacobian_difference(Side& side, const Cell& cell, const Family& family, Column& column) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < cell.queries.size(); ++i) {
    const Query& query = cell.queries[i];
    const DistanceDerivative exact = distance_derivative(family.a[query.pair], query.X_WA,
                                                         family.b[query.pair], query.X_WB);
    const Matrix3x6 truth = exact.separation_jacobian.rightCols<6>(),
                    found = side.answer(static_cast<int>(i)).separation_jacobian;
    column.failures += !found.allFinite();
    if (exact.smooth && found.allFinite())
      differences.push_back((found - truth).norm() / truth.norm());
  }
  column.jacobian_difference = quantile(differences, 0.5);
}

void run_round(std::vector<Contestant>& contestants, bool only_principals) {
  for (Contestant& contestant : contestants) {
    if (contestant.is_principal() || !only_principals) contestant.run_round();
  }
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

std::vector<Column> measure(const Cell& cell, const Family& family,
                            const std::vector<std::unique_ptr<Library>>& libraries,
                            const Effort& effort) {
  std::vector<Contestant> contestants;
  for (std::size_t library = 0; library < libraries.size(); ++library) {
    for (std::unique_ptr<Side>& side : libraries[library]->sides(cell)) {
      contestants.emplace_back(library, libraries[library]->is_principal(), std::move(side), cell);
    }
  }
  constexpr std::size_t finalists = 3;
  run_round(contestants, false);
  drop_slow_settings(contestants, libraries.size(), finalists);
  run_round(contestants, false);
  const double round = seconds_of([&] { run_round(contestants, true); });
  // few, long blocks
  const double seconds = cell.task == Task::batch ? 4.0 * effort.seconds : effort.seconds;
  const int rounds = std::clamp(static_cast<int>(seconds / round), effort.min_rounds,
                                effort.max_rounds);
  for (int i = 0; i < rounds; ++i) run_round(contestants, true);
  drop_slow_settings(contestants, libraries.size(), 1);

  const std::vector<Truth> truths = cell.task == Task::derivative ? std::vector<Truth>()
                                                                  : find_truths(cell, family);
  std::vector<Column> columns;
  for (Contestant& contestant : contestants) {
    Column column{.library = libraries[contestant.library()]->name(),
                  .setting = contestant.side().setting(),
                  .median = contestant.median(),
                  .spread = contestant.spread(),
                  .mean = contestant.mean()};
    if (cell.task == Task::derivative) {
      find_jacobian_difference(contestant.side(), cell, family, column);
    } else {
      find_errors(contestant.side(), cell, truths, column);
    }
    columns.push_back(column);
  }
  return columns;
}

}  // namespace tactum::compare
