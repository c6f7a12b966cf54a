// SPDX-License-Identifier: BSD-2-Clause
// Jacobians of both shapes from motions of B alone.
//
// Only the relative pose matters: when both shapes move rigidly with the world, the answer moves
// with them. A motion of A is therefore that motion of the world followed by its inverse applied to
// B, and six directions are enough for twelve columns.
#pragma once

#include <algorithm>
#include <array>

#include "tactum/distance_derivative.hpp"

namespace tactum {

inline constexpr int kAnswerRows = 13;  ///< distance, normal, point_a, point_b, separation
using AnswerVector = Eigen::Matrix<double, kAnswerRows, 1>;
using RelativeJacobian = Eigen::Matrix<double, kAnswerRows, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

/// The numbers of an answer that are differentiated.
AnswerVector answer_vector(const Distance& value);

/// The pose X_WB exp(motion).
Pose moved(const Pose& X_WB, const Vector6& motion);

/// The answer for another pose of B, warm-started; `value` itself where the query refuses that
/// pose.
Distance answer_at(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                   const Distance& value, const DistanceOptions& options);

/// Fills all columns from the derivative with respect to the local tangent of B.
void fill_jacobians(const Pose& X_WA, const Pose& X_WB, const Distance& value,
                    const RelativeJacobian& by_b, TangentFrame frame, DistanceJacobians& out);

/// Fills the standard errors of all columns from the covariance of the rows of the relative
/// Jacobian.
void fill_standard_errors(const Pose& X_WA, const Pose& X_WB,
                          const std::array<Eigen::Matrix<double, 6, 6>, kAnswerRows>& covariance,
                          TangentFrame frame, DistanceJacobians& out);

}  // namespace tactum
