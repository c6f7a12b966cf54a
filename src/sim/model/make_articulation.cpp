// SPDX-License-Identifier: BSD-2-Clause
#include "sim/model/make_articulation.hpp"

#include <Eigen/Cholesky>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>

#include "core/quote_text.hpp"
#include "sim/model/pinocchio_model.hpp"

namespace tactum::sim {
namespace {

constexpr int kMostVelocities = 2048;

/// The joint along x, y or z where the axis is one of them, which is faster, or along any axis.
template <typename X, typename Y, typename Z, typename Unaligned>
pinocchio::JointModel along(const Vector3& axis) {
  if (axis == Vector3::UnitX()) return X();
  if (axis == Vector3::UnitY()) return Y();
  if (axis == Vector3::UnitZ()) return Z();
  return Unaligned(axis.normalized());  // Pinocchio asks for a length of 1 to 1e-12
}

pinocchio::JointModel joint_model(const RobotJoint& joint) {
  using namespace pinocchio;
  switch (joint.kind) {
    case JointKind::free: return JointModelFreeFlyer();
    case JointKind::spherical: return JointModelSpherical();
    case JointKind::planar: return JointModelPlanar();
    case JointKind::continuous:
      return along<JointModelRUBX, JointModelRUBY, JointModelRUBZ,
                   JointModelRevoluteUnboundedUnaligned>(joint.axis);
    case JointKind::prismatic:
      return along<JointModelPX, JointModelPY, JointModelPZ, JointModelPrismaticUnaligned>(
          joint.axis);
    default:
      return along<JointModelRX, JointModelRY, JointModelRZ, JointModelRevoluteUnaligned>(
          joint.axis);
  }
}

pinocchio::SE3 placement(const Pose& X) { return {X.rotation, X.translation}; }

void add_joint(const RobotJoint& joint, PinocchioModel& out) {
  pinocchio::Model& model = out.model;
  const pinocchio::JointIndex index = model.addJoint(
      static_cast<pinocchio::JointIndex>(joint.parent + 1), joint_model(joint),
      placement(joint.X_PJ), joint.name);
  model.addJointFrame(index);
  model.appendBodyToJoint(index, {joint.inertia.mass, joint.inertia.center,
                                  pinocchio::Symmetric3(joint.inertia.inertia)});
  model.addBodyFrame(joint.body_name.empty() ? joint.name : joint.body_name, index);
  const int q = model.idx_qs[index], nq = model.nqs[index], v = model.idx_vs[index],
            nv = model.nvs[index];
  const double infinity = std::numeric_limits<double>::infinity();
  model.lowerPositionLimit.segment(q, nq).setConstant(nq == 1 ? joint.lower : -infinity);
  model.upperPositionLimit.segment(q, nq).setConstant(nq == 1 ? joint.upper : infinity);
  model.upperEffortLimit.segment(v, nv).setConstant(joint.effort_limit);
  model.lowerEffortLimit.segment(v, nv).setConstant(-joint.effort_limit);
  model.upperVelocityLimit.segment(v, nv).setConstant(joint.velocity_limit);
  model.lowerVelocityLimit.segment(v, nv).setConstant(-joint.velocity_limit);
  model.upperDryFrictionLimit.segment(v, nv).setConstant(joint.dry_friction);
  model.lowerDryFrictionLimit.segment(v, nv).setConstant(-joint.dry_friction);
  model.damping.segment(v, nv).setConstant(joint.damping);
  model.armature.segment(v, nv).setConstant(joint.armature);
  out.stiffness.conservativeResize(model.nv);
  out.rest_position.conservativeResize(model.nv);
  out.stiffness.segment(v, nv).setConstant(nq == 1 ? joint.stiffness : 0.0);
  out.rest_position.segment(v, nv).setConstant(joint.rest_position);
}

/// Refuses a robot whose mass matrix is not positive definite where all joints are at zero.
void check_mass(const pinocchio::Model& model) {
  pinocchio::Data data(model);
  const Eigen::VectorXd q = pinocchio::neutral(model);
  pinocchio::crba(model, data, Eigen::Ref<const Eigen::VectorXd>(q), pinocchio::Convention::LOCAL);
  Eigen::MatrixXd M = data.M.selfadjointView<Eigen::Upper>();
  // in order from the leaves, so that the joint found is one whose own branch has no mass
  const Eigen::Index size = M.rows();
  for (Eigen::Index k = size - 1; k >= 0; --k) {
    if (M(k, k) <= 1e-15 * data.M(k, k) || M(k, k) < 1e-18) {
      for (std::size_t j = 1; j < static_cast<std::size_t>(model.njoints); ++j) {
        if (k < model.idx_vs[j] || k >= model.idx_vs[j] + model.nvs[j]) continue;
        throw InvalidInput("joint " + quoted_text(model.names[j]),
                           "nothing with mass or inertia that it moves",
                           "give its links inertia, or the joint armature");
      }
    }
    M.topLeftCorner(k, k).noalias() -= M.col(k).head(k) * M.row(k).head(k) / M(k, k);
  }
}

}  // namespace

std::shared_ptr<const Articulation> make_articulation(std::span<const RobotJoint> joints,
                                                      const Vector3& gravity) {
  int nv = 0;
  for (const RobotJoint& joint : joints) nv += num_velocities(joint.kind);
  if (nv > kMostVelocities)
    throw InvalidInput(
        "robot", std::to_string(nv) + " velocities",
        "give at most " + std::to_string(kMostVelocities) + ": its mass matrix is stored in full");
  auto out = std::make_shared<PinocchioModel>();
  for (const RobotJoint& joint : joints) add_joint(joint, *out);
  out->model.gravity.linear(gravity);
  check_mass(out->model);
  return std::make_shared<const Articulation>(std::move(out));
}

}  // namespace tactum::sim
