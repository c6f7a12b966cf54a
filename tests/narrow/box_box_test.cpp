// SPDX-License-Identifier: BSD-2-Clause
// Box-box penetration against separating axes in extended precision and against feature enumeration.
#include "narrow/box_box.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum {
namespace {

using namespace tactum::testing;

/// Largest separation over all face normals and edge products, in extended precision; parallel edges are left out.
Real by_axes(const Vector3& half_a, const Vector3& half_b, const Pose& X_AB) {
  const Mat3 R = widen(X_AB.rotation);
  const Vec3 t = widen(X_AB.translation), a = widen(half_a), b = widen(half_b);
  Real best = -infinite;
  const auto offer = [&](const Vec3& axis) {
    const Real length = axis.norm();
    if (length < 1e-12L) return;
    const Vec3 n = axis / length;
    best = std::max(best, std::abs(n.dot(t)) - a.dot(n.cwiseAbs()) - b.dot((R.transpose() * n).cwiseAbs()));
  };
  for (int i = 0; i < 3; ++i) {
    offer(Vec3::Unit(i));
    offer(R.col(i));
    for (int j = 0; j < 3; ++j) offer(Vec3::Unit(i).cross(Vec3(R.col(j))));
  }
  return best;
}

/// Separation along one unit direction from A to B.
Real separation_along(const Vector3& half_a, const Vector3& half_b, const Pose& X_AB, const Vec3& n) {
  return n.dot(widen(X_AB.translation)) - widen(half_a).dot(n.cwiseAbs()) -
         widen(half_b).dot((widen(X_AB.rotation).transpose() * n).cwiseAbs());
}

TEST(BoxBox, RandomBoxesAgreeWithExtendedPrecision) {
  Random random(61);
  int overlapping = 0, apart = 0;
  for (int i = 0; i < 5000; ++i) {
    const Vector3 a = random_sizes(random), b = random_sizes(random);
    const Pose X_AB = random_pose(random, 0.7);
    const Real truth = by_axes(a, b, X_AB);
    const auto axis = box_box_axis(a, b, X_AB);
    SCOPED_TRACE(i);
    if (truth > 1e-14L) {
      EXPECT_FALSE(axis.has_value());
      ++apart;
    } else if (truth < -1e-14L) {
      ASSERT_TRUE(axis.has_value());
      EXPECT_NEAR(axis->separation, static_cast<double>(truth), 8.0 * kEps);
      EXPECT_NEAR(axis->normal.norm(), 1.0, 4.0 * kEps);
      // the normal attains it, from A to B
      EXPECT_NEAR(static_cast<double>(separation_along(a, b, X_AB, widen(axis->normal).normalized())), axis->separation,
                  8.0 * kEps);
      ++overlapping;
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(overlapping, 1000);
  EXPECT_GT(apart, 1000);
}

TEST(BoxBox, NoDirectionOfTheSphereDoesBetter) {
  Random random(62);
  const std::vector<Vector3> directions = lattice_directions(3000);
  for (int i = 0; i < 100; ++i) {
    const Vector3 a = random_sizes(random), b = random_sizes(random);
    const Pose X_AB = random_pose(random, 0.2);
    const auto axis = box_box_axis(a, b, X_AB);
    if (!axis) continue;
    for (const Vector3& n : directions)
      EXPECT_LE(static_cast<double>(separation_along(a, b, X_AB, widen(n))), axis->separation + 8.0 * kEps);
    EXPECT_NEAR(axis->separation, static_cast<double>(enumerated({Box{.half_extents = a}, Box{.half_extents = b}, X_AB})),
                8.0 * kEps);
  }
}

TEST(BoxBox, AlignedBoxesHaveTheClosedForm) {
  const Vector3 a(0.5, 0.4, 0.3), b(0.1, 0.2, 0.25);
  Random random(63);
  for (int i = 0; i < 500; ++i) {
    const Vector3 t = random.in_box(0.5);
    // quarter turns about z swap two sizes of b
    const bool quarter = random.chance(0.5);
    const Vector3 b_A = quarter ? Vector3(b.y(), b.x(), b.z()) : b;
    const Pose X_AB{quarter ? Matrix3((Matrix3() << 0, -1, 0, 1, 0, 0, 0, 0, 1).finished()) : Matrix3::Identity(), t};
    const double expected = (t.cwiseAbs() - a - b_A).maxCoeff();
    const auto axis = box_box_axis(a, b, X_AB);
    ASSERT_EQ(axis.has_value(), expected <= 0.0) << expected;
    if (axis) {
      EXPECT_NEAR(axis->separation, expected, 2.0 * kEps);
      EXPECT_EQ(axis->normal.cwiseAbs().maxCoeff(), 1.0);
    }
  }
}

TEST(BoxBox, NearlyParallelEdges) {
  Random random(64);
  for (int i = 0; i < 3000; ++i) {
    const Vector3 a = random_sizes(random), b = random_sizes(random);
    const double angle = random.log_uniform(1e-18, 1e-3);
    const Pose X_AB{Random::turn(random.chance(0.5) ? Vector3(Vector3::Unit(random.below(3))) : random.direction(), angle),
                    random.in_box(0.5)};
    // the certified search needs no list of axes
    const auto axis = box_box_axis(a, b, X_AB);
    if (!axis) continue;
    const Real truth = by_axes(a, b, X_AB);
    EXPECT_NEAR(axis->separation, static_cast<double>(truth), 8.0 * kEps) << "angle " << angle;
    EXPECT_NEAR(static_cast<double>(separation_along(a, b, X_AB, widen(axis->normal).normalized())), axis->separation, 8.0 * kEps)
        << "angle " << angle;
  }
}

TEST(BoxBox, ConcentricAndTouching) {
  const Vector3 a(0.5, 0.4, 0.3), b(0.1, 0.2, 0.25);
  const auto concentric = box_box_axis(a, b, {});
  ASSERT_TRUE(concentric);
  EXPECT_DOUBLE_EQ(concentric->separation, -0.55);  // z is the thinnest sum
  EXPECT_EQ(std::abs(concentric->normal.z()), 1.0);
  const auto touching = box_box_axis({0.5, 0.5, 0.5}, {0.25, 0.25, 0.25}, at(0.75, 0.1, 0.1));
  ASSERT_TRUE(touching);
  EXPECT_EQ(touching->separation, 0.0);
  EXPECT_EQ(touching->normal, Vector3::UnitX());
  EXPECT_FALSE(box_box_axis({0.5, 0.5, 0.5}, {0.25, 0.25, 0.25}, at(0.75 * (1.0 + kEps), 0.1, 0.1)));
}

TEST(BoxBox, SwappingTheBoxesTurnsTheNormal) {
  Random random(65);
  for (int i = 0; i < 500; ++i) {
    const Vector3 a = random_sizes(random), b = random_sizes(random);
    const Pose X_AB = random_pose(random, 0.3);
    const auto forward = box_box_axis(a, b, X_AB), backward = box_box_axis(b, a, inverse(X_AB));
    ASSERT_EQ(forward.has_value(), backward.has_value());
    if (!forward) continue;
    EXPECT_NEAR(forward->separation, backward->separation, 8.0 * kEps);
    EXPECT_LE((forward->normal + X_AB.rotation * backward->normal).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace tactum
