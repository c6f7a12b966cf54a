// SPDX-License-Identifier: BSD-2-Clause
// Signed distance of two hulls of few points by enumeration in 113-bit arithmetic, from the points
// alone.
//
// Every triangle of points is taken for a face and every pair for an edge: a superset of the true
// features. That does no harm, because all of them lie inside the hulls (distances) and every
// separation is evaluated with true supports (directions). Hence nothing of the library, its hulls
// included, has a part in the answer. Quadruple precision, because the normal of a needle triangle
// whose height is 1e-8 of its length loses 16 digits. Cost: (pairs of A) x (pairs of B) x points,
// for about ten points each.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "tactum/pose.hpp"
#include "tactum/shape.hpp"

namespace tactum::regression {

__extension__ typedef __float128 Quad;

struct QuadVec {
  Quad x = 0, y = 0, z = 0;
};

inline QuadVec operator+(const QuadVec& a, const QuadVec& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline QuadVec operator-(const QuadVec& a, const QuadVec& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline QuadVec operator*(const QuadVec& a, Quad s) { return {a.x * s, a.y * s, a.z * s}; }
inline Quad dot(const QuadVec& a, const QuadVec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline QuadVec cross(const QuadVec& a, const QuadVec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline QuadVec widen(const Vector3& v) { return {v[0], v[1], v[2]}; }
inline Vector3 narrow(const QuadVec& v) {
  return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}

/// Newton's iteration from the square root in long double: 64, then 113 bits.
inline Quad square_root(Quad a) {
  if (!(a > 0)) return 0;
  Quad x = std::sqrt(static_cast<long double>(a));
  for (int k = 0; k < 2; ++k) x = (x + a / x) / 2;
  return x;
}
inline Quad norm(const QuadVec& a) { return square_root(dot(a, a)); }

/// A placed hull: its points, and candidates for faces and edges.
struct PointHull {
  std::vector<QuadVec> points;
  std::vector<QuadVec> normals;  ///< directions of faces, any length
  std::vector<QuadVec> edge_directions;
  std::vector<std::array<QuadVec, 2>> edges;
  std::vector<std::array<QuadVec, 3>> triangles;

  Quad reach(const QuadVec& n) const {
    Quad best = dot(n, points[0]);
    for (const QuadVec& p : points) best = std::max(best, dot(n, p));
    return best;
  }
};

/// The map is applied with the doubles as they are; `origin` is subtracted first, so that a pair
/// far away loses nothing.
inline QuadVec place(const Vector3& p, const Pose& X, const Vector3& origin) {
  const QuadVec v = widen(p), t = widen(X.translation) - widen(origin);
  return QuadVec{dot(widen(X.rotation.row(0).transpose()), v),
                 dot(widen(X.rotation.row(1).transpose()), v),
                 dot(widen(X.rotation.row(2).transpose()), v)} +
         t;
}

inline PointHull hull_of_points(const Points& points, const Pose& X, const Vector3& origin) {
  PointHull hull;
  for (Eigen::Index i = 0; i < points.cols(); ++i)
    hull.points.push_back(place(points.col(i), X, origin));
  const std::size_t n = hull.points.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      hull.edges.push_back({hull.points[i], hull.points[j]});
      hull.edge_directions.push_back(hull.points[j] - hull.points[i]);
      for (std::size_t k = j + 1; k < n; ++k) {
        hull.triangles.push_back({hull.points[i], hull.points[j], hull.points[k]});
        hull.normals.push_back(
            cross(hull.points[j] - hull.points[i], hull.points[k] - hull.points[i]));
      }
    }
  }
  return hull;
}

inline Points box_points(const Vector3& half) {
  Points points(3, 8);
  for (int i = 0; i < 8; ++i)
    points.col(i) = half.cwiseProduct(
        Vector3((i & 1) ? 1 : -1, (i & 2) ? 1 : -1, (i & 4) ? 1 : -1));
  return points;
}

/// A box knows its faces and edges: far fewer candidates than its eight points give.
inline PointHull hull_of_box(const Vector3& half, const Pose& X, const Vector3& origin) {
  PointHull hull;
  const Points corners = box_points(half);
  for (int i = 0; i < 8; ++i) hull.points.push_back(place(corners.col(i), X, origin));
  for (int k = 0; k < 3; ++k) {
    hull.normals.push_back(widen(X.rotation.col(k)));
    hull.edge_directions.push_back(widen(X.rotation.col(k)));
    const std::size_t u = std::size_t{1} << k, v = std::size_t{1} << ((k + 1) % 3),
                      w = std::size_t{1} << ((k + 2) % 3);
    for (const std::size_t base : {std::size_t{0}, v, w, v | w})
      hull.edges.push_back({hull.points[base], hull.points[base | u]});
    for (const std::size_t base : {std::size_t{0}, w}) {
      hull.triangles.push_back({hull.points[base], hull.points[base | u], hull.points[base | v]});
      hull.triangles.push_back(
          {hull.points[base | u | v], hull.points[base | u], hull.points[base | v]});
    }
  }
  return hull;
}

struct Feet {
  QuadVec a, b;
  Quad distance = 0;
};

inline QuadVec foot_on_segment(const QuadVec& p, const std::array<QuadVec, 2>& s) {
  const QuadVec d = s[1] - s[0];
  const Quad length2 = dot(d, d);
  if (!(length2 > 0)) return s[0];
  const Quad t = dot(p - s[0], d) / length2;
  return t <= 0 ? s[0] : t >= 1 ? s[1] : s[0] + d * t;
}

/// The foot inside a triangle, or nothing when the projection falls outside (an edge then decides).
inline std::optional<QuadVec> foot_in_triangle(const QuadVec& p, const std::array<QuadVec, 3>& t) {
  const QuadVec n = cross(t[1] - t[0], t[2] - t[0]);
  const Quad area2 = dot(n, n);
  if (!(area2 > 0)) return {};
  for (std::size_t k = 0; k < 3; ++k) {
    if (dot(cross(n, t[(k + 1) % 3] - t[k]), p - t[k]) < 0) return {};
  }
  return p - n * (dot(n, p - t[0]) / area2);
}

inline std::optional<std::array<QuadVec, 2>> feet_inside_segments(const std::array<QuadVec, 2>& s,
                                                                  const std::array<QuadVec, 2>& t) {
  const QuadVec d = s[1] - s[0], e = t[1] - t[0], w = s[0] - t[0];
  const Quad a = dot(d, d), b = dot(d, e), c = dot(e, e), determinant = a * c - b * b;
  if (!(determinant > Quad(1e-30) * a * c)) return {};
  const Quad u = (b * dot(e, w) - c * dot(d, w)) / determinant,
             v = (a * dot(e, w) - b * dot(d, w)) / determinant;
  if (u < 0 || u > 1 || v < 0 || v > 1) return {};
  return std::array{s[0] + d * u, t[0] + e * v};
}

/// The least distance of features; for hulls that do not overlap it is the distance.
inline Feet nearest_features(const PointHull& a, const PointHull& b) {
  Feet best{a.points[0], b.points[0], norm(b.points[0] - a.points[0])};
  const auto consider = [&](const QuadVec& p, const QuadVec& q) {
    const Quad d = norm(q - p);
    if (d < best.distance) best = {p, q, d};
  };
  for (const QuadVec& p : a.points) {
    for (const QuadVec& q : b.points) consider(p, q);
    for (const auto& s : b.edges) consider(p, foot_on_segment(p, s));
    for (const auto& t : b.triangles) {
      if (const auto q = foot_in_triangle(p, t)) consider(p, *q);
    }
  }
  for (const QuadVec& q : b.points) {
    for (const auto& s : a.edges) consider(foot_on_segment(q, s), q);
    for (const auto& t : a.triangles) {
      if (const auto p = foot_in_triangle(q, t)) consider(*p, q);
    }
  }
  for (const auto& s : a.edges) {
    for (const auto& t : b.edges) {
      if (const auto feet = feet_inside_segments(s, t)) consider((*feet)[0], (*feet)[1]);
    }
  }
  return best;
}

struct HullTruth {
  long double distance = 0;       ///< signed, of the cores
  std::optional<Vector3> normal;  ///< from A to B, where no other direction comes within 1e-6 of
                                  ///< the size of the pair
};

/// All directions a facet of A - B can have, unit length, both signs, with their separation.
inline std::vector<std::pair<Quad, QuadVec>> facet_separations(const PointHull& a,
                                                               const PointHull& b) {
  std::vector<std::pair<Quad, QuadVec>> found;
  const auto consider = [&](const QuadVec& c, Quad reference2) {
    const Quad length2 = dot(c, c);
    if (!(length2 > reference2 * Quad(1e-56))) return;
    const QuadVec n = c * (1 / square_root(length2)), m = n * Quad(-1);
    found.emplace_back(-a.reach(n) - b.reach(m), n);
    found.emplace_back(-a.reach(m) - b.reach(n), m);
  };
  for (const PointHull* hull : {&a, &b}) {
    for (const auto& n : hull->normals) consider(n, 0);
  }
  for (const QuadVec& u : a.edge_directions) {
    for (const QuadVec& v : b.edge_directions) consider(cross(u, v), dot(u, u) * dot(v, v));
  }
  return found;
}

inline HullTruth hull_distance(const PointHull& a, const PointHull& b) {
  Quad size = norm(b.points[0] - a.points[0]);
  for (const PointHull* hull : {&a, &b}) {
    for (const QuadVec& p : hull->points) size = std::max(size, norm(p - hull->points[0]));
  }
  const Quad tiny = size * Quad(1e-26);
  const auto directions = facet_separations(a, b);
  bool flat = directions.empty();
  Quad best = 0;
  QuadVec best_direction;
  for (std::size_t i = 0; i < directions.size(); ++i) {
    if (i == 0 || directions[i].first > best)
      best = directions[i].first, best_direction = directions[i].second;
    if (i % 2 == 1 && directions[i].first + directions[i - 1].first >= -tiny) flat = true;
  }
  bool unique = !directions.empty();
  for (const auto& [s, n] : directions) {
    const QuadVec turn = n - best_direction;
    if (s > best - size * Quad(1e-6) && dot(turn, turn) > Quad(1e-12)) unique = false;
  }
  HullTruth truth;
  if (unique) truth.normal = narrow(best_direction);
  if (best <= tiny && !flat) {
    truth.distance = static_cast<long double>(best);
    return truth;
  }
  const Feet feet = nearest_features(a, b);
  truth.distance = static_cast<long double>(feet.distance);
  if (feet.distance > size * Quad(1e-6)) {
    truth.normal = narrow((feet.b - feet.a) * (1 / feet.distance));
  } else if (feet.distance - best > tiny) {
    truth.normal.reset();
  }
  return truth;
}

inline HullTruth points_points(const Points& a, const Pose& X_WA, const Points& b,
                               const Pose& X_WB) {
  return hull_distance(hull_of_points(a, X_WA, X_WA.translation),
                       hull_of_points(b, X_WB, X_WA.translation));
}
inline HullTruth box_box(const Vector3& a, const Pose& X_WA, const Vector3& b, const Pose& X_WB) {
  return hull_distance(hull_of_box(a, X_WA, X_WA.translation),
                       hull_of_box(b, X_WB, X_WA.translation));
}
inline HullTruth points_box(const Points& a, const Pose& X_WA, const Vector3& b, const Pose& X_WB) {
  return hull_distance(hull_of_points(a, X_WA, X_WA.translation),
                       hull_of_box(b, X_WB, X_WA.translation));
}

}  // namespace tactum::regression
