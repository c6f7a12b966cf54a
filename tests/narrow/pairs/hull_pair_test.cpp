// SPDX-License-Identifier: BSD-2-Clause
// A point against a hull: by brute force over faces, edges and vertices in extended precision;
// walks that begin anywhere; flat hulls, points inside and on the surface are refused.
#include "narrow/pairs/hull_pair.hpp"

#include "narrow/formula/hull_projection.hpp"
#include "narrow/narrow_fixtures.hpp"

namespace tactum::hull_pair_test {
namespace {

using namespace tactum::testing;

Convex hull_on_ellipsoid(Random& random, int points) {
  const Vector3 sizes = random_sizes(random, 0.05, 0.5);
  Points cloud(3, points);
  for (int i = 0; i < points; ++i) cloud.col(i) = sizes.cwiseProduct(random.rotation().col(0));
  return Convex::from_points(cloud);
}

bool solve(const TestPair& pair, PrimitivePairAnswer& answer) {
  const Matrix3& R = pair.X_AB.rotation;
  return solve_hull_point(pair.a.core(), pair.b.core(),
                          {to_double3(R.col(0)), to_double3(R.col(1)), to_double3(R.col(2)),
                           to_double3(pair.X_AB.translation)},
                          pair.scale(), answer);
}

TEST(HullPair, PointsAgreeWithTheOracle) {
  Random random(371);
  int outside = 0, answered = 0;
  for (int i = 0; i < repetitions(300); ++i) {
    const TestPair pair{hull_on_ellipsoid(random, i % 3 == 0 ? 6 : 60), Sphere{.radius = 0.1},
                        random_pose(random, 0.8)};
    const double truth = static_cast<double>(pair.core_truth());
    PrimitivePairAnswer answer;
    const bool solved = solve(pair, answer);
    outside += truth > 0.0 ? 1 : 0;
    answered += solved ? 1 : 0;
    if (!solved) continue;
    const double rounding = 16.0 * kEps * pair.scale();
    EXPECT_NEAR(answer.lower, truth, rounding) << i;
    EXPECT_NEAR(answer.upper, truth, rounding) << i;
    EXPECT_NEAR(static_cast<double>(pair.separation_of_cores(to_vector3(answer.normal))), truth,
                rounding);
    EXPECT_LE(static_cast<double>(pair.outside_a(to_vector3(answer.point_first))), rounding);
    EXPECT_LE((answer.point_second - answer.point_first - answer.lower * answer.normal).norm(),
              rounding);
    EXPECT_GT(answer.vertices_visited, 0);
  }
  EXPECT_EQ(answered, outside);
  EXPECT_GT(outside, repetitions(150));
}

/// From the near side every walk ends at the nearest point, which is known because x was placed
/// above a face.
TEST(HullPair, WalksFromTheNearSideEndAtTheNearestPoint) {
  Random random(372);
  for (int i = 0; i < repetitions(300); ++i) {
    const Convex convex = hull_on_ellipsoid(random, 100);
    const ConvexPolytope& hull = convex.polytope();
    const auto face = static_cast<std::size_t>(random.below(static_cast<int>(hull.faces().size())));
    const auto& corners = hull.faces()[face].vertices;
    const Vector3 nearest = (hull.vertex(corners[0]) + hull.vertex(corners[1]) +
                             hull.vertex(corners[2])) /
                            3.0;
    const Vector3& n = hull.planes()[face].normal;
    const Vector3 x = nearest + random.uniform(0.1, 1.0) * n,
                  direction = n + 0.5 * random.rotation().col(0);
    HullProjection walk(hull, to_double3(direction));
    EXPECT_LE((to_vector3(walk.nearest_point(to_double3(x))) - nearest).norm(), 1e-12) << i;
    EXPECT_NEAR(walk.support(to_double3(n)), hull.planes()[face].offset, 4.0 * kEps);
  }
}

/// A thin prism over a polygon that has many vertices in few directions.
Convex thin_prism(Random& random) {
  const int corners = 3 + random.below(12);
  const Vector3 sizes(random.log_uniform(1e-3, 1.0), 1.0, random.log_uniform(1e-4, 1.0));
  Points cloud(3, 2 * corners);
  for (int i = 0; i < corners; ++i) {
    const double angle = 2.0 * 3.141592653589793 * i / corners;
    cloud.col(i) = sizes.cwiseProduct(Vector3(std::cos(angle), std::sin(angle), 1.0));
    cloud.col(corners + i) = sizes.cwiseProduct(Vector3(std::cos(angle), std::sin(angle), -1.0));
  }
  return Convex::from_points(cloud);
}

/// However the walk ends, its point is a point of the hull: a point past an edge of a face lies in
/// the plane of the face, so that no support would detect it.
TEST(HullPair, TheNearestPointIsAPointOfTheHull) {
  Random random(374);
  for (int i = 0; i < repetitions(3000); ++i) {
    const Convex convex = thin_prism(random);
    const ConvexPolytope& hull = convex.polytope();
    const Vector3 x = 2.0 * random.in_box(1.0);
    HullProjection walk(hull, to_double3(Vector3(x - hull.centroid())));
    const Vector3 nearest = to_vector3(walk.nearest_point(to_double3(x)));
    for (const ConvexPolytope::Plane& plane : hull.planes())
      EXPECT_LE(plane.normal.dot(nearest), plane.offset + 1e-12) << i;
  }
}

/// Thin prisms: a wrong walk takes the distance of a ball from the plane of a face that the ball is
/// not above.
TEST(HullPair, ThinPrismsAgreeWithTheOracle) {
  Random random(375);
  for (int i = 0; i < repetitions(600); ++i) {
    const TestPair pair{thin_prism(random), Sphere{.radius = 0.1}, random_pose(random, 1.5)};
    PrimitivePairAnswer answer;
    if (!solve(pair, answer)) continue;
    const double truth = static_cast<double>(pair.core_truth()),
                 rounding = 64.0 * kEps * pair.scale();
    EXPECT_NEAR(answer.lower, truth, rounding) << i;
    EXPECT_NEAR(answer.upper, truth, rounding) << i;
  }
}

TEST(HullPair, RefusesPointsWithoutAProjection) {
  Points square(3, 4);
  square << -1, 1, 1, -1, -1, -1, 1, 1, 0, 0, 0, 0;
  const Shape flat = Convex::from_points(square), point = Sphere{.radius = 0.1};
  Random random(373);
  const Convex convex = hull_on_ellipsoid(random, 40);
  PrimitivePairAnswer answer;
  EXPECT_FALSE(solve({flat, point, at(0.0, 0.0, 1.0)}, answer));
  EXPECT_FALSE(solve({convex, point, {Matrix3::Identity(), convex.polytope().centroid()}}, answer));
  EXPECT_FALSE(solve({convex, point, {Matrix3::Identity(), convex.vertex(3)}}, answer));
  for (int i = 0; i < repetitions(300); ++i) {
    const TestPair pair{convex, point, random_pose(random, 0.1)};
    if (!solve(pair, answer)) continue;
    EXPECT_GT(static_cast<double>(pair.core_truth()), 0.0);
  }
}

}  // namespace
}  // namespace tactum::hull_pair_test
