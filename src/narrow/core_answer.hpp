// SPDX-License-Identifier: BSD-2-Clause
// What every solver of a pair of cores returns, before the swept radii and the world frame come in.
#pragma once

#include "narrow/newton_finish.hpp"

namespace tactum {

struct CoreAnswer {
  Optimum optimum;                                         ///< normal, proved lower bound and the two points
  double upper = std::numeric_limits<double>::infinity();  ///< proved upper bound of the signed distance of the cores
  bool beyond_limit = false;                               ///< stopped early because lower passed the limit asked for
  int iterations = 0;
};

}  // namespace tactum
