// SPDX-License-Identifier: BSD-2-Clause
// Rigid poses. X_AB is the pose of frame B in frame A: p_A = X_AB * p_B.
#pragma once

#include <Eigen/Core>

namespace tactum {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
using Matrix4 = Eigen::Matrix4d;
using Vector7 = Eigen::Matrix<double, 7, 1>;

/// A rigid pose: rotation (orthonormal, determinant +1) and translation in metres.
struct Pose {
  Matrix3 rotation = Matrix3::Identity();
  Vector3 translation = Vector3::Zero();
};

/// Composition: X_AC = X_AB * X_BC.
inline Pose operator*(const Pose& X_AB, const Pose& X_BC) {
  return {X_AB.rotation * X_BC.rotation, X_AB.rotation * X_BC.translation + X_AB.translation};
}

/// A point given in B, expressed in A.
inline Vector3 operator*(const Pose& X_AB, const Vector3& p_B) {
  return X_AB.rotation * p_B + X_AB.translation;
}

/// X_BA from X_AB.
inline Pose inverse(const Pose& X_AB) {
  return {X_AB.rotation.transpose(), -(X_AB.rotation.transpose() * X_AB.translation)};
}

/// A pose that is safe to compute with, and whether it had to be corrected.
struct CheckedPose {
  Pose pose;
  bool corrected = false;  ///< the rotation was off by more than 1e-12 and was made orthonormal
};

/// Checks a pose: finite, translation at most 1e30 m, rotation orthonormal.
///
/// An error max|R^T R - I| / 2 up to 1e-12 is accepted as it is; up to 1e-6 the nearest rotation is
/// taken and `corrected` is set; anything else, and a negative determinant, throws InvalidInput
/// naming `field`.
CheckedPose check_pose(const Pose& pose, const char* field);

/// Pose from a homogeneous matrix whose last row is (0, 0, 0, 1); checked as in check_pose.
Pose pose_from_matrix(const Matrix4& matrix, const char* field = "pose");

/// Pose from (x, y, z, qx, qy, qz, qw). A quaternion within 1e-6 of unit norm is normalized, any
/// other throws InvalidInput.
Pose pose_from_xyz_xyzw(const Vector7& xyz_xyzw, const char* field = "pose");

/// Homogeneous (4, 4) matrix of a pose.
Matrix4 pose_matrix(const Pose& pose);

/// (x, y, z, qx, qy, qz, qw) of a pose, with qw >= 0.
Vector7 pose_xyz_xyzw(const Pose& pose);

}  // namespace tactum
