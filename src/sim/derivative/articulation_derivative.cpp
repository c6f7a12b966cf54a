// SPDX-License-Identifier: BSD-2-Clause
// Pinocchio's algorithms are compiled in its library for arguments of exactly these types, some as
// references, some as vectors; with other types each call would compile them again, which takes
// minutes.
#include "sim/derivative/articulation_derivative.hpp"

#include <Eigen/Geometry>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>

#include "sim/model/pinocchio_model.hpp"

namespace tactum::sim {
namespace {

using In = Eigen::Ref<const Eigen::VectorXd>;
using Out = Eigen::Ref<Eigen::MatrixXd>;

/// A base that floats moves straight in the world and keeps its linear velocity there.
void set_floating_motion(const Vector6& u, double dt, MotionBlock& block) {
  const Matrix3 back = rotation_exponential(dt * u.tail<3>()).transpose(),
                right = dt * rotation_exponential_jacobian(dt * u.tail<3>());
  const Matrix3 hat = cross_matrix(u.head<3>());
  block.q_by_q.setZero(6, 6);
  block.q_by_u.setZero(6, 6);
  block.v_by_u.setZero(6, 6);
  block.q_by_q.topRightCorner<3, 3>() = -dt * back * hat;
  block.q_by_q.topLeftCorner<3, 3>() = block.q_by_q.bottomRightCorner<3, 3>() = back;
  block.q_by_u.topLeftCorner<3, 3>() = dt * back;
  block.q_by_u.bottomRightCorner<3, 3>() = right;
  block.v_by_u.topLeftCorner<3, 3>() = back;
  block.v_by_u.topRightCorner<3, 3>() = cross_matrix(back * u.head<3>()) * right;
  block.v_by_u.bottomRightCorner<3, 3>().setIdentity();
}

}  // namespace

struct ArticulationDerivative::Scratch {
  explicit Scratch(const pinocchio::Model& model)
      : data(model), by_q(model.nv, model.nv), by_u(model.nv, model.nv) {}
  pinocchio::Data data;
  Eigen::MatrixXd by_q, by_u;          ///< of integrate()
  Eigen::VectorXd q, v, acceleration;  ///< of the last step
};

ArticulationDerivative::ArticulationDerivative(const Articulation& articulation)
    : articulation_(&articulation),
      data_(std::make_unique<Scratch>(articulation.pinocchio().model)) {}

ArticulationDerivative::~ArticulationDerivative() = default;
ArticulationDerivative::ArticulationDerivative(ArticulationDerivative&&) noexcept = default;
ArticulationDerivative& ArticulationDerivative::operator=(ArticulationDerivative&&) noexcept =
    default;

const Matrix6X& ArticulationDerivative::jacobian() const { return data_->data.J; }

void ArticulationDerivative::set(const In& q, const In& v, const In& u, double dt,
                                 TreeDerivative& out) {
  const pinocchio::Model& model = articulation_->pinocchio().model;
  pinocchio::Data& data = data_->data;
  const int nv = articulation_->nv();
  Eigen::VectorXd& acceleration = data_->acceleration;
  data_->q = q;
  data_->v = v;
  acceleration = (u - v) / dt;
  out.carried.clear();
  for (const Articulation::Joint& joint : articulation_->joints()) {
    if (!joint.floats) continue;
    const Vector3 linear = v.segment<3>(joint.v), angular = v.segment<3>(joint.v + 3);
    acceleration.segment<3>(joint.v) -= angular.cross(linear);
    out.carried.push_back({joint.v, linear, angular});
  }
  out.force_by_q.setZero(nv, nv);
  out.force_by_v.setZero(nv, nv);
  data.M.setZero();
  pinocchio::computeRNEADerivatives(model, data, q, v, In(acceleration), Out(out.force_by_q),
                                    Out(out.force_by_v), Out(data.M));
  out.force_by_q *= -1.0;
  out.force_by_v *= -1.0;
  out.force_by_v.diagonal() -= articulation_->damping() + dt * articulation_->stiffness();
  out.force_by_q.diagonal() -= articulation_->stiffness();

  out.smooth = true;
  set_motion(u, dt, out.motion);
}

void ArticulationDerivative::set_motion(const In& u, double dt, std::vector<MotionBlock>& out) {
  const pinocchio::Model& model = articulation_->pinocchio().model;
  const Eigen::VectorXd motion = dt * u;
  out.clear();
  bool has_integrated = false;
  for (std::size_t j = 1; j < articulation_->joints().size(); ++j) {
    const Articulation::Joint& joint = articulation_->joints()[j];
    if (joint.nv < 2) continue;
    MotionBlock& block = out.emplace_back();
    block.v = joint.v;
    block.size = joint.nv;
    if (joint.floats) {
      set_floating_motion(u.segment<6>(joint.v), dt, block);
      continue;
    }
    block.v_by_u.setIdentity(joint.nv, joint.nv);
    if (model.joints[j].shortname() == "JointModelSpherical") {
      const Vector3 angle = motion.segment<3>(joint.v);
      block.q_by_q = rotation_exponential(angle).transpose();
      block.q_by_u = dt * rotation_exponential_jacobian(angle);
      continue;
    }
    if (!has_integrated) {
      data_->by_q.setZero();
      data_->by_u.setZero();
      pinocchio::dIntegrate(model, data_->q, motion, data_->by_q, pinocchio::ARG0);
      pinocchio::dIntegrate(model, data_->q, motion, data_->by_u, pinocchio::ARG1);
      has_integrated = true;
    }
    block.q_by_q = data_->by_q.block(joint.v, joint.v, joint.nv, joint.nv);
    block.q_by_u = dt * data_->by_u.block(joint.v, joint.v, joint.nv, joint.nv);
  }
}

const Eigen::MatrixXd& ArticulationDerivative::regressor() {
  const pinocchio::Model& model = articulation_->pinocchio().model;
  pinocchio::computeJointTorqueRegressor(model, data_->data, data_->q, data_->v,
                                         data_->acceleration);
  return data_->data.jointTorqueRegressor;
}

Eigen::MatrixX3d ArticulationDerivative::forces_by_gravity() const {
  const pinocchio::Model& model = articulation_->pinocchio().model;
  const auto& joints = articulation_->joints();
  Eigen::MatrixX3d out(articulation_->nv(), 3);
  std::vector<double> mass(joints.size(), 0.0);  // of all bodies behind a joint, and their moment
  std::vector<Vector3> moment(joints.size(), Vector3::Zero());
  for (std::size_t j = joints.size() - 1; j > 0; --j) {
    const pinocchio::Inertia& inertia = model.inertias[j];
    mass[j] += inertia.mass();
    moment[j] += inertia.mass() * data_->data.oMi[j].act(Vector3(inertia.lever()));
    mass[static_cast<std::size_t>(joints[j].parent)] += mass[j];
    moment[static_cast<std::size_t>(joints[j].parent)] += moment[j];
    for (int k = joints[j].v; k < joints[j].v + joints[j].nv; ++k) {
      const Vector3 linear = jacobian().col(k).head<3>(), angular = jacobian().col(k).tail<3>();
      out.row(k) = mass[j] * linear + angular.cross(moment[j]);
    }
  }
  return out;
}

Vector6 twist_cross(const Vector6& a, const Vector6& b) {
  const Vector3 a_linear = a.head<3>(), a_angular = a.tail<3>(), b_linear = b.head<3>(),
                b_angular = b.tail<3>();
  Vector6 out;
  out << a_angular.cross(b_linear) + a_linear.cross(b_angular), a_angular.cross(b_angular);
  return out;
}

void JointTwists::set(const Articulation& articulation, const Matrix6X& jacobian,
                      const In& velocity) {
  const auto& joints = articulation.joints();
  of_joint.setZero(6, static_cast<Eigen::Index>(joints.size()));
  before_column.resize(6, articulation.nv());
  for (std::size_t j = 1; j < joints.size(); ++j) {
    const Articulation::Joint& joint = joints[j];
    const Vector6 before = of_joint.col(joint.parent);
    Vector6 twist = before;
    for (int k = joint.v; k < joint.v + joint.nv; ++k) {
      before_column.col(k) = twist_cross(jacobian.col(k), before);
      twist += velocity[k] * jacobian.col(k);
    }
    of_joint.col(static_cast<Eigen::Index>(j)) = twist;
  }
}

void add_wrench_derivative(const Articulation& articulation, const Matrix6X& jacobian,
                           Matrix6X& wrenches, Eigen::MatrixXd& force_by_q) {
  const auto& joints = articulation.joints();
  for (std::size_t j = joints.size() - 1; j > 0; --j) {
    const Articulation::Joint& joint = joints[j];
    const Vector6 wrench = wrenches.col(static_cast<Eigen::Index>(j));
    wrenches.col(joint.parent) += wrench;
    if (wrench.isZero(0.0)) continue;
    const Vector3 force = wrench.head<3>(), moment = wrench.tail<3>();
    for (int k = joint.v; k < joint.v + joint.nv; ++k) {
      const Vector3 linear = jacobian.col(k).head<3>(), angular = jacobian.col(k).tail<3>();
      Vector6 turned;
      turned << angular.cross(force), angular.cross(moment) + linear.cross(force);
      for (const int l : joint.support) force_by_q(k, l) += turned.dot(jacobian.col(l));
    }
  }
}

}  // namespace tactum::sim
