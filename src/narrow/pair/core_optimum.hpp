// SPDX-License-Identifier: BSD-2-Clause
// The answer that every solver of a pair of cores returns, before the swept radii and the world
// frame come in.
#pragma once

#include <limits>

#include "narrow/pair/core_pair.hpp"

namespace tactum {

/// A maximum of the separation sep(n) over unit vectors n, possibly a local one, with the points
/// that attain it.
struct SeparationOptimum {
  Vector3 normal = Vector3::UnitZ();  ///< unit, from A to B, frame of A
  double lower = 0.0;  ///< sep(normal): proved lower bound of the signed distance of the cores
  Vector3 point_a = Vector3::Zero();  ///< point of core A, frame of A
  Vector3 point_b = Vector3::Zero();
  double residual = std::numeric_limits<double>::infinity();  ///< |point_b - point_a - lower *
                                                              ///< normal|
  bool stationary = false;  ///< the normal is exact too; false: it is only as good as the gap
                            ///< between the bounds
};

struct CoreDistance {
  SeparationOptimum optimum;  ///< normal, proved lower bound and the two points
  double upper = std::numeric_limits<double>::infinity();  ///< proved upper bound of the signed
                                                           ///< distance of the cores
  bool beyond_limit = false;  ///< the solver stopped early because lower passed the limit asked for
  int iterations = 0;
};

}  // namespace tactum
