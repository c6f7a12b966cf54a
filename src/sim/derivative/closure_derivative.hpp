// SPDX-License-Identifier: BSD-2-Clause
// How the rows of connections, welds and couplings follow position.
//
// Point      The rows of a connection are along the axes of the world, at the middle p of the
//            origins of both frames, which follows them: dp = (v_A(o_A) + v_B(o_B)) / 2. Their
//            error is o_B - o_A.
// Rotation   The error of a weld is R_A phi with exp(phi) = R_A^T R_B. With w the angular
//            velocities, it changes by w_A x (R_A phi) + R_A Jr(phi)^-1 R_B^T (w_B - w_A), where Jr
//            is the Jacobian of the exponential.
#pragma once

#include <vector>

#include "sim/derivative/row_derivative.hpp"

namespace tactum::sim {

/// Appends the derivatives of the rows of connections, welds and couplings, in the order of the
/// blocks of the step.
void append_closure_derivatives(const StepTape& tape, const BodyMotion& motion,
                                std::vector<RowDerivative>& out);

}  // namespace tactum::sim
