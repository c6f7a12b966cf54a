// SPDX-License-Identifier: BSD-2-Clause
// Newton's method on proximal steps of min over K of 1/2 f.(G + R) f + b.f. ccp_newton and the
// Newton phase of ADMM consist of such steps.
//
// Proximal   A step around f_k with the diagonal weight Q >= 0 adds Q to the quadratic, whose
//            diagonal becomes P = R + Q, one number for each block: P = tau D + the largest R of
//            the block. Where R is one number for each block, tau = 0 leaves Q = 0, and one step
//            solves the problem, as in MuJoCo.
// Dual       With the motion v = W f that the forces make, the step minimizes the convex function
//                psi(v) = 1/2 |v|^2 + 1/2 |P_K(y)|_P^2,  y = (Q f_k - b - W^T v) / P,
//            which is once differentiable, as MuJoCo does over velocities (Todorov 2014). Then f =
//            P_K(y).
// Newton     Sparse Cholesky factorization solves (I + W H W^T) dv = W f - v with H = P_K'(y) / P,
//            block by block. Where G is given instead of W, v = W x is never formed: (I + H G) dx =
//            f
//            - x is solved through I + B^T G B with H = B B^T.
// Search     Along dv, psi' is monotone and costs one pass over the blocks.
#pragma once

#include "solver/problem/residual.hpp"

namespace tactum {

class ProximalNewton {
 public:
  /// Begins the first proximal step, with the weight tau D around `force`. `b` is copied; D and the
  /// problem are kept by reference until the next start.
  void start(const ProblemView& problem, const Eigen::VectorXd& weight, double tau,
             const Eigen::VectorXd& b, const Eigen::VectorXd& force);
  /// Begins another proximal step, with another linear term. `force` must not be force() of this
  /// object.
  void recenter(double tau, const Eigen::VectorXd& b, const Eigen::VectorXd& force);

  /// Takes one Newton step. Returns false when the system could not be factorized.
  bool step();

  const Eigen::VectorXd& force() const { return projected_; }
  /// Sets (G + R) f + g of that force after a step, from vectors that the step has computed.
  /// Rounding gathers in them; set_contact_velocity() computes the velocity afresh.
  void set_velocity(Eigen::VectorXd& velocity) const {
    velocity = rows_ + response_ + problem_->delassus.R.cwiseProduct(projected_) + problem_->g;
  }
  /// Largest difference of the force from the center of the proximal step.
  double moved() const { return (projected_ - center_).cwiseAbs().maxCoeff(); }
  /// Largest difference of the velocity that the force makes from that of v, over D.
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
  // after a step, motion_ is W f - v and rows_ is W^T of it
  Eigen::VectorXd point_, projected_, scratch_, motion_, rows_;
  std::vector<double> slopes_, values_,
      addition_;          ///< slopes_: H or B, nine numbers a block
  bool stepped_ = false;  ///< since the last center
  double left_ = 0;
  double along_ = 0,
         square_ = 0;  ///< psi' along the direction, without the forces, is along_ + step * square_
};

}  // namespace tactum
