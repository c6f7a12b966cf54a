// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/derivative/relative_motion.hpp"

#include <Eigen/Geometry>

#include "math/pose_exponential.hpp"
#include "narrow/pair/pair_frame.hpp"
#include "narrow/query/try_distance.hpp"

namespace tactum {
namespace {

/// A small motion in world axes: `shift` of the origin of the shape, `turn` about it.
struct Motion {
  Vector3 shift, turn;
};

Motion motion_of(const Pose& pose, TangentFrame frame, int column) {
  const int i = column % 3;
  const Vector3 axis = frame == TangentFrame::local ? Vector3(pose.rotation.col(i))
                                                    : Vector3(Vector3::Unit(i));
  if (column < 3) return {axis, Vector3::Zero()};
  return {frame == TangentFrame::world ? Vector3(axis.cross(pose.translation))
                                       : Vector3(Vector3::Zero()),
          axis};
}

/// The given motion of B in its local tangent.
Vector6 local_tangent(const Pose& X_WB, const Motion& motion) {
  Vector6 tangent;
  tangent << X_WB.rotation.transpose() * motion.shift, X_WB.rotation.transpose() * motion.turn;
  return tangent;
}

/// The motion of B that undoes the change of the relative pose by the given motion of A.
Motion carried_to_b(const Pose& X_WA, const Pose& X_WB, const Motion& motion) {
  return {motion.shift + motion.turn.cross(X_WB.translation - X_WA.translation), motion.turn};
}

/// Change of the answer when the world makes a motion about the origin of A.
AnswerVector rigid_answer(const Pose& X_WA, const Distance& value, const Motion& motion) {
  AnswerVector change;
  change[0] = 0.0;
  change.segment<3>(1) = motion.turn.cross(value.normal);
  change.segment<3>(4) = motion.shift + motion.turn.cross(value.point_a - X_WA.translation);
  change.segment<3>(7) = motion.shift + motion.turn.cross(value.point_b - X_WA.translation);
  change.segment<3>(10) = motion.turn.cross(value.point_b - value.point_a);
  return change;
}

void write(const AnswerVector& from, int column, DistanceJacobians& out) {
  out.distance_jacobian[column] = from[0];
  out.normal_jacobian.col(column) = from.segment<3>(1);
  out.point_a_jacobian.col(column) = from.segment<3>(4);
  out.point_b_jacobian.col(column) = from.segment<3>(7);
  out.separation_jacobian.col(column) = from.segment<3>(10);
}

}  // namespace

AnswerVector answer_vector(const Distance& value) {
  AnswerVector answer;
  answer << value.distance, value.normal, value.point_a, value.point_b,
      value.point_b - value.point_a;
  return answer;
}

Pose moved(const Pose& X_WB, const Vector6& motion) {
  return X_WB * pose_exponential(motion.head<3>(), motion.tail<3>());
}

Distance answer_at(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                   const Distance& value, const DistanceOptions& options) {
  DistanceOptions warm = options;
  warm.warm_start = &value.warm_start;
  Distance result;
  return try_distance(a, X_WA, b, X_WB, warm, result) ? result : value;
}

void fill_jacobians(const Pose& X_WA, const Pose& X_WB, const Distance& value,
                    const RelativeJacobian& by_b, TangentFrame frame, DistanceJacobians& out) {
  for (int i = 0; i < 6; ++i) {
    const Motion of_a = motion_of(X_WA, frame, i);
    const Vector6 back = local_tangent(X_WB, carried_to_b(X_WA, X_WB, of_a));
    write(rigid_answer(X_WA, value, of_a) - by_b * back, i, out);
    write(by_b * local_tangent(X_WB, motion_of(X_WB, frame, i)), 6 + i, out);
  }
}

void fill_standard_errors(const Pose& X_WA, const Pose& X_WB,
                          const std::array<Eigen::Matrix<double, 6, 6>, kAnswerRows>& covariance,
                          TangentFrame frame, DistanceJacobians& out) {
  for (int i = 0; i < 12; ++i) {
    const Vector6 tangent = i < 6 ? local_tangent(
                                        X_WB, carried_to_b(X_WA, X_WB, motion_of(X_WA, frame, i)))
                                  : local_tangent(X_WB, motion_of(X_WB, frame, i - 6));
    AnswerVector error;
    for (int row = 0; row < kAnswerRows; ++row)
      error[row] = std::sqrt(
          std::max(0.0, tangent.dot(covariance[static_cast<std::size_t>(row)] * tangent)));
    write(error, i, out);
  }
}

}  // namespace tactum
