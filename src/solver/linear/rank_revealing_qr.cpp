// SPDX-License-Identifier: BSD-2-Clause
#include "solver/linear/rank_revealing_qr.hpp"

#include <Eigen/Householder>
#include <cassert>
#include <cmath>
#include <utility>

#include "math/epsilon.hpp"
#include "solver/linear/dense_cholesky.hpp"
#include "solver/linear/dense_product.hpp"

namespace tactum {
namespace {

constexpr Eigen::Index kPanelColumns = 32;
// a norm that has fallen by more than this since it was computed has lost half its digits
const double kSpoiled = std::sqrt(kEpsilon);

}  // namespace

void RankRevealingQr::factorize(Eigen::MatrixXd matrix, double tolerance) {
  qr_ = std::move(matrix);
  const Eigen::Index columns = qr_.cols(), most = std::min(qr_.rows(), columns);
  scales_.setZero(most);
  order_ = Eigen::VectorXi::LinSpaced(columns, 0, static_cast<int>(columns) - 1);
  Norms norms;
  norms.exact.resize(columns);
  norms.now.resize(columns);
  refresh_norms(0, norms);
  const double least = columns > 0 ? tolerance * norms.now.maxCoeff() : 0.0;
  rank_ = 0;
  while (rank_ < most) {
    const Eigen::Index begin = rank_, done = factorize_panel(begin, least, norms);
    rank_ += done;
    const Eigen::Index width = std::min(kPanelColumns, most - begin), rest = columns - rank_;
    if (rest > 0 && rank_ < qr_.rows() && done > 0) {
      check_interrupt();
      qr_.bottomRightCorner(qr_.rows() - rank_, rest).noalias() -=
          qr_.block(rank_, begin, qr_.rows() - rank_, done) *
          pending_.block(rank_ - begin, 0, rest, done).transpose();
    }
    // a panel ends early where norms have to be computed afresh, or where the rank is reached
    const bool ended = done < width && !(norms.now.tail(rest).minCoeff() < 0);
    for (Eigen::Index j = rank_; j < columns; ++j)
      if (norms.now[j] < 0)
        norms.now[j] = norms.exact[j] = qr_.col(j).tail(qr_.rows() - rank_).norm();
    if (ended || rest == 0) break;
  }
}

/// Computes the norms of all columns from a row on.
void RankRevealingQr::refresh_norms(Eigen::Index row, Norms& norms) const {
  for (Eigen::Index j = row; j < qr_.cols(); ++j)
    norms.now[j] = norms.exact[j] = qr_.col(j).tail(qr_.rows() - row).norm();
}

/// Brings the column with the largest norm to `column`.
void RankRevealingQr::choose_pivot(Eigen::Index begin, Eigen::Index column, Norms& norms) {
  Eigen::Index pivot = 0;
  norms.now.tail(qr_.cols() - column).maxCoeff(&pivot);
  pivot += column;
  if (pivot == column) return;
  qr_.col(pivot).swap(qr_.col(column));
  pending_.row(pivot - begin).swap(pending_.row(column - begin));
  std::swap(order_[pivot], order_[column]);
  std::swap(norms.now[pivot], norms.now[column]);
  std::swap(norms.exact[pivot], norms.exact[column]);
}

/// Takes a row that is finished out of the norms. True where some of them must be computed afresh;
/// those are -1.
bool RankRevealingQr::update_norms(Eigen::Index row, Norms& norms) const {
  bool spoiled = false;
  for (Eigen::Index j = row + 1; j < qr_.cols(); ++j) {
    if (!(norms.now[j] > 0)) continue;
    const double share = std::abs(qr_(row, j)) / norms.now[j],
                 left = std::max((1 + share) * (1 - share), 0.0),
                 fallen = norms.now[j] / norms.exact[j];
    if (left * fallen * fallen <= kSpoiled) {
      norms.now[j] = -1;
      spoiled = true;
    } else {
      norms.now[j] *= std::sqrt(left);
    }
  }
  return spoiled;
}

/// Factorizes columns from `begin` on until the panel is full, a norm is spoiled, or no column is
/// longer than `least`. Returns how many. The rows of R that are finished are updated to their end,
/// the rest of the matrix is not.
Eigen::Index RankRevealingQr::factorize_panel(Eigen::Index begin, double least, Norms& norms) {
  const Eigen::Index rows = qr_.rows(), columns = qr_.cols(),
                     width = std::min(kPanelColumns, std::min(rows, columns) - begin);
  pending_.setZero(columns - begin, width);
  Eigen::VectorXd inner(width);
  for (Eigen::Index k = 0; k < width; ++k) {
    check_interrupt();
    const Eigen::Index j = begin + k, height = rows - j, right = columns - j - 1;
    choose_pivot(begin, j, norms);
    if (!(norms.now[j] > least)) return k;
    auto column = qr_.col(j).tail(height);
    if (k > 0)
      column.noalias() -= qr_.block(j, begin, height, k) * pending_.row(k).head(k).transpose();
    double scale = 0, pivot = 0;
    column.makeHouseholderInPlace(scale, pivot);
    scales_[j] = scale;
    column[0] = 1;
    pending_.col(k).tail(right).noalias() = scale *
                                            (qr_.bottomRightCorner(height, right).transpose() *
                                             column);
    if (k > 0) {
      inner.head(k).noalias() = qr_.block(j, begin, height, k).transpose() * column;
      pending_.col(k).noalias() -= scale * (pending_.leftCols(k) * inner.head(k));
    }
    qr_.row(j).tail(right).noalias() -= qr_.row(j).segment(begin, k + 1) *
                                        pending_.block(k + 1, 0, right, k + 1).transpose();
    column[0] = pivot;
    if (update_norms(j, norms)) return k + 1;
  }
  return width;
}

double RankRevealingQr::distance_from_range(Eigen::VectorXd x) const {
  assert(x.size() == qr_.rows());
  x.applyOnTheLeft(Eigen::householderSequence(qr_, scales_).setLength(rank_).adjoint());
  return x.tail(x.size() - rank_).norm();
}

void RankRevealingQr::prepare_solve() {
  const Eigen::Index free = qr_.cols() - rank_;
  null_ = qr_.block(0, rank_, rank_, free);
  for_column_strips(
      free, static_cast<double>(rank_ * rank_), [&](Eigen::Index first, Eigen::Index count) {
        auto strip = null_.middleCols(first, count);
        qr_.topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>().solveInPlace(strip);
      });
  null_factor_.resize(free, free);
  multiply_dense(null_factor_, null_.transpose(), null_);
  null_factor_.diagonal().array() += 1;
  const Eigen::Index done = factorize_dense(null_factor_);
  assert(done == free);
  static_cast<void>(done);
}

/// x <- x - N (N^T N)^-1 N^T x with N = [-null_; I], in the order of the pivots.
template <class Columns>
void RankRevealingQr::remove_null_space(Columns&& x) const {
  const Eigen::Index free = qr_.cols() - rank_;
  if (free == 0) return;
  Eigen::MatrixXd part = x.bottomRows(free);
  part.noalias() -= null_.transpose() * x.topRows(rank_);
  null_factor_.triangularView<Eigen::Lower>().solveInPlace(part);
  null_factor_.transpose().triangularView<Eigen::Upper>().solveInPlace(part);
  x.topRows(rank_).noalias() += null_ * part;
  x.bottomRows(free) -= part;
}

Eigen::MatrixXd RankRevealingQr::solve(const Eigen::MatrixXd& b) const {
  assert(b.rows() == qr_.rows());
  Eigen::MatrixXd result(qr_.cols(), b.cols()), strip, pivoted;
  const double column_work = 4 * static_cast<double>(qr_.size());
  for_column_strips(b.cols(), column_work, [&](Eigen::Index first, Eigen::Index count) {
    strip = b.middleCols(first, count);
    strip.applyOnTheLeft(Eigen::householderSequence(qr_, scales_).setLength(rank_).adjoint());
    check_interrupt();
    pivoted.setZero(qr_.cols(), count);
    pivoted.topRows(rank_) = strip.topRows(rank_);
    auto solved = pivoted.topRows(rank_);
    qr_.topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>().solveInPlace(solved);
    remove_null_space(pivoted);
    for (Eigen::Index i = 0; i < qr_.cols(); ++i)
      result.row(order_[i]).segment(first, count) = pivoted.row(i);
  });
  return result;
}

Eigen::VectorXd RankRevealingQr::solve_transposed(const Eigen::VectorXd& c) const {
  assert(c.size() == qr_.cols());
  Eigen::VectorXd pivoted(c.size());
  for (Eigen::Index i = 0; i < c.size(); ++i) pivoted[i] = c[order_[i]];
  remove_null_space(pivoted);
  Eigen::VectorXd result = Eigen::VectorXd::Zero(qr_.rows());
  result.head(rank_) = pivoted.head(rank_);
  auto solved = result.head(rank_);
  qr_.topLeftCorner(rank_, rank_).transpose().triangularView<Eigen::Lower>().solveInPlace(solved);
  result.applyOnTheLeft(Eigen::householderSequence(qr_, scales_).setLength(rank_));
  return result;
}

}  // namespace tactum
