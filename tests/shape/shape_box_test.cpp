// SPDX-License-Identifier: BSD-2-Clause
// Boxes hold their shapes exactly: points of shapes are placed in quadruple precision and compared
// with the box without a tolerance.
#include <gtest/gtest.h>

#include <array>

#include "support/random.hpp"
#include "tactum/shape.hpp"

namespace tactum::shape_box_test {
namespace {

using testing::Random;
__extension__ using Quad = __float128;
using Quad3 = std::array<Quad, 3>;

Quad root(Quad x) {
  Quad guess = std::sqrt(static_cast<long double>(x));
  for (int i = 0; i < 3 && guess > 0; ++i) guess = (guess + x / guess) / 2;
  return guess;
}

/// Exact support of a shape along a row of the rotation, from its definition: the farthest value of
/// u.p.
Quad farthest(const Shape& shape, const Quad3& u) {
  const auto axial = [&](const Vector3& size) {
    Quad sum = 0;
    for (std::size_t k = 0; k < 3; ++k)
      sum += (u[k] < 0 ? -u[k] : u[k]) * size[static_cast<Eigen::Index>(k)];
    return sum;
  };
  const auto along = [&](const Vector3& point) {
    return u[0] * point.x() + u[1] * point.y() + u[2] * point.z();
  };
  const Quad around = root(u[0] * u[0] + u[1] * u[1]),
             length = root(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  Quad value = std::visit(
      [&]<class Kind>(const Kind& s) -> Quad {
        if constexpr (std::same_as<Kind, Sphere>) {
          return length * s.radius;
        } else if constexpr (std::same_as<Kind, Ellipsoid>) {
          Quad sum = 0;
          for (std::size_t k = 0; k < 3; ++k) {
            const Quad part = u[k] * Quad(s.semi_axes[static_cast<Eigen::Index>(k)]);
            sum += part * part;
          }
          return root(sum);
        } else if constexpr (std::same_as<Kind, Box>) {
          return axial(s.half_extents);
        } else if constexpr (std::same_as<Kind, Capsule>) {
          return axial({0.0, 0.0, s.half_length}) + length * s.radius;
        } else if constexpr (std::same_as<Kind, Cylinder>) {
          return axial({0.0, 0.0, s.half_length}) + around * s.radius;
        } else if constexpr (std::same_as<Kind, Cone>) {
          const Quad apex = u[2] * s.half_length, rim = around * s.radius - u[2] * s.half_length;
          return apex > rim ? apex : rim;
        } else if constexpr (std::same_as<Kind, Convex>) {
          Quad most = along(s.vertex(0));
          for (int i = 1; i < s.num_vertices(); ++i) most = std::max(most, along(s.vertex(i)));
          return most;
        } else {
          return 0;
        }
      },
      shape.parameters());
  return value + length * shape.margin();
}

void expect_held(const Shape& shape, const Pose& X, const Aabb& box) {
  for (int i = 0; i < 3; ++i) {
    Quad3 u, back;
    for (int k = 0; k < 3; ++k) {
      u[static_cast<std::size_t>(k)] = X.rotation(i, k);
      back[static_cast<std::size_t>(k)] = -Quad(X.rotation(i, k));
    }
    const Quad high = farthest(shape, u) + X.translation[i],
               low = -farthest(shape, back) + X.translation[i];
    EXPECT_TRUE(high <= Quad(box.upper[i])) << shape.to_string();
    EXPECT_TRUE(low >= Quad(box.lower[i])) << shape.to_string();
    // and no wider than a few roundings of what it is the sum of
    const double scale = shape.core().bounding_radius + std::abs(X.translation[i]);
    EXPECT_TRUE(Quad(box.upper[i]) - high <= Quad(1e-14 * scale)) << shape.to_string();
    EXPECT_TRUE(low - Quad(box.lower[i]) <= Quad(1e-14 * scale)) << shape.to_string();
  }
}

std::vector<Shape> shapes(Random& random) {
  std::vector<Shape> all;
  for (const double margin : {0.0, 0.1, 1e-3}) {
    const auto size = [&] { return random.uniform(0.01, 2.0); };
    all.emplace_back(Sphere{.radius = size(), .margin = margin});
    all.emplace_back(Ellipsoid{.semi_axes = {size(), size(), size()}, .margin = margin});
    all.emplace_back(Ellipsoid{.semi_axes = Vector3::Constant(size()), .margin = margin});
    all.emplace_back(Box{.half_extents = {size(), size(), size()}, .margin = margin});
    all.emplace_back(Capsule{.radius = size(), .half_length = size(), .margin = margin});
    all.emplace_back(Cylinder{.radius = size(), .half_length = size(), .margin = margin});
    all.emplace_back(Cone{.radius = size(), .half_length = size(), .margin = margin});
    for (const int count : {1, 2, 3, 30}) {
      Points points(3, count);
      for (auto point : points.colwise()) point = random.in_box(2.0);
      all.emplace_back(Convex::from_points(points, margin));
    }
  }
  return all;
}

TEST(ShapeBox, NoPointLiesOutside) {
  Random random(91);
  for (int round = 0; round < 20; ++round) {
    for (const Shape& shape : shapes(random)) {
      for (int i = 0; i < 20; ++i) {
        const double far = i % 3 == 0 ? 0.0 : i % 3 == 1 ? 2.0 : 1e6;
        const Pose X{i % 4 == 0 ? Matrix3(Matrix3::Identity()) : random.rotation(),
                     far > 0.0 ? Vector3(random.in_box(far)) : Vector3(0, 0, 0)};
        expect_held(shape, X, shape.aabb(X));
      }
    }
  }
}

TEST(ShapeBox, IsExactInTheOwnFrame) {
  Random random(92);
  for (int i = 0; i < 100; ++i) {
    const Vector3 half(random.uniform(0.1, 1.0), random.uniform(0.1, 1.0),
                       random.uniform(0.1, 1.0));
    EXPECT_EQ(Shape(Box{.half_extents = half}).aabb().upper, half);
    EXPECT_EQ(Shape(Ellipsoid{.semi_axes = half}).aabb().lower, Vector3(-half));
    EXPECT_EQ(Shape(Capsule{.radius = 0.5, .half_length = 0.25, .margin = 0.125}).aabb().upper,
              Vector3(0.625, 0.625, 0.875));
  }
}

TEST(ShapeBox, OfVolumesHoldsTheirPointsAndBalls) {
  Random random(93);
  for (int round = 0; round < 50; ++round) {
    Points points(3, 12);
    for (auto point : points.colwise()) point = random.in_box(1.0);
    const double small_radius = 0.1;
    const Shape stp(Stp::from_points(points, {.small_radius = small_radius, .big_radius = 4.0}));
    const Pose X{random.rotation(), random.in_box(2.0)};
    const Aabb box = stp.aabb(X);
    for (const auto& point : points.colwise()) {
      for (int i = 0; i < 3; ++i) {
        Quad place = X.translation[i];
        for (int k = 0; k < 3; ++k) place += Quad(X.rotation(i, k)) * point[k];
        EXPECT_TRUE(place + Quad(small_radius) <= Quad(box.upper[i]));
        EXPECT_TRUE(place - Quad(small_radius) >= Quad(box.lower[i]));
      }
    }
  }
}

}  // namespace
}  // namespace tactum::shape_box_test
