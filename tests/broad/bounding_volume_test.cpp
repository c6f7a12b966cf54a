// SPDX-License-Identifier: BSD-2-Clause
// Volumes hold their shapes by support points in random directions, touch them where they should,
// and their tests agree with the narrow phase.
#include "tactum/bounding_volume.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "broad/broad_fixtures.hpp"
#include "support/random_shapes.hpp"
#include "support/repetitions.hpp"
#include "tactum/distance.hpp"

namespace tactum::bounding_volume_test {
namespace {

using namespace tactum::testing;

Pose random_pose(Random& random, double reach) {
  return {random.rotation(), reach * random.in_box(1)};
}

/// How far a point sticks out of a volume; not positive inside.
double excess(const Aabb& box, const Vector3& p) {
  return std::max((box.lower - p).maxCoeff(), (p - box.upper).maxCoeff());
}
double excess(const BoundingSphere& ball, const Vector3& p) {
  return (p - ball.center).norm() - ball.radius;
}
double excess(const OrientedBox& box, const Vector3& p) {
  const Vector3 local = box.pose.rotation.transpose() * (p - box.pose.translation);
  return (local.cwiseAbs() - box.half_extents).maxCoeff();
}
double excess(const SweptBox& box, const Vector3& p) {
  const Vector3 local = box.pose.rotation.transpose() * (p - box.pose.translation);
  return (local.cwiseAbs() - box.half_extents).cwiseMax(0.0).norm() - box.radius;
}

TEST(BoundingVolume, HoldsItsShape) {
  Random random(1);
  for (const ShapeKind kind : kAllKinds) {
    if (kind == ShapeKind::half_space) continue;
    for (int k = 0; k < repetitions(100); ++k) {
      const Shape shape = random_shape(kind, random, random.log_uniform(1e-6, 1e6));
      const Pose X = random_pose(random, random.log_uniform(1e-6, 1e6));
      const Aabb aligned = bounding_box(shape, X);
      const BoundingSphere ball = bounding_sphere(shape, X);
      const OrientedBox box = oriented_box(shape, X);
      const SweptBox swept = swept_box(shape, X);
      for (int i = 0; i < 30; ++i) {
        Vector3 u = random.direction();
        if (i < 6) u = (i % 2 == 0 ? 1.0 : -1.0) * box.pose.rotation.col(i / 2);
        const Vector3 p = X * shape.support(X.rotation.transpose() * u);
        ASSERT_LE(excess(aligned, p), 0.0) << shape.to_string();
        ASSERT_LE(excess(ball, p), 0.0) << shape.to_string();
        ASSERT_LE(excess(box, p), 0.0) << shape.to_string();
        ASSERT_LE(excess(swept, p), 0.0) << shape.to_string();
        if (i < 6) {  // the oriented box is touched on all six sides
          const double size = shape.core().bounding_radius + X.translation.norm();
          ASSERT_GE(excess(box, p), -1e-12 * size) << shape.to_string();
        }
      }
    }
  }
}

/// The sphere against the smallest around many points of the surface, which is a little smaller at
/// most.
TEST(BoundingVolume, SpheresAreTheSmallest) {
  Random random(2);
  for (const ShapeKind kind : kAllKinds) {
    if (kind == ShapeKind::half_space) continue;
    for (int k = 0; k < 5; ++k) {
      const Shape shape = random_shape(kind, random);
      Points surface(3, 3000);
      for (Eigen::Index i = 0; i < surface.cols(); ++i)
        surface.col(i) = shape.support(random.direction());
      const double least = bounding_sphere(surface).radius, ours = bounding_sphere(shape).radius;
      EXPECT_GE(ours, least * (1 - 1e-12)) << shape.to_string();
      EXPECT_LE(ours, least * 1.03) << shape.to_string();
    }
  }
  // flat: around the disc
  EXPECT_NEAR(bounding_sphere(Cone{.radius = 3, .half_length = 1}).radius, 3, 1e-13);
  const BoundingSphere tall = bounding_sphere(Cone{.radius = 1, .half_length = 1});
  EXPECT_NEAR(tall.radius, 1.25, 1e-13);
  EXPECT_NEAR(tall.center.z(), -0.25, 1e-13);
}

TEST(BoundingVolume, SweptBoxesAreNoLargerThanTheirRivals) {
  Random random(3);
  for (const ShapeKind kind : kAllKinds) {
    if (kind == ShapeKind::half_space) continue;
    for (int k = 0; k < 20; ++k) {
      const Shape shape = random_shape(kind, random);
      const double swept = volume(swept_box(shape));
      EXPECT_LE(swept, volume(bounding_sphere(shape)) * (1 + 1e-9)) << shape.to_string();
      if (shape.margin() == 0.0) {
        EXPECT_LE(swept, volume(oriented_box(shape)) * (1 + 1e-9) + 1e-12) << shape.to_string();
      }
      EXPECT_GE(swept, shape.volume() * (1 - 1e-9)) << shape.to_string();
    }
  }
  // capsules and spheres are swept boxes
  const Shape capsule = Capsule{.radius = 0.2, .half_length = 0.5};
  EXPECT_NEAR(volume(swept_box(capsule)), capsule.volume(), 1e-12);
}

TEST(BoundingVolume, HalfSpacesAreInfiniteAndOverlapAll) {
  Random random(4);
  const Pose X = random_pose(random, 3);
  const Shape plane = HalfSpace{.normal = {1, 2, 3}, .offset = 0.5}, ground = HalfSpace{};
  const Shape ball = Sphere{.radius = 0.1};
  const Pose far{Matrix3::Identity(), Vector3(0, 0, 1e9)};
  EXPECT_EQ(bounding_sphere(plane, X).radius, kInfinite);
  EXPECT_EQ(oriented_box(plane, X).half_extents, Vector3::Constant(kInfinite));
  EXPECT_EQ(swept_box(plane, X).half_extents, Vector3::Constant(kInfinite));
  EXPECT_TRUE(overlaps(bounding_sphere(plane, X), bounding_sphere(ball, far)));
  EXPECT_TRUE(overlaps(oriented_box(plane, X), oriented_box(ball, far)));
  EXPECT_TRUE(overlaps(swept_box(ball, far), swept_box(plane, X)));
  EXPECT_TRUE(overlaps(bounding_sphere(plane, X), bounding_box(ball, far)));
  EXPECT_TRUE(overlaps(bounding_sphere(ball, far), as_swept_box(bounding_box(ground))));
  EXPECT_EQ(distance(bounding_sphere(plane), bounding_sphere(ball, far)), 0.0);
  EXPECT_EQ(distance(oriented_box(plane), oriented_box(ball, far)), 0.0);
  EXPECT_EQ(distance(swept_box(plane), as_swept_box(bounding_sphere(ball, far))), 0.0);
  EXPECT_EQ(volume(as_swept_box(bounding_sphere(plane))), kInfinite);
  // the aligned box ends at the plane
  const Aabb box = bounding_box(ground);
  EXPECT_EQ(box.lower, Vector3::Constant(-kInfinite));
  EXPECT_EQ(box.upper.x(), kInfinite);
  EXPECT_NEAR(box.upper.z(), 0.0, 1e-15);
  EXPECT_FALSE(overlaps(box, bounding_box(ball, far)));
  EXPECT_NEAR(distance(box, bounding_box(ball, far)), 1e9 - 0.1, 1e-4);
}

/// Volumes as shapes of the narrow phase, which is another algorithm and certified.
TEST(BoundingVolume, TestsAgreeWithTheNarrowPhase) {
  Random random(5);
  int apart = 0, together = 0;
  for (int k = 0; k < repetitions(3000); ++k) {
    const Vector3 ha(random.uniform(0.01, 1), random.uniform(0.01, 1), random.uniform(0.01, 1));
    const Vector3 hb(random.uniform(0.01, 1), random.uniform(0.01, 1), random.uniform(0.01, 1));
    const double ra = random.uniform(0, 0.5), rb = random.uniform(0, 0.5);
    Pose X_WA = random_pose(random, 1), X_WB = random_pose(random, 2);
    if (k % 4 == 0) X_WB.rotation = X_WA.rotation;  // parallel axes
    const auto narrow = [&](double a, double b) {
      return tactum::distance(Box{.half_extents = ha, .margin = a}, X_WA,
                              Box{.half_extents = hb, .margin = b}, X_WB)
          .distance;
    };
    const double boxes = narrow(0, 0), swept = narrow(ra, rb);
    (boxes > 0 ? apart : together) += 1;
    const OrientedBox A{X_WA, ha}, B{X_WB, hb};
    const SweptBox SA{X_WA, ha, ra}, SB{X_WB, hb, rb};
    ASSERT_NEAR(distance(A, B), std::max(boxes, 0.0), 1e-10);
    ASSERT_NEAR(distance(SA, SB), std::max(swept, 0.0), 1e-10);
    if (std::abs(boxes) > 1e-10) {
      ASSERT_EQ(overlaps(A, B), boxes < 0);
    }
    if (std::abs(swept) > 1e-10) {
      ASSERT_EQ(overlaps(SA, SB), swept < 0);
    }

    const BoundingSphere ball{X_WA.translation, ra};
    const double from_box = tactum::distance(Sphere{.radius = ra}, X_WA,
                                             Box{.half_extents = hb, .margin = rb}, X_WB)
                                .distance;
    ASSERT_NEAR(distance(ball, SB), std::max(from_box, 0.0), 1e-10);
    if (std::abs(from_box) > 1e-10) {
      ASSERT_EQ(overlaps(ball, SB), from_box < 0);
    }
    // the same through a swept box, which is a point here
    ASSERT_NEAR(distance(as_swept_box(ball), SB), std::max(from_box, 0.0), 1e-10);
  }
  EXPECT_GT(apart, repetitions(300));
  EXPECT_GT(together, repetitions(300));
}

TEST(BoundingVolume, AlignedBoxesAndSpheresAgreeWithBoxesOfAnyAxes) {
  Random random(6);
  for (int k = 0; k < repetitions(2000); ++k) {
    const Aabb a = random_box(random, 4, BoxSort::plain),
               b = random_box(random, 4, BoxSort::lattice);
    const BoundingSphere ball{random.in_box(2), random.uniform(0, 1)},
        other{random.in_box(2), random.uniform(0, 1)};
    ASSERT_NEAR(distance(a, b), distance(as_swept_box(a), as_swept_box(b)), 1e-12);
    ASSERT_NEAR(distance(ball, a), distance(as_swept_box(ball), as_swept_box(a)), 1e-12);
    ASSERT_NEAR(distance(ball, other), distance(as_swept_box(ball), as_swept_box(other)), 1e-12);
    ASSERT_EQ(overlaps(a, b), meet(a, b));
    ASSERT_EQ(overlaps(ball, a), distance(ball, a) <= 1e-14);
    ASSERT_EQ(overlaps(ball, other), distance(ball, other) <= 1e-14);
    ASSERT_NEAR(volume(a), volume(as_swept_box(a)), 1e-12);
    ASSERT_NEAR(volume(ball), volume(as_swept_box(ball)), 1e-12);
  }
}

/// Volumes that touch exactly must overlap, in any pose.
TEST(BoundingVolume, OverlapIsNeverDeniedAtTouch) {
  Random random(7);
  for (int k = 0; k < repetitions(500); ++k) {
    const Pose X = random_pose(random, 100);
    const OrientedBox a{X, {1, 2, 3}}, b{X * Pose{Matrix3::Identity(), {2, 0.5, 0}}, {1, 1, 1}};
    ASSERT_TRUE(overlaps(a, b));
    ASSERT_TRUE(overlaps(SweptBox{a.pose, {0.5, 2, 3}, 0.5}, SweptBox{b.pose, {0.25, 1, 1}, 0.75}));
    ASSERT_TRUE(
        overlaps(BoundingSphere{X.translation, 1}, BoundingSphere{X * Vector3(2, 0, 0), 1}));
    ASSERT_TRUE(overlaps(BoundingSphere{X * Vector3(2, 0, 0), 1}, as_swept_box(a)));
  }
}

TEST(BoundingVolume, BadInputIsNamed) {
  EXPECT_EQ(complaint([] { static_cast<void>(bounding_sphere(Points(3, 0))); }),
            "points = no points");
  Points points = Points::Zero(3, 4);
  points(1, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(complaint([&] { static_cast<void>(bounding_sphere(points)); }), "points[2][1] = nan");
  EXPECT_NE(complaint([&] { static_cast<void>(oriented_box(points)); }), "nothing");
  Pose bad;
  bad.rotation(0, 0) = 2.0;
  EXPECT_NE(complaint([&] { static_cast<void>(swept_box(Sphere{.radius = 1}, bad)); }), "nothing");
}

}  // namespace
}  // namespace tactum::bounding_volume_test
