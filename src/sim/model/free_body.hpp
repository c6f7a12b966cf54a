// SPDX-License-Identifier: BSD-2-Clause
// A single rigid body that nothing holds: velocity under forces, motion over a step.
//
// Velocities Both the origin's velocity and the angular velocity are in the axes of the body.
// Step       Forces change the momentum at the pose before the step, so the free velocity has no
//            gyroscopic term: u = v + dt M^-1 f. Contact forces add to u in the same frame. Then
//            the center of mass moves straight, the body turns by dt w_mid, and momentum is carried
//            over unchanged in the world: with h = I w_u, I w+ = exp(-dt w_mid) h and w_mid = (w_u
//            + w+) / 2.
// Invariants Free flight keeps linear and angular momentum to rounding for any dt. It keeps kinetic
//            energy too: w_mid . (I w+ - h) = 0, since a rotation about w_mid keeps the product
//            with it (the energy-momentum method of Simo and Wong 1991). Where dt |w| is so large
//            that the iterations for w_mid do not converge, energy alone is lost.
#pragma once

#include <Eigen/Core>

#include "tactum/sim/model.hpp"

namespace tactum::sim {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

struct FreeBody {
  int q = 0;  ///< first entry in q: x, y, z, qx, qy, qz, qw
  int v = 0;  ///< first entry in v
  BodyInertia inertia;
  Matrix3 inverse_inertia;
  Matrix6 mass_matrix;  ///< of the velocities [origin; angular]
  Matrix6 factor;       ///< lower Cholesky factor of the mass matrix

  FreeBody(const BodyInertia& given, int q_begin, int v_begin);
};

/// Velocity after dt under a wrench at the origin, in the axes of the body, and gravity, which is
/// given in the world.
Vector6 free_velocity(const FreeBody& body, const Matrix3& rotation, const Vector6& velocity,
                      const Vector6& wrench, const Vector3& gravity, double dt);

/// Pose and velocity after a step with the velocity u.
struct FreeMotion {
  Pose X;
  Vector6 velocity;
};
FreeMotion advance(const FreeBody& body, const Pose& X, const Vector6& u, double dt);

/// [w]x, with [w]x y = w x y.
Matrix3 cross_matrix(const Vector3& w);
/// exp of a rotation vector.
Matrix3 rotation_exponential(const Vector3& w);

}  // namespace tactum::sim
