// SPDX-License-Identifier: BSD-2-Clause
// The Hessian of the soft maximum against differences of the soft support point over the vertices
// of the rings, listed independently.
#include "narrow/derivative/gumbel_estimator.hpp"

#include <set>

#include "narrow/derivative_fixtures.hpp"

namespace tactum::gumbel_estimator_test {
namespace {

using namespace tactum::testing;

/// The soft support point sum a_i v_i, with a = softmax(v_i . u / e).
Vector3 soft_support(const std::vector<Vector3>& vertices, const Vector3& u, double temperature) {
  double highest = -kInfinity, weights = 0.0;
  for (const Vector3& v : vertices) highest = std::max(highest, v.dot(u));
  Vector3 sum = Vector3::Zero();
  for (const Vector3& v : vertices) {
    const double weight = std::exp((v.dot(u) - highest) / temperature);
    weights += weight, sum += weight * v;
  }
  return sum / weights;
}

Matrix22 differences(const std::vector<Vector3>& vertices, const TangentPlane& plane,
                     double temperature) {
  const double h = 1e-6;
  const Vector3 u = to_vector3(plane.normal);
  const auto slope = [&](const Vector3& t) {
    return plane.project(to_double3((soft_support(vertices, u + h * t, temperature) -
                                     soft_support(vertices, u - h * t, temperature)) /
                                    (2.0 * h)));
  };
  const Double2 first = slope(to_vector3(plane.x)), second = slope(to_vector3(plane.y));
  return {first.x, second.x, first.y, second.y};
}

double largest(const Matrix22& m) {
  return std::max({std::abs(m.xx), std::abs(m.xy), std::abs(m.yx), std::abs(m.yy)});
}

TEST(GumbelEstimator, RingsOfHullsAgreeWithDifferences) {
  Random random(701);
  for (int i = 0; i < 30; ++i) {
    const Convex hull = random_hull(random, 60);
    const Vector3 u = random.direction();
    int visited = 0;
    std::set<int> found = {hull.polytope().support_vertex(u, visited)};
    for (int rings = 1; rings <= 4; ++rings) {
      std::set<int> next = found;
      for (const int vertex : found) {
        for (const std::int32_t neighbor : hull.neighbors(vertex)) next.insert(neighbor);
      }
      found = next;
      std::vector<Vector3> vertices;
      for (const int vertex : found) vertices.push_back(hull.vertex(vertex));
      const TangentPlane plane(to_double3(u));
      for (const double temperature : {0.01, 0.1}) {
        const Matrix22 hessian = gumbel_hessian(Shape(hull).core(), plane, to_double3(u), rings,
                                                temperature);
        EXPECT_LE(largest(hessian - differences(vertices, plane, temperature)), 1e-6 / temperature)
            << rings;
      }
    }
  }
}

TEST(GumbelEstimator, BoxesAndCapsules) {
  const Vector3 half(0.1, 0.2, 0.3), u = Vector3(0.5, 0.4, 0.8).normalized();
  const TangentPlane plane(to_double3(u));
  std::vector<Vector3> all, near;
  for (int i = 0; i < 8; ++i) {
    const Vector3 signs(i & 1 ? -1 : 1, i & 2 ? -1 : 1, i & 4 ? -1 : 1);
    all.push_back(half.cwiseProduct(signs));
    if (signs.sum() > 0.0) near.push_back(all.back());  // the corner and its three neighbors
  }
  const Shape box = Box{.half_extents = half, .margin = 0.02},
              capsule = Capsule{.radius = 0.1, .half_length = 0.3};
  const Matrix22 swept = Matrix22::scaled_identity(0.02);
  EXPECT_LE(largest(gumbel_hessian(box.core(), plane, to_double3(u), 3, 0.1) -
                    differences(all, plane, 0.1) - swept),
            1e-7);
  EXPECT_LE(largest(gumbel_hessian(box.core(), plane, to_double3(u), 1, 0.1) -
                    differences(near, plane, 0.1) - swept),
            1e-7);
  const std::vector<Vector3> ends = {Vector3(0, 0, 0.3), Vector3(0, 0, -0.3)};
  EXPECT_LE(largest(gumbel_hessian(capsule.core(), plane, to_double3(u), 1, 0.1) -
                    differences(ends, plane, 0.1) - Matrix22::scaled_identity(0.1)),
            1e-7);
}

TEST(GumbelEstimator, TemperatureFromTheEdgesScalesWithTheShape) {
  Random random(702);
  const Convex hull = random_hull(random, 30);
  const Convex large = Convex::from_points(1000.0 * hull.vertices());
  const Vector3 u = random.direction();
  const TangentPlane plane(to_double3(u));
  const Matrix22 h = gumbel_hessian(Shape(hull).core(), plane, to_double3(u), 2, std::nullopt);
  const Matrix22 scaled = gumbel_hessian(Shape(large).core(), plane, to_double3(u), 2,
                                         std::nullopt);
  EXPECT_LE(largest(scaled - 1000.0 * h), 1e-9 * largest(scaled));
  EXPECT_GT(h.xx + h.yy, 0.0);
}

/// Where the exact normal does not move at all, the smoothed one moves with the shape.
TEST(GumbelEstimator, JacobiansOfPairs) {
  Random random(703);
  for (int i = 0; i < 20; ++i) {
    const PosedPair pair{random_hull(random, 40), random_hull(random, 40), random_pose(random, 0.1),
                         at(0.9, 0.5, 0.4)};
    const DistanceDerivative exact = pair.derivative();
    const DistanceDerivative d = pair.derivative({.estimator = Gumbel{.rings = 2}});
    EXPECT_LE((d.distance_jacobian - exact.distance_jacobian).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_TRUE(all_finite(d));
    EXPECT_GT((d.normal_jacobian - exact.normal_jacobian).norm(), 0.0);
    // a common motion of both shapes moves the answer with them, so columns of world translations
    // add up
    const DistanceDerivative world = pair.derivative(
        {.estimator = Gumbel{}, .frame = TangentFrame::world});
    EXPECT_LE((world.normal_jacobian.leftCols<3>() + world.normal_jacobian.middleCols<3>(6))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-12);
    EXPECT_LE((world.point_a_jacobian.leftCols<3>() + world.point_a_jacobian.middleCols<3>(6) -
               Matrix3::Identity())
                  .cwiseAbs()
                  .maxCoeff(),
              1e-12);
    const double distance = exact.value.distance;
    const DistanceDerivative by_separation = pair.derivative(
        {.estimator = Gumbel{.temperature = 0.05 * distance,
                             .relative_to = RelativeTo::separation}});
    EXPECT_LE(
        difference(by_separation, pair.derivative({.estimator = Gumbel{.temperature = 0.05}})),
        1e-9);
  }
}

TEST(GumbelEstimator, RefusesShapesWithoutVertices) {
  const Shape ball = Sphere{.radius = 0.1}, box = Box{.half_extents = {0.1, 0.1, 0.1}};
  const auto field = [](const Shape& a, const Shape& b, const Gumbel& estimator) {
    return rejected_field(
        [&] { distance_derivative(a, {}, b, at(1, 0, 0), {.estimator = estimator}); });
  };
  EXPECT_EQ(field(ball, box, {}), "Gumbel.rings");
  EXPECT_EQ(field(box, Cylinder{.radius = 0.1, .half_length = 0.1}, {}), "Gumbel.rings");
  EXPECT_EQ(field(box, box, {.rings = 0}), "Gumbel.rings");
  EXPECT_EQ(field(box, box, {.temperature = -1.0}), "Gumbel.temperature");
  EXPECT_EQ(field(box, HalfSpace{.normal = {-1, 0, 0}, .offset = -3.0}, {}), "");
}

}  // namespace
}  // namespace tactum::gumbel_estimator_test
