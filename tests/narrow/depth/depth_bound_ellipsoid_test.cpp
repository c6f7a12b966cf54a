// SPDX-License-Identifier: BSD-2-Clause
// Ellipsoids inside cores: contained and touching by the support functions of the shapes; proofs
// never below the true distance.
#include "narrow/depth/depth_bound_ellipsoid.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum::depth_bound_ellipsoid_test {
namespace {

using namespace tactum::testing;

Real support_of(const InnerEllipsoid& inner, const Vector3& m) {
  const Real x = widen(to_vector3(inner.p)).dot(widen(m)),
             y = widen(to_vector3(inner.q1)).dot(widen(m)),
             z = widen(to_vector3(inner.q2)).dot(widen(m));
  return widen(to_vector3(inner.center)).dot(widen(m)) + std::sqrt(x * x + y * y + z * z);
}

/// A contact: a direction, and one of the points of the shape farthest along it.
struct Touch {
  Vector3 u, point;
};

/// Contacts on every kind of feature of a shape with unit sizes times `sizes`.
std::vector<Touch> touches(const Shape& shape, Random& random) {
  const Vector3 size = shape.core().size;
  const double angle = random.uniform(0.0, 6.28), c = std::cos(angle), s = std::sin(angle),
               t = random.uniform(-0.999, 0.999);
  std::vector<Touch> result;
  for (int i = 0; i < 4; ++i) {
    const Vector3 u = random.direction();
    int visited = 0;
    result.push_back({u, core_support(shape.core(), u, visited).point});
  }
  switch (shape.kind()) {
    case ShapeKind::box:
      // a face
      result.push_back({{0, 0, -1}, {t * size.x(), 0.3 * size.y(), -size.z()}});
      // an edge
      result.push_back({Vector3(c, 0, s),
                        {std::copysign(size.x(), c), t * size.y(), std::copysign(size.z(), s)}});
      break;
    case ShapeKind::cylinder:
      result.push_back({{c, s, 0}, {size.x() * c, size.x() * s, t * size.y()}});  // the side
      result.push_back({{0, 0, 1}, {t * size.x() * c, t * size.x() * s, size.y()}});
      result.push_back({{0, 0, -1}, {0, 0, -size.y()}});
      break;
    case ShapeKind::cone: {
      const double rise = 0.5 * (1.0 + t);
      const Vector3 u = Vector3(2.0 * size.y() * c, 2.0 * size.y() * s, size.x()).normalized();
      result.push_back({u,
                        {(1.0 - rise) * size.x() * c, (1.0 - rise) * size.x() * s,
                         (2.0 * rise - 1.0) * size.y()}});
      result.push_back({{0, 0, -1}, {t * size.x() * c, t * size.x() * s, -size.y()}});
      break;
    }
    case ShapeKind::capsule: result.push_back({{c, s, 0}, {0, 0, t * size.z()}}); break;
    default: break;
  }
  return result;
}

TEST(DepthBoundEllipsoid, InsideTheCoreAndTouching) {
  Random random(331);
  const std::vector<Vector3> directions = lattice_directions(200);
  int found = 0;
  for (int i = 0; i < 300; ++i) {
    Shape shape = random_solid(random);
    const ConvexBody body(shape, Pose{});
    const double scale = shape.core().bounding_radius;
    for (const Touch& touch : touches(shape, random)) {
      InnerEllipsoid inner;
      const double height = random.log_uniform(1e-4, 0.3);
      SCOPED_TRACE(::testing::Message() << i << " " << shape.to_string() << " along "
                                        << touch.u.transpose() << " height " << height);
      if (!find_inner_ellipsoid(shape.core(), to_double3(touch.point), to_double3(touch.u), height,
                                inner))
        continue;
      ++found;
      const double rounding = shape.core().inner_radius;
      const Real along = widen(touch.u).dot(widen(touch.point)) + Real(rounding);
      EXPECT_NEAR(static_cast<double>(support_of(inner, touch.u) - along), 0.0,
                  16.0 * kEps * scale);
      EXPECT_LE((to_vector3(inner.center + inner.p) - touch.point - rounding * touch.u).norm(),
                16.0 * kEps * scale);
      EXPECT_LE(dot(inner.p, to_double3(touch.u)), height + 8.0 * kEps * scale);
      for (const Vector3& m : directions) {
        const Real most = widen(m).dot(body.support(widen(m)));
        ASSERT_LE(static_cast<double>(support_of(inner, m) - most), 16.0 * kEps * scale)
            << m.transpose();
      }
    }
  }
  EXPECT_GT(found, 1000);
}

double upper_of(const TestPair& test, const SeparationOptimum& optimum) {
  const CorePair pair = test.cores();
  return upper_bound_of_depth(pair, optimum);
}

TEST(DepthBoundEllipsoid, CylinderStandingInABox) {
  // 0.01 deep in the top face, far from every edge; moving up the side of the cylinder does not
  // separate
  const TestPair test{Box{.half_extents = {0.5, 0.5, 0.2}},
                      Cylinder{.radius = 0.1, .half_length = 0.3}, at(0.1, 0.0, 0.49)};
  const SeparationOptimum upwards{Vector3::UnitZ(), -0.01, {0.1, 0.0, 0.2}, {0.1, 0.0, 0.19}, 0.0};
  EXPECT_NEAR(upper_of(test, upwards), -0.01, 1e-13);
  const SeparationOptimum aside{Vector3::UnitX(), -0.5, {0.5, 0.0, 0.2}, {0.0, 0.0, 0.2}, 0.0};
  EXPECT_GE(upper_of(test, aside), -0.01);
}

TEST(DepthBoundEllipsoid, TouchingIsNotProved) {
  const TestPair test{Box{.half_extents = {0.5, 0.5, 0.2}},
                      Cylinder{.radius = 0.1, .half_length = 0.3}, at(0.1, 0.0, 0.5)};
  const SeparationOptimum upwards{Vector3::UnitZ(), 0.0, {0.1, 0.0, 0.2}, {0.1, 0.0, 0.2}, 0.0};
  EXPECT_EQ(upper_of(test, upwards), kInfinity);
}

/// Local optima from many starts, and directions beside them: every proof must hold for the true
/// distance.
TEST(DepthBoundEllipsoid, NeverBelowTheTruth) {
  Random random(332);
  int global = 0, proved = 0, others = 0;
  for (int i = 0; i < 1500; ++i) {
    const TestPair test = random_solids(random, 0.35);
    if (test.cores().polyhedral()) continue;
    Real error = 0;
    const double truth = static_cast<double>(test.core_truth(&error)),
                 off = static_cast<double>(error);
    if (!(truth < -1e-4)) continue;
    CorePair pair = test.cores();
    for (int start = 0; start < 12; ++start) {
      Vector3 n = start == 0 ? Vector3(test.X_AB.translation.normalized()) : random.direction();
      Simplex simplex;
      for (const double tilt : {0.0, 0.1, -0.1})
        simplex.push(pair.support((n + tilt * Vector3(0.6, -0.8, 0.3)).normalized()));
      SeparationOptimum optimum = optimum_of(single_point(simplex.points[0]), n,
                                             n.dot(simplex.points[0].w));
      const bool stationary = refine_by_newton(pair, simplex, n, optimum);
      const double upper = upper_of(test, optimum);
      SCOPED_TRACE(::testing::Message()
                   << i << " " << test.a.to_string() << " " << test.b.to_string());
      EXPECT_GE(upper, truth - 8.0 * kEps * test.scale());
      if (!stationary) continue;
      const bool best = optimum.lower >= truth - off - 1e-12;
      (best ? global : others) += 1;
      if (upper - optimum.lower <= 2e-13 * test.scale()) {
        ++proved;
        EXPECT_TRUE(best);
      }
    }
  }
  EXPECT_GT(others, 30);  // the sample contains cases to refuse
  EXPECT_GT(global, 100);
  EXPECT_GT(proved, 3 * global / 10);  // the proof succeeds for a fair part
}

TEST(DepthBoundEllipsoid, ScaleFree) {
  Random random(333);
  int proved = 0;
  for (int i = 0; i < 60; ++i) {
    const double r = random.uniform(0.1, 0.5), l = random.uniform(0.1, 0.5);
    const Vector3 axes = random_sizes(random);
    const Pose X{random.rotation(), {0.0, 0.0, l + 0.5 * axes.z()}};
    const auto bound = [&](double factor) {
      const TestPair test{Cylinder{.radius = factor * r, .half_length = factor * l},
                          Box{.half_extents = factor * axes},
                          {X.rotation, factor * X.translation}};
      CorePair pair = test.cores();
      const MinkowskiPoint w = pair.support(Vector3::UnitZ());
      SeparationOptimum optimum = optimum_of(single_point(w), Vector3::UnitZ(), w.w.z());
      optimum.point_a = optimum.point_b - optimum.lower * Vector3::UnitZ();
      return upper_of(test, optimum) / factor;
    };
    const double expected = bound(1.0);
    proved += expected < kInfinity ? 1 : 0;
    for (const double factor : {0x1p-50, 0x1p50}) EXPECT_EQ(bound(factor), expected);
  }
  EXPECT_GT(proved, 2);
}

}  // namespace
}  // namespace tactum::depth_bound_ellipsoid_test
