// SPDX-License-Identifier: BSD-2-Clause
// The linear system of one Newton step on laws of contact that hold block by block,
//
//     E_f df + E_s (G + R + t D) df = -value,
//
// with a pair of matrices E_f, E_s for each block.
//
// Motion     With C = E_f + E_s (R + t D) and K = C^-1 E_s, block by block, and G = W^T W, the
//            system is solved through I + W K W^T, which has as many rows as there are motions.
//            Where G is given, C + E_s G is factorized itself. Neither is symmetric: block_lu.hpp.
#pragma once

#include "solver/linear/block_lu.hpp"
#include "solver/problem/residual.hpp"

namespace tactum {

class LawEquations {
 public:
  /// Begins a system. `weight` is the diagonal of D. The problem is kept by reference until the
  /// last solve.
  void start(const ProblemView& problem, const Eigen::VectorXd& weight, double proximal);
  /// Sets the equations of one block, of which one with one row uses the first entries. Returns
  /// false where its C is not regular.
  bool set_block(std::size_t block, const Eigen::Matrix3d& by_force,
                 const Eigen::Matrix3d& by_velocity);
  bool factorize();
  /// Sets `step` to the solution df.
  void solve(const Eigen::VectorXd& value, Eigen::VectorXd& step);

 private:
  void multiply(const std::vector<double>& matrices, Eigen::VectorXd& x) const;

  const ProblemView* problem_ = nullptr;
  const Eigen::VectorXd* diagonal_ = nullptr;
  double proximal_ = 0;  ///< t
  // nine numbers for each block, column by column
  std::vector<double> by_velocity_, inverse_, weight_, transposed_, identity_;
  std::vector<double> lower_, upper_;
  Eigen::VectorXd motion_, scratch_, response_;
  BlockLu lu_;
};

}  // namespace tactum
