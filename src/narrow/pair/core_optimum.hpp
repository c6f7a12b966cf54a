// SPDX-License-Identifier: BSD-2-Clause
// What every solver of a pair of cores returns, before the swept radii and the world frame come in.
#pragma once

#include <limits>

#include "narrow/pair/core_pair.hpp"

namespace tactum {

/// An optimum of the separation along n, with the points that attain it.
struct SeparationOptimum {
  Vector3 normal = Vector3::UnitZ();  ///< unit, from A to B, frame of A
  double lower = 0.0;  ///< sep(normal): proved lower bound of the signed distance of the cores
  Vector3 point_a = Vector3::Zero();  ///< of core A, frame of A
  Vector3 point_b = Vector3::Zero();
  double residual = std::numeric_limits<double>::infinity();  ///< |point_b - point_a - lower *
                                                              ///< normal|
  bool stationary = false;  ///< the normal is exact too, not only as good as the gap between the
                            ///< bounds tells
};

struct CoreDistance {
  SeparationOptimum optimum;  ///< normal, proved lower bound and the two points
  double upper = std::numeric_limits<double>::infinity();  ///< proved upper bound of the signed
                                                           ///< distance of the cores
  bool beyond_limit = false;  ///< stopped early because lower passed the limit asked for
  int iterations = 0;
};

}  // namespace tactum
