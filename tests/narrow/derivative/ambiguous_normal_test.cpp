// SPDX-License-Identifier: BSD-2-Clause
// Second normals of overlapping shapes: in named cases, in symmetric poses where the reflected
// normal has the same depth, and none in random poses.
#include "narrow/derivative/ambiguous_normal.hpp"

#include "narrow/narrow_fixtures.hpp"
#include "tactum/distance_derivative.hpp"

namespace tactum::ambiguous_normal_test {
namespace {

using namespace tactum::testing;

bool ties(const Shape& a, const Shape& b, const Pose& X) {
  const Distance r = distance(a, {}, b, X);
  const Matrix3 one = Matrix3::Identity();
  return has_other_normal(
      {&a.core(), &one, {0.0, 0.0, 0.0}, to_double3(r.point_a)},
      {&b.core(), &X.rotation, to_double3(X.translation), to_double3(r.point_b)},
      to_double3(r.normal), r.distance, 1e-9);
}

TEST(AmbiguousNormal, SymmetricPoses) {
  const Shape cube = Box{.half_extents = {0.2, 0.2, 0.2}}, ball = Sphere{.radius = 0.05};
  const Shape cylinder = Cylinder{.radius = 0.5, .half_length = 0.2},
              hull = hull_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  EXPECT_TRUE(ties(cube, ball, at(0.0, 0.0, 0.0)));
  EXPECT_TRUE(ties(ball, cube, at(0.0, 0.0, 0.0)));
  EXPECT_TRUE(ties(cube, ball, at(0.1, 0.1, 0.0)));      // +x and +y
  EXPECT_TRUE(ties(cylinder, ball, at(0.0, 0.0, 0.0)));  // both caps
  EXPECT_TRUE(ties(hull, ball, at(0.1, 0.1, 0.2)));      // x = 0 and y = 0
  EXPECT_FALSE(ties(cube, ball, at(0.11, 0.1, 0.0)));
  EXPECT_FALSE(ties(cylinder, ball, at(0.0, 0.0, 0.01)));
  EXPECT_FALSE(ties(hull, ball, at(0.09, 0.1, 0.2)));
  EXPECT_FALSE(ties(HalfSpace{}, ball, at(0.0, 0.0, -1.0)));
  const Shape square = hull_of({{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}});
  EXPECT_TRUE(ties(square, ball, at(0.1, 0.2, 0.0)));  // both sides of a flat hull
  EXPECT_FALSE(ties(square, ball, at(0.1, 0.2, 0.01)));
}

bool is_smooth(const Shape& a, const Shape& b, const Pose& X) {
  return distance_derivative(a, {}, b, X).smooth;
}

TEST(AmbiguousNormal, RoundShapes) {
  const Shape capsule = Capsule{.radius = 0.5, .half_length = 1.0};
  const Pose crossed = turned({0.0, 1.0, 0.0}, 0.5 * std::acos(-1.0), {0.0, 0.0, 0.2});
  EXPECT_FALSE(is_smooth(capsule, capsule, crossed));  // +y and -y, and the cores touch
  const Pose oblique = turned({0.0, 1.0, 0.0}, 0.7, {0.1, 0.0, 0.2});
  EXPECT_FALSE(is_smooth(capsule, capsule, oblique));
  EXPECT_TRUE(is_smooth(capsule, capsule, turned({0.0, 1.0, 0.0}, 0.7, {0.1, 1e-6, 0.2})));
  const Shape disc = Ellipsoid{.semi_axes = {1.0, 1.0, 0.3}}, ball = Sphere{.radius = 0.1};
  EXPECT_FALSE(is_smooth(disc, ball, at(0.5, 0.0, 0.0)));  // above and below
  EXPECT_FALSE(is_smooth(disc, ball, at(0.3, 0.2, 0.0)));
  EXPECT_FALSE(is_smooth(ball, disc, at(0.3, 0.2, 0.0)));
  EXPECT_TRUE(is_smooth(disc, ball, at(0.3, 0.2, 1e-6)));
  const Shape cone = Cone{.radius = 0.35, .half_length = 0.5},
              cylinder = Cylinder{.radius = 0.7, .half_length = 0.7};
  EXPECT_FALSE(
      is_smooth(cone, cylinder, turned({0.0, 1.0, 0.0}, 0.5 * std::acos(-1.0), {0.1, 0.0, 0.0})));
  // all directions around the axis
  EXPECT_FALSE(is_smooth(Ellipsoid{.semi_axes = {0.5, 0.5, 1.0}}, cone, at(0.0, 0.0, 0.0)));
  // cap and side
  EXPECT_FALSE(is_smooth(cylinder, ball, at(0.2, 0.0, 0.2)));
  const Vector3 far(1e6, -1e6, 1e6);
  EXPECT_FALSE(distance_derivative(disc, {Matrix3::Identity(), far}, ball,
                                   {Matrix3::Identity(), far + Vector3(0.5, 0.0, 0.0)})
                   .smooth);
}

/// Whether another sign of the components of the normal gives the same depth.
bool has_mirrored_normal(const Shape& a, const Shape& b, const Pose& X, const Distance& value) {
  for (int signs = 1; signs < 8; ++signs) {
    const Vector3 u = value.normal.cwiseProduct(
        Vector3(signs & 1 ? -1.0 : 1.0, signs & 2 ? -1.0 : 1.0, signs & 4 ? -1.0 : 1.0));
    if ((u - value.normal).norm() <= 1e-3) continue;
    const Vector3 far_b = X * b.support(X.rotation.transpose() * -u);
    if (std::abs(u.dot(far_b - a.support(u)) - value.distance) < 1e-14) return true;
  }
  return false;
}

/// A rotation that maps axes to axes.
Matrix3 random_axes(Random& random) {
  Matrix3 R = Matrix3::Zero();
  const int shift = random.below(3), step = random.chance(0.5) ? 1 : 2;
  for (int i = 0; i < 3; ++i) R((shift + step * i) % 3, i) = random.chance(0.5) ? 1.0 : -1.0;
  if (R.determinant() < 0.0) R = -R;
  return R;
}

TEST(AmbiguousNormal, SymmetricPairsOfAllKinds) {
  Random random(652);
  const ShapeKind kinds[] = {ShapeKind::sphere,  ShapeKind::ellipsoid, ShapeKind::box,
                             ShapeKind::capsule, ShapeKind::cylinder,  ShapeKind::cone};
  int tied = 0;
  for (int i = 0; i < repetitions(6000); ++i) {
    const Shape a = random_shape_of(kinds[random.below(6)], random),
                b = random_shape_of(kinds[random.below(6)], random);
    Pose X{random_axes(random), Vector3::Zero()};
    for (int k = random.below(3); k > 0; --k)
      X.translation[random.below(3)] = random.uniform(-0.2, 0.2);
    const Distance value = distance(a, {}, b, X);
    if (value.status != Status::penetrating || !has_mirrored_normal(a, b, X, value)) continue;
    ++tied;
    EXPECT_FALSE(is_smooth(a, b, X))
        << a.to_string() << b.to_string() << X.rotation << X.translation.transpose();
    // a common motion of both shapes changes nothing
    const Pose motion = random_pose(random, 1.0);
    EXPECT_FALSE(distance_derivative(a, motion, b, motion * X).smooth)
        << a.to_string() << b.to_string();
  }
  EXPECT_GT(tied, repetitions(1500));
}

TEST(AmbiguousNormal, NoneOnRandomPoses) {
  Random random(651);
  int overlapping = 0;
  for (int i = 0; i < repetitions(4000); ++i) {
    const TestPair pair = random_solids(random, 0.3);
    if (distance(pair.a, {}, pair.b, pair.X_AB).distance > -1e-3) continue;
    ++overlapping;
    EXPECT_FALSE(ties(pair.a, pair.b, pair.X_AB)) << pair.a.to_string() << pair.b.to_string();
    EXPECT_TRUE(is_smooth(pair.a, pair.b, pair.X_AB)) << pair.a.to_string() << pair.b.to_string();
  }
  EXPECT_GT(overlapping, repetitions(1000));
}

}  // namespace
}  // namespace tactum::ambiguous_normal_test
