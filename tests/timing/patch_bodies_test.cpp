// SPDX-License-Identifier: BSD-2-Clause
// Bodies of sphere patches against their definition, tried one candidate after the other in
// extended precision, and against central differences.
#include "timing/patch_bodies.hpp"

#include <gtest/gtest.h>

#include "shape/stp_clouds.hpp"
#include "support/ball_intersection.hpp"
#include "support/repetitions.hpp"
#include "tactum/status.hpp"

namespace tactum::patch_bodies_test {
namespace {

using namespace tactum::testing;
using python::SpherePatchBody;

/// The balls of the big radius about the centers of the faces.
BallIntersection balls_of(const Stp& stp) {
  std::vector<Vec3> centers;
  for (const StpSurface::Face& face : stp.surface().faces())
    centers.push_back(widen(to_vector3(face.center)));
  return {centers, stp.big_radius()};
}

Stp random_volume(Random& random, int sort, double least_ratio, double largest_ratio) {
  while (true) {
    const Points points = stp_cloud(sort, 3 + random.below(5), random);
    const double least = smallest_sphere(points).radius, small = random.uniform(0.0, 0.3);
    if (least == 0.0) continue;
    const double alpha = least * random.log_uniform(least_ratio, largest_ratio);
    const Stp stp = Stp::from_points(points, {.small_radius = small, .big_radius = alpha + small});
    if (stp.num_faces() > 0) return stp;
  }
}

TEST(SpherePatches, SupportIsThatOfTheDefinition) {
  Random random(31);
  for (int k = 0; k < repetitions(210); ++k) {
    const Stp stp = random_volume(random, k % kCloudSorts, 1.05, 30.0);
    const SpherePatchBody body(stp);
    const BallIntersection balls = balls_of(stp);
    for (int i = 0; i < 12; ++i) {
      const Vector3 u = i % 3 == 0 ? stp_direction(stp.surface(), random)
                                   : stp_direction(body.dual(), random);
      int visited = 0;
      const Vector3 point = to_vector3(body.curved_support(to_double3(u), visited).point);
      const Vec3 wide = widen(u).normalized();
      ASSERT_LE(balls.excess(widen(point)), 1e-14 * stp.big_radius()) << k << " " << i;
      ASSERT_NEAR(static_cast<double>(wide.dot(balls.lowest(-wide) - widen(point))), 0.0,
                  2e-14 * stp.big_radius())
          << k << " " << i;
    }
  }
}

TEST(SpherePatches, HessianIsThatOfDifferences) {
  Random random(32);
  int checked = 0;
  for (int k = 0; k < repetitions(200); ++k) {
    const Stp stp = random_volume(random, k % kCloudSorts, 1.05, 5.0);
    const SpherePatchBody body(stp);
    const Vector3 u = random.direction(), t = u.cross(random.direction()).normalized();
    int visited = 0;
    const auto support = [&](const Vector3& direction) {
      return body.curved_support(to_double3(direction.normalized()), visited);
    };
    constexpr double step = 1e-5;
    const StpSurface::Curvature here = support(u), ahead = support(u + step * t),
                                behind = support(u - step * t);
    const auto is_near = [&](const StpSurface::Curvature& other) {  // on the same patch: no jump
      return std::abs(other.radius - here.radius) <= 1e-3 * stp.big_radius() &&
             std::abs(other.across_radius - here.across_radius) <= 1e-3 * stp.big_radius();
    };
    if (!is_near(ahead) || !is_near(behind)) continue;
    const Vector3 change = to_vector3(ahead.point - behind.point) / (2.0 * step);
    const Vector3 across = to_vector3(here.across);
    const Vector3 expected = here.radius * t +
                             (here.across_radius - here.radius) * across.dot(t) * across;
    ASSERT_LE((expected - change).norm(), 1e-8 * stp.big_radius()) << k;
    ++checked;
  }
  EXPECT_GE(checked, repetitions(200) * 9 / 10);
}

/// Section III-E: the body keeps the same least distance from the points, and lies no closer to
/// them than the volume.
TEST(SpherePatches, HoldsTheVolume) {
  Random random(33);
  for (int k = 0; k < repetitions(140); ++k) {
    const Stp stp = random_volume(random, k % kCloudSorts, 1.01, 100.0);
    const SpherePatchBody body(stp);
    const Shape volume(stp);
    const Vector3 u = stp_direction(body.dual(), random);
    int visited = 0;
    ASSERT_GE(u.dot(to_vector3(body.curved_support(to_double3(u), visited).point)),
              u.dot(volume.support(u)) - 1e-14 * stp.big_radius())
        << k;
  }
}

/// Above one edge of a prism of two faces: the spheres meet in a circle around the line of their
/// centers.
TEST(SpherePatches, OfATriangleIsALens) {
  Points points(3, 3);
  points << 0.1, -0.1, 0.0, 0.0, 0.0, 0.15, 0.0, 0.0, 0.0;
  const Stp stp = Stp::from_points(points, {.small_radius = 0.01, .big_radius = 1.0});
  ASSERT_EQ(stp.num_faces(), 2);
  const Vector3 center = to_vector3(stp.surface().faces()[0].center),
                other = to_vector3(stp.surface().faces()[1].center);
  const double rim = std::sqrt(1.0 - 0.25 * (center - other).squaredNorm());
  const SpherePatchBody body(stp);
  int visited = 0;
  const Vector3 side = to_vector3(body.curved_support({1.0, 0.0, 0.0}, visited).point);
  EXPECT_LE((side - 0.5 * (center + other) - Vector3(rim, 0.0, 0.0)).norm(), 1e-14);
  EXPECT_GT(rim, 0.13);  // the volume ends 0.01 beyond the points, at most 0.11 from the middle of
                         // the longest edge
}

TEST(SpherePatches, NeedFaces) {
  Points points(3, 2);
  points << 0.1, -0.1, 0.0, 0.0, 0.0, 0.0;
  EXPECT_THROW(SpherePatchBody(Stp::from_points(points, {.small_radius = 0.01, .big_radius = 1.0})),
               InvalidInput);
}

}  // namespace
}  // namespace tactum::patch_bodies_test
