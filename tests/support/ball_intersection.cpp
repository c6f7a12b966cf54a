// SPDX-License-Identifier: BSD-2-Clause
#include "support/ball_intersection.hpp"

#include <algorithm>
#include <utility>

namespace tactum::testing {
namespace {

std::vector<Vec3> widened(const Points& points) {
  std::vector<Vec3> wide;
  for (const auto& point : points.colwise()) wide.push_back(widen(Vector3(point)));
  return wide;
}

Vec3 unit(const Vec3& v) { return v.norm() > 0 ? Vec3(v.normalized()) : Vec3(Vec3::UnitX()); }

}  // namespace

BallIntersection::BallIntersection(std::vector<Vec3> points, Real alpha)
    : points_(std::move(points)), alpha_(alpha) {
  each_corner([&](const Vec3& c) {
    if (holds(c)) corners_.push_back(c);
  });
}

BallIntersection::BallIntersection(const Points& points, Real alpha)
    : BallIntersection(widened(points), alpha) {}

Real BallIntersection::excess(const Vec3& c) const {
  Real largest = 0;
  for (const Vec3& point : points_) largest = std::max(largest, (c - point).norm());
  return largest - alpha_;
}

bool BallIntersection::holds(const Vec3& c) const {
  const Real slack = Real(1e-16) * alpha_, limit = (alpha_ + slack) * (alpha_ + slack);
  return std::all_of(points_.begin(), points_.end(),
                     [&](const Vec3& point) { return (c - point).squaredNorm() <= limit; });
}

/// Calls `offer` with the two points that the spheres about each three points share.
template <class Offer>
void BallIntersection::each_corner(const Offer& offer) const {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t k = 0; k < j; ++k) {
        const Vec3 u = points_[j] - points_[i], v = points_[k] - points_[i], w = u.cross(v);
        if (!(w.squaredNorm() > 0)) continue;
        const Vec3 q = (u.squaredNorm() * v - v.squaredNorm() * u).cross(w) / (2 * w.squaredNorm());
        const Real height = alpha_ * alpha_ - q.squaredNorm();
        if (height < 0) continue;
        for (const int sign : {-1, 1})
          offer(points_[i] + q + sign * std::sqrt(height) * w.normalized());
      }
    }
  }
}

/// Calls `offer` with every candidate on a sphere and on a circle. `away(b)` is the direction, seen
/// from b, that the candidate should lie opposite to.
template <class Away, class Offer>
void BallIntersection::each_candidate(const Away& away, const Offer& offer) const {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    offer(points_[i] - alpha_ * unit(away(points_[i])));
    for (std::size_t j = 0; j < i; ++j) {
      const Vec3 middle = (points_[i] + points_[j]) / 2, axis = points_[j] - points_[i];
      const Real squared = alpha_ * alpha_ - axis.squaredNorm() / 4;
      if (squared < 0 || !(axis.norm() > 0)) continue;
      const Vec3 along = axis.normalized(), d = away(middle), across = d - along * along.dot(d);
      // along the axis every point of the circle is as good
      const Vec3 g = across.norm() > Real(1e-17) * d.norm() ? unit(across)
                                                            : Vec3(along.unitOrthogonal());
      offer(middle - std::sqrt(squared) * unit(g - along * along.dot(g)));
    }
  }
}

template <class Away, class Merit>
Vec3 BallIntersection::best_of(const Away& away, const Merit& merit) const {
  Vec3 best = Vec3::Zero();
  Real best_merit = -infinite;
  for (const Vec3& c : corners_) {
    if (merit(c) > best_merit) best = c, best_merit = merit(c);
  }
  each_candidate(away, [&](const Vec3& c) {
    if (merit(c) > best_merit && holds(c)) best = c, best_merit = merit(c);
  });
  return best;
}

Vec3 BallIntersection::lowest(const Vec3& n) const {
  return best_of([&](const Vec3&) { return n; }, [&](const Vec3& c) { return -n.dot(c); });
}

Vec3 BallIntersection::farthest(const Vec3& x) const {
  return best_of([&](const Vec3& b) { return Vec3(x - b); },
                 [&](const Vec3& c) { return (x - c).norm(); });
}

}  // namespace tactum::testing
