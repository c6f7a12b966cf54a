// SPDX-License-Identifier: BSD-2-Clause
#include "solver/problem/infeasibility.hpp"

#include <Eigen/Eigenvalues>
#include <vector>

namespace tactum {
namespace {

constexpr std::size_t kMostRows = 300;
constexpr int kMostProjections = 2000;
constexpr double kNull = 1e-12;     // of the largest eigenvalue
constexpr double kRounding = 1e-9;  // of what the entries of y could make

/// The rows that a certificate may use, and whether each may only push.
struct Rows {
  std::vector<Eigen::Index> index;
  std::vector<bool> pushes;
};

Rows rows_of(const ContactProblem& problem) {
  Rows rows;
  for (const ContactBlock& block : problem.blocks()) {
    if (block.kind == ContactKind::box) continue;  // whatever moves, a force within bounds fits
    rows.index.push_back(block.row + (block.kind == ContactKind::friction ? 2 : 0));
    rows.pushes.push_back(block.kind != ContactKind::bilateral);
  }
  return rows;
}

Eigen::VectorXd pushing(Eigen::VectorXd y, const Rows& rows) {
  for (std::size_t i = 0; i < rows.index.size(); ++i) {
    double& entry = y[static_cast<Eigen::Index>(i)];
    if (rows.pushes[i] && entry < 0.0) entry = 0.0;
  }
  return y;
}

/// An orthonormal basis of the changes of these rows that move nothing.
Eigen::MatrixXd null_space(const Eigen::MatrixXd& G) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(G);
  const Eigen::VectorXd& values = solver.eigenvalues();
  const double largest = values.cwiseAbs().maxCoeff();
  Eigen::Index count = 0;
  while (count < values.size() && values[count] <= kNull * largest) ++count;
  return solver.eigenvectors().leftCols(count);
}

/// The point of the cone {y in the null space, pushing} nearest to `from`, up to the limit of
/// iterations.
Eigen::VectorXd project(const Eigen::MatrixXd& basis, const Rows& rows,
                        const Eigen::VectorXd& from) {
  Eigen::VectorXd y = from, correction = Eigen::VectorXd::Zero(from.size());
  for (int i = 0; i < kMostProjections; ++i) {
    const Eigen::VectorXd flat = basis * (basis.transpose() * y);
    const Eigen::VectorXd shifted = flat + correction;
    const Eigen::VectorXd next = pushing(shifted, rows);
    correction = shifted - next;
    const bool still = (next - y).norm() <= 1e-15 * from.norm();
    y = next;
    if (still) break;
  }
  return y;
}

}  // namespace

bool is_infeasible(const ContactProblem& problem, const Eigen::VectorXd& R) {
  const Rows rows = rows_of(problem);
  if (rows.index.empty() || rows.index.size() > kMostRows) return false;
  const Eigen::MatrixXd all = problem.dense_G();
  Eigen::MatrixXd G = all(rows.index, rows.index);
  G.diagonal() += R(rows.index);
  const Eigen::VectorXd g = problem.g()(rows.index);
  const Eigen::MatrixXd basis = null_space(G);
  if (basis.cols() == 0) return false;
  const Eigen::VectorXd y = project(basis, rows, -g);
  const double size = y.lpNorm<1>(), gain = -y.dot(g);
  if (!(gain > kRounding * size * g.lpNorm<Eigen::Infinity>())) return false;
  return (G * y).lpNorm<Eigen::Infinity>() <= kRounding * size * G.cwiseAbs().maxCoeff();
}

}  // namespace tactum
