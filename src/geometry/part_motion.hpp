// SPDX-License-Identifier: BSD-2-Clause
// The motion of a part of a geometry from that of the geometry.
//
// Derivatives of a pair of parts are taken in the frame local_world_aligned of the parts. A part
// whose origin is at p moves with the geometry, whose origin is at o: its linear velocity is v + w
// x (p - o), both in world axes.
#pragma once

#include <Eigen/Geometry>

#include "tactum/distance_derivative.hpp"

namespace tactum {

/// Turns columns by the motions of two parts into columns by the motions of their geometries.
class PartMotion {
 public:
  PartMotion(const Pose& X_WA, const Pose& X_of_part_a, const Pose& X_WB, const Pose& X_of_part_b,
             TangentFrame frame)
      : of_a_(motion(X_WA, X_of_part_a, frame)), of_b_(motion(X_WB, X_of_part_b, frame)) {}

  template <int Rows>
  void apply(Eigen::Matrix<double, Rows, 12>& jacobian) const {
    jacobian.template leftCols<6>() = (jacobian.template leftCols<6>() * of_a_).eval();
    jacobian.template rightCols<6>() = (jacobian.template rightCols<6>() * of_b_).eval();
  }
  void apply(RowVector12& jacobian) const {
    jacobian.leftCols<6>() = (jacobian.leftCols<6>() * of_a_).eval();
    jacobian.rightCols<6>() = (jacobian.rightCols<6>() * of_b_).eval();
  }
  void apply(DistanceJacobians& jacobians) const {
    apply(jacobians.distance_jacobian);
    apply(jacobians.normal_jacobian);
    apply(jacobians.point_a_jacobian);
    apply(jacobians.point_b_jacobian);
    apply(jacobians.separation_jacobian);
  }
  /// Standard errors grow at most by this: entries add up as if they were never of opposite sign.
  PartMotion of_errors() const {
    PartMotion absolute = *this;
    absolute.of_a_ = of_a_.cwiseAbs();
    absolute.of_b_ = of_b_.cwiseAbs();
    return absolute;
  }

 private:
  using Matrix6 = Eigen::Matrix<double, 6, 6>;

  static Matrix6 motion(const Pose& X, const Pose& X_of_part, TangentFrame frame) {
    const Vector3 arm = frame == TangentFrame::world ? X_of_part.translation
                                                     : X_of_part.translation - X.translation;
    const Matrix3 axes = frame == TangentFrame::local ? X.rotation : Matrix3(Matrix3::Identity());
    Matrix6 matrix = Matrix6::Zero();
    for (int i = 0; i < 3; ++i) {
      const Vector3 axis = axes.col(i);
      matrix.block<3, 1>(0, i) = axis;
      matrix.block<3, 1>(0, 3 + i) = axis.cross(arm);
      matrix.block<3, 1>(3, 3 + i) = axis;
    }
    return matrix;
  }

  Matrix6 of_a_, of_b_;
};

}  // namespace tactum
