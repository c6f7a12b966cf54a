// SPDX-License-Identifier: BSD-2-Clause
// Rays against closed forms (sphere, box, plane, ellipsoid), against the faces of hulls, and
// against points on the surface.
#include "tactum/ray_cast.hpp"

#include "narrow/narrow_fixtures.hpp"
#include "support/allocation_guard.hpp"
#include "support/random_shapes.hpp"

namespace tactum::ray_cast_test {
namespace {

using namespace tactum::testing;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Entry of a ray into { x : n_i . x <= h_i } by intersecting it with every plane.
double by_planes(const std::vector<std::pair<Vector3, double>>& planes, const Vector3& o,
                 const Vector3& u) {
  double enter = 0.0, leave = kInfinity;
  for (const auto& [n, h] : planes) {
    const double height = h - n.dot(o), rate = n.dot(u);
    if (rate > 0.0) {
      leave = std::min(leave, height / rate);
    } else if (rate < 0.0) {
      enter = std::max(enter, height / rate);
    } else if (height < 0.0) {
      return kInfinity;
    }
  }
  return enter <= leave ? enter : kInfinity;
}

/// Entry into the unit ball.
double by_roots(const Vector3& o, const Vector3& d) {
  const double a = d.squaredNorm(), b = o.dot(d), c = o.squaredNorm() - 1.0, root = b * b - a * c;
  if (c <= 0.0) return 0.0;
  return root < 0.0 || b > 0.0 ? kInfinity : c / (-b + std::sqrt(root));
}

void expect_hit(const RayHit& hit, double truth, const Vector3& origin, const Vector3& unit) {
  EXPECT_EQ(hit.hit, std::isfinite(truth));
  if (!hit || !std::isfinite(truth)) return;
  EXPECT_NEAR(hit.distance, truth, 1e-7);  // a grazing ray magnifies the tolerance of the gap
  EXPECT_LE((hit.point - origin - hit.distance * unit).norm(), 1e-12);
  EXPECT_NEAR(hit.normal.norm(), 1.0, 1e-12);
  if (truth > 0.0) {
    EXPECT_LE(hit.normal.dot(unit), 1e-6);
  }
}

TEST(RayCast, EllipsoidsBoxesAndPlanesAgreeWithTheirFormulas) {
  Random random(71);
  int hits = 0;
  for (int i = 0; i < 3000; ++i) {
    SCOPED_TRACE(i);
    const Pose X = random_pose(random, 1.0);
    const Vector3 size(random.uniform(0.1, 1), random.uniform(0.1, 1), random.uniform(0.1, 1));
    const Vector3 origin = random.in_box(3.0),
                  unit = (X.translation + random.in_box(1.0) - origin).normalized();
    const Vector3 o = inverse(X) * origin, u = X.rotation.transpose() * unit;
    const double ellipsoid = by_roots(o.cwiseQuotient(size), u.cwiseQuotient(size));
    expect_hit(ray_cast(Ellipsoid{.semi_axes = size}, X, origin, unit), ellipsoid, origin, unit);
    std::vector<std::pair<Vector3, double>> planes;
    for (int k = 0; k < 3; ++k) {
      planes.emplace_back(Vector3::Unit(k), size[k]);
      planes.emplace_back(-Vector3::Unit(k), size[k]);
    }
    expect_hit(ray_cast(Box{.half_extents = size}, X, origin, unit), by_planes(planes, o, u),
               origin, unit);
    planes.resize(1);
    expect_hit(ray_cast(HalfSpace{.normal = Vector3::UnitX(), .offset = size.x()}, X, origin, unit),
               by_planes(planes, o, u), origin, unit);
    hits += std::isfinite(ellipsoid) ? 1 : 0;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(hits, 500);
}

TEST(RayCast, HullsAgreeWithTheirFaces) {
  Random random(72);
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    Points points(3, 5 + random.below(60));
    for (int k = 0; k < points.cols(); ++k) points.col(k) = random.in_box(0.5);
    const Convex hull = Convex::from_points(points);
    const Points vertices = hull.vertices();
    const Triangles faces = hull.faces();
    std::vector<std::pair<Vector3, double>> planes;
    for (int k = 0; k < faces.cols(); ++k) {
      const Vector3 p = vertices.col(faces(0, k)), q = vertices.col(faces(1, k)),
                    r = vertices.col(faces(2, k));
      const Vector3 n = (q - p).cross(r - p).normalized();
      planes.emplace_back(n, n.dot(p));
    }
    for (int k = 0; k < 10; ++k) {
      const Vector3 origin = random.in_box(2.0), unit = (random.in_box(0.5) - origin).normalized();
      expect_hit(ray_cast(hull, {}, origin, unit), by_planes(planes, origin, unit), origin, unit);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(RayCast, EveryKindIsEnteredAtItsSurface) {
  Random random(73);
  for (int i = 0; i < 2000; ++i) {
    const Shape shape = random_shape(kAllKinds[static_cast<std::size_t>(i) % kAllKinds.size()],
                                     random);
    if (shape.kind() == ShapeKind::half_space || shape.volume() < 1e-6) continue;
    const Pose X = random_pose(random, 1.0);
    const Vector3 inside = X * shape.mass_properties(1.0).center_of_mass, unit = random.direction(),
                  origin = inside - 5.0 * unit;
    SCOPED_TRACE(shape.to_string());
    const RayHit hit = ray_cast(shape, X, origin, 3.0 * unit);
    ASSERT_TRUE(hit);
    EXPECT_NEAR(distance(shape, X, Sphere{}, {.translation = hit.point}).distance, 0.0, 1e-10);
    EXPECT_GT(distance(shape, X, Sphere{}, {.translation = origin + (hit.distance - 1e-4) * unit})
                  .distance,
              0.0);
    EXPECT_FALSE(ray_cast(shape, X, origin, unit, hit.distance - 1e-4));
    EXPECT_TRUE(ray_cast(shape, X, origin, unit, hit.distance + 1e-4));
    EXPECT_FALSE(ray_cast(shape, X, origin, -unit));
    EXPECT_EQ(ray_cast(shape, X, inside, unit).distance, 0.0);
  }
}

TEST(RayCast, FarOriginsAndBadInput) {
  const Shape ball(Sphere{.radius = 1.0});
  EXPECT_NEAR(ray_cast(ball, {}, {-1e6, 0, 0}, {1, 0, 0}).distance, 1e6 - 1.0, 1e-8);
  EXPECT_FALSE(ray_cast(ball, {}, {-1e6, 1.001, 0}, {1, 0, 0}));
  EXPECT_THROW(ray_cast(ball, {}, {0, 0, 0}, {0, 0, 0}), InvalidInput);
  EXPECT_THROW(ray_cast(ball, {}, {kInfinity, 0, 0}, {1, 0, 0}), InvalidInput);
  EXPECT_THROW(ray_cast(ball, {}, {0, 0, 0}, {1, 0, 0}, -1.0), InvalidInput);
  const AllocationGuard guard;
  EXPECT_TRUE(ray_cast(ball, {}, {-3, 0.5, 0.1}, {1, 0, 0}));
  EXPECT_EQ(guard.count(), 0U);
}

/// Vertical rays and tall prisms: the sides are parallel to the ray but for rounding.
TEST(RayCast, BesidePrismsWithSidesAlongTheRay) {
  Random random(31);
  int hits = 0;
  for (int i = 0; i < 2000; ++i) {
    Points points(3, 6);
    for (int k = 0; k < 3; ++k) {
      points.col(k) = random.in_box(0.05);
      points.col(k + 3) = Vector3(points(0, k), points(1, k), -5.0);
    }
    const Vector3 p = points.col(0), q = points.col(1), r = points.col(2),
                  origin = {random.uniform(-0.05, 0.05), random.uniform(-0.05, 0.05), 2.0};
    // the signs of three areas decide whether the ray goes through the triangle
    const auto area = [&](const Vector3& u, const Vector3& v) {
      return (u - origin).x() * (v - origin).y() - (u - origin).y() * (v - origin).x();
    };
    const double a = area(p, q), b = area(q, r), c = area(r, p);
    if (std::min({std::abs(a), std::abs(b), std::abs(c)}) < 1e-7) continue;
    const bool inside = (a > 0.0) == (b > 0.0) && (b > 0.0) == (c > 0.0);
    const RayHit hit = ray_cast(Shape(Convex::from_points(points)), {}, origin, {0.0, 0.0, -1.0});
    ASSERT_EQ(hit.hit, inside) << i;
    hits += inside ? 1 : 0;
  }
  EXPECT_GT(hits, 100);
}

}  // namespace
}  // namespace tactum::ray_cast_test
