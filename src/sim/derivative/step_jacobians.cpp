// SPDX-License-Identifier: BSD-2-Clause
// The Jacobians of a linearized step, for each group of trees that touch each other by itself.
//
// With T = dt M^-1, Y = T J^T and K the contact law, df = K b, a change of a generalized force by
// dF moves the velocity by N dF, with N = T + Y K Y^T. All columns follow from that matrix:
//
//     by tau   N
//     by q     N force_by_q + Y K velocity_by_q
//     by v     N force_by_v + (1 + C) + Y K (J (1 + C) + velocity_by_v)      dc = C dv
//
// So M^-1 is applied to nv columns and not to three times as many, twice. The product Y K comes
// from K^T, which is applied to nv columns as well; rows of contacts have few columns each.
#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <numeric>

#include "sim/derivative/step_linearization.hpp"

namespace tactum::sim {
namespace {

using Index = Eigen::Index;

}  // namespace

struct StepLinearization::Group {
  std::vector<int> trees, blocks, islands;
  std::vector<int> rows;  ///< of the problem, those of its blocks
  int nv = 0;
};

std::vector<StepLinearization::Group> StepLinearization::groups() const {
  std::vector<int> root(trees_.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[static_cast<std::size_t>(i)] != i) i = root[static_cast<std::size_t>(i)];
    return i;
  };
  std::vector<int> tree_of(static_cast<std::size_t>(model_.nv));
  for (std::size_t i = 0; i < trees_.size(); ++i)
    for (int k = 0; k < model_.trees[i].nv; ++k)
      tree_of[static_cast<std::size_t>(model_.trees[i].v + k)] = static_cast<int>(i);
  std::vector<int> tree_of_row(static_cast<std::size_t>(rows()), -1);
  for (const RowDerivative& block : blocks_) {
    if (block.columns.empty()) continue;
    const int first = tree_of[static_cast<std::size_t>(block.columns.front())];
    for (const int column : block.columns) {
      const int a = find(first), b = find(tree_of[static_cast<std::size_t>(column)]);
      root[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
    for (Index k = 0; k < block.J.rows(); ++k)
      tree_of_row[static_cast<std::size_t>(block.row + k)] = first;
  }
  std::vector<int> number(trees_.size(), -1);
  std::vector<Group> out;
  const auto group_of = [&](int tree) -> Group& {
    int& at = number[static_cast<std::size_t>(find(tree))];
    if (at < 0) {
      at = static_cast<int>(out.size());
      out.emplace_back();
    }
    return out[static_cast<std::size_t>(at)];
  };
  for (std::size_t i = 0; i < trees_.size(); ++i) {
    Group& group = group_of(static_cast<int>(i));
    group.trees.push_back(static_cast<int>(i));
    group.nv += model_.trees[i].nv;
  }
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const RowDerivative& block = blocks_[i];
    if (block.columns.empty()) continue;
    Group& group = group_of(tree_of[static_cast<std::size_t>(block.columns.front())]);
    group.blocks.push_back(static_cast<int>(i));
    for (Index k = 0; k < block.J.rows(); ++k)
      group.rows.push_back(block.row + static_cast<int>(k));
  }
  for (int island = 0; island < law_.islands(); ++island) {
    for (const int row : law_.island_rows(island)) {
      const int tree = tree_of_row[static_cast<std::size_t>(row)];
      if (tree < 0) continue;  // a contact that is open moves nothing
      std::vector<int>& islands = group_of(tree).islands;
      if (islands.empty() || islands.back() != island) islands.push_back(island);
    }
  }
  return out;
}

/// The Jacobians of one group after the other, in memory that all of them use.
class StepLinearization::GroupJacobian {
 public:
  explicit GroupJacobian(const StepLinearization& step)
      : step_(step),
        dt_(step.tape_->dt),
        local_(static_cast<std::size_t>(step.model_.nv), 0),
        local_row_(static_cast<std::size_t>(step.rows()), -1) {}

  void add_to(const Group& group, StepJacobians& out) {
    set_places(group);
    set_inverse_mass(group);
    set_forces(group);
    columns_.setZero(n_, 3 * n_);
    if (!group.blocks.empty()) add_contacts(group);
    auto by_tau = columns_.rightCols(n_);
    by_tau += T_;
    columns_.leftCols(2 * n_).noalias() += by_tau * forces_;
    add_velocity(group);
    move(group, out);
    for (const int row : group.rows) local_row_[static_cast<std::size_t>(row)] = -1;
  }

 private:
  /// Numbers the entries and the rows of a group.
  void set_places(const Group& group) {
    n_ = 0;
    for (const int tree : group.trees)
      for (int k = 0; k < step_.model_.trees[static_cast<std::size_t>(tree)].nv; ++k)
        local_[static_cast<std::size_t>(step_.model_.trees[static_cast<std::size_t>(tree)].v + k)] =
            static_cast<int>(n_++);
    rows_ = 0;
    for (const int row : group.rows)
      local_row_[static_cast<std::size_t>(row)] = static_cast<int>(rows_++);
    carried_.clear();
    for (const int i : group.trees)
      for (const CarriedVelocity& base : derivative(i).carried) {
        CarriedPlace& own = carried_.emplace_back();
        own.at = place(tree(i).v + base.v);
        own.by_velocity << dt_ * cross_matrix(base.angular), -dt_ * cross_matrix(base.linear);
      }
  }
  Index place(int entry) const { return local_[static_cast<std::size_t>(entry)]; }
  const Tree& tree(int i) const { return step_.model_.trees[static_cast<std::size_t>(i)]; }
  const TreeDerivative& derivative(int i) const {
    return step_.trees_[static_cast<std::size_t>(i)];
  }

  /// T = dt M^-1.
  void set_inverse_mass(const Group& group) {
    T_.setZero(n_, n_);
    for (const int i : group.trees) {
      const Tree& own = tree(i);
      const Index at = place(own.v);
      auto part = T_.block(at, at, own.nv, own.nv);
      part.diagonal().setConstant(dt_);
      if (own.carrier == Carrier::free_body) {
        const Matrix6& factor =
            step_.model_.free_bodies[static_cast<std::size_t>(own.index)].factor;
        Matrix6 inverse = dt_ * Matrix6::Identity();
        factor.triangularView<Eigen::Lower>().solveInPlace(inverse);
        factor.triangularView<Eigen::Lower>().transpose().solveInPlace(inverse);
        part = inverse;
      } else {
        step_.tape_->factors[static_cast<std::size_t>(own.index)].solve(part);
      }
    }
  }

  /// Generalized forces by q and v.
  void set_forces(const Group& group) {
    forces_.setZero(n_, 2 * n_);
    for (const int i : group.trees) {
      const Index at = place(tree(i).v), size = tree(i).nv;
      forces_.block(at, at, size, size) = derivative(i).force_by_q;
      forces_.block(at, n_ + at, size, size) = derivative(i).force_by_v;
    }
    for (const int i : group.blocks) {
      const RowDerivative& block = step_.blocks_[static_cast<std::size_t>(i)];
      if (block.force_by_q.size() == 0) continue;
      for (std::size_t k = 0; k < block.columns.size(); ++k)
        for (std::size_t j = 0; j < block.columns.size(); ++j)
          forces_(place(block.columns[j]), place(block.columns[k])) += block.force_by_q(
              static_cast<Index>(j), static_cast<Index>(k));
    }
  }

  /// Adds Z [velocity_by_q, J (1 + C) + velocity_by_v, J T] to the columns, with Z = Y K.
  void add_contacts(const Group& group) {
    set_force_effect(group);
    through_.setZero(n_, n_);  // Z J
    for (const int i : group.blocks) {
      const RowDerivative& block = step_.blocks_[static_cast<std::size_t>(i)];
      const Index row = local_row_[static_cast<std::size_t>(block.row)], size = block.J.rows();
      const bool has_v = block.velocity_by_v.size() > 0;
      for (std::size_t k = 0; k < block.columns.size(); ++k) {
        const auto from = static_cast<Index>(k);
        const Index at = place(block.columns[k]);
        for (Index r = 0; r < size; ++r) {
          columns_.col(at) += block.velocity_by_q(r, from) * Z_.col(row + r);
          through_.col(at) += block.J(r, from) * Z_.col(row + r);
          if (has_v) columns_.col(n_ + at) += block.velocity_by_v(r, from) * Z_.col(row + r);
        }
      }
    }
    columns_.middleCols(n_, n_) += through_;
    for (const CarriedPlace& base : carried_)
      columns_.middleCols<6>(n_ + base.at) += through_.middleCols<3>(base.at) * base.by_velocity;
    columns_.rightCols(n_).noalias() = through_ * T_;
  }

  /// Z = Y K with Y = T J^T, by the contact law backwards.
  void set_force_effect(const Group& group) {
    Y_.setZero(n_, rows_);
    for (const int i : group.blocks) {
      const RowDerivative& block = step_.blocks_[static_cast<std::size_t>(i)];
      const Index row = local_row_[static_cast<std::size_t>(block.row)];
      for (std::size_t k = 0; k < block.columns.size(); ++k)
        for (Index r = 0; r < block.J.rows(); ++r)
          Y_.col(row + r) += block.J(r, static_cast<Index>(k)) * T_.col(place(block.columns[k]));
    }
    Z_.setZero(n_, rows_);
    const double scale = 1.0 / (dt_ * step_.tape_->inverse_mass_unit);
    for (const int island : group.islands) {
      const std::span<const int> all = step_.law_.island_rows(island);
      right_.setZero(static_cast<Index>(all.size()), n_);
      for (std::size_t k = 0; k < all.size(); ++k)
        if (const int row = local_row_[static_cast<std::size_t>(all[k])]; row >= 0)
          right_.row(static_cast<Index>(k)) = scale * Y_.col(row).transpose();
      right_ = step_.law_.island_force_pullback(island, right_);
      for (std::size_t k = 0; k < all.size(); ++k)
        if (const int row = local_row_[static_cast<std::size_t>(all[k])]; row >= 0)
          Z_.col(row) = right_.row(static_cast<Index>(k)).transpose();
    }
  }

  /// 1 + C in the columns by v, and forces beyond the limits of their joints, which do not act.
  void add_velocity(const Group& group) {
    columns_.middleCols(n_, n_).diagonal().array() += 1.0;
    for (const CarriedPlace& base : carried_)
      columns_.block<3, 6>(base.at, n_ + base.at) += base.by_velocity;
    for (const int i : group.trees)
      for (int k = 0; k < tree(i).nv; ++k)
        columns_.col(2 * n_ + place(tree(i).v + k)) *= step_.acting_[tree(i).v + k];
  }

  /// Turns changes of the velocity into those of the next state, and writes them.
  void move(const Group& group, StepJacobians& out) {
    next_q_ = dt_ * columns_;
    for (const int i : group.trees) {
      for (const MotionBlock& block : derivative(i).motion) {
        const Index at = place(tree(i).v + block.v);
        part_ = columns_.middleRows(at, block.size);
        next_q_.middleRows(at, block.size).noalias() = block.q_by_u * part_;
        columns_.middleRows(at, block.size).noalias() = block.v_by_u * part_;
      }
    }
    for (const int i : group.trees) {
      const Tree& to = tree(i);
      for (const int j : group.trees) {
        const Tree& from = tree(j);
        const auto write = [&](const Eigen::MatrixXd& source, Index begin,
                               Eigen::MatrixXd& target) {
          target.block(to.v, from.v, to.nv, from.nv) = source.block(
              place(to.v), begin + place(from.v), to.nv, from.nv);
        };
        write(next_q_, 0, out.dq_dq);
        write(next_q_, n_, out.dq_dv);
        write(next_q_, 2 * n_, out.dq_dtau);
        write(columns_, 0, out.dv_dq);
        write(columns_, n_, out.dv_dv);
        write(columns_, 2 * n_, out.dv_dtau);
      }
      add_position(i, out.dq_dq);
    }
  }

  /// Adds the part of dq_dq that is there at constant velocity: the next position moves with q.
  void add_position(int i, Eigen::MatrixXd& dq_dq) const {
    const Tree& own = tree(i);
    dq_dq.diagonal().segment(own.v, own.nv).array() += 1.0;
    for (const MotionBlock& block : derivative(i).motion) {
      const int at = own.v + block.v;
      auto part = dq_dq.block(at, at, block.size, block.size);
      part.diagonal().array() -= 1.0;
      part += block.q_by_q;
    }
  }

  /// dc by dv of a base: three rows, six columns.
  struct CarriedPlace {
    Index at = 0;
    Eigen::Matrix<double, 3, 6> by_velocity;
  };

  const StepLinearization& step_;
  double dt_;
  Index n_ = 0, rows_ = 0;  ///< entries and rows of the present group
  std::vector<int> local_, local_row_;
  std::vector<CarriedPlace> carried_;
  Eigen::MatrixXd T_, forces_, Y_, Z_, through_, columns_, next_q_, right_, part_;
};

void StepLinearization::jacobians(StepJacobians& out) const {
  for (Eigen::MatrixXd* matrix :
       {&out.dq_dq, &out.dq_dv, &out.dq_dtau, &out.dv_dq, &out.dv_dv, &out.dv_dtau})
    matrix->setZero(model_.nv, model_.nv);
  GroupJacobian each(*this);
  for (const Group& group : groups()) each.add_to(group, out);
}

}  // namespace tactum::sim
