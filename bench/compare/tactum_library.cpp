// SPDX-License-Identifier: BSD-2-Clause
// Our side: the public calls as a user writes them, with validation of the poses and the
// certificate of the answer.
#include "library.hpp"
#include "stopwatch.hpp"
#include "tactum/distance.hpp"

namespace tactum::compare {
namespace {

class TactumSide : public Side {
 public:
  TactumSide(const Family& family, const Cell& cell)
      : family_(family), cell_(cell), last_(family.a.size()) {}

  std::string setting() const override { return "default"; }

  double run(int first, int count) override {
    double sum = 0.0;
    if (cell_.task == Task::collide) {
      for (int i = first; i < first + count; ++i) sum += collide_query(cell_.queries[i]).lower;
    } else {
      for (int i = first; i < first + count; ++i)
        sum += distance_query(cell_.queries[i], {}).distance;
    }
    return sum;
  }

  void run_tracked(std::span<double> nanoseconds) override {
    last_.assign(family_.a.size(), {});
    time_steps(static_cast<int>(nanoseconds.size()), nanoseconds.data(), [&](int i) {
      const Query& query = cell_.queries[i];
      last_[query.pair] = distance_query(query, {.warm_start = &last_[query.pair]}).warm_start;
    });
  }

  Answer answer(int query) override {
    if (cell_.task == Task::collide) {
      const Collision found = collide_query(cell_.queries[query]);
      return {.failed = found.status == Status::not_converged, .colliding = found.colliding};
    }
    WarmStart& last = last_[cell_.queries[query].pair];
    if (cell_.is_cold(query)) last = {};
    const Distance found = distance_query(cell_.queries[query], {.warm_start = &last});
    last = found.warm_start;
    return {.failed = found.status == Status::not_converged,
            .colliding = found.distance <= 0.0,
            .distance = found.distance,
            .normal = found.normal};
  }

 private:
  const Family& family_;
  const Cell& cell_;
  std::vector<WarmStart> last_;  ///< of each pair

  Distance distance_query(const Query& query, const DistanceOptions& options) const {
    return distance(family_.a[query.pair], query.X_WA, family_.b[query.pair], query.X_WB, options);
  }
  Collision collide_query(const Query& query) const {
    return collide(family_.a[query.pair], query.X_WA, family_.b[query.pair], query.X_WB);
  }
};

class TactumLibrary : public Library {
 public:
  std::string name() const override { return "tactum"; }
  void load(const Family& family) override { family_ = family; }
  std::vector<std::unique_ptr<Side>> sides(const Cell& cell) override {
    std::vector<std::unique_ptr<Side>> sides;
    if (cell.task != Task::batch) sides.push_back(std::make_unique<TactumSide>(family_, cell));
    return sides;
  }

 private:
  Family family_;
};

}  // namespace

std::unique_ptr<Library> make_tactum() { return std::make_unique<TactumLibrary>(); }

}  // namespace tactum::compare
