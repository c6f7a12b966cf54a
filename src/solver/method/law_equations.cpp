// SPDX-License-Identifier: BSD-2-Clause
#include "solver/method/law_equations.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace tactum {
namespace {

using BlockMap = Eigen::Map<Eigen::Matrix3d>;

// a block with larger entries, or with an inverse that has some, is of a method that has run away;
// its determinant and its products would not be finite
constexpr double kLargestEntry = 1e100, kLargestInverse = 1e150;

}  // namespace

void LawEquations::start(const ProblemView& problem, const Eigen::VectorXd& weight,
                         double proximal) {
  problem_ = &problem;
  diagonal_ = &weight;
  proximal_ = proximal;
  for (std::vector<double>* values : {&by_velocity_, &inverse_, &weight_, &transposed_})
    values->assign(9 * problem.blocks.size(), 0.0);
}

bool LawEquations::set_block(std::size_t block, const Eigen::Matrix3d& by_force,
                             const Eigen::Matrix3d& by_velocity) {
  const ContactBlock& given = problem_->blocks[block];
  BlockMap E_s(&by_velocity_[9 * block]), inverse(&inverse_[9 * block]), K(&weight_[9 * block]),
      transposed(&transposed_[9 * block]);
  const int rows = row_count(given.kind);
  Eigen::Matrix3d C = by_force;
  for (int k = 0; k < rows; ++k)
    C.col(k) += (problem_->delassus.R[given.row + k] + proximal_ * (*diagonal_)[given.row + k]) *
                by_velocity.col(k);
  E_s = by_velocity;
  if (rows == 1) {
    if (!(std::abs(C(0, 0)) > 1 / kLargestInverse)) return false;
    inverse(0, 0) = 1 / C(0, 0);
  } else {
    const double size = C.cwiseAbs().maxCoeff();
    if (!(size < kLargestEntry)) return false;
    if (!(std::abs(C.determinant()) > size * size / kLargestInverse)) return false;
    inverse = C.inverse();
  }
  if (problem_->delassus.is_operator)
    K = inverse * by_velocity;
  else
    K = C;
  transposed = K.transpose();
  return true;
}

bool LawEquations::factorize() {
  const BlockColumns& columns = *problem_->delassus.columns;
  const std::size_t count = problem_->blocks.size();
  if (problem_->delassus.is_operator) {
    columns.set_identity(lower_);
    columns.set_identity(upper_);
    for (std::size_t c = 0; c < count; ++c) {
      const double* const K = &weight_[9 * c];
      if (std::all_of(K, K + 9, [](double entry) { return entry == 0; })) continue;
      columns.add_weighted(c, K, lower_);
      columns.add_weighted(c, &transposed_[9 * c], upper_);
    }
  } else {
    // E_s G + C below the diagonal, and the transpose of what is above it
    identity_.assign(9 * count, 0.0);
    for (std::size_t c = 0; c < count; ++c) {
      identity_[9 * c] = identity_[9 * c + 4] = identity_[9 * c + 8] = 1.0;
      BlockMap(&by_velocity_[9 * c]).transposeInPlace();
    }
    columns.set_scaled(by_velocity_.data(), identity_.data(), weight_.data(), lower_);
    columns.set_scaled(identity_.data(), by_velocity_.data(), transposed_.data(), upper_);
  }
  return lu_.factorize(columns.pattern(), lower_, upper_);
}

/// Replaces x by the products of each block of it with a matrix of its own.
void LawEquations::multiply(const std::vector<double>& matrices, Eigen::VectorXd& x) const {
  for (std::size_t c = 0; c < problem_->blocks.size(); ++c) {
    const double* const m = &matrices[9 * c];
    const Double3 v = block_value(x, problem_->blocks[c]);
    set_block_value(x, problem_->blocks[c],
                    {m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
                     m[2] * v.x + m[5] * v.y + m[8] * v.z});
  }
}

void LawEquations::solve(const Eigen::VectorXd& value, Eigen::VectorXd& step) {
  const BlockColumns& columns = *problem_->delassus.columns;
  motion_.resize(columns.positions());
  scratch_.resize(columns.positions());
  if (!problem_->delassus.is_operator) {
    columns.to_positions(value.data(), motion_.data());
    lu_.solve(motion_.data(), scratch_.data());
    step.resize(value.size());
    columns.to_rows(motion_.data(), step.data());
    step = -step;
    return;
  }
  step = -value;
  multiply(inverse_, step);
  columns.multiply(step.data(), motion_.data());
  lu_.solve(motion_.data(), scratch_.data());
  response_.resize(step.size());
  columns.multiply_transposed(motion_.data(), response_.data());
  multiply(weight_, response_);
  step -= response_;
}

}  // namespace tactum
