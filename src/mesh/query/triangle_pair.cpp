// SPDX-License-Identifier: BSD-2-Clause
#include "mesh/query/triangle_pair.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/constants.hpp"
#include "math/epsilon.hpp"

namespace tactum {
namespace {

double unit_range(double value) { return std::min(1.0, std::max(0.0, value)); }

Double3 nearest_on_segment(Double3 a, Double3 b, Double3 p) {
  const Double3 edge = b - a;
  const double square = edge.squared_norm();
  return square > 0.0 ? a + unit_range(dot(edge, p - a) / square) * edge : a;
}

struct PointPair {
  Double3 a, b;
  double squared = kInfinity;

  void take(Double3 p, Double3 q) {
    const double candidate = (q - p).squared_norm();
    if (candidate < squared) *this = {p, q, candidate};
  }
};

/// Nearest points of two segments; parallel ones have an end among them.
void take_segments(Double3 a0, Double3 a1, Double3 b0, Double3 b1, PointPair& best) {
  const Double3 u = a1 - a0, v = b1 - b0, w = b0 - a0;
  const double uu = u.squared_norm(), vv = v.squared_norm(), uv = dot(u, v), uw = dot(u, w),
               vw = dot(v, w);
  const double determinant = uu * vv - uv * uv;
  double s = determinant > 0.0 ? unit_range((uw * vv - vw * uv) / determinant) : 0.0;
  const double t = vv > 0.0 ? unit_range((s * uv - vw) / vv) : 0.0;
  s = uu > 0.0 ? unit_range((t * uv + uw) / uu) : 0.0;
  best.take(a0 + s * u, b0 + t * v);
}

PointPair nearest_features(const Triangle3& a, const Triangle3& b) {
  PointPair best;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      take_segments(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3], best);
  for (std::size_t i = 0; i < 3; ++i) {
    best.take(a[i], nearest_on_triangle(b, a[i]));
    best.take(nearest_on_triangle(a, b[i]), b[i]);
  }
  return best;
}

/// The largest separation over the normals of facets of B - A. Axes of edges that are nearly
/// parallel are found in extended precision, because the plane of a sliver is known only as well as
/// its width.
class FacetSearch {
 public:
  FacetSearch(const Triangle3& a, const Triangle3& b) : a_(a), b_(b) {
    for (const Triangle3* t : {&a, &b})
      for (std::size_t i = 0; i < 3; ++i)
        size_ = std::max(size_, ((*t)[(i + 1) % 3] - (*t)[i]).norm());
    try_axis({a, 0, 1}, {a, 0, 2});
    try_axis({b, 0, 1}, {b, 0, 2});
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) try_axis({a, i, (i + 1) % 3}, {b, j, (j + 1) % 3});
  }

  double lower = -kInfinity, upper = -kInfinity;
  Double3 normal = {0.0, 0.0, 1.0};

 private:
  struct Edge {
    const Triangle3& triangle;
    std::size_t from, to;

    Double3 vector() const { return triangle[to] - triangle[from]; }
  };

  /// Both sides of the plane that two edges span.
  void try_axis(const Edge& first, const Edge& second) {
    const Double3 e = first.vector(), f = second.vector(), axis = cross(e, f);
    const double length = axis.norm(), product = std::sqrt(e.squared_norm() * f.squared_norm());
    if (!(length > 0.0625 * product)) return try_steep_axis(first, second);
    try_normal((1.0 / length) * axis, 4.0 * kEpsilon + 8.0 * kEpsilon * (product / length));
  }

  using Real = long double;
  struct Real3 {
    explicit Real3(const Edge& edge)
        : x(Real{edge.triangle[edge.to].x} - Real{edge.triangle[edge.from].x}),
          y(Real{edge.triangle[edge.to].y} - Real{edge.triangle[edge.from].y}),
          z(Real{edge.triangle[edge.to].z} - Real{edge.triangle[edge.from].z}) {}
    Real norm() const { return std::sqrt(x * x + y * y + z * z); }
    Real x, y, z;
  };

  void try_steep_axis(const Edge& first, const Edge& second) {
    constexpr Real unit = std::numeric_limits<Real>::epsilon();
    const Real3 e(first), f(second);
    const Real x = e.y * f.z - e.z * f.y, y = e.z * f.x - e.x * f.z, z = e.x * f.y - e.y * f.x;
    const Real length = std::sqrt(x * x + y * y + z * z), product = e.norm() * f.norm();
    if (!(length > 4 * unit * product)) return;  // parallel: no facet, or one without width
    try_normal({static_cast<double>(x / length), static_cast<double>(y / length),
                static_cast<double>(z / length)},
               4.0 * kEpsilon + static_cast<double>(8 * unit * (product / length)));
  }

  /// `angle` is how far rounding may have turned the axis.
  void try_normal(Double3 n, double angle) {
    for (const Double3 side : {n, -n}) {
      const double gap = separation(a_, b_, side);
      upper = std::max(upper, gap + 2.0 * size_ * angle);
      if (gap > lower) lower = gap, normal = side;
    }
  }

  const Triangle3& a_;
  const Triangle3& b_;
  double size_ = 0.0;
};

/// Points on the two triangles whose difference is along the normal of a facet, for a pair that
/// crosses: the deepest corner or edge point of one, moved by the depth.
void take_witnesses(const Triangle3& a, const Triangle3& b, TrianglePair& result) {
  const Double3 n = result.normal;
  const Triangle3 moved = {b[0] - result.lower * n, b[1] - result.lower * n,
                           b[2] - result.lower * n};
  result.point_a = nearest_features(a, moved).a;
  result.point_b = result.point_a + result.lower * n;
}

/// Triangles that no direction parts.
TrianglePair crossing_pair(const Triangle3& a, const Triangle3& b, const FacetSearch& facets) {
  TrianglePair result{.lower = facets.lower,
                      .upper = std::max(facets.upper, facets.lower),
                      .normal = facets.normal};
  take_witnesses(a, b, result);
  return result;
}

Double3 any_normal(const Triangle3& a, const Triangle3& b) {
  Double3 longest = {0.0, 0.0, 0.0};
  for (const Triangle3* t : {&a, &b})
    for (std::size_t i = 0; i < 3; ++i) {
      const Double3 edge = (*t)[(i + 1) % 3] - (*t)[i];
      if (edge.squared_norm() > longest.squared_norm()) longest = edge;
    }
  if (!(longest.squared_norm() > 0.0)) return {0.0, 0.0, 1.0};
  const Double3 other = std::abs(longest.x) <= std::min(std::abs(longest.y), std::abs(longest.z))
                            ? Double3{1.0, 0.0, 0.0}
                        : std::abs(longest.y) <= std::abs(longest.z) ? Double3{0.0, 1.0, 0.0}
                                                                     : Double3{0.0, 0.0, 1.0};
  const Double3 across = cross(longest, other);
  const double length = across.norm();  // zero where squares underflow
  return length > 0.0 ? (1.0 / length) * across : Double3{0.0, 0.0, 1.0};
}

/// A triangle so thin that its plane is lost in rounding: its longest side stands for it.
struct Sliver {
  explicit Sliver(const Triangle3& t) {
    std::size_t k = 0;
    double longest = -1.0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double square = (t[(i + 1) % 3] - t[i]).squared_norm();
      if (square > longest) longest = square, k = i;
    }
    const Double3 along = t[(k + 1) % 3] - t[k], across = cross(along, t[(k + 2) % 3] - t[k]);
    const double square = across.squared_norm();
    if (!(square <= 1e-24 * longest * longest) || !(longest > 0.0)) return;
    width = std::sqrt(square / longest) + 4.0 * kEpsilon * std::sqrt(longest);
    side = {t[k], t[(k + 1) % 3], t[(k + 1) % 3]};
  }
  double width = 0.0;  ///< m: no point of the triangle is farther from the side; 0: it is no sliver
  Triangle3 side = {};
};

TrianglePair plain_distance(const Triangle3& a, const Triangle3& b) {
  TrianglePair result;
  const double faces = face_separation(a, b);
  if (faces < 0.0 && faces > -kInfinity) {  // each reaches through the plane of the other
    const FacetSearch facets(a, b);
    if (facets.upper < 0.0) return crossing_pair(a, b, facets);
  }
  const PointPair near = nearest_features(a, b);
  const double distance = std::sqrt(near.squared);
  result.upper = distance;
  result.point_a = near.a;
  result.point_b = near.b;
  result.lower = -kInfinity;
  if (distance > 0.0) {
    result.normal = (1.0 / distance) * (near.b - near.a);
    result.lower = separation(a, b, result.normal);
    if (distance - result.lower <= 16.0 * kEpsilon * distance) return result;
  }
  const FacetSearch facets(a, b);
  if (facets.lower > result.lower) {
    result.lower = facets.lower;
    result.normal = facets.normal;
  }
  if (result.lower == -kInfinity) {  // points and segments on one line
    result.normal = any_normal(a, b);
    result.lower = separation(a, b, result.normal);
    result.upper = std::max(result.lower, 0.0);
  }
  if (result.lower > 0.0) return result;
  // the triangles cross, or touch: no direction parts them
  result.upper = std::min(result.upper, std::max(facets.upper, result.lower));
  take_witnesses(a, b, result);
  return result;
}

}  // namespace

Double3 nearest_on_triangle(const Triangle3& t, Double3 p) {
  // the longest edge and what stands on it: thin triangles lose nothing
  std::size_t k = 0;
  double uu = -1.0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double square = (t[(i + 1) % 3] - t[i]).squared_norm();
    if (square > uu) uu = square, k = i;
  }
  const Double3 a = t[k], u = t[(k + 1) % 3] - a, v = t[(k + 2) % 3] - a, w = p - a;
  if (!(uu > 0.0)) return a;
  const double shear = dot(u, v) / uu;
  Double3 h = v - shear * u;
  h = h - (dot(u, h) / uu) * u;
  const double hh = h.squared_norm();
  if (hh > 16.0 * kEpsilon * kEpsilon * uu) {
    const double y = dot(h, w) / hh, along = dot(u, w) / uu, x = along - y * shear;
    if (x >= 0.0 && y >= 0.0 && x + y <= 1.0) return a + along * u + y * h;
  }
  Double3 best = nearest_on_segment(t[0], t[1], p);
  for (const Double3 other : {nearest_on_segment(t[1], t[2], p), nearest_on_segment(t[2], t[0], p)})
    if ((other - p).squared_norm() < (best - p).squared_norm()) best = other;
  return best;
}

double separation(const Triangle3& a, const Triangle3& b, Double3 n) {
  // differences first: corners that are near each other and far from the origin lose nothing
  const Double3 origin = a[0];
  const double high = std::max(0.0, std::max(dot(n, a[1] - origin), dot(n, a[2] - origin)));
  const double low = std::min(dot(n, b[0] - origin),
                              std::min(dot(n, b[1] - origin), dot(n, b[2] - origin)));
  return low - high;
}

double face_separation(const Triangle3& a, const Triangle3& b) {
  double best = -kInfinity;
  for (const Triangle3* t : {&a, &b}) {
    const Double3 across = cross((*t)[1] - (*t)[0], (*t)[2] - (*t)[0]);
    const double length = across.norm();
    if (!(length > 0.0)) continue;
    const Double3 n = (1.0 / length) * across;
    best = std::max(best, std::max(separation(a, b, n), separation(a, b, -n)));
  }
  return best;
}

double edge_separation(const Triangle3& a, const Triangle3& b, double enough) {
  constexpr double kLeastSquare = 1e-200;  // below it the length of an axis is lost in underflow
  const Double3 to_a[] = {a[1] - a[0], a[2] - a[0]};
  const Double3 to_b[] = {b[0] - a[0], b[1] - a[0], b[2] - a[0]};
  double best = -kInfinity;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const Double3 axis = cross(a[(i + 1) % 3] - a[i], b[(j + 1) % 3] - b[j]);
      const double a1 = dot(axis, to_a[0]), a2 = dot(axis, to_a[1]);
      const double b0 = dot(axis, to_b[0]), b1 = dot(axis, to_b[1]), b2 = dot(axis, to_b[2]);
      const double low_a = std::min(0.0, std::min(a1, a2)),
                   high_a = std::max(0.0, std::max(a1, a2));
      const double gap = std::max(std::min(b0, std::min(b1, b2)) - high_a,
                                  low_a - std::max(b0, std::max(b1, b2)));
      if (!(gap > 0.0) || !(axis.squared_norm() > kLeastSquare)) continue;
      best = std::max(best, gap / axis.norm());
      if (best > enough) return best;
    }
  return best;
}

TrianglePair triangle_distance(const Triangle3& a, const Triangle3& b) {
  const Sliver thin_a(a), thin_b(b);
  if (thin_a.width == 0.0 && thin_b.width == 0.0) return plain_distance(a, b);
  TrianglePair result = plain_distance(thin_a.width > 0.0 ? thin_a.side : a,
                                       thin_b.width > 0.0 ? thin_b.side : b);
  // the sides are parts of the triangles, so that points of theirs bound the distance from above
  result.lower -= thin_a.width + thin_b.width;
  if (result.upper <= 0.0) result.upper += thin_a.width + thin_b.width;
  return result;
}

}  // namespace tactum
