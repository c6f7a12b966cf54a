// SPDX-License-Identifier: BSD-2-Clause
// Dense matrices for tests, and the decompositions of Eigen that answers are compared with.
//
// Each of these decompositions takes seconds to compile; here that happens once for all tests.
#pragma once

#include <Eigen/Core>

#include "support/random.hpp"

namespace tactum::testing {

/// Entries between -1 and 1.
Eigen::MatrixXd random_matrix(Random& random, Eigen::Index rows, Eigen::Index columns);
/// An orthogonal matrix.
Eigen::MatrixXd random_orthogonal(Random& random, Eigen::Index size);

Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// Whether Cholesky's decomposition exists.
bool is_definite(const Eigen::MatrixXd& matrix);
/// A^-1 B of a positive definite A, by Cholesky's decomposition.
Eigen::MatrixXd solve_definite(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
/// L^-1 B, where L is the lower factor of a positive definite A.
Eigen::MatrixXd solve_lower_factor(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// A^-1 B by LU with full pivoting.
Eigen::MatrixXd solve_full_pivot(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// The pseudo-inverse of a matrix of known rank, at least 1, by singular values.
struct PseudoInverse {
  Eigen::MatrixXd matrix;
  double condition;  ///< the largest singular value by the smallest that counts
};
PseudoInverse pseudo_inverse(const Eigen::MatrixXd& matrix, Eigen::Index rank);

/// The rank by QR with column pivoting.
Eigen::Index pivoted_rank(const Eigen::MatrixXd& matrix, double threshold);

/// The least squares of least norm of A x = right and of A' w = right, by a complete orthogonal
/// decomposition.
struct LeastSquares {
  Eigen::Index rank;
  Eigen::VectorXd x, w;
};
LeastSquares least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& right,
                           double threshold);

}  // namespace tactum::testing
