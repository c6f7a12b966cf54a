// SPDX-License-Identifier: BSD-2-Clause
// Distances of many pairs of convex shapes in one call: spans in, spans out, all cores.
//
// Row i is, bit for bit, what distance() returns for pair i, for any number of threads. Where distance() would throw because of the
// numbers of a row (a pose that is none, two half-spaces, a warm start that is not finite), the row has the status invalid_input,
// distance 0, lower = -infinity, upper = infinity, and the other rows are not affected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include "tactum/batch.hpp"
#include "tactum/distance.hpp"
#include "tactum/shape_table.hpp"

namespace tactum {

/// The shapes A or the shapes B of all pairs. Nothing is copied: the memory stays the caller's.
struct BatchSide {
  std::span<const Shape> shapes = {};        ///< a ShapeTable, or one shape: {&shape, 1}
  std::span<const std::int32_t> index = {};  ///< into `shapes`, one for each pair; empty: shapes[0] for all
  PoseSpan poses;                            ///< X_WA or X_WB, in the world: one for all pairs or one for each
};

struct PairBatch {
  std::size_t size = 0;  ///< how many pairs
  BatchSide a;
  BatchSide b;
  std::span<const WarmStart> warm_start = {};  ///< empty, or one for each pair; may be the memory that is written to
};

/// As DistanceOptions, for all pairs.
struct DistancesOptions {
  Method method = Method::automatic;
  double tolerance = 1e-10;
  int max_iterations = 128;
  double cutoff = std::numeric_limits<double>::infinity();
  int num_threads = 0;                     ///< at most; 0: all that the machine has
  std::function<bool()> interrupted = {};  ///< asked about 100 times a second, on the calling thread; true ends the call early
};

/// Where the answers go: one column for each field of Distance. Empty: not wanted. Columns must not overlap.
struct DistanceColumns {
  std::span<Status> status = {};
  std::span<double> distance = {};
  std::span<Vector3> normal = {};
  std::span<Vector3> point_a = {};
  std::span<Vector3> point_b = {};
  std::span<double> lower = {};
  std::span<double> upper = {};
  std::span<std::int32_t> iterations = {};
  std::span<std::int32_t> support_calls = {};
  std::span<std::int32_t> vertices_visited = {};
  std::span<bool> pose_corrected = {};
  std::span<WarmStart> warm_start = {};
};

/// All pairs. Returns false when it was interrupted: some rows are then not written.
///
/// Throws InvalidInput, before anything is written, on bad options, on an index out of range and on spans of the wrong size.
/// Allocates nothing once the workspace has been used with as many threads.
bool distances(const PairBatch& pairs, const DistancesOptions& options, BatchWorkspace& work, const DistanceColumns& out);

}  // namespace tactum
