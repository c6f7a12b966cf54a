// SPDX-License-Identifier: BSD-2-Clause
// Anderson's acceleration of a fixed-point iteration x <- F(x) (Walker and Ni 2011, type II): the
// next point is the combination of the last few points whose residuals F(x) - x would cancel if F
// were affine. It allocates nothing once it has seen the size.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cassert>

namespace tactum {

class Anderson {
 public:
  static constexpr int kDepth = 5;

  /// Forgets all points.
  void reset() { count_ = 0; }

  /// `x` becomes the next point; `image` is F(x).
  void advance(const Eigen::VectorXd& image, Eigen::VectorXd& x) {
    assert(image.size() == x.size());
    residual_ = image - x;
    if (residual_changes_.rows() != x.size()) {
      residual_changes_.resize(x.size(), kDepth);
      image_changes_.resize(x.size(), kDepth);
      count_ = 0;
    }
    if (count_ > 0) {
      const int column = (count_ - 1) % kDepth;
      residual_changes_.col(column) = residual_ - last_residual_;
      image_changes_.col(column) = image - last_image_;
    }
    last_residual_ = residual_;
    last_image_ = image;
    const int used = std::min(count_++, kDepth);
    x = image;
    if (used == 0) return;
    // normal equations lose digits, which does not matter here; a small addition to the diagonal
    // keeps them regular
    Matrix normal(used, used);
    normal.noalias() = residual_changes_.leftCols(used).transpose() *
                       residual_changes_.leftCols(used);
    const double size = normal.trace();
    if (!(size > 0)) return;
    normal.diagonal().array() += 1e-12 * size;
    Vector share(used);
    share.noalias() = residual_changes_.leftCols(used).transpose() * residual_;
    normal.ldlt().solveInPlace(share);
    if (share.allFinite()) x.noalias() -= image_changes_.leftCols(used) * share;
  }

 private:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kDepth, kDepth>;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kDepth, 1>;

  int count_ = 0;  ///< points since the last reset
  Eigen::MatrixXd residual_changes_, image_changes_;
  Eigen::VectorXd residual_, last_residual_, last_image_;
};

}  // namespace tactum
