// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/formula/point_primitive.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace tactum {
namespace {

using Vector2 = Eigen::Vector2d;

struct ProfileEdge {
  Vector2 from, to;
  Vector2 normal;  ///< unit, outward
};

struct ProfilePoint {
  double distance;
  Vector2 normal;
  Vector2 point;
};

/// Signed distance in the half plane (radius >= 0, z) from the convex region that the edges bound.
ProfilePoint point_profile(std::span<const ProfileEdge> edges, const Vector2& x) {
  // inside every edge, the nearest plane decides
  ProfilePoint inside{-std::numeric_limits<double>::infinity(), {}, {}};
  for (const ProfileEdge& edge : edges) {
    const double height = edge.normal.dot(x - edge.from);
    if (height > inside.distance) inside = {height, edge.normal, x - height * edge.normal};
  }
  if (inside.distance <= 0.0) return inside;

  ProfilePoint outside{std::numeric_limits<double>::infinity(), {}, {}};
  for (const ProfileEdge& edge : edges) {
    const Vector2 along = edge.to - edge.from;
    const double t = (x - edge.from).dot(along) / along.squaredNorm();
    if (t > 0.0 && t < 1.0) {
      const double height = edge.normal.dot(x - edge.from);
      if (height >= 0.0 && height < outside.distance)
        outside = {height, edge.normal, x - height * edge.normal};
    } else {
      const Vector2 corner = t <= 0.0 ? edge.from : edge.to;
      const double distance = (x - corner).norm();
      if (distance < outside.distance)
        outside = {distance, distance > 0.0 ? Vector2((x - corner) / distance) : edge.normal,
                   corner};
    }
  }
  return outside;
}

/// Rotates the result in the half plane about z to the point; on the axis any half plane will do.
SurfacePoint revolve(std::span<const ProfileEdge> edges, const Vector3& p) {
  const double radial = std::hypot(p.x(), p.y());
  const Vector2 outward = radial > 0.0 ? Vector2(p.x() / radial, p.y() / radial)
                                       : Vector2(1.0, 0.0);
  const ProfilePoint profile = point_profile(edges, {radial, p.z()});
  const auto lift = [&](const Vector2& v) {
    return Vector3(v.x() * outward.x(), v.x() * outward.y(), v.y());
  };
  return {profile.distance, lift(profile.normal), lift(profile.point)};
}

}  // namespace

SurfacePoint point_box(const Vector3& half_extents, const Vector3& p) {
  const Vector3 excess = p.cwiseAbs() - half_extents;
  const Vector3 sign = p.unaryExpr([](double x) { return x < 0.0 ? -1.0 : 1.0; });
  Eigen::Index axis = 0;
  const double deepest = excess.maxCoeff(&axis);
  if (deepest <= 0.0) {
    SurfacePoint result{deepest, Vector3::Zero(), p};
    result.normal[axis] = sign[axis];
    result.point[axis] = sign[axis] * half_extents[axis];
    return result;
  }
  const Vector3 outside = excess.cwiseMax(0.0);
  // dividing by the largest part first keeps tiny gaps exact
  const Vector3 relative = outside / deepest;
  const double length = relative.norm();
  const Vector3 normal = sign.cwiseProduct(relative / length);
  return {deepest * length, normal, p - sign.cwiseProduct(outside)};
}

SurfacePoint point_cylinder(double radius, double half_length, const Vector3& p) {
  const std::array<ProfileEdge, 3> edges = {
      {{{0.0, half_length}, {radius, half_length}, {0.0, 1.0}},
       {{radius, half_length}, {radius, -half_length}, {1.0, 0.0}},
       {{radius, -half_length}, {0.0, -half_length}, {0.0, -1.0}}}};
  return revolve(edges, p);
}

SurfacePoint point_cone(double radius, double half_length, const Vector3& p) {
  const double slant = std::hypot(2.0 * half_length, radius);
  const std::array<ProfileEdge, 2> edges = {
      {{{0.0, half_length}, {radius, -half_length}, {2.0 * half_length / slant, radius / slant}},
       {{radius, -half_length}, {0.0, -half_length}, {0.0, -1.0}}}};
  return revolve(edges, p);
}

}  // namespace tactum
