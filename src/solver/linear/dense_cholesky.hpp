// SPDX-License-Identifier: BSD-2-Clause
// Cholesky factor of a dense matrix, computed in panels of columns, so that the factorization of a
// large matrix, which takes seconds, can be interrupted.
#pragma once

#include <Eigen/Cholesky>
#include <algorithm>

#include "tactum/interrupt.hpp"

namespace tactum {

using DenseBlock = Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

inline constexpr Eigen::Index kCholeskyPanel = 128;

/// Replaces the lower triangle of a symmetric matrix by its factor L. Returns the number of columns
/// that were factorized: all of them, or, where the matrix is not positive definite, those in front
/// of the panel with the first pivot that is not positive.
inline Eigen::Index factorize_dense(DenseBlock a) {
  for (Eigen::Index begin = 0; begin < a.cols(); begin += kCholeskyPanel) {
    check_interrupt();
    const Eigen::Index size = std::min(kCholeskyPanel, a.cols() - begin),
                       rest = a.cols() - begin - size;
    DenseBlock diagonal = a.block(begin, begin, size, size),
               below = a.block(begin + size, begin, rest, size);
    if (Eigen::LLT<DenseBlock>(diagonal).info() != Eigen::Success) return begin;
    if (rest == 0) break;
    diagonal.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(below);
    a.bottomRightCorner(rest, rest).selfadjointView<Eigen::Lower>().rankUpdate(below, -1.0);
  }
  return a.cols();
}

/// Index of the first pivot that is not positive, after factorize_dense() has replaced a copy of
/// `matrix` by `factor` and has returned `done`, fewer than all columns.
inline Eigen::Index first_bad_pivot(const Eigen::MatrixXd& matrix, const Eigen::MatrixXd& factor,
                                    Eigen::Index done) {
  const Eigen::Index size = std::min(kCholeskyPanel, matrix.cols() - done);
  Eigen::MatrixXd a = matrix.block(done, done, size, size);
  if (done > 0)
    a -= factor.block(done, 0, size, done) * factor.block(done, 0, size, done).transpose();
  for (Eigen::Index k = 0; k < size; ++k) {
    const double pivot = a(k, k) - a.row(k).head(k).squaredNorm();
    if (!(pivot > 0)) return done + k;
    a(k, k) = std::sqrt(pivot);
    for (Eigen::Index i = k + 1; i < size; ++i)
      a(i, k) = (a(i, k) - a.row(i).head(k).dot(a.row(k).head(k))) / a(k, k);
  }
  return done + size - 1;
}

}  // namespace tactum
