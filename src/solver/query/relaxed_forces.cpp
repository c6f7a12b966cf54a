// SPDX-License-Identifier: BSD-2-Clause
#include "solver/query/relaxed_forces.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "tactum/interrupt.hpp"
#include "tactum/pose.hpp"

namespace tactum {
namespace {

using Index = Eigen::Index;

constexpr int kMostNewtonSteps = 60;
constexpr int kMostShifts = 4;       // of Gamma at one kappa
constexpr double kFirstShare = 1e4;  // the first kappa, relative to the one that is asked for
constexpr double kNextShare = 0.1;
constexpr double kConverged = 1e-9;  // of the largest velocity
constexpr double kFinished = 1e-14;
constexpr double kRound = 1e-10;     // of the largest velocity: slips below it have a round norm
constexpr double kToBorder = 0.9;    // share of the way to the border of a cone
constexpr double kResolved = 1e-13;  // of the square of a force: nearer to the border is rounding

}  // namespace

/// The equations with numbers for kappa; `share` multiplies all of them.
class RelaxedForces::Equations {
 public:
  Equations(const ContactProblem& problem, const Eigen::VectorXd& kappa)
      : blocks_(problem.blocks()), kappa_(kappa), G_(problem.dense_G()), g_(problem.g()) {
    G_.diagonal() += problem.R();
    scale_ = std::max(1e-300, g_.size() > 0 ? g_.cwiseAbs().maxCoeff() : 1.0);
  }

  double share = 1.0;
  double scale() const { return scale_; }
  const Eigen::MatrixXd& G() const { return G_; }
  Eigen::VectorXd velocity(const Eigen::VectorXd& f) const { return G_ * f + g_; }

  /// Forces inside all cones.
  Eigen::VectorXd start() const {
    Eigen::VectorXd f = Eigen::VectorXd::Zero(g_.size());
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const ContactBlock& block = blocks_[i];
      const int row = block.row + row_count(block.kind) - 1;
      if (block.kind == ContactKind::bilateral) continue;
      if (block.kind == ContactKind::box) {
        const bool has_lower = std::isfinite(block.lower), has_upper = std::isfinite(block.upper);
        if (has_lower && has_upper)
          f[row] = 0.5 * (block.lower + block.upper);
        else if (has_lower || has_upper)
          f[row] = has_lower ? block.lower + 1.0 : block.upper - 1.0;
        continue;
      }
      f[row] = std::sqrt(share * kappa_[static_cast<Index>(i)] / std::max(G_(row, row), 1e-300));
    }
    return f;
  }

  /// The right side of the equations, kappa beta, and its derivative by f, block by block.
  void set_barrier(const Eigen::VectorXd& f, Eigen::VectorXd& beta, Eigen::MatrixXd& slope) const {
    beta.setZero(f.size());
    slope.setZero(f.size(), f.size());
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const ContactBlock& block = blocks_[i];
      const double k = share * kappa_[static_cast<Index>(i)];
      const Index r = block.row;
      switch (block.kind) {
        case ContactKind::bilateral: break;
        case ContactKind::frictionless:
        case ContactKind::limit:
          beta[r] = k / f[r];
          slope(r, r) = -k / (f[r] * f[r]);
          break;
        case ContactKind::box: {
          const double below = 1.0 / (f[r] - block.lower), above = 1.0 / (block.upper - f[r]);
          beta[r] = k * (below - above);
          slope(r, r) = -k * (below * below + above * above);
          break;
        }
        case ContactKind::friction: {
          const Vector3 weight(-1.0, -1.0, block.mu * block.mu), own = f.segment<3>(r);
          const Vector3 turned = weight.cwiseProduct(own);
          const double D = cone(block, f);
          beta.segment<3>(r) = k / D * turned;
          slope.block<3, 3>(r, r) = -2.0 * k / (D * D) * turned * turned.transpose();
          slope.block<3, 3>(r, r).diagonal() += k / D * weight;
          break;
        }
      }
    }
  }

  /// The function whose gradient is (G + R) f + g + shift - kappa beta.
  double value(const Eigen::VectorXd& f, const Eigen::VectorXd& shift) const {
    double sum = 0.5 * f.dot(G_ * f) + f.dot(g_ + shift);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const ContactBlock& block = blocks_[i];
      const double k = share * kappa_[static_cast<Index>(i)];
      const Index r = block.row;
      if (block.kind == ContactKind::friction)
        sum -= 0.5 * k * std::log(cone(block, f));
      else if (block.kind == ContactKind::box) {
        if (std::isfinite(block.lower)) sum -= k * std::log(f[r] - block.lower);
        if (std::isfinite(block.upper)) sum -= k * std::log(block.upper - f[r]);
      } else if (block.kind != ContactKind::bilateral) {
        sum -= k * std::log(f[r]);
      }
    }
    return sum;
  }

  bool is_inside(const Eigen::VectorXd& f) const {
    for (const ContactBlock& block : blocks_) {
      const double own = f[block.row];
      const bool inside = block.kind == ContactKind::bilateral ? true
                          : block.kind == ContactKind::box ? own > block.lower && own < block.upper
                          : block.kind == ContactKind::friction
                              ? f[block.row + 2] > 0.0 &&
                                    cone(block, f) >
                                        kResolved * f.segment<3>(block.row).squaredNorm()
                              : own > 0.0;
      if (!inside) return false;
    }
    return true;
  }

  /// Gamma(s) and, where asked for, its derivative by s.
  Eigen::VectorXd correction(const Eigen::VectorXd& s, Eigen::MatrixXd* slope = nullptr) const {
    Eigen::VectorXd out = Eigen::VectorXd::Zero(s.size());
    for (const ContactBlock& block : blocks_) {
      if (block.kind != ContactKind::friction) continue;
      const Eigen::Vector2d slip = s.segment<2>(block.row);
      const double speed = std::hypot(slip.x(), slip.y(), kRound * scale_);
      out[block.row + 2] = block.mu * speed;
      if (slope != nullptr)
        slope->block<1, 2>(block.row + 2, block.row) = block.mu / speed * slip.transpose();
    }
    return out;
  }

  /// Derivative of the equations by mu, rows x blocks.
  Eigen::MatrixXd by_mu(const Eigen::VectorXd& f) const {
    const Eigen::VectorXd s = velocity(f);
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(f.size(), static_cast<Index>(blocks_.size()));
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const ContactBlock& block = blocks_[i];
      if (block.kind != ContactKind::friction) continue;
      const Vector3 own = f.segment<3>(block.row);
      const Vector3 turned = Vector3(-1.0, -1.0, block.mu * block.mu).cwiseProduct(own);
      const double D = cone(block, f), D_by_mu = 2.0 * block.mu * own.z() * own.z();
      Vector3 beta = -D_by_mu / (D * D) * turned;
      beta.z() += 2.0 * block.mu * own.z() / D;
      const auto column = static_cast<Index>(i);
      out.block<3, 1>(block.row, column) = -share * kappa_[column] * beta;
      out(block.row + 2, column) += std::hypot(s[block.row], s[block.row + 1], kRound * scale_);
    }
    return out;
  }

 private:
  static double cone(const ContactBlock& block, const Eigen::VectorXd& f) {
    const double limit = block.mu * f[block.row + 2], push = f.segment<2>(block.row).norm();
    return (limit - push) * (limit + push);
  }

  const std::vector<ContactBlock>& blocks_;
  const Eigen::VectorXd& kappa_;
  Eigen::MatrixXd G_;
  Eigen::VectorXd g_;
  double scale_ = 1.0;
};

namespace {

/// The longest of 1, 1/2, 1/4, ... of a step that stays inside all cones.
template <class Equations>
double inside_share(const Equations& equations, const Eigen::VectorXd& f,
                    const Eigen::VectorXd& step) {
  double share = 1.0;
  for (int i = 0; i < 60 && !equations.is_inside(f + share / kToBorder * step); ++i) share *= 0.5;
  return share;
}

/// Minimizes for a Gamma that is held.
template <class Equations>
void minimize(const Equations& equations, const Eigen::VectorXd& shift, Eigen::VectorXd& f) {
  Eigen::VectorXd beta;
  Eigen::MatrixXd slope;
  double value = equations.value(f, shift);
  for (int i = 0; i < kMostNewtonSteps; ++i) {
    check_interrupt();
    equations.set_barrier(f, beta, slope);
    const Eigen::VectorXd gradient = equations.velocity(f) + shift - beta;
    if (gradient.cwiseAbs().maxCoeff() <= kConverged * equations.scale()) return;
    Eigen::MatrixXd H = equations.G() - slope;
    H.diagonal().array() += 1e-14 * H.diagonal().maxCoeff();
    const Eigen::VectorXd step = -H.ldlt().solve(gradient);
    double share = inside_share(equations, f, step);
    const double along = gradient.dot(step);
    for (int k = 0; k < 40; ++k, share *= 0.5) {
      if (!equations.is_inside(f + share * step)) continue;
      const double next = equations.value(f + share * step, shift);
      if (next > value + 1e-4 * share * along && k < 39) continue;
      f += share * step;
      value = next;
      break;
    }
  }
}

}  // namespace

RelaxedForces::RelaxedForces(const ContactProblem& problem, const Eigen::VectorXd& kappa)
    : problem_(problem) {
  Equations equations(problem_, kappa);
  equations.share = kFirstShare;
  force_ = equations.start();
  if (force_.size() == 0) {
    converged_ = true;
    return;
  }
  for (;; equations.share = std::max(1.0, kNextShare * equations.share)) {
    for (int i = 0; i < kMostShifts; ++i)
      minimize(equations, equations.correction(equations.velocity(force_)), force_);
    if (equations.share == 1.0) break;
  }
  // Newton's method on the equations with their Gamma
  const Index rows = force_.size();
  Eigen::VectorXd beta;
  Eigen::MatrixXd slope;
  const auto residual = [&](const Eigen::VectorXd& f) -> Eigen::VectorXd {
    equations.set_barrier(f, beta, slope);
    const Eigen::VectorXd s = equations.velocity(f);
    return s + equations.correction(s) - beta;
  };
  Eigen::VectorXd off = residual(force_);
  for (int i = 0; i < kMostNewtonSteps; ++i) {
    check_interrupt();
    by_velocity_.setIdentity(rows, rows);
    equations.correction(equations.velocity(force_), &by_velocity_);
    matrix_.compute(by_velocity_ * equations.G() - slope);
    if (off.cwiseAbs().maxCoeff() <= kFinished * equations.scale()) break;
    const Eigen::VectorXd step = -matrix_.solve(off);
    double share = inside_share(equations, force_, step);
    if (!equations.is_inside(force_ + share * step)) break;
    Eigen::VectorXd next = residual(force_ + share * step);
    for (int k = 0; k < 30 && !(next.norm() < off.norm()); ++k) {
      share *= 0.5;
      next = residual(force_ + share * step);
    }
    if (!(next.norm() < off.norm())) {
      residual(force_);  // the slope at the best force
      break;
    }
    force_ += share * step;
    off = next;
  }
  by_mu_ = equations.by_mu(force_);
  converged_ = off.cwiseAbs().maxCoeff() <= kConverged * equations.scale();
}

Eigen::MatrixXd RelaxedForces::force_change(const Eigen::MatrixXd& b,
                                            const Eigen::MatrixXd& d_mu) const {
  if (force_.size() == 0) return b;
  Eigen::MatrixXd right = -by_velocity_ * b;
  if (d_mu.size() > 0) right -= by_mu_ * d_mu;
  return matrix_.solve(right);
}

Eigen::MatrixXd RelaxedForces::pullback(const Eigen::MatrixXd& by_force) const {
  if (force_.size() == 0) return by_force;
  const Eigen::MatrixXd weights = matrix_.transpose().solve(by_force);
  return -by_velocity_.transpose() * weights;
}

Eigen::VectorXd RelaxedForces::pullback_to_mu(const Eigen::VectorXd& by_force) const {
  if (force_.size() == 0) return Eigen::VectorXd::Zero(0);
  const Eigen::VectorXd weights = matrix_.transpose().solve(by_force);
  return -by_mu_.transpose() * weights;
}

}  // namespace tactum
