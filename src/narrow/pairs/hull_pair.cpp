// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/pairs/hull_pair.hpp"

#include "narrow/formula/hull_projection.hpp"
#include "narrow/pair/tolerance.hpp"

namespace tactum {

bool solve_hull_point(const CoreShape& first, const CoreShape& second, const RelativePose& pose,
                      double scale, PrimitivePairAnswer& answer) {
  if (first.polytope->dimension() != 3) return false;
  const Double3 p = pose.center + pose.from_second(to_double3(second.center));
  HullProjection hull(*first.polytope, p - to_double3(first.polytope->centroid()));
  const Double3 nearest = hull.nearest_point(p), w = p - nearest;
  const double square = w.squared_norm();
  if (!(square > 1e-200)) return false;
  answer.upper = std::sqrt(square);
  answer.normal = (answer.upper * (1.0 / square)) * w;
  answer.lower = dot(answer.normal, p) - hull.support(answer.normal);
  answer.point_first = nearest;
  answer.point_second = p;
  answer.iterations = 0;
  answer.vertices_visited = hull.visited();
  return answer.lower > 0.0 && answer.upper - answer.lower <= kRounding * scale;
}

}  // namespace tactum
