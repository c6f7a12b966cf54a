// SPDX-License-Identifier: BSD-2-Clause
// One row of a batch with derivatives: the query, its derivatives, and the columns they go to.
//
// Cost       a row computes what its columns ask for. The Jacobian of the distance alone needs no
//            curvature, and no estimator but the two that make queries of their own; anything else
//            is one call of distance_derivative().
// Bits       those of distance_derivative(), whichever columns are asked for.
#pragma once

#include "tactum/distances.hpp"

namespace tactum {

/// The derivatives of the rows of a batch; constant while it runs, so any thread may compute any
/// row.
class RowDerivative {
 public:
  /// Throws InvalidInput on columns of the wrong size, on a bad estimator or frame, on a shape that
  /// the estimator does not accept, on standard errors that the estimator does not have, and on
  /// shapes that do not have the same sizes.
  RowDerivative(const PairBatch& pairs, const DistancesOptions& options,
                const DistanceColumns& out);

  /// Whether any column asks for a derivative.
  bool is_needed() const { return need_ != Need::nothing || num_parameters_ > 0; }

  /// Solves the pair and writes its derivatives; the value is left to the caller. Returns false,
  /// and writes nothing, where distance() would throw.
  bool solve(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
             const DistanceOptions& query, std::size_t row, Distance& value) const;

  /// Solves a row of geometries of which at least one is not convex. Throws InvalidInput, before it
  /// writes, where distance() would.
  void solve(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
             const DistanceOptions& query, std::size_t row, Distance& value) const;

  /// Writes the derivatives of a row that has none.
  void clear(std::size_t row) const;

 private:
  enum class Need : std::uint8_t { nothing, distance_alone, everything };
  static Need need_of(const Estimator& estimator, const DistanceColumns& out);
  void check_estimator(const PairBatch& pairs) const;
  void write_cell(const DistanceDerivative& derivative, bool smooth, std::size_t row) const;
  /// Writes the derivatives by sizes and returns whether they are smooth.
  bool write_parameters(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                        const Distance& value, std::size_t row) const;

  const DistancesOptions& options_;
  const DistanceColumns& out_;
  Need need_;
  std::size_t num_parameters_ = 0;  ///< of A and B; 0 where no column asks for them
};

}  // namespace tactum
