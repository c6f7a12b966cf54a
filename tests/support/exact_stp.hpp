// SPDX-License-Identifier: BSD-2-Clause
// The support function of a sphere-torus-patch volume with small radius zero, from its definition,
// in quadruple precision.
//
// With C the intersection of the balls of radius alpha about the points, h(n) = alpha + min { n.c :
// c in C }. The minimum is at a stationary point of one sphere, of the circle of two or at a corner
// of three: all are tried, and those outside of C left out. For a few points only.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "tactum/shape.hpp"

namespace tactum::testing {

__extension__ using Quad = __float128;

struct Quad3 {
  Quad x, y, z;

  friend Quad3 operator+(const Quad3& a, const Quad3& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend Quad3 operator-(const Quad3& a, const Quad3& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend Quad3 operator*(Quad s, const Quad3& v) { return {s * v.x, s * v.y, s * v.z}; }
  friend Quad dot(const Quad3& a, const Quad3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend Quad3 cross(const Quad3& a, const Quad3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
};

inline Quad3 quad3(const Vector3& v) { return {v.x(), v.y(), v.z()}; }

inline Quad quad_root(Quad x) {
  Quad guess = std::sqrt(static_cast<long double>(x));
  for (int i = 0; i < 2 && guess > 0; ++i) guess = (guess + x / guess) / 2;
  return guess;
}

inline Quad3 quad_unit(const Quad3& v) { return 1 / quad_root(dot(v, v)) * v; }

class ExactStp {
 public:
  ExactStp(const Points& points, Quad alpha) : alpha_(alpha) {
    for (const auto& point : points.colwise()) points_.push_back(quad3(point));
    for (const Quad3& p : points_) extent_ = std::max(extent_, dot(p - points_[0], p - points_[0]));
    extent_ = quad_root(extent_);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        for (std::size_t k = 0; k < j; ++k) add_corners(points_[i], points_[j], points_[k]);
      }
    }
  }

  /// For a unit vector.
  Quad support(const Quad3& n) const {
    Quad least = 0;
    bool found = false;
    const auto take = [&](const Quad3& c) {
      if ((!found || dot(n, c - points_[0]) < least) && is_center(c))
        least = dot(n, c - points_[0]), found = true;
    };
    for (const Quad3& p : points_) take(p - alpha_ * n);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const Quad3 along = points_[i] - points_[j],
                    across = n - dot(n, along) / dot(along, along) * along;
        const Quad squared = dot(across, across), room = alpha_ * alpha_ - dot(along, along) / 4;
        if (!(squared > 0) || room < 0) continue;
        take(points_[j] + Quad(0.5) * along - quad_root(room / squared) * across);
      }
    }
    for (const Quad3& c : corners_) take(c);
    return least + alpha_ + dot(n, points_[0]);
  }

 private:
  /// |c - p|^2 - alpha^2 = w.(w - 2 d) + |d|^2 - alpha^2 from the first point, d = c - p_0, without
  /// large differences.
  bool is_center(const Quad3& c) const {
    const Quad slack = Quad(1e-22) * alpha_ * (extent_ + Quad(1e-6) * alpha_);
    for (const Quad3& p : points_) {
      const Quad3 d = c - p;
      if (dot(d, d) - alpha_ * alpha_ > slack) return false;
    }
    return true;
  }

  void add_corners(const Quad3& a, const Quad3& b, const Quad3& c) {
    const Quad3 u = b - a, v = c - a, w = cross(u, v);
    const Quad squared = dot(w, w);
    if (!(squared > 0)) return;
    const Quad3 offset = 1 / (2 * squared) * (dot(v, v) * cross(w, u) + dot(u, u) * cross(v, w));
    const Quad room = alpha_ * alpha_ - dot(offset, offset);
    if (room < 0) return;
    const Quad3 step = quad_root(room / squared) * w;
    for (const Quad3& corner : {a + offset + step, a + offset - step}) {
      if (is_center(corner)) corners_.push_back(corner);
    }
  }

  Quad alpha_, extent_ = 0;
  std::vector<Quad3> points_, corners_;
};

}  // namespace tactum::testing
