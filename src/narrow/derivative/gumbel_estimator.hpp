// SPDX-License-Identifier: BSD-2-Clause
// First-order Gumbel smoothing: the Hessian of a soft maximum over vertices, eq. (27) and (28) of
// Montaut et al. 2023.
//
//     H = (sum a_i v_i v_i' - m m') / e,    a = softmax(v_i . u / e),    m = sum a_i v_i,
//
// over the vertices within `rings` edges of the support vertex: the average over Gumbel noise of
// scale e on the heights v_i . u, in closed form. Relative to the separation vector x = d n the
// heights are v_i . x, which is a temperature of e / |d| for the unit direction. Where no
// temperature is given, it is a tenth of the mean length of the edges at the support vertex.
#pragma once

#include "narrow/derivative/witness_jacobian.hpp"

namespace tactum {

/// Whether the core of the shape is made of vertices.
bool has_vertices(const Shape& shape);

/// Mean length of the edges at the support vertex along `u`, in m; 0 for a single point.
double mean_edge_length(const CoreShape& core, Double3 u);

/// Smoothed Hessian of the whole shape along `u`, swept radius included. `temperature` is in m;
/// without one it follows from the edges.
Matrix22 gumbel_hessian(const CoreShape& core, const TangentPlane& plane, Double3 u, int rings,
                        std::optional<double> temperature);

/// Computes the Jacobians of a pair whose features are replaced by smoothed Hessians.
void estimate(const Gumbel& estimator, const Shape& a, const Shape& b, WitnessPair& pair,
              TangentFrame frame, DistanceDerivative& result);

}  // namespace tactum
