// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/depth/depth_bound_cone.hpp"

#include "math/constants.hpp"
#include "math/epsilon.hpp"
#include "narrow/formula/ellipsoid_certificate.hpp"

namespace tactum {
namespace {

using Kind = CoreShape::Kind;

constexpr double kAlongAxis = 1e-9;  ///< slope below which the whole face of a flat cap counts as
                                     ///< touched
constexpr double kInPlane = 1e-14;   ///< slope below which a direction lies in the plane of an
                                     ///< equator
constexpr double kTie = 1e-12;       ///< slope below which both ends of a line count as touched
constexpr double kWidest = 2.0, kNarrowest = 1e-3;
constexpr int kMostCorners = 8;   ///< most corners of a hull face that are used
constexpr double kOnLine = 1e-9;  ///< of an edge: a corner at most this far beside its line counts
                                  ///< as on it

Symmetric2 operator+(const Symmetric2& a, const Symmetric2& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.yy + b.yy};
}
Symmetric2 operator*(double s, const Symmetric2& a) { return {s * a.xx, s * a.xy, s * a.yy}; }
Symmetric2 square(Double2 v) { return {v.x * v.x, v.x * v.y, v.y * v.y}; }
double smaller_eigenvalue(const Symmetric2& a) {
  const double mean = 0.5 * (a.xx + a.yy), half = 0.5 * (a.xx - a.yy);
  return mean - std::sqrt(half * half + a.xy * a.xy);
}

double radial_part(Double3 v) { return std::sqrt(v.x * v.x + v.y * v.y); }
double length_of(Double2 v) { return std::sqrt(dot(v, v)); }

/// Lower bound of the growth of h_X around one direction: beyond its value for `point`, h_X grows
/// by at least u'(curvature / (1 + flattening tau) + corner / tau) u / 2.
struct Growth {
  Double3 point;              ///< the support point, frame of the shape
  double inner_radius = 0.0;  ///< radius swept around it
  Symmetric2 curvature = {0.0, 0.0, 0.0};
  double flattening = 0.0;
  Symmetric2 corner = {0.0, 0.0, 0.0};
  Double2 ring = {0.0, 0.0};  ///< tangent of a circle, with the radius of the circle as its length;
                              ///< zero without a circle
  Symmetric2 beside_ring = {0.0, 0.0, 0.0};  ///< curvature across the ring; ring and beside_ring
                                             ///< may replace the curvature (`proves_ring`)
  bool is_either = false;  ///< curvature or corner holds, or any mean of them, but not their sum
  double lost = 0.0;       ///< m: h_X along the direction itself may be overestimated by this much

  /// Adds the part |s.m| of a segment, touched at x = c s.
  void add_segment(Double3 s, double c, Double3 m, const TangentBasis& plane) {
    const double left = 1.0 - std::min(1.0, std::abs(c));
    const Double2 across = plane.project(s);
    const double length = length_of(across);
    if (!(left > 0.0 && length > kShortest)) return;
    const double rise = left * std::abs(dot(s, m));
    if (!(rise <= kTie * length)) return;
    lost += rise;
    corner = corner + (2.0 * left / length) * square(across);
  }

  /// Adds the part |D m| of an ellipsoid or ellipse with semi axes D.
  void add_ellipsoid(Double3 axes, Double3 m, const TangentBasis& plane) {
    const Double3 image = axes * m, x = axes * plane.x, y = axes * plane.y;
    const double square_height = image.squared_norm(), inverse = 1.0 / std::sqrt(square_height);
    point = point + inverse * (axes * image);
    const double px = inverse * dot(x, image), py = inverse * dot(y, image);
    curvature = inverse * Symmetric2{dot(x, x) - px * px, dot(x, y) - px * py, dot(y, y) - py * py};
    flattening = inverse * axes.largest();
  }

  /// Adds the part r |(m_x, m_y)| of a circle about z.
  void add_circle(double radius, Double3 m, const TangentBasis& plane) {
    add_ellipsoid({radius, radius, 0.0}, m, plane);
    const double inverse = radius / radial_part(m);
    ring = plane.project({-inverse * m.y, inverse * m.x, 0.0});
  }

  /// Adds an ellipsoid of revolution about the given axis, touched at its equator: the circle of
  /// the equator, and the growth across it,
  ///     sqrt(A^2 (1 + x^2) + C^2 y^2) - A sqrt(1 + x^2)
  ///         >= (C^2 / A) y^2 / 2 / sqrt(1 + x^2 + (C / A)^2 y^2).
  void add_equator(double radius, double half_axis, Double3 axis, Double3 m,
                   const TangentBasis& plane) {
    const Double2 across = plane.project(axis);
    lost += kWidest * std::max(radius, half_axis) * std::abs(dot(axis, m));
    ring = radius * Double2{-across.y, across.x};
    beside_ring = (half_axis * half_axis / radius) * square(across);
  }

  /// Adds a disc touched by its face at the distance `radial` from its center.
  void add_face_of_disc(double radius, double radial, double slope) {
    const double left = std::max(0.0, radius - radial);
    corner = corner + (2.0 * left) * Symmetric2{1.0, 0.0, 1.0};
    lost += left * (slope + 1e-17);
  }
};

void grow_box(Double3 size, Double3 x, Double3 m, const TangentBasis& plane, Growth& growth) {
  growth.point = {clamped(x.x, size.x), clamped(x.y, size.y), clamped(x.z, size.z)};
  growth.add_segment({size.x, 0.0, 0.0}, x.x / size.x, m, plane);
  growth.add_segment({0.0, size.y, 0.0}, x.y / size.y, m, plane);
  growth.add_segment({0.0, 0.0, size.z}, x.z / size.z, m, plane);
}

void grow_cylinder(double radius, double half_length, Double3 x, Double3 m,
                   const TangentBasis& plane, Growth& growth) {
  const double slope = radial_part(m);
  growth.add_segment({0.0, 0.0, half_length}, x.z / half_length, m, plane);
  if (slope > kAlongAxis) {
    growth.point = {0.0, 0.0, clamped(x.z, half_length)};
    return growth.add_circle(radius, m, plane);
  }
  growth.point = x;
  growth.add_face_of_disc(radius, radial_part(x), slope);
}

/// The support function of a cone is the larger of those of apex and disc; on a line of the side
/// both count. With x the fraction `fall` of the way down the line s, and sigma = s.u,
///     max(-fall sigma, (1 - fall) sigma + q(u)) >= both fall q(u) and min(fall, 1 - fall) |sigma|,
/// and so it is at least any mean of the two (`Growth::is_either`).
void grow_cone(double radius, double half_length, Double3 x, Double3 m, const TangentBasis& plane,
               Growth& growth) {
  const double slope = radial_part(m),
               fall = std::clamp(0.5 * (half_length - x.z) / half_length, 0.0, 1.0);
  if (!(slope > kAlongAxis)) {
    growth.point = x;
    if (m.z < 0.0) growth.add_face_of_disc(radius, radial_part(x), slope);
    return;
  }
  growth.point = {0.0, 0.0, -half_length};
  growth.add_circle(radius, m, plane);
  if (fall >= 1.0 - 1e-12) return;
  const Double3 apex = {0.0, 0.0, half_length}, line = growth.point - apex;
  growth.point = apex + fall * line;
  growth.curvature = fall * growth.curvature;
  growth.ring = fall * growth.ring;
  const double tilt = std::abs(dot(line, m)), least = std::min(fall, 1.0 - fall);
  const Double2 across = plane.project(line);
  const double length = length_of(across);
  if (!(tilt <= kTie * length)) return;
  growth.lost += tilt;
  growth.corner = (2.0 * least / length) * square(across);
  growth.is_either = true;
}

/// Distance from the origin to the boundary of the polygon of the given points if the origin is
/// inside; zero otherwise.
double inscribed_radius(const std::array<Double2, kMostCorners>& points, int count) {
  double radius = std::numeric_limits<double>::infinity();
  bool closed = false;
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) {
      const Double2 edge = points[j] - points[i];
      const double length = length_of(edge);
      if (!(length > kShortest)) continue;
      const auto left_of = [&](Double2 p) {
        return (edge.x * (p.y - points[i].y) - edge.y * (p.x - points[i].x)) / length;
      };
      // points on the line of an edge do not stop it from being an edge of the polygon
      bool outermost = true;
      for (int k = 0; k < count; ++k)
        outermost = outermost && left_of(points[k]) > -kOnLine * length;
      if (!outermost) continue;
      closed = true;
      radius = std::min(radius, left_of({0.0, 0.0}));
    }
  }
  return closed ? std::max(0.0, radius) : 0.0;
}

/// Growth of a hull, from the corners that are as far along m as the support vertex.
void grow_polytope(const ConvexPolytope& hull, Double3 x, Double3 m, const TangentBasis& plane,
                   double scale, Growth& growth) {
  growth.point = x;
  int visited = 0, count = 0;
  const int top = hull.support_vertex(&m.x, visited);
  std::array<Double2, kMostCorners> corners;
  double rise = 0.0;
  const auto add_corner = [&](int vertex) {
    const Double3 from = to_double3(hull.vertex(vertex)) - x;
    const double above = dot(m, from);
    if (!(std::abs(above) <= 64.0 * kEpsilon * scale) || count == kMostCorners) return;
    rise = std::max(rise, -above);
    corners[count++] = plane.project(from);
  };
  add_corner(top);
  for (const std::int32_t neighbor : hull.neighbors(top)) add_corner(neighbor);
  growth.lost += rise;
  if (count == 2) {
    const Double2 edge = corners[1] - corners[0];
    const double length = length_of(edge);
    // the point has to lie between the two corners
    if (!(length > kShortest && dot(corners[0], corners[1]) < 0.0)) return;
    growth.lost += kWidest * std::abs(edge.x * corners[0].y - edge.y * corners[0].x) / length;
    growth.corner = (2.0 * std::min(length_of(corners[0]), length_of(corners[1])) /
                     (length * length)) *
                    square(edge);
  } else if (count > 2) {
    growth.corner = (2.0 * inscribed_radius(corners, count)) * Symmetric2{1.0, 0.0, 1.0};
  }
}

/// Growth of an ellipsoid. Two equal semi axes make a circle where m is orthogonal to the third.
void grow_ellipsoid(Double3 size, Double3 m, const TangentBasis& plane, Growth& growth) {
  growth.point = {0.0, 0.0, 0.0};
  growth.add_ellipsoid(size, m, plane);
  const auto equal = [](double a, double b) { return std::abs(a - b) <= 2.0 * kEpsilon * a; };
  if (equal(size.x, size.y) && std::abs(m.z) <= kInPlane)
    growth.add_equator(size.x, size.z, {0.0, 0.0, 1.0}, m, plane);
  if (equal(size.y, size.z) && std::abs(m.x) <= kInPlane)
    growth.add_equator(size.y, size.x, {1.0, 0.0, 0.0}, m, plane);
  if (equal(size.z, size.x) && std::abs(m.y) <= kInPlane)
    growth.add_equator(size.z, size.y, {0.0, 1.0, 0.0}, m, plane);
}

/// Growth of an STP volume of two points, which is a spindle. With y along the axis and x along the
/// tangent of the equator, X = sqrt(1 + x^2), its support function grows by
///     (alpha - rho) (X - 1) + X g(y / X), g(y) = alpha (sqrt(1 + y^2) - 1), from the borders on
///     l/2 |y| - (alpha - rho),
/// where g(y) >= alpha y^2 / 2 / (1 + f |y|) with f = 1/2 + alpha / l. False where m is not in the
/// plane of the equator.
bool grow_spindle(const StpSurface& volume, Double3 m, const TangentBasis& plane, Growth& growth) {
  if (volume.vertices().size() != 2) return false;
  const StpSurface::Edge& edge = volume.edges()[0];
  const double slope = dot(edge.axis, m);
  if (!(std::abs(slope) <= kInPlane)) return false;
  const Double3 outward = m - slope * edge.axis;
  const double alpha = volume.alpha(),
               radius = edge.half_length * edge.half_length / (alpha + edge.radius);
  const double f = 0.5 + 0.5 * alpha / edge.half_length;
  const Double2 across = plane.project(edge.axis);
  growth.point = edge.middle + (radius / outward.norm()) * outward;
  growth.ring = radius * Double2{-across.y, across.x};
  growth.beside_ring = alpha * square(across);
  growth.curvature = growth.beside_ring + radius * square(Double2{-across.y, across.x});
  growth.flattening = std::sqrt(1.0 + f * f);
  growth.lost += kWidest * alpha * std::abs(slope);
  return true;
}

/// Growth of the core around the unit vector m, along which x is one of its farthest points; both
/// in the frame of the shape. False for kinds without a bound.
bool find_growth(const CoreShape& core, Double3 x, Double3 m, const TangentBasis& plane,
                 double scale, Growth& growth) {
  const Double3 size = to_double3(core.size);
  switch (core.kind) {
    case Kind::point: growth.point = to_double3(core.center); return true;
    case Kind::segment: {
      const double along = clamped(dot(x - to_double3(core.center), size) / size.squared_norm(),
                                   1.0);
      growth.point = to_double3(core.center) + along * size;
      growth.add_segment(size, along, m, plane);
      return true;
    }
    case Kind::ellipsoid:
      growth.inner_radius = core.inner_radius;
      grow_ellipsoid(size, m, plane, growth);
      return true;
    case Kind::box: grow_box(size, x, m, plane, growth); return true;
    case Kind::cylinder: grow_cylinder(size.x, size.y, x, m, plane, growth); return true;
    case Kind::cone: grow_cone(size.x, size.y, x, m, plane, growth); return true;
    case Kind::polytope: grow_polytope(*core.polytope, x, m, plane, scale, growth); return true;
    case Kind::stp: return grow_spindle(*core.stp, m, plane, growth);
    case Kind::half_space: break;
  }
  return false;
}

/// The parts of K(tau) of one core. Where corner or curvature holds but not both, `mean` is the
/// weight of the corner.
struct Bound {
  Symmetric2 curved, corner, beside_ring;
  Double2 ring;

  Bound(const Growth& growth, double tau, double mean) {
    const double part = growth.is_either ? 1.0 - mean : 1.0,
                 flat = part / (1.0 + growth.flattening * tau);
    curved = flat * growth.curvature;
    beside_ring = flat * growth.beside_ring;
    ring = part * growth.ring;
    corner = ((growth.is_either ? mean : 1.0) / tau) * growth.corner;
  }
};

/// Whether a circle of radius r and the rest K' prove the depth e together, also where r = e and
/// the optima fill an arc. With x = t.u along the tangent t of the circle and a = p.(n + u), p its
/// radius vector as a unit vector, it grows by
///     r (sqrt(a^2 + x^2) - a)  >=  r (|n + u| - sqrt(|n + u|^2 - x^2)),
/// because the left side falls with a, and a^2 <= |n + u|^2 - x^2. So, for r >= e and y across,
///     g(u) - e (|n + u| - 1)  >=  u'K'u / 2 - e (sqrt(1 + y^2) - 1)  >=  u'K'u / 2 - e y^2 / 2.
bool proves_ring(Double2 ring, const Symmetric2& rest, double depth, double rounding) {
  const double radius = length_of(ring);
  if (!(radius >= depth - rounding && radius > kShortest)) return false;
  const Symmetric2 left = rest + (depth / (radius * radius)) * square(ring) +
                          Symmetric2{-depth, 0.0, -depth};
  return smaller_eigenvalue(left) >= -rounding;
}

/// Whether two circles with tangents at right angles prove the depth alone, because
/// sqrt(1 + x^2) + sqrt(1 + y^2) <= 1 + sqrt(1 + x^2 + y^2).
bool proves_rings(Double2 a, Double2 b, double depth, double rounding) {
  const double radius_a = length_of(a), radius_b = length_of(b);
  return std::min(radius_a, radius_b) >= depth - rounding &&
         std::abs(dot(a, b)) <= rounding * std::min(radius_a, radius_b);
}

/// The sum of two circles with the same tangent, which grow like one circle; zero where the
/// tangents differ.
Double2 joined(Double2 a, Double2 b, double rounding) {
  const double least = std::min(length_of(a), length_of(b));
  if (!(std::abs(a.x * b.y - a.y * b.x) <= rounding * least)) return {0.0, 0.0};
  return dot(a, b) > 0.0 ? a + b : a - b;
}

/// The largest tau, within a factor of one and a half, for which K(tau) >= depth; zero if there is
/// none.
double widest_cone(const Growth& a, const Growth& b, double depth, double rounding) {
  if (proves_rings(a.ring, b.ring, depth, rounding)) return kWidest;
  const auto proved = [&](double tau) {
    for (const double mean : {0.25, 0.03}) {
      const Bound A(a, tau, mean), B(b, tau, mean);
      const Symmetric2 corner = A.corner + B.corner;
      if (smaller_eigenvalue(corner + A.curved + B.curved) >= (1.0 + 1e-9) * depth) return true;
      if (proves_ring(A.ring, corner + A.beside_ring + B.curved, depth, rounding)) return true;
      if (proves_ring(B.ring, corner + B.beside_ring + A.curved, depth, rounding)) return true;
      if (proves_ring(joined(A.ring, B.ring, rounding), corner + A.beside_ring + B.beside_ring,
                      depth, rounding))
        return true;
      if (!a.is_either && !b.is_either) return false;
    }
    return false;
  };
  for (double tau = kWidest; tau >= kNarrowest; tau *= 0.5) {
    if (proved(tau)) return tau < kWidest && proved(1.5 * tau) ? 1.5 * tau : tau;
  }
  return 0.0;
}

}  // namespace

DepthBoundCone prove_cone(const CorePair& pair, const SeparationOptimum& optimum) {
  const Double3 n = to_double3(optimum.normal), t = to_double3(pair.X_AB().translation);
  const Matrix3& R = pair.X_AB().rotation;
  const TangentBasis plane = tangent_basis(n),
                     plane_B = {transposed_product(R, plane.x), transposed_product(R, plane.y)};
  const Double3 n_B = -transposed_product(R, n),
                b_B = transposed_product(R, to_double3(optimum.point_b) - t);
  DepthBoundCone cone{.axis = n};
  Growth a, b;
  if (!find_growth(pair.a(), to_double3(optimum.point_a), n, plane, pair.scale(), a) ||
      !find_growth(pair.b(), b_B, n_B, plane_B, pair.scale(), b))
    return cone;
  // ellipsoids count as a whole, with the radius that is swept around their core
  const Double3 w = product(R, b.point) + t - a.point;
  const double depth = -dot(n, w);
  if (!(depth > 1e-12 * pair.scale())) return cone;
  const double rounding = 4.0 * kEpsilon * pair.scale(), tau = widest_cone(a, b, depth, rounding);
  if (!(tau > 0.0)) return cone;
  const Double2 gradient = plane.project(w);
  const double lost = a.lost + b.lost + length_of(gradient) + 8.0 * rounding;
  cone.cosine = 1.0 / std::sqrt(1.0 + tau * tau);
  cone.upper = std::max(optimum.lower, a.inner_radius + b.inner_radius - depth + lost);
  return cone;
}

bool DepthBoundCone::holds(Double3 n, double value, double lower) const {
  // a better direction crosses the plane at a distance of at most -lower from the origin, so it
  // lies within acos(value / lower) of n
  const double along = dot(n, axis);
  if (!(value < 0.0 && lower < value && along > cosine)) return false;
  const double cap = value / lower,
               sine = std::sqrt(std::max(0.0, (1.0 - along * along) * (1.0 - cap * cap)));
  return along * cap - sine > cosine + 1e-9;
}

}  // namespace tactum
