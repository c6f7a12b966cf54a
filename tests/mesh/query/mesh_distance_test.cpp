// SPDX-License-Identifier: BSD-2-Clause
// Two meshes: against all pairs of triangles, against hulls, and what is claimed of solids.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "mesh/query/integer_triangles.hpp"
#include "mesh/query/mesh_query_checks.hpp"
#include "support/allocation_guard.hpp"
#include "support/repetitions.hpp"
#include "tactum/status.hpp"

namespace tactum::mesh_distance_test {
namespace {

using testing::Random;
using testing::RawMesh;

/// What is claimed of surfaces that cross: the crossing, and a translation that parts them, the
/// shortest for their hulls. `deepest` is the least signed distance of two triangles.
void expect_crossing(const GeometryDistance& found, const Mesh& a, const Pose& X_WA, const Mesh& b,
                     const Pose& X_WB, double deepest) {
  ASSERT_EQ(found.status, Status::penetrating);
  ASSERT_LT(found.upper, 0.0);
  ASSERT_GE(found.upper, deepest - 1e-14);
  const Distance hulls = distance(Shape(Convex::from_points(a.vertices())), X_WA,
                                  Shape(Convex::from_points(b.vertices())), X_WB);
  ASSERT_NEAR(found.distance, hulls.distance, 1e-9);
  ASSERT_LE(found.lower, deepest + 1e-14);
  const Pose moved{X_WB.rotation, X_WB.translation - (found.lower - 1e-9) * found.normal};
  ASSERT_FALSE(collide(a, X_WA, b, moved).colliding);
}

TEST(MeshDistance, SurfacesAreAsFarAsTheirNearestTriangles) {
  Random random(81);
  int crossing = 0, apart = 0;
  for (int mesh = 0; mesh < 20; ++mesh) {
    const RawMesh raw_a = mesh % 2 == 0 ? testing::torus_mesh(1.0, 0.3, 6, 4)
                                        : testing::triangle_soup(random, 15, 1.0, 0.5),
                  raw_b = testing::triangle_soup(random, 1 + random.below(20), 0.7, 0.7);
    const Mesh a = raw_a.surface(), b = raw_b.surface();
    const std::vector<Shape> hulls_a = testing::triangle_hulls(a),
                             hulls_b = testing::triangle_hulls(b);
    for (int i = 0; i < 25; ++i) {
      const Pose X_WA = testing::pose_near(random, 1.0), X_WB = testing::pose_near(random, 2.0);
      const double expected = testing::brute_distance(hulls_a, X_WA, hulls_b, X_WB);
      const GeometryDistance found = distance(a, X_WA, b, X_WB);
      ASSERT_LE(found.lower, expected + 1e-15);
      ASSERT_GE(found.upper, expected - 1e-15);
      if (expected > 1e-12) {
        ASSERT_EQ(found.status, Status::separated);
        ASSERT_NEAR(found.distance, expected, 1e-13);
      } else if (expected < -1e-12) {
        expect_crossing(found, a, X_WA, b, X_WB, expected);
      }
      ASSERT_LE((found.point_b - found.point_a - found.distance * found.normal).norm(), 1e-12);
      (expected < 0.0 ? crossing : apart) += 1;
      const Collision collision = collide(a, X_WA, b, X_WB);
      ASSERT_EQ(collision.colliding, expected <= 0.0);
      if (!collision.colliding) {
        ASSERT_GT(collision.lower, 0.0);
        ASSERT_LE(collision.lower, expected);
      }
      // the pair that is named has the points, or crosses
      const Distance named = distance(testing::triangle_hull(a, found.part_a), X_WA,
                                      testing::triangle_hull(b, found.part_b), X_WB);
      ASSERT_NEAR(named.distance, expected < 0.0 ? found.upper : found.distance, 1e-13);
    }
  }
  EXPECT_GT(crossing, 50);
  EXPECT_GT(apart, 50);
}

/// Triangles of any sort: slivers, segments and points among them. Some corners are moved to a line
/// as well as rounding lets them be where `collinear`.
RawMesh any_triangles(Random& random, int count, bool collinear) {
  RawMesh raw = testing::triangle_soup(random, count, 0.5, 0.8);
  for (Eigen::Index t = 0; t < raw.triangles.cols(); ++t) {
    const Vector3 a = raw.vertices.col(raw.triangles(0, t)),
                  b = raw.vertices.col(raw.triangles(1, t));
    auto c = raw.vertices.col(raw.triangles(2, t));
    const Vector3 on_line = a + random.uniform(-1.0, 2.0) * (b - a);
    if (random.chance(0.2))
      c = on_line + (collinear ? 0.0 : random.log_uniform(1e-4, 1e-1)) * random.direction();
    if (random.chance(0.1)) raw.triangles(1, t) = raw.triangles(0, t);
  }
  return raw;
}

/// On a grid the truth is decided in integers: no rounding is in it.
TEST(MeshDistance, CrossingsAreThoseOfExactPredicates) {
  Random random(90);
  int crossing = 0, apart = 0;
  for (int mesh = 0; mesh < testing::repetitions(400); ++mesh) {
    const auto triangles_a = testing::integer_triangles(random, 1 + random.below(6), 6),
               triangles_b = testing::integer_triangles(random, 1 + random.below(6), 6);
    const Mesh a = testing::raw_mesh(triangles_a).surface(),
               b = testing::raw_mesh(triangles_b).surface();
    for (int i = 0; i < 25; ++i) {
      const testing::IntegerPose X = testing::integer_pose(random, 9);
      const bool truth = std::ranges::any_of(triangles_b, [&](const auto& t) {
        const testing::IntegerTriangle moved = {X * t[0], X * t[1], X * t[2]};
        return std::ranges::any_of(triangles_a,
                                   [&](const auto& own) { return testing::meet(own, moved); });
      });
      const GeometryDistance found = distance(a, {}, b, X.pose());
      ASSERT_EQ(collide(a, {}, b, X.pose()).colliding, truth) << mesh << " " << i;
      ASSERT_EQ(found.status != Status::separated, truth) << mesh << " " << i;
      ASSERT_EQ(found.lower > 0.0, !truth) << mesh << " " << i;
      (truth ? crossing : apart) += 1;
    }
  }
  EXPECT_EQ(crossing + apart, 25 * testing::repetitions(400));
  EXPECT_GT(std::min(crossing, apart), testing::repetitions(2000));
}

TEST(MeshDistance, OfSmallMeshesIsThatOfAllPairsOfTriangles) {
  Random random(89);
  int crossing = 0;
  for (int mesh = 0; mesh < testing::repetitions(400); ++mesh) {
    // of a triangle without a plane of its own only the bounds are known
    const bool collinear = mesh % 4 == 0;
    const Mesh a = any_triangles(random, 1 + random.below(6), collinear).surface(),
               b = any_triangles(random, 1 + random.below(6), collinear).surface();
    const std::vector<Shape> hulls_a = testing::triangle_hulls(a),
                             hulls_b = testing::triangle_hulls(b);
    WarmStart last;
    for (int i = 0; i < 25; ++i) {
      const Pose X_WA = testing::pose_near(random, 0.6), X_WB = testing::pose_near(random, 0.6);
      const double expected = testing::brute_distance(hulls_a, X_WA, hulls_b, X_WB);
      const GeometryDistance found = distance(a, X_WA, b, X_WB, {.warm_start = &last});
      last = found.warm_start;
      ASSERT_LE(found.lower, expected + 1e-14);
      ASSERT_GE(found.upper, expected - 1e-14);
      if (std::abs(expected) > 1e-12) {
        ASSERT_EQ(collide(a, X_WA, b, X_WB).colliding, expected < 0.0);
      }
      if (!collinear && expected > 1e-12) {
        ASSERT_NEAR(found.distance, expected, 1e-11);
        ASSERT_EQ(found.status, Status::separated);
      } else if (!collinear && expected < -1e-12) {
        expect_crossing(found, a, X_WA, b, X_WB, expected);
      }
      crossing += expected < 0.0 ? 1 : 0;
    }
  }
  EXPECT_GT(crossing, testing::repetitions(1000));
}

/// The tetrahedra of a torus mesh: those of every segment of the ring, which is convex.
Compound tetrahedra_of_torus(double large, double small, int n, int m) {
  const RawMesh raw = testing::torus_mesh(large, small, n, m);
  std::vector<CompoundPart> parts;
  for (int i = 0; i < n; ++i) {
    Points segment(3, 2 * m);
    for (int k = 0; k < m; ++k) {
      segment.col(k) = raw.vertices.col(i * m + k);
      segment.col(m + k) = raw.vertices.col((i + 1) % n * m + k);
    }
    const Convex hull = Convex::from_points(segment);
    const Triangles faces = hull.faces();
    for (const auto& face : faces.colwise()) {
      Points corners(3, 4);
      for (int k = 0; k < 3; ++k) corners.col(k) = hull.vertex(face[k]);
      corners.col(3) = segment.rowwise().mean();
      parts.push_back({Shape(Convex::from_points(corners)), Pose{}});
    }
  }
  return Compound(std::move(parts));
}

TEST(MeshDistance, ApartIsThatOfTetrahedra) {
  Random random(90);
  const Mesh a = testing::torus_mesh(1.0, 0.3, 8, 5).solid();
  const Geometry mesh(a), parts(tetrahedra_of_torus(1.0, 0.3, 8, 5));
  int apart = 0, inside = 0;
  for (int i = 0; i < testing::repetitions(400); ++i) {
    const Pose X = testing::pose_near(random, 1.5);
    const GeometryDistance found = distance(mesh, {}, mesh, X),
                           expected = distance(parts, {}, parts, X);
    ASSERT_EQ(collide(mesh, {}, mesh, X).colliding, expected.distance <= 0.0);
    if (expected.distance > 1e-12) {
      ASSERT_NEAR(found.distance, expected.distance, 1e-12);
      ASSERT_EQ(found.status, Status::separated);
      ++apart;
    } else {
      ASSERT_LT(found.lower, 0.0);
      ++inside;
    }
  }
  EXPECT_GT(apart, testing::repetitions(20));
  EXPECT_GT(inside, testing::repetitions(20));
}

TEST(MeshDistance, ConvexMeshesApartAreAsFarAsTheirHulls) {
  Random random(82);
  for (int i = 0; i < 10; ++i) {
    const RawMesh raw_a = testing::hull_mesh(random, 60, 1.0),
                  raw_b = testing::hull_mesh(random, 60, 1.0);
    const Mesh a = raw_a.solid(), b = raw_b.solid();
    const Shape hull_a(Convex::from_points(raw_a.vertices)),
        hull_b(Convex::from_points(raw_b.vertices));
    for (int k = 0; k < 100; ++k) {
      const Pose X_WA = testing::pose_near(random, 1.0), X_WB = testing::pose_near(random, 3.0);
      const Distance expected = distance(hull_a, X_WA, hull_b, X_WB);
      const GeometryDistance found = distance(a, X_WA, b, X_WB);
      ASSERT_LE(found.lower, expected.upper);
      ASSERT_GE(found.upper, expected.lower);
      ASSERT_EQ(static_cast<bool>(collide(a, X_WA, b, X_WB)), expected.status != Status::separated);
      if (expected.status == Status::separated) {
        ASSERT_NEAR(found.distance, expected.distance, 1e-13);
        ASSERT_EQ(found.status, Status::separated);
      } else {
        // moving B along the normal by what is reported parts them
        const Pose moved{X_WB.rotation,
                         X_WB.translation - 1.0000001 * found.distance * found.normal};
        ASSERT_EQ(distance(hull_a, X_WA, hull_b, moved).status, Status::separated);
        ASSERT_LE(found.upper, 0.0);
      }
    }
  }
}

TEST(MeshDistance, ACornerOfASolidInAFaceIsAsDeepAsTheFaceProves) {
  const Mesh block = testing::box_mesh({1, 1, 1}).solid(),
             small = testing::box_mesh({0.2, 0.2, 0.2}).solid();
  const Matrix3 on_corner =
      Eigen::Quaterniond::FromTwoVectors(Vector3(1, 1, 1), -Vector3::UnitZ()).toRotationMatrix();
  const Pose X{on_corner, Vector3(0.3, 0.2, 1.0 + 0.2 * std::sqrt(3.0) - 0.05)};
  const GeometryDistance found = distance(block, {}, small, X);
  EXPECT_EQ(found.status, Status::penetrating);
  EXPECT_NEAR(found.distance, -0.05, 1e-13);
  EXPECT_LE(found.upper - found.lower, 1e-10);
  EXPECT_NEAR(found.normal.z(), 1.0, 1e-12);
}

TEST(MeshDistance, TheDepthOfSurfacesDoesNotFollowTheirTriangles) {
  // two balls with ever smaller triangles
  Random random(92);
  for (const int n : {200, 800, 3200}) {
    const Mesh ball = testing::hull_mesh(random, n, 1.0).surface();
    const GeometryDistance found = distance(ball, {}, ball, {.translation = {0, 0, 1.8}});
    EXPECT_EQ(found.status, Status::penetrating);
    EXPECT_NEAR(found.distance, -0.2, 0.06) << n;
  }
}

TEST(MeshDistance, WhatIsInsideASolidCollides) {
  const Mesh outer = testing::box_mesh({2, 2, 2}).solid(),
             outer_surface = testing::box_mesh({2, 2, 2}).surface(),
             inner = testing::torus_mesh(0.6, 0.2, 8, 6).solid();
  const Pose X{Matrix3::Identity(), Vector3(0.3, 0.2, 0.1)};
  const GeometryDistance found = distance(outer, {}, inner, X);
  EXPECT_EQ(found.status, Status::not_converged);
  EXPECT_LT(found.upper, -0.8);
  EXPECT_LE(found.lower, found.upper);
  EXPECT_TRUE(collide(outer, {}, inner, X));
  EXPECT_EQ(collide(outer, {}, inner, X).status, Status::penetrating);
  EXPECT_TRUE(collide(inner, X, outer, {}));
  EXPECT_LT(distance(inner, X, outer, {}, {.cutoff = 0.0}).upper, -0.8);
  // a surface has no inside, but the solid inside it is solid
  EXPECT_EQ(distance(outer_surface, {}, inner, X).status, Status::separated);
  EXPECT_FALSE(collide(outer_surface, {}, inner, X));
}

TEST(MeshDistance, ARingAroundABarDoesNotCollide) {
  const Mesh ring = testing::torus_mesh(1.0, 0.2, 24, 12).solid(),
             bar = testing::box_mesh({0.1, 0.1, 3.0}).solid();
  const GeometryDistance found = distance(ring, {}, bar, {});
  EXPECT_EQ(found.status, Status::separated);
  EXPECT_GT(found.distance, 0.6);
  EXPECT_FALSE(collide(ring, {}, bar, {}));
}

TEST(MeshDistance, EveryComponentIsLookedAt) {
  // one small box inside the solid, one outside
  const RawMesh small = testing::box_mesh({0.1, 0.1, 0.1});
  RawMesh two{Points(3, 16), Triangles(3, 24)};
  two.vertices << (small.vertices.colwise() + Vector3(9, 0, 0)), small.vertices;
  two.triangles << small.triangles, (small.triangles.array() + 8).matrix();
  const Mesh solid = testing::box_mesh({2, 2, 2}).solid();
  EXPECT_TRUE(collide(solid, {}, two.surface(), {}));
  EXPECT_LT(distance(solid, {}, two.surface(), {}).upper, 0.0);
}

TEST(MeshDistance, CutoffAndWarmStartChangeNothingElse) {
  Random random(83);
  const Mesh a = testing::torus_mesh(1.0, 0.3, 16, 8).surface(),
             b = testing::torus_mesh(0.8, 0.2, 10, 6).surface();
  GeometryDistance last;
  for (int i = 0; i < 200; ++i) {
    const Pose X_WA = testing::pose_near(random, 1.0), X_WB = testing::pose_near(random, 4.0);
    const GeometryDistance plain = distance(a, X_WA, b, X_WB);
    const GeometryDistance warm = distance(a, X_WA, b, X_WB, {.warm_start = &last.warm_start});
    ASSERT_NEAR(warm.distance, plain.distance, 1e-14);
    ASSERT_EQ(warm.status, plain.status);
    const GeometryDistance again = distance(a, X_WA, b, X_WB, {.warm_start = &plain.warm_start});
    ASSERT_NEAR(again.distance, plain.distance, 1e-14);
    const double cutoff = random.uniform(0.0, 4.0);
    const GeometryDistance cut = distance(a, X_WA, b, X_WB, {.cutoff = cutoff});
    if (plain.distance > cutoff) {
      ASSERT_EQ(cut.status, Status::beyond_cutoff);
      ASSERT_GT(cut.lower, cutoff);
      ASSERT_LE(cut.lower, plain.distance);
    } else {
      ASSERT_EQ(cut.status, plain.status);
      ASSERT_NEAR(cut.distance, plain.distance, 1e-14);
    }
    last = plain;
  }
}

TEST(MeshDistance, FarFromTheOriginOfTheWorldNothingIsLost) {
  const Mesh a = testing::box_mesh({1, 1, 1}).surface();
  const Vector3 far(1e8, -2e8, 3e8);
  const GeometryDistance found = distance(a, {Matrix3::Identity(), far}, a,
                                          {Matrix3::Identity(), far + Vector3(3, 0, 0)});
  EXPECT_EQ(found.distance, 1.0);
}

TEST(MeshDistance, RefusesBadPosesAndOptions) {
  const Mesh a = testing::box_mesh({1, 1, 1}).surface();
  Pose bad;
  bad.rotation(0, 0) = 2.0;
  EXPECT_THROW(distance(a, bad, a, {}), InvalidInput);
  EXPECT_THROW(distance(a, {}, a, bad), InvalidInput);
  EXPECT_THROW(distance(a, {}, a, {}, {.tolerance = -1.0}), InvalidInput);
  EXPECT_THROW(distance(a, {}, a, {}, {.cutoff = -1.0}), InvalidInput);
  EXPECT_THROW(collide(a, bad, a, {}), InvalidInput);
  EXPECT_THROW(collide(a, {}, a, {}, {.max_iterations = 0}), InvalidInput);
}

TEST(MeshDistance, AllocatesNothing) {
  const Mesh a = testing::torus_mesh(1.0, 0.3, 16, 8).solid(),
             b = testing::torus_mesh(0.8, 0.2, 10, 6).solid();
  a.hull(), b.hull();  // what the first query of a mesh makes
  const testing::AllocationGuard guard;
  for (const double x : {0.0, 0.5, 1.0, 3.0}) {
    const Pose X{Matrix3::Identity(), Vector3(x, 0.1, 0.2)};
    distance(a, {}, b, X);
    collide(a, {}, b, X);
  }
  EXPECT_EQ(guard.count(), 0U);
}

}  // namespace
}  // namespace tactum::mesh_distance_test
