// SPDX-License-Identifier: BSD-2-Clause
#include "support/ball_intersection.hpp"

#include <algorithm>

namespace tactum::testing {
namespace {

/// Calls `offer` with every candidate. `away(b)` is the direction, seen from b, that the candidate
/// should lie opposite to.
template <class Away, class Offer>
void each_candidate(const std::vector<Vec3>& points, Real alpha, const Away& away,
                    const Offer& offer) {
  const auto unit = [](const Vec3& v) {
    return v.norm() > 0 ? Vec3(v.normalized()) : Vec3(Vec3::UnitX());
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    offer(points[i] - alpha * unit(away(points[i])));
    for (std::size_t j = 0; j < i; ++j) {
      const Vec3 middle = (points[i] + points[j]) / 2, axis = points[j] - points[i];
      const Real squared = alpha * alpha - axis.squaredNorm() / 4;
      if (squared < 0 || !(axis.norm() > 0)) continue;
      const Vec3 along = axis.normalized(), d = away(middle), across = d - along * along.dot(d);
      // along the axis every point of the circle is as good
      const Vec3 g = across.norm() > Real(1e-17) * d.norm() ? unit(across)
                                                            : Vec3(along.unitOrthogonal());
      offer(middle - std::sqrt(squared) * unit(g - along * along.dot(g)));
      for (std::size_t k = 0; k < j; ++k) {
        const Vec3 u = points[j] - points[i], v = points[k] - points[i], w = u.cross(v);
        if (!(w.squaredNorm() > 0)) continue;
        const Vec3 q = (u.squaredNorm() * v - v.squaredNorm() * u).cross(w) / (2 * w.squaredNorm());
        const Real height = alpha * alpha - q.squaredNorm();
        if (height < 0) continue;
        for (const int sign : {-1, 1})
          offer(points[i] + q + sign * std::sqrt(height) * w.normalized());
      }
    }
  }
}

template <class Away, class Merit>
Vec3 best_of(const BallIntersection& body, const Away& away, const Merit& merit) {
  Vec3 best = Vec3::Zero();
  Real best_merit = -infinite;
  each_candidate(body.points, body.alpha, away, [&](const Vec3& c) {
    if (body.excess(c) <= Real(1e-16) * body.alpha && merit(c) > best_merit)
      best = c, best_merit = merit(c);
  });
  return best;
}

}  // namespace

Vec3 BallIntersection::lowest(const Vec3& n) const {
  return best_of(*this, [&](const Vec3&) { return n; }, [&](const Vec3& c) { return -n.dot(c); });
}

Vec3 BallIntersection::farthest(const Vec3& x) const {
  return best_of(
      *this, [&](const Vec3& b) { return Vec3(x - b); },
      [&](const Vec3& c) { return (x - c).norm(); });
}

Real BallIntersection::excess(const Vec3& c) const {
  Real largest = 0;
  for (const Vec3& point : points) largest = std::max(largest, (c - point).norm());
  return largest - alpha;
}

}  // namespace tactum::testing
