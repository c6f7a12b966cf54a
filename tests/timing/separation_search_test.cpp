// SPDX-License-Identifier: BSD-2-Clause
// The search of the experiments on STP volumes: bodies of sphere patches against their definition
// in extended precision, volumes against the library's proved distances.
#include "timing/separation_search.hpp"

#include <gtest/gtest.h>

#include "support/ball_intersection.hpp"
#include "support/random.hpp"
#include "support/repetitions.hpp"
#include "tactum/distance.hpp"
#include "timing/patch_bodies.hpp"

namespace tactum::separation_search_test {
namespace {

using namespace tactum::testing;
using python::Separation;
using python::SeparationSearch;
using python::SpherePatchBody;
using python::VolumeBody;

/// The balls of the big radius about the centers of the faces of a volume, placed.
BallIntersection placed_balls(const Stp& stp, const Pose& X) {
  std::vector<Vec3> centers;
  for (const StpSurface::Face& face : stp.surface().faces())
    centers.emplace_back(widen(X.rotation) * widen(to_vector3(face.center)) + widen(X.translation));
  return {centers, stp.big_radius()};
}

Real height(const BallIntersection& balls, const Vec3& n) { return n.dot(balls.lowest(-n)); }

Stp random_volume(Random& random) {
  Points points(3, 4 + random.below(3));
  for (int i = 0; i < points.cols(); ++i) points.col(i) = random.in_box(0.2);
  return Stp::from_points(points,
                          {.small_radius = 0.01, .big_radius = random.log_uniform(0.5, 10.0)});
}

TEST(SeparationSearch, BodiesOfSpherePatchesAreAsFarApartAsTheirDefinitionSays) {
  Random random(152);
  for (int k = 0; k < repetitions(120); ++k) {
    const Stp a = random_volume(random), b = random_volume(random);
    const Pose X_AB{random.rotation(), random.in_box(k % 3 == 0 ? 0.3 : 1.5)};
    const SpherePatchBody body_a(a), body_b(b);
    SeparationSearch<SpherePatchBody> search(body_a, body_b, X_AB, 1.0);
    const Separation r = search.run(X_AB.translation.normalized(), 1e-13);
    ASSERT_TRUE(r.converged) << k;
    const BallIntersection balls_a = placed_balls(a, Pose()), balls_b = placed_balls(b, X_AB);
    const auto separation = [&](const Vec3& n) {
      return static_cast<double>(-height(balls_a, n) - height(balls_b, -n));
    };
    EXPECT_NEAR(separation(widen(r.normal).normalized()), r.value, 1e-12) << k;
    EXPECT_LE(static_cast<double>(balls_a.excess(widen(r.point_a))), 1e-12) << k;
    EXPECT_LE(static_cast<double>(balls_b.excess(widen(r.point_b))), 1e-12) << k;
    // two points prove a distance; a depth is better than that of every direction nearby
    if (r.value > 0.0) {
      EXPECT_LE((r.point_b - r.point_a).norm() - r.value, 2e-13) << k;
    }
    for (int i = 0; i < 50; ++i) {
      const Vector3 other = (r.normal + 1e-3 * random.direction()).normalized();
      EXPECT_LE(separation(widen(other)), r.value + 1e-12) << k;
    }
  }
}

TEST(SeparationSearch, VolumesAreAsFarApartAsTheLibrarySays) {
  Random random(153);
  for (int k = 0; k < repetitions(200); ++k) {
    const Stp a = random_volume(random), b = random_volume(random);
    const Pose X_AB{random.rotation(), random.in_box(1.5)};
    const Distance truth = distance(a, Pose(), b, X_AB);
    if (truth.lower <= -0.02) continue;  // the cores overlap, and a local depth proves nothing
    const VolumeBody body_a(a), body_b(b);
    SeparationSearch<VolumeBody> search(body_a, body_b, X_AB, 1.0);
    const Separation r = search.run(random.direction(), 1e-13);
    ASSERT_TRUE(r.converged) << k;
    EXPECT_NEAR(r.value - 0.02, truth.distance, 1e-12) << k;
    EXPECT_GT(r.support_calls, 0);
  }
}

/// Two lenses of one sphere each: the search is over the line of their centers at once, and a start
/// that points the wrong way costs steps and not the answer.
TEST(SeparationSearch, AStartThatPointsTheWrongWayFindsTheSame) {
  Random random(154);
  for (int k = 0; k < repetitions(50); ++k) {
    const Stp a = random_volume(random), b = random_volume(random);
    const Pose X_AB{Matrix3::Identity(), Vector3(2.0, 0.3, -0.1)};
    const SpherePatchBody body_a(a), body_b(b);
    SeparationSearch<SpherePatchBody> forward(body_a, body_b, X_AB, 1.0),
        sideways(body_a, body_b, X_AB, 1.0);
    const Separation one = forward.run(Vector3::UnitX(), 1e-13),
                     other = sideways.run(Vector3(-0.2, 0.8, 0.6).normalized(), 1e-13);
    ASSERT_TRUE(one.converged && other.converged) << k;
    EXPECT_NEAR(one.value, other.value, 1e-12) << k;
  }
}

}  // namespace
}  // namespace tactum::separation_search_test
