// SPDX-License-Identifier: BSD-2-Clause
// Inputs for the benchmarks that do not repeat: 20 pairs of shapes in 50 poses each, shuffled, from
// a fixed seed.
//
// A query run again and again on one input trains the branch predictor and the caches on that
// input: hulls then look several times faster than they are in use. Poses are made by moving B
// along the normal of a random pose until the gap is as wanted.
#pragma once

#include <Eigen/Geometry>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "tactum/distance.hpp"

namespace tactum::bench {

/// Uniform numbers from the bits of the engine alone, so that every standard library gives the same
/// inputs.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  std::size_t below(std::size_t count) {
    return static_cast<std::size_t>(uniform(0.0, static_cast<double>(count)));
  }
  Vector3 direction() {
    const double z = uniform(-1.0, 1.0), angle = uniform(0.0, 6.283185307179586),
                 r = std::sqrt(1.0 - z * z);
    return Vector3(r * std::cos(angle), r * std::sin(angle), z).normalized();
  }
  Matrix3 rotation() {
    return Eigen::AngleAxisd(uniform(0.0, 3.141592653589793), direction()).toRotationMatrix();
  }

 private:
  std::mt19937_64 engine_;
};

/// Sizes of 0.1 to 0.5 m. `num_points` is for hulls: that many points on a random ellipsoid.
inline Shape random_shape(ShapeKind kind, int num_points, Random& random) {
  const auto size = [&] { return random.uniform(0.1, 0.5); };
  switch (kind) {
    case ShapeKind::sphere: return Sphere{.radius = size()};
    case ShapeKind::ellipsoid: return Ellipsoid{.semi_axes = {size(), size(), size()}};
    case ShapeKind::box: return Box{.half_extents = {size(), size(), size()}};
    case ShapeKind::capsule: return Capsule{.radius = 0.5 * size(), .half_length = size()};
    case ShapeKind::cylinder: return Cylinder{.radius = size(), .half_length = size()};
    case ShapeKind::cone: return Cone{.radius = size(), .half_length = size()};
    case ShapeKind::half_space:
      return HalfSpace{.normal = random.direction(), .offset = random.uniform(-0.2, 0.2)};
    case ShapeKind::convex:
    case ShapeKind::stp: break;
  }
  const Vector3 axes(size(), size(), size());
  Points points(3, num_points);
  for (int i = 0; i < num_points; ++i) points.col(i) = axes.cwiseProduct(random.direction());
  return Convex::from_points(points);
}

struct Query {
  std::size_t pair;
  Pose X_WA;
  Pose X_WB;
};

struct Queries {
  std::vector<std::pair<Shape, Shape>> pairs;
  std::vector<Query> queries;
};

/// A thousand queries whose signed distance lies between `low` and `high` metres (in penetration,
/// at most that deep).
inline Queries random_queries(ShapeKind kind_a, ShapeKind kind_b, int num_points, double low,
                              double high) {
  constexpr std::size_t num_pairs = 20, num_queries = 1000;
  Random random(1 + 64 * static_cast<std::uint64_t>(kind_a) + static_cast<std::uint64_t>(kind_b));
  Queries result;
  for (std::size_t i = 0; i < num_pairs; ++i) {
    Shape a = random_shape(kind_a, num_points, random);
    Shape b = random_shape(kind_b, num_points, random);
    result.pairs.emplace_back(std::move(a), std::move(b));
  }
  for (std::size_t i = 0; i < num_queries; ++i) {
    const std::size_t pair = i % num_pairs;
    const auto& [a, b] = result.pairs[pair];
    Query query{pair, {random.rotation(), random.direction()}, {random.rotation(), {}}};
    query.X_WB.translation = query.X_WA.translation + 2.0 * random.direction();
    const Distance far = distance(a, query.X_WA, b, query.X_WB);
    query.X_WB.translation += (random.uniform(low, high) - far.distance) * far.normal;
    result.queries.push_back(query);
  }
  for (std::size_t i = num_queries - 1; i > 0; --i)
    std::swap(result.queries[i], result.queries[random.below(i + 1)]);
  return result;
}

}  // namespace tactum::bench
