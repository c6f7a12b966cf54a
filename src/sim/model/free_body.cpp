// SPDX-License-Identifier: BSD-2-Clause
#include "sim/model/free_body.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>

#include "math/pose_exponential.hpp"

namespace tactum::sim {
namespace {

constexpr int kMostIterations = 50;  // of the middle velocity; each gains a factor of dt |w|

}  // namespace

Matrix3 cross_matrix(const Vector3& w) {
  Matrix3 hat;
  hat << 0.0, -w.z(), w.y(), w.z(), 0.0, -w.x(), -w.y(), w.x(), 0.0;
  return hat;
}

Matrix3 rotation_exponential(const Vector3& w) {
  return pose_exponential(Vector3::Zero(), w).rotation;
}

FreeBody::FreeBody(const BodyInertia& given, int q_begin, int v_begin)
    : q(q_begin), v(v_begin), inertia(given), inverse_inertia(given.inertia.inverse()) {
  const Matrix3 hat = cross_matrix(given.center);
  mass_matrix << given.mass * Matrix3::Identity(), -given.mass * hat, given.mass * hat,
      given.inertia - given.mass * hat * hat;
  factor = mass_matrix.llt().matrixL();
}

Vector6 free_velocity(const FreeBody& body, const Matrix3& rotation, const Vector6& velocity,
                      const Vector6& wrench, const Vector3& gravity, double dt) {
  const Vector3& center = body.inertia.center;
  const Vector3 torque = wrench.tail<3>() - center.cross(wrench.head<3>());
  const Vector3 angular = body.inverse_inertia * torque;
  Vector6 u = velocity;
  u.tail<3>() += dt * angular;
  u.head<3>() += dt * (wrench.head<3>() / body.inertia.mass - angular.cross(center) +
                       rotation.transpose() * gravity);
  return u;
}

FreeMotion advance(const FreeBody& body, const Pose& X, const Vector6& u, double dt) {
  const Vector3 center = body.inertia.center, turning = u.tail<3>();
  const Vector3 center_velocity = u.head<3>() + turning.cross(center);
  const Vector3 h = body.inertia.inertia * turning;

  Vector3 next = turning, middle = turning;
  Matrix3 turn = rotation_exponential(dt * middle);
  for (int i = 0; i < kMostIterations; ++i) {
    next = body.inverse_inertia * (turn.transpose() * h);
    const Vector3 better = 0.5 * (turning + next);
    const double change = (better - middle).norm();
    middle = better;
    turn = rotation_exponential(dt * middle);
    if (!(change > 1e-16 * turning.norm())) break;
  }
  next = body.inverse_inertia * (turn.transpose() * h);

  FreeMotion motion;
  const Eigen::Quaterniond rotation(X.rotation * turn);
  motion.X.rotation = rotation.normalized().toRotationMatrix();
  motion.X.translation = X * center + dt * (X.rotation * center_velocity) -
                         motion.X.rotation * center;
  motion.velocity << turn.transpose() * center_velocity - next.cross(center), next;
  return motion;
}

}  // namespace tactum::sim
