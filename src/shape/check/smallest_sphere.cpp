// SPDX-License-Identifier: BSD-2-Clause
// The smallest sphere around points: the farthest point enters a set of at most four that determine
// the sphere, as in the pivoting of Gärtner 1999; the smallest sphere of the at most five points is
// found by trying their subsets. The radius grows with every step, so no set comes twice.
#include "shape/check/smallest_sphere.hpp"

#include <Eigen/Geometry>
#include <array>
#include <cmath>

namespace tactum {
namespace {

constexpr double kInside = 1.0 + 1e-14;  // of the squared radius
constexpr int kMostSteps = 200;          // some 10 are usual

struct Ball {
  Vector3 center = Vector3::Zero();
  double squared_radius = -1.0;

  bool holds(const Vector3& p) const {
    return (p - center).squaredNorm() <= kInside * squared_radius;
  }
};

struct Support {
  std::array<Vector3, 5> points;
  int size = 0;
};

/// The sphere through all points of a set with its center in their affine hull; false when they are
/// not affinely independent.
bool circumscribed(const Support& set, Ball& ball) {
  const Vector3& o = set.points[0];
  Vector3 shift = Vector3::Zero();
  if (set.size == 2) {
    shift = 0.5 * (set.points[1] - o);
  } else if (set.size == 3) {
    const Vector3 a = set.points[1] - o, b = set.points[2] - o, n = a.cross(b);
    const double squared = n.squaredNorm();
    if (squared <= 1e-28 * a.squaredNorm() * b.squaredNorm()) return false;
    shift = (a.squaredNorm() * b - b.squaredNorm() * a).cross(n) / (2.0 * squared);
  } else if (set.size == 4) {
    const Vector3 a = set.points[1] - o, b = set.points[2] - o, c = set.points[3] - o;
    const double volume = a.dot(b.cross(c));
    if (std::abs(volume) <= 1e-14 * a.norm() * b.norm() * c.norm()) return false;
    shift = (a.squaredNorm() * b.cross(c) + b.squaredNorm() * c.cross(a) +
             c.squaredNorm() * a.cross(b)) /
            (2.0 * volume);
  }
  ball = {o + shift, shift.squaredNorm()};
  return true;
}

/// The smallest sphere around at most five points, and the subset that determines it.
Ball smallest_of_few(Support& set) {
  Ball best;
  Support best_set;
  for (unsigned mask = 1; mask < 1U << set.size; ++mask) {
    Support subset;
    for (int i = 0; i < set.size; ++i) {
      if ((mask >> i & 1U) != 0)
        subset.points[static_cast<std::size_t>(subset.size++)] =
            set.points[static_cast<std::size_t>(i)];
    }
    Ball ball;
    if (subset.size > 4 || !circumscribed(subset, ball)) continue;
    if (best.squared_radius >= 0.0 && ball.squared_radius >= best.squared_radius) continue;
    bool all = true;
    for (int i = 0; i < set.size; ++i) all &= ball.holds(set.points[static_cast<std::size_t>(i)]);
    if (!all) continue;
    best = ball;
    best_set = subset;
  }
  if (best_set.size > 0) set = best_set;
  return best;
}

Eigen::Index farthest(const Points& points, const Vector3& center, double& squared) {
  Eigen::Index far = 0;
  squared = (points.colwise() - center).colwise().squaredNorm().maxCoeff(&far);
  return far;
}

}  // namespace

BoundingSphere smallest_sphere(const Points& points) {
  const Vector3 low = points.rowwise().minCoeff(), high = points.rowwise().maxCoeff();
  const Vector3 middle = 0.5 * low + 0.5 * high;
  const double scale = (0.5 * high - 0.5 * low).maxCoeff();
  if (scale == 0.0) return {middle, 0.0};
  const Points unit = (points.colwise() - middle) / scale;  // so that no square overflows

  double reach = 0.0;
  Support set;
  set.points[0] = unit.col(farthest(unit, unit.col(0), reach));
  set.size = 1;
  Ball ball{set.points[0], 0.0};
  for (int step = 0; step < kMostSteps; ++step) {
    const Eigen::Index far = farthest(unit, ball.center, reach);
    if (reach <= kInside * ball.squared_radius) break;
    set.points[static_cast<std::size_t>(set.size++)] = unit.col(far);
    const Ball larger = smallest_of_few(set);
    if (larger.squared_radius <= ball.squared_radius) break;  // rounding prevents further progress
    ball = larger;
  }
  farthest(unit, ball.center, reach);
  return {middle + scale * ball.center, scale * std::sqrt(reach)};
}

}  // namespace tactum
