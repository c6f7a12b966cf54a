// SPDX-License-Identifier: BSD-2-Clause
// Derivatives of patches of compounds and meshes against central differences.
#include <gtest/gtest.h>

#include "geometry/geometry_fixtures.hpp"
#include "mesh/mesh_fixtures.hpp"
#include "tactum/contact_patch.hpp"

namespace tactum::geometry_patch_derivative_test {
namespace {

using testing::Random;

Pose moved(const Pose& X, int axis, double step) {
  Vector3 v = Vector3::Zero(), w = Vector3::Zero();
  (axis < 3 ? v : w)[axis % 3] = step;
  const Matrix3 turn = Eigen::AngleAxisd(w.norm(), Vector3::Unit(axis % 3)).toRotationMatrix();
  return {X.rotation * (axis < 3 ? Matrix3(Matrix3::Identity())
                                 : Matrix3(step > 0 ? turn : Matrix3(turn.transpose()))),
          X.translation + X.rotation * v};
}

/// Compares with the patches a step ahead and behind; false where these have other points.
bool agrees(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
            const ContactPatchOptions& options) {
  const ContactPatchDerivative found = contact_patch_derivative(a, X_WA, b, X_WB,
                                                                {.patch = options});
  if (!found.smooth || found.value.count == 0) return false;
  constexpr double step = 1e-6;
  for (int column = 0; column < 12; ++column) {
    const auto at = [&](double h) {
      return contact_patch(a, column < 6 ? moved(X_WA, column, h) : X_WA, b,
                           column < 6 ? X_WB : moved(X_WB, column - 6, h), options);
    };
    const ContactPatch ahead = at(step), behind = at(-step);
    if (ahead.count != found.value.count || behind.count != found.value.count) return false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(found.value.count); ++i) {
      if (ahead.feature_ids[i] != found.value.feature_ids[i] ||
          behind.feature_ids[i] != found.value.feature_ids[i])
        return false;
      const Vector3 point = (ahead.points_a[i] - behind.points_a[i]) / (2 * step);
      EXPECT_LE((found.points_a_jacobian[i].col(column) - point).norm(), 1e-6);
      EXPECT_NEAR(found.distances_jacobian[i][column],
                  (ahead.distances[i] - behind.distances[i]) / (2 * step), 1e-6);
    }
    EXPECT_LE(
        (found.normal_jacobian.col(column) - (ahead.normal - behind.normal) / (2 * step)).norm(),
        1e-6);
  }
  return true;
}

TEST(GeometryPatchDerivative, OfATableOnTheGround) {
  std::vector<CompoundPart> parts = {
      {Shape(Box{.half_extents = {1.0, 0.6, 0.05}}), {.translation = {0, 0, 1.0}}}};
  for (const double x : {-0.9, 0.9})
    for (const double y : {-0.5, 0.5})
      parts.push_back(
          {Shape(Box{.half_extents = {0.05, 0.05, 0.5}}), {.translation = {x, y, 0.5}}});
  const Geometry table{Compound(parts)}, ground{Shape(HalfSpace{})};
  EXPECT_TRUE(
      agrees(ground, {}, table,
             {Eigen::AngleAxisd(0.3, Vector3::UnitZ()).toRotationMatrix(), {0.1, 0.2, 0.0005}},
             {.cutoff = 0.01}));
}

TEST(GeometryPatchDerivative, OfMeshesAndCompounds) {
  Random random(91);
  int compared = 0;
  for (int i = 0; i < 60; ++i) {
    const Geometry a = i % 2 == 0 ? Geometry(testing::torus_mesh(0.6, 0.2, 6, 5).solid())
                                  : Geometry(testing::random_compound(random, 3));
    const Geometry b = i % 3 == 0 ? Geometry(Shape(HalfSpace{.normal = random.direction()}))
                                  : Geometry(testing::bounded_shape(random));
    const Pose X_WA = testing::pose_near(random, 0.5), X_WB = testing::pose_near(random, 2.0);
    compared += agrees(a, X_WA, b, X_WB, {.max_angle = 1e-3}) ? 1 : 0;
  }
  EXPECT_GT(compared, 20);
}

TEST(GeometryPatchDerivative, WithoutPartsIsThatOfTheDistance) {
  const Geometry outer(testing::box_mesh({2, 2, 2}).solid()), ball(Shape(Sphere{.radius = 0.1}));
  const Pose X{.translation = {0.2, 0.3, 0.4}};
  const ContactPatchDerivative found = contact_patch_derivative(outer, {}, ball, X);
  ASSERT_EQ(found.value.count, 1);
  EXPECT_FALSE(found.smooth);
  EXPECT_EQ(found.distances_jacobian[0], distance_jacobian({}, X, found.value.distance));
}

}  // namespace
}  // namespace tactum::geometry_patch_derivative_test
