// SPDX-License-Identifier: BSD-2-Clause
// Projection of a point on a primitive, and its derivative by the point, for Newton's method on
// pairs of normals (curved_pair.hpp).
//
// Computes   the nearest point P(x) of a box, a cylinder or a cone to x outside, in the frame of
//            the primitive, and its derivative DP on a plane. Every primitive is flat, curved or
//            pointed along orthogonal directions, and DP is 1, a ratio of radii or 0 along them.
// Round      a cylinder and a cone are bodies of revolution about z: the projection is found in the
//            half plane of the point, with rho its distance from the axis. Around the axis the
//            projection moves by its own distance from the axis over rho.
// Axis       for a point on the axis any half plane will do.
#pragma once

#include "narrow/formula/ellipsoid_certificate.hpp"

namespace tactum {

/// A projection and its derivative, in the frame of the primitive.
struct PrimitiveProjection {
  Double3 point;
  Symmetric2 slope;  ///< T' DP T for the given basis T
};

struct BoxProjection {
  Double3 half;

  explicit BoxProjection(Double3 size) : half(size) {}
  double support(Double3 n) const {
    return half.x * std::abs(n.x) + half.y * std::abs(n.y) + half.z * std::abs(n.z);
  }
  double mean_size() const { return (1.0 / 3.0) * (half.x + half.y + half.z); }

  bool holds(Double3 p, double slack) const {
    return std::abs(p.x) <= half.x + slack && std::abs(p.y) <= half.y + slack &&
           std::abs(p.z) <= half.z + slack;
  }
  Double3 point(Double3 x) const {
    return {clamped(x.x, half.x), clamped(x.y, half.y), clamped(x.z, half.z)};
  }
  [[gnu::always_inline]] PrimitiveProjection projection(Double3 x,
                                                        const TangentBasis& plane) const {
    const Double3 p = point(x);
    const Double3 flat = {p.x == x.x ? 1.0 : 0.0, p.y == x.y ? 1.0 : 0.0, p.z == x.z ? 1.0 : 0.0};
    const Double3 a = flat * plane.x, b = flat * plane.y;
    return {p, {dot(a, plane.x), dot(a, plane.y), dot(b, plane.y)}};
  }
};

/// The projection in the half plane of a point, and its derivative there.
struct HalfPlaneProjection {
  double radial, axial;
  double rr, rz, zz;
};

/// The half plane of a point and its distance from the z axis.
struct Meridian {
  double rho, inverse;
  double cosine, sine;

  [[gnu::always_inline]] explicit Meridian(Double3 x) {
    constexpr double least = 1e-200;
    const double square = x.x * x.x + x.y * x.y, safe = std::max(square, least);
    rho = std::sqrt(safe);
    inverse = rho * (1.0 / safe);
    cosine = square > least ? inverse * x.x : 1.0;
    sine = square > least ? inverse * x.y : 0.0;
  }
  Double3 turned(double radial, double axial) const {
    return {radial * cosine, radial * sine, axial};
  }
};

struct CylinderSection {
  double radius, half_length;

  explicit CylinderSection(Double3 size) : radius(size.x), half_length(size.y) {}
  double support(Double3 n) const {
    return radius * std::sqrt(n.x * n.x + n.y * n.y) + half_length * std::abs(n.z);
  }
  double mean_size() const { return (1.0 / 3.0) * (2.0 * radius + half_length); }

  bool holds(Double3 p, double slack) const {
    const double most = radius + slack;
    return p.x * p.x + p.y * p.y <= most * most && std::abs(p.z) <= half_length + slack;
  }
  [[gnu::always_inline]] HalfPlaneProjection in_half_plane(double rho, double z) const {
    const double radial = std::min(rho, radius), axial = clamped(z, half_length);
    return {radial, axial, radial == rho ? 1.0 : 0.0, 0.0, axial == z ? 1.0 : 0.0};
  }
};

struct ConeSection {
  double radius, half_length;
  double slant, down_r, down_z;  ///< length of the slant and its direction from the apex downwards

  explicit ConeSection(Double3 size) : radius(size.x), half_length(size.y) {
    const double height = 2.0 * half_length, square = height * height + radius * radius;
    slant = std::sqrt(square);
    const double inverse = slant * (1.0 / square);
    down_r = inverse * radius;
    down_z = -inverse * height;
  }
  double support(Double3 n) const {
    const double up = half_length * n.z;
    return std::max(up, radius * std::sqrt(n.x * n.x + n.y * n.y) - up);
  }
  double mean_size() const { return 0.25 * (2.0 * radius + half_length); }

  bool holds(Double3 p, double slack) const {
    const double over = down_r * (p.z - half_length) - down_z * std::sqrt(p.x * p.x + p.y * p.y);
    return over <= slack && p.z >= -half_length - slack;
  }
  [[gnu::always_inline]] HalfPlaneProjection in_half_plane(double rho, double z) const {
    const double from_apex = z - half_length;
    const double along = down_r * rho + down_z * from_apex,
                 over = down_r * from_apex - down_z * rho;
    if (over > 0.0 && along > 0.0 && along < slant)
      return {along * down_r, half_length + along * down_z, down_r * down_r, down_r * down_z,
              down_z * down_z};
    if (over > 0.0 && along <= 0.0) return {0.0, half_length, 0.0, 0.0, 0.0};
    if (z >= -half_length && over <= 0.0) return {rho, z, 1.0, 0.0, 1.0};
    const bool below = rho <= radius;
    return {below ? rho : radius, -half_length, below ? 1.0 : 0.0, 0.0, 0.0};
  }
};

/// A primitive of revolution, given by its section with the half plane.
template <class Section>
struct RoundProjection : Section {
  using Section::Section;

  [[gnu::always_inline]] Double3 point(Double3 x) const {
    const Meridian meridian(x);
    const HalfPlaneProjection projection = Section::in_half_plane(meridian.rho, x.z);
    return meridian.turned(projection.radial, projection.axial);
  }

  [[gnu::always_inline]] PrimitiveProjection projection(Double3 x,
                                                        const TangentBasis& plane) const {
    const Meridian meridian(x);
    const HalfPlaneProjection projection = Section::in_half_plane(meridian.rho, x.z);
    const double around = projection.radial * meridian.inverse, c = meridian.cosine,
                 s = meridian.sine;
    const double xr = c * plane.x.x + s * plane.x.y, xt = c * plane.x.y - s * plane.x.x;
    const double yr = c * plane.y.x + s * plane.y.y, yt = c * plane.y.y - s * plane.y.x;
    const double xz = plane.x.z, yz = plane.y.z;
    return {meridian.turned(projection.radial, projection.axial),
            {projection.rr * xr * xr + projection.zz * xz * xz + around * xt * xt +
                 2.0 * projection.rz * xr * xz,
             projection.rr * xr * yr + projection.zz * xz * yz + around * xt * yt +
                 projection.rz * (xr * yz + xz * yr),
             projection.rr * yr * yr + projection.zz * yz * yz + around * yt * yt +
                 2.0 * projection.rz * yr * yz}};
  }
};
using CylinderProjection = RoundProjection<CylinderSection>;
using ConeProjection = RoundProjection<ConeSection>;

}  // namespace tactum
