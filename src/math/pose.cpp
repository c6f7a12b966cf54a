// SPDX-License-Identifier: BSD-2-Clause
// Checks and conversions of rigid poses.
//
// Nearest rotation  the orthogonal polar factor, by Newton's iteration R <- (R + R^-T) / 2 [Higham 1986]. It squares the
//                   error at each step, so that three steps from 1e-6 end at rounding.
// Fails             by InvalidInput, which names the entry.
#include "tactum/pose.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <string>

#include "core/number_text.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

constexpr double largest_coordinate = 1e30;
constexpr double exact_error = 1e-12;
constexpr double correctable_error = 1.001e-6;  // a matrix scaled by 1 + 1e-6 is on the right side of 1e-6, rounding or not
constexpr const char* orthonormal_remedy = "give an orthonormal matrix of determinant +1, with max|R^T R - I| / 2 at most 1e-6";

// Names are put together only when something is wrong: this runs at every query, and nothing may be allocated there.
void check_translation(const Vector3& translation, const char* field, const char* part) {
  for (int i = 0; i < 3; ++i) {
    if (!std::isfinite(translation[i]) || std::abs(translation[i]) > largest_coordinate) {
      throw InvalidInput(std::string(field) + part + "[" + std::to_string(i) + "]", exact_text(translation[i]),
                         "give a finite coordinate of at most 1e30 m");
    }
  }
}

// Entries first: beyond +-2 a product could overflow, and no rotation has such an entry.
void check_entries(const Matrix3& rotation, const char* field) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (!std::isfinite(rotation(i, j)) || std::abs(rotation(i, j)) > 2.0) {
        throw InvalidInput(std::string(field) + ".rotation(" + std::to_string(i) + ", " + std::to_string(j) + ")",
                           exact_text(rotation(i, j)), orthonormal_remedy);
      }
    }
  }
}

// Half of the largest entry of R^T R - I: how far, to first order, the matrix is from the nearest rotation.
double orthonormality_error(const Matrix3& rotation) {
  return 0.5 * (rotation.transpose() * rotation - Matrix3::Identity()).cwiseAbs().maxCoeff();
}

Matrix3 nearest_rotation(Matrix3 rotation) {
  for (int step = 0; step < 3; ++step) rotation = 0.5 * (rotation + rotation.inverse().transpose()).eval();
  return rotation;
}

}  // namespace

CheckedPose check_pose(const Pose& pose, const char* field) {
  check_entries(pose.rotation, field);
  check_translation(pose.translation, field, ".translation");
  const double error = orthonormality_error(pose.rotation);
  if (error > correctable_error) {
    throw InvalidInput(std::string(field) + ".rotation", "max|R^T R - I| / 2 = " + exact_text(error), orthonormal_remedy);
  }
  const double determinant = pose.rotation.determinant();
  if (determinant < 0.0) {
    throw InvalidInput(std::string(field) + ".rotation", "determinant " + exact_text(determinant), orthonormal_remedy);
  }
  if (error <= exact_error) return {pose, false};
  return {{nearest_rotation(pose.rotation), pose.translation}, true};
}

Pose pose_from_matrix(const Matrix4& matrix, const char* field) {
  for (int j = 0; j < 4; ++j) {
    const double expected = j == 3 ? 1.0 : 0.0;
    if (!std::isfinite(matrix(3, j)) || std::abs(matrix(3, j) - expected) > exact_error) {
      throw InvalidInput(std::string(field) + "(3, " + std::to_string(j) + ")", exact_text(matrix(3, j)),
                         "give a homogeneous matrix whose last row is (0, 0, 0, 1)");
    }
  }
  return check_pose({matrix.topLeftCorner<3, 3>(), matrix.topRightCorner<3, 1>()}, field).pose;
}

Pose pose_from_xyz_xyzw(const Vector7& xyz_xyzw, const char* field) {
  check_translation(xyz_xyzw.head<3>(), field, "");
  for (int i = 3; i < 7; ++i) {
    if (!std::isfinite(xyz_xyzw[i])) {
      throw InvalidInput(std::string(field) + "[" + std::to_string(i) + "]", exact_text(xyz_xyzw[i]), "give a finite quaternion");
    }
  }
  const double norm = xyz_xyzw.tail<4>().norm();
  if (std::abs(norm - 1.0) > correctable_error) {
    const char* remedy = norm < 1e-12 ? "give a quaternion (x, y, z, w) that is not zero"
                                      : "give a quaternion (x, y, z, w) with a norm within 1e-6 of 1";
    throw InvalidInput(std::string(field) + ".quat_xyzw", "norm " + exact_text(norm), remedy);
  }
  const Eigen::Quaterniond quat(xyz_xyzw[6], xyz_xyzw[3], xyz_xyzw[4], xyz_xyzw[5]);  // Eigen's constructor takes w first
  return {quat.normalized().toRotationMatrix(), xyz_xyzw.head<3>()};
}

Matrix4 pose_matrix(const Pose& pose) {
  Matrix4 matrix = Matrix4::Identity();
  matrix.topLeftCorner<3, 3>() = pose.rotation;
  matrix.topRightCorner<3, 1>() = pose.translation;
  return matrix;
}

Vector7 pose_xyz_xyzw(const Pose& pose) {
  Eigen::Quaterniond quat(pose.rotation);
  quat.normalize();
  if (quat.w() < 0.0) quat.coeffs() = -quat.coeffs();
  Vector7 result;
  result << pose.translation, quat.coeffs();
  return result;
}

}  // namespace tactum
