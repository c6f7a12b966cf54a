// SPDX-License-Identifier: BSD-2-Clause
// Point against box, cylinder, cone: surface points in extended precision, sampled and refined.
#include "narrow/formula/point_primitive.hpp"

#include <functional>

#include "narrow/narrow_fixtures.hpp"

namespace tactum::point_primitive_test {
namespace {

using namespace tactum::testing;

struct Primitive {
  const char* name;
  std::function<SurfacePoint(const Vector3&)> code;
  std::function<Real(const Vec3&)> support;  // h(u) for unit u
  std::function<Real(const Vec3&)> inside;  // largest violation of the primitive's inequalities, <=
                                            // 0 inside
  double size;
};

std::vector<Primitive> primitives() {
  const Vector3 half(0.3, 0.5, 0.2);
  const double r = 0.4, l = 0.3;
  const Vec3 wide_half = widen(half);
  const Real rr = Real(r), ll = Real(l);
  return {
      {"box", [=](const Vector3& p) { return point_box(half, p); },
       [=](const Vec3& u) { return u.cwiseAbs().dot(wide_half); },
       [=](const Vec3& p) { return (p.cwiseAbs() - wide_half).maxCoeff(); }, half.norm()},
      {"cylinder", [=](const Vector3& p) { return point_cylinder(r, l, p); },
       [=](const Vec3& u) { return rr * u.head<2>().norm() + ll * std::abs(u.z()); },
       [=](const Vec3& p) { return std::max(p.head<2>().norm() - rr, std::abs(p.z()) - ll); }, 0.5},
      {"cone", [=](const Vector3& p) { return point_cone(r, l, p); },
       [=](const Vec3& u) { return std::max(ll * u.z(), rr * u.head<2>().norm() - ll * u.z()); },
       [=](const Vec3& p) {
         return std::max(-ll - p.z(), (2 * ll * p.head<2>().norm() + rr * (p.z() - ll)) /
                                          std::hypot(2 * ll, rr));
       },
       0.5},
  };
}

/// Checks that the point is on the surface, the normal has unit length, both add up to the query
/// point, and the normal supports the primitive there. Outside, that proves the distance from both
/// sides. Inside, the signed distance is the largest u.p - h(u) over all directions, so none may be
/// larger.
void expect_consistent(const Primitive& primitive, const Vector3& p, const SurfacePoint& s) {
  const double scale = std::max(primitive.size, p.norm());
  EXPECT_NEAR(s.normal.norm(), 1.0, 4.0 * kEps);
  EXPECT_LE((s.point + s.distance * s.normal - p).norm(), 4.0 * kEps * scale);
  EXPECT_NEAR(static_cast<double>(primitive.inside(widen(s.point))), 0.0, 8.0 * kEps * scale);
  EXPECT_NEAR(static_cast<double>(primitive.support(widen(s.normal).normalized())),
              s.normal.dot(s.point), 8.0 * kEps * scale);
  if (std::abs(s.distance) > 8.0 * kEps * scale) {
    EXPECT_EQ(s.distance > 0.0, primitive.inside(widen(p)) > 0) << s.distance;
  }
  static const std::vector<Vector3> lattice = lattice_directions(500);
  for (const Vector3& u : lattice) {
    const Vec3 wide = widen(u).normalized(), near = (widen(s.normal) + 1e-3L * wide).normalized();
    ASSERT_LE(static_cast<double>(wide.dot(widen(p)) - primitive.support(wide)),
              s.distance + 4.0 * kEps * scale);
    ASSERT_LE(static_cast<double>(near.dot(widen(p)) - primitive.support(near)),
              s.distance + 4.0 * kEps * scale);
  }
}

TEST(PointPrimitive, RandomPointsAgreeWithSupportingPlanes) {
  Random random(41);
  for (const Primitive& primitive : primitives()) {
    for (int i = 0; i < 600; ++i) {
      const Vector3 p = random.in_box(random.chance(0.5) ? 0.3 : 1.0);
      SCOPED_TRACE(::testing::Message() << primitive.name << " " << p.transpose());
      expect_consistent(primitive, p, primitive.code(p));
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(PointPrimitive, NoSurfacePointIsNearer) {
  // dense sampling of the surfaces: rays from the center to the boundary
  const std::vector<Vector3> rays = lattice_directions(4000);
  Random random(42);
  for (const Primitive& primitive : primitives()) {
    std::vector<Vec3> surface;
    for (const Vector3& ray : rays) {
      Real low = 0, high = 2;
      for (int k = 0; k < 60; ++k)
        (primitive.inside(widen(ray) * ((low + high) / 2)) <= 0 ? low : high) = (low + high) / 2;
      surface.push_back(widen(ray) * low);
    }
    for (int i = 0; i < 50; ++i) {
      const Vector3 p = random.in_box(0.6);
      const SurfacePoint s = primitive.code(p);
      Real nearest = infinite;
      for (const Vec3& x : surface) nearest = std::min(nearest, (x - widen(p)).norm());
      EXPECT_LE(std::abs(s.distance), static_cast<double>(nearest) + 1e-15) << primitive.name;
      EXPECT_GE(std::abs(s.distance), static_cast<double>(nearest) - 0.03) << primitive.name;
    }
  }
}

TEST(PointPrimitive, SpecialPoints) {
  // on the axis, at the center, on faces, rims, corners and the apex
  std::vector<Vector3> points = {
      {0, 0, 0},         {0, 0, 0.3},      {0, 0, -0.3},      {0, 0, 1},
      {0, 0, -1},        {0.4, 0, 0.3},    {0.4, 0, -0.3},    {0, 0.4, 0.1},
      {0.3, 0.5, 0.2},   {0.3, 0, 0},      {-0.3, -0.5, 0.1}, {0.2, 0, 0.3},
      {-0.0, -0.0, 0.2}, {0.3, 0.5, -0.2}, {1e-200, 0, 0.1},  {1e-310, 0, 2}};
  for (const Primitive& primitive : primitives()) {
    for (const Vector3& p : points) {
      SCOPED_TRACE(::testing::Message() << primitive.name << " " << p.transpose());
      expect_consistent(primitive, p, primitive.code(p));
    }
  }
}

TEST(PointPrimitive, TinyGapsKeepTheirDigits) {
  for (const double gap : {1e-3, 1e-9, 1e-15}) {
    EXPECT_NEAR(point_box({0.5, 0.5, 0.5}, {0.5 + gap, 0.1, 0.2}).distance / gap, 1.0,
                0.2 * kEps / gap);
    EXPECT_NEAR(point_cylinder(0.5, 0.5, {0.1, 0.2, 0.5 + gap}).distance / gap, 1.0,
                0.2 * kEps / gap);
    EXPECT_NEAR(point_cone(0.5, 0.5, {0.1, 0.2, -0.5 - gap}).distance / gap, 1.0, 0.2 * kEps / gap);
    // at a corner: the diagonal
    const double real_gap = (0.5 + gap) - 0.5;
    const SurfacePoint corner = point_box({0.5, 0.5, 0.5}, Vector3::Constant(0.5 + gap));
    EXPECT_NEAR(corner.distance, std::sqrt(3.0) * real_gap, 4.0 * kEps * real_gap);
    EXPECT_LE((corner.normal - Vector3::Constant(1.0 / std::sqrt(3.0))).norm(), 4.0 * kEps);
  }
}

TEST(PointPrimitive, KnownValuesForACone) {
  // radius 3, height 4: slant direction (4, 3) / 5
  const double r = 3.0, l = 2.0;
  EXPECT_DOUBLE_EQ(point_cone(r, l, {0, 0, -1}).distance, -1.0);  // base is nearer than the slant
  const SurfacePoint slant = point_cone(r, l, {3.0 + 4.0, 0.0, -2.0 + 3.0});
  EXPECT_NEAR(slant.distance, (4.0 * 7.0 + 3.0 * (1.0 - 2.0)) / 5.0, 8.0 * kEps);
  const SurfacePoint apex = point_cone(r, l, {0.1, 0.0, 3.0});
  EXPECT_NEAR(apex.distance, std::hypot(0.1, 1.0), 4.0 * kEps);
  EXPECT_EQ(apex.point, Vector3(0, 0, 2));
}

}  // namespace
}  // namespace tactum::point_primitive_test
