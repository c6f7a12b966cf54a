// SPDX-License-Identifier: BSD-2-Clause
#include "support/dense_reference.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace tactum::testing {

Eigen::MatrixXd random_matrix(Random& random, Eigen::Index rows, Eigen::Index columns) {
  Eigen::MatrixXd result(rows, columns);
  for (double& entry : result.reshaped()) entry = random.uniform(-1, 1);
  return result;
}

Eigen::MatrixXd random_orthogonal(Random& random, Eigen::Index size) {
  return Eigen::HouseholderQR<Eigen::MatrixXd>(random_matrix(random, size, size)).householderQ();
}

Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) { return a * b; }

bool is_definite(const Eigen::MatrixXd& matrix) {
  return Eigen::LLT<Eigen::MatrixXd>(matrix).info() == Eigen::Success;
}

Eigen::MatrixXd solve_definite(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return A.llt().solve(B);
}

Eigen::MatrixXd solve_lower_factor(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return A.llt().matrixL().solve(B);
}

Eigen::MatrixXd solve_full_pivot(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return A.fullPivLu().solve(B);
}

PseudoInverse pseudo_inverse(const Eigen::MatrixXd& matrix, Eigen::Index rank) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::VectorXd inverse = svd.singularValues().head(rank).cwiseInverse();
  const Eigen::MatrixXd scaled = svd.matrixV().leftCols(rank) * inverse.asDiagonal();
  const Eigen::MatrixXd transposed = svd.matrixU().leftCols(rank).transpose();
  return {scaled * transposed, svd.singularValues()[0] * inverse[rank - 1]};
}

Eigen::Index pivoted_rank(const Eigen::MatrixXd& matrix, double threshold) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  qr.setThreshold(threshold);
  return qr.compute(matrix).rank();
}

LeastSquares least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& right,
                           double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(threshold);
  decomposition.compute(A);
  return {decomposition.rank(), decomposition.solve(right), decomposition.transpose().solve(right)};
}

}  // namespace tactum::testing
