// SPDX-License-Identifier: BSD-2-Clause
// Alg. 3 of Le Lidec et al. 2023 for the ccp, and for the ncp with the linear term g + Gamma(z):
// the multiplier z tends to s + Gamma(s), whose tangential part is that of s.
//
// Residual   |f - y| and the stationarity error cost nothing beyond the iteration. The residual of
//            the model, from fresh velocities, is computed only when both are below the tolerance,
//            and every twentieth iteration.
// Warm       With a warm start, the ncp first tries a few Newton steps on the laws of contact
//            (active_newton.hpp), which end it where contacts keep their modes; then an
//            interior-point method (interior_point.hpp), from near and from far, with Newton steps
//            after each, which also finish what it has solved to a fine tolerance; then Newton
//            steps from the modes that ADMM has found after some iterations. A solve without a warm
//            start is ADMM alone at first, as it is published.
// Newton     ADMM is quick to find out which contacts slide, and slow to finish on stacks. After a
//            while a phase of proximal Newton steps tries to finish from where ADMM is; each step
//            counts as an iteration. Where the phase does not help, ADMM goes on from its own
//            state, and the next phase waits four times as long.
// Shift      in the ncp the Newton phase solves a sequence of convex problems, each with Gamma of
//            the velocity before it in the linear term (Acary et al. 2011). That sequence converges
//            slowly where many contacts slide on each other; with Anderson's acceleration some ten
//            problems are enough. The acceleration extrapolates errors too: each problem has to be
//            solved well.
// Sweeps     with friction far above 1 neither may converge. Then, once, a Gauss-Seidel phase takes
//            short steps contact by contact, and Newton's method works on the modes that it finds.
#include "solver/method/admm.hpp"

#include "solver/active_set/polish.hpp"
#include "solver/method/proximal_path.hpp"

namespace tactum {
namespace {

constexpr int kFirstActiveSteps = 4;      // Newton steps on the laws of contact before the first
constexpr int kActiveSteps = 15;          // iteration, and at each of the next attempts
constexpr int kInteriorSteps = 30;        // interior-point steps between them
constexpr int kFirstNewtonPhase = 56;     // iterations before proximal Newton steps are tried
constexpr int kMostShifts = 40;           // convex subproblems of one Newton phase
constexpr double kTrusted = 1e-3;         // share of the residual without forces below which the
                                          // velocities of ADMM say what slides
constexpr double kFineTolerance = 1e-10;  // at and below which Newton steps finish the force of
                                          // interior points
constexpr int kSweeps = 300;
constexpr double kShortStep = 0.3;
constexpr ProximalPath kPath{.first_weight = 1e-2, .least_weight = 1e-8, .patience = 6};

/// Whether the modes that ADMM has found by this iteration are worth an attempt.
bool is_active_attempt(int iteration) { return iteration == 12 || iteration == 36; }

class Admm {
 public:
  Admm(SolverTask& task, AdmmScratch& scratch, bool with_shift)
      : task_(task),
        s_(scratch),
        with_shift_(with_shift),
        with_active_newton_(with_shift && task.options.warm_start != nullptr) {}
  void run();

 private:
  enum class Phase { done, better, no_better };
  void start(const Eigen::VectorXd& force, const Eigen::VectorXd& dual, double exponent) {
    s_.admm.start(task_.problem.delassus, s_.weight, force, dual, exponent);
  }
  /// Leaves the velocity of the force in `s_.velocity`.
  double fresh_residual(const Eigen::VectorXd& force) {
    return task_.fresh_residual(force, s_.motion, s_.velocity);
  }
  void set_linear_term(const Eigen::VectorXd& velocity);
  bool iterate(int iteration);
  /// Newton steps on the laws of contact, from a force. Returns whether the solver is done.
  bool active_newton_phase(const Eigen::VectorXd& force, int steps) {
    return with_active_newton_ && s_.active.run(task_, s_.weight, force, steps);
  }
  /// Makes the force of interior points as good as that of Newton's method, where the tolerance
  /// asks for that. Returns true.
  bool finish_interior() {
    const double goal = task_.progress.goal();
    if (goal <= kFineTolerance && task_.progress.best_residual() <= goal)
      s_.active.finish(task_, s_.weight);
    return true;
  }
  /// Interior-point steps, then Newton steps from the best force. Returns whether the solver is
  /// done.
  bool interior_phase() {
    if (!with_active_newton_) return false;
    const InteriorEnd near = s_.interior.run_near(task_, s_.weight, kInteriorSteps);
    if (near == InteriorEnd::done) return finish_interior();
    if (near == InteriorEnd::failed) {
      s_.center = task_.progress.best();
      if (active_newton_phase(s_.center, kActiveSteps)) return true;
    }
    if (s_.interior.run_far(task_, s_.weight, kInteriorSteps)) return finish_interior();
    s_.center = task_.progress.best();
    return active_newton_phase(s_.center, kActiveSteps);
  }
  Phase newton_phase();
  Phase solve_shifted_subproblems(double before, double& best);
  bool solve_convex_subproblem(double enough, double& best);
  void set_desaxce_shift();
  bool gauss_seidel_phase();
  void set_dual_of_best();

  SolverTask& task_;
  AdmmScratch& s_;
  bool with_shift_;
  bool with_active_newton_;
};

/// Sets the linear term to g, or to g + Gamma of a velocity.
void Admm::set_linear_term(const Eigen::VectorXd& velocity) {
  s_.linear = task_.problem.g;
  if (!with_shift_) return;
  for (const ContactBlock& block : task_.problem.blocks) {
    if (block.kind == ContactKind::friction)
      s_.linear[block.row + 2] += block.mu * tangent_norm(block_value(velocity, block));
  }
}

/// One iteration of Alg. 3. Returns whether it was the last.
bool Admm::iterate(int iteration) {
  const std::span<const ContactBlock> blocks = task_.problem.blocks;
  const auto project = [&](Eigen::VectorXd& x) {
    for (const ContactBlock& block : blocks)
      set_block_value(x, block, project_block(block, block_value(x, block)));
  };
  set_linear_term(s_.admm.dual());
  s_.admm.iterate(task_.problem.delassus, s_.linear, task_.options.over_relaxation, project);
  const double free_estimate = std::max(s_.admm.primal(), s_.admm.dual_residual());
  const bool compute = task_.options.history || free_estimate <= task_.progress.goal() ||
                       iteration % 20 == 0 || iteration == task_.options.max_iterations ||
                       SolverProgress::is_rounding(s_.admm.change(), s_.admm.largest());
  const double residual = compute ? fresh_residual(s_.admm.force()) : SolverProgress::kNotComputed;
  return task_.progress.finish_iteration(s_.admm.force(), residual, s_.admm.change(),
                                         s_.admm.largest());
}

/// Sets the multiplier of the task to that of the best force, s + Gamma(s), and the center to that
/// force.
void Admm::set_dual_of_best() {
  s_.center = task_.progress.best();
  fresh_residual(s_.center);
  set_linear_term(s_.velocity);
  task_.dual = s_.velocity + s_.linear - task_.problem.g;
}

/// Proximal Newton steps on the convex problem with the linear term `s_.linear`, from `s_.center`
/// until its residual is `enough`. `best` becomes the smallest residual of the model that was met.
/// Returns whether the solver is done.
bool Admm::solve_convex_subproblem(double enough, double& best) {
  const ResidualRule convex(ContactModel::ccp, task_.options.polygon, task_.diagonal);
  bool done = false;
  const auto evaluate = [&](const Eigen::VectorXd& force, double change) {
    s_.newton.set_velocity(s_.velocity);
    double residual = task_.residual(force, s_.velocity);
    // the velocity is computed afresh where the residual may end the solve
    if (residual <= task_.progress.goal()) residual = fresh_residual(force);
    best = std::min(best, residual);
    // the solution of a convex problem is no end while its shift still moves
    const double moved = with_shift_
                             ? std::max(change, (force - s_.last_center).cwiseAbs().maxCoeff())
                             : change;
    done = task_.progress.finish_iteration(force, residual, moved, force.cwiseAbs().maxCoeff());
    if (done || !with_shift_) return PathEvaluation{done, residual};
    s_.shifted_velocity = s_.velocity + s_.linear - task_.problem.g;
    const double own = residual_of(task_.problem, convex, force, s_.shifted_velocity).worst();
    return PathEvaluation{own <= enough, own};
  };
  const auto linear = [&]() -> const Eigen::VectorXd& { return s_.linear; };
  follow_path(kPath, task_.problem, s_.weight, s_.newton, s_.center, evaluate, linear);
  return done;
}

/// Sets `s_.next_shift` to Gamma of the velocity of `s_.center`, and to exactly 0 where the force
/// is inside its cone: the velocity there is rounding, and the convex problem would answer it by
/// opening the contact.
void Admm::set_desaxce_shift() {
  fresh_residual(s_.center);
  s_.next_shift.setZero(task_.problem.rows());
  for (const ContactBlock& block : task_.problem.blocks) {
    if (block.kind != ContactKind::friction) continue;
    const Double3 f = block_value(s_.center, block);
    if (tangent_norm(f) < (1 - 1e-12) * block.mu * f.z) continue;
    s_.next_shift[block.row + 2] = block.mu * tangent_norm(block_value(s_.velocity, block));
  }
}

/// A sequence of convex subproblems, each with the accelerated shift of the one before. `before` is
/// the residual at `s_.center`.
Admm::Phase Admm::solve_shifted_subproblems(double before, double& best) {
  const double enough = std::max(1e-3 * task_.progress.goal(), 1e-10 * before);
  for (int outer = 0, stalled = 0; outer < kMostShifts && stalled < 4; ++outer) {
    s_.linear = task_.problem.g + s_.shift.cwiseMax(0.0);
    s_.last_center = s_.center;
    const double last = best;
    if (solve_convex_subproblem(enough, best)) return Phase::done;
    stalled = best < 0.5 * last ? 0 : stalled + 1;
    s_.center = s_.newton.force();
    set_desaxce_shift();
    s_.mixing.advance(s_.next_shift, s_.shift);
    if (s_.shift.cwiseAbs().maxCoeff() <= 10 * s_.next_shift.maxCoeff()) continue;
    s_.shift = s_.next_shift;  // the acceleration went too far
    s_.mixing.reset();
  }
  return best < 0.5 * before ? Phase::better : Phase::no_better;
}

/// Tries to finish by proximal Newton steps from the force of ADMM.
Admm::Phase Admm::newton_phase() {
  s_.shift.setZero(task_.problem.rows());
  const double unloaded = fresh_residual(s_.shift);
  s_.center = s_.admm.force();
  const double before = fresh_residual(s_.center);
  double best = before;
  if (!with_shift_) {
    s_.linear = task_.problem.g;
    if (solve_convex_subproblem(0.0, best)) return Phase::done;
    return best < 0.5 * before ? Phase::better : Phase::no_better;
  }
  s_.mixing.reset();
  if (before <= kTrusted * unloaded) {
    set_desaxce_shift();
    s_.shift = s_.next_shift;
  }
  return solve_shifted_subproblems(before, best);
}

/// Short steps contact by contact, then Newton's method on the modes that they find. Returns
/// whether the solver is done.
bool Admm::gauss_seidel_phase() {
  SolveOptions options = task_.options;
  options.over_relaxation = kShortStep;
  options.relative_tolerance = 0;  // short steps say nothing about the end
  options.max_iterations = std::min(kSweeps, options.max_iterations - task_.progress.iterations());
  s_.gauss_seidel_progress.start(options);
  set_start_force(task_.problem.blocks, task_.problem.rows(), s_.center);
  SolverTask task{
      task_.problem,          task_.diagonal,          task_.rule, options, s_.center, task_.dual,
      task_.penalty_exponent, s_.gauss_seidel_progress};
  solve_ncp_pgs(task, s_.gauss_seidel);
  if (task_.progress.absorb(s_.gauss_seidel_progress)) return true;
  s_.center = s_.gauss_seidel_progress.best();
  polish_force(task, s_.center);
  return task_.progress.accept_start(s_.center, fresh_residual(s_.center));
}

void Admm::run() {
  if (task_.progress.accept_start(task_.force, fresh_residual(task_.force))) return;
  s_.weight.resize(task_.problem.rows());
  set_block_weights(task_.problem.blocks, task_.diagonal, s_.weight);
  if (active_newton_phase(task_.force, kFirstActiveSteps)) return set_dual_of_best();
  if (interior_phase()) return set_dual_of_best();
  start(task_.force, task_.dual, task_.penalty_exponent);
  int wait = kFirstNewtonPhase, since = 0;
  bool had_newton_phase = false, had_gauss_seidel_phase = !with_shift_;
  for (int iteration = 1;; ++iteration) {
    if (iterate(iteration)) {
      task_.dual = s_.admm.dual();
      break;
    }
    if (is_active_attempt(iteration) && active_newton_phase(s_.admm.force(), kActiveSteps)) {
      set_dual_of_best();
      break;
    }
    if (++since < wait) continue;
    since = 0;
    Phase outcome = newton_phase();
    wait *= outcome == Phase::no_better ? 4 : 2;
    if (outcome == Phase::better) {
      s_.center = task_.progress.best();
      if (active_newton_phase(s_.center, kActiveSteps)) outcome = Phase::done;
    }
    if (outcome != Phase::done && !had_gauss_seidel_phase &&
        (had_newton_phase || outcome == Phase::no_better)) {
      had_gauss_seidel_phase = true;
      if (gauss_seidel_phase()) outcome = Phase::done;
    }
    had_newton_phase = true;
    if (outcome == Phase::no_better) continue;
    set_dual_of_best();
    if (outcome == Phase::done) break;
    start(s_.center, task_.dual, s_.admm.exponent());
  }
  task_.penalty_exponent = s_.admm.exponent();
}

}  // namespace

void solve_ccp_admm(SolverTask& task, AdmmScratch& scratch) { Admm(task, scratch, false).run(); }
void solve_ncp_admm(SolverTask& task, AdmmScratch& scratch) { Admm(task, scratch, true).run(); }

}  // namespace tactum
