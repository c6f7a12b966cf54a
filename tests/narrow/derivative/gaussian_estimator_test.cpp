// SPDX-License-Identifier: BSD-2-Clause
// Smoothed Hessians against a closed form on boxes, and the derivative on ever finer polyhedra
// against that of the ellipsoid.
#include "narrow/derivative/gaussian_estimator.hpp"

#include "narrow/derivative_fixtures.hpp"

namespace tactum::gaussian_estimator_test {
namespace {

using namespace tactum::testing;

/// The support point of a box has the coordinates a_i sign(u_i), and E sign(u + e z) z / e = 2 / e
/// times the normal density at u / e.
Matrix3 smoothed_box(const Vector3& half, const Vector3& u, double scale) {
  Vector3 diagonal;
  for (int i = 0; i < 3; ++i) {
    const double x = u[i] / scale;
    diagonal[i] = half[i] * 2.0 / scale * std::exp(-0.5 * x * x) / std::sqrt(2.0 * M_PI);
  }
  return diagonal.asDiagonal();
}

TEST(GaussianEstimator, BoxesInClosedForm) {
  const Vector3 half(0.1, 0.2, 0.3);
  const Shape box = Box{.half_extents = half, .margin = 0.05};
  for (const Vector3& direction :
       {Vector3(0.02, 0.05, 1.0), Vector3(1.0, 1.0, 1.0), Vector3(0.1, 0.9, 0.0)}) {
    const Vector3 u = direction.normalized();
    const TangentPlane plane(to_double3(u));
    for (const bool reduced : {true, false}) {
      const double scale = 0.1;
      const SampledHessian sampled = gaussian_hessian(
          box.core(), plane, to_double3(u), scale,
          Gaussian{.samples = 40000, .seed = 1, .variance_reduction = reduced}, 0);
      Matrix3 expected = smoothed_box(half, u, scale) + 0.05 * Matrix3::Identity();
      const Vector3 first = to_vector3(plane.x), second = to_vector3(plane.y);
      const Vector3 triple(first.dot(expected * first), first.dot(expected * second),
                           second.dot(expected * second));
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(sampled.mean[i], triple[i], 3.5 * std::sqrt(sampled.covariance(i, i)) + 1e-6)
            << i << reduced;
        EXPECT_LE(std::sqrt(sampled.covariance(i, i)), 0.1);
      }
    }
  }
}

/// The spread of the Jacobians over seeds agrees with the standard errors.
TEST(GaussianEstimator, StandardErrorsAreHonest) {
  Random random(691);
  const Shape hull = random_hull(random, 40), wall = HalfSpace{.normal = {1, 0, 0}};
  for (const Shape& a : {Shape(random_hull(random, 40)), wall}) {
    const PosedPair pair{a, hull, random_pose(random, 0.1), at(0.9, 0.5, 0.4)};
    Matrix3x12 sum = Matrix3x12::Zero(), squares = Matrix3x12::Zero(), stated = Matrix3x12::Zero();
    const int seeds = 200;
    for (int seed = 0; seed < seeds; ++seed) {
      const DistanceDerivative d = pair.derivative(
          {.estimator = Gaussian{
               .samples = 400, .scale = 0.3, .seed = static_cast<std::uint64_t>(seed)}});
      sum += d.point_a_jacobian, squares += d.point_a_jacobian.cwiseAbs2();
      ASSERT_TRUE(d.standard_error.has_value());
      EXPECT_EQ(d.standard_error->distance_jacobian.norm(), 0.0);
      stated += d.standard_error->point_a_jacobian.cwiseAbs2();
    }
    const double over_seeds = (squares / seeds - (sum / seeds).cwiseAbs2()).sum(),
                 mean_stated = stated.sum() / seeds;
    EXPECT_GT(over_seeds, 0.0);
    EXPECT_NEAR(mean_stated, over_seeds, 0.35 * over_seeds) << a.to_string();
  }
}

/// As the polyhedron gets finer and the scale smaller, the derivative tends to that of the
/// ellipsoid.
TEST(GaussianEstimator, FinePolyhedraTendToTheEllipsoid) {
  const Vector3 axes(0.3, 0.2, 0.15);
  const Pose X_WB = turned({1, 1, 0}, 0.4, {0.5, 0.4, 0.3});
  const Shape ball = Sphere{.radius = 0.1};
  const DistanceDerivative truth = distance_derivative(Ellipsoid{.semi_axes = axes}, {}, ball,
                                                       X_WB);
  double previous = kInfinity;
  for (const auto& [count, scale] : {std::pair(100, 0.3), {1000, 0.15}, {10000, 0.075}}) {
    Points points(3, count);
    const std::vector<Vector3> directions = lattice_directions(count);
    for (int i = 0; i < count; ++i)
      points.col(i) = axes.cwiseProduct(directions[static_cast<std::size_t>(i)]);
    const DistanceDerivative d = distance_derivative(
        Convex::from_points(points), {}, ball, X_WB,
        {.estimator = Gaussian{.samples = 2000, .scale = scale}});
    const double error = (d.normal_jacobian - truth.normal_jacobian).norm() /
                         truth.normal_jacobian.norm();
    EXPECT_LT(error, 0.75 * previous) << count;
    previous = error;
  }
  EXPECT_LT(previous, 0.05);
}

TEST(GaussianEstimator, RelativeToTheSeparationScalesWithTheDistance) {
  Random random(692);
  const PosedPair pair{random_hull(random, 30), random_hull(random, 30), random_pose(random, 0.1),
                       at(0.9, 0.5, 0.4)};
  const double d = pair.derivative().value.distance;
  const DistanceDerivative by_direction = pair.derivative({.estimator = Gaussian{.scale = 0.1}});
  const DistanceDerivative by_separation = pair.derivative(
      {.estimator = Gaussian{.scale = 0.1 * d, .relative_to = RelativeTo::separation}});
  EXPECT_LE(difference(by_direction, by_separation), 1e-9);
  // at contact there is no separation to be relative to, and no NaN appears
  const Shape box = Box{.half_extents = {0.1, 0.1, 0.1}};
  EXPECT_TRUE(all_finite(
      distance_derivative(box, {}, box, at(0.2, 0.0, 0.0),
                          {.estimator = Gaussian{.relative_to = RelativeTo::separation}})));
}

TEST(GaussianEstimator, WallsStayFlatAndBadInputIsNamed) {
  Random random(693);
  const PosedPair pair{HalfSpace{}, random_hull(random, 30), random_pose(random, 0.1),
                       at(0.9, 0.5, 1.4)};
  const DistanceDerivative d = pair.derivative({.estimator = Gaussian{}}),
                           exact = pair.derivative();
  EXPECT_LE((d.normal_jacobian - exact.normal_jacobian).norm(), 1e-12);  // the normal is that of
                                                                         // the half-space
  const auto with = [&](const Gaussian& estimator) {
    return pair.derivative({.estimator = estimator});
  };
  EXPECT_EQ(difference(with({.seed = 5}), with({.seed = 5})), 0.0);
  EXPECT_EQ(rejected_field([&] { with({.samples = 0}); }), "Gaussian.samples");
  EXPECT_EQ(rejected_field([&] { with({.scale = -1.0}); }), "Gaussian.scale");
}

}  // namespace
}  // namespace tactum::gaussian_estimator_test
