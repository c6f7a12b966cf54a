// SPDX-License-Identifier: BSD-2-Clause
// Rays: against the hull of convex meshes, and through edges and vertices without a gap.
#include <gtest/gtest.h>

#include "mesh/query/mesh_query_checks.hpp"
#include "support/allocation_guard.hpp"
#include "support/extended.hpp"

namespace tactum::mesh_ray_cast_test {
namespace {

using testing::Random;
using testing::Real;
using testing::Vec3;

TEST(MeshRayCast, HitsAConvexMeshWhereItHitsTheHull) {
  Random random(71);
  for (int i = 0; i < 40; ++i) {
    const testing::RawMesh raw = testing::hull_mesh(random, 40, 1.0);
    const Mesh mesh = raw.solid();
    const Shape hull(Convex::from_points(raw.vertices));
    for (int k = 0; k < 50; ++k) {
      const Pose X = testing::pose_near(random, 1.0);
      const Vector3 origin = random.in_box(3.0);
      const Vector3 direction = X.translation + random.in_box(1.0) - origin;
      const RayHit found = ray_cast(mesh, X, origin, direction),
                   expected = ray_cast(hull, X, origin, direction);
      ASSERT_EQ(found.hit, expected.hit);
      if (!found.hit) continue;
      ASSERT_NEAR(found.distance, expected.distance, 1e-9);
      ASSERT_LE((found.point - expected.point).norm(), 1e-9);
      ASSERT_NEAR(found.normal.norm(), 1.0, 1e-14);
      if (found.distance > 0.0) {
        ASSERT_LT(found.normal.dot(direction), 0.0);
      }
    }
  }
}

TEST(MeshRayCast, HitsASoupWhereAllTrianglesSay) {
  Random random(72);
  const Mesh mesh = testing::triangle_soup(random, 100, 1.0, 0.5).surface();
  int hits = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vector3 origin = random.in_box(3.0),
                  direction = (random.in_box(1.0) - origin).normalized();
    Real least = testing::infinite;
    for (const auto& t : mesh.triangles().colwise()) {  // Moeller and Trumbore
      const Vec3 a = testing::widen(Vector3(mesh.vertices().col(t[0]))),
                 u = testing::widen(Vector3(mesh.vertices().col(t[1]))) - a,
                 v = testing::widen(Vector3(mesh.vertices().col(t[2]))) - a,
                 d = testing::widen(direction), s = testing::widen(origin) - a;
      const Vec3 h = d.cross(v), q = s.cross(u);
      const Real determinant = u.dot(h), x = s.dot(h) / determinant, y = d.dot(q) / determinant,
                 at = v.dot(q) / determinant;
      if (x >= 0 && y >= 0 && x + y <= 1 && at >= 0) least = std::min(least, at);
    }
    const RayHit found = ray_cast(mesh, {}, origin, direction);
    ASSERT_EQ(found.hit, least < testing::infinite);
    if (!found.hit) continue;
    ++hits;
    ASSERT_NEAR(found.distance, static_cast<double>(least), 1e-12);
    ASSERT_LE(found.normal.dot(direction), 0.0);
    ASSERT_TRUE(ray_cast(mesh, {}, origin, direction, found.distance).hit);
    ASSERT_FALSE(ray_cast(mesh, {}, origin, direction, 0.999 * found.distance).hit &&
                 ray_cast(mesh, {}, origin, direction, 0.999 * found.distance).distance >
                     0.999 * found.distance);
  }
  EXPECT_GT(hits, 300);
}

TEST(MeshRayCast, NoRayPassesBetweenTriangles) {
  Random random(73);
  const Mesh mesh = testing::torus_mesh(2.0, 0.5, 12, 8).surface();
  for (int i = 0; i < 20000; ++i) {
    const auto t = mesh.triangles().col(random.below(static_cast<int>(mesh.triangles().cols())));
    const Vector3 a = mesh.vertices().col(t[0]), b = mesh.vertices().col(t[1]);
    const Vector3 target = a + (random.chance(0.3) ? 0.0 : random.uniform()) * (b - a);
    // from inside every direction has to hit: start in the middle of the tube
    const Vector3 middle = 2.0 * Vector3(target.x(), target.y(), 0.0).normalized() *
                           std::cos(std::numbers::pi / 12);
    ASSERT_TRUE(ray_cast(mesh, {}, middle, target - middle).hit) << i;
  }
}

TEST(MeshRayCast, StartsInsideASolid) {
  const Mesh solid = testing::box_mesh({1, 1, 1}).solid(),
             surface = testing::box_mesh({1, 1, 1}).surface();
  EXPECT_EQ(ray_cast(solid, {}, Vector3::Zero(), Vector3::UnitX()).distance, 0.0);
  const RayHit hit = ray_cast(surface, {}, Vector3::Zero(), Vector3::UnitX());
  EXPECT_NEAR(hit.distance, 1.0, 1e-15);
  EXPECT_NEAR(hit.normal.x(), -1.0, 1e-15);
  EXPECT_FALSE(ray_cast(surface, {}, Vector3(3, 0, 0), Vector3::UnitX()).hit);
  EXPECT_THROW(ray_cast(surface, {}, Vector3::Zero(), Vector3::Zero()), std::invalid_argument);
  EXPECT_THROW(ray_cast(surface, {}, Vector3::Zero(), Vector3::UnitX(), -1.0),
               std::invalid_argument);
  const Geometry of_solid(solid), of_surface(surface);
  const testing::AllocationGuard guard;
  ray_cast(of_surface, {}, Vector3::Zero(), Vector3::UnitX());
  ray_cast(of_solid, {}, Vector3::Zero(), Vector3::UnitX());
  ray_cast(of_solid, {}, Vector3(-3, 0.5, 0.25), Vector3::UnitX());
  EXPECT_EQ(guard.count(), 0U);
}

}  // namespace
}  // namespace tactum::mesh_ray_cast_test
