// SPDX-License-Identifier: BSD-2-Clause
// Many pairs: each row is one call of distance(), or of distance_derivative(), in chunks that
// threads take in turn.
//
// Order      rows are taken as they come. Sorted by pair of kinds they were slower: the processor
//            predicts the jump of the dispatch well, while poses read out of order are not fetched
//            ahead.
// Errors     options are checked once, before the rows; rows are checked by their poses.
#include "tactum/distances.hpp"

#include <algorithm>
#include <string>

#include "batch/check_columns.hpp"
#include "batch/distance_jacobians.hpp"
#include "batch/pose_reader.hpp"
#include "batch/side_rows.hpp"
#include "core/thread_team.hpp"
#include "narrow/pair/pair_frame.hpp"
#include "narrow/query/pair_table.hpp"
#include "narrow/query/try_distance.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

constexpr std::size_t kLargestChunk = 256;

void check_side(const BatchSide& side, std::size_t size, const char* name) {
  const std::size_t count = num_geometries(side);
  if (!side.shapes.empty() && !side.geometries.empty())
    throw InvalidInput(std::string(name) + ".geometries", "shapes and geometries",
                       "give one of the two");
  if (side.poses.size() != 1) check_size(side.poses.size(), size, name, ".poses");
  if (side.index.empty()) {
    if (size > 0 && count == 0)
      throw InvalidInput(std::string(name) + ".shapes", "no shapes", "give at least one");
    if (size > 0 && count > 1)
      throw InvalidInput(std::string(name) + ".index",
                         "none for " + std::to_string(count) + " shapes", "give one for each pair");
    return;
  }
  check_size(side.index.size(), size, name, ".index");
  std::uint32_t largest = 0;  // a negative index becomes a large one
  for (const std::int32_t i : side.index)
    largest = std::max(largest, static_cast<std::uint32_t>(i));
  if (largest < count && largest <= std::numeric_limits<std::int32_t>::max()) return;
  const auto [least, most] = std::minmax_element(side.index.begin(), side.index.end());
  for (const auto entry : {least, most}) {
    if (*entry < 0 || static_cast<std::size_t>(*entry) >= count) {
      throw InvalidInput(
          std::string(name) + ".index[" + std::to_string(entry - side.index.begin()) + "]",
          std::to_string(*entry),
          "give a number >= 0 and below the number of shapes, " + std::to_string(count));
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
void write_cell(std::span<Value> column, std::size_t row, const Value& value) {
  if (!column.empty()) column[row] = value;
}

bool has_rare_column(const DistanceColumns& out) {
  return !(out.iterations.empty() && out.support_calls.empty() && out.vertices_visited.empty() &&
           out.pose_corrected.empty() && out.warm_start.empty());
}

void write_row(const DistanceColumns& out, bool has_rare, std::size_t row, const Distance& result) {
  write_cell(out.status, row, result.status);
  write_cell(out.distance, row, result.distance);
  write_cell(out.normal, row, result.normal);
  write_cell(out.point_a, row, result.point_a);
  write_cell(out.point_b, row, result.point_b);
  write_cell(out.lower, row, result.lower);
  write_cell(out.upper, row, result.upper);
  if (!has_rare) return;
  write_cell(out.iterations, row, std::int32_t{result.iterations});
  write_cell(out.support_calls, row, std::int32_t{result.support_calls});
  write_cell(out.vertices_visited, row, std::int32_t{result.vertices_visited});
  write_cell(out.pose_corrected, row, result.pose_corrected);
  write_cell(out.warm_start, row, result.warm_start);
}

Distance invalid_row() {
  Distance result;
  result.status = Status::invalid_input;
  return result;
}

/// A batch, constant while it runs: any thread may compute any rows.
class DistanceBatch {
 public:
  DistanceBatch(const PairBatch& pairs, const DistanceOptions& options,
                const RowDerivative& derivative, const DistanceColumns& out)
      : pairs_(pairs),
        options_(options),
        derivative_(derivative),
        out_(out),
        poses_a_(pairs.a.poses),
        poses_b_(pairs.b.poses),
        has_more_(derivative.is_needed() || !pairs.warm_start.empty()) {}

  void run(std::size_t begin, std::size_t end) const {
    const SideRows rows_a(pairs_.a), rows_b(pairs_.b);
    PoseBlock poses_a(poses_a_), poses_b(poses_b_);
    const bool has_rare = has_rare_column(out_);
    Distance result;
    for (std::size_t first = begin, last; first < end; first = last) {
      last = poses_b.read(first, poses_a.read(first, end));
      for (std::size_t row = first; row < last; ++row) {
        const std::size_t i = row - first;
        const bool good = poses_a.is_good(i) && poses_b.is_good(i);
        const Shape *const a = rows_a.shape(row), *const b = rows_b.shape(row);
        const bool convex = a != nullptr && b != nullptr;
        if (good && (convex ? solve(row, *a, poses_a.pose(i), *b, poses_b.pose(i), result)
                            : solve_any(row, rows_a.geometry(row), poses_a.pose(i),
                                        rows_b.geometry(row), poses_b.pose(i), result))) {
          result.pose_corrected |= poses_a.is_corrected(i) || poses_b.is_corrected(i);
        } else {
          derivative_.clear(row);
          result = invalid_row();
        }
        write_row(out_, has_rare, row, result);
      }
    }
  }

 private:
  /// Returns false where the numbers of the row are not those of a pair.
  bool solve(std::size_t row, const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
             Distance& result) const {
    if (has_more_) return solve_with_more(row, a, X_WA, b, X_WB, result);
    const PairEntry& entry = pair_entry(table_, a.core(), b.core());
    if (entry.try_directly != nullptr && options_.method == Method::automatic &&
        entry.try_directly(a.core(), X_WA, b.core(), X_WB, options_, result))
      return true;
    return try_general_distance(entry.solvers, a.core(), X_WA, b.core(), X_WB, options_, result);
  }

  /// A row with a compound or a mesh.
  bool solve_any(std::size_t row, const Geometry& a, const Pose& X_WA, const Geometry& b,
                 const Pose& X_WB, Distance& result) const {
    DistanceOptions options = options_;
    if (!pairs_.warm_start.empty()) {
      options.warm_start = &pairs_.warm_start[row];
      if (!is_point(options.warm_start->direction_A)) return false;
    }
    check_interrupt();
    try {
      derivative_.solve(a, X_WA, b, X_WB, options, row, result);
      return true;
    } catch (const InvalidInput&) {
      return false;
    }
  }

  bool solve_with_more(std::size_t row, const Shape& a, const Pose& X_WA, const Shape& b,
                       const Pose& X_WB, Distance& result) const {
    DistanceOptions options = options_;
    if (!pairs_.warm_start.empty()) {
      options.warm_start = &pairs_.warm_start[row];
      if (!is_point(options.warm_start->direction_A)) return false;
    }
    result = {};
    check_interrupt();  // rows with derivatives may be slow
    return derivative_.solve(a, X_WA, b, X_WB, options, row, result);
  }

  const PairBatch& pairs_;
  const DistanceOptions& options_;
  const RowDerivative& derivative_;
  const DistanceColumns& out_;
  PoseReader poses_a_;
  PoseReader poses_b_;
  bool has_more_;  ///< a row needs more than a query of two shapes in two poses
  const PairTable& table_ = pair_table();
};

}  // namespace

bool distances(const PairBatch& pairs, const DistancesOptions& options, BatchWorkspace& work,
               const DistanceColumns& out) {
  const DistanceOptions each{.method = options.method,
                             .tolerance = options.tolerance,
                             .max_iterations = options.max_iterations,
                             .cutoff = options.cutoff};
  check_distance_options(each);
  check_num_threads(options.num_threads);
  check_side(pairs.a, pairs.size, "a");
  check_side(pairs.b, pairs.size, "b");
  if (!pairs.warm_start.empty()) check_size(pairs.warm_start.size(), pairs.size, "", "warm_start");
  check_columns(out, pairs.size);

  const RowDerivative derivative(pairs, options, out);

  const DistanceBatch batch(pairs, each, derivative, out);
  return parallel_for(work.team(), pairs.size,
                      {.num_threads = options.num_threads,
                       .largest_chunk = kLargestChunk,
                       .interrupted = options.interrupted ? &options.interrupted : nullptr},
                      [&batch](std::size_t begin, std::size_t end) { batch.run(begin, end); });
}

}  // namespace tactum
