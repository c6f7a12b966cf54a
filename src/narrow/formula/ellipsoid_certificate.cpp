// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/formula/ellipsoid_certificate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/constants.hpp"
#include "math/epsilon.hpp"
namespace tactum {
namespace {

/// Square root of a positive semidefinite matrix, given the square root of its determinant; zero
/// for a zero matrix.
Symmetric2 square_root(const Symmetric2& m, double root_of_determinant) {
  const double factor = 1.0 / std::sqrt(m.trace() + 2.0 * root_of_determinant + 1e-280);
  return {factor * (m.xx + root_of_determinant), factor * m.xy,
          factor * (m.yy + root_of_determinant)};
}

/// A symmetric 2 x 2 matrix as the mean of its eigenvalues and the two components of the rest: the
/// eigenvalues are mean -+ |rest|.
struct Spectrum {
  double mean;
  Double2 rest;
};

Spectrum spectrum(double xx, double xy, double yy) {
  return {0.5 * (xx + yy), {0.5 * (xx - yy), xy}};
}

/// S as a function of the free angle, fixed + cos * even + sin * odd, and its smaller eigenvalue.
class AngleFamily {
 public:
  AngleFamily(const Symmetric2& sum, const Symmetric2& p, const Symmetric2& q)
      : fixed_(spectrum(sum.xx, sum.xy, sum.yy)),
        even_(spectrum(2.0 * (p.xx * q.xx + p.xy * q.xy),
                       p.xx * q.xy + p.xy * q.yy + q.xx * p.xy + q.xy * p.yy,
                       2.0 * (p.xy * q.xy + p.yy * q.yy))),
        odd_(spectrum(2.0 * (p.xy * q.xx - p.xx * q.xy), p.yy * q.xx - p.xx * q.yy,
                      2.0 * (p.yy * q.xy - p.xy * q.yy))) {}

  /// The largest value found for the smaller eigenvalue; stops as soon as it is above `enough`.
  /// Starts where the trace is largest.
  double best_eigenvalue(double enough) const {
    const double length = std::sqrt(even_.mean * even_.mean + odd_.mean * odd_.mean);
    double cosine = length > 0.0 ? even_.mean / length : 1.0,
           sine = length > 0.0 ? odd_.mean / length : 0.0;
    double best = -kInfinity;
    for (int step = 0; step < 6; ++step) {
      const double mean = fixed_.mean + cosine * even_.mean + sine * odd_.mean;
      const Double2 rest = fixed_.rest + cosine * even_.rest + sine * odd_.rest;
      const double spread = std::sqrt(dot(rest, rest));
      best = std::max(best, mean - spread);
      if (best > enough || !(spread > 0.0)) break;
      // Newton on mean - |rest| over the angle; the second derivative of the norm contains the part
      // across it
      const Double2 along = (1.0 / spread) * rest;
      const Double2 rest_rate = cosine * odd_.rest - sine * even_.rest;
      const double slope = cosine * odd_.mean - sine * even_.mean - dot(along, rest_rate);
      const double across = along.x * rest_rate.y - along.y * rest_rate.x;
      const double curvature = (fixed_.mean - mean) - dot(along, fixed_.rest - rest) -
                               across * across / spread;
      if (!(curvature < 0.0)) break;
      const double turn = std::clamp(-slope / curvature, -0.7, 0.7);
      const double factor = 1.0 / std::sqrt(1.0 + turn * turn);
      const double next_cosine = factor * (cosine - turn * sine);
      sine = factor * (sine + turn * cosine);
      cosine = next_cosine;
    }
    return best;
  }

 private:
  Spectrum fixed_, even_, odd_;
};

/// The pair along the direction to be proved, and the numbers that the proof needs.
struct Contact {
  PairShadow view;
  Symmetric2 root_a, root_b;
  double height;        ///< h of the header comment
  double matrix_error;  ///< rounding of an entry of S, without that of k
};

Contact contact_along(const EllipsoidPair& pair, Double3 n) {
  Contact contact;
  contact.view = pair_shadow(pair, n);
  const PairShadow& view = contact.view;
  const Lanes inverse = view.inverse_height;
  const double volume_a = pair.axes_a.x * pair.axes_a.y * pair.axes_a.z,
               volume_b = pair.axes_b.x * pair.axes_b.y * pair.axes_b.z;
  contact.root_a = square_root({view.xx[0], view.xy[0], view.yy[0]}, volume_a * inverse[0]);
  contact.root_b = square_root({view.xx[1], view.xy[1], view.yy[1]}, volume_b * inverse[1]);
  contact.height = sum(view.height);
  // an entry of M is off by eps a^2, one of N by eps b^3 / |B n| because the rotation of n rounds
  // first; square roots divide by their trace
  const double largest_a = pair.axes_a.largest(), largest_b = pair.axes_b.largest();
  const double error_a = largest_a * largest_a,
               error_b = largest_b * largest_b * (1.0 + largest_b * inverse[1]);
  const double trace_a = contact.root_a.trace(), trace_b = contact.root_b.trace();
  contact.matrix_error = 16.0 * kEpsilon *
                         (error_a + error_b + error_a * trace_b / (trace_a + 1e-280) +
                          error_b * trace_a / (trace_b + 1e-280));
  return contact;
}

/// Smaller eigenvalue of S for the given depth, less its rounding; positive where the depth is
/// proved, minus infinity where K cannot be positive along n.
double margin(const Contact& contact, double depth) {
  const double pivot = contact.height - depth;
  if (!(pivot > 0.0)) return -kInfinity;
  const PairShadow& view = contact.view;
  const Double2& k = view.center;
  const double factor = depth / pivot, base = depth * contact.height;
  const Symmetric2 fixed = {sum(view.xx) - base - factor * k.x * k.x,
                            sum(view.xy) - factor * k.x * k.y,
                            sum(view.yy) - base - factor * k.y * k.y};
  const double error = contact.matrix_error +
                       16.0 * kEpsilon *
                           (base + factor * dot(k, k) * (1.0 + contact.height / pivot));
  return AngleFamily(fixed, contact.root_a, contact.root_b).best_eigenvalue(error) - error;
}

}  // namespace

double prove_depth(const EllipsoidPair& pair, Double3 normal) {
  const Contact contact = contact_along(pair, normal);
  const double depth = -contact.view.separation,
               square = dot(contact.view.gradient, contact.view.gradient);
  const double less = 256.0 * kEpsilon * pair.scale;
  if (!(depth > 4.0 * less)) return kInfinity;
  const double eigenvalue = margin(contact, depth);
  const double excess = eigenvalue > 0.0 ? square * contact.height / eigenvalue : kInfinity;
  if (excess <= less) return excess;
  // K + e' I >= 0 proves the depth less 2 e' + g'g / e'
  const double wider = margin(contact, depth - less) > 0.0 ? 2.0 * less + square / less : kInfinity;
  const double bound = std::min(excess, wider);
  return bound < depth ? bound : kInfinity;
}

}  // namespace tactum
