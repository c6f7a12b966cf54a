// SPDX-License-Identifier: BSD-2-Clause
// Against sampling with a membership test that knows the shape's parameters only, and the laws that
// mass properties obey.
#include "shape/mass/mass_properties.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "shape/point_clouds.hpp"
#include "tactum/status.hpp"

namespace tactum::mass_properties_test {
namespace {

using testing::Random;

double distance_to_segment(const Vector3& p, const Vector3& a, const Vector3& b) {
  const Vector3 ab = b - a;
  const double length_squared = ab.squaredNorm();
  const double t = length_squared > 0.0 ? std::clamp(ab.dot(p - a) / length_squared, 0.0, 1.0)
                                        : 0.0;
  return (p - a - t * ab).norm();
}

double distance_to_triangle(const Vector3& p, const Vector3& a, const Vector3& b,
                            const Vector3& c) {
  const Vector3 n = (b - a).cross(c - a);
  const bool above = n.cross(b - a).dot(p - a) >= 0 && n.cross(c - b).dot(p - b) >= 0 &&
                     n.cross(a - c).dot(p - c) >= 0;
  if (above) return std::abs(n.normalized().dot(p - a));
  return std::min(
      {distance_to_segment(p, a, b), distance_to_segment(p, b, c), distance_to_segment(p, c, a)});
}

double distance_to_convex(const Convex& hull, const Vector3& p) {
  if (hull.dimension() == 0) return (p - hull.vertex(0)).norm();
  if (hull.dimension() == 1) return distance_to_segment(p, hull.vertex(0), hull.vertex(1));
  const Triangles faces = hull.faces();
  double nearest = std::numeric_limits<double>::infinity();
  bool inside = hull.dimension() == 3;
  for (int f = 0; f < faces.cols(); ++f) {
    const Vector3 a = hull.vertex(faces(0, f));
    const Vector3 b = hull.vertex(faces(1, f));
    const Vector3 c = hull.vertex(faces(2, f));
    nearest = std::min(nearest, distance_to_triangle(p, a, b, c));
    inside = inside && (b - a).cross(c - a).dot(p - a) <= 0.0;
  }
  return inside ? 0.0 : nearest;
}

/// By bisection of the multiplier of the nearest point: x_i = a_i^2 p_i / (a_i^2 + t).
double distance_to_ellipsoid(const Vector3& a, const Vector3& p) {
  if (p.cwiseQuotient(a).norm() <= 1.0) return 0.0;
  const auto nearest = [&](double t) {
    return Vector3(
        a.cwiseAbs2().cwiseProduct(p).cwiseQuotient(a.cwiseAbs2() + Vector3::Constant(t)));
  };
  double low = 0.0;
  double high = a.maxCoeff() * p.norm() + 1.0;
  for (int i = 0; i < 50; ++i) {
    const double middle = 0.5 * (low + high);
    (nearest(middle).cwiseQuotient(a).norm() > 1.0 ? low : high) = middle;
  }
  return (p - nearest(low)).norm();
}

double distance_to(const Shape& shape, const Vector3& p) {
  const double f = std::hypot(p.x(), p.y());
  const Vector3 q(f, 0.0, p.z());
  return std::visit(
      [&]<class Kind>(const Kind& s) -> double {
        if constexpr (std::same_as<Kind, Sphere>) {
          return std::max(0.0, p.norm() - s.radius);
        } else if constexpr (std::same_as<Kind, Ellipsoid>) {
          return distance_to_ellipsoid(s.semi_axes, p);
        } else if constexpr (std::same_as<Kind, Box>) {
          return (p.cwiseAbs() - s.half_extents).cwiseMax(0.0).norm();
        } else if constexpr (std::same_as<Kind, Capsule>) {
          return std::max(
              0.0,
              distance_to_segment(p, {0, 0, -s.half_length}, {0, 0, s.half_length}) - s.radius);
        } else if constexpr (std::same_as<Kind, Cylinder>) {
          return std::hypot(std::max(0.0, f - s.radius),
                            std::max(0.0, std::abs(p.z()) - s.half_length));
        } else if constexpr (std::same_as<Kind, Cone>) {
          return distance_to_triangle(q, {-s.radius, 0, -s.half_length},
                                      {s.radius, 0, -s.half_length}, {0, 0, s.half_length});
        } else if constexpr (std::same_as<Kind, Convex>) {
          return distance_to_convex(s, p);
        } else {
          return 0.0;
        }
      },
      shape.parameters());
}

std::vector<Shape> shapes_with_margin(double margin) {
  Random random(61);
  std::vector<Shape> shapes = {Sphere{.radius = 0.6, .margin = margin},
                               Ellipsoid{.semi_axes = {0.3, 1.0, 0.5}, .margin = margin},
                               Box{.half_extents = {0.3, 0.5, 0.9}, .margin = margin},
                               Capsule{.radius = 0.3, .half_length = 0.6, .margin = margin},
                               Cylinder{.radius = 0.5, .half_length = 0.4, .margin = margin},
                               Cone{.radius = 0.7, .half_length = 0.5, .margin = margin}};
  const Vector3 away(0.4, -0.3, 0.2);
  shapes.emplace_back(Convex::from_points(testing::box_points(5, random).colwise() + away, margin));
  shapes.emplace_back(
      Convex::from_points(testing::box_points(16, random).colwise() + away, margin));
  if (margin > 0.0) {
    Points flat = testing::box_points(7, random);
    flat.row(2).setZero();
    const Matrix3 R = random.rotation();
    shapes.emplace_back(Convex::from_points((R * flat).colwise() + away, margin));
    shapes.emplace_back(
        Convex::from_points(testing::box_points(2, random).colwise() + away, margin));
    shapes.emplace_back(Convex::from_points(testing::box_points(1, random), margin));
  }
  return shapes;
}

TEST(MassProperties, AgreeWithSampling) {
  Random random(62);
  for (const double margin : {0.0, 0.35}) {
    for (const Shape& shape : shapes_with_margin(margin)) {
      SCOPED_TRACE(shape.to_string());
      const Aabb box = shape.aabb();
      const Vector3 side = box.upper - box.lower;
      // one random point in each cell of a grid: far less scatter than independent points
      const int n = 45;
      const double cell = side.prod() / (n * n * n);
      Moments sum;
      for (int i = 0; i < n * n * n; ++i) {
        const Vector3 jitter(random.uniform(), random.uniform(), random.uniform());
        const Vector3 x = box.lower + side.cwiseProduct(
                                          (Vector3(i % n, (i / n) % n, i / (n * n)) + jitter) / n);
        if (distance_to(shape, x) > margin) continue;
        sum += {cell, cell * x, cell * x * x.transpose()};
      }
      const Vector3 center = sum.first / sum.volume;
      const Matrix3 central = sum.second - sum.volume * center * center.transpose();
      const Matrix3 inertia = central.trace() * Matrix3::Identity() - central;
      const MassProperties mass = shape.mass_properties(2.0);
      // some 6 n^2 cells are cut by the boundary; five standard deviations of the volume in them
      const double scatter = 5.0 * 0.5 * std::sqrt(6.0 * n * n) * cell / sum.volume;
      EXPECT_LT(scatter, 0.05);
      EXPECT_NEAR(mass.mass / (2.0 * sum.volume), 1.0, scatter);
      EXPECT_EQ(mass.mass, 2.0 * shape.volume());
      EXPECT_LT((mass.center_of_mass - center).norm(), scatter * side.norm());
      EXPECT_LT((mass.inertia - 2.0 * inertia).norm(), 3.0 * scatter * mass.inertia.norm());
    }
  }
}

TEST(MassProperties, InertiaIsPhysical) {
  Random random(63);
  std::vector<Shape> shapes = shapes_with_margin(0.0);
  for (const Shape& shape : shapes_with_margin(0.01)) shapes.push_back(shape);
  for (const Shape& shape : shapes) {
    const MassProperties mass = shape.mass_properties(1000.0);
    EXPECT_EQ(mass.inertia, mass.inertia.transpose());
    const Vector3 principal = Eigen::SelfAdjointEigenSolver<Matrix3>(mass.inertia).eigenvalues();
    EXPECT_GT(principal[0], 0.0);
    EXPECT_GE(principal[0] + principal[1], principal[2] * (1.0 - 1e-12)) << shape.to_string();
  }
}

TEST(MassProperties, FarHullsKeepTheirInertia) {
  Random random(64);
  // multiples of 1/64, so that moving them far away is exact
  const Points points = (testing::box_points(20, random) * 64.0).array().round() / 64.0;
  const MassProperties near = Shape(Convex::from_points(points, 0.25)).mass_properties(1.0);
  const Vector3 shift(1048576.0, -524288.0, 65536.0);
  const MassProperties far =
      Shape(Convex::from_points(points.colwise() + shift, 0.25)).mass_properties(1.0);
  EXPECT_NEAR(far.mass / near.mass, 1.0, 1e-9);
  EXPECT_LT((far.center_of_mass - near.center_of_mass - shift).norm(), 1e-9);
  EXPECT_LT((far.inertia - near.inertia).norm(), 1e-9 * near.inertia.norm());
}

TEST(MassProperties, SegmentHullIsATurnedCapsule) {
  Random random(65);
  Points ends(3, 2);
  ends << Vector3(0, 0, -0.6), Vector3(0, 0, 0.6);
  const Matrix3 R = random.rotation();
  const MassProperties capsule =
      Shape(Capsule{.radius = 0.3, .half_length = 0.6}).mass_properties(1.0);
  const MassProperties hull =
      Shape(Convex::from_points((R * ends).colwise() + Vector3(1, 2, 3), 0.3)).mass_properties(1.0);
  EXPECT_NEAR(hull.mass, capsule.mass, 1e-14);
  EXPECT_LT((hull.center_of_mass - Vector3(1, 2, 3)).norm(), 1e-14);
  EXPECT_LT((hull.inertia - R * capsule.inertia * R.transpose()).norm(), 1e-14);
}

TEST(MassProperties, WithoutVolumeThereIsNoMass) {
  Random random(66);
  Points flat = testing::box_points(6, random);
  flat.row(2).setConstant(0.5);
  for (const Points& points : {Points(flat), Points(flat.leftCols(2)), Points(flat.leftCols(1))}) {
    const Shape shape(Convex::from_points(points));
    EXPECT_EQ(shape.volume(), 0.0);
    const MassProperties mass = shape.mass_properties(3.0);
    EXPECT_EQ(mass.mass, 0.0);
    EXPECT_EQ(mass.inertia, Matrix3::Zero());
    EXPECT_NEAR(mass.center_of_mass.z(), 0.5, 1e-15);
  }
  EXPECT_EQ(Shape(Sphere{.radius = 0.0}).mass_properties(1.0).mass, 0.0);
}

TEST(MassProperties, EveryAcceptedSizeIsFinite) {
  for (const double size : {1e-30, 1e30}) {
    const std::vector<Shape> shapes = {
        Sphere{.radius = size, .margin = size},
        Ellipsoid{.semi_axes = {size, 2e-30, 0.5e30}, .margin = size},
        Box{.half_extents = {size, size, size}, .margin = size},
        Capsule{.radius = size, .half_length = size},
        Cylinder{.radius = size, .half_length = size, .margin = size},
        Cone{.radius = size, .half_length = size, .margin = size}};
    for (const Shape& shape : shapes) {
      const MassProperties mass = shape.mass_properties(1.0);
      EXPECT_GT(mass.mass, 0.0) << shape.to_string();
      EXPECT_TRUE(std::isfinite(mass.mass));
      EXPECT_TRUE(mass.inertia.allFinite());
    }
  }
}

TEST(MassProperties, BadRequestsAreNamed) {
  const auto field_of = [](const Shape& shape, double density) -> std::string {
    try {
      shape.mass_properties(density);
    } catch (const InvalidInput& error) {
      return error.field();
    }
    return "no error";
  };
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(field_of(Sphere{.radius = 1}, bad), "density");
  }
  EXPECT_EQ(field_of(HalfSpace{}, 1.0), "HalfSpace");
  EXPECT_EQ(Shape(HalfSpace{}).volume(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace tactum::mass_properties_test
