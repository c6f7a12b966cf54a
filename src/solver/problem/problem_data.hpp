// SPDX-License-Identifier: BSD-2-Clause
// The data of a ContactProblem, and the views that solvers work on, of the whole problem or of one
// island.
#pragma once

#include <span>

#include "solver/linear/block_columns.hpp"
#include "tactum/contact_problem.hpp"

namespace tactum {

/// An independent group of blocks as a problem of its own.
struct ContactIsland {
  Eigen::MatrixXd matrix;  ///< G or W of the island
  Eigen::VectorXd g;
  std::vector<ContactBlock> blocks;
  std::vector<int> rows;  ///< its rows in the whole problem
  BlockColumns columns;
};

struct ContactProblem::Data {
  Eigen::MatrixXd matrix;  ///< G (rows x rows), or W (nv x rows)
  bool is_operator = false;
  Eigen::VectorXd g;
  Eigen::VectorXd R;
  std::vector<ContactBlock> blocks;
  BlockColumns columns;                ///< the matrix without its zeros
  std::vector<ContactIsland> islands;  ///< empty where the whole problem is one island

  /// Sets columns and islands, when everything else is set.
  void find_structure();
};

/// G + R of a problem. `columns` is the matrix without its zeros. With a `mask`, which is 1 or 0
/// for every row, it is the part of G + R in the rows and columns of ones; forces are 0 in the
/// other rows.
struct DelassusView {
  Eigen::Map<const Eigen::MatrixXd> matrix;
  bool is_operator;
  Eigen::Map<const Eigen::VectorXd> R;
  const BlockColumns* columns;
  const Eigen::VectorXd* mask = nullptr;

  int rows() const { return static_cast<int>(matrix.cols()); }
};

/// A problem as solvers see it: the whole of it, or one island.
struct ProblemView {
  DelassusView delassus;
  Eigen::Map<const Eigen::VectorXd> g;
  std::span<const ContactBlock> blocks;

  int rows() const { return delassus.rows(); }
};

inline Eigen::Map<const Eigen::MatrixXd> view_of(const Eigen::MatrixXd& matrix) {
  return {matrix.data(), matrix.rows(), matrix.cols()};
}
inline Eigen::Map<const Eigen::VectorXd> view_of(const Eigen::VectorXd& vector) {
  return {vector.data(), vector.size()};
}

/// View of the whole problem, with the compliance `R` in place of its own.
inline ProblemView view_of(const ContactProblem::Data& data, const Eigen::VectorXd& R) {
  return {{view_of(data.matrix), data.is_operator, view_of(R), &data.columns},
          view_of(data.g),
          data.blocks};
}

/// View of one island, with its part of the compliance.
inline ProblemView view_of(const ContactProblem::Data& data, const ContactIsland& island,
                           const Eigen::VectorXd& R) {
  return {{view_of(island.matrix), data.is_operator, view_of(R), &island.columns},
          view_of(island.g),
          island.blocks};
}

}  // namespace tactum
