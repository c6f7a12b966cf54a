// SPDX-License-Identifier: BSD-2-Clause
#include "sim/model/tree_factor.hpp"

#include <algorithm>
#include <cmath>

namespace tactum::sim {
namespace {

using Index = Eigen::Index;

constexpr double kLeastShare = 1e-15;  // of a diagonal entry that its pivot has
constexpr double kLeastPivot = 1e-60;

/// F^-1 for a number of columns that the compiler knows, in an array of `size` rows.
template <int columns>
void apply_inverse_to(const Eigen::MatrixXd& F, const Eigen::VectorXd& inverse_diagonal,
                      const std::vector<int>& parents, double* x, Index stride) {
  for (Index k = F.rows() - 1; k >= 0; --k) {
    double entry[columns];
    bool is_zero = true;
    for (int c = 0; c < columns; ++c) {
      entry[c] = x[k + c * stride] *= inverse_diagonal[k];
      is_zero = is_zero && entry[c] == 0.0;
    }
    if (is_zero) continue;  // most rows, of a contact of one branch
    const double* const column = &F.coeffRef(0, k);
    for (Index i = parents[static_cast<std::size_t>(k)]; i >= 0;
         i = parents[static_cast<std::size_t>(i)])
      for (int c = 0; c < columns; ++c) x[i + c * stride] -= column[i] * entry[c];
  }
}

}  // namespace

TreeFactor::TreeFactor(std::vector<int> parents)
    : parents_(std::move(parents)),
      F_(Eigen::MatrixXd::Zero(size(), size())),
      inverse_diagonal_(Eigen::VectorXd::Zero(size())) {}

void TreeFactor::set(const Eigen::MatrixXd& M, const Eigen::VectorXd& diagonal) {
  F_.triangularView<Eigen::Upper>() = M;
  F_.diagonal() += diagonal;
  for (Index k = size() - 1; k >= 0; --k) {
    // rounding may leave a pivot that is not positive where masses differ by many orders
    const double pivot = std::max({F_(k, k), kLeastShare * (M(k, k) + diagonal[k]), kLeastPivot});
    const double root = std::sqrt(pivot), inverse = 1.0 / root;
    F_(k, k) = root;
    inverse_diagonal_[k] = inverse;
    double* const column = &F_.coeffRef(0, k);
    for (Index i = parents_[static_cast<std::size_t>(k)]; i >= 0;
         i = parents_[static_cast<std::size_t>(i)])
      column[i] *= inverse;
    for (Index i = parents_[static_cast<std::size_t>(k)]; i >= 0;
         i = parents_[static_cast<std::size_t>(i)]) {
      double* const above = &F_.coeffRef(0, i);
      const double factor = column[i];
      for (Index j = i; j >= 0; j = parents_[static_cast<std::size_t>(j)])
        above[j] -= factor * column[j];
    }
  }
}

void TreeFactor::apply_inverse(Eigen::Ref<Eigen::MatrixXd> x) const {
  const Index stride = x.outerStride();
  Index column = 0;
  for (; column + 3 <= x.cols(); column += 3)
    apply_inverse_to<3>(F_, inverse_diagonal_, parents_, x.data() + column * stride, stride);
  for (; column < x.cols(); ++column)
    apply_inverse_to<1>(F_, inverse_diagonal_, parents_, x.data() + column * stride, stride);
}

void TreeFactor::apply_inverse_transpose(Eigen::Ref<Eigen::MatrixXd> x) const {
  for (Index c = 0; c < x.cols(); ++c) {
    double* const entries = x.data() + c * x.outerStride();
    for (Index k = 0; k < size(); ++k) {
      const double* const column = &F_.coeffRef(0, k);
      double sum = entries[k];
      for (Index i = parents_[static_cast<std::size_t>(k)]; i >= 0;
           i = parents_[static_cast<std::size_t>(i)])
        sum -= column[i] * entries[i];
      entries[k] = sum * inverse_diagonal_[k];
    }
  }
}

void TreeFactor::solve(Eigen::Ref<Eigen::MatrixXd> x) const {
  apply_inverse(x);
  apply_inverse_transpose(x);
}

}  // namespace tactum::sim
