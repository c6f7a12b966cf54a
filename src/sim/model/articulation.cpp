// SPDX-License-Identifier: BSD-2-Clause
// Pinocchio's algorithms are compiled in its library for arguments of exactly these types of
// references; with other types each call would compile them again, which takes minutes.
#include "sim/model/articulation.hpp"

#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/energy.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "sim/model/free_body.hpp"
#include "sim/model/pinocchio_model.hpp"

namespace tactum::sim {
namespace {

using In = Eigen::Ref<const Eigen::VectorXd>;
using Out = Eigen::Ref<Eigen::VectorXd>;

}  // namespace

// -------------------------------------------------------------------------------------------------
// the robot
Articulation::Articulation(std::shared_ptr<const PinocchioModel> given)
    : pinocchio_(std::move(given)) {
  const pinocchio::Model& model = pinocchio_->model;
  nq_ = model.nq;
  nv_ = model.nv;
  neutral_ = pinocchio::neutral(model);
  lower_ = model.lowerPositionLimit;
  upper_ = model.upperPositionLimit;
  damping_ = model.damping;
  dry_friction_ = model.upperDryFrictionLimit;
  effort_limit_ = model.upperEffortLimit;
  const bool has_springs = pinocchio_->stiffness.size() == nv_;
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(nv_);
  stiffness_ = has_springs ? pinocchio_->stiffness : none;
  rest_position_ = has_springs ? pinocchio_->rest_position : none;
  joints_.resize(static_cast<std::size_t>(model.njoints));
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    Joint& joint = joints_[j];
    joint.name = joint.body_name = model.names[j];
    joint.parent = static_cast<int>(model.parents[j]);
    joint.q = model.idx_qs[j];
    joint.nq = model.nqs[j];
    joint.v = model.idx_vs[j];
    joint.nv = model.nvs[j];
    joint.floats = j > 0 && model.parents[j] == 0 &&
                   model.joints[j].shortname() == "JointModelFreeFlyer";
    if (j == 0) continue;
    for (int k = 0; k < joint.nv; ++k) {
      const Joint& above = joints_[static_cast<std::size_t>(joint.parent)];
      const int last_above = above.support.empty() ? -1 : above.support.back();
      velocity_parents_.push_back(k == 0 ? last_above : joint.v + k - 1);
    }
    for (const pinocchio::JointIndex above : model.supports[j]) {
      if (above == 0) continue;
      joint.tree.push_back(static_cast<int>(above));
      for (int k = 0; k < model.nvs[above]; ++k) joint.support.push_back(model.idx_vs[above] + k);
    }
  }
  for (const pinocchio::Frame& frame : model.frames)
    if (frame.type == pinocchio::BODY) joints_[frame.parentJoint].body_name = frame.name;
}

Articulation::~Articulation() = default;

Eigen::VectorXd Articulation::integrate(const Eigen::VectorXd& q, const Eigen::VectorXd& dq) const {
  Eigen::VectorXd out(nq_);
  pinocchio::integrate(pinocchio_->model, In(q), In(dq), Out(out));
  return out;
}

Eigen::VectorXd Articulation::difference(const Eigen::VectorXd& q0,
                                         const Eigen::VectorXd& q1) const {
  Eigen::VectorXd out(nv_);
  pinocchio::difference(pinocchio_->model, In(q0), In(q1), Out(out));
  return out;
}

// -------------------------------------------------------------------------------------------------
// its scratch
struct ArticulationData::Scratch {
  explicit Scratch(const pinocchio::Model& model) : data(model) {}
  pinocchio::Data data;
};

ArticulationData::ArticulationData(const Articulation& articulation)
    : articulation_(&articulation),
      data_(std::make_unique<Scratch>(articulation.pinocchio().model)),
      factor_(articulation.velocity_parents()),
      added_diagonal_(articulation.nv()),
      force_(articulation.nv()),
      motion_(articulation.nv()) {}

ArticulationData::~ArticulationData() = default;
ArticulationData::ArticulationData(ArticulationData&&) noexcept = default;
ArticulationData& ArticulationData::operator=(ArticulationData&&) noexcept = default;

void ArticulationData::set_kinematics(const In& q, const In& v) {
  const pinocchio::Model& model = articulation_->pinocchio().model;
  pinocchio::crba(model, data_->data, q, pinocchio::Convention::WORLD);  // with poses and Jacobians
  pinocchio::nonLinearEffects(model, data_->data, q, v);                 // with velocities
}

void ArticulationData::set_free_velocity(const In& q, const In& v, const In& tau, double dt,
                                         Out u) {
  const pinocchio::Data& data = data_->data;
  added_diagonal_ = dt * articulation_->damping() + dt * dt * articulation_->stiffness();
  factor_.set(data.M, added_diagonal_);
  force_ = tau - data.nle - articulation_->damping().cwiseProduct(v);
  for (const Articulation::Joint& joint : articulation_->joints()) {
    if (joint.nv != 1 || articulation_->stiffness()[joint.v] == 0.0) continue;
    // the spring pulls at the position after the step, as far as the velocity before it goes
    const double stretch = q[joint.q] + dt * v[joint.v] - articulation_->rest_position()[joint.v];
    force_[joint.v] -= articulation_->stiffness()[joint.v] * stretch;
  }
  factor_.solve(force_);
  u = v + dt * force_;
  for (const Articulation::Joint& joint : articulation_->joints()) {
    if (!joint.floats) continue;
    const Vector3 linear = v.segment<3>(joint.v), angular = v.segment<3>(joint.v + 3);
    u.segment<3>(joint.v) += dt * angular.cross(linear);
  }
}

Pose ArticulationData::placement(int joint) const {
  const pinocchio::SE3& X = data_->data.oMi[static_cast<std::size_t>(joint)];
  return {X.rotation(), X.translation()};
}

double ArticulationData::linear_speed(int joint) const {
  return data_->data.v[static_cast<std::size_t>(joint)].linear().norm();
}

double ArticulationData::angular_speed(int joint) const {
  return data_->data.v[static_cast<std::size_t>(joint)].angular().norm();
}

const Matrix6X& ArticulationData::jacobian() const { return data_->data.J; }

void ArticulationData::advance(const In& q, const In& u, double dt, Out next_q, Out next_v) const {
  const pinocchio::Model& model = articulation_->pinocchio().model;
  motion_ = dt * u;
  pinocchio::integrate(model, q, In(motion_), next_q);
  next_v = u;
  for (const Articulation::Joint& joint : articulation_->joints()) {
    if (!joint.floats) continue;
    const Eigen::Quaterniond before(q.segment<4>(joint.q + 3));
    const Matrix3 turn = rotation_exponential(motion_.segment<3>(joint.v + 3));
    next_q.segment<3>(joint.q) = q.segment<3>(joint.q) + before * motion_.segment<3>(joint.v);
    next_v.segment<3>(joint.v) = turn.transpose() * u.segment<3>(joint.v);
  }
}

double ArticulationData::kinetic_energy(const In& q, const In& v) {
  return pinocchio::computeKineticEnergy(articulation_->pinocchio().model, data_->data, q, v);
}

double ArticulationData::spring_energy(const In& q) const {
  double energy = 0.0;
  for (const Articulation::Joint& joint : articulation_->joints()) {
    if (joint.nv != 1 || articulation_->stiffness()[joint.v] == 0.0) continue;
    const double stretch = q[joint.q] - articulation_->rest_position()[joint.v];
    energy += 0.5 * articulation_->stiffness()[joint.v] * stretch * stretch;
  }
  return energy;
}

double ArticulationData::mass() const {
  double mass = 0.0;
  for (const pinocchio::Inertia& inertia : articulation_->pinocchio().model.inertias)
    mass += inertia.mass();
  return mass - articulation_->pinocchio().model.inertias[0].mass();
}

Vector3 ArticulationData::center(const In& q) {
  return pinocchio::centerOfMass(articulation_->pinocchio().model, data_->data, q, false);
}

Eigen::Matrix<double, 6, 1> ArticulationData::momentum(const In& q, const In& v) {
  const pinocchio::Model& model = articulation_->pinocchio().model;
  const pinocchio::Force about_center = pinocchio::computeCentroidalMomentum(model, data_->data, q,
                                                                             v);
  Eigen::Matrix<double, 6, 1> out;
  const Vector3 center = data_->data.com[0];
  out << about_center.linear(),
      about_center.angular() + center.cross(Vector3(about_center.linear()));
  return out;
}

}  // namespace tactum::sim
