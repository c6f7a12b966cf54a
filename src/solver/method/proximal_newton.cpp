// SPDX-License-Identifier: BSD-2-Clause
#include "solver/method/proximal_newton.hpp"

#include "solver/problem/cone.hpp"

namespace tactum {

void ProximalNewton::start(const ProblemView& problem, const Eigen::VectorXd& weight, double tau,
                           const Eigen::VectorXd& b, const Eigen::VectorXd& force) {
  problem_ = &problem;
  weight_ = &weight;
  const int positions = problem.delassus.columns->positions();
  for (Eigen::VectorXd* vector : {&scratch_, &motion_}) vector->resize(positions);
  for (Eigen::VectorXd* vector :
       {&inverse_total_, &linear_, &response_, &direction_response_, &point_, &projected_, &rows_})
    vector->resize(problem.rows());
  slopes_.resize(9 * problem.blocks.size());
  addition_.assign(problem.delassus.is_operator ? 0 : 9 * problem.blocks.size(), 0.0);
  for (std::size_t i = 0; i < addition_.size(); i += 9)
    addition_[i] = addition_[i + 4] = addition_[i + 8] = 1.0;
  recenter(tau, b, force);
}

void ProximalNewton::recenter(double tau, const Eigen::VectorXd& b, const Eigen::VectorXd& force) {
  const DelassusView& delassus = problem_->delassus;
  center_ = force;
  projected_ = force;
  stepped_ = false;
  if (delassus.is_operator) {
    v_.resize(delassus.columns->positions());
    delassus.columns->multiply(force.data(), v_.data());
    delassus.columns->multiply_transposed(v_.data(), response_.data());
  } else {
    v_ = force;
    delassus.columns->multiply(force.data(), scratch_.data());
    delassus.columns->to_rows(scratch_.data(), response_.data());
  }
  for (const ContactBlock& block : problem_->blocks) {
    const int rows = row_count(block.kind);
    const double total = tau * (*weight_)[block.row] +
                         delassus.R.segment(block.row, rows).maxCoeff();
    for (int i = block.row; i < block.row + rows; ++i) {
      inverse_total_[i] = 1 / total;
      linear_[i] = (total - delassus.R[i]) * center_[i] - b[i];
    }
  }
}

/// y and P_K(y) at v + step dv.
void ProximalNewton::set_point(double step) {
  for (const ContactBlock& block : problem_->blocks) {
    const int rows = row_count(block.kind);
    for (int i = block.row; i < block.row + rows; ++i)
      point_[i] = (linear_[i] - (response_[i] + step * direction_response_[i])) * inverse_total_[i];
    set_block_value(projected_, block, project_block(block, block_value(point_, block)));
  }
}

/// Derivative of psi along the direction.
double ProximalNewton::slope(double step) {
  set_point(step);
  return along_ + step * square_ - direction_response_.dot(projected_);
}

/// The zero of psi' along the direction, to a hundredth of what it is at the start, where y is.
/// Leaves y and its projection at the end.
double ProximalNewton::line_search() {
  const Eigen::VectorXd& dual = problem_->delassus.is_operator ? direction_ : direction_response_;
  along_ = dual.dot(v_);
  square_ = dual.dot(direction_);
  const double begin = along_ - direction_response_.dot(projected_),
               enough = 0.01 * std::abs(begin);
  double low = 0, high = 1, at_high = slope(1), at_low = begin;
  if (!(begin < 0)) return 1;
  for (int i = 0; at_high < -enough && i < 20; ++i) {
    low = high;
    at_low = at_high;
    high *= 2;
    at_high = slope(high);
  }
  if (std::abs(at_high) <= enough) return high;
  double middle = high;
  for (int i = 0; i < 30; ++i) {
    // regula falsi, kept away from the ends; the end that stays twice in a row counts half
    // (Illinois)
    const double share = at_high - at_low > 0 ? -at_low / (at_high - at_low) : 0.5;
    middle = low + std::clamp(share, 0.01, 0.99) * (high - low);
    const double here = slope(middle);
    if (std::abs(here) <= enough) break;
    if (here < 0) {
      low = middle;
      at_low = here;
      at_high *= 0.5;
    } else {
      high = middle;
      at_high = here;
      at_low *= 0.5;
    }
  }
  return middle;
}

/// Columns of B, or H = B B^T where the motion is what is solved for.
void ProximalNewton::set_slopes() {
  const bool squared = problem_->delassus.is_operator;
  std::fill(slopes_.begin(), slopes_.end(), 0.0);
  for (std::size_t c = 0; c < problem_->blocks.size(); ++c) {
    const ContactBlock& block = problem_->blocks[c];
    double* const out = &slopes_[9 * c];
    const double inverse = inverse_total_[block.row], root = std::sqrt(inverse);
    const Double3 y = block_value(point_, block);
    if (block.kind != ContactKind::friction) {
      if (project_row(block, y.x) == y.x) out[0] = squared ? inverse : root;
      continue;
    }
    const ConeProjectionSlope cone = project_cone_slope(y, block.mu);
    for (int k = 0; k < cone.rank; ++k) {
      const double column[3] = {cone.columns[k].x, cone.columns[k].y, cone.columns[k].z};
      for (int i = 0; i < 3; ++i) {
        if (!squared) out[3 * k + i] = root * column[i];
        for (int j = 0; squared && j < 3; ++j) out[3 * j + i] += inverse * column[i] * column[j];
      }
    }
  }
}

bool ProximalNewton::factorize() {
  const BlockColumns& columns = *problem_->delassus.columns;
  if (problem_->delassus.is_operator) {
    columns.set_identity(values_);
    for (std::size_t c = 0; c < problem_->blocks.size(); ++c) {
      const double* const weight = &slopes_[9 * c];
      if (weight[0] != 0 || weight[4] != 0 || weight[8] != 0)
        columns.add_weighted(c, weight, values_);
    }
  } else {
    columns.set_scaled(slopes_.data(), addition_.data(), values_);
  }
  return columns.pattern().factorize(values_);
}

/// x <- (I + H G)^-1 x = x - B (I + B^T G B)^-1 B^T G x.
void ProximalNewton::solve_forces(Eigen::VectorXd& x) {
  const BlockColumns& columns = *problem_->delassus.columns;
  columns.multiply(x.data(), motion_.data());
  columns.to_rows(motion_.data(), rows_.data());
  for (std::size_t c = 0; c < problem_->blocks.size(); ++c) {
    const ContactBlock& block = problem_->blocks[c];
    const double* const B = &slopes_[9 * c];
    const Double3 r = block_value(rows_, block);
    const bool one = block.kind != ContactKind::friction;
    set_block_value(
        rows_, block,
        one ? Double3{B[0] * r.x, 0, 0}
            : Double3{B[0] * r.x + B[1] * r.y + B[2] * r.z, B[3] * r.x + B[4] * r.y + B[5] * r.z,
                      B[6] * r.x + B[7] * r.y + B[8] * r.z});
  }
  columns.to_positions(rows_.data(), motion_.data());
  columns.pattern().solve(values_, motion_.data(), scratch_.data());
  columns.to_rows(motion_.data(), rows_.data());
  for (std::size_t c = 0; c < problem_->blocks.size(); ++c) {
    const ContactBlock& block = problem_->blocks[c];
    const double* const B = &slopes_[9 * c];
    const Double3 r = block_value(rows_, block), d = block_value(x, block);
    const bool one = block.kind != ContactKind::friction;
    set_block_value(x, block,
                    one ? Double3{d.x - B[0] * r.x, 0, 0}
                        : Double3{d.x - (B[0] * r.x + B[3] * r.y + B[6] * r.z),
                                  d.y - (B[1] * r.x + B[4] * r.y + B[7] * r.z),
                                  d.z - (B[2] * r.x + B[5] * r.y + B[8] * r.z)});
  }
}

/// v <- (I + W H W^T)^-1 v and W^T of it, or, where G is given, the same of forces.
void ProximalNewton::solve(Eigen::VectorXd& v, Eigen::VectorXd& response) {
  const BlockColumns& columns = *problem_->delassus.columns;
  response.resize(problem_->rows());
  if (problem_->delassus.is_operator) {
    columns.pattern().solve(values_, v.data(), scratch_.data());
    columns.multiply_transposed(v.data(), response.data());
  } else {
    solve_forces(v);
    columns.multiply(v.data(), motion_.data());
    columns.to_rows(motion_.data(), response.data());
  }
}

/// Along the direction, to where y is; leaves what is left.
void ProximalNewton::move(double length) {
  v_ += length * direction_;
  response_ += length * direction_response_;
  const BlockColumns& columns = *problem_->delassus.columns;
  if (problem_->delassus.is_operator) {
    columns.multiply(projected_.data(), motion_.data());
    motion_ -= v_;
    columns.multiply_transposed(motion_.data(), rows_.data());
  } else {
    rows_ = projected_ - v_;
    columns.multiply(rows_.data(), motion_.data());
    columns.to_rows(motion_.data(), rows_.data());
  }
  left_ = rows_.cwiseQuotient(*weight_).cwiseAbs().maxCoeff();
}

bool ProximalNewton::step() {
  direction_response_.setZero(problem_->rows());
  set_point(0);
  set_slopes();
  if (!factorize()) return false;
  if (problem_->delassus.is_operator && stepped_) {
    direction_ = motion_;
  } else if (problem_->delassus.is_operator) {
    direction_.resize(v_.size());
    problem_->delassus.columns->multiply(projected_.data(), direction_.data());
    direction_ -= v_;
  } else {
    direction_ = projected_ - v_;
  }
  solve(direction_, direction_response_);
  move(line_search());
  stepped_ = true;
  return true;
}

}  // namespace tactum
