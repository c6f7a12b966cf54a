// SPDX-License-Identifier: BSD-2-Clause
// Alg. 4 solves one contact by cases: take-off, stiction, or sliding. Sliding is a search over the
// angle of the force in the plane s_N = 0.
//
// Source     Hwangbo, Lee, Hutter 2018; Le Lidec et al. 2023, eq. 20 and 21. With g~ the velocity
//            of the contact without its own force, the forces on the cone that leave s_N = 0 are
//            f(a) = r (cos a, sin a, 1/mu), r = -g~_N / (G_NN/mu + G_Nx cos a + G_Ny sin a).
// Sliding    raisim takes the angle of least energy 1/2 f.G f + g~.f; raisim_desaxce takes the
//            angle where s_T is opposite to f_T.
// Search     The signs at 24 angles bracket the zeros, which bisection finds to rounding. Where the
//            denominator is not positive there is no such force.
#pragma once

#include "solver/problem/cone.hpp"
#include "solver/problem/delassus.hpp"

namespace tactum {

/// One friction contact with G_NN > 0, mu > 0, and g~_N < 0.
struct SlidingContact {
  const BlockMatrix& G;
  double mu;
  Double3 free;  ///< g~

  /// Sets `result` to the force of a direction. Returns false where no force of the cone in this
  /// direction stops the approach.
  bool force(double cosine, double sine, Double3& result) const {
    const double denominator = G[8] / mu + G[2] * cosine + G[5] * sine;
    if (!(denominator > 1e-12 * G[8] / mu)) return false;
    const double r = -free.z / denominator;
    result = {r * cosine, r * sine, r / mu};
    return true;
  }
  /// Velocity of the contact under a force.
  Double3 velocity(Double3 f) const {
    return {G[0] * f.x + G[1] * f.y + G[2] * f.z + free.x,
            G[3] * f.x + G[4] * f.y + G[5] * f.z + free.y,
            G[6] * f.x + G[7] * f.y + G[8] * f.z + free.z};
  }
};

/// Force at the angle of least energy, and at the angle of maximum dissipation. `f` is the last
/// force; the second function chooses the angle nearest to it where there are several.
Double3 least_energy_angle(const SlidingContact& contact, Double3 f);
Double3 most_dissipation_angle(const SlidingContact& contact, Double3 f);

/// New force of a contact whose velocity is s under its force f, with all other forces fixed.
/// `slide` is one of the two functions above.
Double3 contact_by_case(const BlockMatrix& G, double mu, Double3 f, Double3 s,
                        Double3 (*slide)(const SlidingContact& contact, Double3 f));

}  // namespace tactum
