// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/depth/warm_start.hpp"

#include "narrow/depth/epa_polyhedral.hpp"
#include "narrow/depth/facet.hpp"
#include "narrow/gjk/gjk.hpp"
#include "narrow/gjk/warm_polytope.hpp"
#include "narrow/gjk/witness_points.hpp"

namespace tactum {
namespace {

using Kind = CoreShape::Kind;

bool has_vertices(const CorePair& pair, const WarmPolytope& last) {
  return last.largest()[0] < num_core_vertices(pair.a()) &&
         last.largest()[1] < num_core_vertices(pair.b());
}

/// The points of a recorded polytope, computed for the present pose.
struct Points {
  Points(const CorePair& pair, const WarmPolytope& last) {
    if (pair.a().kind == Kind::polytope && pair.b().kind == Kind::polytope) {
      const PlacedHulls hulls{pair.a().polytope->directions().view().vertices,
                              pair.b().polytope->directions().view().vertices, pair.X_AB()};
      triangle_passes().place_points(hulls, last.vertices(), w.data());
      return;
    }
    const Double3 t = to_double3(pair.X_AB().translation);
    std::size_t i = 0;
    for (const auto& [a, b] : last.vertices()) {
      const Double3 point = product(pair.X_AB().rotation, core_vertex(pair.b(), b)) + t -
                            core_vertex(pair.a(), a);
      w[i++] = {point.x, point.y, point.z, 0.0};
    }
  }

  std::array<PackedPoint, WarmPolytope::max_vertices> w;
};

/// Tries whether the first face is still the nearest to the origin, and the other triangles prove
/// it.
bool solve_on_first_face(CorePair& pair, const WarmPolytope& last, const Points& points, double gap,
                         CoreDistance& answer) {
  const auto& [i, j, k] = last.triangles()[0];
  const auto name = [&](int v) { return PiecePair{last.vertices()[v][0], last.vertices()[v][1]}; };
  const Facet facet = facet_of(
      pair, {name(i), name(j), name(k)},
      {points.w[i].to_double3(), points.w[j].to_double3(), points.w[k].to_double3()});
  // contact within rounding is left to solve_iteratively(), which tells touching from overlap
  if (!(facet.value < -64.0 * gap) || !contains_projection(facet)) return false;
  MinkowskiPoint lowest;
  const double lower = pair.support(facet.normal, lowest);
  if (facet.value - lower > 0.5 * gap) return false;
  // the first triangle has been checked above, with a better normal
  if (!triangle_passes().beyond_ball(points.w.data(), last.triangles().subspan(1),
                                     -facet.value - 0.5 * gap))
    return false;
  answer.optimum = optimum_at_projection(pair, facet, lower);
  answer.upper = facet.value + 0.5 * gap;
  return answer.optimum.residual <= gap;
}

bool solve_from_polytope(CorePair& pair, const WarmPolytope& last, double gap,
                         CoreDistance& answer) {
  answer.iterations = 1;
  const Points points(pair, last);
  if (solve_on_first_face(pair, last, points, gap, answer)) {
    if (pair.record != nullptr) *pair.record = last;
    return true;
  }
  answer.upper = 0.0;
  if (!resume_small_polytope(pair, last, points.w.data(), gap, answer.optimum, answer.upper,
                             answer.iterations))
    return false;
  if (answer.optimum.residual > gap) find_witness_points(pair, answer.optimum);
  return answer.optimum.residual <= gap;
}

bool solve_from_simplex(CorePair& pair, const WarmPolytope& last, const WarmLimits& limits,
                        CoreDistance& answer, Vector3& direction) {
  GjkState state;
  for (const auto& vertices : last.vertices())
    state.simplex.push(point_of_vertices(pair, vertices));
  const GjkOutcome outcome = run_gjk(
      pair, {.gap = 0.0, .max_iterations = limits.max_iterations, .stop_above = limits.stop_above},
      state);
  answer.iterations = state.iterations;
  if (state.lower > -std::numeric_limits<double>::infinity()) direction = state.normal;
  if (outcome == GjkOutcome::overlapping) return false;
  answer.optimum = optimum_of(state.simplex, state.normal, state.lower);
  answer.upper = state.upper;
  answer.beyond_limit = outcome == GjkOutcome::above_limit;
  return answer.beyond_limit || (answer.upper - answer.optimum.lower <= limits.gap &&
                                 answer.optimum.residual <= limits.gap);
}

}  // namespace

bool solve_from_last(CorePair& pair, const WarmPolytope& last, const WarmLimits& limits,
                     CoreDistance& answer, Vector3& direction) {
  // products of six lengths must not overflow
  const bool ordinary = pair.scale() > 1e-40 && pair.scale() < 1e40;
  if (last.vertices().empty() || !ordinary || !pair.polyhedral() || !has_vertices(pair, last))
    return false;
  if (last.triangles().empty()) return solve_from_simplex(pair, last, limits, answer, direction);
  return solve_from_polytope(pair, last, limits.gap, answer);
}

}  // namespace tactum
