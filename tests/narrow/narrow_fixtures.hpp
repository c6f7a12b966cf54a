// SPDX-License-Identifier: BSD-2-Clause
// Helpers of the tests of src/narrow: pairs of cores in the frame of A, their true distance in
// extended precision, and checks of answers.
//
// Truth comes from tests/support (certified search, feature enumeration), which is independent of
// src/narrow. A core leaves the swept radius out, so the truth of the cores is the truth of the
// shapes plus CorePair::radius().
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "narrow/gjk/newton_refinement.hpp"
#include "support/extended.hpp"
#include "support/feature_enumeration.hpp"
#include "support/kinds.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/repetitions.hpp"
#include "support/traps_off.hpp"
#include "tactum/distance.hpp"

namespace tactum::testing {

inline constexpr double kEps = std::numeric_limits<double>::epsilon();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Two shapes and the pose of the second in the frame of the first.
struct TestPair {
  Shape a;
  Shape b;
  Pose X_AB;

  double scale() const {
    return std::max({X_AB.translation.norm(), a.core().bounding_radius, b.core().bounding_radius});
  }
  CorePair cores() const { return {a.core(), b.core(), X_AB, scale()}; }

  /// True signed distance of the cores; `error` bounds its error, which is upwards only.
  Real core_truth(Real* error = nullptr) const {
    const Truth truth = oracle_distance(a, b, X_AB);
    if (error != nullptr) *error = truth.error;
    return truth.distance + Real(cores().radius());
  }

  /// The separation sep(n) of the cores in extended precision.
  Real separation_of_cores(const Vector3& n) const {
    return separation(ConvexBody(a, Pose{}), ConvexBody(b, X_AB), widen(n).normalized()) +
           Real(cores().radius());
  }

  /// Distance of a point (frame of A) outside core A or core B.
  Real outside_a(const Vector3& p) const { return outside(a, Pose{}, p); }
  Real outside_b(const Vector3& p) const { return outside(b, X_AB, p); }

 private:
  static Real outside(const Shape& shape, const Pose& X, const Vector3& p) {
    const double rounding = shape.core().inner_radius;
    if (rounding == 0.0) return ConvexBody(shape, X).distance_to_core(widen(p));
    // for the core of an ellipsoid, the ball that was taken out must fit in the ellipsoid around p
    const Shape plain = Ellipsoid{.semi_axes = shape.core().size};
    const Truth truth = oracle_distance(plain, Sphere{}, {Matrix3::Identity(), inverse(X) * p});
    return std::max(Real(0), truth.distance + Real(rounding));
  }
};

/// Field of the InvalidInput that `act` throws; empty when it throws nothing. Value and remedy must
/// be present, and the text must name the field.
template <class Act>
std::string rejected_field(const Act& act) {
  const TrapsOff traps_off;
  try {
    act();
  } catch (const InvalidInput& error) {
    EXPECT_FALSE(error.value().empty());
    EXPECT_FALSE(error.remedy().empty());
    EXPECT_NE(std::string(error.what()).find(error.field()), std::string::npos);
    return error.field();
  }
  return "";
}

inline Pose at(double x, double y, double z) { return {Matrix3::Identity(), Vector3(x, y, z)}; }

inline Pose turned(const Vector3& axis, double angle, const Vector3& translation) {
  return {Random::turn(axis.normalized(), angle), translation};
}

inline Pose random_pose(Random& random, double reach) {
  return {random.rotation(), random.in_box(reach)};
}

inline Vector3 random_sizes(Random& random, double low = 0.1, double high = 0.5) {
  return {random.uniform(low, high), random.uniform(low, high), random.uniform(low, high)};
}

/// Hull of points on a random ellipsoid.
inline Convex random_hull(Random& random, int count) {
  const Vector3 sizes = random_sizes(random);
  Points points(3, count);
  for (int i = 0; i < count; ++i) points.col(i) = sizes.cwiseProduct(random.direction());
  return Convex::from_points(points);
}

/// Volume around points on a random ellipsoid: few of them, since the oracle tries all triples.
inline Stp random_volume(Random& random, int count, double margin) {
  const Vector3 sizes = random_sizes(random);
  Points points(3, count);
  for (int i = 0; i < count; ++i) points.col(i) = sizes.cwiseProduct(random.direction());
  const double small = random.uniform(0.0, 0.1), large = sizes.maxCoeff();
  return Stp::from_points(points, {.small_radius = small,
                                   .big_radius = small + large * random.log_uniform(1.1, 20.0),
                                   .margin = margin});
}

/// A flat polygon in the plane z = 0.
inline Convex random_polygon(Random& random, int count) {
  Points points(3, count);
  for (int i = 0; i < count; ++i) {
    const double angle = random.uniform(0.0, 6.28318);
    points.col(i) = Vector3(0.3 * std::cos(angle), 0.2 * std::sin(angle), 0.0);
  }
  return Convex::from_points(points);
}

/// Hull of the given points, written as rows.
inline Convex hull_of(std::initializer_list<Vector3> points) {
  Points columns(3, static_cast<Eigen::Index>(points.size()));
  Eigen::Index i = 0;
  for (const Vector3& p : points) columns.col(i++) = p;
  return Convex::from_points(columns);
}

/// A random shape of one kind, sometimes with a margin.
inline Shape random_shape_of(ShapeKind kind, Random& random) {
  const double r = random.uniform(0.1, 0.5), l = random.uniform(0.1, 0.5),
               margin = random.chance(0.3) ? 0.05 : 0.0;
  switch (kind) {
    case ShapeKind::sphere: return Sphere{.radius = r, .margin = margin};
    case ShapeKind::ellipsoid:
      return Ellipsoid{.semi_axes = random_sizes(random), .margin = margin};
    case ShapeKind::box: return Box{.half_extents = random_sizes(random), .margin = margin};
    case ShapeKind::capsule: return Capsule{.radius = 0.5 * r, .half_length = l, .margin = margin};
    case ShapeKind::cylinder: return Cylinder{.radius = r, .half_length = l, .margin = margin};
    case ShapeKind::cone: return Cone{.radius = r, .half_length = l, .margin = margin};
    case ShapeKind::half_space:
      return HalfSpace{
          .normal = random.direction(), .offset = random.uniform(-0.3, 0.3), .margin = margin};
    case ShapeKind::stp: return random_volume(random, 2 + random.below(6), margin);
    case ShapeKind::convex: break;
  }
  return random_hull(random, 4 + random.below(20));
}

/// A random shape of one of the kinds whose pairs need iteration.
inline Shape random_solid(Random& random) {
  constexpr std::array<ShapeKind, 6> kinds = {ShapeKind::ellipsoid, ShapeKind::box,
                                              ShapeKind::capsule,   ShapeKind::cylinder,
                                              ShapeKind::cone,      ShapeKind::convex};
  return random_shape_of(kinds[static_cast<std::size_t>(random.below(6))], random);
}

/// Two random solids, the second anywhere within `reach` of the first.
inline TestPair random_solids(Random& random, double reach) {
  Shape a = random_solid(random), b = random_solid(random);
  return {std::move(a), std::move(b), random_pose(random, reach)};
}

/// Brute force over faces and edge pairs for cores that are polytopes.
inline Real enumerated(const TestPair& pair) {
  return enumerate_features(ConvexBody(pair.a, Pose{}), ConvexBody(pair.b, pair.X_AB));
}

/// Directions spread evenly over the sphere (Fibonacci lattice).
inline std::vector<Vector3> lattice_directions(int count) {
  std::vector<Vector3> directions;
  for (int i = 0; i < count; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / count, r = std::sqrt(1.0 - z * z),
                 angle = 2.399963229728653 * i;
    directions.push_back(Vector3(r * std::cos(angle), r * std::sin(angle), z).normalized());
  }
  return directions;
}

/// A one-point simplex with full weight.
inline Simplex single_point(const MinkowskiPoint& point) {
  Simplex simplex;
  simplex.push(point);
  simplex.weights[0] = 1.0;
  return simplex;
}

/// Checks everything that an optimum promises against the true distance of the cores: a unit
/// normal, sep(normal) = lower in extended precision, points in both cores, and the stated
/// residual.
inline void expect_valid_optimum(const TestPair& pair, const SeparationOptimum& optimum,
                                 double membership = 64.0 * kEps) {
  const double scale = pair.scale();
  EXPECT_NEAR(optimum.normal.norm(), 1.0, 8.0 * kEps);
  EXPECT_NEAR(optimum.lower, static_cast<double>(pair.separation_of_cores(optimum.normal)),
              16.0 * kEps * scale);
  EXPECT_LE(static_cast<double>(pair.outside_a(optimum.point_a)), membership * scale);
  EXPECT_LE(static_cast<double>(pair.outside_b(optimum.point_b)), membership * scale);
  EXPECT_NEAR((optimum.point_b - optimum.point_a - optimum.lower * optimum.normal).norm(),
              optimum.residual, 16.0 * kEps * scale);
}

}  // namespace tactum::testing
