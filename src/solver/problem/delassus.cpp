// SPDX-License-Identifier: BSD-2-Clause
#include "solver/problem/delassus.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cassert>

namespace tactum {

void set_diagonal_blocks(const ProblemView& problem, std::vector<BlockMatrix>& diagonal) {
  const DelassusView& delassus = problem.delassus;
  diagonal.resize(problem.blocks.size());
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const ContactBlock& block = problem.blocks[i];
    diagonal[i] = delassus.columns->diagonal_block(i);
    for (int k = 0; k < row_count(block.kind); ++k)
      diagonal[i][static_cast<std::size_t>(4 * k)] += delassus.R[block.row + k];
  }
}

double block_scale(const BlockMatrix& matrix, const ContactBlock& block) {
  return block.kind == ContactKind::friction ? (matrix[0] + matrix[4] + matrix[8]) / 3 : matrix[0];
}

double largest_eigenvalue(const BlockMatrix& m, int size) {
  if (size == 2) {
    const double half_gap = (m[0] - m[4]) / 2;
    return (m[0] + m[4]) / 2 + std::sqrt(half_gap * half_gap + m[1] * m[1]);
  }
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(Eigen::Map<const Eigen::Matrix3d>(m.data()),
                                                        Eigen::EigenvaluesOnly)
      .eigenvalues()[2];
}

void delassus_product(const DelassusView& delassus, const Eigen::VectorXd& x,
                      Eigen::VectorXd& scratch, Eigen::VectorXd& out) {
  assert(x.size() == delassus.rows() && &x != &out);
  out.resize(delassus.rows());
  scratch.resize(delassus.columns->positions());
  delassus.columns->multiply(x.data(), scratch.data());
  if (delassus.is_operator)
    delassus.columns->multiply_transposed(scratch.data(), out.data());
  else
    delassus.columns->to_rows(scratch.data(), out.data());
  out += delassus.R.cwiseProduct(x);
  if (delassus.mask != nullptr) out = out.cwiseProduct(*delassus.mask);
}

void set_contact_velocity(const ProblemView& problem, const Eigen::VectorXd& force,
                          Eigen::VectorXd& scratch, Eigen::VectorXd& velocity) {
  delassus_product(problem.delassus, force, scratch, velocity);
  velocity += problem.g;
}

// -------------------------------------------------------------------------------------------------
// velocity tracker
void VelocityTracker::start(const ProblemView& problem, const Eigen::VectorXd& force) {
  problem_ = &problem;
  const DelassusView& delassus = problem.delassus;
  moving_.resize(delassus.columns->positions());
  velocity_.resize(problem.rows());
  if (delassus.is_operator) {
    delassus.columns->multiply(force.data(), moving_.data());
  } else {
    set_contact_velocity(problem, force, moving_, velocity_);
    delassus.columns->to_positions(velocity_.data(), moving_.data());
  }
}

Double3 VelocityTracker::block_velocity(std::size_t i, const Eigen::VectorXd& force) const {
  const DelassusView& delassus = problem_->delassus;
  const ContactBlock& block = problem_->blocks[i];
  const bool friction = block.kind == ContactKind::friction;
  if (!delassus.is_operator) {
    const double* const s = moving_.data() + delassus.columns->position_of(i);
    return friction ? Double3{s[0], s[1], s[2]} : Double3{s[0], 0, 0};
  }
  double s[3] = {0, 0, 0};
  delassus.columns->dot(i, moving_.data(), s);
  const double *const R = delassus.R.data() + block.row, *const g = problem_->g.data() + block.row,
                      *const f = force.data() + block.row;
  if (!friction) return {s[0] + R[0] * f[0] + g[0], 0, 0};
  return {s[0] + R[0] * f[0] + g[0], s[1] + R[1] * f[1] + g[1], s[2] + R[2] * f[2] + g[2]};
}

void VelocityTracker::add(std::size_t i, Double3 change) {
  const DelassusView& delassus = problem_->delassus;
  const double changes[3] = {change.x, change.y, change.z};
  delassus.columns->add(i, changes, moving_.data());
  if (delassus.is_operator) return;
  const ContactBlock& block = problem_->blocks[i];
  double* const s = moving_.data() + delassus.columns->position_of(i);
  for (int k = 0; k < row_count(block.kind); ++k) s[k] += delassus.R[block.row + k] * changes[k];
}

const Eigen::VectorXd& VelocityTracker::velocity(const Eigen::VectorXd& force) {
  const DelassusView& delassus = problem_->delassus;
  if (delassus.is_operator) {
    delassus.columns->multiply_transposed(moving_.data(), velocity_.data());
    velocity_ += delassus.R.cwiseProduct(force) + problem_->g;
  } else {
    delassus.columns->to_rows(moving_.data(), velocity_.data());
  }
  return velocity_;
}

// -------------------------------------------------------------------------------------------------
// shifted inverse
bool ShiftedInverse::factorize(const DelassusView& delassus, const Eigen::VectorXd& shift) {
  const BlockColumns& columns = *delassus.columns;
  const std::size_t count = columns.blocks().size();
  assert((shift.array() > 0).all());
  inverse_diagonal_ = (delassus.R + shift).cwiseInverse();
  if (delassus.mask != nullptr) inverse_diagonal_ = inverse_diagonal_.cwiseProduct(*delassus.mask);
  addition_.assign(9 * count, 0.0);
  chosen_.assign(delassus.mask == nullptr || delassus.is_operator ? 0 : 9 * count, 0.0);
  for (std::size_t c = 0; c < count; ++c) {
    const ContactBlock& block = columns.blocks()[c];
    for (int k = 0; k < row_count(block.kind); ++k) {
      const std::size_t at = 9 * c + static_cast<std::size_t>(4 * k);
      const int row = block.row + k;
      const bool chosen = delassus.mask == nullptr || (*delassus.mask)[row] != 0;
      // rows outside the mask get an equation of their own, with the solution 0
      addition_[at] = delassus.is_operator ? inverse_diagonal_[row]
                      : chosen             ? delassus.R[row] + shift[row]
                                           : 1.0;
      if (!chosen_.empty()) chosen_[at] = chosen ? 1.0 : 0.0;
    }
  }
  if (delassus.is_operator) {
    // (W^T W + D)^-1 = D^-1 - D^-1 W^T (I + W D^-1 W^T)^-1 W D^-1
    columns.set_identity(values_);
    for (std::size_t c = 0; c < count; ++c) columns.add_weighted(c, &addition_[9 * c], values_);
  } else {
    columns.set_scaled(chosen_.empty() ? nullptr : chosen_.data(), addition_.data(), values_);
  }
  motion_.resize(columns.positions());
  scratch_.resize(columns.positions());
  return columns.pattern().factorize(values_);
}

void ShiftedInverse::solve(const DelassusView& delassus, Eigen::VectorXd& x) {
  const BlockColumns& columns = *delassus.columns;
  if (!delassus.is_operator) {
    columns.to_positions(x.data(), motion_.data());
    columns.pattern().solve(values_, motion_.data(), scratch_.data());
    columns.to_rows(motion_.data(), x.data());
    if (delassus.mask != nullptr) x = x.cwiseProduct(*delassus.mask);
    return;
  }
  x = x.cwiseProduct(inverse_diagonal_);
  columns.multiply(x.data(), motion_.data());
  columns.pattern().solve(values_, motion_.data(), scratch_.data());
  rows_.resize(x.size());
  columns.multiply_transposed(motion_.data(), rows_.data());
  x -= rows_.cwiseProduct(inverse_diagonal_);
}

}  // namespace tactum
