// SPDX-License-Identifier: BSD-2-Clause
#include "sim/derivative/body_motion.hpp"

#include <Eigen/Geometry>

namespace tactum::sim {

BodyMotion::BodyMotion(const StepTape& tape, const std::vector<ArticulationDerivative>& robots)
    : tape_(tape), model_(tape.model.data()), robots_(robots), columns_(model_.bodies.size()) {
  for (std::size_t i = 1; i < model_.bodies.size(); ++i) {
    const Body& body = model_.bodies[i];
    const auto index = static_cast<std::size_t>(body.index);
    if (body.carrier == Carrier::free_body) {
      for (int k = 0; k < 6; ++k) columns_[i].push_back(model_.free_bodies[index].v + k);
    } else {
      const PlacedArticulation& placed = model_.robots[index];
      for (const int v : placed.robot->joints()[static_cast<std::size_t>(body.joint)].support)
        columns_[i].push_back(placed.v + v);
    }
  }
  robot_twists_.resize(robots.size());
  for (std::size_t i = 0; i < robots.size(); ++i) {
    const Articulation& robot = robots[i].articulation();
    const Eigen::Index begin = model_.robots[i].v, nv = robot.nv();
    robot_twists_[i].before.set(robot, robots[i].jacobian(), tape.v.segment(begin, nv));
    robot_twists_[i].found.set(robot, robots[i].jacobian(), tape.velocity.segment(begin, nv));
  }
}

Matrix6X BodyMotion::twists(int body, const Vector3& point) const {
  const Body& given = model_.bodies[static_cast<std::size_t>(body)];
  const std::vector<int>& entries = columns(body);
  Matrix6X out(6, static_cast<Eigen::Index>(entries.size()));
  if (given.carrier == Carrier::free_body) {
    const Pose& X = tape_.body_poses[static_cast<std::size_t>(body)];
    out.topLeftCorner<3, 3>() = out.bottomRightCorner<3, 3>() = X.rotation;
    out.bottomLeftCorner<3, 3>().setZero();
    out.topRightCorner<3, 3>() = -cross_matrix(point - X.translation) * X.rotation;
  } else if (given.carrier == Carrier::joint) {
    const Matrix6X& jacobian = robots_[static_cast<std::size_t>(given.index)].jacobian();
    const int begin = model_.robots[static_cast<std::size_t>(given.index)].v;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto column = jacobian.col(entries[i] - begin);
      const Vector3 linear = column.head<3>(), angular = column.tail<3>();
      out.col(static_cast<Eigen::Index>(i)) << linear + angular.cross(point), angular;
    }
  }
  return out;
}

Vector6 BodyMotion::twist(int body, const Vector3& point, Velocity velocity) const {
  const Body& given = model_.bodies[static_cast<std::size_t>(body)];
  Vector6 out = Vector6::Zero();
  if (given.carrier == Carrier::free_body) {
    const Pose& X = tape_.body_poses[static_cast<std::size_t>(body)];
    const Eigen::VectorXd& all = velocity == Velocity::before ? tape_.v : tape_.velocity;
    const Vector6 own = all.segment<6>(model_.free_bodies[static_cast<std::size_t>(given.index)].v);
    const Vector3 angular = X.rotation * own.tail<3>();
    out << X.rotation * own.head<3>() + angular.cross(point - X.translation), angular;
  } else if (given.carrier == Carrier::joint) {
    const Vector6 own = joint_twists(given.index, velocity).of_joint.col(given.joint);
    const Vector3 linear = own.head<3>(), angular = own.tail<3>();
    out << linear + angular.cross(point), angular;
  }
  return out;
}

Matrix6X BodyMotion::twist_by_q(int body, const Vector3& point, const Matrix6X& twists,
                                Velocity velocity) const {
  const Body& given = model_.bodies[static_cast<std::size_t>(body)];
  const Vector6 own = twist(body, point, velocity);
  Matrix6X out(6, twists.cols());
  for (Eigen::Index i = 0; i < twists.cols(); ++i) out.col(i) = twist_cross(twists.col(i), own);
  if (given.carrier != Carrier::joint) return out;
  const JointTwists& joints = joint_twists(given.index, velocity);
  const int begin = model_.robots[static_cast<std::size_t>(given.index)].v;
  const std::vector<int>& entries = columns(body);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto before = joints.before_column.col(entries[i] - begin);
    const Vector3 linear = before.head<3>(), angular = before.tail<3>();
    Vector6 at_point;
    at_point << linear + angular.cross(point), angular;
    out.col(static_cast<Eigen::Index>(i)) -= at_point;
  }
  return out;
}

}  // namespace tactum::sim
