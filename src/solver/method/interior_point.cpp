// SPDX-License-Identifier: BSD-2-Clause
#include "solver/method/interior_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/problem/cone.hpp"

namespace tactum {
namespace {

constexpr double kProximal = 1e-7;  // t of the equations
constexpr double kLeastFriction = 1e-6;
constexpr double kCorner = 1e-9;    // rounds |s_T| where it is 0
constexpr double kOfTheWay = 0.98;  // to the boundary
constexpr double kShortInteriorStep = 0.1, kShortestInteriorStep = 1e-3;
// how far from the boundary the method begins, as a share of the largest free velocity, which
// counts as at least kLeastVelocity
constexpr double kInward = 0.1, kLeastVelocity = 1e-3;
constexpr double kLargestInteriorForce = 1e9;  // of a problem in units of its own
constexpr double kLeastCentering = 1e-3;

/// Three numbers of a block with friction; of one with one row, the last is that row.
using Vector = Eigen::Vector3d;

bool has_cone(const ContactBlock& block) { return block.kind != ContactKind::bilateral; }

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

/// The matrix of the product of Jordan with v.
Eigen::Matrix3d arrow(const Vector& v) {
  Eigen::Matrix3d out;
  out << v.z(), 0, v.x(), 0, v.z(), v.y(), v.x(), v.y(), v.z();
  return out;
}

/// Factor of the normal entry between f and F, and its reciprocal between x and X.
double stretch(const ContactBlock& block) {
  return block.kind == ContactKind::friction ? block.mu : 1.0;
}

Vector in_cone(const Vector& v) { return to_vector3(project_cone(to_double3(v), 1.0)); }

/// How far v may move along d without leaving |v_T| <= v_N.
double way_to_boundary(const Vector& v, const Vector& d) {
  const double a = d.z() * d.z() - d.head<2>().squaredNorm(),
               b = v.z() * d.z() - v.head<2>().dot(d.head<2>()),
               c = std::max(v.z() * v.z() - v.head<2>().squaredNorm(), 0.0);
  double way = std::numeric_limits<double>::infinity();
  const double discriminant = b * b - a * c;
  if (discriminant >= 0) {
    const double divisor = std::sqrt(discriminant) - b;
    if (divisor > 0) way = c / divisor;
  }
  if (d.z() < 0) way = std::min(way, -v.z() / d.z());
  return way;
}

bool can_solve(std::span<const ContactBlock> blocks) {
  return std::all_of(blocks.begin(), blocks.end(), [](const ContactBlock& block) {
    if (block.kind == ContactKind::friction) return block.mu >= kLeastFriction;
    return block.kind != ContactKind::box;
  });
}

}  // namespace

/// Begins at the force of the task and its velocity, moved into their cones along the axes.
void InteriorPoint::start(SolverTask& task) {
  const ProblemView& problem = task.problem;
  task.fresh_residual(task.force, scratch_, velocity_);
  for (Eigen::VectorXd* vector : {&force_, &F_, &X_, &missing_, &dF_, &dX_, &value_, &slide_})
    vector->setZero(problem.rows());
  const double inward = kInward * std::max(problem.g.cwiseAbs().maxCoeff(), kLeastVelocity);
  cones_ = 0;
  for (std::size_t c = 0; c < problem.blocks.size(); ++c) {
    const ContactBlock& block = problem.blocks[c];
    if (!has_cone(block)) {
      write(F_, block, read(task.force, block));
      continue;
    }
    ++cones_;
    const double a = stretch(block), scale = block_scale(task.diagonal[c], block);
    Vector f = read(task.force, block), x = read(velocity_, block);
    f.z() *= a;
    x.z() = x.z() / a + x.head<2>().norm();
    f = in_cone(f);
    x = in_cone(x);
    f.z() += scale > 0 ? inward / scale : inward;
    x.z() += inward;
    write(F_, block, f);
    write(X_, block, x);
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

/// Sets the equations at the present F and X, and what X misses. Returns false where they are not
/// regular.
bool InteriorPoint::linearize(const SolverTask& task) {
  for (std::size_t c = 0; c < task.problem.blocks.size(); ++c) {
    const ContactBlock& block = task.problem.blocks[c];
    const double a = stretch(block);
    Vector x = read(velocity_, block);
    Eigen::Matrix3d by_force = Eigen::Matrix3d::Zero(), by_velocity = Eigen::Matrix3d::Identity();
    if (has_cone(block)) {
      const Vector F = read(F_, block), X = read(X_, block);
      Eigen::Matrix3d A = Eigen::Matrix3d::Identity();  // dX by the velocity
      if (block.kind == ContactKind::friction) {
        const double speed = std::sqrt(x.head<2>().squaredNorm() + kCorner * kCorner);
        A.row(2) << x.x() / speed, x.y() / speed, 1.0 / a;
        slide_.segment<2>(block.row) = A.row(2).head<2>();
        x.z() = x.z() / a + speed;
      }
      write(missing_, block, x - X);
      by_force = arrow(X);
      by_force.col(2) *= a;
      by_velocity = arrow(F) * A;
    }
    if (block.kind != ContactKind::friction) {  // one row has the first entries
      std::swap(by_force(0, 0), by_force(2, 2));
      std::swap(by_velocity(0, 0), by_velocity(2, 2));
    }
    if (!equations_.set_block(c, by_force, by_velocity)) return false;
  }
  return true;
}

/// Sets the direction to products of `target`, less a share of the products of the last direction.
void InteriorPoint::set_direction(const SolverTask& task, double target, double correction) {
  const ProblemView& problem = task.problem;
  for (const ContactBlock& block : problem.blocks) {
    if (!has_cone(block)) {
      value_[block.row] = velocity_[block.row];
      continue;
    }
    const Eigen::Matrix3d F = arrow(read(F_, block));
    Vector value = F * (read(missing_, block) + read(X_, block));
    value.z() -= target;
    if (correction > 0) value += correction * (arrow(read(dF_, block)) * read(dX_, block));
    write(value_, block, value);
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

bool InteriorPoint::run(SolverTask& task, const Eigen::VectorXd& weight, int most_steps) {
  if (!can_solve(task.problem.blocks)) return false;
  start(task);
  set_force(task);
  task.fresh_residual(force_, scratch_, velocity_);
  double length = 1.0;
  for (int i = 0; i < most_steps; ++i) {
    check_interrupt();
    equations_.start(task.problem, weight, kProximal);
    if (!linearize(task) || !equations_.factorize()) return false;
    set_direction(task, 0.0, 0.0);
    const double now = product(0.0), way = std::min(1.0, longest_step(task)),
                 ratio = now > 0 ? std::max(product(way), 0.0) / now : 1.0;
    if (length < kShortInteriorStep)
      set_direction(task, now, 0.0);  // back to the middle of the cones
    else
      set_direction(task, now * std::clamp(ratio * ratio * ratio, kLeastCentering, 1.0), way * way);
    length = std::min(1.0, kOfTheWay * longest_step(task));
    if (!(length > kShortestInteriorStep && dF_.cwiseAbs().maxCoeff() < kLargestInteriorForce))
      return false;
    F_ += length * dF_;
    X_ += length * dX_;
    scratch_ = force_;
    set_force(task);
    const double change = (force_ - scratch_).cwiseAbs().maxCoeff();
    const double residual = task.fresh_residual(force_, scratch_, velocity_);
    if (task.progress.finish_iteration(force_, residual, change, force_.cwiseAbs().maxCoeff()))
      return true;
  }
  return false;
}

}  // namespace tactum
