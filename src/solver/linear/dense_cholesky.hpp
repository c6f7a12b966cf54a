// SPDX-License-Identifier: BSD-2-Clause
// Cholesky factor of a dense matrix by panels, so that a large one, which takes seconds, can be
// interrupted.
#pragma once

#include <Eigen/Cholesky>
#include <algorithm>

#include "tactum/interrupt.hpp"

namespace tactum {

using DenseBlock = Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

/// Replaces the lower triangle of a symmetric matrix by its factor L; false where it is not
/// positive definite.
inline bool factorise_dense(DenseBlock a) {
  constexpr Eigen::Index most = 256;
  for (Eigen::Index begin = 0; begin < a.cols(); begin += most) {
    check_interrupt();
    const Eigen::Index size = std::min(most, a.cols() - begin), rest = a.cols() - begin - size;
    DenseBlock diagonal = a.block(begin, begin, size, size),
               below = a.block(begin + size, begin, rest, size);
    if (Eigen::LLT<DenseBlock>(diagonal).info() != Eigen::Success) return false;
    if (rest == 0) break;
    diagonal.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(below);
    a.bottomRightCorner(rest, rest).selfadjointView<Eigen::Lower>().rankUpdate(below, -1.0);
  }
  return true;
}

}  // namespace tactum
