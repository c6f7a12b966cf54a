// SPDX-License-Identifier: BSD-2-Clause
// Our side of the batch cells: many pairs in one call, on one or two threads. The peers answer the
// same pairs in a loop.
#include <stdexcept>

#include "library.hpp"
#include "tactum/distances.hpp"

namespace tactum::compare {
namespace {

class BatchOfPairs : public Side {
 public:
  BatchOfPairs(const Family& family, const Cell& cell, int threads)
      : family_(family), threads_(threads) {
    for (const Query& query : cell.queries) {
      index_.push_back(query.pair);
      X_WA_.push_back(query.X_WA);
      X_WB_.push_back(query.X_WB);
    }
    status_.resize(cell.queries.size());
    for (std::vector<double>* column : {&distance_, &lower_, &upper_})
      column->resize(cell.queries.size());
    for (std::vector<Vector3>* column : {&normal_, &point_a_, &point_b_})
      column->resize(cell.queries.size());
  }

  std::string setting() const override { return "batch"; }
  int block_size(int total) const override { return std::max(1, total / 10); }

  double run(int first, int count) override {
    const auto part = [&](auto& column) { return std::span(column).subspan(first, count); };
    const PairBatch pairs{.size = static_cast<std::size_t>(count),
                          .a = {.shapes = family_.a,
                                .index = part(index_),
                                .poses = std::span<const Pose>(part(X_WA_))},
                          .b = {.shapes = family_.b,
                                .index = part(index_),
                                .poses = std::span<const Pose>(part(X_WB_))}};
    distances(pairs, {.num_threads = threads_}, work_,
              {.status = part(status_),
               .distance = part(distance_),
               .normal = part(normal_),
               .point_a = part(point_a_),
               .point_b = part(point_b_),
               .lower = part(lower_),
               .upper = part(upper_)});
    return distance_[first];
  }

  void run_tracked(std::span<double>) override { throw std::logic_error("a batch has no steps"); }

  Answer answer(int query) override {
    run(query, 1);
    return {.failed = status_[query] == Status::not_converged ||
                      status_[query] == Status::invalid_input,
            .colliding = distance_[query] <= 0.0,
            .distance = distance_[query],
            .normal = normal_[query]};
  }

 private:
  const Family& family_;
  int threads_;
  BatchWorkspace work_;
  std::vector<std::int32_t> index_;
  std::vector<Pose> X_WA_, X_WB_;
  std::vector<Status> status_;
  std::vector<double> distance_, lower_, upper_;
  std::vector<Vector3> normal_, point_a_, point_b_;
};

class BatchLibrary : public Library {
 public:
  explicit BatchLibrary(int threads) : threads_(threads) {}
  std::string name() const override {
    return threads_ == 1 ? "tactum" : "tactum, " + std::to_string(threads_) + " threads";
  }
  void load(const Family& family) override { family_ = family; }
  std::vector<std::unique_ptr<Side>> sides(const Cell& cell) override {
    std::vector<std::unique_ptr<Side>> sides;
    if (cell.task == Task::batch)
      sides.push_back(std::make_unique<BatchOfPairs>(family_, cell, threads_));
    return sides;
  }

 private:
  int threads_;
  Family family_;
};

}  // namespace

std::unique_ptr<Library> make_batch(int threads) { return std::make_unique<BatchLibrary>(threads); }

}  // namespace tactum::compare
