// SPDX-License-Identifier: BSD-2-Clause
// Validation field by field; supports and boxes against dense samples of the boundary and of the
// definition; values as values.
#include "tactum/shape.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <unordered_set>
#include <vector>

#include "math/epsilon.hpp"
#include "shape/hull/convex_polytope.hpp"
#include "shape/point_clouds.hpp"
#include "tactum/status.hpp"

namespace tactum::shape_test {
namespace {

using testing::Random;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "no error";
}

Points random_hull(int count, int dimension, Random& random) {
  Points points = testing::box_points(count, random);
  if (dimension < 3) points.row(2).setZero();
  if (dimension < 2) points.row(1).setZero();
  return (random.rotation() * points).colwise() + random.in_box(0.5);
}

/// One of every kind, without a margin and with one.
std::vector<Shape> bounded_shapes(Random& random) {
  std::vector<Shape> shapes;
  for (const double margin : {0.0, 0.15}) {
    shapes.emplace_back(Sphere{.radius = 0.7, .margin = margin});
    shapes.emplace_back(Sphere{.radius = 0.0, .margin = margin});
    shapes.emplace_back(Ellipsoid{.semi_axes = {0.3, 1.2, 0.05}, .margin = margin});
    shapes.emplace_back(Ellipsoid{.semi_axes = {0.4, 0.4, 0.4}, .margin = margin});
    shapes.emplace_back(Box{.half_extents = {0.1, 0.2, 0.9}, .margin = margin});
    shapes.emplace_back(Capsule{.radius = 0.2, .half_length = 0.6, .margin = margin});
    shapes.emplace_back(Capsule{.radius = 0.2, .half_length = 0.0, .margin = margin});
    shapes.emplace_back(Cylinder{.radius = 0.5, .half_length = 0.3, .margin = margin});
    shapes.emplace_back(Cone{.radius = 0.5, .half_length = 0.4, .margin = margin});
    for (int dimension = 0; dimension <= 3; ++dimension) {
      shapes.emplace_back(
          Convex::from_points(random_hull(dimension == 0 ? 1 : 90, dimension, random), margin));
    }
  }
  return shapes;
}

// -------------------------------------------------------------------------------------------------
// validation

TEST(ShapeValidation, SizesAreNamedWithValueAndRemedy) {
  EXPECT_EQ(error_of([] { Shape(Box{.half_extents = {0.1, -0.2, 0.3}}); }),
            "Box.half_extents[1]: got -0.2; give a size from 1e-30 to 1e30 m");
  EXPECT_EQ(error_of([] { Shape(Sphere{.radius = kNan}); }),
            "Sphere.radius: got nan; give zero or a size from 1e-30 to 1e30 m");
}

TEST(ShapeValidation, EverySizeRefusesWhatIsNoSize) {
  for (const double bad :
       {kNan, kInfinity, -kInfinity, -1.0, -1e-300, 1e-31, 5e-324, 1e31, 1e300}) {
    const auto expect_field = [bad](const std::string& field,
                                    const std::function<void(double)>& make) {
      EXPECT_EQ(error_of([&] { make(bad); }).find(field + ": got "), 0U) << field << " " << bad;
      EXPECT_EQ(error_of([&] { make(1e30); }), "no error");
      EXPECT_EQ(error_of([&] { make(1e-30); }), "no error");
    };
    expect_field("Sphere.radius", [](double x) { Shape(Sphere{.radius = x}); });
    expect_field("Sphere.margin", [](double x) { Shape(Sphere{.radius = 1, .margin = x}); });
    for (int i = 0; i < 3; ++i) {
      const auto sizes = [i](double x) {
        Vector3 v(1, 1, 1);
        v[i] = x;
        return v;
      };
      const std::string index = "[" + std::to_string(i) + "]";
      expect_field("Ellipsoid.semi_axes" + index,
                   [&](double x) { Shape(Ellipsoid{.semi_axes = sizes(x)}); });
      expect_field("Box.half_extents" + index,
                   [&](double x) { Shape(Box{.half_extents = sizes(x)}); });
    }
    expect_field("Ellipsoid.margin",
                 [](double x) { Shape(Ellipsoid{.semi_axes = {1, 1, 1}, .margin = x}); });
    expect_field("Box.margin",
                 [](double x) { Shape(Box{.half_extents = {1, 1, 1}, .margin = x}); });
    expect_field("Capsule.radius", [](double x) { Shape(Capsule{.radius = x, .half_length = 1}); });
    expect_field("Capsule.half_length",
                 [](double x) { Shape(Capsule{.radius = 1, .half_length = x}); });
    expect_field("Capsule.margin",
                 [](double x) { Shape(Capsule{.radius = 1, .half_length = 1, .margin = x}); });
    expect_field("Cylinder.radius",
                 [](double x) { Shape(Cylinder{.radius = x, .half_length = 1}); });
    expect_field("Cylinder.half_length",
                 [](double x) { Shape(Cylinder{.radius = 1, .half_length = x}); });
    expect_field("Cylinder.margin",
                 [](double x) { Shape(Cylinder{.radius = 1, .half_length = 1, .margin = x}); });
    expect_field("Cone.radius", [](double x) { Shape(Cone{.radius = x, .half_length = 1}); });
    expect_field("Cone.half_length", [](double x) { Shape(Cone{.radius = 1, .half_length = x}); });
    expect_field("Cone.margin",
                 [](double x) { Shape(Cone{.radius = 1, .half_length = 1, .margin = x}); });
    expect_field("HalfSpace.margin", [](double x) { Shape(HalfSpace{.margin = x}); });
    Convex hull = Convex::from_points(testing::grid_points(2));
    expect_field("Convex.margin", [&](double x) {
      hull.margin = x;
      Shape{hull};
    });
  }
}

TEST(ShapeValidation, ZeroIsAllowedWhereItMeansSomething) {
  EXPECT_EQ(error_of([] { Shape(Sphere{.radius = 0.0}); }), "no error");
  EXPECT_EQ(error_of([] { Shape(Capsule{.radius = 1.0, .half_length = 0.0}); }), "no error");
  EXPECT_EQ(error_of([] {
              Shape(Capsule{.radius = 0.0, .half_length = 1.0});
            }).find("Capsule.radius: got 0; "),
            0U);
  EXPECT_EQ(
      error_of([] { Shape(Box{.half_extents = {1, 1, 0}}); }).find("Box.half_extents[2]: got 0; "),
      0U);
  EXPECT_EQ(
      error_of([] { Shape(Cone{.radius = 0.0, .half_length = 1.0}); }).find("Cone.radius: got 0; "),
      0U);
}

TEST(ShapeValidation, HalfSpaces) {
  EXPECT_EQ(error_of([] {
              Shape(HalfSpace{.normal = {0, kNan, 1}});
            }).find("HalfSpace.normal[1]: got nan; "),
            0U);
  EXPECT_EQ(error_of([] { Shape(HalfSpace{.normal = {0, 0, 0}}); }).find("HalfSpace.normal: got "),
            0U);
  EXPECT_EQ(
      error_of([] { Shape(HalfSpace{.offset = kInfinity}); }).find("HalfSpace.offset: got inf; "),
      0U);
  EXPECT_EQ(error_of([] { Shape(HalfSpace{.offset = -2e30}); }).find("HalfSpace.offset: got -2"),
            0U);
  for (const double length : {1e-29, 1e-10, 3.0, 1e300}) {
    const Shape shape(HalfSpace{.normal = length * Vector3(1, 2, -2)});
    EXPECT_LT((std::get<HalfSpace>(shape.parameters()).normal - Vector3(1, 2, -2) / 3.0).norm(),
              3e-16);
  }
}

// -------------------------------------------------------------------------------------------------
// core

TEST(ShapeCore, KindsAndRadii) {
  using Kind = CoreShape::Kind;
  const auto core = [](const Shape& shape) { return shape.core(); };
  EXPECT_EQ(core(Sphere{.radius = 2, .margin = 1}).kind, Kind::point);
  EXPECT_EQ(core(Sphere{.radius = 2, .margin = 1}).radius, 3.0);
  EXPECT_EQ(core(Capsule{.radius = 2, .half_length = 5, .margin = 1}).kind, Kind::segment);
  EXPECT_EQ(core(Capsule{.radius = 2, .half_length = 5, .margin = 1}).radius, 3.0);
  EXPECT_EQ(core(Capsule{.radius = 2, .half_length = 5, .margin = 1}).size, Vector3(0, 0, 5));
  EXPECT_EQ(core(Capsule{.radius = 2, .half_length = 0}).kind, Kind::point);
  EXPECT_EQ(core(Ellipsoid{.semi_axes = {2, 2, 2}, .margin = 1}).kind, Kind::point);
  EXPECT_EQ(core(Ellipsoid{.semi_axes = {2, 2, 2}, .margin = 1}).radius, 3.0);
  EXPECT_EQ(core(Ellipsoid{.semi_axes = {2, 2, 3}, .margin = 1}).kind, Kind::ellipsoid);
  EXPECT_EQ(core(Ellipsoid{.semi_axes = {2, 2, 3}, .margin = 1}).radius, 1.0);
  EXPECT_EQ(core(Cylinder{.radius = 2, .half_length = 3}).size, Vector3(2, 3, 0));
  EXPECT_EQ(core(Cone{.radius = 2, .half_length = 3}).kind, Kind::cone);
  EXPECT_EQ(core(HalfSpace{.normal = {0, 0, 2}, .offset = 3, .margin = 1}).offset, 4.0);
  EXPECT_EQ(core(HalfSpace{.normal = {0, 0, 2}, .offset = 3, .margin = 1}).size, Vector3(0, 0, 1));
  EXPECT_EQ(core(HalfSpace{}).bounding_radius, kInfinity);
  Points ends(3, 2);
  ends << 1, 3, 0, 0, 0, 4;
  EXPECT_EQ(core(Convex::from_points(ends)).kind, Kind::segment);
  EXPECT_EQ(core(Convex::from_points(ends)).center, Vector3(2, 0, 2));
  EXPECT_EQ(core(Convex::from_points(ends)).size, Vector3(1, 0, 2));
  EXPECT_EQ(core(Convex::from_points(ends.leftCols(1), 0.5)).kind, Kind::point);
  EXPECT_EQ(core(Convex::from_points(ends.leftCols(1), 0.5)).center, Vector3(1, 0, 0));
}

TEST(ShapeCore, CopiesShareTheTablesAndOutliveTheOriginal) {
  Random random(41);
  auto original = std::make_unique<Shape>(Convex::from_points(testing::sphere_points(100, random)));
  const Vector3 farthest = original->support({1, 2, 3});
  const Shape copy = *original;
  original.reset();
  EXPECT_EQ(copy.support({1, 2, 3}), farthest);
}

TEST(ShapeCore, BoundingRadiusIsTheLargestDistanceFromTheOrigin) {
  Random random(42);
  for (const Shape& shape : bounded_shapes(random)) {
    double largest = 0.0;
    for (int i = 0; i < 20000; ++i)
      largest = std::max(largest, shape.support(random.direction()).norm());
    EXPECT_LE(largest, shape.core().bounding_radius * (1.0 + 1e-15)) << shape.to_string();
    EXPECT_GE(largest, shape.core().bounding_radius * 0.997) << shape.to_string();
  }
}

// -------------------------------------------------------------------------------------------------
// support and boxes

/// Points of the boundary made from the parameters alone, dense enough for supports within 1e-4.
std::vector<Vector3> boundary_samples(const Shape& shape, Random& random) {
  std::vector<Vector3> samples;
  const auto add = [&](const Vector3& core_point, double radius) {
    for (int k = 0; k < 40; ++k) samples.push_back(core_point + radius * random.direction());
  };
  const auto rim = [&](double radius, double z, double sweep) {
    for (int i = 0; i < 2000; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / 2000;
      add({radius * std::cos(angle), radius * std::sin(angle), z}, sweep);
    }
  };
  std::visit(
      [&]<class Kind>(const Kind& s) {
        if constexpr (std::same_as<Kind, Sphere>) {
          for (int i = 0; i < 2000; ++i) add(Vector3::Zero(), s.radius + s.margin);
        } else if constexpr (std::same_as<Kind, Ellipsoid>) {
          for (int i = 0; i < 2000; ++i)
            add(s.semi_axes.cwiseProduct(random.direction()), s.margin);
        } else if constexpr (std::same_as<Kind, Box>) {
          for (int k = 0; k < 8000; ++k) {
            add(s.half_extents.cwiseProduct(
                    Vector3((k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? 1 : -1, (k & 4) != 0 ? 1 : -1)),
                s.margin);
          }
        } else if constexpr (std::same_as<Kind, Capsule>) {
          for (int k = 0; k < 4000; ++k)
            add({0, 0, k % 2 == 0 ? s.half_length : -s.half_length}, s.radius + s.margin);
        } else if constexpr (std::same_as<Kind, Cylinder>) {
          rim(s.radius, s.half_length, s.margin), rim(s.radius, -s.half_length, s.margin);
        } else if constexpr (std::same_as<Kind, Cone>) {
          rim(s.radius, -s.half_length, s.margin);
          for (int k = 0; k < 2000; ++k) add({0, 0, s.half_length}, s.margin);
        } else if constexpr (std::same_as<Kind, Convex>) {
          for (int i = 0; i < s.num_vertices(); ++i) {
            for (int k = 0; k < 50; ++k) add(s.vertex(i), s.margin);
          }
        }
      },
      shape.parameters());
  return samples;
}

TEST(ShapeSupport, NoSampleOfTheBoundaryIsFartherAndSomeAreClose) {
  Random random(43);
  for (const Shape& shape : bounded_shapes(random)) {
    SCOPED_TRACE(shape.to_string());
    const std::vector<Vector3> samples = boundary_samples(shape, random);
    for (int i = 0; i < 30; ++i) {
      const Vector3 u = i < 6 ? Vector3(Vector3::Unit(i / 2) * (i % 2 == 0 ? 1.0 : -1.0))
                              : random.direction();
      const double length = random.log_uniform(1e-20, 1e20);
      const double height = u.dot(shape.support(length * u));
      double best = -kInfinity;
      for (const Vector3& sample : samples) best = std::max(best, u.dot(sample));
      EXPECT_LE(best, height + 4e-15);
      EXPECT_GE(best, height - 0.02);
    }
  }
}

TEST(ShapeSupport, ExactValues) {
  EXPECT_LT((Shape(Ellipsoid{.semi_axes = {1, 2, 3}}).support({1, 1, 1}) -
             Vector3(1, 4, 9) / std::sqrt(14.0))
                .norm(),
            1e-15);
  EXPECT_EQ(Shape(Box{.half_extents = {1, 2, 3}}).support({-1, 1, -1}), Vector3(-1, 2, -3));
  EXPECT_EQ(Shape(Cone{.radius = 1, .half_length = 2}).support({0, 0, 1}), Vector3(0, 0, 2));
  EXPECT_EQ(Shape(Cone{.radius = 1, .half_length = 2}).support({1, 0, 0}), Vector3(1, 0, -2));
  EXPECT_EQ(Shape(Capsule{.radius = 1, .half_length = 2, .margin = 0.5}).support({0, 0, -3}),
            Vector3(0, 0, -3.5));
  EXPECT_EQ(Shape(HalfSpace{.normal = {0, 2, 0}, .offset = 3, .margin = 1}).support({0, 5, 0}),
            Vector3(0, 4, 0));
}

TEST(ShapeSupport, BadDirectionsAreNamed) {
  const Shape box(Box{.half_extents = {1, 2, 3}});
  EXPECT_EQ(error_of([&] { box.support({0, 0, 0}); }).find("direction: got "), 0U);
  EXPECT_EQ(error_of([&] { box.support({0, kInfinity, 0}); }).find("direction[1]: got inf"), 0U);
  EXPECT_EQ(error_of([&] { box.support({0, 0, kNan}); }).find("direction[2]: got nan"), 0U);
  EXPECT_EQ(error_of([] { Shape(HalfSpace{}).support({0, 1e-9, 1}); }).find("direction: got "), 0U);
  EXPECT_EQ(error_of([] { Shape(HalfSpace{}).support({0, 0, -1}); }).find("direction: got "), 0U);
}

TEST(ShapeAabb, SidesAreTheSupportsOfTheTurnedShape) {
  Random random(44);
  for (const Shape& shape : bounded_shapes(random)) {
    SCOPED_TRACE(shape.to_string());
    for (int i = 0; i < 20; ++i) {
      const Pose X{i == 0 ? Matrix3(Matrix3::Identity()) : random.rotation(), random.in_box(2.0)};
      const Aabb box = shape.aabb(X);
      for (int k = 0; k < 3; ++k) {
        const Vector3 axis = X.rotation.row(k).transpose();
        // sides are rounded outward by 4 eps of the coordinates, and the support point moved by X
        // is off by about as much
        const double off = 8.0 * kEpsilon * (X.translation.norm() + shape.core().bounding_radius);
        EXPECT_NEAR(box.upper[k], (X * shape.support(axis))[k], off);
        EXPECT_NEAR(box.lower[k], (X * shape.support(-axis))[k], off);
      }
    }
  }
}

TEST(ShapeAabb, HalfSpacesAreBoundedAlongAnAxisOnly) {
  const Aabb level =
      Shape(HalfSpace{.offset = 2.0, .margin = 0.5}).aabb({.translation = {7, 8, 9}});
  EXPECT_EQ(level.upper, Vector3(kInfinity, kInfinity, 11.5));
  EXPECT_EQ(level.lower, Vector3(-kInfinity, -kInfinity, -kInfinity));
  const Aabb below = Shape(HalfSpace{.normal = {-1, 0, 0}, .offset = 2.0}).aabb();
  EXPECT_EQ(below.lower, Vector3(-2.0, -kInfinity, -kInfinity));
  EXPECT_EQ(below.upper, Vector3(kInfinity, kInfinity, kInfinity));
  const Aabb tilted = Shape(HalfSpace{.normal = {0, 1e-8, 1}}).aabb();
  EXPECT_EQ(tilted.upper, Vector3(kInfinity, kInfinity, kInfinity));
}

TEST(ShapeAabb, BadPosesAreNamed) {
  Pose X;
  X.translation[1] = kNan;
  EXPECT_EQ(error_of([&] { Shape(Sphere{.radius = 1}).aabb(X); }).find("X.translation[1]: got nan"),
            0U);
}

// -------------------------------------------------------------------------------------------------
// value semantics

TEST(ShapeText, ReadsAsInPython) {
  EXPECT_EQ(Shape(Box{.half_extents = {0.1, 0.2, 0.3}}).to_string(),
            "Box(half_extents=(0.1, 0.2, 0.3))");
  EXPECT_EQ(Shape(Box{.half_extents = {0.1, 2, 1e-7}, .margin = 0.01}).to_string(),
            "Box(half_extents=(0.1, 2.0, 1e-07), margin=0.01)");
  EXPECT_EQ(Shape(Sphere{.radius = 1}).to_string(), "Sphere(radius=1.0)");
  EXPECT_EQ(Shape(Ellipsoid{.semi_axes = {1, 2, 3}}).to_string(),
            "Ellipsoid(semi_axes=(1.0, 2.0, 3.0))");
  EXPECT_EQ(Shape(Capsule{.radius = 1, .half_length = 2}).to_string(),
            "Capsule(radius=1.0, half_length=2.0)");
  EXPECT_EQ(Shape(Cylinder{.radius = 1, .half_length = 2}).to_string(),
            "Cylinder(radius=1.0, half_length=2.0)");
  EXPECT_EQ(Shape(Cone{.radius = 1, .half_length = 2}).to_string(),
            "Cone(radius=1.0, half_length=2.0)");
  EXPECT_EQ(Shape(HalfSpace{.offset = 0.5}).to_string(),
            "HalfSpace(normal=(0.0, 0.0, 1.0), offset=0.5)");
  EXPECT_EQ(Shape(Convex::from_points(testing::grid_points(3), 0.01)).to_string(),
            "Convex(vertices=8, dimension=3, margin=0.01)");
}

TEST(ShapeEquality, ByKindAndParameters) {
  const Shape box(Box{.half_extents = {0.1, 0.2, 0.3}});
  EXPECT_EQ(box, Shape(Box{.half_extents = {0.1, 0.2, 0.3}}));
  EXPECT_NE(box, Shape(Box{.half_extents = {0.1, 0.2, std::nextafter(0.3, 1.0)}}));
  EXPECT_NE(box, Shape(Box{.half_extents = {0.1, 0.2, 0.3}, .margin = 0.1}));
  EXPECT_NE(box, Shape(Ellipsoid{.semi_axes = {0.1, 0.2, 0.3}}));
  EXPECT_NE(Shape(Cylinder{.radius = 1, .half_length = 2}),
            Shape(Cone{.radius = 1, .half_length = 2}));
  const Shape plane(HalfSpace{.normal = {0, 0, 1}, .offset = 0.0});
  const Shape same_plane(HalfSpace{.normal = {-0.0, 0, 3}, .offset = -0.0});
  EXPECT_EQ(plane, same_plane);
  EXPECT_EQ(plane.hash(), same_plane.hash());
}

TEST(ShapeEquality, HullsByVerticesAndMargin) {
  Random random(45);
  const Points points = testing::sphere_points(30, random);
  const Shape hull(Convex::from_points(points));
  EXPECT_EQ(hull, Shape(Convex::from_points(points)));
  EXPECT_EQ(hull.hash(), Shape(Convex::from_points(points)).hash());
  EXPECT_NE(hull, Shape(Convex::from_points(points, 0.1)));
  EXPECT_NE(hull, Shape(Convex::from_points(points.leftCols(29))));
  Points moved = points;
  moved(0, 5) = std::nextafter(moved(0, 5), 2.0);
  EXPECT_NE(hull, Shape(Convex::from_points(moved)));
}

TEST(ShapeEquality, UnitNormalsKeepTheirBitsWhenMadeAgain) {
  Random random(46);
  for (int i = 0; i < 500; ++i) {
    const Shape once(HalfSpace{.normal = random.uniform(0.1, 10.0) * random.direction()});
    EXPECT_EQ(once, Shape(once.parameters()));
    EXPECT_EQ(once.hash(), Shape(once.parameters()).hash());
  }
}

TEST(ShapeHash, SpreadsAndWorksInSets) {
  std::unordered_set<Shape> shapes;
  std::unordered_set<std::size_t> hashes;
  for (int i = 1; i <= 1000; ++i) {
    shapes.insert(Sphere{.radius = 0.001 * i});
    shapes.insert(Sphere{.radius = 0.001 * i});
    hashes.insert(Shape(Sphere{.radius = 0.001 * i}).hash());
  }
  EXPECT_EQ(shapes.size(), 1000U);
  EXPECT_EQ(hashes.size(), 1000U);
}

TEST(ShapeBytes, CountTheTables) {
  Random random(47);
  EXPECT_EQ(Shape(Sphere{.radius = 1}).nbytes(), sizeof(Shape));
  const Convex hull = Convex::from_points(testing::sphere_points(1000, random));
  EXPECT_EQ(Shape(hull).nbytes(), sizeof(Shape) + hull.polytope().nbytes());
  EXPECT_LE(Shape(hull).nbytes(), 256U * 1000U + 16384U);
}

TEST(ShapeKindName, IsPythons) {
  EXPECT_EQ(to_string(Shape(Sphere{.radius = 1}).kind()), "Sphere");
  EXPECT_EQ(to_string(Shape(HalfSpace{}).kind()), "HalfSpace");
  EXPECT_EQ(to_string(ShapeKind::convex), "Convex");
  EXPECT_EQ(to_string(ShapeKind::ellipsoid), "Ellipsoid");
}

}  // namespace
}  // namespace tactum::shape_test
