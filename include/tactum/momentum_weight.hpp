// SPDX-License-Identifier: BSD-2-Clause
// Queries by the methods of the GJK++ paper with a choice of the weights of their momentum, where
// the paper and the code that its authors published differ.
#pragma once

#include <cstdint>

#include "tactum/distance.hpp"

namespace tactum {

/// Weights delta_k of the momentum in the methods polyak, nesterov and their normalized forms, in
/// pass k = 0, 1, ... Other methods have none.
enum class MomentumWeight : std::uint8_t {
  chosen,   ///< 1 / (k + 1) for Polyak, as in the authors' code; (k + 1) / (k + 3) for Nesterov, as
            ///< printed
  printed,  ///< (k + 1) / (k + 3), of Alg. 6 and 7
  authors,  ///< of the authors' code: 1 / (k + 1) for Polyak, (k + 2) / (k + 3) for Nesterov with
            ///< normalized directions, else as printed
};

/// distance() with these weights. The answer is the same within the tolerance; counters and time
/// are not.
Distance distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                  const DistanceOptions& options, MomentumWeight weight);

/// collide() with these weights.
Collision collide(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                  const CollideOptions& options, MomentumWeight weight);

}  // namespace tactum
