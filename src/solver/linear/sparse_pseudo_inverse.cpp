// SPDX-License-Identifier: BSD-2-Clause
#include "solver/linear/sparse_pseudo_inverse.hpp"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <cmath>

#include "solver/linear/dense_lu.hpp"
#include "solver/linear/dense_product.hpp"

namespace tactum {
namespace {

constexpr double kShifts[] = {1e-9, 1e-6};  // d, where the blocks of M have size 1
constexpr int kCorrections = 3;
constexpr double kLost = 1e-5;   // share of a vector that does not come back from M^+ M
constexpr double kWrong = 1e-6;  // share of a consistent right-hand side that may be missed before
                                 // d counts as too small
constexpr Eigen::Index kLarge = 256;  // rows of a block from which on its inverse takes long
constexpr double kMixed = 1e-4;       // share that one pass may leave in the null space of M

using Panel = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

/// Multiples of the golden ratio, turned: no symmetry that a null space could have.
Eigen::VectorXd probe(Eigen::Index size) {
  Eigen::VectorXd result(size);
  for (Eigen::Index i = 0; i < size; ++i)
    result[i] = std::fmod(0.6180339887498949 * static_cast<double>(i + 1), 1.0) - 0.5;
  return result;
}

/// `inverse` becomes the inverse of a square matrix; that of a large one can be interrupted.
void invert(const Eigen::Ref<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>& matrix,
            Eigen::MatrixXd& inverse) {
  if (matrix.rows() < kLarge) {
    inverse = matrix.partialPivLu().inverse();
    return;
  }
  DenseLu lu;
  lu.factorize(matrix);
  inverse.setIdentity(matrix.rows(), matrix.rows());
  lu.solve_in_place(inverse);
}

}  // namespace

// ----------------------------------------------------------------------------------------------------------------
// local algebra
void SparsePseudoInverse::set_projections() {
  const double square = shift_ * shift_;
  projections_.resize(blocks_.size());
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Eigen::Matrix3d& F = blocks_[i].F;
    Projections& p = projections_[i];
    p.P1 = p.P2 = p.P0 = Eigen::Matrix3d::Zero();
    if (blocks_[i].S.isZero(0) && F.isZero(0)) continue;
    if (F.isZero(0)) {
      p.P1.setIdentity();
      p.P0.setIdentity();
      continue;
    }
    const Eigen::JacobiSVD<Eigen::Matrix3d> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
    for (int k = 0; k < 3; ++k) {
      const double value = svd.singularValues()[k], share = square / (square + value * value);
      const Eigen::Vector3d u = svd.matrixU().col(k), w = svd.matrixV().col(k);
      p.P1 += share * u * u.transpose();
      p.P0 += share * w * w.transpose();
      p.P2 += value / (square + value * value) * u * w.transpose();
    }
  }
}

template <class MatrixOf>
Eigen::VectorXd SparsePseudoInverse::by_block(const Eigen::VectorXd& in,
                                              const MatrixOf& matrix_of) const {
  Eigen::VectorXd out(in.size());
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const ContactBlock& block = columns_->blocks()[i];
    if (block.kind == ContactKind::friction)
      out.segment<3>(block.row).noalias() = matrix_of(i) * in.segment<3>(block.row);
    else
      out[block.row] = matrix_of(i)(0, 0) * in[block.row];
  }
  return out;
}

Eigen::VectorXd SparsePseudoInverse::to_motion(const Eigen::VectorXd& rows) const {
  Eigen::VectorXd motion(columns_->positions());
  columns_->multiply(rows.data(), motion.data());
  return motion;
}

Eigen::VectorXd SparsePseudoInverse::to_rows(const Eigen::VectorXd& motion) const {
  const ContactBlock& last = columns_->blocks().back();
  Eigen::VectorXd rows(last.row + row_count(last.kind));
  columns_->multiply_transposed(motion.data(), rows.data());
  return rows;
}

Eigen::VectorXd SparsePseudoInverse::product(const Eigen::VectorXd& x) const {
  const Eigen::VectorXd velocity = to_rows(to_motion(x));
  return by_block(x, [&](std::size_t i) -> const Eigen::Matrix3d& { return blocks_[i].F; }) +
         by_block(velocity, [&](std::size_t i) -> const Eigen::Matrix3d& { return blocks_[i].S; });
}

Eigen::VectorXd SparsePseudoInverse::product_transposed(const Eigen::VectorXd& w) const {
  const Eigen::VectorXd motion = to_motion(
      by_block(w, [&](std::size_t i) { return blocks_[i].S.transpose(); }));
  return by_block(w, [&](std::size_t i) { return blocks_[i].F.transpose(); }) + to_rows(motion);
}

// -------------------------------------------------------------------------------------------------------------------
// the factor
/// H_v, H_q and K on the pattern of W, then panel by panel [H_v, d K^T; d K, -H_q], nodes doubled.
void SparsePseudoInverse::assemble() {
  const CholeskyPattern& pattern = columns_->pattern();
  std::vector<double> by_velocity(pattern.value_count(), 0.0), by_force(pattern.value_count(), 0.0),
      lower, upper;
  columns_->set_identity(lower);
  columns_->set_identity(upper);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Projections& p = projections_[i];
    const Eigen::Matrix3d H_v = blocks_[i].S.transpose() * p.P1 * blocks_[i].S,
                          Z = p.P2.transpose() * blocks_[i].S;
    if (!H_v.isZero(0)) columns_->add_weighted(i, H_v.data(), by_velocity);
    if (!p.P0.isZero(0)) columns_->add_weighted(i, p.P0.data(), by_force);
    if (Z.isZero(0)) continue;
    const Eigen::Matrix3d turned = Z.transpose();
    columns_->add_weighted(i, Z.data(), lower);
    columns_->add_weighted(i, turned.data(), upper);
  }
  values_.resize(4 * pattern.value_count());
  for (const CholeskyPattern::Panel& panel : pattern.panels()) {
    const Eigen::Index size = panel.size;
    const auto part = [&](std::vector<double>& values) {
      return Panel(values.data() + panel.offset, panel.height, size,
                   Eigen::OuterStride<>(panel.height));
    };
    const Panel v = part(by_velocity), f = part(by_force), l = part(lower), u = part(upper);
    Panel out(values_.data() + 4 * panel.offset, 2 * panel.height, 2 * size,
              Eigen::OuterStride<>(2 * panel.height));
    const auto set = [&](Eigen::Index from, Eigen::Index rows) {
      out.block(2 * from, 0, rows, size) = v.middleRows(from, rows);
      out.block(2 * from, size, rows, size) = shift_ * u.middleRows(from, rows);
      out.block(2 * from + rows, 0, rows, size) = shift_ * l.middleRows(from, rows);
      out.block(2 * from + rows, size, rows, size) = -f.middleRows(from, rows);
    };
    set(0, size);
    for (Eigen::Index j = 0; j < size; ++j) {  // the part above the diagonal is kept nowhere
      for (Eigen::Index i = 0; i < j; ++i) {
        out(i, j) = v(j, i);
        out(size + i, size + j) = -f(j, i);
        out(size + i, j) = shift_ * u(j, i);
        out(i, size + j) = shift_ * l(j, i);
      }
    }
    for (const CholeskyPattern::Below& below : pattern.below(panel)) set(below.row, below.size);
  }
}

void SparsePseudoInverse::factorize_panels() {
  const CholeskyPattern& pattern = columns_->pattern();
  Eigen::MatrixXd before, products, inverse;
  for (const CholeskyPattern::Panel& panel : pattern.panels()) {
    const Eigen::Index size = 2 * panel.size, height = 2 * panel.height - size;
    Panel own(values_.data() + 4 * panel.offset, 2 * panel.height, size,
              Eigen::OuterStride<>(2 * panel.height));
    check_interrupt();
    invert(own.topRows(size), inverse);
    own.topRows(size) = inverse;
    if (height == 0) continue;
    before = own.bottomRows(height);
    multiply_dense(own.bottomRows(height), before, inverse);
    products.resize(height, height);
    multiply_dense(products, own.bottomRows(height), before.transpose());
    const std::span<const CholeskyPattern::Below> below = pattern.below(panel);
    const std::size_t* place = pattern.targets(panel);
    for (std::size_t j = 0; j < below.size(); ++j) {
      const CholeskyPattern::Panel& column =
          pattern.panels()[static_cast<std::size_t>(below[j].position)];
      for (std::size_t i = j; i < below.size(); ++i, ++place) {
        // the first row of the block within its panel, and the panel, are doubled
        Panel target(values_.data() + 2 * (*place + column.offset), 2 * below[i].size,
                     2 * below[j].size, Eigen::OuterStride<>(2 * column.height));
        target -= products.block(2 * below[i].row - size, 2 * below[j].row - size,
                                 2 * below[i].size, 2 * below[j].size);
      }
    }
  }
}

/// In place, both in the order of nodes as they were given.
void SparsePseudoInverse::solve_factor(Eigen::VectorXd& v, Eigen::VectorXd& q) const {
  const CholeskyPattern& pattern = columns_->pattern();
  Eigen::VectorXd x(2 * pattern.rows()), below_part;
  const auto given = [&](const CholeskyPattern::Panel& panel) {
    return pattern.given_begin(panel);
  };
  for (const CholeskyPattern::Panel& panel : pattern.panels()) {
    x.segment(2 * panel.begin, panel.size) = v.segment(given(panel), panel.size);
    x.segment(2 * panel.begin + panel.size, panel.size) = q.segment(given(panel), panel.size);
  }
  const auto view = [&](const CholeskyPattern::Panel& panel) {
    return Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>(
        values_.data() + 4 * panel.offset, 2 * panel.height, 2 * panel.size,
        Eigen::OuterStride<>(2 * panel.height));
  };
  const auto place_of = [&](const CholeskyPattern::Below& below) {
    return 2 * pattern.panels()[static_cast<std::size_t>(below.position)].begin;
  };
  for (const CholeskyPattern::Panel& panel : pattern.panels()) {
    for (const CholeskyPattern::Below& below : pattern.below(panel))
      x.segment(place_of(below), 2 * below.size).noalias() -= view(panel).middleRows(
                                                                  2 * below.row, 2 * below.size) *
                                                              x.segment(2 * panel.begin,
                                                                        2 * panel.size);
  }
  for (auto panel = pattern.panels().rbegin(); panel != pattern.panels().rend(); ++panel) {
    auto own = x.segment(2 * panel->begin, 2 * panel->size);
    own = (view(*panel).topRows(2 * panel->size) * own).eval();
    for (const CholeskyPattern::Below& below : pattern.below(*panel))
      own.noalias() -= view(*panel).middleRows(2 * below.row, 2 * below.size).transpose() *
                       x.segment(place_of(below), 2 * below.size);
    v.segment(given(*panel), panel->size) = own.head(panel->size);
    q.segment(given(*panel), panel->size) = own.tail(panel->size);
  }
}

// ------------------------------------------------------------------------------------------------------------------
// the inverse
/// T r, or T^T c.
Eigen::VectorXd SparsePseudoInverse::regularized(const Eigen::VectorXd& right,
                                                 bool transposed) const {
  const auto P1 = [&](std::size_t i) -> const Eigen::Matrix3d& { return projections_[i].P1; };
  const auto P0 = [&](std::size_t i) -> const Eigen::Matrix3d& { return projections_[i].P0; };
  const auto P2 = [&](std::size_t i) -> const Eigen::Matrix3d& { return projections_[i].P2; };
  const auto P2_turned = [&](std::size_t i) { return projections_[i].P2.transpose(); };
  const auto S = [&](std::size_t i) -> const Eigen::Matrix3d& { return blocks_[i].S; };
  const auto S_turned = [&](std::size_t i) { return blocks_[i].S.transpose(); };
  check_interrupt();
  Eigen::VectorXd v, q;
  if (transposed) {
    const Eigen::VectorXd damped = by_block(right, P2);
    v = shift_ * to_motion(by_block(damped, S_turned));
    q = -to_motion(by_block(right, P0));
    solve_factor(v, q);
    // p = (P1 (r - S W^T v) / d + P2 (c - W^T q), r = 0
    return damped - by_block(by_block(to_rows(v), S), P1) / shift_ - by_block(to_rows(q), P2);
  }
  const Eigen::VectorXd damped = by_block(right, P2_turned);
  v = to_motion(by_block(by_block(right, P1), S_turned));
  q = shift_ * to_motion(damped);
  solve_factor(v, q);
  // x = P2^T (r - S W^T v) - P0 (c - W^T q) / d, c = 0
  return damped - by_block(by_block(to_rows(v), S), P2_turned) + by_block(to_rows(q), P0) / shift_;
}

/// So many times for every right-hand side: one linear map, of which the other one is the
/// transpose.
Eigen::VectorXd SparsePseudoInverse::iterate(const Eigen::VectorXd& right, bool transposed) const {
  Eigen::VectorXd x = regularized(right, transposed);
  for (int i = 0; i < kCorrections; ++i)
    x += regularized(right - (transposed ? product_transposed(x) : product(x)), transposed);
  return x;
}

bool SparsePseudoInverse::factorize(const BlockColumns& columns,
                                    std::vector<PseudoInverseBlock> blocks) {
  columns_ = &columns;
  blocks_ = std::move(blocks);
  Eigen::VectorXd there = probe(to_rows(Eigen::VectorXd::Zero(columns.positions())).size());
  for (std::size_t i = 0; i < blocks_.size(); ++i) {  // contacts that take no part have nothing to
                                                      // lose
    const ContactBlock& block = columns.blocks()[i];
    if (blocks_[i].S.isZero(0) && blocks_[i].F.isZero(0))
      there.segment(block.row, row_count(block.kind)).setZero();
  }
  for (const double shift : kShifts) {
    shift_ = shift;
    set_projections();
    assemble();
    factorize_panels();
    singular_ = (there - iterate(product(there), false)).norm() > kLost * there.norm();
    const Eigen::VectorXd first = iterate(there, false), image = product(first),
                          second = iterate(image, false);
    const bool consistent = (product(second) - image).norm() <= kWrong * image.norm();
    if (consistent && (second - first).norm() <= kMixed * second.norm()) return true;
  }
  return false;
}

}  // namespace tactum
