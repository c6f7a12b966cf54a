// SPDX-License-Identifier: BSD-2-Clause
// Checks and conversions of rigid poses.
//
// Rotation   the nearest rotation is the orthogonal polar factor, by Newton's iteration R <- (R +
//            R^-T) / 2 [Higham 1986]. It squares the error at each step, so that three steps from
//            1e-6 end at rounding.
// Errors     InvalidInput names the entry. Whether a pose is good is decided without exceptions
//            (pose_check.hpp); the message is put together only once it is not.
#include "tactum/pose.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/format_number.hpp"
#include "math/pose_check.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

constexpr double kLargestCoordinate = 1e30;
constexpr double kExactError = 1e-12;
constexpr double kCorrectableError = 1.001e-6;  // a matrix scaled by 1 + 1e-6 is accepted, rounding
                                                // or not
constexpr const char* kOrthonormalRemedy =
    "give an orthonormal matrix of determinant +1, with max|R^T R - I| / 2 at most 1e-6";

// The bits of a double without its sign, which grow with its magnitude, infinity and NaN last:
// comparing them never traps.
std::uint64_t magnitude(double value) { return std::bit_cast<std::uint64_t>(value) << 1; }

bool within(double value, double limit) { return magnitude(value) <= magnitude(limit); }

void check_translation(const Vector3& translation, const char* field, const char* part) {
  for (int i = 0; i < 3; ++i) {
    if (!std::isfinite(translation[i]) || std::abs(translation[i]) > kLargestCoordinate) {
      throw InvalidInput(std::string(field) + part + "[" + std::to_string(i) + "]",
                         exact_text(translation[i]), "give a finite coordinate of at most 1e30 m");
    }
  }
}

// Entries come first: beyond +-2 a product could overflow, and no rotation has such an entry.
void check_entries(const Matrix3& rotation, const char* field) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (!std::isfinite(rotation(i, j)) || std::abs(rotation(i, j)) > 2.0) {
        throw InvalidInput(
            std::string(field) + ".rotation(" + std::to_string(i) + ", " + std::to_string(j) + ")",
            exact_text(rotation(i, j)), kOrthonormalRemedy);
      }
    }
  }
}

// Half of the largest entry of R^T R - I: to first order, the distance of the matrix from the
// nearest rotation.
double orthonormality_error(const Matrix3& rotation) {
  // N.B. single doubles: Eigen's product of two (3, 3) takes longer, and a batch checks every row
  const double* const r = rotation.data();
  const auto dot = [r](int i, int j) {
    return r[3 * i] * r[3 * j] + r[3 * i + 1] * r[3 * j + 1] + r[3 * i + 2] * r[3 * j + 2];
  };
  double error = std::abs(dot(0, 0) - 1.0);
  error = std::max(error, std::abs(dot(1, 1) - 1.0));
  error = std::max(error, std::abs(dot(2, 2) - 1.0));
  error = std::max(error, std::abs(dot(0, 1)));
  error = std::max(error, std::abs(dot(0, 2)));
  error = std::max(error, std::abs(dot(1, 2)));
  return 0.5 * error;
}

double determinant(const Matrix3& rotation) {
  const double* const r = rotation.data();
  return r[6] * (r[1] * r[5] - r[2] * r[4]) + r[7] * (r[2] * r[3] - r[0] * r[5]) +
         r[8] * (r[0] * r[4] - r[1] * r[3]);
}

// Names are put together only in this function, which runs when something is wrong: the check
// itself runs at every query and must not allocate.
[[noreturn]] void throw_bad_pose(const Pose& pose, const char* field) {
  check_entries(pose.rotation, field);
  check_translation(pose.translation, field, ".translation");
  const double error = orthonormality_error(pose.rotation);
  const std::string value = error > kCorrectableError
                                ? "max|R^T R - I| / 2 = " + exact_text(error)
                                : "determinant " + exact_text(determinant(pose.rotation));
  throw InvalidInput(std::string(field) + ".rotation", value, kOrthonormalRemedy);
}

Matrix3 nearest_rotation(Matrix3 rotation) {
  for (int step = 0; step < 3; ++step)
    rotation = 0.5 * (rotation + rotation.inverse().transpose()).eval();
  return rotation;
}

}  // namespace

PoseQuality pose_quality(const Pose& pose) noexcept {
  std::uint64_t largest_entry = 0, farthest = 0;
  for (int i = 0; i < 9; ++i)
    largest_entry = std::max(largest_entry, magnitude(pose.rotation.data()[i]));
  for (int i = 0; i < 3; ++i) farthest = std::max(farthest, magnitude(pose.translation[i]));
  // beyond +-2 a product could overflow, and no rotation has such an entry
  if (largest_entry > magnitude(2.0) || farthest > magnitude(kLargestCoordinate))
    return PoseQuality::bad;
  const double error = orthonormality_error(pose.rotation);
  if (error > kCorrectableError || determinant(pose.rotation) < 0.0) return PoseQuality::bad;
  return error <= kExactError ? PoseQuality::exact : PoseQuality::correctable;
}

CheckedPose check_pose(const Pose& pose, const char* field) {
  switch (pose_quality(pose)) {
    case PoseQuality::exact: return {pose, false};
    case PoseQuality::correctable:
      return {{nearest_rotation(pose.rotation), pose.translation}, true};
    case PoseQuality::bad: break;
  }
  throw_bad_pose(pose, field);
}

bool is_point(const Vector3& point) noexcept {
  return within(point.x(), kLargestCoordinate) && within(point.y(), kLargestCoordinate) &&
         within(point.z(), kLargestCoordinate);
}

bool is_homogeneous_row(const double* row) noexcept {
  return within(row[0], kExactError) && within(row[1], kExactError) &&
         within(row[2], kExactError) && within(row[3] - 1.0, kExactError);
}

Pose pose_from_matrix(const Matrix4& matrix, const char* field) {
  for (int j = 0; j < 4; ++j) {
    const double expected = j == 3 ? 1.0 : 0.0;
    if (!std::isfinite(matrix(3, j)) || std::abs(matrix(3, j) - expected) > kExactError) {
      throw InvalidInput(std::string(field) + "(3, " + std::to_string(j) + ")",
                         exact_text(matrix(3, j)),
                         "give a homogeneous matrix whose last row is (0, 0, 0, 1)");
    }
  }
  return check_pose({matrix.topLeftCorner<3, 3>(), matrix.topRightCorner<3, 1>()}, field).pose;
}

std::optional<CheckedPose> try_pose_from_xyz_xyzw(const Vector7& xyz_xyzw) noexcept {
  bool in_range = true;
  for (int i = 0; i < 3; ++i) in_range &= within(xyz_xyzw[i], kLargestCoordinate);
  for (int i = 3; i < 7; ++i) in_range &= within(xyz_xyzw[i], 2.0);
  if (!in_range) return std::nullopt;
  const double error = std::abs(xyz_xyzw.tail<4>().norm() - 1.0);
  if (error > kCorrectableError) return std::nullopt;
  // Eigen's constructor takes w first
  const Eigen::Quaterniond quat(xyz_xyzw[6], xyz_xyzw[3], xyz_xyzw[4], xyz_xyzw[5]);
  return CheckedPose{{quat.normalized().toRotationMatrix(), xyz_xyzw.head<3>()},
                     error > kExactError};
}

Pose pose_from_xyz_xyzw(const Vector7& xyz_xyzw, const char* field) {
  if (const auto checked = try_pose_from_xyz_xyzw(xyz_xyzw)) return checked->pose;
  check_translation(xyz_xyzw.head<3>(), field, "");
  for (int i = 3; i < 7; ++i) {
    if (!std::isfinite(xyz_xyzw[i])) {
      throw InvalidInput(std::string(field) + "[" + std::to_string(i) + "]",
                         exact_text(xyz_xyzw[i]), "give a finite quaternion");
    }
  }
  const double norm = xyz_xyzw.tail<4>().norm();
  const char* remedy = norm < 1e-12 ? "give a quaternion (x, y, z, w) that is not zero"
                                    : "give a quaternion (x, y, z, w) with a norm within 1e-6 of 1";
  throw InvalidInput(std::string(field) + ".quat_xyzw", "norm " + exact_text(norm), remedy);
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
