// SPDX-License-Identifier: BSD-2-Clause
// Incremental convex hull: a new point sees a connected part of the surface, which a cone from its rim replaces.
//
// Order      rounds of doubling size, each along a curve that stays near itself [Amenta, Choi, Rote 2003]: the last triangle is near the next point, and a walk
//            towards it is short. Expected O(n log n), most of it sorting.
// Precision  a point is above a triangle by its plane in double where that is sure, else by the determinant in extended precision.
#include "shape/general_hull.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "math/counter_random.hpp"
#include "math/double3.hpp"

namespace tactum {
namespace {

using Index = std::int32_t;

/// Interleaved bits of three coordinates from 0 to 1023.
std::uint32_t morton(std::array<std::uint32_t, 3> cell) {
  std::uint32_t code = 0;
  for (int bit = 0; bit < 10; ++bit) {
    for (int k = 0; k < 3; ++k) code |= (cell[k] >> bit & 1U) << (3 * bit + k);
  }
  return code;
}

class GeneralHull {
 public:
  GeneralHull(std::span<const Wide3> points, double apart) : wide_(points), squared_apart_(apart * apart) {
    const Wide3 first = points.front();
    Wide3 low = first, high = first;
    for (const Wide3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
    middle_ = 0.5L * (low + high);
    extent_ = static_cast<double>((high - low).maxCoeff());
    points_.reserve(points.size());
    origin_.reserve(6 * points.size());
    twin_.reserve(6 * points.size());
    planes_.reserve(2 * points.size());
    for (const Wide3& p : points) points_.push_back(plain((p - middle_).cast<double>()));
  }

  HalfEdgeMesh build() {
    if (!start()) return {};
    for (const Index point : insertion_order()) insert(point);
    return compressed();
  }

 private:
  struct Plane {
    Double3 normal;
    double offset, slack;
  };

  // ------------------------------------------------------------------------------------------------------------------- the first four

  template <class Height>
  Index highest(const Height& height) const {
    Index best = 0;
    for (Index i = 1; i < static_cast<Index>(points_.size()); ++i) {
      if (height(points_[i]) > height(points_[best])) best = i;
    }
    return best;
  }

  bool start() {
    const Index a = highest([](Double3 p) { return p.x; });
    const Index b = highest([&](Double3 p) { return (p - points_[a]).squared_norm(); });
    const Double3 ab = points_[b] - points_[a];
    const Index c = highest([&](Double3 p) { return cross(ab, p - points_[a]).squared_norm(); });
    const Double3 normal = cross(ab, points_[c] - points_[a]);
    const Index d = highest([&](Double3 p) { return std::abs(dot(normal, p - points_[a])); });
    first_ = {a, b, c, d};
    const Wide volume = above(a, b, c, d);
    if (volume == 0.0L) return false;
    if (volume > 0.0L) std::swap(first_[1], first_[2]);
    const auto [i, j, k, l] = first_;
    inside_ = 0.25 * (points_[i] + points_[j] + points_[k] + points_[l]);
    origin_ = {i, j, k, j, i, l, k, j, l, i, k, l};
    twin_ = {3, 6, 9, 0, 11, 7, 1, 5, 10, 2, 8, 4};
    planes_.resize(4);
    marks_.assign(4, 0);
    start_at_.assign(points_.size(), -1);
    for (Index f = 0; f < 4; ++f) set_plane(f);
    return true;
  }

  std::vector<Index> insertion_order() const {
    struct Key {
      int round;
      std::uint32_t code;
      Index point;
      auto operator<=>(const Key&) const = default;
    };
    const CounterRandom random(1);
    std::vector<Key> keys;
    keys.reserve(points_.size());
    for (Index i = 0; i < static_cast<Index>(points_.size()); ++i) {
      if (std::ranges::count(first_, i) > 0) continue;
      const Double3 p = points_[i];
      const auto cell = [&](double x) {
        return static_cast<std::uint32_t>(std::clamp(1023.0 * (x / extent_ + 0.5), 0.0, 1023.0));
      };
      const int round = -std::min(20, static_cast<int>(-std::log2(random.uniform(static_cast<std::uint64_t>(i)))));
      keys.push_back({round, morton({cell(p.x), cell(p.y), cell(p.z)}), i});
    }
    std::sort(keys.begin(), keys.end());
    std::vector<Index> order;
    for (const Key& key : keys) order.push_back(key.point);
    return order;
  }

  // ----------------------------------------------------------------------------------------------------------------------- one point

  static Index next(Index h) { return h % 3 == 2 ? h - 2 : h + 1; }

  /// Six volumes, positive where d is outside of a b c.
  Wide above(Index a, Index b, Index c, Index d) const {
    const Wide3 u = wide_[b] - wide_[a], v = wide_[c] - wide_[a], w = wide_[d] - wide_[a];
    return u.cross(v).dot(w);
  }

  void set_plane(Index f) {
    const Double3 a = points_[origin_[3 * f]], b = points_[origin_[3 * f + 1]], c = points_[origin_[3 * f + 2]];
    const Double3 u = b - a, v = c - a, n = cross(u, v);
    // roundings of the coordinates turn the normal by no more than a few eps extent (|u| + |v|)
    const double rounding = 16.0 * std::numeric_limits<double>::epsilon() * extent_;
    planes_[f] = {n, dot(n, a),
                  rounding * extent_ * (std::sqrt(u.squared_norm()) + std::sqrt(v.squared_norm())) + rounding * n.norm()};
  }

  bool sees(Index point, Index f) const {
    const Plane& plane = planes_[f];
    const double height = dot(plane.normal, points_[point]) - plane.offset;
    if (std::abs(height) > plane.slack) return height > 0.0;
    return above(origin_[3 * f], origin_[3 * f + 1], origin_[3 * f + 2], point) > 0.0L;
  }

  /// The triangle that the ray from inside through the point leaves by.
  Index pierced(Index point, Index f) const {
    const Double3 to = points_[point] - inside_;
    const std::size_t most = 2 * planes_.size() + 16;
    for (std::size_t step = 0; step < most; ++step) {
      Index across = -1;
      double worst = 0.0;
      for (Index h = 3 * f; h < 3 * f + 3; ++h) {
        const Double3 a = points_[origin_[h]] - inside_, b = points_[origin_[next(h)]] - inside_;
        const double side = dot(cross(a, b), to);
        if (side < worst) worst = side, across = h;
      }
      if (across < 0) return f;
      f = twin_[across] / 3;
    }
    return f;
  }

  void insert(Index point) {
    Index f = pierced(point, last_);
    last_ = f;
    if (!sees(point, f)) {
      // on the border of the cone of f a neighbour may be the one
      Index seen = -1;
      for (Index h = 3 * f; h < 3 * f + 3 && seen < 0; ++h) {
        if (sees(point, twin_[h] / 3)) seen = twin_[h] / 3;
      }
      if (seen < 0) return;
      f = seen;
    }
    if (find_rim(point, f)) replace_visible(point);
  }

  /// Visible triangles and the half edges of their rim; false where the point is that of a vertex.
  bool find_rim(Index point, Index f) {
    visible_.assign(1, f);
    rim_.clear();
    ++mark_;
    marks_[f] = mark_;
    for (std::size_t i = 0; i < visible_.size(); ++i) {
      for (Index h = 3 * visible_[i]; h < 3 * visible_[i] + 3; ++h) {
        if ((points_[origin_[h]] - points_[point]).squared_norm() < squared_apart_) return false;
        const Index other = twin_[h] / 3;
        if (marks_[other] == mark_) continue;
        if (sees(point, other)) {
          marks_[other] = mark_;
          visible_.push_back(other);
        } else {
          rim_.push_back(h);
        }
      }
    }
    return true;
  }

  void replace_visible(Index point) {
    fan_.clear();
    for (const Index h : rim_) fan_.push_back({origin_[h], origin_[next(h)], twin_[h], -1});
    for (const Index f : visible_) free_.push_back(f), origin_[3 * f] = -1;
    for (Spoke& spoke : fan_) {
      spoke.face = take_face();
      start_at_[spoke.from] = spoke.face;
    }
    for (const Spoke& spoke : fan_) {
      const Index h = 3 * spoke.face;
      origin_[h] = spoke.from, origin_[h + 1] = spoke.to, origin_[h + 2] = point;
      join(h, spoke.outer);
      join(h + 1, 3 * start_at_[spoke.to] + 2);
      set_plane(spoke.face);
    }
    last_ = fan_.back().face;
  }

  Index take_face() {
    if (!free_.empty()) {
      const Index face = free_.back();
      free_.pop_back();
      return face;
    }
    origin_.resize(origin_.size() + 3, -1);
    twin_.resize(twin_.size() + 3, -1);
    planes_.emplace_back();
    marks_.push_back(0);
    return static_cast<Index>(planes_.size()) - 1;
  }

  void join(Index a, Index b) { twin_[a] = b, twin_[b] = a; }

  HalfEdgeMesh compressed() const {
    HalfEdgeMesh mesh;
    std::vector<Index> place(planes_.size(), -1);
    Index count = 0;
    for (std::size_t f = 0; f < planes_.size(); ++f) {
      if (origin_[3 * f] >= 0) place[f] = count++;
    }
    for (std::size_t h = 0; h < origin_.size(); ++h) {
      if (origin_[h / 3 * 3] < 0) continue;
      mesh.origin.push_back(origin_[h]);
      mesh.twin.push_back(3 * place[twin_[h] / 3] + twin_[h] % 3);
    }
    return mesh;
  }

  struct Spoke {
    Index from, to, outer, face;
  };

  std::span<const Wide3> wide_;
  double squared_apart_, extent_ = 0.0;
  Wide3 middle_;
  std::vector<Double3> points_;  // from the middle
  std::array<Index, 4> first_{};
  Double3 inside_{0.0, 0.0, 0.0};
  std::vector<Index> origin_, twin_;  // first origin -1: no triangle
  std::vector<Plane> planes_;
  std::vector<std::uint32_t> marks_;
  std::uint32_t mark_ = 0;
  Index last_ = 0;
  std::vector<Index> visible_, rim_, free_, start_at_;
  std::vector<Spoke> fan_;
};

}  // namespace

HalfEdgeMesh general_hull(std::span<const Wide3> points, double apart) {
  if (points.size() < 4) return {};
  return GeneralHull(points, apart).build();
}

}  // namespace tactum
