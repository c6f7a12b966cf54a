// SPDX-License-Identifier: BSD-2-Clause
// The algorithms of Le Lidec et al. 2023 as plain loops, for claims about that paper.
//
// Printed    Steps, order of visits and projections are those of the listings. A solve begins from
//            zero or from the force of a warm start, and returns the last iterate. It stops where
//            the largest of primal, dual and complementarity residual, which the survey defines
//            below eq. 14, is at most 0.99 of the tolerance, and where passes change nothing
//            (SolverProgress::finish_iteration); it looks after every pass.
// Relaxation Eq. 22 after every pass, f <- w f + (1 - w) f-; in Alg. 3 within line 3, so that lines
//            4 and 5 read the relaxed force. The equation prints the two iterates the other way
//            round, with which a weight of 1 would never move.
// Left open  The listings know friction alone: a row of another kind takes the two lines of a
//            normal force with its own bounds. The residual that stops the lcp, the ccp and raisim
//            is that of their own model. A row that nothing moves gets no force. Islands are
//            solved apart, which changes the end of the loops and nothing else.
#pragma once

#include <Eigen/Cholesky>

#include "solver/active_set/solver_progress.hpp"

namespace tactum {

/// Minimizes 1/2 x.G x + b.x over a product of sets by Alg. 3. The survey leaves open how rho is
/// chosen: here it begins with the mean of the diagonal of G and, every tenth iteration, goes with
/// the square root of the ratio of primal and dual residual where one is more than ten times the
/// other.
class PrintedAdmm {
 public:
  /// `scale` is the logarithm of rho over the mean of the diagonal of G.
  void start(const Eigen::MatrixXd& G, const Eigen::VectorXd& x, const Eigen::VectorXd& multiplier,
             double scale);
  /// Lines 3 to 5. `project` replaces a vector by the nearest point of the sets.
  template <class Project>
  void iterate(const Eigen::MatrixXd& G, const Eigen::VectorXd& b, double relaxation,
               const Project& project) {
    last_force_ = force_;
    last_set_ = set_;
    force_ = rho_ * set_ - b - multiplier_;
    factor_.solveInPlace(force_);
    force_ = relaxation * force_ + (1 - relaxation) * last_force_;
    set_ = force_ + multiplier_ / rho_;
    project(set_);
    multiplier_ += rho_ * (force_ - set_);
    adapt(G);
  }
  double primal() const { return (force_ - set_).cwiseAbs().maxCoeff(); }
  double dual() const { return rho_ * (set_ - last_set_).cwiseAbs().maxCoeff(); }
  const Eigen::VectorXd& force() const { return force_; }            ///< lambda
  const Eigen::VectorXd& set() const { return set_; }                ///< z
  const Eigen::VectorXd& multiplier() const { return multiplier_; }  ///< gamma
  double scale() const;

 private:
  void adapt(const Eigen::MatrixXd& G);
  void refactor(const Eigen::MatrixXd& G);

  Eigen::LLT<Eigen::MatrixXd> factor_;
  Eigen::MatrixXd shifted_;
  Eigen::VectorXd force_, set_, multiplier_, last_force_, last_set_;
  double rho_ = 1, mean_ = 1;
  int since_change_ = 0;
};

struct PrintedScratch {
  Eigen::MatrixXd G, part_G[2];  ///< G + R of the island, and its parts in the rows of Alg. 6
  Eigen::VectorXd last, velocity, motion, unit, linear, part_b[2], part_start;
  std::vector<int> part_rows[2];
  PrintedAdmm admm[2];
};

/// One loop each. All read `scratch.G`, which solve_as_printed() sets.
void printed_lcp_pgs(SolverTask& task, PrintedScratch& scratch);
void printed_ccp_pgs(SolverTask& task, PrintedScratch& scratch);
void printed_ncp_pgs(SolverTask& task, PrintedScratch& scratch);
void printed_bisection(SolverTask& task, PrintedScratch& scratch);
void printed_admm(SolverTask& task, PrintedScratch& scratch);
void printed_staggered(SolverTask& task, PrintedScratch& scratch);

/// Whether the survey lists an algorithm of that name, or, for ncp_admm, all of its parts.
bool is_printed(ContactSolver solver);

/// Solves an island as printed. The solver must be one that is_printed() knows.
void solve_as_printed(SolverTask& task, PrintedScratch& scratch);

/// Velocity of one row under the force, with (G + R) f + g summed afresh.
inline double row_velocity(const SolverTask& task, const PrintedScratch& scratch, int row) {
  return scratch.G.col(row).dot(task.force) + task.problem.g[row];
}

/// Lines 3 and 4 of Alg. 1 and Alg. 5 for the last row of a block.
inline void update_normal(SolverTask& task, const PrintedScratch& scratch,
                          const ContactBlock& block) {
  const int row = block.row + row_count(block.kind) - 1;
  const double diagonal = scratch.G(row, row);
  const double stepped = diagonal > 0
                             ? task.force[row] - row_velocity(task, scratch, row) / diagonal
                             : 0.0;
  task.force[row] = block.kind == ContactKind::friction ? std::max(0.0, stepped)
                                                        : project_row(block, stepped);
}

/// Relaxes a pass, measures its residual and returns whether it was the last. `scratch.last` is the
/// force before the pass.
bool finish_pass(SolverTask& task, PrintedScratch& scratch, double relaxation);

/// Runs passes over all contacts until the stopping rule ends them. `update(block)` changes the
/// force of one block.
template <class Update>
void printed_passes(SolverTask& task, PrintedScratch& scratch, const Update& update) {
  do {
    scratch.last = task.force;
    for (const ContactBlock& block : task.problem.blocks) update(block);
  } while (!finish_pass(task, scratch, task.options.over_relaxation));
}

}  // namespace tactum
