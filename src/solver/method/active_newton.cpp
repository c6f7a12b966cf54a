// SPDX-License-Identifier: BSD-2-Clause
#include "solver/method/active_newton.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "solver/problem/cone.hpp"

namespace tactum {
namespace {

constexpr double kLargestForce = 1e9;  // of a problem in units of its own: no force answers it
constexpr double kShortestStep = 0.1;  // share of a step
constexpr double kFall = 0.999;        // of |F|, that counts as progress

constexpr double kLeastDiagonal = 1e-9;  // of the mean of a block
// t: where steps are good, after the first one that is not, and where the method gives up
constexpr double kLeastProximal = 1e-7, kFirstProximal = 1e-3, kMostProximal = 1.0;

/// r_T and r_N of a block with friction, or r of one row in `normal`.
struct Scales {
  double tangent, normal;
};

/// Reciprocals of the diagonal, which are bounded where forces of a block move nothing in a
/// direction.
Scales scales_of(const ContactBlock& block, const BlockMatrix& diagonal) {
  const double scale = block_scale(diagonal, block), least = kLeastDiagonal * scale;
  if (!(scale > 0)) return {1.0, 1.0};
  if (block.kind != ContactKind::friction) return {0.0, 1 / scale};
  return {1 / std::max(0.5 * (diagonal[0] + diagonal[4]), least), 1 / std::max(diagonal[8], least)};
}

/// F of a block.
Double3 map_value(const ContactBlock& block, const Scales& r, Double3 f, Double3 s) {
  if (block.kind != ContactKind::friction)
    return {f.x - project_row(block, f.x - r.normal * s.x), 0, 0};
  const double normal = std::max(f.z - r.normal * s.z, 0.0);
  const Double2 tangent = project_disc({f.x - r.tangent * s.x, f.y - r.tangent * s.y},
                                       block.mu * normal);
  return {f.x - tangent.x, f.y - tangent.y, f.z - normal};
}

struct Derivative {
  Eigen::Matrix3d by_force = Eigen::Matrix3d::Zero(), by_velocity = Eigen::Matrix3d::Zero();
};

/// E_f and E_s of a block.
Derivative map_derivative(const ContactBlock& block, const Scales& r, Double3 f, Double3 s) {
  Derivative e;
  if (block.kind != ContactKind::friction) {
    const double y = f.x - r.normal * s.x;
    const bool inside = project_row(block, y) == y;
    e.by_force(0, 0) = inside ? 0.0 : 1.0;
    e.by_velocity(0, 0) = inside ? r.normal : 0.0;
    return e;
  }
  const double normal = f.z - r.normal * s.z;
  if (normal <= 0) {
    e.by_force.setIdentity();
    return e;
  }
  e.by_velocity(2, 2) = r.normal;
  const Double2 y{f.x - r.tangent * s.x, f.y - r.tangent * s.y};
  const double length = y.norm(), radius = block.mu * normal;
  if (length <= radius) {
    e.by_velocity(0, 0) = e.by_velocity(1, 1) = r.tangent;
    return e;
  }
  // f_T - radius y_T / |y_T|
  const double ux = y.x / length, uy = y.y / length, turn = radius / length;
  Eigen::Matrix2d across;
  across << turn * (1 - ux * ux), -turn * ux * uy, -turn * ux * uy, turn * (1 - uy * uy);
  e.by_force.topLeftCorner<2, 2>() = Eigen::Matrix2d::Identity() - across;
  e.by_velocity.topLeftCorner<2, 2>() = r.tangent * across;
  e.by_force(0, 2) = -block.mu * ux;
  e.by_force(1, 2) = -block.mu * uy;
  e.by_velocity(0, 2) = block.mu * r.normal * ux;
  e.by_velocity(1, 2) = block.mu * r.normal * uy;
  return e;
}

using BlockMap = Eigen::Map<Eigen::Matrix3d>;

}  // namespace

/// Sets F of a force and its velocity. Returns the square of its norm, each block by its weight.
double ActiveNewton::evaluate(const SolverTask& task, const Eigen::VectorXd& force,
                              const Eigen::VectorXd& velocity) {
  double sum = 0;
  for (std::size_t c = 0; c < task.problem.blocks.size(); ++c) {
    const ContactBlock& block = task.problem.blocks[c];
    const Double3 value = map_value(block, scales_of(block, task.diagonal[c]),
                                    block_value(force, block), block_value(velocity, block));
    set_block_value(value_, block, value);
    sum += block_scale(task.diagonal[c], block) * dot(value, value);
  }
  return sum;
}

/// Sets E_s, C^-1 and K of all blocks. Returns false where a C is not regular.
bool ActiveNewton::set_equations(const SolverTask& task, const Eigen::VectorXd& weight) {
  const ProblemView& problem = task.problem;
  for (std::vector<double>* values : {&by_velocity_, &inverse_, &weight_, &transposed_})
    values->assign(9 * problem.blocks.size(), 0.0);
  for (std::size_t c = 0; c < problem.blocks.size(); ++c) {
    const ContactBlock& block = problem.blocks[c];
    const Derivative e = map_derivative(block, scales_of(block, task.diagonal[c]),
                                        block_value(force_, block), block_value(velocity_, block));
    BlockMap by_velocity(&by_velocity_[9 * c]), inverse(&inverse_[9 * c]), K(&weight_[9 * c]),
        transposed(&transposed_[9 * c]);
    const int rows = row_count(block.kind);
    Eigen::Matrix3d C = e.by_force;
    for (int k = 0; k < rows; ++k)
      C.col(k) += (problem.delassus.R[block.row + k] + proximal_ * weight[block.row + k]) *
                  e.by_velocity.col(k);
    by_velocity = e.by_velocity;
    if (rows == 1) {
      if (!(std::abs(C(0, 0)) > 0)) return false;
      inverse(0, 0) = 1 / C(0, 0);
    } else {
      const double determinant = C.determinant();
      if (!(std::abs(determinant) > 0)) return false;
      inverse = C.inverse();
    }
    if (problem.delassus.is_operator) {
      K = inverse * e.by_velocity;
      transposed = K.transpose();
    } else {
      K = C;
      transposed = C.transpose();
    }
  }
  return true;
}

bool ActiveNewton::factorize(const SolverTask& task) {
  const BlockColumns& columns = *task.problem.delassus.columns;
  const std::size_t count = task.problem.blocks.size();
  if (task.problem.delassus.is_operator) {
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

/// Sets the step from F.
void ActiveNewton::solve(const SolverTask& task) {
  const BlockColumns& columns = *task.problem.delassus.columns;
  const std::span<const ContactBlock> blocks = task.problem.blocks;
  const auto multiply = [&](const std::vector<double>& matrices, Eigen::VectorXd& x) {
    for (std::size_t c = 0; c < blocks.size(); ++c) {
      const double* const m = &matrices[9 * c];
      const Double3 v = block_value(x, blocks[c]);
      set_block_value(x, blocks[c],
                      {m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
                       m[2] * v.x + m[5] * v.y + m[8] * v.z});
    }
  };
  motion_.resize(columns.positions());
  scratch_.resize(columns.positions());
  if (!task.problem.delassus.is_operator) {
    columns.to_positions(value_.data(), motion_.data());
    lu_.solve(motion_.data(), scratch_.data());
    step_.resize(value_.size());
    columns.to_rows(motion_.data(), step_.data());
    step_ = -step_;
    return;
  }
  step_ = -value_;
  multiply(inverse_, step_);
  columns.multiply(step_.data(), motion_.data());
  lu_.solve(motion_.data(), scratch_.data());
  response_.resize(step_.size());
  columns.multiply_transposed(motion_.data(), response_.data());
  multiply(weight_, response_);
  step_ -= response_;
}

/// Halves the step until |F|^2 falls below `highest`. Leaves the force there; returns false where
/// no length was good.
bool ActiveNewton::choose_length(const SolverTask& task, double highest) {
  delassus_product(task.problem.delassus, step_, scratch_, response_);
  for (length_ = 1; length_ > kShortestStep; length_ *= 0.5) {
    trial_force_ = force_ + length_ * step_;
    trial_velocity_ = velocity_ + length_ * response_;
    square_ = evaluate(task, trial_force_, trial_velocity_);
    if (square_ < kFall * highest) return true;
  }
  return false;
}

/// One step from `force_` to `trial_force_`. Returns false where it does not lower |F|.
bool ActiveNewton::step(const SolverTask& task, const Eigen::VectorXd& weight, double highest) {
  evaluate(task, force_, velocity_);
  if (!set_equations(task, weight) || !factorize(task)) return false;
  solve(task);
  if (!(step_.cwiseAbs().maxCoeff() < kLargestForce)) return false;
  return choose_length(task, highest);
}

bool ActiveNewton::run(SolverTask& task, const Eigen::VectorXd& weight,
                       const Eigen::VectorXd& force, int most_steps) {
  force_ = force;
  value_.resize(force.size());
  task.fresh_residual(force_, scratch_, velocity_);
  std::array<double, kMemory> last{};
  last.fill(evaluate(task, force_, velocity_));
  std::size_t accepted = 0;
  proximal_ = kLeastProximal;
  for (int i = 0; i < most_steps; ++i) {
    check_interrupt();
    if (!step(task, weight, *std::max_element(last.begin(), last.end()))) {
      proximal_ = std::max(kFirstProximal, 10 * proximal_);
      if (proximal_ > kMostProximal) return false;
      continue;
    }
    last[accepted++ % kMemory] = square_;
    if (length_ == 1) proximal_ = std::max(kLeastProximal, 0.1 * proximal_);
    const double change = (trial_force_ - force_).cwiseAbs().maxCoeff();
    force_.swap(trial_force_);
    const double residual = task.fresh_residual(force_, scratch_, velocity_);
    if (task.progress.finish_iteration(force_, residual, change, force_.cwiseAbs().maxCoeff()))
      return true;
  }
  return false;
}

}  // namespace tactum
