// SPDX-License-Identifier: BSD-2-Clause
// Distances of many pairs of geometries, and their derivatives, in one call: spans in, spans out,
// all cores.
//
// Row i is, bit for bit, what distance() and distance_derivative() return for pair i, for any
// number of threads. Where these would throw because of the numbers of a row (a matrix that is not
// a pose, two half-spaces, a warm start that is not finite), the row has the status invalid_input,
// distance 0, lower = -infinity, upper = infinity, Jacobians of zeros that are not smooth, and the
// other rows are not affected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tactum/batch.hpp"
#include "tactum/distance.hpp"
#include "tactum/distance_derivative.hpp"
#include "tactum/shape_table.hpp"

namespace tactum {

/// The shapes A or the shapes B of all pairs. Nothing is copied: the memory stays the caller's.
struct BatchSide {
  std::span<const Shape> shapes = {};        ///< a ShapeTable, or one shape: {&shape, 1}
  std::span<const std::int32_t> index = {};  ///< into `shapes`, one for each pair; empty: shapes[0]
                                             ///< for all
  PoseSpan poses;  ///< X_WA or X_WB, in the world: one for all pairs or one for each
  /// Given instead of `shapes` where some are compounds or meshes: a ShapeTable, or one geometry.
  std::span<const Geometry> geometries = {};
};

struct PairBatch {
  std::size_t size = 0;  ///< how many pairs
  BatchSide a;
  BatchSide b;
  std::span<const WarmStart> warm_start = {};  ///< empty, or one for each pair; may be the memory
                                               ///< that is written to
};

/// Options for all pairs, with the meaning that they have in DistanceOptions.
struct DistancesOptions {
  Method method = Method::automatic;
  double tolerance = 1e-10;
  int max_iterations = 128;
  double cutoff = std::numeric_limits<double>::infinity();
  Estimator derivative = Exact{};  ///< of the Jacobians that columns ask for; a seed counts for
                                   ///< every row
  TangentFrame frame = TangentFrame::local;  ///< of the small motions
  int num_threads = 0;                       ///< at most; 0: all that the machine has
  std::function<bool()> interrupted = {};    ///< asked about 100 times a second, on the calling
                                             ///< thread; true ends the call early
};

/// Jacobians as they lie in a column: row after row, without alignment.
using PackedRow12 = Eigen::Matrix<double, 1, 12, Eigen::RowMajor | Eigen::DontAlign>;
using Packed3x12 = Eigen::Matrix<double, 3, 12, Eigen::RowMajor | Eigen::DontAlign>;

/// One column for each field of DistanceJacobians; an empty one is not written.
struct JacobianColumns {
  std::span<PackedRow12> distance_jacobian = {};  ///< alone, it costs next to nothing: it needs no
                                                  ///< curvature
  std::span<Packed3x12> normal_jacobian = {};
  std::span<Packed3x12> point_a_jacobian = {};
  std::span<Packed3x12> point_b_jacobian = {};
  std::span<Packed3x12> separation_jacobian = {};
};

/// One column for each field of ParameterDerivative, by the sizes of A and then those of B: with P
/// of them, P numbers a pair for the distance and three rows of P for the others. These derivatives
/// are exact, whatever the estimator. An empty column is not written.
///
/// All shapes A must be convex and have the same sizes (one kind, hulls with equally many
/// vertices), and so must all shapes B. These columns allocate, and so do rows with compounds and
/// meshes.
struct ParameterColumns {
  std::span<double> distance_jacobian = {};
  std::span<double> normal_jacobian = {};
  std::span<double> point_a_jacobian = {};
  std::span<double> point_b_jacobian = {};
  std::span<double> separation_jacobian = {};
};

/// Columns for the answers, one for each field of Distance; an empty one is not written. Columns
/// must not overlap.
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
  std::span<bool> smooth = {};  ///< whether the exact derivative exists and is unique
  JacobianColumns jacobian = {};
  JacobianColumns standard_error = {};  ///< of the Jacobians, entry by entry; for sampled
                                        ///< estimators
  ParameterColumns parameter = {};
};

/// Whether the estimator draws enough samples to estimate its standard error.
bool has_standard_error(const Estimator& estimator);

/// Names of the sizes that the shapes of one side share, as in ParameterDerivative. Throws
/// InvalidInput where the shapes do not have the same sizes.
std::vector<std::string> parameter_names(const BatchSide& side, const char* field = "a");

/// Computes all pairs. Returns false when it was interrupted: some rows are then not written.
///
/// Throws InvalidInput, before anything is written, on bad options, on an index out of range, on
/// spans of the wrong size, on an estimator that is not for one of the shapes, and on columns that
/// it does not fill. Allocates nothing once the workspace has been used with as many threads.
bool distances(const PairBatch& pairs, const DistancesOptions& options, BatchWorkspace& work,
               const DistanceColumns& out);

}  // namespace tactum
