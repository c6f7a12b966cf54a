// SPDX-License-Identifier: BSD-2-Clause
#include "solver/delassus.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <utility>

namespace tactum {

BlockMatrix diagonal_block(const DelassusView& delassus, const ContactBlock& block) {
  BlockMatrix result{};
  const int size = row_count(block.kind), row = block.row;
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      result[3 * i + j] = delassus.is_operator ? delassus.matrix.col(row + i).dot(delassus.matrix.col(row + j))
                                               : delassus.matrix(row + i, row + j);
    }
    result[3 * i + i] += delassus.R[row + i];
  }
  return result;
}

double block_scale(const BlockMatrix& matrix, const ContactBlock& block) {
  return block.kind == ContactKind::friction ? (matrix[0] + matrix[4] + matrix[8]) / 3 : matrix[0];
}

double largest_eigenvalue(const BlockMatrix& m, int size) {
  if (size == 2) {
    const double half_gap = (m[0] - m[4]) / 2;
    return (m[0] + m[4]) / 2 + std::sqrt(half_gap * half_gap + m[1] * m[1]);
  }
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(Eigen::Map<const Eigen::Matrix3d>(m.data()), Eigen::EigenvaluesOnly)
      .eigenvalues()[2];
}

void delassus_product(const DelassusView& delassus, const Eigen::VectorXd& x, Eigen::VectorXd& scratch, Eigen::VectorXd& out) {
  out.resize(delassus.rows());
  if (delassus.is_operator) {
    scratch.noalias() = delassus.matrix * x;
    out.noalias() = delassus.matrix.transpose() * scratch;
  } else {
    out.noalias() = delassus.matrix * x;
  }
  out += delassus.R.cwiseProduct(x);
}

// --------------------------------------------------------------------------------------------------------------- velocity tracker
void VelocityTracker::start(const ProblemView& problem, const Eigen::VectorXd& force) {
  problem_ = &problem;
  const DelassusView& delassus = problem.delassus;
  if (delassus.is_operator) {
    motion_.noalias() = delassus.matrix * force;
    velocity_.resize(problem.rows());
  } else {
    delassus_product(delassus, force, motion_, velocity_);
    velocity_ += problem.g;
  }
}

Double3 VelocityTracker::block_velocity(const ContactBlock& block, const Eigen::VectorXd& force) const {
  const DelassusView& delassus = problem_->delassus;
  const auto row_velocity = [&](int row) {
    if (!delassus.is_operator) return velocity_[row];
    return delassus.matrix.col(row).dot(motion_) + delassus.R[row] * force[row] + problem_->g[row];
  };
  const int row = block.row;
  if (block.kind != ContactKind::friction) return {row_velocity(row), 0, 0};
  return {row_velocity(row), row_velocity(row + 1), row_velocity(row + 2)};
}

void VelocityTracker::add(const ContactBlock& block, Double3 change) {
  const DelassusView& delassus = problem_->delassus;
  Eigen::VectorXd& target = delassus.is_operator ? motion_ : velocity_;
  const Eigen::Index size = target.size();
  const double* const column = delassus.matrix.col(block.row).data();
  double* const out = target.data();
  if (block.kind != ContactKind::friction) {
    for (Eigen::Index i = 0; i < size; ++i) out[i] += column[i] * change.x;
  } else {
    const double *const second = column + delassus.matrix.rows(), *const third = second + delassus.matrix.rows();
    for (Eigen::Index i = 0; i < size; ++i) out[i] += (column[i] * change.x + second[i] * change.y) + third[i] * change.z;
  }
  if (delassus.is_operator) return;
  const double changes[3] = {change.x, change.y, change.z};
  for (int k = 0; k < row_count(block.kind); ++k) velocity_[block.row + k] += delassus.R[block.row + k] * changes[k];
}

const Eigen::VectorXd& VelocityTracker::velocity(const Eigen::VectorXd& force) {
  const DelassusView& delassus = problem_->delassus;
  if (delassus.is_operator) {
    velocity_.noalias() = delassus.matrix.transpose() * motion_;
    velocity_ += delassus.R.cwiseProduct(force) + problem_->g;
  }
  return velocity_;
}

// ---------------------------------------------------------------------------------------------------------------- shifted inverse
bool ShiftedInverse::factorise(const DelassusView& delassus, const Eigen::VectorXd& shift) {
  diagonal_ = delassus.R + shift;
  if (delassus.is_operator) {
    // (W^T W + D)^-1 = D^-1 - D^-1 W^T (I + W D^-1 W^T)^-1 W D^-1
    scaled_.noalias() = delassus.matrix * diagonal_.cwiseSqrt().cwiseInverse().asDiagonal();
    factor_.setIdentity(scaled_.rows(), scaled_.rows());
    factor_.selfadjointView<Eigen::Lower>().rankUpdate(scaled_);
  } else {
    factor_ = delassus.matrix;
    factor_.diagonal() += diagonal_;
  }
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> llt(factor_);
  return llt.info() == Eigen::Success;
}

void ShiftedInverse::solve(const DelassusView& delassus, Eigen::VectorXd& x) {
  const auto lower = std::as_const(factor_).triangularView<Eigen::Lower>();
  if (!delassus.is_operator) {
    lower.solveInPlace(x);
    lower.transpose().solveInPlace(x);
    return;
  }
  x.array() /= diagonal_.array().sqrt();
  motion_.noalias() = scaled_ * x;
  lower.solveInPlace(motion_);
  lower.transpose().solveInPlace(motion_);
  x.noalias() -= scaled_.transpose() * motion_;
  x.array() /= diagonal_.array().sqrt();
}

}  // namespace tactum
