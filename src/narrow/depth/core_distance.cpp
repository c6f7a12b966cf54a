// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/depth/core_distance.hpp"

#include "math/epsilon.hpp"
#include "narrow/depth/depth_bound_ellipsoid.hpp"
#include "narrow/depth/depth_bound_point.hpp"
#include "narrow/depth/direction_search.hpp"
#include "narrow/depth/epa.hpp"
#include "narrow/depth/epa_polyhedral.hpp"
#include "narrow/depth/surface_walk.hpp"
#include "narrow/gjk/cap_refinement.hpp"
#include "narrow/gjk/gjk.hpp"
#include "narrow/gjk/side_refinement.hpp"
#include "narrow/gjk/witness_points.hpp"

namespace tactum {
namespace {

constexpr int kCellsPerIteration = 1000;
constexpr double kFacingCap = 0.97;  ///< cosine of the angle to an axis above which a flat cap is
                                     ///< tried before anything else
constexpr double kWalkGap = 0.1;     ///< of the scale: below this gap Newton finds the optimum
constexpr int kWalkSteps = 8;
constexpr double kShallow = 0.1;  ///< of the scale: a local optimum that is deeper is hardly ever
                                  ///< the global one

double rounding(const CorePair& pair) { return kRounding * pair.scale(); }

/// Whether a flat cap of one of the cores faces nearly along the normal.
bool faces_cap(const CorePair& pair, const Vector3& normal) {
  const auto faces = [](const CoreShape& core, double along_axis) {
    if (core.kind == CoreShape::Kind::cylinder) return std::abs(along_axis) >= kFacingCap;
    return core.kind == CoreShape::Kind::cone && along_axis <= -kFacingCap;
  };
  return faces(pair.a(), normal.z()) || faces(pair.b(), -pair.X_AB().rotation.col(2).dot(normal));
}

/// Refines an approximate optimum to an exact one, by Newton or by a flat cap.
bool refine(CorePair& pair, const Simplex& simplex, const Vector3& normal,
            SeparationOptimum& optimum) {
  if (faces_cap(pair, normal) && refine_by_cap(pair, optimum)) return true;
  return refine_by_newton(pair, simplex, normal, optimum) || refine_by_cap(pair, optimum);
}

/// Replaces the optimum by that of a nearby cap if this separates better. Overlapping cores have
/// many local optima, and that of a cap may be better by less than the proof of a smooth optimum
/// can show.
void try_cap_normal(CorePair& pair, SeparationOptimum& optimum) {
  if (!faces_cap(pair, optimum.normal)) return;
  SeparationOptimum cap = optimum;
  if (refine_by_cap(pair, cap) && cap.lower > optimum.lower + rounding(pair)) optimum = cap;
}

/// Lowers the upper bound to the distance of the two points: any two points of the cores bound the
/// distance from above.
void tighten_upper_bound(CoreDistance& answer) {
  const SeparationOptimum& optimum = answer.optimum;
  if (std::isfinite(optimum.residual))
    answer.upper = std::min(answer.upper, (optimum.point_b - optimum.point_a).norm());
}

/// Whether both bounds and the points are as good as rounding allows.
bool is_exact(const CorePair& pair, const CoreDistance& answer) {
  return answer.upper - answer.optimum.lower <= rounding(pair) &&
         answer.optimum.residual <= rounding(pair);
}

/// Gap between the bounds that the stages try to reach. Features of polytopes decide the answer to
/// rounding. A smooth optimum is proved a little less tightly, but more tightly than asked:
/// directions that a wide gap cannot tell apart may be far apart where the cores barely touch.
double tight_gap(const CorePair& pair, const CoreLimits& limits) {
  return pair.polyhedral() ? rounding(pair) : std::min(0.5 * limits.gap, kProvedGap * pair.scale());
}

/// Gap above which the search over all directions is started. The features of a polytope may cost
/// up to three times the rounding.
double enough_gap(const CorePair& pair, const CoreLimits& limits) {
  return pair.polyhedral() ? 3.0 * rounding(pair) : tight_gap(pair, limits);
}

/// EPA leaves the normal accurate to sqrt(eps) only. Replaces it by the nearby cap normal or
/// stationary point if the bound does not get worse.
void refine_normal(CorePair& pair, SeparationOptimum& optimum) {
  if (optimum.stationary) return;
  if (faces_cap(pair, optimum.normal)) {
    SeparationOptimum cap = optimum;
    cap.residual = std::numeric_limits<double>::infinity();
    if (refine_by_cap(pair, cap) && cap.lower >= optimum.lower - rounding(pair)) {
      optimum = cap;
      return;
    }
  }
  refine_normal_by_newton(pair, optimum);
}

/// Takes the direction from one point to the other where it separates as well. Of flat faces that
/// lie side by side, a hair's breadth apart as seen along their normal, the points are known when
/// the bounds cannot tell that direction from the normal yet.
void try_direction_of_points(CorePair& pair, SeparationOptimum& optimum) {
  if (!(optimum.lower > 0.0) || !std::isfinite(optimum.residual)) return;
  SeparationOptimum found = optimum;
  const Vector3 between = found.point_b - found.point_a;
  found.normal = between.normalized();
  found.lower = found.normal.dot(pair.support(found.normal).w);
  found.residual = (between - found.lower * found.normal).norm();
  if (found.lower >= optimum.lower - rounding(pair) && found.residual < optimum.residual)
    optimum = found;
}

/// Finds exact points for an optimum whose direction is proved but not yet exact. Tries other
/// pieces, then flat caps, then GJK at the point of contact, then the direction of the points.
void complete_witness_points(CorePair& pair, CoreDistance& answer) {
  const double enough = rounding(pair);
  if (answer.optimum.residual <= enough) {
    if (!pair.polyhedral()) refine_normal(pair, answer.optimum);
    return;
  }
  refine_nearby_by_newton(pair, answer.optimum);
  if (answer.optimum.residual > enough) {
    const double lower = answer.optimum.lower;
    // a cap that is no optimum itself may still lie in the basin of one
    if (!refine_by_cap(pair, answer.optimum) && answer.optimum.lower > lower)
      refine_nearby_by_newton(pair, answer.optimum);
  }
  if (answer.optimum.residual > enough) find_witness_points(pair, answer.optimum);
  if (answer.optimum.residual > enough) try_direction_of_points(pair, answer.optimum);
}

/// Whether the points of contact, or ellipsoids inside the cores, prove that the local optimum of
/// overlapping cores is the global one. If so, sets the upper bound.
bool prove_globally(const CorePair& pair, const CoreLimits& limits, CoreDistance& answer) {
  if (answer.optimum.residual > rounding(pair)) return false;
  double upper = upper_bound_by_points(pair, answer.optimum);
  if (!(upper - answer.optimum.lower <= tight_gap(pair, limits)))
    upper = upper_bound_of_depth(pair, answer.optimum);
  if (!(upper - answer.optimum.lower <= tight_gap(pair, limits))) return false;
  answer.upper = std::max(upper, answer.optimum.lower);
  return true;
}

/// Last resort, apart and in penetration: searches all directions, then finds points for the best
/// one. It runs first for the gap asked for, then for the tight gap with a smaller budget of cells.
void search_everything(CorePair& pair, const CoreLimits& limits, CoreDistance& answer) {
  // a deep optimum that EPA found has not been tried yet
  if (answer.optimum.lower < 0.0 && prove_globally(pair, limits, answer)) return;
  int cells = kCellsPerIteration * limits.max_iterations;
  for (const double gap : {0.5 * limits.gap, tight_gap(pair, limits)}) {
    if (answer.upper - answer.optimum.lower > gap)
      search_sphere(pair, gap, cells, answer.optimum, answer.upper);
    if (answer.upper - answer.optimum.lower > tight_gap(pair, limits))
      refine_by_side(pair, answer.optimum);
    complete_witness_points(pair, answer);
    tighten_upper_bound(answer);
    cells /= 16;
  }
}

/// Whether ellipsoids inside the cores can prove a depth. A hull contains segments only, so the
/// other core must be curved everywhere.
bool may_be_proved(const CorePair& pair) {
  const auto is_hull = [](const CoreShape& core) { return core.kind == CoreShape::Kind::polytope; };
  const auto is_round = [](const CoreShape& core) {
    return core.kind == CoreShape::Kind::ellipsoid;
  };
  return !pair.polyhedral() && (!is_hull(pair.a()) || is_round(pair.b())) &&
         (!is_hull(pair.b()) || is_round(pair.a()));
}

/// Looks for a local optimum near the tetrahedron of GJK; true if it is proved to be the global
/// one.
bool solve_locally(CorePair& pair, const Simplex& tetrahedron, const CoreLimits& limits,
                   CoreDistance& answer) {
  SurfaceTriangle start;
  if (!walk_to_surface(pair, tetrahedron, kWalkGap * pair.scale(), kWalkSteps, start)) return false;
  if (start.lower < -kShallow * pair.scale()) return false;
  if (start.lower > answer.optimum.lower)
    answer.optimum = optimum_of(start.simplex, start.normal, start.lower);
  if (!refine_by_newton(pair, start.simplex, start.normal, answer.optimum) &&
      !refine_by_cap(pair, answer.optimum))
    return false;
  try_cap_normal(pair, answer.optimum);
  return prove_globally(pair, limits, answer);
}

/// Finds the depth of cores that overlap within rounding, and proves it.
void solve_overlapping(CorePair& pair, const GjkState& gjk, const CoreLimits& limits,
                       CoreDistance& answer) {
  answer.upper = gjk.upper;
  if (pair.polyhedral() && gjk.simplex.size == 4 &&
      expand_small_polytope(pair, gjk.simplex, tight_gap(pair, limits), answer.optimum,
                            answer.upper, answer.iterations) &&
      answer.optimum.residual <= rounding(pair))
    return;
  if (!(answer.optimum.lower >= gjk.lower && answer.optimum.residual <= rounding(pair)))
    answer.optimum = optimum_of(gjk.simplex, gjk.normal, gjk.lower);
  // an optimum that is exact already has been tried
  if (limits.second_order && may_be_proved(pair) && !answer.optimum.stationary &&
      solve_locally(pair, gjk.simplex, limits, answer))
    return;
  const bool proved = expand_polytope(pair, gjk.simplex, tight_gap(pair, limits), answer.optimum,
                                      answer.upper, answer.iterations);
  complete_witness_points(pair, answer);
  tighten_upper_bound(answer);
  if (!proved && answer.upper - answer.optimum.lower > enough_gap(pair, limits))
    search_everything(pair, limits, answer);
}

/// Decides on which side of contact the cores are where GJK stalls before it can tell. The polytope
/// of EPA decides if it comes to contain the origin; until then its planes are no upper bounds.
void decide_touching(CorePair& pair, const GjkState& gjk, const CoreLimits& limits,
                     CoreDistance& answer) {
  double upper = answer.upper;
  expand_polytope(pair, gjk.simplex, tight_gap(pair, limits), answer.optimum, upper,
                  answer.iterations);
  if (upper <= 0.0) answer.upper = std::min(answer.upper, upper);
  complete_witness_points(pair, answer);
  tighten_upper_bound(answer);
}

/// Gaps, as fractions of the scale, at which a second-order refinement is tried: small enough to
/// start in its basin of convergence, large enough to save steps.
constexpr std::array<double, 6> kRefinementGaps = {0.1, 0.02, 1e-3, 1e-6, 1e-9, 0.0};
/// Hulls start at a later stage, because the simplex must hold the right vertices first.
constexpr std::size_t kFirstStageOfHulls = 2, kLastStage = kRefinementGaps.size() - 1;
constexpr int kMinSteps = 2;  ///< steps of GJK before the first refinement, so that the simplex has
                              ///< met the pieces

std::size_t first_stage(const CorePair& pair, const CoreLimits& limits) {
  if (!limits.second_order || pair.polyhedral()) return kLastStage;
  const auto has_vertices = [](const CoreShape& core) {
    return core.polytope != nullptr || core.stp != nullptr;
  };
  return has_vertices(pair.a()) || has_vertices(pair.b()) ? kFirstStageOfHulls : 0;
}

}  // namespace

CoreDistance solve_iteratively(CorePair& pair, const Vector3& direction, const CoreLimits& limits) {
  CoreDistance answer;
  GjkState state = start_gjk(pair, direction);
  for (std::size_t stage = first_stage(pair, limits); stage <= kLastStage; ++stage) {
    const GjkOutcome outcome = run_gjk(pair,
                                       {.gap = kRefinementGaps[stage] * pair.scale(),
                                        .max_iterations = limits.max_iterations,
                                        .stop_above = limits.stop_above,
                                        .momentum = limits.second_order},
                                       state);
    answer.iterations = state.iterations;
    answer.upper = std::min(answer.upper, state.upper);
    if (outcome == GjkOutcome::overlapping) {
      solve_overlapping(pair, state, limits, answer);
      return answer;
    }
    if (outcome == GjkOutcome::converged && state.iterations < kMinSteps && stage == 0) continue;
    const SeparationOptimum from_simplex = optimum_of(state.simplex, state.normal, state.lower);
    if (from_simplex.lower >= answer.optimum.lower || answer.optimum.residual > rounding(pair))
      answer.optimum = from_simplex;
    if (outcome == GjkOutcome::above_limit) {
      answer.beyond_limit = true;
      return answer;
    }
    if (is_exact(pair, answer)) return answer;
    const bool stationary = refine(pair, state.simplex, state.normal, answer.optimum);
    // a local optimum of overlapping cores: if it is proved to be global, the query ends before GJK
    // has shown that the cores overlap
    if (stationary && answer.optimum.lower <= 0.0 && stage < kLastStage) {
      if (prove_globally(pair, limits, answer)) return answer;
      stage = kLastStage - 1;
    }
    tighten_upper_bound(answer);
    if (is_exact(pair, answer)) return answer;
    if (outcome != GjkOutcome::converged) break;
  }
  complete_witness_points(pair, answer);
  tighten_upper_bound(answer);
  if (answer.upper - answer.optimum.lower > tight_gap(pair, limits) && answer.optimum.lower <= 0.0)
    decide_touching(pair, state, limits, answer);
  if (answer.upper - answer.optimum.lower > enough_gap(pair, limits))
    search_everything(pair, limits, answer);
  return answer;
}

bool prove_overlap(CorePair& pair, CoreDistance& answer) {
  constexpr double any = std::numeric_limits<double>::infinity();
  try_cap_normal(pair, answer.optimum);
  return prove_globally(
      pair, {.gap = any, .max_iterations = 1, .stop_above = any, .second_order = true}, answer);
}

}  // namespace tactum
