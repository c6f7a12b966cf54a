// SPDX-License-Identifier: BSD-2-Clause
// LU factorization of a matrix that is not symmetric but has the symmetric pattern of a
// CholeskyPattern: a node touches another exactly if that one touches it.
//
// Storage    Two arrays with the layout of the pattern. `lower` holds the blocks on and below the
//            diagonal. `upper` holds the transposes of the blocks on and above it, so that both are
//            made by the same calls. Of a diagonal block, each array gives the half below its
//            diagonal; the diagonal itself is read from `lower`.
// Pivots     Rows are swapped within the diagonal block of a node, and never across nodes.
// Numbers    The factorization is right-looking, as that of Cholesky. It does not allocate.
#pragma once

#include <span>
#include <vector>

#include "solver/linear/block_cholesky.hpp"

namespace tactum {

class BlockLu {
 public:
  /// Factorizes in place; the arrays hold the factors afterwards. Keeps references to the pattern
  /// and to the arrays until the next call. Returns false when a pivot is zero or not a number.
  bool factorize(const CholeskyPattern& pattern, std::span<double> lower, std::span<double> upper);

  /// Replaces `x` by the solution. `x` and `scratch` have as many numbers as the pattern has rows;
  /// x is in the order of the nodes as they were given.
  void solve(double* x, double* scratch) const;

 private:
  using Panel = CholeskyPattern::Panel;
  bool factorize_diagonal(const Panel& panel);
  void divide_below(const Panel& panel);
  void subtract_products(const Panel& panel);

  const CholeskyPattern* pattern_ = nullptr;
  std::span<double> lower_, upper_;
  std::vector<int> swapped_;  ///< row that each row was swapped with, within its node
};

}  // namespace tactum
