// SPDX-License-Identifier: BSD-2-Clause
// Ear cutting. Of the ears the search takes the first behind the last one that was cut, so that a
// convex polygon takes linear time; each ear is checked against the corners that turn inward.
#include "mesh/file/polygon.hpp"

#include <Eigen/Geometry>

namespace tactum {
namespace {

/// Twice the signed area.
template <class Corner>
double area(const Corner& a, const Corner& b, const Corner& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

template <class Corner>
bool same_place(const Corner& a, const Corner& b) {
  return a.x == b.x && a.y == b.y;
}

}  // namespace

void PolygonCutter::project(std::span<const Vector3> vertices,
                            std::span<const std::int32_t> corners) {
  const auto at = [&](std::size_t i) -> const Vector3& {
    return vertices[static_cast<std::size_t>(corners[i])];
  };
  Vector3 normal = Vector3::Zero();  // Newell's: twice the area along each axis
  double size = 0.0;
  for (std::size_t i = 1; i < corners.size(); ++i)
    size = std::max(size, (at(i) - at(0)).cwiseAbs().maxCoeff());
  const double inverse = size > 0.0 ? 1.0 / size : 0.0;
  for (std::size_t i = 1; i + 1 < corners.size(); ++i)
    normal += (inverse * (at(i) - at(0))).cross(inverse * (at(i + 1) - at(0)));
  int axis = 0;
  normal.cwiseAbs().maxCoeff(&axis);
  const int x = (axis + 1) % 3, y = (axis + 2) % 3;
  const double sign = normal[axis] < 0.0 ? -1.0 : 1.0;
  ring_.clear();
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vector3 place = inverse * (at(i) - at(0));
    ring_.push_back({place[x], sign * place[y], corners[i]});
  }
}

double PolygonCutter::turn(std::size_t i) const {
  return area(ring_[before(i)], ring_[i], ring_[next(i)]);
}

bool PolygonCutter::is_ear(std::size_t i) {
  if (!(turn(i) > 0.0)) return false;
  const Corner &a = ring_[before(i)], &b = ring_[i], &c = ring_[next(i)];
  for (std::size_t k = 0; k < ring_.size(); ++k) {
    ++checks_;
    if (k == i || k == before(i) || k == next(i)) continue;
    const Corner& p = ring_[k];
    if (area(a, b, p) < 0.0 || area(b, c, p) < 0.0 || area(c, a, p) < 0.0) continue;
    if (same_place(p, a) || same_place(p, b) || same_place(p, c)) {
      // a corner that is visited twice is in the way if the polygon goes on from it into the ear
      const Corner &from = ring_[before(k)], &to = ring_[next(k)];
      const bool inside_from = area(a, b, from) > 0.0 && area(b, c, from) > 0.0 &&
                               area(c, a, from) > 0.0;
      const bool inside_to = area(a, b, to) > 0.0 && area(b, c, to) > 0.0 && area(c, a, to) > 0.0;
      if (!inside_from && !inside_to) continue;
      return false;
    }
    if (turn(k) <= 0.0) return false;
  }
  return true;
}

void PolygonCutter::cut(std::span<const Vector3> vertices, std::span<const std::int32_t> corners,
                        std::vector<std::array<std::int32_t, 3>>& out) {
  if (corners.size() == 3) {
    out.push_back({corners[0], corners[1], corners[2]});
    return;
  }
  project(vertices, corners);
  checks_ = 0;
  const std::size_t most_checks = 64 * corners.size() * corners.size();
  std::size_t at = 1;
  while (ring_.size() > 3) {
    at = std::min(at, ring_.size() - 1);
    std::size_t ear = at, tried = 0;
    const bool hopeless = checks_ > most_checks;
    while (!hopeless && tried < ring_.size() && !is_ear(ear)) ear = next(ear), ++tried;
    if (tried == ring_.size()) {
      // no ear: a flat corner adds nothing, and what crosses itself has no right answer
      for (tried = 0, ear = at; tried < ring_.size() && turn(ear) != 0.0; ++tried) ear = next(ear);
      if (tried == ring_.size()) ear = at;
    }
    out.push_back({ring_[before(ear)].vertex, ring_[ear].vertex, ring_[next(ear)].vertex});
    ring_.erase(ring_.begin() + static_cast<std::ptrdiff_t>(ear));
    at = ear;
  }
  out.push_back({ring_[0].vertex, ring_[1].vertex, ring_[2].vertex});
}

}  // namespace tactum
