// SPDX-License-Identifier: BSD-2-Clause
// Height fields against the triangles of their surface, and against ground that is one box.
#include "tactum/height_field.hpp"

#include <gtest/gtest.h>

#include "geometry/near_parts.hpp"
#include "scene/scene_fixtures.hpp"
#include "support/repetitions.hpp"
#include "tactum/tactum.hpp"

namespace tactum::height_field_test {
namespace {

using testing::Random;

Eigen::MatrixXd random_heights(Random& random, int rows, int columns, double amplitude) {
  Eigen::MatrixXd heights(rows, columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      heights(i, j) = random.chance(0.3) ? 0.0 : random.uniform(-amplitude, amplitude);
  return heights;
}

/// The surface by its definition, from the header alone.
Mesh surface_of(const Eigen::MatrixXd& heights, const Eigen::Vector2d& spacing) {
  const auto rows = heights.rows(), columns = heights.cols();
  Points vertices(3, rows * columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j)
      vertices.col(i * columns + j) = Vector3(
          (static_cast<double>(i) - 0.5 * static_cast<double>(rows - 1)) * spacing[0],
          (static_cast<double>(j) - 0.5 * static_cast<double>(columns - 1)) * spacing[1],
          heights(i, j));
  Triangles triangles(3, 2 * (rows - 1) * (columns - 1));
  Eigen::Index count = 0;
  for (Eigen::Index i = 0; i + 1 < rows; ++i) {
    for (Eigen::Index j = 0; j + 1 < columns; ++j) {
      const auto at = [&](Eigen::Index di, Eigen::Index dj) {
        return static_cast<std::int32_t>((i + di) * columns + j + dj);
      };
      triangles.col(count++) << at(0, 0), at(1, 0), at(1, 1);
      triangles.col(count++) << at(0, 0), at(1, 1), at(0, 1);
    }
  }
  return Mesh(vertices, triangles);
}

TEST(HeightField, DistanceFromAboveIsThatOfTheSurface) {
  Random random(1);
  for (int i = 0; i < testing::repetitions(60); ++i) {
    const int rows = 2 + random.below(8), columns = 2 + random.below(8);
    const Eigen::Vector2d spacing(random.uniform(0.05, 0.3), random.uniform(0.05, 0.3));
    const Eigen::MatrixXd heights = random_heights(random, rows, columns, 0.2);
    const HeightField field(heights, spacing);
    const Mesh surface = surface_of(heights, spacing);
    const Shape shape = testing::bounded_shape(random);
    // over the middle, so that no side of the field is nearer than its surface
    const Pose X{random.rotation(), {0.0, 0.0, random.uniform(1.0, 2.0)}};
    const GeometryDistance found = distance(Geometry(field), {}, Geometry(shape), X);
    const Distance expected = distance(surface, {}, shape, X);
    if (expected.status != Status::separated) continue;
    EXPECT_NEAR(found.distance, expected.distance, 1e-9);
    EXPECT_EQ(found.status, Status::separated);
  }
}

TEST(HeightField, RaysMeetTheSurface) {
  Random random(2);
  const Eigen::MatrixXd heights = random_heights(random, 9, 7, 0.3);
  const Eigen::Vector2d spacing(0.25, 0.4);
  const HeightField field(heights, spacing);
  const Mesh surface = surface_of(heights, spacing);
  int hits = 0;
  for (int i = 0; i < 300; ++i) {
    const Vector3 origin(random.uniform(-0.8, 0.8), random.uniform(-0.9, 0.9), 2.0);
    const Vector3 direction(random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), -1.0);
    const RayHit found = ray_cast(Geometry(field), {}, origin, direction),
                 expected = ray_cast(surface, {}, origin, direction);
    ASSERT_EQ(found.hit, expected.hit);
    if (!found.hit) continue;
    ++hits;
    EXPECT_NEAR(found.distance, expected.distance, 1e-9);
  }
  EXPECT_GT(hits, 250);
}

TEST(HeightField, LevelGroundIsAFewBoxes) {
  const HeightField field(Eigen::MatrixXd::Constant(11, 21, 0.5), {0.1, 0.1}, -1.0);
  EXPECT_EQ(field.parts().size(), 10U);
  EXPECT_NEAR(field.volume(), 1.0 * 2.0 * 1.5, 1e-12);
  const Shape ball{Sphere{.radius = 0.2}};
  for (const double x : {0.0, 0.03, 0.2}) {
    const auto found = distance(Geometry(field), {}, Geometry(ball),
                                {.translation = Vector3(x, 0.33, 0.69)});
    EXPECT_EQ(found.status, Status::penetrating);
    EXPECT_NEAR(found.distance, -0.01, 1e-12);
    EXPECT_NEAR(found.normal.z(), 1.0, 1e-12);
  }
}

/// A box over more than 100 000 prisms: what is looked at is under it, and a distance takes a few
/// of them.
TEST(HeightField, QueriesLookAtTheCellsUnderTheShape) {
  Random random(3);
  const HeightField field(random_heights(random, 257, 257, 0.01), {0.1, 0.1});
  ASSERT_GT(field.parts().size(), 100'000U);
  const Geometry ground(field), box(Shape(Box{.half_extents = {0.24, 0.13, 0.05}}));
  for (int i = 0; i < 20; ++i) {
    const Pose X{.translation = Vector3(random.uniform(-10, 10), random.uniform(-10, 10), 0.061)};
    const Aabb under = box.aabb(X);
    int num_looked_at = 0;
    visit_near_pairs(PlacedGeometryPair(ground, {}, box, X), 0.02, [&](std::int32_t part, int) {
      const CompoundPart& prism = field.parts()[static_cast<std::size_t>(part)];
      const Aabb cell = prism.shape.aabb(prism.X_CP);
      EXPECT_TRUE((cell.upper.array() >= under.lower.array() - 0.021).all());
      EXPECT_TRUE((cell.lower.array() <= under.upper.array() + 0.021).all());
      ++num_looked_at;
    });
    // 0.48 by 0.26 m and 0.02 m around are at most 7 by 4 cells of two prisms
    EXPECT_LE(num_looked_at, 2 * 7 * 5);
    EXPECT_GE(num_looked_at, 2 * 4 * 2);
    const GeometryDistance found = distance(ground, {}, box, X);
    EXPECT_EQ(found.status, Status::separated);
    EXPECT_LT(found.support_calls, 500);  // about ten a prism
  }
}

/// A plane slope: its volume, its box, and what stands on it.
TEST(HeightField, Slope) {
  Eigen::MatrixXd heights(5, 4);
  for (int i = 0; i < 5; ++i) heights.row(i).setConstant(0.1 * i);
  const HeightField field(heights, {0.2, 0.5}, -1.0);
  EXPECT_EQ(field.parts().size(), 2U * 4U * 3U);
  EXPECT_NEAR(field.volume(), 0.8 * 1.5 * 1.2, 1e-12);
  EXPECT_NEAR(field.aabb().upper.z(), 0.4, 1e-12);
  EXPECT_NEAR(field.aabb().lower.x(), -0.4, 1e-12);
  const Vector3 normal = Vector3(-0.5, 0.0, 1.0).normalized();
  const Vector3 on_slope(0.05, 0.1, 0.2 + 0.5 * 0.05);
  const auto found = distance(Geometry(field), {}, Geometry(Shape(Sphere{.radius = 0.1})),
                              {.translation = on_slope + 0.15 * normal});
  EXPECT_NEAR(found.distance, 0.05, 1e-12);
  EXPECT_NEAR((found.normal - normal).norm(), 0.0, 1e-9);
}

/// A box on level ground has contacts under it, and none elsewhere.
TEST(HeightField, ContactsInAScene) {
  Scene scene;
  const SceneId ground = scene.add(
      {.geometry = HeightField(Eigen::MatrixXd::Zero(31, 31), {0.1, 0.1})});
  const SceneId box = scene.add({.geometry = Shape(Box{.half_extents = {0.2, 0.1, 0.1}}),
                                 .X = {.translation = Vector3(0.03, 0.02, 0.0999)}});
  scene.add({.geometry = Shape(Sphere{.radius = 0.1}), .X = {.translation = {0.5, 0.5, 0.11}}});
  SceneContacts found;
  ASSERT_TRUE(scene.contacts({.margin = 0.0, .num_threads = 1}, found));
  ASSERT_EQ(found.pairs.size(), 1U);
  EXPECT_EQ(std::minmax(found.pairs[0].first, found.pairs[0].second), std::minmax(ground, box));
  Vector3 lower = Vector3::Constant(9.0), upper = -lower;
  for (const SceneContact& contact : found.contacts) {
    EXPECT_NEAR(std::abs(contact.normal.z()), 1.0, 1e-9);
    EXPECT_NEAR(contact.distance, -1e-4, 1e-9);
    const Vector3 middle = 0.5 * (contact.point_a + contact.point_b);
    lower = lower.cwiseMin(middle), upper = upper.cwiseMax(middle);
  }
  EXPECT_NEAR((lower - Vector3(-0.17, -0.08, -5e-5)).norm(), 0.0, 1e-9);
  EXPECT_NEAR((upper - Vector3(0.23, 0.12, -5e-5)).norm(), 0.0, 1e-9);
}

std::string field_of(const Eigen::MatrixXd& heights, const Eigen::Vector2d& spacing,
                     std::optional<double> base) {
  try {
    const HeightField field(heights, spacing, base);
  } catch (const InvalidInput& error) {
    return error.field();
  }
  return "";
}

TEST(HeightField, RefusesBadInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Eigen::MatrixXd flat = Eigen::MatrixXd::Zero(3, 3);
  Eigen::MatrixXd bad = flat;
  bad(1, 2) = nan;
  EXPECT_EQ(field_of(Eigen::MatrixXd::Zero(1, 5), {1, 1}, {}), "HeightField.heights");
  EXPECT_EQ(field_of(Eigen::MatrixXd::Zero(600, 600), {1, 1}, {}), "HeightField.heights");
  EXPECT_EQ(field_of(bad, {1, 1}, {}), "HeightField.heights[1, 2]");
  EXPECT_EQ(field_of(flat, {1, 0}, {}), "HeightField.spacing[1]");
  EXPECT_EQ(field_of(flat, {nan, 1}, {}), "HeightField.spacing[0]");
  EXPECT_EQ(field_of(flat, {1, 1}, 0.0), "HeightField.base");
  EXPECT_EQ(field_of(flat, {1, 1}, nan), "HeightField.base");
  EXPECT_EQ(field_of(flat, {1, 1}, -1.0), "");
}

}  // namespace
}  // namespace tactum::height_field_test
