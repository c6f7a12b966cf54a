// SPDX-License-Identifier: BSD-2-Clause
#include "solver/linear/dense_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solver/linear/dense_product.hpp"

namespace tactum {
namespace {

constexpr Eigen::Index kPanel = 64;

}  // namespace

/// Factorizes the columns of a panel from its diagonal down; rows are swapped in the panel alone.
void DenseLu::factorize_panel(Eigen::Index begin, Eigen::Index size) {
  const Eigen::Index rows = lu_.rows();
  for (Eigen::Index k = begin; k < begin + size; ++k) {
    Eigen::Index pivot = 0;
    lu_.col(k).tail(rows - k).cwiseAbs().maxCoeff(&pivot);
    pivot += k;
    swapped_[k] = static_cast<int>(pivot);
    if (pivot != k) lu_.row(k).segment(begin, size).swap(lu_.row(pivot).segment(begin, size));
    const Eigen::Index below = rows - k - 1, right = begin + size - k - 1;
    if (lu_(k, k) == 0 || below == 0) continue;
    lu_.col(k).tail(below) /= lu_(k, k);
    if (right > 0)
      lu_.block(k + 1, k + 1, below, right).noalias() -= lu_.col(k).tail(below) *
                                                         lu_.row(k).segment(k + 1, right);
  }
}

void DenseLu::factorize(Eigen::MatrixXd matrix) {
  lu_ = std::move(matrix);
  const Eigen::Index rows = lu_.rows();
  swapped_.resize(rows);
  norm_ = rows > 0 ? lu_.cwiseAbs().colwise().sum().maxCoeff() : 0.0;
  for (Eigen::Index begin = 0; begin < rows; begin += kPanel) {
    check_interrupt();
    const Eigen::Index size = std::min(kPanel, rows - begin), rest = rows - begin - size;
    factorize_panel(begin, size);
    for (Eigen::Index k = begin; k < begin + size; ++k) {
      if (swapped_[k] == k) continue;
      lu_.row(k).head(begin).swap(lu_.row(swapped_[k]).head(begin));
      lu_.row(k).tail(rest).swap(lu_.row(swapped_[k]).tail(rest));
    }
    if (rest == 0) continue;
    check_interrupt();
    auto right = lu_.block(begin, begin + size, size, rest);
    lu_.block(begin, begin, size, size).triangularView<Eigen::UnitLower>().solveInPlace(right);
    lu_.bottomRightCorner(rest, rest).noalias() -= lu_.block(begin + size, begin, rest, size) *
                                                   right;
  }
}

void DenseLu::solve_in_place(Eigen::MatrixXd& x) const {
  const double column_work = static_cast<double>(lu_.size());
  for_column_strips(x.cols(), column_work, [&](Eigen::Index first, Eigen::Index count) {
    auto strip = x.middleCols(first, count);
    for (Eigen::Index k = 0; k < swapped_.size(); ++k)
      if (swapped_[k] != k) strip.row(k).swap(strip.row(swapped_[k]));
    lu_.triangularView<Eigen::UnitLower>().solveInPlace(strip);
    check_interrupt();
    lu_.triangularView<Eigen::Upper>().solveInPlace(strip);
  });
}

void DenseLu::solve_vector(Eigen::VectorXd& x) const {
  for (Eigen::Index k = 0; k < swapped_.size(); ++k) std::swap(x[k], x[swapped_[k]]);
  lu_.triangularView<Eigen::UnitLower>().solveInPlace(x);
  lu_.triangularView<Eigen::Upper>().solveInPlace(x);
}

void DenseLu::solve_transposed_in_place(Eigen::VectorXd& x) const {
  lu_.transpose().triangularView<Eigen::Lower>().solveInPlace(x);
  lu_.transpose().triangularView<Eigen::UnitUpper>().solveInPlace(x);
  for (Eigen::Index k = swapped_.size(); k-- > 0;) std::swap(x[k], x[swapped_[k]]);
}

double DenseLu::reciprocal_condition() const {
  const Eigen::Index rows = lu_.rows();
  if (rows == 0) return std::numeric_limits<double>::infinity();
  if (!(lu_.diagonal().cwiseAbs().minCoeff() > 0)) return 0.0;
  const auto size = static_cast<double>(rows);
  Eigen::VectorXd x = Eigen::VectorXd::Constant(rows, 1 / size), sign;
  solve_vector(x);
  double inverse_norm = x.lpNorm<1>();
  Eigen::Index last = -1;
  for (int i = 0; i < 5 && rows > 1; ++i) {
    check_interrupt();
    sign = x.unaryExpr([](double value) { return value < 0 ? -1.0 : 1.0; });
    solve_transposed_in_place(sign);
    Eigen::Index largest = 0;
    sign.cwiseAbs().maxCoeff(&largest);
    if (largest == last) break;
    last = largest;
    x = Eigen::VectorXd::Unit(rows, largest);
    solve_vector(x);
    const double norm = x.lpNorm<1>();
    if (norm <= inverse_norm) break;
    inverse_norm = norm;
  }
  // a vector of alternating signs, for matrices on which the search above is misled
  for (Eigen::Index i = 0; i < rows; ++i)
    x[i] = (i % 2 == 0 ? 1.0 : -1.0) * (1 + static_cast<double>(i) / std::max(size - 1, 1.0));
  solve_vector(x);
  inverse_norm = std::max(inverse_norm, 2 * x.lpNorm<1>() / (3 * size));
  return 1 / inverse_norm / norm_;
}

}  // namespace tactum
