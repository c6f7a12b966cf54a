// SPDX-License-Identifier: BSD-2-Clause
// Many pairs: each row is one call of distance(), or of distance_derivative(), in chunks that threads take in turn.
//
// Order      rows are taken as they come. Sorted by pair of kinds they were slower: the dispatch is a jump that the processor
//            predicts well, while poses read out of order are not fetched ahead.
// Errors     options are checked by one query of a pair that is known to be good, so that they are worded once; rows by their poses.
#include "tactum/distances.hpp"

#include <algorithm>
#include <string>

#include "batch/column_check.hpp"
#include "batch/distance_jacobians.hpp"
#include "batch/pose_reader.hpp"
#include "core/thread_team.hpp"

namespace tactum {
namespace {

constexpr std::size_t largest_chunk = 256;

void check_side(const BatchSide& side, std::size_t size, const char* name) {
  if (side.poses.size() != 1) check_size(side.poses.size(), size, name, ".poses");
  if (side.index.empty()) {
    if (size > 0 && side.shapes.empty()) throw InvalidInput(std::string(name) + ".shapes", "no shapes", "give at least one");
    if (size > 0 && side.shapes.size() > 1)
      throw InvalidInput(std::string(name) + ".index", "none for " + std::to_string(side.shapes.size()) + " shapes",
                         "give one for each pair");
    return;
  }
  check_size(side.index.size(), size, name, ".index");
  const auto [least, most] = std::minmax_element(side.index.begin(), side.index.end());
  for (const auto entry : {least, most}) {
    if (*entry < 0 || static_cast<std::size_t>(*entry) >= side.shapes.size()) {
      throw InvalidInput(std::string(name) + ".index[" + std::to_string(entry - side.index.begin()) + "]", std::to_string(*entry),
                         "give a number >= 0 and below the number of shapes, " + std::to_string(side.shapes.size()));
    }
  }
}

void check_columns(const DistanceColumns& out, std::size_t size) {
  check_column(out.status, size, "status");
  check_column(out.distance, size, "distance");
  check_column(out.normal, size, "normal");
  check_column(out.point_a, size, "point_a");
  check_column(out.point_b, size, "point_b");
  check_column(out.lower, size, "lower");
  check_column(out.upper, size, "upper");
  check_column(out.iterations, size, "iterations");
  check_column(out.support_calls, size, "support_calls");
  check_column(out.vertices_visited, size, "vertices_visited");
  check_column(out.pose_corrected, size, "pose_corrected");
  check_column(out.warm_start, size, "warm_start");
}

template <class Value>
void put(std::span<Value> column, std::size_t row, const Value& value) {
  if (!column.empty()) column[row] = value;
}

void put_row(const DistanceColumns& out, std::size_t row, const Distance& result) {
  put(out.status, row, result.status);
  put(out.distance, row, result.distance);
  put(out.normal, row, result.normal);
  put(out.point_a, row, result.point_a);
  put(out.point_b, row, result.point_b);
  put(out.lower, row, result.lower);
  put(out.upper, row, result.upper);
  put(out.iterations, row, std::int32_t{result.iterations});
  put(out.support_calls, row, std::int32_t{result.support_calls});
  put(out.vertices_visited, row, std::int32_t{result.vertices_visited});
  put(out.pose_corrected, row, result.pose_corrected);
  put(out.warm_start, row, result.warm_start);
}

Distance invalid_row() {
  Distance result;
  result.status = Status::invalid_input;
  return result;
}

/// One batch, constant while it runs: any thread may ask it for any rows.
class Batch {
 public:
  Batch(const PairBatch& pairs, const DistanceOptions& options, const RowDerivative& derivative, const DistanceColumns& out)
      : pairs_(pairs), options_(options), derivative_(derivative), out_(out), poses_a_(pairs.a.poses), poses_b_(pairs.b.poses) {}

  void run(std::size_t begin, std::size_t end) const {
    for (std::size_t row = begin; row < end; ++row) {
      Distance result;
      if (!solve(row, result)) {
        derivative_.clear(row);
        result = invalid_row();
      }
      put_row(out_, row, result);
    }
  }

 private:
  static const Shape& shape(const BatchSide& side, std::size_t row) {
    return side.shapes[side.index.empty() ? 0 : static_cast<std::size_t>(side.index[row])];
  }

  /// False where the numbers of the row are not those of a pair.
  bool solve(std::size_t row, Distance& result) const {
    const Shape& a = shape(pairs_.a, row);
    const Shape& b = shape(pairs_.b, row);
    CheckedPose scratch_a, scratch_b;
    const Pose* const X_WA = poses_a_.read(row, scratch_a);
    const Pose* const X_WB = poses_b_.read(row, scratch_b);
    if (X_WA == nullptr || X_WB == nullptr) return false;
    DistanceOptions options = options_;
    if (!pairs_.warm_start.empty()) {
      options.warm_start = &pairs_.warm_start[row];
      if (!is_point(options.warm_start->direction_A)) return false;
    }
    if (!derivative_.solve(a, *X_WA, b, *X_WB, options, row, result)) return false;
    result.pose_corrected |= scratch_a.corrected || scratch_b.corrected;
    return true;
  }

  const PairBatch& pairs_;
  const DistanceOptions& options_;
  const RowDerivative& derivative_;
  const DistanceColumns& out_;
  PoseReader poses_a_;
  PoseReader poses_b_;
};

/// Throws what distance() throws on these options.
void check_options(const DistanceOptions& options) {
  const Shape point{Sphere{}};
  static_cast<void>(distance(point, {}, point, {}, options));
}

}  // namespace

bool distances(const PairBatch& pairs, const DistancesOptions& options, BatchWorkspace& work, const DistanceColumns& out) {
  const DistanceOptions each{.method = options.method,
                             .tolerance = options.tolerance,
                             .max_iterations = options.max_iterations,
                             .cutoff = options.cutoff};
  check_options(each);
  check_num_threads(options.num_threads);
  check_side(pairs.a, pairs.size, "a");
  check_side(pairs.b, pairs.size, "b");
  if (!pairs.warm_start.empty()) check_size(pairs.warm_start.size(), pairs.size, "", "warm_start");
  check_columns(out, pairs.size);

  const RowDerivative derivative(pairs, options, out);

  const Batch batch(pairs, each, derivative, out);
  return parallel_for(work.team(), pairs.size,
                      {.num_threads = options.num_threads,
                       .largest_chunk = largest_chunk,
                       .interrupted = options.interrupted ? &options.interrupted : nullptr},
                      [&batch](std::size_t begin, std::size_t end) { batch.run(begin, end); });
}

}  // namespace tactum
