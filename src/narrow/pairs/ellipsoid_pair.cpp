// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/pairs/ellipsoid_pair.hpp"

#include "math/epsilon.hpp"
#include "math/unit_vector.hpp"
#include "narrow/pair/tolerance.hpp"

namespace tactum {
namespace {

constexpr int kMaxClimbSteps = 24;  ///< most steps of one climb, halvings included
/// Scales in m within which no product overflows.
constexpr double kSmallestEllipsoids = 1e-20, kLargestEllipsoids = 1e20;
constexpr double kLargestRatio = 1e7;  ///< largest ratio of semi axes; beyond it matrices lose all
                                       ///< digits
constexpr double kMostFollowed = 0.1;  ///< rad: along tangents, to reach exact points
constexpr double kLeastCurvature = 1e-12;  ///< relative to the curvatures: curvature given to a
                                           ///< direction that has none

bool too_flat(Double3 axes) { return axes.largest() > kLargestRatio * axes.smallest(); }

/// First direction from the linear model of the stationarity condition, in units of the scale. The
/// centers must not coincide.
Double3 first_normal(const EllipsoidPair& pair) {
  const Double3 &a = pair.axes_a, &b = pair.axes_b;
  const double unit_length = 1.0 / pair.scale;
  const Lanes sums = {a.x + a.y + a.z, b.x + b.y + b.z};
  const Lanes inverse_means = both(3.0 * unit_length) / (sums + both(1e-280));
  const double gap = std::max(0.0, std::sqrt(dot(pair.b.center, pair.b.center)) - sum(sums) / 3.0);
  const Double3 c = unit_length * pair.b.center, weights = inverse_means[1] * (b * b);
  const Double3 p = {pair.b.x.x, pair.b.y.x, pair.b.z.x}, q = {pair.b.x.y, pair.b.y.y, pair.b.z.y},
                r = {pair.b.x.z, pair.b.y.z, pair.b.z.z};
  const Double3 wp = weights * p, wq = weights * q, diagonal = inverse_means[0] * (a * a);
  const double shift = unit_length * gap;
  const double xx = dot(wp, p) + diagonal.x + shift, yy = dot(wq, q) + diagonal.y + shift,
               zz = dot(weights * r, r) + diagonal.z + shift;
  const double xy = dot(wp, q), xz = dot(wp, r), yz = dot(wq, r);
  const Double3 x = {xx, xy, xz}, y = {xy, yy, yz}, z = {xz, yz, zz};
  return unit(c.x * cross(y, z) + c.y * cross(z, x) + c.z * cross(x, y));
}

/// A step in the plane orthogonal to a direction.
struct ClimbStep {
  Double2 y;
  bool last;  ///< the terms that the series leaves out are below rounding
};

/// Whether the matrix is positive definite by more than the rounding of numbers of size `size`.
bool definite(const Symmetric2& m, double size) {
  return m.trace() > 0.0 && m.determinant() > 1e-15 * m.trace() * size;
}

/// Makes the matrix positive definite, so that the step leads away from a saddle: adds a multiple
/// of the identity, at most `limit`, to make the negative eigenvalue positive.
Symmetric2 made_definite(const Symmetric2& m, double size, double limit) {
  const double half = 0.5 * (m.xx - m.yy);
  const double smallest = 0.5 * m.trace() - std::sqrt(half * half + m.xy * m.xy);
  const double shift = std::min(limit, kLeastCurvature * size - 2.0 * smallest);
  return {m.xx + shift, m.xy, m.yy + shift};
}

/// The second-order term -(1/2) D^2 (p + q) [y, y] of the two support points, in the tangent plane.
Double2 curvature_term(const PairShadow& view, Double2 y) {
  const Lanes step_x = both(y.x), step_y = both(y.y);
  const Lanes turned_x = view.xx * step_x + view.xy * step_y,
              turned_y = view.xy * step_x + view.yy * step_y;
  const Lanes square = view.inverse_height * view.inverse_height;
  const Lanes along = square * (view.point_x * step_x + view.point_y * step_y);
  const Lanes half = square * (both(0.5) * (step_x * turned_x + step_y * turned_y));
  return {sum(along * turned_x + half * view.point_x), sum(along * turned_y + half * view.point_y)};
}

/// Newton's step with Chebyshev's correction, at most 45 degrees. The order of operations lets
/// everything but the scaling run during the division by the determinant.
bool find_step(const PairShadow& view, ClimbStep& step) {
  const Lanes inverse = view.inverse_height;
  const Symmetric2 hessian = {sum(inverse * view.xx), sum(inverse * view.xy),
                              sum(inverse * view.yy)};
  const double size = hessian.trace();
  Symmetric2 matrix = {hessian.xx + view.separation, hessian.xy, hessian.yy + view.separation};
  if (!definite(matrix, size)) {
    matrix = made_definite(matrix, size, -view.separation);
    if (!definite(matrix, size)) return false;
  }
  const Symmetric2 adjugate = {matrix.yy, -matrix.xy, matrix.xx};
  const double factor = 1.0 / matrix.determinant();
  const Double2 direction = adjugate * view.gradient;
  const Double2 second = adjugate * (curvature_term(view, direction) -
                                     dot(view.gradient, direction) * direction);
  const double direction_square = dot(direction, direction);
  const double length = factor * factor * direction_square <= 1.0
                            ? factor
                            : 1.0 / std::sqrt(direction_square);  // |y| is length * |direction|
  const Double2 correction = (length * length) * (factor * second);
  step.y = length * direction;
  const double square = dot(step.y, step.y), left = dot(correction, correction);
  if (left < 0.25 * square) step.y = step.y + correction;
  // the next term of the series is about left / |y|
  step.last = left * left <= kEpsilon * kEpsilon * square || square < 1e-20;
  // a gradient that is rounding alone has no direction: along a curve of optima the step would be
  // long and arbitrary
  const double rounding = 16.0 * kEpsilon * size;
  if (dot(view.gradient, view.gradient) <= rounding * rounding) {
    step.y = {0.0, 0.0};
    step.last = true;
  }
  return true;
}

/// The unit vector n moved by y in its tangent plane.
Double3 moved(Double3 n, const TangentBasis& plane, Double2 y) {
  const double square = 1.0 + dot(y, y);
  return (std::sqrt(square) * (1.0 / square)) * (n + plane.lift(y));
}

/// A local maximum of the separation, with its points.
struct Peak {
  SeparationOptimum optimum;
  bool exact = false;  ///< the points are exact to rounding
};

/// Computes the points of the peak from support points along `direction`, moved along both surfaces
/// to remove the tangential part of their difference, which the direction cannot resolve. `view`
/// belongs to a nearby direction. Returns whether the points are exact to rounding.
bool set_exact_points(const EllipsoidPair& pair, Lanes inner_radii, Double3 direction,
                      const PairShadow& view, SeparationOptimum& optimum) {
  const Double3 n = unit(direction);
  const Double3 image_a = pair.axes_a * direction,
                image_b = pair.axes_b * pair.b.to_second(direction);
  const Lanes inverse = both(1.0) /
                        square_root(Lanes{dot(image_a, image_a), dot(image_b, image_b)} +
                                    both(1e-280));
  const Double3 a = inverse[0] * (pair.axes_a * image_a) - inner_radii[0] * n;
  const Double3 b = pair.b.center - pair.b.from_second(inverse[1] * (pair.axes_b * image_b)) +
                    inner_radii[1] * n;
  const double lower = dot(n, b - a);
  const Double3 left = b - a - lower * n;
  optimum = {to_vector3(n), lower, to_vector3(a), to_vector3(b), left.norm()};
  const Lanes xx = view.inverse_height * view.xx - inner_radii, xy = view.inverse_height * view.xy,
              yy = view.inverse_height * view.yy - inner_radii;
  const Symmetric2 together = {sum(xx), sum(xy), sum(yy)};
  const double determinant = together.determinant();
  if (determinant > 0.0) {
    const Double2 gap = view.plane.project(left);
    const Double2 turn = (1.0 / determinant) *
                         (Symmetric2{together.yy, -together.xy, together.xx} * gap);
    // The tangents leave the surfaces by half of turn.gap. Where a thin rim would have to turn far
    // to reach the other point, the direction is not good enough yet.
    if (!(dot(turn, turn) <= kMostFollowed * kMostFollowed &&
          dot(turn, gap) <= 4.0 * kEpsilon * pair.scale))
      return optimum.residual <= kRounding * pair.scale;
    const Lanes move_x = xx * both(turn.x) + xy * both(turn.y),
                move_y = xy * both(turn.x) + yy * both(turn.y);
    const Double3 moved_a = a + view.plane.lift({move_x[0], move_y[0]}),
                  moved_b = b - view.plane.lift({move_x[1], move_y[1]});
    const double rest = (moved_b - moved_a - lower * n).norm();
    if (rest < optimum.residual)
      optimum = {to_vector3(n), lower, to_vector3(moved_a), to_vector3(moved_b), rest};
  }
  return optimum.residual <= kRounding * pair.scale;
}

/// Climbs from n to the local maximum of the separation.
Peak climb(const EllipsoidPair& pair, Lanes inner_radii, Double3 n, int& iterations) {
  Peak peak;
  double before = -std::numeric_limits<double>::infinity();
  Double3 from = n;
  TangentBasis from_plane = {};
  ClimbStep step = {};
  for (int i = 0; i < kMaxClimbSteps; ++i) {
    ++iterations;
    const PairShadow view = pair_shadow(pair, n);
    if (view.separation < before - 8.0 * kEpsilon * pair.scale) {
      step.y = 0.5 * step.y;
      n = moved(from, from_plane, step.y);
      continue;
    }
    if (!find_step(view, step)) break;
    before = view.separation;
    from = n;
    from_plane = view.plane;
    n = moved(n, view.plane, step.y);
    if (step.last && set_exact_points(pair, inner_radii, n, view, peak.optimum)) {
      peak.exact = true;
      break;
    }
  }
  return peak;
}

/// Whether the peak is proved to be the global maximum; if so, `answer` is complete.
bool prove(const EllipsoidPair& pair, const Peak& peak, CoreDistance& answer) {
  if (!peak.exact) return false;
  answer.optimum = peak.optimum;
  if (peak.optimum.lower > 0.0) {
    answer.upper = std::max(peak.optimum.lower,
                            (peak.optimum.point_b - peak.optimum.point_a).norm());
    return true;
  }
  answer.upper = peak.optimum.lower + prove_depth(pair, to_double3(peak.optimum.normal));
  return answer.upper - answer.optimum.lower <= kEllipsoidGap * pair.scale;
}

/// The axis of either ellipsoid, directed towards the second one, that has the largest separation.
Double3 best_axis(const EllipsoidPair& pair) {
  Double3 best = {1.0, 0.0, 0.0};
  double highest = -std::numeric_limits<double>::infinity();
  for (const Double3& axis : {Double3{1.0, 0.0, 0.0}, Double3{0.0, 1.0, 0.0},
                              Double3{0.0, 0.0, 1.0}, pair.b.x, pair.b.y, pair.b.z}) {
    const double along = dot(axis, pair.b.center);
    const Double3 image_a = pair.axes_a * axis, image_b = pair.axes_b * pair.b.to_second(axis);
    const double separation = std::abs(along) - std::sqrt(dot(image_a, image_a)) -
                              std::sqrt(dot(image_b, image_b));
    if (separation <= highest) continue;
    highest = separation;
    best = along < 0.0 ? -1.0 * axis : axis;
  }
  return best;
}

}  // namespace

bool solve_ellipsoids(const EllipsoidPair& pair, double inner_radius_a, double inner_radius_b,
                      CoreDistance& answer, int& support_calls) {
  if (!(pair.scale > kSmallestEllipsoids && pair.scale < kLargestEllipsoids) ||
      too_flat(pair.axes_a) || too_flat(pair.axes_b))
    return false;
  const Lanes inner_radii = {inner_radius_a, inner_radius_b};
  const double concentric = kEpsilon * pair.scale;
  if (dot(pair.b.center, pair.b.center) > concentric * concentric) {
    ++support_calls;
    if (prove(pair, climb(pair, inner_radii, first_normal(pair), answer.iterations), answer))
      return true;
  }
  ++support_calls;
  return prove(pair, climb(pair, inner_radii, unit(best_axis(pair)), answer.iterations), answer);
}

bool solve_ellipsoids(CorePair& cores, CoreDistance& answer) {
  const Matrix3& rotation = cores.X_AB().rotation;
  const EllipsoidPair pair = {
      semi_axes(cores.a()),
      semi_axes(cores.b()),
      {to_double3(rotation.col(0)), to_double3(rotation.col(1)), to_double3(rotation.col(2)),
       to_double3(cores.X_AB() * cores.b().center - cores.a().center)},
      cores.scale()};
  if (!solve_ellipsoids(pair, cores.a().inner_radius, cores.b().inner_radius, answer,
                        cores.support_calls))
    return false;
  answer.optimum.point_a += cores.a().center;
  answer.optimum.point_b += cores.a().center;
  return true;
}

}  // namespace tactum
