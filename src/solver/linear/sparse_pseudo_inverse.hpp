// SPDX-License-Identifier: BSD-2-Clause
// The least-norm, least-squares inverse of M = F + S W^T W without forming W^T W, F and S of one 3
// x 3 block a contact: what the equations of active contacts are (active_system.hpp), where there
// are many of them.
//
// Tikhonov   x = (M^T M + d^2)^-1 M^T r is the first block of
//                [ d M ; M^T -d ] [p; x] = [r; c], c = 0; with r = 0 the other one is the same
//                inverse, transposed, of c.
//            With the motions v = W x and q = W S^T p, contacts drop out one by one, and what is
//            left has the size of motions:
//                [ H_v  d K^T ; d K  -H_q ] [v; q] = [W S^T (P1 r + d P2 c); W (d P2^T r - P0 c)]
//                H_v = W S^T P1 S W^T,  H_q = W P0 W^T,  K = I + W P2^T S W^T
//            with P1 = d^2 (d^2 + F F^T)^-1, P0 = d^2 (d^2 + F^T F)^-1, P2 = F (d^2 + F^T F)^-1,
//            from a decomposition of each F.
// Iterated   x <- x + T(r - M x) tends to the pseudo-inverse, whether r is in the range of M or
//            not, and mends the rounding of T. What rounding leaves in the null space of M, it does
//            not see: M^+ = M^+ M M^+ does, a second pass from M x.
// d          1e-9 resolves stacks of a hundred boxes. Where bodies are free to move beside others
// that are held, rounding spoils T
//            like 1e-16 / d^2, which a trial tells; then d is 1e-6, and where that does not help
//            either, there is no such inverse.
// Factor     symmetric and indefinite, L D L^T with one block of D for each node; each is regular,
//            since H_v and H_q are semidefinite and K is the identity plus what sliding damps.
//            Blocks are inverted with pivoting.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "solver/linear/block_columns.hpp"

namespace tactum {

/// F x + S W^T v = r of one contact, in comparable units of force. Contacts of one row use the
/// first entries; both zero: a contact that takes no part.
struct PseudoInverseBlock {
  Eigen::Matrix3d F = Eigen::Matrix3d::Zero();
  Eigen::Matrix3d S = Eigen::Matrix3d::Zero();
};

class SparsePseudoInverse {
 public:
  /// `columns` are those of W and are kept by reference. False where rounding spoils the inverse
  /// for every d: take a dense one.
  bool factorize(const BlockColumns& columns, std::vector<PseudoInverseBlock> blocks);

  /// x = M^+ r, and w = (M^+)^T c.
  Eigen::VectorXd solve(const Eigen::VectorXd& r) const {
    return iterate(product(iterate(r, false)), false);
  }
  Eigen::VectorXd solve_transposed(const Eigen::VectorXd& c) const {
    return iterate(product_transposed(iterate(c, true)), true);
  }
  /// M x, M^T w.
  Eigen::VectorXd product(const Eigen::VectorXd& x) const;
  Eigen::VectorXd product_transposed(const Eigen::VectorXd& w) const;

  /// Whether more than one x has the same M x: some are lost on the way there and back.
  bool singular() const { return singular_; }

 private:
  struct Projections {
    Eigen::Matrix3d P1, P2, P0;
  };
  void set_projections();
  void assemble();
  void factorize_panels();
  void solve_factor(Eigen::VectorXd& v, Eigen::VectorXd& q) const;
  Eigen::VectorXd regularized(const Eigen::VectorXd& right, bool transposed) const;
  Eigen::VectorXd iterate(const Eigen::VectorXd& right, bool transposed) const;
  template <class MatrixOf>
  Eigen::VectorXd by_block(const Eigen::VectorXd& in, const MatrixOf& matrix_of) const;
  Eigen::VectorXd to_motion(const Eigen::VectorXd& rows) const;
  Eigen::VectorXd to_rows(const Eigen::VectorXd& motion) const;

  const BlockColumns* columns_ = nullptr;
  std::vector<PseudoInverseBlock> blocks_;
  std::vector<Projections> projections_;
  std::vector<double> values_;  ///< panels of the factor, of twice the height and width of those of
                                ///< the pattern
  double shift_ = 0;            ///< d
  bool singular_ = false;
};

}  // namespace tactum
