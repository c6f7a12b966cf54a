// SPDX-License-Identifier: BSD-2-Clause
// Free body  With h = I w_u, turn = exp(dt w_mid) and k = turn^T h = I w+, a change of w_u changes
//            k by turn^T I dw_u + [k]x Jr dt dw_mid and w_mid by (dw_u + dw+) / 2: three linear
//            equations for dw+.
#include "sim/derivative/tree_derivative.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

namespace tactum::sim {

Matrix3 rotation_exponential_jacobian(const Vector3& w) {
  const double squared = w.squaredNorm(), angle = std::sqrt(squared);
  // (1 - cos(x)) / x^2 and (x - sin(x)) / x^3; by series where the differences cancel
  double b = 0.5 - squared / 24.0 * (1.0 - squared / 30.0 * (1.0 - squared / 56.0));
  double c = 1.0 / 6.0 - squared / 120.0 * (1.0 - squared / 42.0 * (1.0 - squared / 72.0));
  if (angle > 0.05) {
    b = (1.0 - std::cos(angle)) / squared;
    c = (1.0 - std::sin(angle) / angle) / squared;
  }
  const Matrix3 hat = cross_matrix(w);
  return Matrix3::Identity() - b * hat + c * hat * hat;
}

namespace {

void set_motion(const FreeBody& body, const Vector6& u, double dt, TreeDerivative& out) {
  const Matrix3& inertia = body.inertia.inertia;
  const Vector3 center = body.inertia.center, turning = u.tail<3>(),
                center_velocity = u.head<3>() + turning.cross(center);
  const FreeMotion motion = advance(body, Pose{}, u, dt);
  const Vector3 next = motion.velocity.tail<3>(), middle = 0.5 * (turning + next);
  const Matrix3 turn = rotation_exponential(dt * middle), back = turn.transpose();
  const Vector3 momentum = inertia * next;
  // where the iterations for w_mid did not converge, momentum is carried over by another rotation
  out.smooth = (back * (inertia * turning) - momentum).norm() <= 1e-12 * momentum.norm();

  const Matrix3 right = dt * rotation_exponential_jacobian(dt * middle);
  const Matrix3 half = 0.5 * cross_matrix(momentum) * right;
  const Matrix3 next_by_turning = Matrix3(inertia - half).lu().solve(back * inertia + half);
  const Matrix3 angle_by_turning = 0.5 * right * (Matrix3::Identity() + next_by_turning);
  const Matrix3 hat_center = cross_matrix(center);

  out.motion.resize(1);
  MotionBlock& block = out.motion[0];
  block.v = 0;
  block.size = 6;
  block.q_by_q.setZero(6, 6);
  block.q_by_u.setZero(6, 6);
  block.v_by_u.setZero(6, 6);
  block.q_by_q.topLeftCorner<3, 3>() = back;
  block.q_by_q.topRightCorner<3, 3>() = hat_center * back -
                                        back * (hat_center + dt * cross_matrix(center_velocity));
  block.q_by_q.bottomRightCorner<3, 3>() = back;
  block.q_by_u.topLeftCorner<3, 3>() = dt * back;
  block.q_by_u.topRightCorner<3, 3>() = hat_center * angle_by_turning - dt * back * hat_center;
  block.q_by_u.bottomRightCorner<3, 3>() = angle_by_turning;
  block.v_by_u.topLeftCorner<3, 3>() = back;
  block.v_by_u.topRightCorner<3, 3>() = hat_center * next_by_turning - back * hat_center +
                                        cross_matrix(back * center_velocity) * angle_by_turning;
  block.v_by_u.bottomRightCorner<3, 3>() = next_by_turning;
}

}  // namespace

void set_tree_derivative(const FreeBody& body, const Matrix3& rotation, const Vector6& velocity,
                         const Vector3& gravity, double dt, TreeDerivative& out) {
  out.force_by_q.setZero(6, 6);
  out.force_by_v.setZero(6, 6);
  out.force_by_q.rightCols<3>() = body.mass_matrix.leftCols<3>() *
                                  cross_matrix(rotation.transpose() * gravity);
  out.carried.clear();
  set_motion(body, velocity, dt, out);
}

Matrix6 wrench_by_motion(const Vector6& wrench) {
  const Matrix3 force = cross_matrix(wrench.head<3>());
  Matrix6 out = Matrix6::Zero();
  out.topRightCorner<3, 3>() = out.bottomLeftCorner<3, 3>() = force;
  out.bottomRightCorner<3, 3>() = cross_matrix(wrench.tail<3>());
  return out;
}

}  // namespace tactum::sim
