// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/sim/robot.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <unordered_set>

#include "core/format_number.hpp"
#include "core/quote_text.hpp"

namespace tactum::sim {
namespace {

constexpr std::size_t kMostJoints = 100'000;

std::string joint_field(const RobotJoint& joint, const char* field) {
  return "joint " + quoted_text(joint.name) + ", " + field;
}

void check_name(const std::string& name, const char* field) {
  if (name.empty() || name.size() > 255 || !is_utf8(name) ||
      name.find_first_of(std::string_view("\0\n\r\t", 4)) != std::string::npos)
    throw InvalidInput(field, quoted_text(name), "give a name of 1 to 255 bytes of UTF-8");
}

void check_not_negative(const RobotJoint& joint, const char* field, double value, double most) {
  if (std::isnan(value) || value < 0.0 || value > most)
    throw InvalidInput(joint_field(joint, field), shortest_text(value), "give a number, 0 or more");
}

/// Real robot files have rounded moments, of thin rods too: a moment may exceed the sum of the
/// other two, or be below zero, by this share of the largest.
constexpr double kMomentSlack = 1e-3;

void check_inertia(const RobotJoint& joint) {
  const BodyInertia& given = joint.inertia;
  if (!std::isfinite(given.mass) || given.mass < 0.0 || given.mass > 1e30)
    throw InvalidInput(joint_field(joint, "mass"), shortest_text(given.mass),
                       "give a finite mass in kg, 0 or more");
  if (!given.center.allFinite() || !given.inertia.allFinite() ||
      given.center.cwiseAbs().maxCoeff() > 1e30 || given.inertia.cwiseAbs().maxCoeff() > 1e30)
    throw InvalidInput(joint_field(joint, "inertia"), "a number that is not finite",
                       "give finite numbers in m and kg m^2");
  const double size = given.inertia.cwiseAbs().maxCoeff();
  if (size == 0.0) return;
  if ((given.inertia - given.inertia.transpose()).cwiseAbs().maxCoeff() > 1e-8 * size)
    throw InvalidInput(joint_field(joint, "inertia"), "a matrix that is not symmetric",
                       "give a symmetric matrix in kg m^2, about the center of mass");
  const Vector3 moments =
      Eigen::SelfAdjointEigenSolver<Matrix3>(given.inertia, Eigen::EigenvaluesOnly).eigenvalues();
  // what rounding leaves where the inertia of links is moved to a common center
  const double rounding = 1e-12 * given.mass * (1.0 + given.center.squaredNorm());
  const double slack = kMomentSlack * std::abs(moments[2]) + rounding;
  if (moments[0] < -slack || moments[2] - moments[0] - moments[1] > slack)
    throw InvalidInput(joint_field(joint, "inertia"),
                       "principal moments " + shortest_text(moments[0]) + ", " +
                           shortest_text(moments[1]) + ", " + shortest_text(moments[2]),
                       "give moments that are not negative and of which none is larger than the "
                       "sum of the other two, as those of every body");
}

void check_joint(const RobotJoint& joint) {
  check_name(joint.name, "joint name");
  if (!joint.body_name.empty()) check_name(joint.body_name, "body name");
  static_cast<void>(check_pose(joint.X_PJ, joint_field(joint, "X_PJ").c_str()));
  const bool has_axis = joint.kind == JointKind::revolute || joint.kind == JointKind::continuous ||
                        joint.kind == JointKind::prismatic;
  if (has_axis && (!joint.axis.allFinite() || std::abs(joint.axis.squaredNorm() - 1.0) > 1e-9))
    throw InvalidInput(joint_field(joint, "axis"), "a vector that is not of length 1",
                       "give a unit vector");
  if (std::isnan(joint.lower) || std::isnan(joint.upper) || joint.lower > joint.upper)
    throw InvalidInput(joint_field(joint, "limits"),
                       shortest_text(joint.lower) + " to " + shortest_text(joint.upper),
                       "give the lower one first");
  const double infinity = std::numeric_limits<double>::infinity();
  check_not_negative(joint, "effort_limit", joint.effort_limit, infinity);
  check_not_negative(joint, "velocity_limit", joint.velocity_limit, infinity);
  check_not_negative(joint, "damping", joint.damping, 1e30);
  check_not_negative(joint, "dry_friction", joint.dry_friction, 1e30);
  check_not_negative(joint, "armature", joint.armature, 1e30);
  check_not_negative(joint, "stiffness", joint.stiffness, 1e30);
  if (!std::isfinite(joint.rest_position))
    throw InvalidInput(joint_field(joint, "rest_position"), shortest_text(joint.rest_position),
                       "give a finite number");
  check_inertia(joint);
}

/// Joints are depth first when each is carried by the one before it or by one that carries that.
void check_order(const RobotDescription& robot) {
  std::vector<int> branch;  // joints between the world and the one before
  for (int i = 0; i < static_cast<int>(robot.joints.size()); ++i) {
    const RobotJoint& joint = robot.joints[static_cast<std::size_t>(i)];
    while (!branch.empty() && branch.back() != joint.parent) branch.pop_back();
    if (branch.empty() && joint.parent != -1)
      throw InvalidInput(joint_field(joint, "parent"), std::to_string(joint.parent),
                         "give -1 or a joint before it, and joints depth first");
    branch.push_back(i);
  }
}

void check_geometries(const RobotDescription& robot) {
  const int num_joints = static_cast<int>(robot.joints.size()),
            num_geometries = static_cast<int>(robot.geometries.size());
  for (const RobotGeometry& geometry : robot.geometries) {
    if (geometry.joint < -1 || geometry.joint >= num_joints)
      throw InvalidInput("geometry " + quoted_text(geometry.name) + ", joint",
                         std::to_string(geometry.joint),
                         "give a number from -1 (the world) to " + std::to_string(num_joints - 1));
  }
  for (const auto& [pairs, field] :
       {std::pair{&robot.forbidden, "forbidden"}, std::pair{&robot.meeting, "meeting"}}) {
    for (const auto& [a, b] : *pairs) {
      if (a < 0 || b < 0 || a >= num_geometries || b >= num_geometries)
        throw InvalidInput(field, std::to_string(a) + ", " + std::to_string(b),
                           "give numbers from 0 to " + std::to_string(num_geometries - 1));
    }
  }
}

void check_closures(const RobotDescription& robot) {
  const int num_joints = static_cast<int>(robot.joints.size());
  const auto check = [&](int joint, int least, const char* field) {
    if (joint < least || joint >= num_joints)
      throw InvalidInput(
          field, std::to_string(joint),
          "give a number from " + std::to_string(least) + " to " + std::to_string(num_joints - 1));
  };
  for (const RobotClosure& closure : robot.closures) {
    check(closure.joint_a, -1, "closure, joint_a");
    check(closure.joint_b, -1, "closure, joint_b");
  }
  for (const RobotCoupling& coupling : robot.couplings) {
    check(coupling.joint_a, 0, "coupling, joint_a");
    check(coupling.joint_b, -1, "coupling, joint_b");
  }
}

}  // namespace

int num_positions(JointKind kind) {
  switch (kind) {
    case JointKind::free: return 7;
    case JointKind::spherical:
    case JointKind::planar: return 4;
    case JointKind::continuous: return 2;
    default: return 1;
  }
}

int num_velocities(JointKind kind) {
  switch (kind) {
    case JointKind::free: return 6;
    case JointKind::spherical:
    case JointKind::planar: return 3;
    default: return 1;
  }
}

Eigen::VectorXd neutral_position(const RobotDescription& robot) {
  int size = 0;
  for (const RobotJoint& joint : robot.joints) size += num_positions(joint.kind);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(size);
  int at = 0;
  for (const RobotJoint& joint : robot.joints) {
    const int count = num_positions(joint.kind);
    if (joint.kind == JointKind::free || joint.kind == JointKind::spherical)
      q[at + count - 1] = 1.0;
    if (joint.kind == JointKind::planar) q[at + 2] = 1.0;
    if (joint.kind == JointKind::continuous) q[at] = 1.0;
    at += count;
  }
  return q;
}

void check_robot(const RobotDescription& robot) {
  if (robot.joints.size() > kMostJoints)
    throw InvalidInput("joints", std::to_string(robot.joints.size()),
                       "give at most " + std::to_string(kMostJoints));
  std::unordered_set<std::string> names, body_names;
  for (const RobotJoint& joint : robot.joints) {
    check_joint(joint);
    if (!names.insert(joint.name).second)
      throw InvalidInput("joint name", quoted_text(joint.name), "give each joint its own");
    if (!body_names.insert(joint.body_name.empty() ? joint.name : joint.body_name).second)
      throw InvalidInput("body name", quoted_text(joint.body_name), "give each body its own");
  }
  check_order(robot);
  check_geometries(robot);
  check_closures(robot);
  const Eigen::Index nq = neutral_position(robot).size();
  if (robot.initial_q.size() != 0 && robot.initial_q.size() != nq)
    throw InvalidInput("initial_q", std::to_string(robot.initial_q.size()) + " numbers",
                       "give none or " + std::to_string(nq));
  if (!robot.initial_q.allFinite())
    throw InvalidInput("initial_q", "a number that is not finite", "give finite numbers");
}

BodyInertia joined(const BodyInertia& whole, const BodyInertia& part, const Pose& X) {
  const BodyInertia placed{part.mass, X.rotation * part.center + X.translation,
                           X.rotation * part.inertia * X.rotation.transpose()};
  BodyInertia out = placed;
  if (whole.mass > 0.0 || whole.inertia != Matrix3::Zero()) {
    out.mass = whole.mass + placed.mass;
    if (out.mass > 0.0)
      out.center = (whole.mass * whole.center + placed.mass * placed.center) / out.mass;
    out.inertia = whole.inertia + placed.inertia;
    for (const BodyInertia* one : {&whole, &placed}) {
      const Vector3 arm = one->center - out.center;
      out.inertia += one->mass * (arm.squaredNorm() * Matrix3::Identity() - arm * arm.transpose());
    }
  }
  out.inertia = (0.5 * (out.inertia + out.inertia.transpose())).eval();
  return out;
}

}  // namespace tactum::sim
