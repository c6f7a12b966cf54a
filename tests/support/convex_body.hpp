// SPDX-License-Identifier: BSD-2-Clause
// The oracle's own picture of a shape: a core placed by an affine map, and a swept radius, in
// extended precision.
//
// It reads the parameters of a Shape and nothing the library derives from them but the list of hull
// vertices and faces, so a mistake in the library's supports, planes or cores cannot hide here. The
// map x -> rotation * x + translation is applied with the doubles as they are: a rotation that is
// orthonormal only to rounding stays as it is.
#pragma once

#include <array>
#include <vector>

#include "support/ball_intersection.hpp"
#include "support/extended.hpp"
#include "tactum/shape.hpp"

namespace tactum::testing {

struct ConvexBody {
  // points and segments are polytopes
  enum class Kind { half_space, ellipsoid, cylinder, cone, box, polytope, stp };

  Kind kind = Kind::polytope;
  Vec3 size = Vec3::Zero();  ///< half extents, semi axes, (radius, half_length, 0), unit normal of
                             ///< a half-space, (alpha, 0, 0)
  Real offset = 0;           ///< of a half-space, without margin
  Real radius = 0;           ///< swept around the core; for a half-space its margin
  int dimension = 3;         ///< of the core
  std::vector<Vec3> vertices;  ///< of a polytope (also filled for a box), in the frame of the shape
  std::vector<std::array<int, 3>> triangles;
  std::vector<std::array<int, 2>> edges;
  BallIntersection balls;  ///< of a volume: what its points are centers of, in the frame of the
                           ///< shape
  Points scan;             ///< the vertices in double, for a fast first pass
  Real extent = 0;         ///< largest distance of a point of the core from the origin of the shape
  Mat3 rotation = Mat3::Identity();
  bool turned = false;  ///< the rotation is not the identity
  Vec3 translation = Vec3::Zero();

  ConvexBody(const Shape& shape, const Pose& pose);

  /// This shape at another pose.
  void move_to(const Pose& pose);

  /// A point of the placed core farthest along `direction` (any length but zero). Not for
  /// half-spaces.
  Vec3 support(const Vec3& direction) const;

  /// Distance of a point from the placed core; zero inside.
  Real distance_to_core(const Vec3& point) const;

  /// Whether the core turns into itself under every rotation about its z axis.
  bool is_round_about_z() const;
  bool is_point() const { return kind == Kind::polytope && dimension == 0; }

  /// Whether supports are those of finitely many points.
  bool is_polytope() const { return kind == Kind::polytope || kind == Kind::box; }
  bool is_half_space() const { return kind == Kind::half_space; }

  /// Some point of the placed core that lies well inside (relative to the core's own dimension).
  Vec3 center() const;

 private:
  Vec3 local_support(const Vec3& u) const;
  Real local_distance(const Vec3& x) const;
  Real hull_distance(const Vec3& x) const;
};

/// Closest points: helpers shared by the oracles.
Real distance_point_segment(const Vec3& x, const Vec3& a, const Vec3& b);
Real distance_point_triangle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c);
Vec3 closest_on_triangle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c);
Real distance_segment_segment(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1);

/// Distance of a point outside or inside (then zero) of an axis-aligned ellipsoid, by bisection on
/// the Lagrange multiplier.
Real distance_point_ellipsoid(const Vec3& x, const Vec3& semi_axes);

}  // namespace tactum::testing
