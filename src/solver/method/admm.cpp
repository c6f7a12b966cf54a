// SPDX-License-Identifier: BSD-2-Clause
// Alg. 3 of Le Lidec et al. 2023 for the ccp, and for the ncp with b = g + Gamma(z): the multiplier
// z tends to s + Gamma(s), whose tangential part is that of s.
//
// Residual   |f - y| and the stationarity error come free with the iteration; only when both are
//            below the tolerance, and now and then, is the residual of the model computed, from
//            fresh velocities.
// Newton     ADMM is quick to find out which contacts slide, and slow to finish on stacks. After a
//            while proximal Newton steps try to finish from where it is; each counts as an
//            iteration. Where they do not help, ADMM goes on as if nothing had been, and they wait
//            four times as long.
// Shift      of the ncp they solve a row of convex problems, each with Gamma of the last one's
//            velocity in b (Acary et al. 2011). By itself that converges slowly where many contacts
//            slide on each other; Anderson's acceleration makes some ten of them enough. It needs
//            each problem solved well: errors of the inner solutions are what it would extrapolate.
// Sweeps     with friction far above 1 neither may converge. Then, once, short steps contact by
//            contact and Newton on the modes that they find are tried.
#include "solver/method/admm.hpp"

#include "solver/active_set/polish.hpp"
#include "solver/method/proximal_path.hpp"

namespace tactum {
namespace {

constexpr int kFirstHelp = 56;  // iterations before Newton is tried
constexpr int kMostShifts = 40;
constexpr double kTrusted = 1e-3;  // share of the residual without forces from which on the
                                   // velocities of ADMM say what slides
constexpr int kSweeps = 300;
constexpr double kShortStep = 0.3;
constexpr ProximalPath kPath{.first_weight = 1e-2, .least_weight = 1e-8, .patience = 6};

class Admm {
 public:
  Admm(SolverTask& task, AdmmScratch& scratch, bool with_shift)
      : task_(task), s_(scratch), with_shift_(with_shift) {}
  void run();

 private:
  enum class Help { done, better, no_better };
  /// b = g, or g + Gamma of a velocity.
  void set_shifted(const Eigen::VectorXd& velocity);
  double residual_of(const Eigen::VectorXd& force);
  void start(const Eigen::VectorXd& force, const Eigen::VectorXd& dual, double exponent) {
    s_.admm.start(task_.problem.delassus, s_.weight, force, dual, exponent);
  }
  bool iterate(int iteration);
  bool follow(double enough, double& best);
  void set_image();
  Help help();
  bool sweep();
  void set_dual_of_best();

  SolverTask& task_;
  AdmmScratch& s_;
  bool with_shift_;
};

void Admm::set_shifted(const Eigen::VectorXd& velocity) {
  s_.shifted = task_.problem.g;
  if (!with_shift_) return;
  for (const ContactBlock& block : task_.problem.blocks) {
    if (block.kind == ContactKind::friction)
      s_.shifted[block.row + 2] += block.mu * tangent_norm(block_value(velocity, block));
  }
}

/// Leaves the velocity of the force.
double Admm::residual_of(const Eigen::VectorXd& force) {
  delassus_product(task_.problem.delassus, force, s_.motion, s_.velocity);
  s_.velocity += task_.problem.g;
  return task_.residual(force, s_.velocity);
}

/// True when it was the last.
bool Admm::iterate(int iteration) {
  const std::span<const ContactBlock> blocks = task_.problem.blocks;
  const auto project = [&](Eigen::VectorXd& x) {
    for (const ContactBlock& block : blocks)
      set_block_value(x, block, project_block(block, block_value(x, block)));
  };
  set_shifted(s_.admm.dual());
  s_.admm.iterate(task_.problem.delassus, s_.shifted, task_.options.over_relaxation, project);
  const double free_estimate = std::max(s_.admm.primal(), s_.admm.dual_residual());
  const bool compute = task_.options.history || free_estimate <= task_.progress.goal() ||
                       iteration % 20 == 0 || iteration == task_.options.max_iterations ||
                       Progress::is_rounding(s_.admm.change(), s_.admm.largest());
  const double residual = compute ? residual_of(s_.admm.force()) : Progress::not_computed;
  return task_.progress.finish_iteration(s_.admm.force(), residual, s_.admm.change(),
                                         s_.admm.largest());
}

/// The multiplier that goes with the best force, s + Gamma(s), and that force as the center.
void Admm::set_dual_of_best() {
  s_.center = task_.progress.best();
  residual_of(s_.center);
  set_shifted(s_.velocity);
  task_.dual = s_.velocity + s_.shifted - task_.problem.g;
}

/// Proximal Newton on the convex problem with the linear term that is set, from `s_.center` to
/// `enough` of its residual. True when the solver is done.
bool Admm::follow(double enough, double& best) {
  const ResidualRule convex(ContactModel::ccp, task_.options.polygon, task_.diagonal);
  bool done = false;
  const auto judge = [&](const Eigen::VectorXd& force, double change) {
    s_.newton.set_velocity(s_.velocity);
    double residual = task_.residual(force, s_.velocity);
    if (residual <= task_.progress.goal()) residual = residual_of(force);  // fresh, where it counts
    best = std::min(best, residual);
    // a convex problem that is solved is no end while its shift still moves
    const double moved = with_shift_ ? std::max(change, (force - s_.last).cwiseAbs().maxCoeff())
                                     : change;
    done = task_.progress.finish_iteration(force, residual, moved, force.cwiseAbs().maxCoeff());
    if (done || !with_shift_) return PathJudgment{done, residual};
    s_.image = s_.velocity + s_.shifted - task_.problem.g;
    const double own = tactum::residual_of(task_.problem, convex, force, s_.image).worst();
    return PathJudgment{own <= enough, own};
  };
  const auto linear = [&]() -> const Eigen::VectorXd& { return s_.shifted; };
  follow_path(kPath, task_.problem, s_.weight, s_.newton, s_.center, judge, linear);
  return done;
}

/// Gamma of the velocity of `s_.center`, exactly 0 where its force is within its cone: what moves
/// there is rounding, and the convex problem would answer it by opening the contact.
void Admm::set_image() {
  residual_of(s_.center);
  s_.image.setZero(task_.problem.rows());
  for (const ContactBlock& block : task_.problem.blocks) {
    if (block.kind != ContactKind::friction) continue;
    const Double3 f = block_value(s_.center, block);
    if (tangent_norm(f) < (1 - 1e-12) * block.mu * f.z) continue;
    s_.image[block.row + 2] = block.mu * tangent_norm(block_value(s_.velocity, block));
  }
}

Admm::Help Admm::help() {
  s_.image.setZero(task_.problem.rows());
  const double unloaded = residual_of(s_.image);
  s_.center = s_.admm.force();
  const double before = residual_of(s_.center);
  double best = before;
  s_.shifted = task_.problem.g;
  if (!with_shift_) {
    if (follow(0.0, best)) return Help::done;
    return best < 0.5 * before ? Help::better : Help::no_better;
  }
  s_.mixing.reset();
  s_.shift.setZero(task_.problem.rows());
  if (before <= kTrusted * unloaded) {
    set_image();
    s_.shift = s_.image;
  }
  const double enough = std::max(1e-3 * task_.progress.goal(), 1e-10 * before);
  for (int outer = 0, stalled = 0; outer < kMostShifts && stalled < 4; ++outer) {
    s_.shifted = task_.problem.g + s_.shift.cwiseMax(0.0);
    s_.last = s_.center;
    const double last = best;
    if (follow(enough, best)) return Help::done;
    stalled = best < 0.5 * last ? 0 : stalled + 1;
    s_.center = s_.newton.force();
    set_image();
    s_.mixing.advance(s_.image, s_.shift);
    if (s_.shift.cwiseAbs().maxCoeff() <= 10 * s_.image.maxCoeff()) continue;
    s_.shift = s_.image;  // extrapolated too far
    s_.mixing.reset();
  }
  return best < 0.5 * before ? Help::better : Help::no_better;
}

/// True when that was the end of it.
bool Admm::sweep() {
  SolveOptions options = task_.options;
  options.over_relaxation = kShortStep;
  options.relative_tolerance = 0;  // short steps say nothing about the end
  options.max_iterations = std::min(kSweeps, options.max_iterations - task_.progress.iterations());
  s_.progress.start(options);
  s_.center.setZero(task_.problem.rows());
  for (const ContactBlock& block : task_.problem.blocks)
    if (block.kind == ContactKind::box) s_.center[block.row] = project_row(block, 0.0);
  SolverTask task{task_.problem, task_.diagonal,         task_.rule, options, s_.center,
                  task_.dual,    task_.penalty_exponent, s_.progress};
  solve_ncp_pgs(task, s_.sweeps);
  if (task_.progress.absorb(s_.progress)) return true;
  s_.center = s_.progress.best();
  polish_force(task, s_.center);
  return task_.progress.accept_start(s_.center, residual_of(s_.center));
}

void Admm::run() {
  if (task_.progress.accept_start(task_.force, residual_of(task_.force))) return;
  s_.weight.resize(task_.problem.rows());
  set_block_weights(task_.problem.blocks, task_.diagonal, s_.weight);
  start(task_.force, task_.dual, task_.penalty_exponent);
  int wait = kFirstHelp, since = 0;
  bool helped = false, swept = !with_shift_;
  for (int iteration = 1;; ++iteration) {
    if (iterate(iteration)) {
      task_.dual = s_.admm.dual();
      break;
    }
    if (++since < wait) continue;
    since = 0;
    Help outcome = help();
    wait *= outcome == Help::no_better ? 4 : 2;
    if (outcome != Help::done && !swept && (helped || outcome == Help::no_better)) {
      swept = true;
      if (sweep()) outcome = Help::done;
    }
    helped = true;
    if (outcome == Help::no_better) continue;
    set_dual_of_best();
    if (outcome == Help::done) break;
    start(s_.center, task_.dual, s_.admm.exponent());
  }
  task_.penalty_exponent = s_.admm.exponent();
}

}  // namespace

void solve_ccp_admm(SolverTask& task, AdmmScratch& scratch) { Admm(task, scratch, false).run(); }
void solve_ncp_admm(SolverTask& task, AdmmScratch& scratch) { Admm(task, scratch, true).run(); }

}  // namespace tactum
