// SPDX-License-Identifier: BSD-2-Clause
#include "solver/method/active_newton.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solver/problem/cone.hpp"

namespace tactum {
namespace {

constexpr double kLargestForce = 1e9;   // of a problem in units of its own: no force answers it
constexpr double kShortestStep = 0.03;  // share of a step
constexpr double kFall = 1e-3;          // of |F|^2, that counts as progress of a whole step

constexpr double kLeastDiagonal = 1e-9;  // of the mean of a block
// t: where steps are good, after the first one that is not, and where the method gives up
constexpr double kLeastProximal = 1e-7, kFirstProximal = 1e-3, kMostProximal = 1.0;
// m: shares of |F| at the first step and after a good step, below which it does not stay after a
// short step, and the least there is
constexpr double kFirstRounding = 0.3, kFallingRounding = 0.1, kRisingRounding = 0.3,
                 kLeastRounding = 1e-10;
constexpr double kShortNewtonStep = 0.3;  // share of a step
constexpr int kFinishingSteps = 3;

/// r_T and r_N of a block with friction, or r of one row in `normal`.
struct Scales {
  double tangent, normal;
};

/// Reciprocals of the diagonal, which are bounded where forces of a block move nothing in a
/// direction.
Scales scales_of(const ContactBlock& block, const BlockMatrix& diagonal) {
  const double scale = block_scale(diagonal, block), least = kLeastDiagonal * scale;
  if (!(scale > 0)) return {1.0, 1.0};
  if (block.kind != ContactKind::friction) return {0.0, 1 / scale};
  return {1 / std::max(0.5 * (diagonal[0] + diagonal[4]), least), 1 / std::max(diagonal[8], least)};
}

/// A positive part whose corner is rounded: larger than max(x, 0), by m where x is 0. Its slope is
/// between 0 and 1.
struct Rounded {
  double value, slope;
};
Rounded positive_part(double x, double m) {
  const double root = std::sqrt(x * x + 4 * m * m);
  if (!(root > 0)) return {0.0, 0.0};
  // without cancellation on either side
  const double value = x > 0 ? 0.5 * (x + root) : 2 * m * m / (root - x);
  return {value, 0.5 * (1 + x / root)};
}

/// The force that a block of one row answers y with, and its slope.
Rounded row_answer(const ContactBlock& block, double y, double m) {
  if (m == 0) {
    const double value = project_row(block, y);
    return {value, value == y ? 1.0 : 0.0};
  }
  switch (block.kind) {
    case ContactKind::frictionless:
    case ContactKind::limit: return positive_part(y, m);
    case ContactKind::box: {
      Rounded answer{y, 1.0};
      if (std::isfinite(block.lower)) {
        const Rounded below = positive_part(block.lower - y, m);
        answer = {answer.value + below.value, answer.slope - below.slope};
      }
      if (std::isfinite(block.upper)) {
        const Rounded above = positive_part(y - block.upper, m);
        answer = {answer.value - above.value, answer.slope - above.slope};
      }
      return answer;
    }
    default: return {y, 1.0};
  }
}

/// The lesser of a length and a radius with a rounded corner, which is 0 for a length of 0, and its
/// slopes.
struct Disc {
  double value, by_length, by_radius;
};
Disc lesser(double length, double radius, double m) {
  if (m == 0) {
    return length <= radius && radius > 0 ? Disc{length, 1.0, 0.0} : Disc{radius, 0.0, 1.0};
  }
  const double gap = std::sqrt((length - radius) * (length - radius) + 4 * m * m),
               first = std::sqrt(radius * radius + 4 * m * m);
  return {0.5 * (length + first - gap), 0.5 * (1 - (length - radius) / gap),
          0.5 * ((length - radius) / gap + radius / first)};
}

/// The force that a contact with friction answers y with: y_N where that is positive, and the
/// nearest tangential force in the disc of its radius. `by_*` are the derivatives.
struct ContactAnswer {
  Double3 force;
  double ux, uy;                    ///< direction of y_T
  double along, across, by_radius;  ///< of the tangential force, by y_T and by the radius
  double by_normal;                 ///< of the normal force, by y_N
};
ContactAnswer contact_answer(const ContactBlock& block, const Scales& r, Double3 f, Double3 s,
                             double m) {
  const double y_normal = f.z - r.normal * s.z;
  const Rounded normal = m == 0 ? Rounded{std::max(y_normal, 0.0), y_normal > 0 ? 1.0 : 0.0}
                                : positive_part(y_normal, m);
  const Double2 y{f.x - r.tangent * s.x, f.y - r.tangent * s.y};
  const double length = y.norm();
  const Disc disc = lesser(length, block.mu * normal.value, m);
  const bool has_direction = length > 0;
  const double ux = has_direction ? y.x / length : 1.0, uy = has_direction ? y.y / length : 0.0;
  return {{disc.value * ux, disc.value * uy, normal.value},
          ux,
          uy,
          disc.by_length,
          has_direction ? disc.value / length : disc.by_length,
          disc.by_radius,
          normal.slope};
}

/// F of a block.
Double3 map_value(const ContactBlock& block, const Scales& r, Double3 f, Double3 s, double m) {
  if (block.kind != ContactKind::friction)
    return {f.x - row_answer(block, f.x - r.normal * s.x, m).value, 0, 0};
  return f - contact_answer(block, r, f, s, m).force;
}

struct Derivative {
  Eigen::Matrix3d by_force = Eigen::Matrix3d::Zero(), by_velocity = Eigen::Matrix3d::Zero();
};

/// E_f and E_s of a block.
Derivative map_derivative(const ContactBlock& block, const Scales& r, Double3 f, Double3 s,
                          double m) {
  Derivative e;
  if (block.kind != ContactKind::friction) {
    const double slope = row_answer(block, f.x - r.normal * s.x, m).slope;
    e.by_force(0, 0) = 1 - slope;
    e.by_velocity(0, 0) = r.normal * slope;
    return e;
  }
  const ContactAnswer answer = contact_answer(block, r, f, s, m);
  const double ux = answer.ux, uy = answer.uy, turn = answer.across - answer.along,
               slope = answer.by_normal, pull = answer.by_radius * block.mu * slope;
  Eigen::Matrix3d by_y;                                                // of the answer
  by_y << answer.across - turn * ux * ux, -turn * ux * uy, pull * ux,  //
      -turn * ux * uy, answer.across - turn * uy * uy, pull * uy,      //
      0, 0, slope;
  e.by_force = Eigen::Matrix3d::Identity() - by_y;
  e.by_velocity = by_y * Eigen::Vector3d(r.tangent, r.tangent, r.normal).asDiagonal();
  return e;
}

}  // namespace

/// Width of the rounded corners of a block.
double ActiveNewton::rounding_of(const SolverTask& task, std::size_t block) const {
  if (rounding_ == 0) return 0.0;
  const double scale = block_scale(task.diagonal[block], task.problem.blocks[block]);
  return scale > 0 ? rounding_ / std::sqrt(scale) : rounding_;
}

/// Sets F of a force and its velocity. Returns the square of its norm, each block by its weight.
double ActiveNewton::evaluate(const SolverTask& task, const Eigen::VectorXd& force,
                              const Eigen::VectorXd& velocity) {
  double sum = 0;
  for (std::size_t c = 0; c < task.problem.blocks.size(); ++c) {
    const ContactBlock& block = task.problem.blocks[c];
    const Double3 value = map_value(block, scales_of(block, task.diagonal[c]),
                                    block_value(force, block), block_value(velocity, block),
                                    rounding_of(task, c));
    set_block_value(value_, block, value);
    sum += block_scale(task.diagonal[c], block) * dot(value, value);
  }
  return sum;
}

/// Factorizes the equations at the force. Returns false where they are not regular.
bool ActiveNewton::set_equations(const SolverTask& task, const Eigen::VectorXd& weight) {
  const ProblemView& problem = task.problem;
  equations_.start(problem, weight, proximal_);
  for (std::size_t c = 0; c < problem.blocks.size(); ++c) {
    const ContactBlock& block = problem.blocks[c];
    const Derivative e = map_derivative(block, scales_of(block, task.diagonal[c]),
                                        block_value(force_, block), block_value(velocity_, block),
                                        rounding_of(task, c));
    if (!equations_.set_block(c, e.by_force, e.by_velocity)) return false;
  }
  return equations_.factorize();
}

/// Halves the step until |F|^2 falls below `highest`. Leaves the force there; returns false where
/// no length was good.
bool ActiveNewton::choose_length(const SolverTask& task, double highest) {
  delassus_product(task.problem.delassus, step_, scratch_, response_);
  for (length_ = 1; length_ > kShortestStep; length_ *= 0.5) {
    trial_force_ = force_ + length_ * step_;
    trial_velocity_ = velocity_ + length_ * response_;
    square_ = evaluate(task, trial_force_, trial_velocity_);
    if (square_ < (1 - kFall * length_) * highest) return true;
  }
  return false;
}

/// One step from `force_` to `trial_force_`. Returns false where it does not lower |F|.
bool ActiveNewton::step(const SolverTask& task, const Eigen::VectorXd& weight, double highest) {
  evaluate(task, force_, velocity_);
  if (!set_equations(task, weight)) return false;
  equations_.solve(value_, step_);
  if (!(step_.cwiseAbs().maxCoeff() < kLargestForce)) return false;
  return choose_length(task, highest);
}

/// Chooses m after a step: it follows |F| down while steps are whole, and up where they are short.
/// Returns |F|^2 with it.
double ActiveNewton::follow_error(const SolverTask& task) {
  const double last = std::exchange(rounding_, 0.0);
  const double error = std::sqrt(evaluate(task, force_, velocity_) /
                                 static_cast<double>(task.problem.blocks.size()));
  if (last == 0)
    rounding_ = std::max(kFirstRounding * error, kLeastRounding);
  else if (length_ == 1)
    rounding_ = std::max(std::min(last, kFallingRounding * error), kLeastRounding);
  else if (length_ < kShortNewtonStep)
    rounding_ = std::max(last, kRisingRounding * error);
  else
    rounding_ = last;
  return evaluate(task, force_, velocity_);
}

bool ActiveNewton::run(SolverTask& task, const Eigen::VectorXd& weight,
                       const Eigen::VectorXd& force, int most_steps) {
  force_ = force;
  value_.resize(force.size());
  task.fresh_residual(force_, scratch_, velocity_);
  rounding_ = 0;
  proximal_ = kLeastProximal;
  double highest = evaluate(task, force_, velocity_);
  for (int i = 0; i < most_steps; ++i) {
    check_interrupt();
    const bool good = step(task, weight, highest);
    if (!good && rounding_ > 0) {
      proximal_ = std::max(kFirstProximal, 10 * proximal_);
      if (proximal_ > kMostProximal) return false;
      continue;
    }
    if (good) {
      if (length_ == 1) proximal_ = std::max(kLeastProximal, 0.1 * proximal_);
      const double change = (trial_force_ - force_).cwiseAbs().maxCoeff();
      force_.swap(trial_force_);
      const double residual = task.fresh_residual(force_, scratch_, velocity_);
      if (task.progress.finish_iteration(force_, residual, change, force_.cwiseAbs().maxCoeff()))
        return true;
      highest = square_;
      if (rounding_ == 0 && length_ == 1) continue;
    }
    highest = follow_error(task);
  }
  return false;
}

/// Largest entry of F in the units of velocities.
double ActiveNewton::largest_error(const SolverTask& task) const {
  double largest = 0;
  for (std::size_t c = 0; c < task.problem.blocks.size(); ++c) {
    const ContactBlock& block = task.problem.blocks[c];
    const Double3 value = block_value(value_, block);
    largest = std::max(largest,
                       block_scale(task.diagonal[c], block) * std::sqrt(dot(value, value)));
  }
  return largest;
}

void ActiveNewton::finish(SolverTask& task, const Eigen::VectorXd& weight) {
  force_ = task.progress.best();
  value_.resize(force_.size());
  task.fresh_residual(force_, scratch_, velocity_);
  rounding_ = 0;
  proximal_ = kLeastProximal;
  double highest = evaluate(task, force_, velocity_);
  for (int i = 0; i < kFinishingSteps && largest_error(task) > task.progress.goal(); ++i) {
    if (!step(task, weight, highest)) return;
    const double residual = task.fresh_residual(trial_force_, scratch_, velocity_);
    if (!(residual <= task.progress.goal())) return;
    force_.swap(trial_force_);
    highest = evaluate(task, force_, velocity_);
    task.progress.accept_nearer(force_, residual);
  }
}

}  // namespace tactum
