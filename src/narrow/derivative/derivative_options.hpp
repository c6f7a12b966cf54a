// SPDX-License-Identifier: BSD-2-Clause
// Checks of the options of a derivative, for a single pair and for batches.
#pragma once

#include "tactum/distance_derivative.hpp"

namespace tactum {

/// Throws InvalidInput that names the frame, or the number of the estimator, that is out of range.
/// The options of the query are not looked at.
void check_derivative_options(const DistanceDerivativeOptions& options);

/// Throws InvalidInput for a shape that the estimator cannot take: Gumbel needs vertices, and takes
/// half-spaces beside them.
void check_estimator_takes(const Estimator& estimator, const Shape& shape);

}  // namespace tactum
