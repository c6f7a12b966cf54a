// SPDX-License-Identifier: BSD-2-Clause
// Derivatives of all patches of compounds and meshes against central differences.
#include <gtest/gtest.h>

#include "geometry/geometry_fixtures.hpp"
#include "mesh/mesh_fixtures.hpp"
#include "tactum/contact_patch.hpp"

namespace tactum::patches_derivative_test {
namespace {

using testing::Random;

Pose moved(const Pose& X, int axis, double step) {
  const Vector3 unit = Vector3::Unit(axis % 3);
  if (axis < 3) return {X.rotation, X.translation + step * (X.rotation * unit)};
  return {X.rotation * Eigen::AngleAxisd(step, unit).toRotationMatrix(), X.translation};
}

/// Compares the smooth patches with those a step ahead and behind; returns how many there were.
int compare(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
            const ContactPatchOptions& options) {
  std::vector<ContactPatchDerivative> found;
  contact_patches_derivative(a, X_WA, b, X_WB, {.patch = options}, found);
  std::vector<PartPatch> values, ahead, behind;
  contact_patches(a, X_WA, b, X_WB, options, values);
  EXPECT_EQ(found.size(), values.size());
  std::vector<bool> counts(found.size(), true);
  constexpr double step = 1e-6;
  for (int column = 0; column < 12; ++column) {
    for (auto* const out : {&ahead, &behind}) {
      const double h = out == &ahead ? step : -step;
      out->clear();
      contact_patches(a, column < 6 ? moved(X_WA, column, h) : X_WA, b,
                      column < 6 ? X_WB : moved(X_WB, column - 6, h), options, *out);
    }
    if (ahead.size() != values.size() || behind.size() != values.size()) return 0;
    for (std::size_t p = 0; p < values.size(); ++p) {
      const ContactPatch &here = found[p].value, &front = ahead[p].patch, &back = behind[p].patch;
      EXPECT_EQ(here.count, values[p].patch.count);
      const auto used = static_cast<std::size_t>(here.count);
      counts[p] = counts[p] && found[p].smooth && front.count == here.count &&
                  back.count == here.count;
      for (std::size_t i = 0; counts[p] && i < used; ++i)
        counts[p] = front.feature_ids[i] == here.feature_ids[i] &&
                    back.feature_ids[i] == here.feature_ids[i];
      for (std::size_t i = 0; counts[p] && i < used; ++i) {
        const Vector3 on_a = (front.points_a[i] - back.points_a[i]) / (2 * step),
                      on_b = (front.points_b[i] - back.points_b[i]) / (2 * step);
        EXPECT_LE((found[p].points_a_jacobian[i].col(column) - on_a).norm(), 1e-6);
        EXPECT_LE((found[p].points_b_jacobian[i].col(column) - on_b).norm(), 1e-6);
        EXPECT_NEAR(found[p].distances_jacobian[i][column],
                    (front.distances[i] - back.distances[i]) / (2 * step), 1e-6);
      }
      if (counts[p]) {
        EXPECT_LE((found[p].normal_jacobian.col(column) - (front.normal - back.normal) / (2 * step))
                      .norm(),
                  1e-6);
      }
    }
  }
  return static_cast<int>(std::count(counts.begin(), counts.end(), true));
}

TEST(PatchesDerivative, OfATableWithItsLegs) {
  std::vector<CompoundPart> parts;
  for (const double x : {-0.9, 0.9})
    for (const double y : {-0.5, 0.5})
      parts.push_back(
          {Shape(Box{.half_extents = {0.05, 0.05, 0.5}}), {.translation = {x, y, 0.5}}});
  const Geometry table{Compound(parts)}, ground{Shape(HalfSpace{})};
  EXPECT_EQ(
      compare(ground, {}, table,
              {Eigen::AngleAxisd(0.3, Vector3::UnitZ()).toRotationMatrix(), {0.1, 0.2, 0.0005}},
              {.cutoff = 0.01}),
      4);
}

TEST(PatchesDerivative, OfBallsInATrough) {
  // two balls side by side on two triangles that meet in a valley: a patch for each normal
  const Points corners = (Points(3, 4) << 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 0.5, 0.5).finished();
  Triangles faces(3, 2);
  faces << 0, 0, 1, 3, 2, 1;
  const Geometry trough{Mesh(corners, faces)};
  const Geometry ball{Shape(Sphere{.radius = 0.2})};
  const Pose X{Matrix3::Identity(), {0.01, 0.05, 0.225}};
  EXPECT_EQ(compare(trough, {}, ball, X, {.cutoff = 0.05}), 2);
}

TEST(PatchesDerivative, OfMeshesAndCompounds) {
  Random random(92);
  int compared = 0;
  for (int i = 0; i < 40; ++i) {
    const Geometry a = i % 2 == 0 ? Geometry(testing::torus_mesh(0.6, 0.2, 6, 5).solid())
                                  : Geometry(testing::random_compound(random, 3));
    const Geometry b(testing::bounded_shape(random));
    const Pose X_WA = testing::pose_near(random, 0.5), X_WB = testing::pose_near(random, 2.0);
    compared += compare(a, X_WA, b, X_WB, {.cutoff = 2.0, .max_angle = 1e-3});
  }
  EXPECT_GT(compared, 15);
}

TEST(PatchesDerivative, WithoutPartsIsThatOfTheDistance) {
  const Geometry outer(testing::box_mesh({2, 2, 2}).solid()), ball(Shape(Sphere{.radius = 0.1}));
  const Pose X{.translation = {0.2, 0.3, 0.4}};
  std::vector<ContactPatchDerivative> found;
  contact_patches_derivative(outer, {}, ball, X, {}, found);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].smooth);
  EXPECT_EQ(found[0].distances_jacobian[0], distance_jacobian({}, X, found[0].value.distance));
}

}  // namespace
}  // namespace tactum::patches_derivative_test
