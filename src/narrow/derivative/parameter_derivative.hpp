// SPDX-License-Identifier: BSD-2-Clause
// Derivatives with respect to the sizes of the shapes, for a value that is known.
#pragma once

#include "narrow/derivative/witness_pair.hpp"

namespace tactum {

/// parameter_derivative() without a query of its own. The value is checked if it was given by a
/// user.
DistanceParameterDerivative parameter_derivative(const Shape& a, const Pose& X_WA, const Shape& b,
                                                 const Pose& X_WB, const Distance& value,
                                                 ValueOrigin origin);

}  // namespace tactum
