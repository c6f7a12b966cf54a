// SPDX-License-Identifier: BSD-2-Clause
// The feature of a shape that faces a direction within an angle, as a convex polygon seen along
// that direction.
//
// View       coordinates x, y in the plane orthogonal to the normal n and a height along it, from
//            one origin for both shapes: a point of either is origin + x t1 + y t2 + height n. A
//            looks along +n, B along -n.
// Feature    a vertex (one corner), an edge or generator (two), a face (three or more,
//            counter-clockwise in x, y), or the plane of a half-space, which is unbounded. The
//            angle between the face normal, or the plane orthogonal to the edge, and the direction
//            is at most the one given.
// Radius     features are those of the core: the swept radius is left out.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "math/tangent_plane.hpp"
#include "tactum/shape.hpp"

namespace tactum {

/// A core as seen along the normal: axes of the plane in its own frame, and the place of its
/// origin.
struct SeenCore {
  const CoreShape* core;
  TangentPlane axes;  ///< in the frame of the shape
  double x, y, height;
  double sign;  ///< +1 where the shape looks along the normal, -1 where against it

  SeenCore(const CoreShape& shape, const Pose& pose, const TangentPlane& plane, Double3 origin,
           double look)
      : core(&shape), axes(plane.in_frame(pose.rotation)), sign(look) {
    const Double3 offset = to_double3(pose.translation) - origin;
    x = dot(plane.x, offset);
    y = dot(plane.y, offset);
    height = dot(plane.normal, offset);
  }
  Double3 outward() const { return sign * axes.normal; }
  /// d height / d (x, y) of a plane with the given normal, in the frame of the shape; zero for a
  /// plane seen from the side.
  Double2 slope_of(Double3 face_normal) const {
    const double up = dot(face_normal, axes.normal);
    if (std::abs(up) < 0.05) return {0.0, 0.0};
    return {-dot(face_normal, axes.x) / up, -dot(face_normal, axes.y) / up};
  }
};

/// Names of features in 32 bits: the kind in the upper two, then vertices of the shape.
std::uint32_t vertex_name(std::uint32_t vertex);
std::uint32_t edge_name(std::uint32_t vertex, std::uint32_t other);
std::uint32_t face_name(std::uint32_t face);

struct FlatFeature {
  static constexpr int kCapacity = 32;

  int count = 0;           ///< corners
  bool unbounded = false;  ///< a half-space: no corners
  bool planar = true;  ///< heights between the corners follow `slope`; else those of the faces of
                       ///< the hull
  bool borderline = false;  ///< an angle or a height is so close to a limit that a small motion
                            ///< gives another feature
  double top;  ///< the largest height along the outward direction, that of the support point
  std::array<double, kCapacity> x, y, height;
  std::array<std::uint32_t, kCapacity> vertices;     ///< of the shape, one a corner
  std::uint32_t face = 0;                            ///< number of the face, of a polygon
  std::int32_t start_face = -1;                      ///< a triangle of the hull to begin walks at
  Double2 slope{0.0, 0.0};                           ///< d height / d (x, y)
  Double2 around{0.0, 0.0};                          ///< of a generator: unit, around the axis
  std::array<double, 2> curvature_radius{0.0, 0.0};  ///< m: corner i moves by curvature_radius[i] *
                                                     ///< around * around' dn

  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): no corner is in use
  FlatFeature() {}
  void add(const SeenCore& seen, Double3 corner, std::uint32_t vertex) {
    const auto i = static_cast<std::size_t>(count++);
    x[i] = seen.x + dot(seen.axes.x, corner);
    y[i] = seen.y + dot(seen.axes.y, corner);
    height[i] = seen.height + dot(seen.axes.normal, corner);
    vertices[i] = vertex;
  }
  /// The number of a hull vertex at a corner.
  void add(const SeenCore& seen, std::int32_t vertex);
  Double2 corner(int i) const {
    return {x[static_cast<std::size_t>(i)], y[static_cast<std::size_t>(i)]};
  }
  int next(int i) const { return i + 1 == count ? 0 : i + 1; }
  int num_edges() const { return count > 2 ? count : count - 1; }
  std::uint32_t name() const;  ///< of the whole
  std::uint32_t name_of_corner(int i) const;
  std::uint32_t name_of_edge(int i) const;  ///< from corner i to the next
};

/// Whether an angle with the given sine counts, and whether that is a close decision.
class AngleLimit {
 public:
  static constexpr double kBand = 1e-6;  ///< relative: closer to the limit, rounding or a small
                                         ///< motion could decide

  explicit AngleLimit(double sine) : sine_(sine) {}
  bool holds(double sine, bool& borderline) const {
    borderline |= std::abs(sine - sine_) <= kBand * sine_;
    return sine <= sine_;
  }
  bool clearly_holds_square(double squared_sine) const {
    return squared_sine < (1.0 - 3.0 * kBand) * sine_ * sine_;
  }
  /// Whether two sines are so close that rounding or a small motion could exchange them.
  bool is_same(double first, double second) const {
    return std::abs(first - second) <= kBand * sine_;
  }

 private:
  double sine_;
};

/// The extent of a feature.
struct FeatureReach {
  double sine;  ///< of the angle between it and the direction, at most 1/2
  double drop = std::numeric_limits<double>::infinity();  ///< m: a vertex lower than the support
                                                          ///< point by more than this touches
                                                          ///< nothing
};

/// Height and slope of the surface of a feature over a place.
struct FeatureHeight {
  double height;
  Double2 slope;
  std::int32_t face = -1;  ///< the triangle of a hull; -1 where the feature is planar
};

}  // namespace tactum
