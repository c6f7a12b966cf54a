// SPDX-License-Identifier: BSD-2-Clause
// What a ContactProblem holds, and the views of it that solvers work on: of the whole problem or of
// one island.
#pragma once

#include <span>

#include "solver/linear/block_columns.hpp"
#include "tactum/contact_problem.hpp"

namespace tactum {

/// An independent group of blocks as a problem of its own.
struct ContactIsland {
  Eigen::MatrixXd matrix;  ///< empty where there is one island: that of the problem
  Eigen::VectorXd g;
  std::vector<ContactBlock> blocks;
  std::vector<int> rows;  ///< of the whole problem
  BlockColumns columns;
};

struct ContactProblem::Data {
  Eigen::MatrixXd matrix;  ///< G (rows x rows), or W (nv x rows)
  bool is_operator = false;
  Eigen::VectorXd g;
  Eigen::VectorXd R;
  std::vector<ContactBlock> blocks;
  BlockColumns columns;                ///< of the matrix
  std::vector<ContactIsland> islands;  ///< empty where there is one

  /// Once all else is set.
  void find_structure();
};

/// G + R without the rest. Columns are contiguous, and those of G are its rows as well. `columns`
/// is the matrix without its zeros. With a `mask`, 1 or 0 for every row, it is the part of G + R in
/// the rows of ones; forces are 0 in the others.
struct DelassusView {
  Eigen::Map<const Eigen::MatrixXd> matrix;
  bool is_operator;
  Eigen::Map<const Eigen::VectorXd> R;
  const BlockColumns* columns;
  const Eigen::VectorXd* mask = nullptr;

  int rows() const { return static_cast<int>(matrix.cols()); }
};

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

/// `R` in place of that of the problem: with what regularization adds.
inline ProblemView view_of(const ContactProblem::Data& data, const Eigen::VectorXd& R) {
  return {{view_of(data.matrix), data.is_operator, view_of(R), &data.columns},
          view_of(data.g),
          data.blocks};
}

/// One island, with its part of `R`.
inline ProblemView view_of(const ContactProblem::Data& data, const ContactIsland& island,
                           const Eigen::VectorXd& R) {
  return {{view_of(island.matrix), data.is_operator, view_of(R), &island.columns},
          view_of(island.g),
          island.blocks};
}

}  // namespace tactum
