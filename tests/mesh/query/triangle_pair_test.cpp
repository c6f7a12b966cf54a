// SPDX-License-Identifier: BSD-2-Clause
// Pairs of triangles against the query of their hulls, which knows nothing of triangles.
#include "mesh/query/triangle_pair.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"
#include "tactum/distance.hpp"

namespace tactum::triangle_pair_test {
namespace {

using testing::Random;

Shape hull(const Triangle3& t) {
  Points corners(3, 3);
  for (int k = 0; k < 3; ++k) corners.col(k) = to_vector3(t[static_cast<std::size_t>(k)]);
  return Convex::from_points(corners);
}

/// Random triangles, some of them slivers, segments, points, parallel, in one plane, with corners
/// in common.
Triangle3 random_triangle(Random& random, const Triangle3* other) {
  Triangle3 t;
  const double size = random.chance(0.2) ? random.log_uniform(1e-4, 1.0) : 1.0;
  const Double3 middle = to_double3(random.in_box(0.3));
  for (Double3& corner : t) corner = middle + size * to_double3(random.in_box(1.0));
  const int kind = random.below(12);
  if (kind == 0) t[2] = t[1];
  if (kind == 1) t[1] = t[2] = t[0];
  if (kind == 2) t[2] = 0.5 * (t[0] + t[1]) + 1e-9 * to_double3(random.in_box(1.0));
  if (kind == 3)
    for (Double3& corner : t) corner.z = 0.0;
  if (kind == 4)
    for (Double3& corner : t)
      corner = {std::round(2 * corner.x), std::round(2 * corner.y), std::round(2 * corner.z)};
  if (other == nullptr) return t;
  if (kind == 5) t[0] = (*other)[1];
  if (kind == 6) t[0] = (*other)[1], t[1] = (*other)[2];
  if (kind == 7) t = *other;
  if (kind == 8)
    for (std::size_t k = 0; k < 3; ++k) t[k] = (*other)[k] + to_double3(Vector3(0.1, 0.2, -0.3));
  return t;
}

bool is_sliver(const Triangle3& t) {
  const Double3 u = t[1] - t[0], v = t[2] - t[0];
  return cross(u, v).norm() < 1e-4 * std::max(u.squared_norm(), v.squared_norm());
}

TEST(TrianglePair, AgreesWithHulls) {
  Random random(31);
  int crossing = 0;
  for (int round = 0; round < 20000; ++round) {
    const Triangle3 a = random_triangle(random, nullptr), b = random_triangle(random, &a);
    const TrianglePair pair = triangle_distance(a, b);
    const Distance expected = distance(hull(a), {}, hull(b), {});
    const double slack = 2e-14;
    ASSERT_LE(pair.lower, expected.upper + slack) << round;
    ASSERT_GE(pair.upper, expected.lower - slack) << round;
    // the normal of a sliver is unsure, and so is what it proves of the depth
    const double width = is_sliver(a) || is_sliver(b) ? 1e-8 : 1e-11;
    ASSERT_GE(pair.lower, expected.lower - width) << round;
    ASSERT_LE(pair.upper - pair.lower, width) << round;
    crossing += expected.status == Status::penetrating ? 1 : 0;
    const double value = pair.lower > 0.0 ? pair.upper : pair.lower;
    ASSERT_NEAR(pair.normal.norm(), 1.0, 1e-12);
    ASSERT_NEAR(separation(a, b, pair.normal), pair.lower, 1e-12);
    ASSERT_LE((pair.point_b - pair.point_a - value * pair.normal).norm(), 1e-7);
    ASSERT_LE((nearest_on_triangle(a, pair.point_a) - pair.point_a).norm(), 1e-12);
  }
  EXPECT_GT(crossing, 1000);
}

TEST(TrianglePair, SeparationAlongFacesIsALowerBound) {
  Random random(32);
  int sharp = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto corner = [&] { return to_double3(random.in_box(1.0)); };
    Triangle3 a = {corner(), corner(), corner()};
    const Triangle3 b = {corner(), corner(), corner()};
    if (random.chance(0.1)) a[2] = 0.5 * (a[0] + a[1]);
    const TrianglePair found = triangle_distance(a, b);
    const double bound = face_separation(a, b);
    EXPECT_LE(bound, found.upper + 1e-15);
    sharp += bound > found.lower - 1e-14 ? 1 : 0;
  }
  EXPECT_GT(sharp, 500);
  const Double3 point = {1.0, 2.0, 3.0};
  EXPECT_EQ(face_separation({point, point, point}, {point, point, point}),
            -std::numeric_limits<double>::infinity());
}

TEST(TrianglePair, SeparationAlongEdgesPartsWhatFacesDoNot) {
  Random random(33);
  int parted = 0;
  for (int i = 0; i < 20000; ++i) {
    const Triangle3 a = random_triangle(random, nullptr), b = random_triangle(random, &a);
    const double enough = random.chance(0.5) ? 0.0 : 0.1;
    const double edges = edge_separation(a, b, enough), faces = face_separation(a, b);
    const double truth = distance(hull(a), {}, hull(b), {}).distance;
    ASSERT_LE(std::max(edges, faces), std::max(truth, 0.0) + 1e-14) << i;
    // triangles that are apart and not in one plane are parted by one of the axes
    if (is_sliver(a) || is_sliver(b) || !(truth > 1e-6)) continue;
    const Double3 n = cross(a[1] - a[0], a[2] - a[0]), m = cross(b[1] - b[0], b[2] - b[0]);
    if (!(cross(n, m).norm() > 1e-3 * n.norm() * m.norm())) continue;
    ASSERT_GT(std::max(edges, faces), 0.0) << i;
    parted += faces <= 0.0 ? 1 : 0;
  }
  EXPECT_GT(parted, 500);
}

TEST(TrianglePair, NearestPointOfATriangleAgainstTheHull) {
  Random random(32);
  for (int round = 0; round < 5000; ++round) {
    const Triangle3 t = random_triangle(random, nullptr);
    const Double3 p = to_double3(random.in_box(3.0));
    const Distance expected = distance(hull(t), {}, Shape(Sphere{}),
                                       {.translation = to_vector3(p)});
    const Double3 q = nearest_on_triangle(t, p);
    ASSERT_NEAR((q - p).norm(), std::max(expected.distance, 0.0), 1e-14 * 8) << round;
  }
}

TEST(TrianglePair, TrianglesThatTouchAreAtZero) {
  const Triangle3 a = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
  const Triangle3 corner = {{{0.25, 0.25, 0}, {0, 0, 1}, {1, 1, 1}}};
  EXPECT_NEAR(triangle_distance(a, corner).lower, 0.0, 1e-15);
  EXPECT_NEAR(triangle_distance(a, corner).upper, 0.0, 1e-15);
  EXPECT_NEAR(triangle_distance(a, a).lower, 0.0, 1e-15);
  EXPECT_NEAR(triangle_distance(a, a).upper, 0.0, 1e-14);
}

}  // namespace
}  // namespace tactum::triangle_pair_test
