// SPDX-License-Identifier: BSD-2-Clause
// Fixtures for the tests of patches: polygons clipped by brute force in extended precision, and
// stacks of shapes.
#pragma once

#include "narrow/narrow_fixtures.hpp"
#include "support/convex_body.hpp"
#include "tactum/contact_patch.hpp"

namespace tactum::testing {

using Point2 = Eigen::Matrix<Real, 2, 1>;

/// The solid n.x <= offset of the plane.
struct HalfPlane {
  Point2 normal;
  Real offset;
};

inline Real cross2(const Point2& a, const Point2& b) { return a.x() * b.y() - a.y() * b.x(); }

/// Sides of a polygon given counter-clockwise.
inline std::vector<HalfPlane> sides_of(const std::vector<Point2>& corners) {
  std::vector<HalfPlane> sides;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Point2 edge = corners[(i + 1) % corners.size()] - corners[i];
    const Point2 normal = Point2(edge.y(), -edge.x()).normalized();
    sides.push_back({normal, normal.dot(corners[i])});
  }
  return sides;
}

/// All corners of an intersection of half planes: every pair of lines, kept where no half plane
/// forbids it. No order, coincident ones once.
inline std::vector<Point2> corners_of(const std::vector<HalfPlane>& planes, Real slack = 1e-13L) {
  std::vector<Point2> corners;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Real determinant = cross2(planes[i].normal, planes[j].normal);
      if (std::abs(determinant) < 1e-9L) continue;
      const Point2 at = Point2(planes[i].offset * planes[j].normal.y() -
                                   planes[j].offset * planes[i].normal.y(),
                               planes[j].offset * planes[i].normal.x() -
                                   planes[i].offset * planes[j].normal.x()) /
                        determinant;
      const auto allows = [&](const HalfPlane& plane) {
        return plane.normal.dot(at) <= plane.offset + slack;
      };
      const auto is_same = [&](const Point2& other) { return (other - at).norm() < 1e-9L; };
      if (std::all_of(planes.begin(), planes.end(), allows) &&
          std::none_of(corners.begin(), corners.end(), is_same))
        corners.push_back(at);
    }
  }
  return corners;
}

/// Area of the convex hull of points, by turning around their mean.
inline Real hull_area(std::vector<Point2> points) {
  if (points.size() < 3) return 0;
  Point2 mean = Point2::Zero();
  for (const Point2& p : points) mean += p / static_cast<Real>(points.size());
  const auto angle = [&](const Point2& p) {
    return std::atan2(p.y() - mean.y(), p.x() - mean.x());
  };
  std::sort(points.begin(), points.end(),
            [&](const Point2& a, const Point2& b) { return angle(a) < angle(b); });
  Real area = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    area += cross2(points[i] - mean, points[(i + 1) % points.size()] - mean) / 2;
  return area;
}

/// Coordinates of a point in the plane orthogonal to n.
struct PlaneFrame {
  Vec3 origin, first, second;

  PlaneFrame(const Vector3& n, const Vector3& at) : origin(widen(at)) {
    tangent_basis(widen(n).normalized(), first, second);
  }
  Point2 operator()(const Vector3& p) const {
    return {first.dot(widen(p) - origin), second.dot(widen(p) - origin)};
  }
};

inline Real area_of(const ContactPatch& patch) {
  const PlaneFrame frame(patch.normal, patch.distance.point_a);
  std::vector<Point2> points;
  for (int i = 0; i < patch.count; ++i)
    points.push_back(frame(patch.points_a[static_cast<std::size_t>(i)]));
  return hull_area(points);
}

inline Convex box_hull(const Vector3& half) {
  Points corners(3, 8);
  for (int i = 0; i < 8; ++i)
    corners.col(i) = Vector3((i & 1) ? half.x() : -half.x(), (i & 2) ? half.y() : -half.y(),
                             (i & 4) ? half.z() : -half.z());
  return Convex::from_points(corners);
}

}  // namespace tactum::testing
