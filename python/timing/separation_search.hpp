// SPDX-License-Identifier: BSD-2-Clause
// Distance of two strictly convex bodies as the largest separation along a direction. Experiments
// run it on different bodies and compare what it costs.
//
// Computes    max over unit vectors n of f(n) = n . w(n), where w(n) = s_B(-n) - s_A(n) is the
//             difference of the support points. Apart, the maximum is the distance; where the
//             bodies overlap, it is minus the depth.
// Method      two directions by turns, the better one kept as m. One is Newton's step: strictly
//             convex bodies have a continuous w, so f has the gradient w - f n on the sphere and,
//             within a pair of patches, the Hessian -K, K = H_A(n) + H_B(-n) + f I. The other goes
//             on where the curvature jumps from patch to patch: with up to four differences w_i
//             found so far, it is the n of max min_i n . (w_i + t m), which points to the nearest
//             point of a simplex. Apart that is GJK, with t = 0; else t > 0 keeps n near m.
// Stops       where min_i n . (w_i + t m) - t is at most a gap above f(m). Apart, that proves the
//             distance. A depth is a local optimum, next to where the search began: it is not
//             proved to be the global one.
// Fails       with converged = false after 200 supports of each body.
#pragma once

#include <algorithm>
#include <cmath>

#include "math/tangent_plane.hpp"
#include "narrow/gjk/simplex.hpp"
#include "shape/stp/stp_surface.hpp"

namespace tactum::python {

struct Separation {
  Vector3 normal, point_a, point_b;  ///< in the frame of A, swept radii left out
  double value = 0.0;                ///< f(normal), m
  int iterations = 0;                ///< directions tried after the first
  int support_calls = 0;             ///< pairs of supports
  bool converged = false;
};

template <class Body>
class SeparationSearch {
 public:
  /// `scale` in m is the size of the problem: what rounding is relative to.
  SeparationSearch(const Body& a, const Body& b, const Pose& X_AB, double scale)
      : a_(a), b_(b), X_AB_(X_AB), scale_(scale) {}

  /// From the unit vector `normal` in the frame of A, to a gap in m.
  Separation run(const Vector3& normal, double gap) {
    constexpr int kMostSupports = 200;
    Curved best = at(to_double3(normal));
    Simplex simplex;
    simplex.push(point_of(best));
    simplex.weights[0] = 1.0;
    Double3 next = newton_direction(best);
    bool converged = false, by_newton = true;
    int supports = 1;
    for (; supports < kMostSupports; ++supports) {
      const Curved newest = at(next);
      const bool better = newest.value > best.value;
      if (better) best = newest;
      const double shift = std::max(0.0, kLeastHeight * scale_ - best.value);
      const SimplexProjection nearest = add(point_of(newest), shift * best.n, simplex);
      converged = nearest.distance - shift - best.value <= gap;
      if (converged) break;
      by_newton = !by_newton && better;
      next = by_newton ? newton_direction(best) : nearest.normal;
    }
    return {.normal = to_vector3(best.n),
            .point_a = simplex.point_a(),
            .point_b = simplex.point_b(),
            .value = best.value,
            .iterations = supports,
            .support_calls = supports + 1,
            .converged = converged};
  }

 private:
  static constexpr double kLeastHeight = 0.01;  ///< of the scale: f(m) + t is at least that

  /// A direction with the supports of both bodies.
  struct Curved {
    Double3 n, w;
    StpSurface::Curvature a, b;  ///< that of B in its own frame
    double value;
  };

  Curved at(const Double3& n) {
    Curved found{.n = n,
                 .w = {},
                 .a = a_.curved_support(n, visited_),
                 .b = b_.curved_support(-transposed_product(X_AB_.rotation, n), visited_),
                 .value = 0.0};
    found.w = product(X_AB_.rotation, found.b.point) + to_double3(X_AB_.translation) -
              found.a.point;
    found.value = dot(n, found.w);
    return found;
  }

  static MinkowskiPoint point_of(const Curved& found) {
    return {to_vector3(found.w), to_vector3(found.a.point), {0, 0}, to_vector3(found.b.point)};
  }

  /// The point nearest to the origin of the simplex moved by `shift`; the newest of its points
  /// comes last.
  SimplexProjection nearest_point(Simplex simplex, const Double3& shift) const {
    for (int i = 0; i < simplex.size; ++i)
      simplex.points[static_cast<std::size_t>(i)].w += to_vector3(shift);
    SimplexProjection projection;
    find_nearest(simplex, scale_, projection);
    return projection;
  }

  /// Takes the newest point into the simplex where that brings the moved simplex nearer to the
  /// origin, and drops the points that are not needed.
  SimplexProjection add(const MinkowskiPoint& newest, const Double3& shift,
                        Simplex& simplex) const {
    Simplex larger = simplex;
    larger.push(newest);
    const SimplexProjection with = nearest_point(larger, shift),
                            without = nearest_point(simplex, shift);
    const bool is_needed = with.distance < without.distance;
    if (is_needed) simplex = larger;
    const SimplexProjection& nearest = is_needed ? with : without;
    simplex.keep(nearest);
    simplex.weights = nearest.weights;
    return nearest;
  }

  /// H of one body in the tangent plane, whose axes `across` is given in.
  static Matrix22 hessian(const StpSurface::Curvature& curvature, const Double3& across,
                          const TangentPlane& plane) {
    const Double2 t = plane.project(across);
    return Matrix22::scaled_identity(curvature.radius) +
           (curvature.across_radius - curvature.radius) * Matrix22::outer(t, t);
  }

  /// Newton's step with the absolute values of the eigenvalues of K, which goes up; at most about
  /// one radian.
  Double3 newton_direction(const Curved& from) const {
    const TangentPlane plane(from.n);
    const Double2 gradient = plane.project(from.w);
    const Matrix22 K = hessian(from.a, from.a.across, plane) +
                       hessian(from.b, product(X_AB_.rotation, from.b.across), plane) +
                       Matrix22::scaled_identity(from.value);
    const double middle = 0.5 * (K.xx + K.yy), half = 0.5 * (K.xx - K.yy);
    const double spread = std::hypot(half, K.xy), angle = 0.5 * std::atan2(K.xy, half);
    const Double2 first{std::cos(angle), std::sin(angle)}, second{-first.y, first.x};
    const double least = std::max(gradient.norm(), 1e-300);
    const auto part = [&](Double2 axis, double eigenvalue) {
      return (dot(axis, gradient) / std::max(std::abs(eigenvalue), least)) * axis;
    };
    const Double3 turned = from.n +
                           plane.lift(part(first, middle + spread) + part(second, middle - spread));
    return (1.0 / turned.norm()) * turned;
  }

  const Body& a_;
  const Body& b_;
  Pose X_AB_;
  double scale_;
  int visited_ = 0;
};

}  // namespace tactum::python
