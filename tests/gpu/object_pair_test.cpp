// SPDX-License-Identifier: BSD-2-Clause
// Pairs of objects of many parts as the kernels compute them, on the host, against the library.
#include "gpu/object_pair.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu/packed_objects.hpp"
#include "support/random.hpp"
#include "support/repetitions.hpp"

namespace tactum::gpu {
namespace object_pair_tests {

/// Two objects as the kernels see them.
struct TwoObjects {
  TwoObjects(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB)
      : objects{a, b},
        packed(pack_objects(objects)),
        numbers_a(pose_xyz_xyzw(X_WA)),
        numbers_b(pose_xyz_xyzw(X_WB)) {}

  HostObjectPair<kAllKinds> pair() const {
    const TableView<1> parts{packed.shapes.single.data(),
                             packed.shapes.exact.data(),
                             {packed.shapes.blocks.data(), packed.shapes.vertices.data(), 0}};
    const ObjectArrays arrays{packed.objects.data(), packed.bounds.data(), packed.poses.data(), 2};
    return {parts, arrays, 0, read_pose(numbers_a.data()), 1, read_pose(numbers_b.data())};
  }
  Pose X_WA() const { return pose_from_xyz_xyzw(numbers_a); }
  Pose X_WB() const { return pose_from_xyz_xyzw(numbers_b); }
  GeometryDistance exact() const { return distance(objects[0], X_WA(), objects[1], X_WB()); }

  std::vector<Geometry> objects;
  PackedObjects packed;
  Vector7 numbers_a, numbers_b;
};

/// Parts of every kind around a ring, so that the union is not convex.
Compound random_compound(testing::Random& random, int num_parts) {
  std::vector<CompoundPart> parts;
  for (int i = 0; i < num_parts; ++i) {
    const auto size = [&] { return random.uniform(0.05, 0.2); };
    const double angle = 2.0 * 3.14159265358979 * i / num_parts;
    const Pose X{random.rotation(),
                 Vector3(0.6 * std::cos(angle), 0.6 * std::sin(angle), random.uniform(-0.1, 0.1))};
    const double margin = i % 4 == 0 ? 0.02 : 0.0;
    switch (i % 7) {
      case 0: parts.push_back({Sphere{.radius = size(), .margin = margin}, X}); break;
      case 1:
        parts.push_back({Box{.half_extents = {size(), size(), size()}, .margin = margin}, X});
        break;
      case 2:
        parts.push_back({Capsule{.radius = size(), .half_length = size(), .margin = margin}, X});
        break;
      case 3:
        parts.push_back({Cylinder{.radius = size(), .half_length = size(), .margin = margin}, X});
        break;
      case 4:
        parts.push_back({Cone{.radius = size(), .half_length = size(), .margin = margin}, X});
        break;
      case 5:
        parts.push_back({Ellipsoid{.semi_axes = {size(), size(), size()}, .margin = margin}, X});
        break;
      default: {
        Points points(3, 12);
        for (int k = 0; k < 12; ++k) points.col(k) = size() * random.direction();
        parts.push_back({Convex::from_points(points), X});
      }
    }
  }
  return Compound(std::move(parts));
}

/// Everything that an answer claims, against the library's.
void check_distance(const TwoObjects& two, double tolerance, const std::string& what) {
  HostObjectPair<kAllKinds> pair = two.pair();
  const PairAnswer answer = pair.distance(tolerance);
  const GeometryDistance exact = two.exact();
  const double scale = pair.scale();
  EXPECT_LE(answer.lower, answer.distance) << what;
  EXPECT_LE(answer.distance, answer.upper) << what;
  EXPECT_LE(answer.lower, exact.upper) << what;
  EXPECT_GE(answer.upper, exact.lower) << what;
  EXPECT_NEAR(norm(answer.normal), 1.0, 1e-13) << what;
  if (answer.status == Status::not_converged) return;
  EXPECT_LE(answer.upper - answer.lower, tolerance * scale * (1.0 + 1e-12)) << what;
  EXPECT_FALSE(answer.status == Status::separated && exact.status == Status::penetrating) << what;
  EXPECT_FALSE(answer.status == Status::penetrating && exact.status == Status::separated) << what;
  const Vector<double> off = answer.point_b - answer.point_a - answer.distance * answer.normal;
  EXPECT_LE(norm(off), 2.0 * std::sqrt(tolerance) * scale) << what;
}

void check_collision(const TwoObjects& two, const std::string& what) {
  const Status found = two.pair().collision();
  const Status exact = two.exact().status;
  EXPECT_FALSE(found == Status::separated && exact == Status::penetrating) << what;
  EXPECT_FALSE(found == Status::penetrating && exact == Status::separated) << what;
}

TEST(GpuObjectPair, AgreesWithTheLibrary) {
  testing::Random random(5);
  constexpr int num_pairs = testing::repetitions(60);
  int proved = 0;
  for (int i = 0; i < num_pairs; ++i) {
    const Compound a = random_compound(random, 1 + i % 40), b = random_compound(random, 7);
    const Pose X_WA{random.rotation(), random.uniform(0.0, 2.0) * random.direction()};
    Pose X_WB{random.rotation(), X_WA.translation + random.uniform(0.0, 2.0) * random.direction()};
    const TwoObjects two(a, X_WA, b, X_WB);
    const std::string what = "pair " + std::to_string(i);
    check_distance(two, 1e-6, what);
    check_collision(two, what);
    // the same, moved until the objects nearly touch
    const GeometryDistance apart = two.exact();
    X_WB.translation -= (apart.distance + 1e-4 * random.uniform(-1.0, 1.0)) * apart.normal;
    const TwoObjects grazing(a, X_WA, b, X_WB);
    check_distance(grazing, 1e-6, what + ", grazing");
    check_collision(grazing, what + ", grazing");
    proved += grazing.pair().distance(1e-6).status != Status::not_converged ? 1 : 0;
  }
  EXPECT_GE(proved, num_pairs * 9 / 10);
}

TEST(GpuObjectPair, FarFromTheOriginBoundsHold) {
  testing::Random random(6);
  for (int i = 0; i < testing::repetitions(20); ++i) {
    const Compound a = random_compound(random, 12), b = random_compound(random, 12);
    const Vector3 far(1e4, -2e4, 3e4);
    const Pose X_WA{random.rotation(), far};
    const Pose X_WB{random.rotation(), far + random.uniform(0.5, 2.0) * random.direction()};
    const TwoObjects two(a, X_WA, b, X_WB);
    check_distance(two, 1e-10, "pair " + std::to_string(i));
  }
}

TEST(GpuObjectPair, TakesConvexShapesAndHalfSpaces) {
  testing::Random random(7);
  for (int i = 0; i < testing::repetitions(20); ++i) {
    const Compound a = random_compound(random, 20);
    const Pose X_WA{random.rotation(), Vector3(0, 0, random.uniform(0.0, 1.5))};
    const TwoObjects plane(a, X_WA, Geometry(Shape(HalfSpace{})), Pose{});
    check_distance(plane, 1e-6, "half-space");
    check_collision(plane, "half-space");
    const TwoObjects ball(Geometry(Shape(Sphere{.radius = 0.3})), Pose{}, a, X_WA);
    check_distance(ball, 1e-6, "ball");
    check_collision(ball, "ball");
  }
  const Geometry plane = Shape(HalfSpace{});
  EXPECT_EQ(TwoObjects(plane, {}, plane, {}).pair().collision(), Status::invalid_input);
  EXPECT_EQ(TwoObjects(plane, {}, plane, {}).pair().distance(1e-6).status, Status::invalid_input);
}

TEST(GpuObjectPair, BadPosesAreRefused) {
  testing::Random random(8);
  TwoObjects two(random_compound(random, 3), {}, random_compound(random, 3), {});
  EXPECT_EQ(two.pair().collision(), Status::penetrating);
  two.numbers_b[3] = 0.5;
  EXPECT_EQ(two.pair().collision(), Status::invalid_input);
  EXPECT_EQ(two.pair().distance(1e-6).status, Status::invalid_input);
}

/// Culling leaves a few of a thousand pairs of parts, far, near and deep.
TEST(GpuObjectPair, AsksFewPairsOfParts) {
  testing::Random random(9);
  const auto ring_of_hulls = [&random] {
    std::vector<CompoundPart> parts;
    for (int i = 0; i < 32; ++i) {
      Points points(3, 27);
      const double angle = 2.0 * 3.14159265358979 * i / 32.0;
      const Vector3 axes(random.uniform(0.04, 0.12), random.uniform(0.04, 0.12),
                         random.uniform(0.04, 0.12));
      for (int k = 0; k < 27; ++k) points.col(k) = axes.cwiseProduct(random.direction());
      parts.push_back({Convex::from_points(points),
                       {random.rotation(), Vector3(0.4 * std::cos(angle), 0.4 * std::sin(angle),
                                                   0.1 * std::sin(3.0 * angle))}});
    }
    return Compound(std::move(parts));
  };
  double asked = 0.0, asked_for_sign = 0.0;
  constexpr int num_pairs = testing::repetitions(60);
  for (int i = 0; i < num_pairs; ++i) {
    const Compound a = ring_of_hulls(), b = ring_of_hulls();
    const Pose X_WA{random.rotation(), Vector3::Zero()};
    Pose X_WB{random.rotation(), random.uniform(0.3, 1.0) * random.direction()};
    const GeometryDistance apart = distance(a, X_WA, b, X_WB);
    X_WB.translation -= (apart.distance - 0.02 * random.uniform(-1.0, 1.0)) * apart.normal;
    const TwoObjects two(a, X_WA, b, X_WB);
    HostObjectPair<kAllKinds> pair = two.pair();
    static_cast<void>(pair.distance(1e-6));
    asked += pair.num_asked();
    static_cast<void>(pair.collision());
    asked_for_sign += pair.num_asked();
  }
  EXPECT_LT(asked / num_pairs, 15.0);
  EXPECT_LT(asked_for_sign / num_pairs, 15.0);
}

}  // namespace object_pair_tests
}  // namespace tactum::gpu
