// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/depth/depth_bound_ellipsoid.hpp"

#include "math/constants.hpp"
#include "math/epsilon.hpp"
#include "narrow/formula/ellipsoid_certificate.hpp"

namespace tactum {
namespace {

using Kind = CoreShape::Kind;

constexpr double kTiny = 1e-290;            ///< smallest number that anything is divided by
constexpr double kLess = 256.0 * kEpsilon;  ///< of the scale: loss of depth that a proof may accept
constexpr std::array<double, 2> kHeights = {1.25, 2.0};  ///< heights of the two ellipsoids
                                                         ///< together, in depths, tried in turn

/// The direction of (x, y) from the z axis; for a point on the axis, the direction of u.
Double3 radial_direction(Double3 point, Double3 u, double& radial) {
  radial = std::sqrt(point.x * point.x + point.y * point.y);
  if (radial > kShortest) return {point.x / radial, point.y / radial, 0.0};
  const double length = std::sqrt(u.x * u.x + u.y * u.y);
  return length > kShortest ? Double3{u.x / length, u.y / length, 0.0} : Double3{1.0, 0.0, 0.0};
}

/// The half-width that a body in |x| <= size can have across p, if it reaches from its center to
/// `point` by p. Negative, by more than rounding, where the body does not fit at all.
double left_over(double size, double point, double p) {
  const double room = size - std::abs(point - p);
  const double square = (room - p) * (room + p);
  if (square < -64.0 * kEpsilon * size * size || room < 0.0) return -1.0;
  // a rest of the size of rounding counts as zero
  return square > 1e-12 * size * size ? std::sqrt(square) : 0.0;
}

/// Finds an ellipsoid in a box. The extents along the three axes are independent of each other.
bool inner_of_box(Double3 size, Double3 point, Double3 u, double height, InnerEllipsoid& inner) {
  const Double3 at = {std::clamp(point.x, -size.x, size.x), std::clamp(point.y, -size.y, size.y),
                      std::clamp(point.z, -size.z, size.z)};
  const Double3 p = height * u;
  const Double3 left = {left_over(size.x, at.x, p.x), left_over(size.y, at.y, p.y),
                        left_over(size.z, at.z, p.z)};
  if (left.smallest() < 0.0) return false;
  const Double3 x = {left.x, 0.0, 0.0}, y = {0.0, left.y, 0.0}, z = {0.0, 0.0, left.z};
  // no width is left along the axis that faces u most
  const double most = std::max(std::abs(u.x), std::max(std::abs(u.y), std::abs(u.z)));
  if (std::abs(u.x) == most) {
    inner = {at - p, p, y, z};
  } else if (std::abs(u.y) == most) {
    inner = {at - p, p, z, x};
  } else {
    inner = {at - p, p, x, y};
  }
  return true;
}

/// Finds an ellipsoid in a cylinder. An ellipse in a circle that touches it from inside, with the
/// half-axis `room` along the radius, may be sqrt(radius * room) wide.
bool inner_of_cylinder(double radius, double half_length, Double3 point, Double3 u, double height,
                       InnerEllipsoid& inner) {
  double radial = 0.0;
  const Double3 outward = radial_direction(point, u, radial);
  radial = std::min(radial, radius);
  const double across = height * (outward.x * u.x + outward.y * u.y), along = height * u.z;
  const Double3 at = {radial * outward.x, radial * outward.y,
                      std::clamp(point.z, -half_length, half_length)};
  const double left_across = left_over(radius, radial, across),
               left_along = left_over(half_length, at.z, along);
  if (left_across < 0.0 || left_along < 0.0) return false;
  const double width = std::sqrt(radius * (radius - std::abs(radial - across)));
  const Double3 p = {across * outward.x, across * outward.y, along};
  inner = {at - p,
           p,
           {-width * outward.y, width * outward.x, 0.0},
           std::abs(u.z) < 0.5 ? Double3{0.0, 0.0, left_along} : left_across * outward};
  return true;
}

/// Lowers the height of an ellipsoid and keeps its curvature at the end of p.
void flatten(Double3 u, double height, InnerEllipsoid& inner) {
  const double rise = dot(inner.p, u);
  if (!(rise > height)) return;
  const double ratio = height / rise, root = std::sqrt(ratio);
  inner = {inner.center + (1.0 - ratio) * inner.p, ratio * inner.p, root * inner.q1,
           root * inner.q2};
}

/// Finds an ellipsoid at the side of a cone: a spheroid that also touches the base, which becomes
/// the disc of the base for a contact on the rim and the axis for one at the apex.
void inner_of_cone_side(double radius, double half_length, double rise, Double3 outward,
                        InnerEllipsoid& inner) {
  const double middle = rise / (1.0 + rise),
               width = radius * std::sqrt((1.0 - rise) / (1.0 + rise));
  const double height = 2.0 * half_length * middle, cosine = std::sqrt((1.0 - rise) * (1.0 + rise));
  inner = {{0.0, 0.0, height - half_length},
           {width * cosine * outward.x, width * cosine * outward.y, height * rise},
           {-width * outward.y, width * outward.x, 0.0},
           {-width * rise * outward.x, -width * rise * outward.y, height * cosine}};
}

/// Finds an ellipsoid at the base of a cone: that of a slanted cone to the apex over an ellipse
/// about the point.
void inner_of_cone_base(double radius, double half_length, double radial, Double3 outward,
                        double height, InnerEllipsoid& inner) {
  const double middle = std::min(height / (2.0 * half_length), 1.0 / 3.0);
  const double shrink = std::sqrt(1.0 - 2.0 * middle), room = radius - radial;
  const Double3 base = {radial * outward.x, radial * outward.y, -half_length},
                apex = {0.0, 0.0, half_length};
  const Double3 axis = middle * (apex - base);
  inner = {base + axis, -axis,
           shrink * std::sqrt(radius * room) * Double3{-outward.y, outward.x, 0.0},
           shrink * room * outward};
}

void inner_of_cone(double radius, double half_length, Double3 point, Double3 u, double height,
                   InnerEllipsoid& inner) {
  double radial = 0.0;
  const Double3 outward = radial_direction(point, u, radial);
  const double rise = std::clamp((point.z + half_length) / (2.0 * half_length), 0.0, 1.0);
  if (u.z < -0.999999 && radial < radius)
    return inner_of_cone_base(radius, half_length, radial, outward, height, inner);
  inner_of_cone_side(radius, half_length, rise, outward, inner);
  flatten(u, height, inner);
}

void inner_of_ellipsoid(Double3 axes, Double3 u, double height, InnerEllipsoid& inner) {
  const Double3 image = axes * u, y = (1.0 / image.norm()) * image;
  const TangentBasis plane = tangent_basis(y);
  inner = {{0.0, 0.0, 0.0}, axes * y, axes * plane.x, axes * plane.y};
  flatten(u, height, inner);
}

/// Finds an ellipsoid in a segment: from an end the segment itself, at an inner point the part that
/// is symmetric about it.
bool inner_of_segment(Double3 center, Double3 half, Double3 point, Double3 u, double height,
                      InnerEllipsoid& inner) {
  const double along = std::clamp(dot(point - center, half) / half.squared_norm(), -1.0, 1.0),
               rise = dot(half, u);
  const double part = std::abs(rise) > 1e-9 * half.norm()
                          ? std::copysign(std::min(1.0, height / std::abs(rise)), rise)
                          : 0.0;
  const double left = left_over(1.0, along, part);
  if (left < 0.0) return false;
  inner = {center + (along - part) * half, part * half, left * half, {0.0, 0.0, 0.0}};
  return true;
}

/// Finds an ellipsoid in a hull: the segment from the point towards the middle.
void inner_of_polytope(Double3 middle, Double3 point, Double3 u, double height,
                       InnerEllipsoid& inner) {
  const Double3 whole = point - middle;
  const double rise = dot(whole, u), part = rise > height ? height / rise : 1.0;
  const Double3 p = std::min(part, 0.5) * whole;
  inner = {point - p, p, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
}

/// An ellipsoid seen along n: its height over the center, and its half-diameters in the plane.
struct Shadow {
  double height;
  Double2 point;
  Double2 row1, row2;
  double slip;   ///< error by which the q miss the plane of contact: rounding
  double reach;  ///< longest half-diameter

  Shadow(const InnerEllipsoid& inner, Double3 n, const TangentBasis& plane)
      : height(dot(inner.p, n)),
        point(plane.project(inner.p)),
        row1(plane.project(inner.q1)),
        row2(plane.project(inner.q2)) {
    const double y1 = dot(inner.q1, n), y2 = dot(inner.q2, n);
    slip = std::sqrt(y1 * y1 + y2 * y2);
    reach = std::sqrt(std::max(inner.p.squared_norm(),
                               std::max(inner.q1.squared_norm(), inner.q2.squared_norm())));
  }
};

/// A symmetric 2 x 2 matrix as the mean of its eigenvalues and the two components of the rest: the
/// eigenvalues are mean -+ |rest|.
struct Spectrum {
  double mean;
  Double2 rest;
};

Spectrum spectrum(double xx, double xy, double yy) {
  return {0.5 * (xx + yy), {0.5 * (xx - yy), xy}};
}

/// The matrix x y' + y x' of two rows.
Spectrum outer(Double2 x, Double2 y) {
  return spectrum(2.0 * x.x * y.x, x.x * y.y + x.y * y.x, 2.0 * x.y * y.y);
}

Spectrum operator+(const Spectrum& a, const Spectrum& b) {
  return {a.mean + b.mean, a.rest + b.rest};
}
Spectrum operator-(const Spectrum& a, const Spectrum& b) {
  return {a.mean - b.mean, a.rest - b.rest};
}
Spectrum operator*(double s, const Spectrum& a) { return {s * a.mean, s * a.rest}; }

/// A plane over (x, y) that bounds the smaller eigenvalue of fixed + x even + y odd from above:
/// that eigenvalue is the least of the values v'(...)v over unit vectors v, and each of them is
/// such a plane.
struct Cut {
  double value;
  Double2 slope;

  double at(Double2 x) const { return value + dot(slope, x); }
};

/// Finds the plane that touches at (x, y). Returns the eigenvalue there.
double cut_at(const Spectrum& fixed, const Spectrum& even, const Spectrum& odd, Double2 x,
              Cut& cut) {
  const Spectrum S = fixed + x.x * even + x.y * odd;
  const double spread = std::sqrt(dot(S.rest, S.rest));
  const Double2 along = spread > kTiny ? (1.0 / spread) * S.rest : Double2{1.0, 0.0};
  cut = {fixed.mean - dot(along, fixed.rest),
         {even.mean - dot(along, even.rest), odd.mean - dot(along, odd.rest)}};
  return S.mean - spread;
}

/// The point of the unit disc where the lower of two planes is highest.
Double2 highest(const Cut& a, const Cut& b) {
  for (const auto& [cut, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const double length = std::sqrt(dot(cut->slope, cut->slope));
    const Double2 top = length > kTiny ? (1.0 / length) * cut->slope : Double2{0.0, 0.0};
    if (other->at(top) >= cut->at(top)) return top;
  }
  // on the line where the planes meet
  const Double2 across = a.slope - b.slope, along = {-across.y, across.x};
  const double inverse = 1.0 / (dot(across, across) + kTiny);
  const Double2 nearest = ((b.value - a.value) * inverse) * across;
  const double reach = std::sqrt(std::max(0.0, 1.0 - dot(nearest, nearest)) * inverse);
  return nearest + (dot(a.slope, along) < 0.0 ? -reach : reach) * along;
}

/// The largest value found on the unit disc for the smaller eigenvalue of fixed + x even + y odd;
/// stops as soon as it is above `enough`.
double best_eigenvalue(const Spectrum& fixed, const Spectrum& even, const Spectrum& odd,
                       double enough) {
  const double length = std::sqrt(even.mean * even.mean + odd.mean * odd.mean);
  // the trace is largest here
  Double2 x = length > kTiny ? (1.0 / length) * Double2{even.mean, odd.mean} : Double2{1.0, 0.0};
  Cut last, cut;
  double best = cut_at(fixed, even, odd, x, last);
  x = highest(last, last);
  for (int step = 0; step < 6 && !(best > enough); ++step) {
    best = std::max(best, cut_at(fixed, even, odd, x, cut));
    x = highest(last, cut);
    // the two planes allow no larger eigenvalue
    if (!(std::min(last.at(x), cut.at(x)) > enough)) break;
    last = cut;
  }
  return best;
}

/// The two ellipsoids along the normal, prepared for a test of any depth.
struct Contact {
  double height;  ///< h of the header comment
  double depth;   ///< e of the header comment
  Double2 center;
  double gradient;
  Spectrum sum, even, odd;
  double error;  ///< rounding of an entry of S, without that of k

  Contact(const InnerEllipsoid& inner_a, const InnerEllipsoid& inner_b, Double3 n) {
    const TangentBasis plane = tangent_basis(n);
    const Shadow a(inner_a, n, plane);
    Shadow b(inner_b, n, plane);
    const Double3 between = inner_b.center - inner_a.center;
    height = a.height + b.height;
    depth = height - dot(n, between);
    center = plane.project(between);
    const Double2 rest = center - a.point - b.point;
    const double reach = a.reach + b.reach,
                 slip = (a.slip + b.slip) * reach / (std::max(height, 1e-3 * reach) + kTiny);
    gradient = std::sqrt(dot(rest, rest)) + slip;
    // only rotations are tried, so both bases must have the same orientation
    if ((a.row1.x * a.row2.y - a.row1.y * a.row2.x) * (b.row1.x * b.row2.y - b.row1.y * b.row2.x) <
        0.0)
      b.row2 = -1.0 * b.row2;
    sum = 0.5 * (outer(a.row1, a.row1) + outer(a.row2, a.row2) + outer(b.row1, b.row1) +
                 outer(b.row2, b.row2));
    even = outer(a.row1, b.row1) + outer(a.row2, b.row2);
    odd = outer(a.row2, b.row1) - outer(a.row1, b.row2);
    error = 32.0 * kEpsilon * reach * reach + 4.0 * slip * reach;
  }

  /// Smallest eigenvalue of S for the depth `e`, less its rounding; positive where the depth is
  /// proved.
  double margin(double e) const {
    const double pivot = height - e;
    if (!(pivot > 0.0)) return -kInfinity;
    const double factor = e / pivot, base = e * height;
    const Spectrum less = {base + 0.5 * factor * dot(center, center),
                           spectrum(factor * center.x * center.x, factor * center.x * center.y,
                                    factor * center.y * center.y)
                               .rest};
    const double all = error + 32.0 * kEpsilon *
                                   (base + factor * dot(center, center) * (1.0 + height / pivot));
    return best_eigenvalue(sum - less, even, odd, all) - all;
  }
};

/// Upper bound of the largest separation of the two ellipsoids; infinite without a proof.
double prove(const Contact& contact, double scale) {
  const double less = kLess * scale, square = contact.gradient * contact.gradient;
  if (!(contact.depth > 4.0 * less)) return kInfinity;
  const double eigenvalue = contact.margin(contact.depth);
  const double excess = eigenvalue > 0.0 ? square * contact.height / eigenvalue : kInfinity;
  if (excess <= less) return excess - contact.depth;
  // where optima fill a curve, or almost do, a slightly smaller depth can be proved
  const double wider = contact.margin(contact.depth - less) > 0.0 ? 2.0 * less + square / less
                                                                  : kInfinity;
  const double bound = std::min(excess, wider);
  return bound < contact.depth ? bound - contact.depth : kInfinity;
}

/// The points where the cores touch along the normal, in their own frames.
struct ContactPoints {
  const CorePair& pair;
  Double3 n, n_B, t;
  Double3 point_a, point_b;  ///< point_b in the frame of B
  double inner_radii;        ///< radius swept around the cores of ellipsoids
  double depth;              ///< depth with that radius

  ContactPoints(const CorePair& cores, const SeparationOptimum& optimum)
      : pair(cores),
        n(to_double3(optimum.normal)),
        t(to_double3(cores.X_AB().translation)),
        point_a(to_double3(optimum.point_a)) {
    n_B = -transposed_product(pair.X_AB().rotation, n);
    point_b = transposed_product(pair.X_AB().rotation, to_double3(optimum.point_b) - t);
    inner_radii = pair.a().inner_radius + pair.b().inner_radius;
    depth = inner_radii - optimum.lower;
  }

  /// Finds the two ellipsoids, both in the frame of A. The half-diameters of the second are
  /// reversed, so that they face along n like those of the first.
  bool find_ellipsoids(double height, InnerEllipsoid& a, InnerEllipsoid& b) const {
    const Matrix3& R = pair.X_AB().rotation;
    if (!find_inner_ellipsoid(pair.a(), point_a, n, height, a) ||
        !find_inner_ellipsoid(pair.b(), point_b, n_B, height, b))
      return false;
    b = {product(R, b.center) + t, -product(R, b.p), product(R, b.q1), product(R, b.q2)};
    return true;
  }
};

}  // namespace

bool find_inner_ellipsoid(const CoreShape& core, Double3 point, Double3 u, double height,
                          InnerEllipsoid& inner) {
  const Double3 size = to_double3(core.size);
  switch (core.kind) {
    case Kind::point:
      inner = {to_double3(core.center), {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
      return true;
    case Kind::segment:
      return inner_of_segment(to_double3(core.center), size, point, u, height, inner);
    case Kind::ellipsoid: inner_of_ellipsoid(size, u, height, inner); return true;
    case Kind::box: return inner_of_box(size, point, u, height, inner);
    case Kind::cylinder: return inner_of_cylinder(size.x, size.y, point, u, height, inner);
    case Kind::cone: inner_of_cone(size.x, size.y, point, u, height, inner); return true;
    case Kind::polytope:
      inner_of_polytope(to_double3(core.polytope->centroid()), point, u, height, inner);
      return true;
    case Kind::stp:
    case Kind::half_space: break;
  }
  return false;
}

double upper_bound_of_depth(const CorePair& pair, const SeparationOptimum& optimum) {
  const ContactPoints points(pair, optimum);
  if (!(points.depth > 4.0 * kLess * pair.scale())) return kInfinity;
  for (const double factor : kHeights) {
    InnerEllipsoid a, b;
    if (!points.find_ellipsoids(0.5 * factor * points.depth, a, b)) break;
    const double upper = prove(Contact(a, b, points.n), pair.scale());
    if (upper < kInfinity) return upper + points.inner_radii + 16.0 * kEpsilon * pair.scale();
  }
  return kInfinity;
}

}  // namespace tactum
