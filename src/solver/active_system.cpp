// SPDX-License-Identifier: BSD-2-Clause
#include "solver/active_system.hpp"

namespace tactum {
namespace {

constexpr double kSingular = 1e-13;       // reciprocal condition number below which LU is not trusted
constexpr double kRankTolerance = 1e-10;  // of the orthogonal decomposition

/// Whether the block's own equations fix its force.
bool is_fixed(const ContactBlock& block, const BlockMode& mode) {
  return block.kind == ContactKind::friction ? mode.mode == ContactMode::breaking : mode.mode != ContactMode::sticking;
}

/// Without dividing by a pivot that is zero.
bool is_singular(const Eigen::PartialPivLU<Eigen::MatrixXd>& lu) {
  const auto pivots = lu.matrixLU().diagonal().cwiseAbs();
  return pivots.minCoeff() <= kSingular * pivots.maxCoeff() || lu.rcond() <= kSingular;
}

}  // namespace

void ActiveSystem::assemble(const ProblemView& problem, const ResidualRule& rule, const Eigen::VectorXd& force,
                            const Eigen::VectorXd& velocity) {
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
    equations_.push_back(block_equations(rule, block, rule.diagonal[i], modes_[i], f, s));
    if (is_fixed(block, modes_[i])) continue;
    const double scale = std::max(block_scale(rule.diagonal[i], block), 1e-30);
    for (int k = 0; k < row_count(block.kind); ++k) {
      active_.push_back(block.row + k);
      block_of.push_back(i);
      const double size = equations_[i].by_force.row(k).norm() + scale * equations_[i].by_velocity.row(k).norm();
      row_scale.push_back(size > 0 ? 1 / size : 1.0);
      column_scale.push_back(std::sqrt(scale));
    }
  }
  const auto count = static_cast<Eigen::Index>(active_.size());
  row_scale_ = Eigen::Map<const Eigen::VectorXd>(row_scale.data(), count);
  column_scale_ = Eigen::Map<const Eigen::VectorXd>(column_scale.data(), count);
  singular_ = false;
  if (count == 0) return;

  // rows of G + R that are active, then block by block the equations
  const DelassusView& delassus = problem.delassus;
  Eigen::MatrixXd matrix(count, count);
  for (Eigen::Index j = 0; j < count; ++j) {
    const int column = active_[static_cast<std::size_t>(j)];
    for (Eigen::Index i = 0; i < count; ++i) {
      const int row = active_[static_cast<std::size_t>(i)];
      matrix(i, j) =
          delassus.is_operator ? delassus.matrix.col(row).dot(delassus.matrix.col(column)) : delassus.matrix(row, column);
    }
    matrix(j, j) += delassus.R[column];
  }
  for (Eigen::Index i = 0; i < count;) {
    const std::size_t b = block_of[static_cast<std::size_t>(i)];
    const int size = row_count(blocks_[b].kind);
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3> by_velocity =
        equations_[b].by_velocity.topLeftCorner(size, size);
    matrix.middleRows(i, size) = (by_velocity * matrix.middleRows(i, size)).eval();
    matrix.block(i, i, size, size) += equations_[b].by_force.topLeftCorner(size, size);
    i += size;
  }
  matrix = row_scale_.asDiagonal() * matrix;
  lu_.compute(column_scale_.asDiagonal() * matrix * column_scale_.cwiseInverse().asDiagonal());
  singular_ = is_singular(lu_);
  if (!singular_) return;
  orthogonal_.setThreshold(kRankTolerance);
  orthogonal_.compute(matrix);
}

Eigen::MatrixXd ActiveSystem::solve(const Eigen::MatrixXd& right) const {
  Eigen::MatrixXd result = right;  // a force that its own equation fixes moves by the right-hand side
  Eigen::MatrixXd reduced(static_cast<Eigen::Index>(active_.size()), right.cols());
  for (std::size_t i = 0; i < active_.size(); ++i) reduced.row(static_cast<Eigen::Index>(i)) = right.row(active_[i]);
  if (active_.empty()) return result;
  reduced = row_scale_.asDiagonal() * reduced;
  if (singular_)
    reduced = orthogonal_.solve(reduced).eval();
  else
    reduced = column_scale_.cwiseInverse().asDiagonal() * lu_.solve(column_scale_.asDiagonal() * reduced);
  for (std::size_t i = 0; i < active_.size(); ++i) result.row(active_[i]) = reduced.row(static_cast<Eigen::Index>(i));
  return result;
}

Eigen::VectorXd ActiveSystem::solve_transposed(const Eigen::VectorXd& right) const {
  Eigen::VectorXd result = right;
  if (active_.empty()) return result;
  Eigen::VectorXd reduced(static_cast<Eigen::Index>(active_.size()));
  for (std::size_t i = 0; i < active_.size(); ++i) reduced[static_cast<Eigen::Index>(i)] = right[active_[i]];
  if (singular_) {
    reduced = orthogonal_.transpose().solve(reduced).eval();
  } else {
    const Eigen::VectorXd scaled = reduced.cwiseQuotient(column_scale_);
    reduced = lu_.transpose().solve(scaled);
    reduced = reduced.cwiseProduct(column_scale_);
  }
  reduced = row_scale_.cwiseProduct(reduced);
  for (std::size_t i = 0; i < active_.size(); ++i) result[active_[i]] = reduced[static_cast<Eigen::Index>(i)];
  return result;
}

}  // namespace tactum
