// SPDX-License-Identifier: BSD-2-Clause
// First-order Gaussian smoothing: the Hessian of a support function averaged over directions, eq.
// (26) of Montaut et al. 2023.
//
//     H = E s(u + e z) z' / e,   z standard normal in space, u a unit vector,
//
// seen in the plane orthogonal to u and made symmetric. A swept ball has the Hessian r I and is
// left out of the samples. With variance reduction s(u) is subtracted and directions come in
// opposite pairs, as in zeroth_order_estimator.hpp. Standard errors are to first order in the error
// of the Hessians: from (d I + H_A + H_B) dn = P du + H_A o_A + H_B o_B and
// dp_A = m_A + H_A (dn - o_A) (witness_jacobian.hpp),
//     e(dn) = M^-1 (e(H_A) (o_A - dn) + e(H_B) (o_B - dn)),
//     e(dp_A) = e(H_A) (dn - o_A) + H_A e(dn),
// linear in the three numbers of each Hessian, whose covariances are known; those of A and B are
// independent. Relative to the separation vector x = d n, e acts on x: u + (e / |d|) z is the same
// direction.
#pragma once

#include "narrow/derivative/witness_jacobian.hpp"

namespace tactum {

/// A Hessian as xx, xy, yy, and the covariance of these three numbers.
struct SampledHessian {
  Vector3 mean = Vector3::Zero();
  Matrix3 covariance = Matrix3::Zero();
  bool has_covariance = false;

  Matrix22 matrix() const { return {mean[0], mean[1], mean[1], mean[2]}; }
};

/// Smoothed Hessian of the whole shape along `u`, in coordinates of a plane orthogonal to u, in the
/// frame of the shape. `scale` is in rad.
SampledHessian gaussian_hessian(const CoreShape& core, const TangentPlane& plane, Double3 u,
                                double scale, const Gaussian& estimator, std::uint64_t stream);

/// Computes the standard errors of all columns of `mean`. A covariance is zero where the Hessian is
/// exact.
void fill_standard_errors(const WitnessPair& pair, const MotionResponse& response,
                          const Matrix3& covariance_a, const Matrix3& covariance_b,
                          TangentFrame frame, const DistanceJacobians& mean,
                          DistanceJacobians& out);

/// Computes the Jacobians of a pair whose features are replaced by smoothed Hessians.
void estimate(const Gaussian& estimator, const Shape& a, const Shape& b, WitnessPair& pair,
              TangentFrame frame, DistanceDerivative& result);

}  // namespace tactum
