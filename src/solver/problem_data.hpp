// SPDX-License-Identifier: BSD-2-Clause
// What a ContactProblem holds, and the views of it that solvers work on: of the whole problem or of one island.
#pragma once

#include <span>

#include "tactum/contact_problem.hpp"

namespace tactum {

struct ContactProblem::Data {
  Eigen::MatrixXd matrix;  ///< G (rows x rows), or W (nv x rows)
  bool is_operator = false;
  Eigen::VectorXd g;
  Eigen::VectorXd R;
  std::vector<ContactBlock> blocks;
};

/// G + R without the rest. Columns are contiguous, and those of G are its rows as well.
struct DelassusView {
  Eigen::Map<const Eigen::MatrixXd> matrix;
  bool is_operator;
  Eigen::Map<const Eigen::VectorXd> R;

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
inline Eigen::Map<const Eigen::VectorXd> view_of(const Eigen::VectorXd& vector) { return {vector.data(), vector.size()}; }

/// `R` in place of that of the problem: with what regularization adds.
inline ProblemView view_of(const ContactProblem::Data& data, const Eigen::VectorXd& R) {
  return {{view_of(data.matrix), data.is_operator, view_of(R)}, view_of(data.g), data.blocks};
}

}  // namespace tactum
