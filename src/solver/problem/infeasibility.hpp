// SPDX-License-Identifier: BSD-2-Clause
// Whether a contact problem has no solution at all, by a certificate.
//
// Certificate  a change y of the forces that moves nothing, (G + R) y = 0, pushes along normals and
//              pulls along none, and meets rows that close, y . g < 0. Then y . s = y . g < 0 for
//              the velocity s of every force, while every model asks for y . s >= 0. It is complete
//              for normals: as G is positive semidefinite, normal velocities that no force can make
//              nonnegative always have such a y (Farkas).
// Search       the projection of -g onto the cone of such y, by Dykstra's alternating projections
//              in the null space of the rows concerned; what it finds is checked afterwards.
// Cost         an eigenvalue decomposition of these rows; problems of more than 300 of them are not
//              searched.
#pragma once

#include "tactum/contact_problem.hpp"

namespace tactum {

/// True only with a certificate that holds to rounding.
bool is_infeasible(const ContactProblem& problem, const Eigen::VectorXd& R);

}  // namespace tactum
