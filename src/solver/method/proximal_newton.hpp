// SPDX-License-Identifier: BSD-2-Clause
// Newton's method on proximal steps of min over K of 1/2 f.(G + R) f + b.f: what ccp_newton and the
// finish of ADMM are made of.
//
// Proximal   around f_k with the diagonal weight Q >= 0 the quadratic gets the diagonal P = R + Q,
//            one number a block: P = tau D + the largest R of the block. Where R is one number a
//            block, tau = 0 leaves Q = 0: one step solves the problem, as MuJoCo's does.
// Dual       with v = W f the motion that the forces make, minimize the convex, once differentiable
//                psi(v) = 1/2 |v|^2 + 1/2 |P_K(y)|_P^2,  y = (Q f_k - b - W^T v) / P,
//            as MuJoCo does over velocities (Todorov 2014); then f = P_K(y).
// Newton     (I + W H W^T) dv = W f - v, H = P_K'(y) / P block by block, by sparse Cholesky. Where
//            G is given instead of W, v = W x is never formed: (I + H G) dx = f - x, through I +
//            B^T G B with H = B B^T.
// Search     along dv, psi' is monotone and costs one pass over the blocks.
#pragma once

#include "solver/problem/residual.hpp"

namespace tactum {

class ProximalNewton {
 public:
  /// Begins the first proximal step, of weight tau D around `force`. `b` is copied; D and the
  /// problem are kept by reference until the next start. The problem has its columns.
  void start(const ProblemView& problem, const Eigen::VectorXd& weight, double tau,
             const Eigen::VectorXd& b, const Eigen::VectorXd& force);
  /// Begins another, with another linear term. `force` is no member of this object.
  void recenter(double tau, const Eigen::VectorXd& b, const Eigen::VectorXd& force);

  /// One Newton step; false when the system could not be factorized.
  bool step();

  const Eigen::VectorXd& force() const { return projected_; }
  /// (G + R) f + g of that force after a step, from what the step has computed: up to rounding that
  /// has gathered in v.
  void set_velocity(Eigen::VectorXd& velocity) const {
    velocity = rows_ + response_ + problem_->delassus.R.cwiseProduct(projected_) + problem_->g;
  }
  /// Largest difference of the force from the center, and of the velocity that it makes from that
  /// of v, over D.
  double moved() const { return (projected_ - center_).cwiseAbs().maxCoeff(); }
  double left() const { return left_; }

 private:
  void set_point(double step);
  double slope(double step);
  double line_search();
  void set_slopes();
  bool factorize();
  void solve(Eigen::VectorXd& v, Eigen::VectorXd& response);
  void solve_forces(Eigen::VectorXd& x);
  void move(double length);

  const ProblemView* problem_ = nullptr;
  const Eigen::VectorXd* weight_ = nullptr;
  Eigen::VectorXd center_, inverse_total_, linear_;  ///< 1 / P and Q f_k - b
  Eigen::VectorXd v_, direction_, response_,
      direction_response_;  ///< v or x; W^T v or G x, in rows
  /// after a step motion_ is W f - v, rows_ what that moves
  Eigen::VectorXd point_, projected_, scratch_, motion_, rows_;
  std::vector<double> slopes_, values_,
      addition_;          ///< slopes_: H or B, nine numbers a block
  bool stepped_ = false;  ///< since the last center
  double left_ = 0;
  double along_ = 0,
         square_ = 0;  ///< of psi' along the direction: its part without forces
};

}  // namespace tactum
