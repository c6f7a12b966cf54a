// SPDX-License-Identifier: BSD-2-Clause
// Conditions that every answer must satisfy, whatever the pair: used by the hard cases and by the
// families alike.
//
// Witness points are judged by the oracle's own picture of the shapes in extended precision, small
// flat hulls (needles) in quadruple precision. They are world coordinates in double, so they carry
// the rounding of those: 4 eps times their size on top of 64 eps times the scale of the pair.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

#include "math/epsilon.hpp"
#include "regression/point_hull_oracle.hpp"
#include "support/convex_body.hpp"
#include "tactum/distance.hpp"

namespace tactum::regression {

/// A pair at two poses: what a query is asked.
struct Pair {
  Shape a;
  Pose X_WA;
  Shape b;
  Pose X_WB;

  double scale() const { return pair_scale(a, X_WA, b, X_WB); }
  Pair swapped() const { return {b, X_WB, a, X_WA}; }
  Distance distance(const DistanceOptions& options = {}) const {
    return tactum::distance(a, X_WA, b, X_WB, options);
  }
  std::string describe() const {
    std::ostringstream out;
    out.precision(17);
    for (const Shape* shape : {&a, &b}) {
      const Convex* hull = std::get_if<Convex>(&shape->parameters());
      if (hull != nullptr && hull->num_vertices() <= 16) {
        out << "vertices of " << (shape == &a ? "a\n" : "b\n") << hull->vertices() << "\n";
      }
    }
    out << "a " << a.to_string() << "\nR_WA\n"
        << X_WA.rotation << "\nt_WA " << X_WA.translation.transpose() << "\nb " << b.to_string()
        << "\nR_WB\n"
        << X_WB.rotation << "\nt_WB " << X_WB.translation.transpose();
    return out.str();
  }
};

/// Ellipsoids, cylinders and cones end in Newton's method, everything else in a formula of
/// features.
inline bool is_smooth(const Shape& shape) {
  return shape.kind() == ShapeKind::ellipsoid || shape.kind() == ShapeKind::cylinder ||
         shape.kind() == ShapeKind::cone;
}

/// The error allowed in the signed distance: 64 eps scale for polytopes and their rounded kin,
/// 1e-12 scale for smooth shapes.
inline double allowed_error(const Pair& pair) {
  return (is_smooth(pair.a) || is_smooth(pair.b) ? 1e-12 : 64 * kEpsilon) * pair.scale();
}

inline double angle_between(const Vector3& u, const Vector3& v) {
  return 2 * std::atan2((u - v).norm(), (u + v).norm());
}

/// How far a point lies outside a placed shape; negative inside a swept radius.
inline double outside(const Shape& shape, const Pose& X, const Vector3& point) {
  const Convex* hull = std::get_if<Convex>(&shape.parameters());
  if (hull != nullptr && hull->dimension() <= 2 && hull->num_vertices() <= 8) {
    const PointHull placed = hull_of_points(hull->vertices(), X, point);
    PointHull here;
    here.points.emplace_back();  // the origin of the placement is the point itself
    return static_cast<double>(nearest_features(placed, here).distance) - hull->margin;
  }
  const testing::ConvexBody body(shape, X);
  return static_cast<double>(body.distance_to_core(testing::widen(point)) - body.radius);
}

/// Status, bounds, unit normal, p_b - p_a = d n, witness points inside their shapes.
inline void expect_sound(const Pair& pair, const Distance& r) {
  const double scale = pair.scale(), band = 64 * kEpsilon * scale;
  ASSERT_TRUE(r.status == Status::separated || r.status == Status::touching ||
              r.status == Status::penetrating)
      << to_string(r.status);
  ASSERT_TRUE(std::isfinite(r.distance) && std::isfinite(r.lower) && std::isfinite(r.upper));
  ASSERT_TRUE(r.normal.allFinite() && r.point_a.allFinite() && r.point_b.allFinite());
  EXPECT_LE(r.lower, r.upper);
  EXPECT_LE(r.upper - r.lower, 1e-10 * scale);
  EXPECT_LE(r.lower, r.distance);
  EXPECT_LE(r.distance, r.upper);
  if (r.status == Status::separated) {
    EXPECT_GT(r.distance, 0.0);
  }
  if (r.status == Status::touching) {
    EXPECT_LE(std::abs(r.distance), band);
  }
  if (r.status == Status::penetrating) {
    EXPECT_LT(r.distance, 0.0);
  }
  EXPECT_NEAR(r.normal.norm(), 1.0, 8 * kEpsilon);
  const double size = std::max(r.point_a.cwiseAbs().maxCoeff(), r.point_b.cwiseAbs().maxCoeff());
  const double rounding = band + 4 * kEpsilon * size;
  EXPECT_LE((r.point_b - r.point_a - r.distance * r.normal).norm(),
            std::max(rounding, allowed_error(pair)));
  EXPECT_LE(outside(pair.a, pair.X_WA, r.point_a), rounding);
  EXPECT_LE(outside(pair.b, pair.X_WB, r.point_b), rounding);
}

/// The signed distance, its sign and the bounds against the truth, which may belong to an input
/// that is off by `input_error`.
inline void expect_distance(const Pair& pair, const Distance& r, long double truth,
                            double tolerance, double input_error = 0) {
  const double band = 64 * kEpsilon * pair.scale() + input_error;
  EXPECT_LE(std::abs(r.distance - truth), static_cast<long double>(tolerance + input_error))
      << "got " << r.distance << ", truth " << truth;
  EXPECT_LE(r.lower, truth + band);
  EXPECT_GE(r.upper, truth - band);
  if (truth > 2 * band) {
    EXPECT_EQ(r.status, Status::separated);
  }
  if (truth < -2 * band) {
    EXPECT_EQ(r.status, Status::penetrating);
  }
}

inline void expect_normal(const Distance& r, const Vector3& normal, double tolerance = 1e-6) {
  EXPECT_LE(angle_between(r.normal, normal), tolerance)
      << "got " << r.normal.transpose() << ", expected " << normal.transpose();
}

/// The boolean query says the same, outside the contact band.
inline void expect_collide_agrees(const Pair& pair, long double truth, double input_error = 0) {
  const double band = 64 * kEpsilon * pair.scale() + input_error;
  const Collision c = collide(pair.a, pair.X_WA, pair.b, pair.X_WB);
  ASSERT_NE(c.status, Status::not_converged);
  ASSERT_TRUE(c.normal.allFinite() && std::isfinite(c.lower));
  EXPECT_LE(c.lower, truth + band);
  if (truth > 2 * band) {
    EXPECT_FALSE(c.colliding);
  }
  if (truth < -2 * band) {
    EXPECT_TRUE(c.colliding);
  }
  if (!c.colliding) {
    EXPECT_GT(c.lower, 0.0);
  }
}

/// Everything above for both methods, both orders and the boolean query.
inline void expect_answer(const Pair& pair, long double truth, double tolerance,
                          const std::optional<Vector3>& normal = {}, double input_error = 0) {
  SCOPED_TRACE(pair.describe());
  for (const Method method : {Method::automatic, Method::gjk}) {
    SCOPED_TRACE(method == Method::automatic ? "automatic" : "gjk");
    for (const bool swap : {false, true}) {
      SCOPED_TRACE(swap ? "b, a" : "a, b");
      const Pair asked = swap ? pair.swapped() : pair;
      const Distance r = asked.distance({.method = method});
      expect_sound(asked, r);
      expect_distance(asked, r, truth, tolerance, input_error);
      if (normal) expect_normal(r, swap ? Vector3(-*normal) : *normal);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
  expect_collide_agrees(pair, truth, input_error);
}

}  // namespace tactum::regression
