// SPDX-License-Identifier: BSD-2-Clause
#include "solver/method/interior_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/problem/cone.hpp"

namespace tactum {
namespace {

using namespace second_order_cone;

constexpr double kProximal = 1e-7;  // t of the equations
constexpr double kLeastFriction = 1e-6;
constexpr double kLeastCorner = 1e-9;
constexpr double kOfTheWay = 0.98;  // to the boundary
constexpr double kShortInteriorStep = 0.1, kShortestInteriorStep = 1e-3;
// shares of the largest free velocity, which counts as at least kLeastVelocity: how far inside the
// cones the method begins, the error below which a force is good, and the least error it counts as
constexpr double kInward = 0.1, kGoodError = 1e-3, kLeastError = 1e-7, kLeastVelocity = 1e-3;
constexpr double kWider = 100.0;  // by how much the error of a good force grows from start to start
constexpr double kLargestInteriorForce = 1e9;  // of a problem in units of its own
constexpr double kLeastCentering = 1e-3;
constexpr double kAim = 0.1;  // of the tolerance, where a few more steps reach it
constexpr int kMoreSteps = 3;

bool has_cone(const ContactBlock& block) { return block.kind != ContactKind::bilateral; }

/// Three numbers of a block with friction; of one with one row, the last is that row.
Vector read(const Eigen::VectorXd& values, const ContactBlock& block) {
  if (block.kind != ContactKind::friction) return {0.0, 0.0, values[block.row]};
  return values.segment<3>(block.row);
}

void write(Eigen::VectorXd& values, const ContactBlock& block, const Vector& value) {
  if (block.kind != ContactKind::friction)
    values[block.row] = value.z();
  else
    values.segment<3>(block.row) = value;
}

/// Factor of the normal entry between f and F, and its reciprocal between x and X.
double stretch(const ContactBlock& block) {
  return block.kind == ContactKind::friction ? block.mu : 1.0;
}

Vector in_cone(const Vector& v) { return to_vector3(project_cone(to_double3(v), 1.0)); }

double largest_free_velocity(const ProblemView& problem) {
  return std::max(problem.g.cwiseAbs().maxCoeff(), kLeastVelocity);
}

bool can_solve(std::span<const ContactBlock> blocks) {
  return std::all_of(blocks.begin(), blocks.end(), [](const ContactBlock& block) {
    if (block.kind == ContactKind::friction) return block.mu >= kLeastFriction;
    return block.kind != ContactKind::box;
  });
}

}  // namespace

/// F and X of the force of the task and of its velocity, which may lie outside the cones.
InteriorPoint::Parts InteriorPoint::parts_of(const SolverTask& task, std::size_t block) const {
  const ContactBlock& given = task.problem.blocks[block];
  const double a = stretch(given), scale = block_scale(task.diagonal[block], given);
  Vector F = read(task.force, given), X = read(velocity_, given);
  F.z() *= a;
  X.z() = X.z() / a + X.head<2>().norm();
  return {F, X, scale > 0 ? scale : 1.0};
}

/// How far the force of the task is from the laws of contact, in the units of X.
double InteriorPoint::error_of_start(const SolverTask& task) const {
  double error = 0;
  for (std::size_t c = 0; c < task.problem.blocks.size(); ++c) {
    if (!has_cone(task.problem.blocks[c])) continue;
    const auto [F, X, scale] = parts_of(task, c);
    error = std::max(error, scale * (F - in_cone(F - X / scale)).norm());
  }
  return error;
}

/// Splits F - X of the force of the task into F and X on the path. With an error e and the mean
/// scale s of all blocks, m is e^2 / s.
void InteriorPoint::start_on_path(const SolverTask& task, double error) {
  double scales = 0;
  for (std::size_t c = 0; c < task.problem.blocks.size(); ++c)
    if (has_cone(task.problem.blocks[c])) scales += parts_of(task, c).scale;
  const double target = scales > 0 ? error * error * cones_ / scales : error * error;
  for (std::size_t c = 0; c < task.problem.blocks.size(); ++c) {
    const ContactBlock& block = task.problem.blocks[c];
    const auto [F, X, scale] = parts_of(task, c);
    if (!has_cone(block)) {
      write(F_, block, F);
      continue;
    }
    const Vector both = F - X / scale;
    write(F_, block, rounded(both, target / scale));
    write(X_, block, scale * rounded(-both, target / scale));
  }
}

/// Moves the force of the task and its velocity into their cones along the axes.
void InteriorPoint::start_inside(const SolverTask& task) {
  const double inward = kInward * largest_free_velocity(task.problem);
  for (std::size_t c = 0; c < task.problem.blocks.size(); ++c) {
    const ContactBlock& block = task.problem.blocks[c];
    const auto [F, X, scale] = parts_of(task, c);
    if (!has_cone(block)) {
      write(F_, block, F);
      continue;
    }
    write(F_, block, in_cone(F) + Vector(0.0, 0.0, inward / scale));
    write(X_, block, in_cone(X) + Vector(0.0, 0.0, inward));
  }
}

/// Sets the force from F.
void InteriorPoint::set_force(const SolverTask& task) {
  for (const ContactBlock& block : task.problem.blocks) {
    Vector f = read(F_, block);
    f.z() /= stretch(block);
    write(force_, block, f);
  }
}

/// Sets the equation W^-1 dF + W dX = ... of a block with a cone, and what its X misses. Returns
/// false where it is not regular.
bool InteriorPoint::set_cone(const SolverTask& task, std::size_t block) {
  const ContactBlock& given = task.problem.blocks[block];
  const double a = stretch(given);
  const Vector F = read(F_, given), X = read(X_, given);
  Vector x = read(velocity_, given);
  Scaling& scale = scalings_[block];
  if (given.kind != ContactKind::friction) {  // one row has the first entries
    write(missing_, given, x - X);
    scale = scaling_of_numbers(F.z(), X.z());
    return equations_.set_block(block, scale.inverse, scale.W);
  }
  const double speed = std::hypot(x.x(), x.y(), corner_);
  Eigen::Matrix3d by_velocity = Eigen::Matrix3d::Identity();  // of X
  by_velocity.row(2) << x.x() / speed, x.y() / speed, 1.0 / a;
  slide_.segment<2>(given.row) = by_velocity.row(2).head<2>();
  x.z() = x.z() / a + speed;
  write(missing_, given, x - X);
  scale = scaling(F, X);
  Eigen::Matrix3d by_force = scale.inverse;
  by_force.col(2) *= a;
  return equations_.set_block(block, by_force, scale.W * by_velocity);
}

/// Sets the equations at the present F and X. Returns false where they are not regular.
bool InteriorPoint::linearize(const SolverTask& task) {
  corner_ = std::max(kLeastCorner, product(0.0));
  for (std::size_t c = 0; c < task.problem.blocks.size(); ++c) {
    const bool is_regular = has_cone(task.problem.blocks[c])
                                ? set_cone(task, c)
                                : equations_.set_block(c, Eigen::Matrix3d::Zero(),
                                                       Eigen::Matrix3d::Identity());
    if (!is_regular) return false;
  }
  return equations_.factorize();
}

/// Sets the direction to products of `target`, less a share of the products of the last direction.
void InteriorPoint::set_direction(const SolverTask& task, double target, double correction) {
  const ProblemView& problem = task.problem;
  for (std::size_t c = 0; c < problem.blocks.size(); ++c) {
    const ContactBlock& block = problem.blocks[c];
    if (!has_cone(block)) {
      value_[block.row] = velocity_[block.row];
      continue;
    }
    const Scaling& scale = scalings_[c];
    Vector excess = arrow(scale.point) * scale.point;
    excess.z() -= target;
    if (correction > 0)
      excess += correction * (arrow(Vector(scale.inverse * read(dF_, block))) *
                              Vector(scale.W * read(dX_, block)));
    write(value_, block, arrow_solve(scale.point, excess) + scale.W * read(missing_, block));
  }
  equations_.solve(value_, step_);
  delassus_product(problem.delassus, step_, scratch_, response_);
  for (const ContactBlock& block : problem.blocks) {
    const double a = stretch(block);
    Vector df = read(step_, block), dx = read(response_, block);
    df.z() *= a;
    if (block.kind == ContactKind::friction)
      dx.z() = dx.z() / a + slide_.segment<2>(block.row).dot(dx.head<2>());
    write(dF_, block, df);
    write(dX_, block, has_cone(block) ? Vector(dx + read(missing_, block)) : Vector::Zero());
  }
}

/// Chooses the direction by how far a step to products of 0 would get, or back to the middle of the
/// cones after a short step. Returns false where there is none.
bool InteriorPoint::choose_direction(SolverTask& task, double last_length) {
  if (!linearize(task)) return false;
  set_direction(task, 0.0, 0.0);
  const double now = product(0.0), way = std::min(1.0, longest_step(task)),
               ratio = now > 0 ? std::max(product(way), 0.0) / now : 1.0;
  if (last_length < kShortInteriorStep)
    set_direction(task, now, 0.0);
  else
    set_direction(task, now * std::clamp(ratio * ratio * ratio, kLeastCentering, 1.0), way * way);
  return dF_.cwiseAbs().maxCoeff() < kLargestInteriorForce;
}

/// Share of the direction that F and X may both go.
double InteriorPoint::longest_step(const SolverTask& task) const {
  double way = std::numeric_limits<double>::infinity();
  for (const ContactBlock& block : task.problem.blocks) {
    if (!has_cone(block)) continue;
    way = std::min({way, way_to_boundary(read(F_, block), read(dF_, block)),
                    way_to_boundary(read(X_, block), read(dX_, block))});
  }
  return way;
}

/// Mean product of F and X after a step.
double InteriorPoint::product(double length) const {
  return ((F_ + length * dF_).dot(X_ + length * dX_)) / std::max(cones_, 1);
}

/// Follows the path from F and X until a step is shorter than `shortest`. Returns whether the task
/// is done.
bool InteriorPoint::follow(SolverTask& task, const Eigen::VectorXd& weight, int most_steps,
                           double shortest) {
  set_force(task);
  task.fresh_residual(force_, scratch_, velocity_);
  double length = 1.0;
  int steps_left = most_steps;
  bool is_done = false;
  while (steps_left-- > 0) {
    check_interrupt();
    equations_.start(task.problem, weight, kProximal);
    if (!choose_direction(task, length)) break;
    length = std::min(1.0, kOfTheWay * longest_step(task));
    if (!(length > shortest)) break;
    F_ += length * dF_;
    X_ += length * dX_;
    scratch_ = force_;
    set_force(task);
    const double change = (force_ - scratch_).cwiseAbs().maxCoeff();
    const double residual = task.fresh_residual(force_, scratch_, velocity_);
    const bool was_done = is_done;
    is_done = task.progress.finish_iteration(force_, residual, change,
                                             force_.cwiseAbs().maxCoeff()) ||
              was_done;
    if (!is_done) continue;
    if (!task.progress.converged() || residual <= kAim * task.progress.goal()) break;
    if (!was_done) steps_left = kMoreSteps;
  }
  return is_done;
}

/// Prepares a run. Returns false for problems that the method does not solve.
bool InteriorPoint::begin(const SolverTask& task) {
  const ProblemView& problem = task.problem;
  if (!can_solve(problem.blocks)) return false;
  for (Eigen::VectorXd* vector : {&force_, &F_, &X_, &missing_, &dF_, &dX_, &value_, &slide_})
    vector->setZero(problem.rows());
  scalings_.resize(problem.blocks.size());
  cones_ = static_cast<int>(std::count_if(problem.blocks.begin(), problem.blocks.end(), has_cone));
  task.fresh_residual(task.force, scratch_, velocity_);
  return true;
}

InteriorEnd InteriorPoint::run_near(SolverTask& task, const Eigen::VectorXd& weight,
                                    int most_steps) {
  if (!begin(task)) return InteriorEnd::not_tried;
  const double unit = largest_free_velocity(task.problem);
  double error = std::max(error_of_start(task), kLeastError * unit);
  if (!(error < kGoodError * unit)) return InteriorEnd::not_tried;
  for (; error < kGoodError * unit; error *= kWider) {
    start_on_path(task, error);
    if (follow(task, weight, most_steps, kShortInteriorStep)) return InteriorEnd::done;
    task.fresh_residual(task.force, scratch_, velocity_);
  }
  return InteriorEnd::failed;
}

bool InteriorPoint::run_far(SolverTask& task, const Eigen::VectorXd& weight, int most_steps) {
  if (!begin(task)) return false;
  start_inside(task);
  return follow(task, weight, most_steps, kShortestInteriorStep);
}

}  // namespace tactum
