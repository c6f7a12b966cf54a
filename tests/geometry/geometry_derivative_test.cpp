// SPDX-License-Identifier: BSD-2-Clause
// Derivatives of compounds and meshes against central differences, and where they are not smooth.
#include "geometry/geometry_derivative.hpp"

#include <gtest/gtest.h>

#include "geometry/geometry_fixtures.hpp"
#include "geometry/near_parts.hpp"
#include "mesh/mesh_fixtures.hpp"

namespace tactum::geometry_derivative_test {
namespace {

using testing::Random;

/// The pose after a small motion along one of the six axes.
Pose moved(const Pose& X, int axis, double step, TangentFrame frame) {
  Vector3 v = Vector3::Zero(), w = Vector3::Zero();
  (axis < 3 ? v : w)[axis % 3] = step;
  const Matrix3 turn = Eigen::AngleAxisd(w.norm(), w.norm() > 0 ? Vector3(w.normalized())
                                                                : Vector3(Vector3::UnitX()))
                           .toRotationMatrix();
  switch (frame) {
    case TangentFrame::local: return {X.rotation * turn, X.translation + X.rotation * v};
    case TangentFrame::world: return {turn * X.rotation, turn * X.translation + v};
    case TangentFrame::local_world_aligned: break;
  }
  return {turn * X.rotation, X.translation + v};
}

struct Pair {
  Geometry a, b;
  Pose X_WA, X_WB;
  /// The answer a step away. Normal and points are those of the query of the parts that are named:
  /// of a triangle and a curved shape, that of the mesh knows them to the root of its tolerance.
  /// Meshes that cross name no such parts.
  Distance at(int column, double step, TangentFrame frame) const {
    const Pose X_A = column < 6 ? moved(X_WA, column, step, frame) : X_WA,
               X_B = column < 6 ? X_WB : moved(X_WB, column - 6, step, frame);
    const GeometryDistance found = distance(a, X_A, b, X_B);
    if (a.mesh() != nullptr && b.mesh() != nullptr && found.upper < 0.0) return found;
    const ConvexPart part_a = convex_part(PlacedGeometry(a, X_A), found.part_a),
                     part_b = convex_part(PlacedGeometry(b, X_B), found.part_b);
    const Distance exact = distance(part_a.shape, part_a.X, part_b.shape, part_b.X);
    EXPECT_NEAR(exact.distance, found.distance, 1e-9);
    return exact;
  }
};

void expect_central_differences(const Pair& pair, const DistanceDerivative& found,
                                TangentFrame frame) {
  constexpr double step = 1e-5;
  for (int column = 0; column < 12; ++column) {
    const Distance ahead = pair.at(column, step, frame), behind = pair.at(column, -step, frame);
    SCOPED_TRACE(column);
    EXPECT_NEAR(found.distance_jacobian[column], (ahead.distance - behind.distance) / (2 * step),
                1e-6);
    const auto check = [&](const Matrix3x12& jacobian, const Vector3& p, const Vector3& q) {
      EXPECT_LE((jacobian.col(column) - (p - q) / (2 * step)).norm(),
                1e-6 * std::max(1.0, jacobian.norm()));
    };
    check(found.normal_jacobian, ahead.normal, behind.normal);
    check(found.point_a_jacobian, ahead.point_a, behind.point_a);
    check(found.point_b_jacobian, ahead.point_b, behind.point_b);
  }
}

/// Whether no feature changes within the step of the differences, by the answers there alone: along
/// each axis two step lengths give the same slope, and the slopes ahead and behind are the same.
bool is_far_from_changes(const Pair& pair) {
  constexpr double step = 1e-5, far = 3e-5;
  const auto frame = TangentFrame::local;
  const Distance here = pair.at(0, 0.0, frame);
  for (int column = 0; column < 12; ++column) {
    const Distance ahead = pair.at(column, step, frame), behind = pair.at(column, -step, frame);
    const Distance far_ahead = pair.at(column, far, frame),
                   far_behind = pair.at(column, -far, frame);
    const auto is_straight = [&](const auto& vector_of, double limit) {
      const Vector3 middle = vector_of(here), a = vector_of(far_ahead), b = vector_of(far_behind);
      const Vector3 slope = (far / step) * (vector_of(ahead) - vector_of(behind));
      return (a - 2.0 * middle + b).norm() < limit && (a - b - slope).norm() < limit;
    };
    if (!is_straight([](const Distance& d) { return Vector3(d.distance, 0.0, 0.0); }, 1e-7) ||
        !is_straight([](const Distance& d) { return d.normal; }, 1e-6) ||
        !is_straight([](const Distance& d) { return d.point_a; }, 1e-6) ||
        !is_straight([](const Distance& d) { return d.point_b; }, 1e-6))
      return false;
  }
  return true;
}

TEST(GeometryDerivative, IsThatOfCentralDifferences) {
  Random random(61);
  int compared = 0, of_meshes = 0, left_out = 0;
  for (int i = 0; i < 150; ++i) {
    const bool with_mesh = i % 2 == 0;
    const Geometry a = with_mesh ? Geometry(testing::torus_mesh(0.6, 0.2, 6, 5).solid())
                                 : Geometry(testing::random_compound(random, 3));
    const Geometry b = i % 3 == 0   ? Geometry(testing::hull_mesh(random, 12, 0.4).solid())
                       : i % 3 == 1 ? Geometry(testing::bounded_shape(random))
                                    : Geometry(testing::random_compound(random, 2));
    const Pair pair{a, b, testing::pose_near(random, 1.0), testing::pose_near(random, 3.0)};
    const auto frame = static_cast<TangentFrame>(i % 3);
    const DistanceDerivative found = distance_derivative(pair.a, pair.X_WA, pair.b, pair.X_WB,
                                                         {.frame = frame});
    if (!found.smooth || found.value.distance < 0.05) continue;
    if (!is_far_from_changes(pair)) {
      ++left_out;
      continue;
    }
    SCOPED_TRACE(i);
    expect_central_differences(pair, found, frame);
    ++compared;
    of_meshes += with_mesh ? 1 : 0;
  }
  EXPECT_GT(compared, 60);
  EXPECT_LT(left_out, compared / 10);
  EXPECT_GT(of_meshes, 25);
}

TEST(GeometryDerivative, OfConvexShapesIsTheirs) {
  Random random(62);
  const Shape a = testing::bounded_shape(random), b = testing::bounded_shape(random);
  const Pose X{.translation = {3, 1, 2}};
  const DistanceDerivative found = distance_derivative(Geometry(a), {}, Geometry(b), X),
                           expected = distance_derivative(a, {}, b, X);
  EXPECT_EQ(found.distance_jacobian, expected.distance_jacobian);
  EXPECT_EQ(found.point_a_jacobian, expected.point_a_jacobian);
  EXPECT_EQ(found.smooth, expected.smooth);
}

TEST(GeometryDerivative, IsNotSmoothAtATie) {
  // a ball half way between two parts, and a little to one side
  const Shape ball(Sphere{.radius = 0.1});
  const Geometry parts(
      Compound({{ball, {.translation = {-1, 0, 0}}}, {ball, {.translation = {1, 0, 0}}}}));
  EXPECT_FALSE(distance_derivative(parts, {}, Geometry(ball), {}).smooth);
  EXPECT_TRUE(
      distance_derivative(parts, {}, Geometry(ball), {.translation = {1e-6, 0.0, 0.0}}).smooth);
  // a ball over the middle of a corner of a box mesh: the triangles there share the point
  const Geometry mesh(testing::box_mesh({1, 1, 1}).solid());
  const DistanceDerivative corner = distance_derivative(mesh, {}, Geometry(ball),
                                                        {.translation = {1.5, 1.4, 1.3}});
  EXPECT_TRUE(corner.smooth);
  // in the middle between two surfaces of one mesh
  const Mesh surface = testing::box_mesh({1, 2, 3}).surface();
  EXPECT_FALSE(
      distance_derivative(Geometry(surface), {}, Geometry(ball), {.translation = {0, 0.3, 0.2}})
          .smooth);
}

TEST(GeometryDerivative, WhereSolidsOverlapIsThatOfTheDistanceAlone) {
  const Geometry mesh(testing::torus_mesh(1.0, 0.4, 12, 8).solid()),
      box(Shape(Box{.half_extents = {0.2, 0.2, 0.2}}));
  const Pose X{.translation = {1.0, 0.0, 0.05}};
  const DistanceDerivative found = distance_derivative(mesh, {}, box, X);
  ASSERT_EQ(found.value.status, Status::not_converged);
  EXPECT_FALSE(found.smooth);
  EXPECT_EQ(found.distance_jacobian, distance_jacobian({}, X, found.value));
  EXPECT_TRUE(found.normal_jacobian.isZero(0.0));
}

TEST(GeometryDerivative, OfAConvexSolidThatOverlapsIsThatOfItsHull) {
  Random random(64);
  const Shape ball(Sphere{.radius = 0.3});
  for (int i = 0; i < 30; ++i) {
    const testing::RawMesh raw = testing::hull_mesh(random, 20, 1.0);
    const Shape hull(Convex::from_points(raw.vertices));
    const Pose X_WA = testing::pose_near(random, 0.3), X_WB = testing::pose_near(random, 0.3);
    const DistanceDerivative expected = distance_derivative(hull, X_WA, ball, X_WB);
    for (const Geometry& other : {Geometry(ball), Geometry(Compound({{ball, {}}}))}) {
      const DistanceDerivative found = distance_derivative(Geometry(raw.solid()), X_WA, other,
                                                           X_WB);
      ASSERT_EQ(found.value.status, Status::penetrating);
      ASSERT_EQ(found.smooth, expected.smooth);
      ASSERT_LE((found.distance_jacobian - expected.distance_jacobian).norm(), 1e-7);
      ASSERT_LE((found.point_b_jacobian - expected.point_b_jacobian).norm(), 1e-6);
    }
  }
}

TEST(GeometryDerivative, WhereSurfacesCrossIsThatOfTheirHulls) {
  Random random(63);
  int compared = 0, left_out = 0;
  for (int i = 0; i < 60; ++i) {
    const Pair pair{Geometry(testing::torus_mesh(0.6, 0.2, 6, 5).surface()),
                    Geometry(testing::hull_mesh(random, 12, 0.4).surface()),
                    testing::pose_near(random, 0.3), testing::pose_near(random, 0.7)};
    const DistanceDerivative found = distance_derivative(pair.a, pair.X_WA, pair.b, pair.X_WB);
    if (found.value.status != Status::penetrating || !found.smooth) continue;
    if (!is_far_from_changes(pair)) {
      ++left_out;
      continue;
    }
    SCOPED_TRACE(i);
    expect_central_differences(pair, found, TangentFrame::local);
    ++compared;
  }
  EXPECT_GT(compared, 10);
  EXPECT_LT(left_out, compared / 2);
}

TEST(GeometryDerivative, TakesEveryEstimatorOfItsParts) {
  const Geometry mesh(testing::box_mesh({1, 1, 1}).solid()),
      parts(
          Compound({{Shape(Box{.half_extents = {0.3, 0.2, 0.1}}), {.translation = {0.2, 0, 0}}}}));
  const Pose X{.rotation = Eigen::AngleAxisd(0.4, Vector3(1, 2, 3).normalized()).toRotationMatrix(),
               .translation = {2, 0.3, 0.2}};
  for (const Estimator& estimator :
       {Estimator(Exact{}), Estimator(FiniteDifference{}), Estimator(ZerothOrder{}),
        Estimator(Gaussian{}), Estimator(Gumbel{})}) {
    const DistanceDerivative found = distance_derivative(mesh, {}, parts, X,
                                                         {.estimator = estimator});
    EXPECT_TRUE(found.distance_jacobian.allFinite());
    EXPECT_TRUE(found.normal_jacobian.allFinite());
    if (found.standard_error) {
      EXPECT_GE(found.standard_error->normal_jacobian.minCoeff(), 0.0);
    }
  }
}

}  // namespace
}  // namespace tactum::geometry_derivative_test
