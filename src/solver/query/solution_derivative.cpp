// SPDX-License-Identifier: BSD-2-Clause
// The implicit function theorem at a solution gives A df = -F_s b - F_mu dmu with A = F_f + F_s (G
// + R) and b = dg + (dG + dR) f.
//
// Adjoint    With A^T w = d_force, d_g = -F_s^T w, d_mu = -F_mu . w, d_R = d_g * f, d_G = d_g f^T.
// raisim     Its equation of direction also depends on G_TN / G_NN of its own block.
// Check      A force that is farther from solving the problem than its solution reports, by more
//            than rounding, solves another problem.
// Shift      A regularized solution has R + share * diag(G): a change of the diagonal of G is a
//            change of R as well.
#include "tactum/solution_derivative.hpp"

#include <cmath>
#include <string>

#include "core/format_number.hpp"
#include "solver/active_set/active_system.hpp"
#include "solver/problem/regularization.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

constexpr double kSmoothMargin = 1e-7;  // closer to the next mode, there are two derivatives
constexpr double kConsistent = 1e-7;    // share of an equation that counts as rounding
constexpr double kSameProblem = 1e-10;  // share of the terms of a residual by which two orders of
                                        // summing them, or G and W, may differ

void check_force(const ContactProblem& problem, const Eigen::VectorXd& force) {
  if (force.size() != problem.rows())
    throw InvalidInput(
        "solution.force", std::to_string(force.size()) + " rows",
        "give a solution of this problem, which has " + std::to_string(problem.rows()) + " rows");
  for (Eigen::Index i = 0; i < force.size(); ++i) {
    if (!(std::isfinite(force[i]) && std::abs(force[i]) <= 1e60))
      throw InvalidInput("solution.force[" + std::to_string(i) + "]", exact_text(force[i]),
                         "give finite numbers of at most 1e60");
  }
}

/// Largest force, and largest sum of the terms that make up a velocity. The terms of G are at most
/// sqrt(G_ii G_jj) |f_j|, since G is semidefinite.
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

namespace {

/// The linearized equations of one island.
struct IslandDerivative {
  std::vector<BlockMatrix> diagonal;
  Eigen::VectorXd R;
  ActiveSystem system;

  /// (G + R) x
  Eigen::VectorXd velocity_change(const ContactIsland& island, const Eigen::VectorXd& x) const {
    const ProblemView view = view_of(island, R);
    Eigen::VectorXd scratch, velocity;
    set_contact_velocity(view, x, scratch, velocity);
    return velocity - view.g;
  }

  /// A x = F_f x + F_s (G + R) x
  Eigen::VectorXd apply(const ContactIsland& island, const Eigen::VectorXd& x) const {
    const Eigen::VectorXd velocity = velocity_change(island, x);
    Eigen::VectorXd result(x.size());
    for (std::size_t i = 0; i < island.blocks.size(); ++i) {
      const ContactBlock& block = island.columns.blocks()[i];
      const BlockEquations& equations = system.equations()[i];
      const int size = row_count(block.kind);
      result.segment(block.row, size) = equations.by_force.topLeftCorner(size, size) *
                                            x.segment(block.row, size) +
                                        equations.by_velocity.topLeftCorner(size, size) *
                                            velocity.segment(block.row, size);
    }
    return result;
  }

  /// Whether a force that the equations leave open moves nothing. A vector of no particular
  /// direction less its part that the equations determine is such a force.
  bool velocity_is_unique(const ContactIsland& island) const {
    if (!system.singular()) return true;
    Eigen::VectorXd x(R.size());
    for (Eigen::Index i = 0; i < x.size(); ++i)
      x[i] = std::cos(1.0 + static_cast<double>(i * i)) / std::sqrt(row_scale(island, i));
    const Eigen::VectorXd open = x - system.solve(apply(island, x));
    const Eigen::VectorXd moved = velocity_change(island, open);
    double worst = 0.0, largest = 0.0;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      const double root = std::sqrt(row_scale(island, i));
      worst = std::max(worst, std::abs(moved[i]) / root);
      largest = std::max(largest, std::abs(open[i]) * root);
    }
    return worst <= kConsistent * largest;
  }

  /// Whether A df = -F_s b has a solution.
  bool keeps_modes(const ContactIsland& island, const Eigen::VectorXd& b) const {
    if (!system.singular()) return true;
    const Eigen::VectorXd right = right_hand_side(island, b);
    const Eigen::VectorXd left = apply(island, system.solve(right));
    return (right - left).cwiseAbs().maxCoeff() <= kConsistent * right.cwiseAbs().maxCoeff();
  }

  /// -F_s b, block by block.
  Eigen::MatrixXd right_hand_side(const ContactIsland& island, const Eigen::MatrixXd& b) const {
    Eigen::MatrixXd right(b.rows(), b.cols());
    for (std::size_t i = 0; i < island.blocks.size(); ++i) {
      const ContactBlock& block = island.columns.blocks()[i];
      const int size = row_count(block.kind);
      check_interrupt();
      right.middleRows(block.row, size).noalias() =
          -system.equations()[i].by_velocity.topLeftCorner(size, size) *
          b.middleRows(block.row, size);
    }
    return right;
  }

  /// Diagonal of G + R in a row, or 1 where it is zero.
  double row_scale(const ContactIsland& island, Eigen::Index row) const {
    for (std::size_t i = 0; i < island.blocks.size(); ++i) {
      const ContactBlock& block = island.columns.blocks()[i];
      const int size = row_count(block.kind), k = static_cast<int>(row) - block.row;
      if (k < 0 || k >= size) continue;
      const double value = diagonal[i][static_cast<std::size_t>(size == 3 ? 4 * k : 0)];
      return value > 0.0 ? value : 1.0;
    }
    return 1.0;
  }

  /// Change of the second equation of a raisim block i when its own G changes. It is zero in other
  /// models.
  double coupling_change(std::size_t i, double d_xz, double d_yz, double d_zz) const {
    const BlockMatrix& G = diagonal[i];
    if (!(G[8] > 0)) return 0.0;
    const Eigen::Vector2d& by = system.equations()[i].by_coupling;
    return (by[0] * (d_xz - G[2] / G[8] * d_zz) + by[1] * (d_yz - G[5] / G[8] * d_zz)) / G[8];
  }
};

}  // namespace

struct SolutionDerivative::Data {
  ContactProblem problem;
  Eigen::VectorXd force;
  double regularization;
  ContactModel model;
  std::vector<IslandDerivative> islands;
  bool smooth = false;
  HyperstaticRule rule = HyperstaticRule::unique;

  explicit Data(const ContactProblem& p)
      : problem(p), regularization(0), model(ContactModel::ncp) {}

  /// Calls `visit(island, derivative)` for every island.
  template <class Visit>
  void for_each_island(const Visit& visit) const {
    for (std::size_t i = 0; i < islands.size(); ++i) visit(problem.data().islands()[i], islands[i]);
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
  const Eigen::VectorXd all_R = regularized_compliance(problem, solution.regularization);
  Eigen::VectorXd force, motion, velocity;
  ContactResidual residual;
  const std::span<const ContactIsland> islands = problem.data().islands();
  data_->islands.resize(islands.size());
  data_->smooth = solution.status == ContactStatus::converged;
  bool singular = false;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    IslandDerivative& own = data_->islands[i];
    gather_rows(islands[i], all_R, own.R);
    gather_rows(islands[i], solution.force, force);
    const ProblemView view = view_of(islands[i], own.R);
    set_diagonal_blocks(view, own.diagonal);
    set_contact_velocity(view, force, motion, velocity);
    const ResidualRule rule(data_->model, solution.polygon, own.diagonal);
    raise(residual, residual_of(view, rule, force, velocity));
    own.system.assemble(view, rule, force, velocity, ActiveSystem::Boundary::settled);
    singular |= own.system.singular();
    for (const BlockMode& mode : own.system.modes()) data_->smooth &= mode.margin > kSmoothMargin;
  }
  check_residual(solution, residual, size_of(problem, all_R, solution.force));
  data_->smooth &= !singular;
  data_->rule = singular                      ? HyperstaticRule::minimum_norm
                : solution.regularization > 0 ? HyperstaticRule::regularized
                                              : HyperstaticRule::unique;
}

SolutionDerivative::~SolutionDerivative() = default;
SolutionDerivative::SolutionDerivative(SolutionDerivative&&) noexcept = default;
SolutionDerivative& SolutionDerivative::operator=(SolutionDerivative&&) noexcept = default;

bool SolutionDerivative::smooth() const { return data_->smooth; }
HyperstaticRule SolutionDerivative::rule() const { return data_->rule; }

Eigen::MatrixXd SolutionDerivative::force_wrt_g() const {
  const Eigen::Index rows = data_->problem.rows();
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(rows, rows);
  data_->for_each_island([&](const ContactIsland& island, const IslandDerivative& own) {
    const auto count = static_cast<Eigen::Index>(island.rows.size());
    result(island.rows, island.rows) = own.system.solve(
        own.right_hand_side(island, Eigen::MatrixXd::Identity(count, count)));
  });
  return result;
}

Eigen::MatrixXd SolutionDerivative::force_wrt_mu() const {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(
      data_->problem.rows(), static_cast<Eigen::Index>(data_->problem.blocks().size()));
  data_->for_each_island([&](const ContactIsland& island, const IslandDerivative& own) {
    Eigen::MatrixXd right = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(island.rows.size()),
                                                  static_cast<Eigen::Index>(island.blocks.size()));
    for (std::size_t i = 0; i < island.blocks.size(); ++i) {
      const ContactBlock& block = island.columns.blocks()[i];
      if (block.kind == ContactKind::friction)
        right.block<3, 1>(block.row,
                          static_cast<Eigen::Index>(i)) = -own.system.equations()[i].by_mu;
    }
    result(island.rows, island.blocks) = own.system.solve(right);
  });
  return result;
}

Eigen::MatrixXd SolutionDerivative::force_wrt_R() const {
  const Eigen::Index rows = data_->problem.rows();
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(rows, rows);
  data_->for_each_island([&](const ContactIsland& island, const IslandDerivative& own) {
    Eigen::VectorXd force;
    gather_rows(island, data_->force, force);
    Eigen::MatrixXd right = own.right_hand_side(island, force.asDiagonal());
    for (std::size_t i = 0; i < island.blocks.size(); ++i) {
      const ContactBlock& block = island.columns.blocks()[i];
      if (block.kind == ContactKind::friction)
        right(block.row + 1, block.row + 2) -= own.coupling_change(i, 0, 0, 1);
    }
    result(island.rows, island.rows) = own.system.solve(right);
  });
  return result;
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
  if (tangent.mu.size() > 0)
    check_part(tangent.mu.size(), 1, static_cast<Eigen::Index>(data_->problem.blocks().size()), 1,
               "d_mu");
  const bool has_G = tangent.G.size() > 0;
  Eigen::VectorXd result(rows);
  data_->for_each_island([&](const ContactIsland& island, const IslandDerivative& own) {
    Eigen::VectorXd right;
    gather_rows(island, b, right);
    right = own.right_hand_side(island, right);
    for (std::size_t i = 0; i < island.blocks.size(); ++i) {
      const ContactBlock& block = island.columns.blocks()[i];
      if (block.kind != ContactKind::friction) continue;
      if (tangent.mu.size() > 0)
        right.segment<3>(block.row) -= tangent.mu[island.blocks[i]] *
                                       own.system.equations()[i].by_mu;
      const int row = island.rows[static_cast<std::size_t>(block.row)];
      right[block.row + 1] -= own.coupling_change(
          i, has_G ? tangent.G(row, row + 2) : 0.0, has_G ? tangent.G(row + 1, row + 2) : 0.0,
          (has_G ? tangent.G(row + 2, row + 2) : 0.0) + d_R[row + 2]);
    }
    scatter_rows(island, own.system.solve(right), result);
  });
  return result;
}

Eigen::MatrixXd SolutionDerivative::force_change(const Eigen::MatrixXd& b,
                                                 const Eigen::MatrixXd& d_mu) const {
  const Eigen::Index rows = data_->problem.rows();
  check_part(b.rows(), b.cols(), rows, b.cols(), "b");
  check_finite(b, "b");
  check_finite(d_mu, "d_mu");
  const bool has_mu = d_mu.size() > 0;
  if (has_mu)
    check_part(d_mu.rows(), d_mu.cols(), static_cast<Eigen::Index>(data_->problem.blocks().size()),
               b.cols(), "d_mu");
  Eigen::MatrixXd result(rows, b.cols());
  data_->for_each_island([&](const ContactIsland& island, const IslandDerivative& own) {
    Eigen::MatrixXd right = own.right_hand_side(island, b(island.rows, Eigen::all));
    for (std::size_t i = 0; has_mu && i < island.blocks.size(); ++i) {
      const ContactBlock& block = island.columns.blocks()[i];
      if (block.kind == ContactKind::friction)
        right.middleRows<3>(block.row) -= own.system.equations()[i].by_mu *
                                          d_mu.row(island.blocks[i]);
    }
    result(island.rows, Eigen::all) = own.system.solve(right);
  });
  return result;
}

int SolutionDerivative::islands() const { return static_cast<int>(data_->islands.size()); }

std::span<const int> SolutionDerivative::island_rows(int island) const {
  return data_->problem.data().islands()[static_cast<std::size_t>(island)].rows;
}

Eigen::MatrixXd SolutionDerivative::island_force_pullback(int island,
                                                          const Eigen::MatrixXd& by_force) const {
  const ContactIsland& given = data_->problem.data().islands()[static_cast<std::size_t>(island)];
  const IslandDerivative& own = data_->islands[static_cast<std::size_t>(island)];
  check_part(by_force.rows(), by_force.cols(), static_cast<Eigen::Index>(given.rows.size()),
             by_force.cols(), "by_force");
  Eigen::MatrixXd result(by_force.rows(), by_force.cols());
  Eigen::VectorXd w;
  for (Eigen::Index j = 0; j < by_force.cols(); ++j) {
    w = own.system.solve_transposed(by_force.col(j));
    for (std::size_t i = 0; i < given.blocks.size(); ++i) {
      const ContactBlock& block = given.columns.blocks()[i];
      const int size = row_count(block.kind);
      result.col(j).segment(block.row, size).noalias() =
          -own.system.equations()[i].by_velocity.topLeftCorner(size, size).transpose() *
          w.segment(block.row, size);
    }
  }
  return result;
}

bool SolutionDerivative::velocity_is_unique() const {
  bool unique = true;
  data_->for_each_island([&](const ContactIsland& island, const IslandDerivative& own) {
    unique = unique && own.velocity_is_unique(island);
  });
  return unique;
}

bool SolutionDerivative::keeps_modes(const Eigen::VectorXd& b) const {
  check_part(b.size(), 1, data_->problem.rows(), 1, "b");
  check_finite(b, "b");
  bool keeps = true;
  Eigen::VectorXd part;
  data_->for_each_island([&](const ContactIsland& island, const IslandDerivative& own) {
    gather_rows(island, b, part);
    keeps = keeps && own.keeps_modes(island, part);
  });
  return keeps;
}

ContactCotangent SolutionDerivative::vjp(const Eigen::VectorXd& d_force) const {
  const Eigen::Index rows = data_->problem.rows();
  check_part(d_force.size(), 1, rows, 1, "d_force");
  check_finite(d_force, "d_force");
  ContactCotangent result;
  result.g.resize(rows);
  result.mu.setZero(static_cast<Eigen::Index>(data_->problem.blocks().size()));
  const bool needs_blocks = data_->model == ContactModel::raisim || data_->regularization > 0;
  if (needs_blocks) result.G_blocks.setZero(3, rows);
  Eigen::VectorXd by_normal = Eigen::VectorXd::Zero(rows);
  data_->for_each_island([&](const ContactIsland& island, const IslandDerivative& own) {
    Eigen::VectorXd w;
    gather_rows(island, d_force, w);
    w = own.system.solve_transposed(w);
    for (std::size_t i = 0; i < island.blocks.size(); ++i) {
      const ContactBlock& block = island.columns.blocks()[i];
      const BlockEquations& equations = own.system.equations()[i];
      const int size = row_count(block.kind),
                row = island.rows[static_cast<std::size_t>(block.row)];
      result.g.segment(row, size).noalias() =
          -equations.by_velocity.topLeftCorner(size, size).transpose() * w.segment(block.row, size);
      if (size != 3) continue;
      result.mu[island.blocks[i]] = -equations.by_mu.dot(w.segment<3>(block.row));
      if (data_->model != ContactModel::raisim) continue;
      const double weight = -w[block.row + 1];
      // each side of the diagonal gets half of an entry, so that symmetrizing changes nothing
      result.G_blocks(0, row + 2) = result.G_blocks(2, row) = 0.5 * weight *
                                                              own.coupling_change(i, 1, 0, 0);
      result.G_blocks(1, row + 2) = result.G_blocks(2, row + 1) = 0.5 * weight *
                                                                  own.coupling_change(i, 0, 1, 0);
      by_normal[row + 2] = result.G_blocks(2, row + 2) = weight * own.coupling_change(i, 0, 0, 1);
    }
  });
  result.R = result.g.cwiseProduct(data_->force) + by_normal;
  if (data_->regularization > 0) {
    for (const ContactBlock& block : data_->problem.blocks())
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
