// SPDX-License-Identifier: BSD-2-Clause
// The implicit function theorem at a solution: A df = -F_s b - F_mu dmu with A = F_f + F_s (G + R),
// b = dg + (dG + dR) f.
//
// Adjoint    A^T w = d_force, then d_g = -F_s^T w, d_mu = -F_mu . w, d_R = d_g * f, d_G = d_g f^T.
// raisim     its equation of direction also reads G_TN / G_NN of its own block.
// Whose      a force that is farther from solving the problem than its solution reports, by more
//            than rounding, solves another problem.
// Shift      a regularized solution has R + share * diag(G): a change of the diagonal of G counts
//            as one of R as well.
#include "tactum/solution_derivative.hpp"

#include <cmath>
#include <string>

#include "core/format_number.hpp"
#include "solver/active_set/active_system.hpp"
#include "solver/problem/regularization.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

constexpr double kSmoothMargin = 1e-7;  // closer to the next mode than this, the derivative is one
                                        // of two
constexpr double kSameProblem = 1e-10;  // of the terms of a residual: what two orders of summing
                                        // them, or G and W, may differ by

void check_force(const ContactProblem& problem, const Eigen::VectorXd& force) {
  if (force.size() != problem.rows())
    throw InvalidInput(
        "solution.force", std::to_string(force.size()) + " rows",
        "give a solution of this problem, which has " + std::to_string(problem.rows()));
  for (Eigen::Index i = 0; i < force.size(); ++i) {
    if (!(std::isfinite(force[i]) && std::abs(force[i]) <= 1e60))
      throw InvalidInput("solution.force[" + std::to_string(i) + "]", exact_text(force[i]),
                         "give finite numbers of at most 1e60");
  }
}

/// Largest force, and largest sum of the terms that make up a velocity: those of G are at most
/// sqrt(G_ii G_jj) |f_j|, since it is semidefinite.
struct ProblemSize {
  double force = 0.0, speed = 0.0;
};

ProblemSize size_of(const ContactProblem& problem, const Eigen::VectorXd& R,
                    const Eigen::VectorXd& force) {
  if (force.size() == 0) return {};
  const Eigen::VectorXd root = problem.diagonal_G().cwiseMax(0.0).cwiseSqrt(),
                        size = force.cwiseAbs();
  const double sum = root.dot(size);
  return {size.maxCoeff(), (problem.g().cwiseAbs() + sum * root + R.cwiseProduct(size)).maxCoeff()};
}

/// Refuses a force that is farther from solving the problem than its solution reports.
void check_residual(const ContactSolution& solution, const ContactResidual& here,
                    const ProblemSize& size) {
  const auto check = [](double found, double reported, double scale, const char* part) {
    if (found <= reported + kSameProblem * scale) return;
    throw InvalidInput(std::string("solution.") + part,
                       shortest_text(found) + " in this problem, " + shortest_text(reported) +
                           " as the solution reports",
                       "give the solution that solve() returned for this very problem");
  };
  check(here.primal, solution.primal, size.force, "primal");
  check(here.dual, solution.dual, size.speed, "dual");
  check(here.complementarity, solution.complementarity, size.force * size.speed, "complementarity");
}

}  // namespace

struct SolutionDerivative::Data {
  ContactProblem problem;
  Eigen::VectorXd force;
  double regularization;
  ContactModel model;
  std::vector<BlockMatrix> diagonal;
  ActiveSystem system;
  bool smooth = false;
  HyperstaticRule rule = HyperstaticRule::unique;

  explicit Data(const ContactProblem& p)
      : problem(p), regularization(0), model(ContactModel::ncp) {}

  /// -F_s b, block by block.
  Eigen::MatrixXd right_hand_side(const Eigen::MatrixXd& b) const {
    Eigen::MatrixXd right(b.rows(), b.cols());
    for (std::size_t i = 0; i < problem.blocks().size(); ++i) {
      const ContactBlock& block = problem.blocks()[i];
      const int size = row_count(block.kind);
      check_interrupt();
      right.middleRows(block.row, size).noalias() =
          -system.equations()[i].by_velocity.topLeftCorner(size, size) *
          b.middleRows(block.row, size);
    }
    return right;
  }

  /// Change of the third equation of raisim, a row of block i, when its own G changes; zero for
  /// other models.
  double coupling_change(std::size_t i, double d_xz, double d_yz, double d_zz) const {
    const BlockMatrix& G = diagonal[i];
    if (!(G[8] > 0)) return 0.0;
    const Eigen::Vector2d& by = system.equations()[i].by_coupling;
    return (by[0] * (d_xz - G[2] / G[8] * d_zz) + by[1] * (d_yz - G[5] / G[8] * d_zz)) / G[8];
  }
};

std::string_view to_string(HyperstaticRule rule) {
  switch (rule) {
    case HyperstaticRule::unique: return "unique";
    case HyperstaticRule::regularized: return "regularized";
    case HyperstaticRule::minimum_norm: return "minimum_norm";
  }
  return "unknown";
}

SolutionDerivative::SolutionDerivative(const ContactProblem& problem,
                                       const ContactSolution& solution)
    : data_(std::make_unique<Data>(problem)) {
  check_force(problem, solution.force);
  data_->force = solution.force;
  data_->regularization = solution.regularization;
  data_->model = model_of(solution.solver);
  const Eigen::VectorXd R = regularized_compliance(problem, solution.regularization);
  const ProblemView view = view_of(problem.data(), R);
  set_diagonal_blocks(view, data_->diagonal);
  Eigen::VectorXd motion, velocity;
  delassus_product(view.delassus, solution.force, motion, velocity);
  velocity += problem.g();
  const ResidualRule rule(data_->model, solution.polygon, data_->diagonal);
  check_residual(solution, residual_of(view, rule, solution.force, velocity),
                 size_of(problem, R, solution.force));
  data_->system.assemble(view, rule, solution.force, velocity, ActiveSystem::Boundary::settled);

  data_->rule = data_->system.singular()      ? HyperstaticRule::minimum_norm
                : solution.regularization > 0 ? HyperstaticRule::regularized
                                              : HyperstaticRule::unique;
  data_->smooth = !data_->system.singular() && solution.status == ContactStatus::converged;
  for (const BlockMode& mode : data_->system.modes()) data_->smooth &= mode.margin > kSmoothMargin;
}

SolutionDerivative::~SolutionDerivative() = default;
SolutionDerivative::SolutionDerivative(SolutionDerivative&&) noexcept = default;
SolutionDerivative& SolutionDerivative::operator=(SolutionDerivative&&) noexcept = default;

bool SolutionDerivative::smooth() const { return data_->smooth; }
HyperstaticRule SolutionDerivative::rule() const { return data_->rule; }

Eigen::MatrixXd SolutionDerivative::force_wrt_g() const {
  const int rows = data_->problem.rows();
  return data_->system.solve(data_->right_hand_side(Eigen::MatrixXd::Identity(rows, rows)));
}

Eigen::MatrixXd SolutionDerivative::force_wrt_mu() const {
  const std::vector<ContactBlock>& blocks = data_->problem.blocks();
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(data_->problem.rows(),
                                                static_cast<Eigen::Index>(blocks.size()));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].kind == ContactKind::friction)
      right.block<3, 1>(blocks[i].row,
                        static_cast<Eigen::Index>(i)) = -data_->system.equations()[i].by_mu;
  }
  return data_->system.solve(right);
}

Eigen::MatrixXd SolutionDerivative::force_wrt_R() const {
  Eigen::MatrixXd b = data_->force.asDiagonal();
  Eigen::MatrixXd right = data_->right_hand_side(b);
  const std::vector<ContactBlock>& blocks = data_->problem.blocks();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].kind == ContactKind::friction)
      right(blocks[i].row + 1, blocks[i].row + 2) -= data_->coupling_change(i, 0, 0, 1);
  }
  return data_->system.solve(right);
}

namespace {

void check_part(Eigen::Index rows, Eigen::Index columns, Eigen::Index wanted_rows,
                Eigen::Index wanted_columns, const char* field) {
  if (rows != wanted_rows || columns != wanted_columns)
    throw InvalidInput(
        field, std::to_string(rows) + " x " + std::to_string(columns),
        "give " + std::to_string(wanted_rows) + " x " + std::to_string(wanted_columns));
}

template <class Matrix>
void check_finite(const Matrix& values, const char* field) {
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (!(std::isfinite(values.data()[i]) && std::abs(values.data()[i]) <= 1e60))
      throw InvalidInput(field, std::to_string(values.data()[i]),
                         "give finite numbers of at most 1e60");
  }
}

void check_symmetric(const Eigen::MatrixXd& G) {
  const double most = 1e-8 * G.cwiseAbs().maxCoeff();
  for (Eigen::Index j = 0; j < G.cols(); ++j) {
    for (Eigen::Index i = 0; i < j; ++i) {
      if (std::abs(G(i, j) - G(j, i)) > most)
        throw InvalidInput("d_G[" + std::to_string(i) + "," + std::to_string(j) + "]",
                           shortest_text(G(i, j)),
                           "give a symmetric matrix, as G is; the entry across the diagonal is " +
                               shortest_text(G(j, i)));
    }
  }
}

}  // namespace

Eigen::VectorXd SolutionDerivative::jvp(const ContactTangent& tangent) const {
  const Eigen::Index rows = data_->problem.rows();
  const std::vector<ContactBlock>& blocks = data_->problem.blocks();
  Eigen::VectorXd b = Eigen::VectorXd::Zero(rows), d_R = Eigen::VectorXd::Zero(rows);
  check_finite(tangent.g, "d_g");
  check_finite(tangent.mu, "d_mu");
  check_finite(tangent.R, "d_R");
  check_finite(tangent.G, "d_G");
  if (tangent.g.size() > 0) {
    check_part(tangent.g.size(), 1, rows, 1, "d_g");
    b += tangent.g;
  }
  if (tangent.R.size() > 0) {
    check_part(tangent.R.size(), 1, rows, 1, "d_R");
    d_R += tangent.R;
  }
  if (tangent.G.size() > 0) {
    check_part(tangent.G.rows(), tangent.G.cols(), rows, rows, "d_G");
    check_symmetric(tangent.G);
    b.noalias() += tangent.G * data_->force;
    d_R += data_->regularization * tangent.G.diagonal();
  }
  b += d_R.cwiseProduct(data_->force);
  Eigen::VectorXd right = data_->right_hand_side(b);
  if (tangent.mu.size() > 0)
    check_part(tangent.mu.size(), 1, static_cast<Eigen::Index>(blocks.size()), 1, "d_mu");
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].kind != ContactKind::friction) continue;
    const int row = blocks[i].row;
    if (tangent.mu.size() > 0)
      right.segment<3>(row) -= tangent.mu[static_cast<Eigen::Index>(i)] *
                               data_->system.equations()[i].by_mu;
    const bool has_G = tangent.G.size() > 0;
    right[row + 1] -= data_->coupling_change(
        i, has_G ? tangent.G(row, row + 2) : 0.0, has_G ? tangent.G(row + 1, row + 2) : 0.0,
        (has_G ? tangent.G(row + 2, row + 2) : 0.0) + d_R[row + 2]);
  }
  return data_->system.solve(right);
}

ContactCotangent SolutionDerivative::vjp(const Eigen::VectorXd& d_force) const {
  const Eigen::Index rows = data_->problem.rows();
  const std::vector<ContactBlock>& blocks = data_->problem.blocks();
  check_part(d_force.size(), 1, rows, 1, "d_force");
  check_finite(d_force, "d_force");
  const Eigen::VectorXd w = data_->system.solve_transposed(d_force);
  ContactCotangent result;
  result.g.resize(rows);
  result.mu.setZero(static_cast<Eigen::Index>(blocks.size()));
  const bool needs_blocks = data_->model == ContactModel::raisim || data_->regularization > 0;
  if (needs_blocks) result.G_blocks.setZero(3, rows);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const int size = row_count(blocks[i].kind), row = blocks[i].row;
    result.g.segment(row, size).noalias() =
        -data_->system.equations()[i].by_velocity.topLeftCorner(size, size).transpose() *
        w.segment(row, size);
    if (size == 3)
      result.mu[static_cast<Eigen::Index>(i)] = -data_->system.equations()[i].by_mu.dot(
          w.segment<3>(row));
  }
  result.R = result.g.cwiseProduct(data_->force);
  if (data_->model == ContactModel::raisim) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (blocks[i].kind != ContactKind::friction) continue;
      const int row = blocks[i].row;
      const double weight = -w[row + 1];
      // half of an entry off the diagonal on either side, so that symmetrizing changes nothing
      result.G_blocks(0, row + 2) = result.G_blocks(2, row) = 0.5 * weight *
                                                              data_->coupling_change(i, 1, 0, 0);
      result.G_blocks(1, row + 2) = result.G_blocks(
          2, row + 1) = 0.5 * weight * data_->coupling_change(i, 0, 1, 0);
      const double by_normal = weight * data_->coupling_change(i, 0, 0, 1);
      result.G_blocks(2, row + 2) = by_normal;
      result.R[row + 2] += by_normal;
    }
  }
  if (data_->regularization > 0) {
    for (const ContactBlock& block : blocks)
      for (int k = 0; k < row_count(block.kind); ++k)
        result.G_blocks(k, block.row + k) += data_->regularization * result.R[block.row + k];
  }
  result.G_left = result.g;
  result.G_right = data_->force;
  return result;
}

Eigen::MatrixXd ContactCotangent::dense_G(const ContactProblem& problem) const {
  Eigen::MatrixXd result = 0.5 * (G_left * G_right.transpose() + G_right * G_left.transpose());
  if (G_blocks.size() == 0) return result;
  for (const ContactBlock& block : problem.blocks()) {
    const int size = row_count(block.kind);
    result.block(block.row, block.row, size, size) += G_blocks.block(0, block.row, size, size);
  }
  return result;
}

SolutionDerivative solution_derivative(const ContactProblem& problem,
                                       const ContactSolution& solution) {
  return {problem, solution};
}

}  // namespace tactum
