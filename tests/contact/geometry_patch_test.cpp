// SPDX-License-Identifier: BSD-2-Clause
// Patches of compounds and meshes: against the hulls of convex ones, and against planes.
#include <gtest/gtest.h>

#include <set>

#include "geometry/geometry_fixtures.hpp"
#include "mesh/mesh_fixtures.hpp"
#include "tactum/contact_patch.hpp"

namespace tactum::geometry_patch_test {
namespace {

using testing::Random;

double area_of(const ContactPatch& patch) {
  double area = 0.0;
  for (std::size_t i = 1; i + 1 < static_cast<std::size_t>(patch.count); ++i)
    area += 0.5 * (patch.points_a[i] - patch.points_a[0])
                      .cross(patch.points_a[i + 1] - patch.points_a[0])
                      .dot(patch.normal);
  return area;
}

void expect_sound(const ContactPatch& patch) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(patch.count); ++i) {
    EXPECT_LE((patch.points_b[i] - patch.points_a[i] - patch.distances[i] * patch.normal).norm(),
              1e-9);
  }
}

TEST(GeometryPatch, OfABoxMeshIsThatOfTheBox) {
  Random random(51);
  const Geometry mesh(testing::box_mesh({1, 2, 3}).solid()),
      box(Shape(Box{.half_extents = {1, 2, 3}}));
  const Geometry others[] = {Shape(Box{.half_extents = {0.5, 0.6, 0.7}}),
                             Shape(HalfSpace{.normal = {0, 0, 1}}),
                             Geometry(testing::box_mesh({0.5, 0.6, 0.7}).solid())};
  for (int i = 0; i < 60; ++i) {
    // faces against faces, 1 mm apart or 1 mm deep
    const double apart = i % 2 == 0 ? 1e-3 : -1e-3;
    const Geometry& other = others[i % 3];
    const bool is_plane = i % 3 == 1;
    const Matrix3 turn =
        Eigen::AngleAxisd(random.uniform(0.0, 6.0), Vector3::UnitZ()).toRotationMatrix();
    const Pose X{turn, Vector3(random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3),
                               is_plane ? -3.0 - apart : 3.7 + apart)};
    const ContactPatch of_mesh = contact_patch(mesh, {}, other, X, {.cutoff = 0.01}),
                       of_box = contact_patch(
                           box, {},
                           other.mesh() != nullptr
                               ? Geometry(Shape(Box{.half_extents = {0.5, 0.6, 0.7}}))
                               : other,
                           X, {.cutoff = 0.01});
    SCOPED_TRACE(i);
    expect_sound(of_mesh);
    ASSERT_NEAR(of_mesh.normal.dot(of_box.normal), 1.0, 1e-9);
    ASSERT_NEAR(area_of(of_mesh), area_of(of_box), 1e-6);
    for (std::size_t k = 0; k < static_cast<std::size_t>(of_mesh.count); ++k)
      ASSERT_NEAR(of_mesh.distances[k], apart, 1e-9);
  }
}

TEST(GeometryPatch, ATableStandsOnItsOuterCorners) {
  std::vector<CompoundPart> parts = {
      {Shape(Box{.half_extents = {1.0, 0.6, 0.05}}), {.translation = {0, 0, 1.0}}}};
  for (const double x : {-0.9, 0.9})
    for (const double y : {-0.5, 0.5})
      parts.push_back(
          {Shape(Box{.half_extents = {0.05, 0.05, 0.5}}), {.translation = {x, y, 0.5}}});
  const Geometry table{Compound(parts)}, ground{Shape(HalfSpace{})};
  for (const double apart : {1e-3, 0.0, -1e-3}) {
    const ContactPatch patch = contact_patch(ground, {}, table, {.translation = {0, 0, apart}},
                                             {.cutoff = 0.01});
    ASSERT_EQ(patch.count, 4);
    expect_sound(patch);
    EXPECT_NEAR(area_of(patch), 4.0 * 0.95 * 0.55, 1e-9);
    std::set<std::uint64_t> ids(patch.feature_ids.begin(), patch.feature_ids.begin() + 4);
    EXPECT_EQ(ids.size(), 4U);
  }
}

TEST(GeometryPatch, IdsStayWhileTheGeometriesMoveALittle) {
  const Geometry mesh(testing::box_mesh({1, 2, 3}).solid()),
      box(Shape(Box{.half_extents = {0.5, 0.6, 0.7}}));
  const auto ids_at = [&](const Vector3& offset) {
    const ContactPatch patch = contact_patch(
        mesh, {}, box, {.translation = Vector3(0.2, 0.1, 3.699) + offset}, {.cutoff = 0.01});
    return std::set<std::uint64_t>(patch.feature_ids.begin(),
                                   patch.feature_ids.begin() + patch.count);
  };
  const auto ids = ids_at(Vector3::Zero());
  EXPECT_EQ(ids.size(), 4U);
  EXPECT_EQ(ids_at({1e-4, 2e-4, -1e-5}), ids);
}

TEST(GeometryPatch, WhatCollidesHasAContact) {
  Random random(52);
  int colliding = 0;
  for (int i = 0; i < 150; ++i) {
    const Geometry a = i % 2 == 0 ? Geometry(testing::torus_mesh(1.0, 0.4, 8, 6).solid())
                                  : Geometry(testing::hull_mesh(random, 16, 0.8).solid());
    const Geometry b = i % 3 == 0 ? Geometry(testing::hull_mesh(random, 10, 0.3).solid())
                                  : testing::random_geometry(random);
    const Pose X_WA = testing::pose_near(random, 1.0), X_WB = testing::pose_near(random, 1.0);
    const bool collides = collide(a, X_WA, b, X_WB).colliding;
    const ContactPatch patch = contact_patch(a, X_WA, b, X_WB, {.cutoff = 0.0});
    std::vector<PartPatch> patches;
    contact_patches(a, X_WA, b, X_WB, {.cutoff = 0.0}, patches);
    expect_sound(patch);
    for (const PartPatch& part : patches) expect_sound(part.patch);
    if (collides) {
      ASSERT_GE(patch.count, 1) << i;
      ASSERT_GE(patches.size(), 1U) << i;
      ++colliding;
    } else {
      ASSERT_EQ(patch.count, 0) << i;
      ASSERT_TRUE(patches.empty()) << i;
    }
  }
  EXPECT_GT(colliding, 40);
}

TEST(GeometryPatch, PatchesOfAMeshHaveOneNormalEach) {
  // a box mesh in the corner of two planes of a compound
  const Geometry mesh(testing::box_mesh({0.5, 0.5, 0.5}).solid());
  const Geometry corner(
      Compound({{Shape(Box{.half_extents = {2, 2, 0.5}}), {.translation = {0, 0, -1}}},
                {Shape(Box{.half_extents = {0.5, 2, 2}}), {.translation = {-1, 0, 0}}}}));
  std::vector<PartPatch> patches;
  contact_patches(corner, {}, mesh, {.translation = {0.001, 0.0, -0.001}}, {.cutoff = 0.01},
                  patches);
  std::vector<Vector3> normals;
  for (const PartPatch& part : patches) {
    expect_sound(part.patch);
    for (const Vector3& other : normals) EXPECT_GT((part.patch.normal - other).norm(), 1e-6);
    normals.push_back(part.patch.normal);
  }
  const auto has = [&](const Vector3& n) {
    return std::ranges::any_of(normals, [&](const Vector3& m) { return (m - n).norm() < 1e-9; });
  };
  EXPECT_TRUE(has(Vector3::UnitZ()));
  EXPECT_TRUE(has(Vector3::UnitX()));
  EXPECT_EQ(normals.size(), 2U);
}

}  // namespace
}  // namespace tactum::geometry_patch_test
