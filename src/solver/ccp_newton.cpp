// SPDX-License-Identifier: BSD-2-Clause
// Newton on the dual of the regularised problem, which is MuJoCo's primal one, inside proximal steps that take the regularisation away.
//
// Proximal   f+ = argmin over K of 1/2 f.(G + R) f + g.f + 1/2 |f - f_k|^2 weighted by tau D. The weight falls while steps are
//            short, and rises again where it only magnifies rounding.
// Dual       with x standing for the motion M^-1 J^T x of the bodies, minimise the convex, once differentiable
//                psi(x) = 1/2 x.A x + tau/2 |P_K(y)|_D^2,  y = f_k - (A x + g) / (tau D),  A = G + R,
//            as MuJoCo does over velocities (Todorov 2014) with P_K(y) for the constraint force; then f+ = P_K(y).
// Newton     (I + H A) dx = P_K(y) - x with H = P_K'(y) / (tau D) = B B^T block by block. By Cholesky of I + B^T A B, whose size is the
//            number of active directions, or, of an operator, of I + W H' W^T. The line search is exact: psi' along dx is
//            monotone and costs one pass over the blocks.
#include "solver/ccp_newton.hpp"

#include <limits>

#include "solver/polish.hpp"

namespace tactum {
namespace {

using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3>;

class Newton {
 public:
  Newton(SolverTask& task, NewtonScratch& scratch) : task_(task), s_(scratch), delassus_(task.problem.delassus) {}

  void run();

 private:
  void set_point(const Eigen::VectorXd& product);
  double slope(double step);
  double line_search();
  void set_columns();
  auto block_columns(std::size_t i) {
    return s_.columns.block(0, s_.column_begin[i], row_count(task_.problem.blocks[i].kind),
                            s_.column_begin[i + 1] - s_.column_begin[i]);
  }
  bool set_dense_direction();
  bool set_operator_direction();
  bool set_direction();
  double residual_of_projected();
  /// Newton iterations at the present weight; true when the whole solver is done.
  bool minimise();

  SolverTask& task_;
  NewtonScratch& s_;
  const DelassusView& delassus_;
  double tau_ = 1e-2;
  bool rounding_ = false;  ///< the last minimisation ended because of it
};

/// y and P_K(y) from A x.
void Newton::set_point(const Eigen::VectorXd& product) {
  s_.point = s_.centre - (product + task_.problem.g).cwiseQuotient(tau_ * s_.weight);
  s_.projected = s_.point;
  for (const ContactBlock& block : task_.problem.blocks)
    set_block_value(s_.projected, block, project_block(block, block_value(s_.point, block)));
}

/// Derivative of psi along the direction, at x + step dx: dx.A (x + step dx - P_K(y)).
double Newton::slope(double step) {
  s_.scratch = s_.product + step * s_.direction_product;
  set_point(s_.scratch);
  return s_.direction_product.dot(s_.x + step * s_.direction - s_.projected);
}

double Newton::line_search() {
  const double begin = slope(0);
  double low = 0, high = 1, at_high = slope(1), at_low = begin;
  if (!(begin < 0)) return 1;
  for (int i = 0; at_high < 0 && i < 20; ++i) {
    low = high;
    at_low = at_high;
    high *= 2;
    at_high = slope(high);
  }
  if (std::abs(at_high) <= 0.1 * std::abs(begin)) return high;
  double middle = high;
  for (int i = 0; i < 30; ++i) {
    // regula falsi, kept away from the ends
    const double share = at_high - at_low > 0 ? -at_low / (at_high - at_low) : 0.5;
    middle = low + std::clamp(share, 0.1, 0.9) * (high - low);
    const double here = slope(middle);
    if (std::abs(here) <= 0.1 * std::abs(begin)) break;
    (here < 0 ? low : high) = middle;
    (here < 0 ? at_low : at_high) = here;
  }
  return middle;
}

/// B, all columns side by side in rows of their blocks.
void Newton::set_columns() {
  const std::span<const ContactBlock> blocks = task_.problem.blocks;
  s_.columns.setZero(3, task_.problem.rows());
  s_.response.resize(3, task_.problem.rows());
  s_.column_begin.resize(blocks.size() + 1);
  int count = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const ContactBlock& block = blocks[i];
    s_.column_begin[i] = count;
    const double scale = 1 / std::sqrt(tau_ * s_.weight[block.row]);
    const Double3 y = block_value(s_.point, block);
    if (block.kind == ContactKind::friction) {
      const ConeProjectionSlope cone = project_cone_slope(y, block.mu);
      for (int k = 0; k < cone.rank; ++k) s_.columns.col(count++) = scale * eigen(cone.columns[k]);
    } else if (project_row(block, y.x) == y.x) {
      s_.columns(0, count++) = scale;
    }
  }
  s_.column_begin.back() = count;
}

/// r = x - P_K(y) and dx = -(I + H A)^-1 r = -r + B (I + B^T A B)^-1 B^T A r.
bool Newton::set_dense_direction() {
  const std::span<const ContactBlock> blocks = task_.problem.blocks;
  const int count = s_.column_begin.back();
  if (count == 0) return true;  // H = 0
  delassus_product(delassus_, s_.direction, s_.motion, s_.scratch);
  // sized for all rows, so that a change of the active ones allocates nothing
  s_.right.resize(task_.problem.rows());
  s_.system.resize(task_.problem.rows(), task_.problem.rows());
  auto system = s_.system.topLeftCorner(count, count);
  auto right = s_.right.head(count);
  for (std::size_t j = 0; j < blocks.size(); ++j) {
    const auto columns_j = block_columns(j);
    const int begin_j = s_.column_begin[j], rows_j = row_count(blocks[j].kind);
    right.segment(begin_j, columns_j.cols()).noalias() = columns_j.transpose() * s_.scratch.segment(blocks[j].row, rows_j);
    if (columns_j.cols() == 0) continue;
    for (std::size_t i = j; i < blocks.size(); ++i) {
      const auto columns_i = block_columns(i);
      if (columns_i.cols() == 0) continue;
      SmallMatrix entry = delassus_.matrix.block(blocks[i].row, blocks[j].row, columns_i.rows(), rows_j);
      if (i == j) entry.diagonal() += delassus_.R.segment(blocks[i].row, rows_j);
      const SmallMatrix product = entry.lazyProduct(columns_j);
      system.block(s_.column_begin[i], begin_j, columns_i.cols(), columns_j.cols()) = columns_i.transpose().lazyProduct(product);
    }
  }
  system.diagonal().array() += 1;
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> llt(system);
  if (llt.info() != Eigen::Success) return false;
  llt.solveInPlace(right);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto columns = block_columns(i);
    s_.direction.segment(blocks[i].row, columns.rows()).noalias() -= columns * right.segment(s_.column_begin[i], columns.cols());
  }
  return true;
}

/// The same with A = W^T W + R: H' = B (I + B^T R B)^-1 B^T takes R in, then dx = -(q - H' W^T (I + W H' W^T)^-1 W q), q = r - H' R r.
bool Newton::set_operator_direction() {
  const std::span<const ContactBlock> blocks = task_.problem.blocks;
  s_.weighted.resize(delassus_.matrix.rows(), delassus_.rows());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto columns = block_columns(i);
    const auto rows = columns.rows();
    const auto R = delassus_.R.segment(blocks[i].row, rows);
    SmallMatrix inner = SmallMatrix::Identity(columns.cols(), columns.cols());
    inner += columns.transpose().lazyProduct(R.asDiagonal() * columns);
    SmallMatrix response = SmallMatrix::Zero(rows, rows);
    if (columns.cols() > 0) response = columns.lazyProduct(inner.llt().solve(SmallMatrix(columns.transpose())));
    s_.response.block(0, blocks[i].row, rows, rows) = response;
    auto part = s_.direction.segment(blocks[i].row, rows);
    const SmallMatrix absorbed = response.lazyProduct(R.cwiseProduct(part));
    part -= absorbed;
    s_.weighted.middleCols(blocks[i].row, rows).noalias() = delassus_.matrix.middleCols(blocks[i].row, rows) * response;
  }
  s_.system.setIdentity(delassus_.matrix.rows(), delassus_.matrix.rows());
  s_.system.noalias() += s_.weighted * delassus_.matrix.transpose();
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> llt(s_.system);
  if (llt.info() != Eigen::Success) return false;
  s_.motion.noalias() = delassus_.matrix * s_.direction;
  llt.solveInPlace(s_.motion);
  s_.direction.noalias() -= s_.weighted.transpose() * s_.motion;
  return true;
}

bool Newton::set_direction() {
  set_columns();
  s_.direction = s_.projected - s_.x;
  return delassus_.is_operator ? set_operator_direction() : set_dense_direction();
}

double Newton::residual_of_projected() {
  delassus_product(delassus_, s_.projected, s_.motion, s_.scratch);
  s_.scratch += task_.problem.g;
  return task_.residual(s_.projected, s_.scratch);
}

bool Newton::minimise() {
  double last_left = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 30; ++i) {
    delassus_product(delassus_, s_.x, s_.motion, s_.product);
    set_point(s_.product);
    if (!set_direction()) return true;
    delassus_product(delassus_, s_.direction, s_.motion, s_.direction_product);
    const double step = line_search();
    s_.x += step * s_.direction;
    s_.product += step * s_.direction_product;
    set_point(s_.product);
    const double moved = (s_.projected - s_.centre).cwiseAbs().maxCoeff(), left = (s_.x - s_.projected).cwiseAbs().maxCoeff();
    const double largest = s_.projected.cwiseAbs().maxCoeff();
    if (task_.progress.finish_iteration(s_.projected, residual_of_projected(), std::max(moved, left), largest)) return true;
    // what is left is small beside what the proximal step moves, or is rounding
    if (left <= 0.01 * moved) return false;
    rounding_ = left <= 1e-6 * largest && left >= 0.5 * last_left;
    if (rounding_) return false;
    last_left = left;
  }
  return false;
}

void Newton::run() {
  s_.projected = task_.force;
  if (task_.progress.accept_start(task_.force, residual_of_projected())) return;
  s_.weight.resize(task_.problem.rows());
  set_block_weights(task_.problem.blocks, task_.diagonal, s_.weight);
  s_.centre = s_.x = task_.force;
  double last = std::numeric_limits<double>::infinity();
  for (int stalled = 0; stalled < 6;) {
    rounding_ = false;
    if (minimise()) return;
    s_.centre = s_.x = s_.projected;
    const double best = task_.progress.best_residual();
    stalled = best < 0.5 * last ? 0 : stalled + 1;
    // a small weight makes long steps, but divides the rounding of the velocities
    if (rounding_)
      tau_ = std::min(1e-2, 10 * tau_);
    else if (best > 0.1 * last)
      tau_ = std::max(1e-8, 0.1 * tau_);
    last = best;
  }
  // no weight at all: Newton on the cones that are active now
  s_.projected = task_.progress.best();
  if (!polish_force(task_, s_.projected)) return;
  task_.progress.finish_iteration(s_.projected, residual_of_projected(), 0.0, s_.projected.cwiseAbs().maxCoeff());
}

}  // namespace

void solve_ccp_newton(SolverTask& task, NewtonScratch& scratch) { Newton(task, scratch).run(); }

}  // namespace tactum
