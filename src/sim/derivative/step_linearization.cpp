// SPDX-License-Identifier: BSD-2-Clause
#include "sim/derivative/step_linearization.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "sim/derivative/closure_derivative.hpp"

namespace tactum::sim {
namespace {

constexpr double kSmoothMargin = 1e-7;  // closer to the next mode, there are two derivatives

/// target(entries, :) += values, row by row; an entry may occur twice.
template <class Values>
void scatter_add(const std::vector<int>& entries, const Values& values, Eigen::MatrixXd& target) {
  for (std::size_t i = 0; i < entries.size(); ++i)
    target.row(entries[i]) += values.row(static_cast<Eigen::Index>(i));
}

}  // namespace

// -------------------------------------------------------------------------------------------------
// making it
StepLinearization::StepLinearization(std::shared_ptr<const StepTape> tape,
                                     const StepDerivativeOptions& options,
                                     StepDerivativeWorkspace::Data& work)
    : tape_(std::move(tape)),
      model_(tape_->model.data()),
      law_(options.relaxation > 0.0 ? relax(options.relaxation) : ContactLaw(*tape_)) {
  work.prepare(tape_->model);
  trees_.resize(model_.trees.size());
  for (std::size_t i = 0; i < model_.trees.size(); ++i) {
    const Tree& tree = model_.trees[i];
    const auto index = static_cast<std::size_t>(tree.index);
    if (tree.carrier == Carrier::free_body) {
      const FreeBody& body = model_.free_bodies[index];
      set_tree_derivative(body, free_pose(tape_->q, body.q).rotation,
                          tape_->velocity.segment<6>(body.v), model_.gravity, tape_->dt, trees_[i]);
    } else {
      const PlacedArticulation& placed = model_.robots[index];
      const int nq = placed.robot->nq(), nv = placed.robot->nv();
      work.robots[index].set(tape_->q.segment(placed.q, nq), tape_->v.segment(placed.v, nv),
                             tape_->velocity.segment(placed.v, nv), tape_->dt, trees_[i]);
    }
  }
  const BodyMotion motion(*tape_, work.robots);
  blocks_ = row_derivatives(*tape_, motion, options);
  append_closure_derivatives(*tape_, motion, blocks_);
  add_wrenches(work.robots);
  for (const StepParameter parameter : options.parameters)
    effects_[static_cast<std::size_t>(parameter)] = parameter_effect(
        {*tape_, motion, blocks_, trees_, work.robots}, parameter);
  set_acting();
  set_smooth();
}

ContactLaw StepLinearization::relax(double relaxation) {
  RelaxedTape relaxed = relaxed_tape(*tape_, relaxation);
  tape_ = std::move(relaxed.tape);
  return {*tape_, std::move(relaxed.forces)};
}

/// Collects the wrenches on bodies as if they stood still in the world.
class StepLinearization::WrenchSum {
 public:
  WrenchSum(const StepTape& tape, const std::vector<ArticulationDerivative>& robots,
            std::vector<TreeDerivative>& trees)
      : tape_(tape), model_(tape.model.data()), trees_(trees) {
    for (const ArticulationDerivative& robot : robots)
      on_joints_.emplace_back(
          Matrix6X::Zero(6, static_cast<Eigen::Index>(robot.articulation().joints().size())));
  }

  /// Adds a force at a point and a torque on B, and the opposite on A.
  void add(int body_a, int body_b, const Vector3& point, const Vector3& force,
           const Vector3& torque) {
    add(body_a, point, -force, -torque);
    add(body_b, point, force, torque);
  }

  Matrix6X& on_joints(std::size_t robot) { return on_joints_[robot]; }

 private:
  void add(int index, const Vector3& point, const Vector3& force, const Vector3& torque) {
    const Body& body = model_.bodies[static_cast<std::size_t>(index)];
    Vector6 wrench;
    if (body.carrier == Carrier::free_body) {
      const Pose& X = tape_.body_poses[static_cast<std::size_t>(index)];
      wrench << X.rotation.transpose() * force,
          X.rotation.transpose() * ((point - X.translation).cross(force) + torque);
      trees_[static_cast<std::size_t>(body.tree)].force_by_q += wrench_by_motion(wrench);
    } else if (body.carrier == Carrier::joint) {
      wrench << force, point.cross(force) + torque;
      on_joints_[static_cast<std::size_t>(body.index)].col(body.joint) += wrench;
    }
  }

  const StepTape& tape_;
  const ModelData& model_;
  std::vector<TreeDerivative>& trees_;
  std::vector<Matrix6X> on_joints_;  ///< about the world's origin, of each robot
};

void StepLinearization::add_wrenches(std::vector<ArticulationDerivative>& robots) {
  WrenchSum wrenches(*tape_, robots, trees_);
  const auto body_of = [&](int geometry) {
    return model_.geometries[static_cast<std::size_t>(geometry)].body;
  };
  for (std::size_t i = 0; i < tape_->contacts.size(); ++i) {
    const FoundContact& contact = tape_->contacts[i];
    wrenches.add(body_of(contact.geometry_a), body_of(contact.geometry_b), contact.point,
                 contact_force(*tape_, i), Vector3::Zero());
  }
  std::size_t block = tape_->first_closure_block();
  const auto next = [&] {
    Vector3 out;
    for (int k = 0; k < 3; ++k) out[k] = tape_->solution.force[tape_->blocks[block++].row];
    return out;
  };
  for (const Closure& closure : model_.closures) {
    const ClosureError error = closure_error(
        closure, tape_->body_poses[static_cast<std::size_t>(closure.body_a)],
        tape_->body_poses[static_cast<std::size_t>(closure.body_b)]);
    const Vector3 force = next();
    const Vector3 torque = closure.kind == ClosureKind::weld ? next() : Vector3(Vector3::Zero());
    wrenches.add(closure.body_a, closure.body_b, error.point, force, torque);
  }
  for (std::size_t i = 0; i < model_.trees.size(); ++i) {
    const Tree& tree = model_.trees[i];
    if (tree.carrier != Carrier::joint) continue;
    const auto index = static_cast<std::size_t>(tree.index);
    add_wrench_derivative(robots[index].articulation(), robots[index].jacobian(),
                          wrenches.on_joints(index), trees_[i].force_by_q);
  }
}

void StepLinearization::set_acting() {
  acting_.setOnes(model_.nv);
  for (Eigen::Index i = 0; i < tape_->tau.size(); ++i) {
    const double limit = model_.effort_limit[i], size = std::abs(tape_->tau[i]);
    if (!std::isfinite(limit)) continue;
    if (size > limit) acting_[i] = 0.0;
    if (limit > 0.0) mode_margin_ = std::min(mode_margin_, std::abs(size - limit) / limit);
  }
}

Eigen::VectorXd StepLinearization::probe() const {
  StepInputTangent change;
  change.q.resize(model_.nv);
  change.v.resize(model_.nv);
  for (int i = 0; i < model_.nv; ++i) {
    change.q[i] = std::cos(1.0 + i * i);
    change.v[i] = std::cos(2.0 + 3.0 * i * i) / tape_->dt;
  }
  Columns columns = start(change);
  Eigen::VectorXd b = columns.asked_for;
  for (const RowDerivative& block : blocks_)
    b.segment(block.row, block.J.rows()) += block.J * columns.velocity(block.columns, 0);
  return b;
}

void StepLinearization::set_smooth() {
  const ContactSolution& solution = tape_->solution;
  bool smooth = solution.status == ContactStatus::converged && law_.converged() &&
                !tape_->is_bounded;
  for (const TreeDerivative& tree : trees_) smooth &= tree.smooth;
  for (const std::optional<ParameterEffect>& effect : effects_) smooth &= !effect || effect->smooth;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    double margin = law_.is_relaxed() ? 1.0 : solution.mode_margin[static_cast<Eigen::Index>(i)];
    if (solution.modes[i] != ContactMode::breaking) {
      margin = std::min(margin, blocks_[i].margin);
      smooth &= blocks_[i].smooth;
    }
    mode_margin_ = std::min(mode_margin_, margin);
  }
  smooth &= mode_margin_ > kSmoothMargin;
  if (smooth && law_.rule() == HyperstaticRule::minimum_norm)
    smooth = law_.velocity_is_unique() && law_.keeps_modes(probe());
  smooth_ = smooth;
}

// -------------------------------------------------------------------------------------------------
// forward
void StepLinearization::apply_inverse_mass(Eigen::Ref<Eigen::MatrixXd> forces) const {
  for (const Tree& tree : model_.trees) {
    const auto index = static_cast<std::size_t>(tree.index);
    auto rows = forces.middleRows(tree.v, tree.nv);
    if (tree.carrier == Carrier::free_body) {
      const Matrix6& factor = model_.free_bodies[index].factor;
      factor.triangularView<Eigen::Lower>().solveInPlace(rows);
      factor.triangularView<Eigen::Lower>().transpose().solveInPlace(rows);
    } else {
      tape_->factors[index].solve(rows);
    }
  }
}

void StepLinearization::add_contact_forces(Columns& columns) const {
  if (blocks_.empty()) return;
  const double dt = tape_->dt;
  Eigen::MatrixXd& b = columns.asked_for;
  for (const RowDerivative& block : blocks_)
    b.middleRows(block.row, block.J.rows()).noalias() += block.J * columns.velocity(block.columns,
                                                                                    Eigen::all);
  b *= 1.0 / (dt * tape_->force_unit * tape_->inverse_mass_unit);
  const Eigen::MatrixXd df = tape_->force_unit * law_.force_change(b, columns.friction);
  Eigen::MatrixXd force = Eigen::MatrixXd::Zero(model_.nv, b.cols());
  for (const RowDerivative& block : blocks_)
    scatter_add(block.columns,
                (block.J.transpose() * df.middleRows(block.row, block.J.rows())).eval(), force);
  apply_inverse_mass(force);
  columns.velocity += dt * force;
}

void StepLinearization::add_motion(const Eigen::MatrixXd& du, Eigen::MatrixXd& next_q,
                                   Eigen::MatrixXd& next_v) const {
  for (std::size_t i = 0; i < trees_.size(); ++i) {
    const Tree& tree = model_.trees[i];
    const auto whole = du.middleRows(tree.v, tree.nv);
    // entries of curved joints are put right by their blocks
    next_q.middleRows(tree.v, tree.nv) += tape_->dt * whole;
    next_v.middleRows(tree.v, tree.nv) += whole;
    for (const MotionBlock& block : trees_[i].motion) {
      const auto part = du.middleRows(tree.v + block.v, block.size);
      next_q.middleRows(tree.v + block.v, block.size) += block.q_by_u * part - tape_->dt * part;
      next_v.middleRows(tree.v + block.v, block.size) += block.v_by_u * part - part;
    }
  }
}

StepLinearization::Columns StepLinearization::start(const StepInputTangent& change) const {
  const double dt = tape_->dt;
  Columns columns{Eigen::MatrixXd::Zero(model_.nv, 1), Eigen::MatrixXd::Zero(rows(), 1)};
  Eigen::MatrixXd& force = columns.velocity;
  if (change.tau.size() > 0) force += acting_.cwiseProduct(change.tau);
  for (std::size_t i = 0; i < trees_.size(); ++i) {
    const Tree& tree = model_.trees[i];
    auto part = force.middleRows(tree.v, tree.nv);
    if (change.q.size() > 0) part += trees_[i].force_by_q * change.q.segment(tree.v, tree.nv);
    if (change.v.size() > 0) part += trees_[i].force_by_v * change.v.segment(tree.v, tree.nv);
  }
  for (const RowDerivative& block : blocks_) {
    auto asked_for = columns.asked_for.middleRows(block.row, block.J.rows());
    if (change.q.size() > 0) {
      const Eigen::VectorXd part = change.q(block.columns);
      asked_for += block.velocity_by_q * part;
      if (block.force_by_q.size() > 0)
        scatter_add(block.columns, (block.force_by_q * part).eval(), force);
    }
    if (change.v.size() > 0 && block.velocity_by_v.size() > 0)
      asked_for += block.velocity_by_v * change.v(block.columns);
  }
  for (std::size_t i = 0; i < effects_.size(); ++i) {
    const Eigen::VectorXd& values = change.parameters[i];
    if (values.size() == 0 || !effects_[i]) continue;
    force += effects_[i]->force * values;
    columns.asked_for += effects_[i]->asked_for * values;
    if (columns.friction.size() == 0)
      columns.friction.setZero(static_cast<Eigen::Index>(blocks_.size()), 1);
    columns.friction += effects_[i]->friction * values;
  }
  apply_inverse_mass(force);
  force *= dt;
  for (std::size_t i = 0; i < effects_.size(); ++i)
    if (change.parameters[i].size() > 0 && effects_[i])
      columns.velocity += effects_[i]->velocity * change.parameters[i];
  if (change.v.size() == 0) return columns;
  columns.velocity += change.v;
  for (std::size_t i = 0; i < trees_.size(); ++i) {
    for (const CarriedVelocity& base : trees_[i].carried) {
      const int v = model_.trees[i].v + base.v;
      const Vector3 linear = change.v.segment<3>(v), angular = change.v.segment<3>(v + 3);
      columns.velocity.block<3, 1>(
          v, 0) += dt * (angular.cross(base.linear) + base.angular.cross(linear));
    }
  }
  return columns;
}

StepOutputTangent StepLinearization::jvp(const StepInputTangent& change) const {
  Columns columns = start(change);
  add_contact_forces(columns);
  Eigen::MatrixXd next_q = Eigen::MatrixXd::Zero(model_.nv, 1), next_v = next_q;
  if (change.q.size() > 0) {
    next_q.col(0) = change.q;
    for (std::size_t i = 0; i < trees_.size(); ++i)
      for (const MotionBlock& block : trees_[i].motion) {
        const int v = model_.trees[i].v + block.v;
        next_q.middleRows(v, block.size) = block.q_by_q * change.q.segment(v, block.size);
      }
  }
  add_motion(columns.velocity, next_q, next_v);
  for (std::size_t i = 0; i < effects_.size(); ++i) {
    if (change.parameters[i].size() == 0 || !effects_[i]) continue;
    next_q += effects_[i]->next_q * change.parameters[i];
    next_v += effects_[i]->next_v * change.parameters[i];
  }
  return {next_q, next_v};
}

StepParameterJacobians StepLinearization::jacobians(StepParameter parameter) const {
  const ParameterEffect& effect = *effects_[static_cast<std::size_t>(parameter)];
  Columns columns{effect.force, effect.asked_for, effect.friction};
  apply_inverse_mass(columns.velocity);
  columns.velocity = tape_->dt * columns.velocity + effect.velocity;
  add_contact_forces(columns);
  StepParameterJacobians out{effect.next_q, effect.next_v};
  add_motion(columns.velocity, out.dq, out.dv);
  return out;
}

// -------------------------------------------------------------------------------------------------
// backward
/// Gradients on their way back through the chain.
struct StepLinearization::Gradients {
  Eigen::MatrixXd q, v;       ///< nv x 1: by position and velocity before the step
  Eigen::MatrixXd velocity;   ///< nv x 1: by u
  Eigen::MatrixXd force;      ///< nv x 1: by generalized forces
  Eigen::VectorXd asked_for;  ///< by the velocities of rows, s/m
  Eigen::VectorXd friction;   ///< by the coefficients of blocks
};

void StepLinearization::pull_motion(const Eigen::VectorXd& by_q, const Eigen::VectorXd& by_v,
                                    Gradients& out) const {
  out.q = by_q;
  out.velocity = tape_->dt * by_q + by_v;
  for (std::size_t i = 0; i < trees_.size(); ++i) {
    for (const MotionBlock& block : trees_[i].motion) {
      const int v = model_.trees[i].v + block.v;
      const auto q = by_q.segment(v, block.size);
      out.q.middleRows(v, block.size) = block.q_by_q.transpose() * q;
      out.velocity.middleRows(v, block.size) = block.q_by_u.transpose() * q +
                                               block.v_by_u.transpose() *
                                                   by_v.segment(v, block.size);
    }
  }
}

void StepLinearization::pull_contact_forces(Gradients& out) const {
  out.asked_for.setZero(rows());
  out.friction.setZero(static_cast<Eigen::Index>(blocks_.size()));
  if (blocks_.empty()) return;
  const double dt = tape_->dt;
  Eigen::MatrixXd by_force = out.velocity;
  apply_inverse_mass(by_force);
  Eigen::VectorXd by_contact_force(rows());
  for (const RowDerivative& block : blocks_)
    by_contact_force.segment(block.row, block.J.rows()) = dt *
                                                          (block.J * by_force(block.columns, 0));
  const ContactLaw::Pullback by_problem = law_.pullback(tape_->force_unit * by_contact_force);
  out.asked_for = by_problem.b / (dt * tape_->force_unit * tape_->inverse_mass_unit);
  out.friction = by_problem.mu;
  for (const RowDerivative& block : blocks_)
    scatter_add(block.columns,
                (block.J.transpose() * out.asked_for.segment(block.row, block.J.rows())).eval(),
                out.velocity);
}

void StepLinearization::pull_free_velocity(Gradients& out) const {
  const double dt = tape_->dt;
  out.force = out.velocity;
  apply_inverse_mass(out.force);
  out.force *= dt;
  out.v = out.velocity;
  for (std::size_t i = 0; i < trees_.size(); ++i) {
    const Tree& tree = model_.trees[i];
    const auto force = out.force.middleRows(tree.v, tree.nv);
    out.q.middleRows(tree.v, tree.nv) += trees_[i].force_by_q.transpose() * force;
    out.v.middleRows(tree.v, tree.nv) += trees_[i].force_by_v.transpose() * force;
    for (const CarriedVelocity& base : trees_[i].carried) {
      const int at = tree.v + base.v;
      const Vector3 linear = out.velocity.block<3, 1>(at, 0);
      out.v.block<3, 1>(at, 0) += dt * linear.cross(base.angular);
      out.v.block<3, 1>(at + 3, 0) += dt * base.linear.cross(linear);
    }
  }
  for (const RowDerivative& block : blocks_) {
    const auto asked_for = out.asked_for.segment(block.row, block.J.rows());
    scatter_add(block.columns, (block.velocity_by_q.transpose() * asked_for).eval(), out.q);
    if (block.velocity_by_v.size() > 0)
      scatter_add(block.columns, (block.velocity_by_v.transpose() * asked_for).eval(), out.v);
    if (block.force_by_q.size() > 0)
      scatter_add(block.columns,
                  (block.force_by_q.transpose() * out.force(block.columns, 0)).eval(), out.q);
  }
}

StepInputTangent StepLinearization::vjp(const StepOutputTangent& gradient) const {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model_.nv);
  const Eigen::VectorXd &by_q = gradient.q.size() > 0 ? gradient.q : zero,
                        &by_v = gradient.v.size() > 0 ? gradient.v : zero;
  Gradients gradients;
  pull_motion(by_q, by_v, gradients);
  pull_contact_forces(gradients);
  pull_free_velocity(gradients);
  StepInputTangent out{gradients.q, gradients.v, acting_.cwiseProduct(gradients.force.col(0)), {}};
  for (std::size_t i = 0; i < effects_.size(); ++i) {
    if (!effects_[i]) continue;
    const ParameterEffect& effect = *effects_[i];
    out.parameters[i] = effect.force.transpose() * gradients.force.col(0);
    out.parameters[i] += effect.velocity.transpose() * gradients.velocity.col(0);
    out.parameters[i] += effect.asked_for.transpose() * gradients.asked_for;
    out.parameters[i] += effect.friction.transpose() * gradients.friction;
    out.parameters[i] += effect.next_q.transpose() * by_q;
    out.parameters[i] += effect.next_v.transpose() * by_v;
  }
  return out;
}

}  // namespace tactum::sim
