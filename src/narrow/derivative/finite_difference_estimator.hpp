// SPDX-License-Identifier: BSD-2-Clause
// Central differences on the group: (y(X_WB exp(h e_i)) - y(X_WB exp(-h e_i))) / 2 h, 12 queries.
#pragma once

#include "narrow/derivative/relative_motion.hpp"

namespace tactum {

void estimate(const FiniteDifference& estimator, const Shape& a, const Pose& X_WA, const Shape& b,
              const Pose& X_WB, const DistanceDerivativeOptions& options,
              DistanceDerivative& result);

}  // namespace tactum
