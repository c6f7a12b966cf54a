// SPDX-License-Identifier: BSD-2-Clause
// Degenerate families, part 2: hulls that are thin, flat, short of dimensions or rich in duplicate
// and coplanar points. Each test is one family of tests/data/hard_cases.txt and is named after it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "regression/family_shapes.hpp"
#include "regression/point_hull_oracle.hpp"
#include "regression/result_checks.hpp"
#include "support/random.hpp"

namespace tactum::regression::families_hull_test {
namespace {

using testing::Random;

/// A triangle with one edge of length L and height L k, in a random place of its own frame when
/// `general`.
Points needle(double length, double k, bool general, Random& random) {
  Points points(3, 3);
  points << -length / 2, length / 2, random.uniform(-0.5, 0.5) * length, 0, 0, length * k, 0, 0, 0;
  if (!general) return points;
  const Matrix3 turn = random.rotation();
  for (int i = 0; i < 3; ++i) points.col(i) = turn * points.col(i);
  return points;
}

// needles against needles, triangles and boxes: apart, grazing and crossing
TEST(Families, NeedleTriangles) {
  Random random(3);
  for (const double length : {1e-3, 1.0, 1e3}) {
    for (const double k : {1e-2, 1e-4, 1e-6, 1e-8, 0.0}) {
      for (int sample = 0; sample < 48; ++sample) {
        const Points a = needle(length, k, sample % 2 == 1, random);
        const Points b = sample % 3 == 0 ? needle(length, k, sample % 2 == 1, random)
                                         : random_points(3, length / 2, random);
        // crossing, close, apart
        const double reach = sample % 4 == 0 ? 0.1 : sample % 4 == 1 ? 0.5 : 2.0;
        const Pose X_WA{random.rotation(), random.in_box(length)};
        const Pose X_WB{random.rotation(), X_WA.translation + random.in_box(reach * length)};
        const Pair pair{Convex::from_points(a), X_WA, Convex::from_points(b), X_WB};
        const HullTruth truth = points_points(a, X_WA, b, X_WB);
        SCOPED_TRACE("k 1e" + std::to_string(k > 0 ? std::log10(k) : -99) + " sample " +
                     std::to_string(sample));
        expect_answer(pair, truth.distance, 16 * kEpsilon * pair.scale());
        if (HasFailure()) return;
      }
    }
  }
}

Points regular_polygon(int count, double radius, double height = 0) {
  Points points(3, count);
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * i / count;
    points.col(i) << radius * std::cos(angle), radius * std::sin(angle), height;
  }
  return points;
}

// flat polygons: coplanar and overlapping, coplanar and apart, lying on a face, crossing; and a
// disc with spheres around
TEST(Families, FlatHulls) {
  Random random(9);
  for (int sample = 0; sample < 150; ++sample) {
    const Points a = regular_polygon(3 + sample % 4, 1.0),
                 b = regular_polygon(4, random.uniform(0.3, 1.0));
    const Matrix3 common = sample % 2 == 0 ? Matrix3(Matrix3::Identity()) : random.rotation();
    const Matrix3 spin = Random::turn(Vector3::UnitZ(), random.uniform(0, 6.28));
    const Pose X_WA{common, random.in_box(2)};
    Pose X_WB{common * spin, X_WA.translation};
    const int arrangement = sample % 5;
    // coplanar, overlapping
    if (arrangement == 0) X_WB.translation += common * Vector3(random.uniform(-0.2, 0.2), 0.1, 0);
    if (arrangement == 1) {
      // coplanar, apart
      X_WB.translation += common * Vector3(random.uniform(2.1, 3), random.uniform(-1, 1), 0);
      // parallel
      if (arrangement == 2)
        X_WB.translation += common * Vector3(0.1, 0.2, random.log_uniform(1e-9, 1));
    }
    // crossing
    if (arrangement == 3) X_WB = {random.rotation(), X_WA.translation + random.in_box(0.5)};
    // anyhow
    if (arrangement == 4) X_WB = {random.rotation(), X_WA.translation + random.in_box(3)};
    const Pair pair{Convex::from_points(a), X_WA, Convex::from_points(b), X_WB};
    const HullTruth truth = points_points(a, X_WA, b, X_WB);
    expect_answer(pair, truth.distance, allowed_error(pair), truth.normal);
    // coplanar up to the rounding of a common rotation: the depth is zero and the normal is that of
    // the plane, either way
    if (arrangement == 0) {
      const Distance r = pair.distance();
      EXPECT_EQ(r.status, Status::touching);
      EXPECT_NEAR(std::abs(r.normal.dot(common.col(2))), 1, 1e-12);
    }
    // a box resting on the polygon, and through it
    const Vector3 half(0.2, 0.3, 0.4);
    const Pose X_WC{common * spin,
                    X_WA.translation + common * Vector3(0.1, 0, random.uniform(-0.5, 0.6))};
    const Pair with_box{pair.a, X_WA, Box{.half_extents = half}, X_WC};
    const HullTruth box_truth = points_box(a, X_WA, half, X_WC);
    expect_answer(with_box, box_truth.distance, allowed_error(with_box), box_truth.normal);
    if (HasFailure()) return;
  }
  // spheres over, beside and on a disc of 64 corners: over the inside the height decides
  const Shape disc = Convex::from_points(regular_polygon(64, 1.0));
  for (int sample = 0; sample < 100; ++sample) {
    const double height = random.sign() * random.log_uniform(1e-6, 2),
                 radius = random.uniform(0.1, 1);
    const Pose X{Matrix3::Identity(),
                 {random.uniform(-0.6, 0.6), random.uniform(-0.6, 0.6), height}};
    const Pair pair{disc, Pose{}, Sphere{.radius = radius}, X};
    expect_answer(pair, std::abs(static_cast<long double>(height)) - radius, allowed_error(pair),
                  Vector3(0, 0, std::copysign(1.0, height)));
    if (HasFailure()) return;
  }
}

// hulls of one point, of equal points, of two and of many points in a line: the same as a sphere
// and a capsule, bit for bit where the parameters are the same
TEST(Families, SegmentAndPointHulls) {
  Random random(10);
  for (int sample = 0; sample < 200; ++sample) {
    const double radius = random.uniform(0.05, 0.5), half_length = random.uniform(0.1, 2);
    const int copies = 1 + sample % 5;
    Points same(3, copies), line(3, 2 + copies);
    for (int i = 0; i < copies; ++i) {
      same.col(i).setZero();
      line.col(2 + i) << 0, 0, random.uniform(-half_length, half_length);
    }
    line.col(0) << 0, 0, -half_length;
    line.col(1) << 0, 0, half_length;
    const Convex point_hull = Convex::from_points(same, radius),
                 segment_hull = Convex::from_points(line, radius);
    EXPECT_EQ(point_hull.dimension(), 0);
    EXPECT_EQ(segment_hull.dimension(), 1);
    EXPECT_EQ(point_hull.num_vertices(), 1);
    EXPECT_EQ(segment_hull.num_vertices(), 2);
    const Vector3 half(random.uniform(0.2, 1), random.uniform(0.2, 1), random.uniform(0.2, 1));
    const Pose X_WA{random.rotation(), random.in_box(2)}, X_WB{random.rotation(), random.in_box(1)};
    const Shape box = Box{.half_extents = half};
    Points ends(3, 2);
    ends << line.leftCols(2);
    const Pair point_pair{point_hull, X_WA, box, X_WB}, segment_pair{segment_hull, X_WA, box, X_WB};
    expect_answer(point_pair, points_box(same.leftCols(1), X_WA, half, X_WB).distance - radius,
                  allowed_error(point_pair));
    expect_answer(segment_pair, points_box(ends, X_WA, half, X_WB).distance - radius,
                  allowed_error(segment_pair));
    const Distance sphere = distance(Sphere{.radius = radius}, X_WA, box, X_WB);
    const Distance capsule = distance(Capsule{.radius = radius, .half_length = half_length}, X_WA,
                                      box, X_WB);
    EXPECT_NEAR(point_pair.distance().distance, sphere.distance, 2 * allowed_error(point_pair));
    EXPECT_NEAR(segment_pair.distance().distance, capsule.distance,
                2 * allowed_error(segment_pair));
    // off the origin and along any direction
    Points slanted(3, 3);
    slanted << random.in_box(1), random.in_box(1), Vector3::Zero();
    slanted.col(2) = (slanted.col(0) + slanted.col(1)) / 2;
    const Pair slanted_pair{Convex::from_points(slanted, radius), X_WA, box, X_WB};
    const HullTruth truth = points_box(slanted.leftCols(2), X_WA, half, X_WB);
    expect_answer(slanted_pair, truth.distance - radius, allowed_error(slanted_pair));
    if (HasFailure()) return;
  }
}

// vertices repeated 2 to 1000 times, exactly or up to a relative perturbation
TEST(Families, DuplicateVertices) {
  Random random(11);
  for (const int copies : {2, 10, 100, 1000}) {
    for (const double noise : {0.0, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12}) {
      SCOPED_TRACE("copies " + std::to_string(copies) + " noise " + std::to_string(noise * 1e16) +
                   "e-16");
      for (int sample = 0; sample < 4; ++sample) {
        const Points clean = random_points(6, 1.0, random);
        Points many(3, 6 * copies);
        for (int i = 0; i < many.cols(); ++i) {
          many.col(i) = clean.col(i % 6).cwiseProduct(Vector3::Ones() + noise * random.in_box(1));
        }
        const Vector3 half(0.5, 0.6, 0.7);
        const Pose X_WA{random.rotation(), random.in_box(1)},
            X_WB{random.rotation(), random.in_box(1.5)};
        const HullTruth truth = points_box(clean, X_WA, half, X_WB);
        const Pair pair{Convex::from_points(many), X_WA, Box{.half_extents = half}, X_WB};
        // a vertex moves by sqrt(3) noise at most, and the merging of duplicates by 4 eps of the
        // extent
        const double moved = (noise > 0 ? 2 * noise + 8 * kEpsilon : 0) * pair.scale();
        const std::optional<Vector3> normal = noise == 0 ? truth.normal : std::nullopt;
        expect_answer(pair, truth.distance, allowed_error(pair), normal, moved);
        EXPECT_LE(pair.distance().iterations, DistanceOptions{}.max_iterations);
        if (HasFailure()) return;
      }
    }
  }
}

// a prism of 1000-sided caps on a box, and a cube with ten thousand points on each face against a
// box
TEST(Families, CoplanarFacets) {
  Random random(12);
  Points prism_points(3, 2000);
  prism_points << regular_polygon(1000, 1.0, 0.5), regular_polygon(1000, 1.0, -0.5);
  const Shape prism = Convex::from_points(prism_points);
  for (int sample = 0; sample < 40; ++sample) {
    const double gap = random.sign() * random.log_uniform(1e-9, 0.3);
    const Matrix3 common = sample % 2 == 0 ? Matrix3(Matrix3::Identity()) : random.rotation();
    const Vector3 shift(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), 0.5 + 0.4 + gap);
    const Pair pair{prism,
                    {common, Vector3::Zero()},
                    Box{.half_extents = {0.4, 0.4, 0.4}},
                    {common, common * shift}};
    const long double truth =
        testing::widen(Vector3(common.col(2))).dot(testing::widen(pair.X_WB.translation)) - 0.5L -
        static_cast<long double>(0.4);
    expect_answer(pair, truth, allowed_error(pair), Vector3(common.col(2)));
    if (HasFailure()) return;
  }
  const double h = 0.5;
  Points cube_points(3, 8 + 60000);
  cube_points.leftCols(8) = box_points({h, h, h});
  for (int i = 8; i < cube_points.cols(); ++i) {
    const int axis = (i - 8) / 20000;
    Vector3 p = random.in_box(h);
    p[axis] = i % 2 == 0 ? h : -h;
    cube_points.col(i) = p;
  }
  const Convex cube = Convex::from_points(cube_points);
  EXPECT_EQ(cube.num_vertices(), 8);
  for (int sample = 0; sample < 100; ++sample) {
    const Vector3 half(0.3, 0.4, 0.5);
    const Pose X_WA{random.rotation(), random.in_box(0.2)},
        X_WB{sample % 3 == 0 ? X_WA.rotation : random.rotation(), random.in_box(0.9)};
    const Pair pair{cube, X_WA, Box{.half_extents = half}, X_WB};
    const HullTruth truth = box_box({h, h, h}, X_WA, half, X_WB);
    expect_answer(pair, truth.distance, allowed_error(pair), truth.normal);
    if (HasFailure()) return;
  }
}

/// A small even integer vector: sums and halves stay exact.
Vector3 even_vector(Random& random, int bound) {
  return {2.0 * (random.below(2 * bound + 1) - bound), 2.0 * (random.below(2 * bound + 1) - bound),
          2.0 * (random.below(2 * bound + 1) - bound)};
}

// integer hulls that share exactly one vertex, a point of an edge or a point of a face and lie on
// either side of a plane through it
TEST(Families, OriginOnSimplexFeature) {
  Random random(13);
  int tested = 0;
  for (int sample = 0; tested < 300; ++sample) {
    ASSERT_LT(sample, 20000);
    const int feature = sample % 3;  // the common point is a vertex, the middle of an edge or the
                                     // centroid of a face of A
    const Vector3 normal = even_vector(random, 2);
    if (normal.isZero()) continue;
    // A below the plane normal.x = 0 with its feature in the plane around the origin, B above it
    // with a vertex at the origin
    Points a(3, 6), b(3, 5);
    const Vector3 u = 3 * normal.cross(even_vector(random, 2)),
                  v = 3 * normal.cross(even_vector(random, 2));
    for (int i = 0; i < 6; ++i) a.col(i) = even_vector(random, 4);
    for (int i = 0; i < 5; ++i) b.col(i) = even_vector(random, 4);
    for (int i = 0; i < 6; ++i) {
      if (a.col(i).dot(normal) >= 0)
        a.col(i) -= std::ceil((a.col(i).dot(normal) + 1) / normal.squaredNorm()) * normal;
    }
    for (int i = 0; i < 5; ++i) {
      if (b.col(i).dot(normal) <= 0)
        b.col(i) += std::ceil((1 - b.col(i).dot(normal)) / normal.squaredNorm()) * normal;
    }
    a.col(0).setZero();
    if (feature >= 1) a.col(0) = u, a.col(1) = -u;
    if (feature == 2) a.col(0) = u, a.col(1) = v, a.col(2) = -u - v;
    b.col(0).setZero();
    if (feature >= 1 && u.isZero()) continue;
    ++tested;
    const Vector3 where = even_vector(random, 8);
    const Pair pair{Convex::from_points(a),
                    {Matrix3::Identity(), where},
                    Convex::from_points(b),
                    {Matrix3::Identity(), where}};
    const HullTruth truth = points_points(a, pair.X_WA, b, pair.X_WB);
    ASSERT_LE(std::abs(truth.distance), 1e-25L);
    expect_answer(pair, 0, allowed_error(pair), truth.normal);
    EXPECT_EQ(pair.distance().status, Status::touching);
    EXPECT_EQ(pair.distance({.method = Method::gjk}).status, Status::touching);
    EXPECT_TRUE(collide(pair.a, pair.X_WA, pair.b, pair.X_WB).colliding);
    if (HasFailure()) return;
  }
  // overlapping integer boxes: the origin lies on edges and faces between vertices of the
  // difference
  for (int sample = 0; sample < 200; ++sample) {
    const Vector3 half_a = Vector3(2, 2, 2) + even_vector(random, 1).cwiseAbs(),
                  half_b = Vector3(2, 2, 2) + even_vector(random, 1).cwiseAbs();
    const Pose X_WA, X_WB{Matrix3::Identity(), even_vector(random, 2)};
    const Pair pair{Box{.half_extents = half_a}, X_WA, Convex::from_points(box_points(half_b)),
                    X_WB};
    const HullTruth truth = box_box(half_a, X_WA, half_b, X_WB);
    expect_answer(pair, truth.distance, allowed_error(pair), truth.normal);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace tactum::regression::families_hull_test
