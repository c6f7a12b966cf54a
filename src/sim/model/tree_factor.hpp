// SPDX-License-Identifier: BSD-2-Clause
// Factor of the mass matrix of a tree of joints: M = F F^T, with F upper triangular.
//
// Computes   F, and products with F^-1, F^-T and M^-1, in place.
// Source     Featherstone, Rigid Body Dynamics Algorithms (2008), section 6.5: elimination from the
//            leaves to the root leaves no entries between branches.
// Invariants F(i, j) is zero unless the joint of i carries that of j. So F^-1 keeps the zeros of a
//            vector that has entries along one branch only, such as a row of a contact Jacobian.
// Cost       With n velocities that are d deep: n d^2 / 2 for the factor, at most n d for a product
//            and d^2 / 2 for one along a branch. Nothing is allocated after construction.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace tactum::sim {

class TreeFactor {
 public:
  /// `parents`: for each velocity the one above it in its branch, with a lower number; -1: none.
  explicit TreeFactor(std::vector<int> parents);

  /// Factors a positive definite matrix, of which the upper triangle is read, plus a diagonal.
  void set(const Eigen::MatrixXd& M, const Eigen::VectorXd& diagonal);

  /// Columns of x become F^-1, F^-T and M^-1 times themselves.
  void apply_inverse(Eigen::Ref<Eigen::MatrixXd> x) const;
  void apply_inverse_transpose(Eigen::Ref<Eigen::MatrixXd> x) const;
  void solve(Eigen::Ref<Eigen::MatrixXd> x) const;

  int size() const { return static_cast<int>(parents_.size()); }
  /// The whole of F; entries below the diagonal mean nothing.
  const Eigen::MatrixXd& upper() const { return F_; }

 private:
  std::vector<int> parents_;
  Eigen::MatrixXd F_;
  Eigen::VectorXd inverse_diagonal_;
};

}  // namespace tactum::sim
