// SPDX-License-Identifier: BSD-2-Clause
#include "solver/active_set/active_system.hpp"

#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

constexpr double kSingular = 1e-13;  // reciprocal condition number below which LU is not trusted
constexpr double kRankTolerance = 1e-10;  // share of the first pivot of QR below which a pivot is
                                          // zero
constexpr double kOnBoundary = 1e-7;      // margin below which a mode is not known
constexpr double kNothing = 1e-10;        // share of the largest force below which a force is zero
constexpr std::size_t kMostDenseRows = 64;  // with more rows, the zeros of W are worth looking for

/// Whether the block's own equations fix its force.
bool is_fixed(const ContactBlock& block, const BlockMode& mode) {
  return block.kind == ContactKind::friction ? mode.mode == ContactMode::breaking
                                             : mode.mode != ContactMode::sticking;
}

/// Mode of a block that is so close to a boundary that its force does not say on which side it is:
/// at rest rather than sliding, and apart rather than held by nothing. The direction of sliding at
/// a speed that is rounding would be rounding too.
BlockMode settled(const ContactBlock& block, BlockMode mode, double diagonal, Double3 f, Double3 s,
                  double largest) {
  const double least = kNothing * largest, inverse = diagonal > 0 ? 1 / diagonal : 0.0;
  const bool may_break = block.kind != ContactKind::bilateral && block.kind != ContactKind::box;
  if (may_break && f.norm() <= least && inverse * s.norm() <= least)
    return {ContactMode::breaking, 0.0};
  if (block.kind != ContactKind::friction || mode.mode != ContactMode::sliding ||
      mode.margin > kOnBoundary)
    return mode;
  return {f.z > kOnBoundary * largest ? ContactMode::sticking : ContactMode::breaking, 0.0};
}

bool is_singular(const DenseLu& lu) {
  const auto pivots = lu.factors().diagonal().cwiseAbs();
  return pivots.minCoeff() <= kSingular * pivots.maxCoeff() ||
         lu.reciprocal_condition() <= kSingular;
}

}  // namespace

void ActiveSystem::assemble(const ProblemView& problem, const ResidualRule& rule,
                            const Eigen::VectorXd& force, const Eigen::VectorXd& velocity,
                            Boundary boundary) {
  const double largest = force.size() > 0 ? force.cwiseAbs().maxCoeff() : 0.0;
  blocks_.assign(problem.blocks.begin(), problem.blocks.end());
  modes_.clear();
  equations_.clear();
  active_.clear();
  std::vector<double> row_scale, column_scale;
  std::vector<std::size_t> block_of;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const ContactBlock& block = blocks_[i];
    const Double3 f = block_value(force, block), s = block_value(velocity, block);
    modes_.push_back(block_mode(rule, block, rule.diagonal[i], f, s));
    if (boundary == Boundary::settled)
      modes_[i] = settled(block, modes_[i], block_scale(rule.diagonal[i], block), f, s, largest);
    equations_.push_back(block_equations(rule, block, rule.diagonal[i], modes_[i], f, s));
    if (is_fixed(block, modes_[i])) continue;
    const double scale = std::max(block_scale(rule.diagonal[i], block), 1e-30);
    for (int k = 0; k < row_count(block.kind); ++k) {
      active_.push_back(block.row + k);
      block_of.push_back(i);
      const double size = equations_[i].by_force.row(k).norm() +
                          scale * equations_[i].by_velocity.row(k).norm();
      row_scale.push_back(size > 0 ? 1 / size : 1.0);
      column_scale.push_back(std::sqrt(scale));
    }
  }
  const auto count = static_cast<Eigen::Index>(active_.size());
  row_scale_ = Eigen::Map<const Eigen::VectorXd>(row_scale.data(), count);
  column_scale_ = Eigen::Map<const Eigen::VectorXd>(column_scale.data(), count);
  singular_ = false;
  if (count == 0) return;

  sparse_ = problem.delassus.is_operator && active_.size() > kMostDenseRows &&
            factorize_sparse(problem.delassus, block_of);
  if (!sparse_) factorize_dense(problem.delassus, block_of);
}

bool ActiveSystem::factorize_sparse(const DelassusView& delassus,
                                    const std::vector<std::size_t>& block_of) {
  std::vector<PseudoInverseBlock> parts(blocks_.size());
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const std::size_t b = block_of[i];
    const int k = active_[i] - blocks_[b].row, size = row_count(blocks_[b].kind);
    const double scale = row_scale_[static_cast<Eigen::Index>(i)];
    parts[b].S.row(k).head(size) = scale * equations_[b].by_velocity.row(k).head(size);
    parts[b].F.row(k).head(size) = scale * equations_[b].by_force.row(k).head(size) +
                                   parts[b].S.row(k).head(size).cwiseProduct(
                                       delassus.R.segment(blocks_[b].row, size).transpose());
  }
  const bool good = pseudo_inverse_.factorize(*delassus.columns, std::move(parts));
  singular_ = good && pseudo_inverse_.singular();
  return good;
}

/// Copies the active rows of G + R, then multiplies by the equations of each block.
void ActiveSystem::factorize_dense(const DelassusView& delassus,
                                   const std::vector<std::size_t>& block_of) {
  const auto count = static_cast<Eigen::Index>(active_.size());
  Eigen::MatrixXd matrix(count, count);
  Eigen::VectorXd whole(delassus.rows()), scratch(delassus.columns->positions());
  for (Eigen::Index j = 0; j < count; ++j) {
    check_interrupt();
    const int column = active_[static_cast<std::size_t>(j)];
    const std::size_t b = block_of[static_cast<std::size_t>(j)];
    delassus.columns->set_column(b, column - blocks_[b].row, scratch.data(), whole.data());
    for (Eigen::Index i = 0; i < count; ++i)
      matrix(i, j) = whole[active_[static_cast<std::size_t>(i)]];
    matrix(j, j) += delassus.R[column];
  }
  for (Eigen::Index i = 0; i < count;) {
    check_interrupt();
    const std::size_t b = block_of[static_cast<std::size_t>(i)];
    const int size = row_count(blocks_[b].kind);
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3> by_velocity =
        equations_[b].by_velocity.topLeftCorner(size, size);
    matrix.middleRows(i, size) = (by_velocity * matrix.middleRows(i, size)).eval();
    matrix.block(i, i, size, size) += equations_[b].by_force.topLeftCorner(size, size);
    i += size;
  }
  matrix = row_scale_.asDiagonal() * matrix;
  check_interrupt();
  lu_.factorize(column_scale_.asDiagonal() * matrix * column_scale_.cwiseInverse().asDiagonal());
  singular_ = is_singular(lu_);
  if (!singular_) return;
  qr_.factorize(std::move(matrix), kRankTolerance);
  qr_.prepare_solve();
}

/// Solves for one right-hand side of the active rows, which is scaled.
Eigen::VectorXd ActiveSystem::solve_sparse(const Eigen::VectorXd& reduced, int rows,
                                           bool transposed) const {
  check_interrupt();
  Eigen::VectorXd whole = Eigen::VectorXd::Zero(rows), result(reduced.size());
  for (std::size_t i = 0; i < active_.size(); ++i)
    whole[active_[i]] = reduced[static_cast<Eigen::Index>(i)];
  whole = transposed ? pseudo_inverse_.solve_transposed(whole) : pseudo_inverse_.solve(whole);
  for (std::size_t i = 0; i < active_.size(); ++i)
    result[static_cast<Eigen::Index>(i)] = whole[active_[i]];
  return result;
}

/// Replaces right-hand sides of the active rows, scaled, by the solutions of a regular system.
void ActiveSystem::solve_regular(Eigen::MatrixXd& reduced) const {
  reduced = column_scale_.asDiagonal() * reduced;
  lu_.solve_in_place(reduced);
  reduced = column_scale_.cwiseInverse().asDiagonal() * reduced;
}

Eigen::MatrixXd ActiveSystem::solve(const Eigen::MatrixXd& right) const {
  // a force that its own equation fixes moves by the right-hand side
  Eigen::MatrixXd result = right;
  Eigen::MatrixXd reduced(static_cast<Eigen::Index>(active_.size()), right.cols());
  for (std::size_t i = 0; i < active_.size(); ++i)
    reduced.row(static_cast<Eigen::Index>(i)) = right.row(active_[i]);
  if (active_.empty()) return result;
  reduced = row_scale_.asDiagonal() * reduced;
  if (sparse_)
    for (Eigen::Index j = 0; j < reduced.cols(); ++j)
      reduced.col(j) = solve_sparse(reduced.col(j), static_cast<int>(right.rows()), false);
  else if (singular_)
    reduced = qr_.solve(reduced);
  else
    solve_regular(reduced);
  for (std::size_t i = 0; i < active_.size(); ++i)
    result.row(active_[i]) = reduced.row(static_cast<Eigen::Index>(i));
  return result;
}

Eigen::VectorXd ActiveSystem::solve_transposed(const Eigen::VectorXd& right) const {
  Eigen::VectorXd result = right;
  if (active_.empty()) return result;
  Eigen::VectorXd reduced(static_cast<Eigen::Index>(active_.size()));
  for (std::size_t i = 0; i < active_.size(); ++i)
    reduced[static_cast<Eigen::Index>(i)] = right[active_[i]];
  if (sparse_) {
    reduced = solve_sparse(reduced, static_cast<int>(right.size()), true);
  } else if (singular_) {
    reduced = qr_.solve_transposed(reduced);
  } else {
    reduced = reduced.cwiseQuotient(column_scale_);
    lu_.solve_transposed_in_place(reduced);
    reduced = reduced.cwiseProduct(column_scale_);
  }
  reduced = row_scale_.cwiseProduct(reduced);
  for (std::size_t i = 0; i < active_.size(); ++i)
    result[active_[i]] = reduced[static_cast<Eigen::Index>(i)];
  return result;
}

}  // namespace tactum
