// SPDX-License-Identifier: BSD-2-Clause
// Randomized smoothing of the whole query: eq. (6) of Montaut et al. 2023.
//
// The answer averaged over Gaussian motions of B, E y(X_WB exp(e z)), has the derivative
// E y(X_WB exp(e z)) z' / e, which needs only answers. With variance reduction the unperturbed
// answer is subtracted, which changes no mean since E z = 0, and motions come in opposite pairs, so
// that even terms cancel; the noise then no longer grows like 1 / e.
#pragma once

#include "narrow/derivative/relative_motion.hpp"

namespace tactum {

void estimate(const ZerothOrder& estimator, const Shape& a, const Pose& X_WA, const Shape& b,
              const Pose& X_WB, const DistanceDerivativeOptions& options,
              DistanceDerivative& result);

}  // namespace tactum
