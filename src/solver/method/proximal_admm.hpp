// SPDX-License-Identifier: BSD-2-Clause
// Proximal ADMM for min 1/2 x.(G + R) x + b.x over a product of simple sets (Alg. 3 with a proximal
// term).
//
// One iteration is as follows. D is the mean diagonal of each block; the proximal weight eta and
// the penalty rho are relative to D.
//     f <- (G + R + (eta + rho) D)^-1 (eta D f + rho D y + z - b)
//     y <- P(f^ - z / (rho D)),  f^ = w f + (1 - w) y            with the over-relaxation w
//     z <- z - rho D (f^ - y)                                    stays in the dual cone
// Scale      With D every block has a unit diagonal, so that light and heavy bodies look alike and
//            rho suits all of them. D is one number for each block, which leaves cones and discs in
//            their shape.
// rho        It is sqrt(m L) (L/m)^p, where L is the largest eigenvalue of D^-1/2 (G + R) D^-1/2
//            and m is eta plus the least R/D. Every tenth iteration p moves if one of the two
//            residuals is more than five times the other. A warm start carries p.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>

#include "solver/problem/delassus.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {

class ProximalAdmm {
 public:
  static constexpr double kFirstExponent = 0.2;

  /// Begins from a force and a multiplier. `weight` is the diagonal of D, which is positive.
  void start(const DelassusView& delassus, const Eigen::VectorXd& weight,
             const Eigen::VectorXd& force, const Eigen::VectorXd& dual, double exponent) {
    assert((weight.array() > 0).all() && force.size() == weight.size());
    weight_ = weight;
    force_ = set_ = force;
    dual_ = dual;
    exponent_ = std::clamp(exponent, -0.5, 1.0);
    since_change_ = 0;
    measure(delassus);
    refactor(delassus);
  }

  /// One iteration for the linear term b. `project(x)` replaces a vector by the nearest point of
  /// the sets.
  template <class Project>
  void iterate(const DelassusView& delassus, const Eigen::VectorXd& b, double relaxation,
               const Project& project) {
    const double penalty = penalty_;
    last_force_ = force_;
    last_set_ = set_;
    force_ = dual_ - b + weight_.cwiseProduct(kProximal * last_force_ + penalty * last_set_);
    inverse_.solve(delassus, force_);
    mixed_ = relaxation * force_ + (1 - relaxation) * last_set_;
    set_ = mixed_ - dual_.cwiseQuotient(penalty * weight_);
    project(set_);
    dual_ -= penalty * weight_.cwiseProduct(mixed_ - set_);
    primal_ = (force_ - set_).cwiseAbs().maxCoeff();
    dual_residual_ = (weight_.cwiseProduct(penalty * (set_ - last_set_) +
                                           kProximal * (force_ - last_force_)))
                         .cwiseAbs()
                         .maxCoeff();
    adapt(delassus);
  }

  const Eigen::VectorXd& force() const { return set_; }  ///< within the sets
  const Eigen::VectorXd& dual() const { return dual_; }
  double exponent() const { return exponent_; }
  /// Largest difference of the two copies of the force, and largest error of the stationarity
  /// condition. Both are results of the iteration itself.
  double primal() const { return primal_; }
  double dual_residual() const { return dual_residual_; }
  double change() const { return std::max((set_ - last_set_).cwiseAbs().maxCoeff(), primal_); }
  double largest() const {
    return std::max(set_.cwiseAbs().maxCoeff(), last_set_.cwiseAbs().maxCoeff());
  }

 private:
  static constexpr double kProximal = 1e-6;

  /// Computes L by power iteration, and m.
  void measure(const DelassusView& delassus) {
    const Eigen::Index n = weight_.size();
    mixed_ = weight_.cwiseSqrt().cwiseInverse();
    // the start has no symmetry: entries of one sign would miss contacts that pull against each
    // other
    last_set_.resize(n);
    for (Eigen::Index i = 0; i < n; ++i)
      last_set_[i] = 1.0 + static_cast<double>((i * 7) % 11) * (i % 2 == 0 ? 0.1 : -0.3);
    least_ = kProximal + delassus.R.cwiseQuotient(weight_).minCoeff();
    largest_eigenvalue_ = 1.0;
    for (int i = 0; i < 12; ++i) {
      check_interrupt();
      const double norm = last_set_.norm();
      if (!(norm > 0)) break;
      last_force_ = mixed_.cwiseProduct(last_set_) / norm;
      delassus_product(delassus, last_force_, scratch_, last_set_);
      last_set_ = mixed_.cwiseProduct(last_set_);
      largest_eigenvalue_ = last_set_.norm();
    }
    largest_eigenvalue_ = std::max(largest_eigenvalue_, least_);
  }

  void refactor(const DelassusView& delassus) {
    penalty_ = std::sqrt(least_ * largest_eigenvalue_) *
               std::pow(largest_eigenvalue_ / least_, exponent_);
    penalty_ = std::clamp(penalty_, 1e-9 * largest_eigenvalue_, 1e6 * largest_eigenvalue_);
    shift_ = (kProximal + penalty_) * weight_;
    while (!inverse_.factorize(delassus, shift_)) {
      // G is semidefinite up to rounding only: the shift grows until the sum is definite
      penalty_ *= 10;
      shift_ = (kProximal + penalty_) * weight_;
    }
  }

  void adapt(const DelassusView& delassus) {
    if (++since_change_ < 10) return;
    // both are in units of the square root of a power
    const double primal = (weight_.cwiseSqrt().cwiseProduct(force_ - set_)).cwiseAbs().maxCoeff();
    const double dual =
        (weight_.cwiseSqrt().cwiseProduct(penalty_ * (set_ - last_set_))).cwiseAbs().maxCoeff();
    since_change_ = 0;
    const double spread = std::log(largest_eigenvalue_ / least_);
    if (!(primal > 5 * dual || dual > 5 * primal) || !(spread > 0)) return;
    // rho times the square root of their ratio (Stellato et al. 2020), as a change of p
    const double ratio = std::clamp(primal / std::max(dual, 1e-30 * primal), 1e-4, 1e4);
    const double next = std::clamp(exponent_ + 0.5 * std::log(ratio) / spread, -0.5, 1.0);
    if (next == exponent_) return;
    exponent_ = next;
    refactor(delassus);
  }

  ShiftedInverse inverse_;
  Eigen::VectorXd weight_, shift_, force_, set_, dual_, last_force_, last_set_, mixed_, scratch_;
  double exponent_ = 0, penalty_ = 1, least_ = 1, largest_eigenvalue_ = 1;
  double primal_ = 0, dual_residual_ = 0;
  int since_change_ = 0;
};

/// Sets the diagonal of D: the mean diagonal of each block, but never 0.
inline void set_block_weights(std::span<const ContactBlock> blocks,
                              std::span<const BlockMatrix> diagonal, Eigen::VectorXd& weight) {
  double largest = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    largest = std::max(largest, block_scale(diagonal[i], blocks[i]));
  if (!(largest > 0)) largest = 1;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const double scale = block_scale(diagonal[i], blocks[i]);
    weight.segment(blocks[i].row, row_count(blocks[i].kind))
        .setConstant(std::max(scale, 1e-15 * largest));
  }
}

}  // namespace tactum
