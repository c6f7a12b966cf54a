// SPDX-License-Identifier: BSD-2-Clause
// The oracles against closed forms, against each other, and against brute sampling; the generators
// against what they promise.
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/allocation_guard.hpp"
#include "support/feature_enumeration.hpp"
#include "support/random_shapes.hpp"
#include "support/sphere_search.hpp"

namespace tactum::testing::oracle_test {
namespace {

constexpr Real kEps = kDoubleEpsilon;

Pose at(double x, double y, double z) { return {Matrix3::Identity(), Vector3(x, y, z)}; }

void expect_distance(const Shape& a, const Shape& b, const Pose& pose, Real expected,
                     Real error = 2 * kEps) {
  const Truth truth = oracle_distance(a, b, pose);
  EXPECT_LE(truth.distance, expected + error) << a.to_string() << " " << b.to_string();
  EXPECT_GE(truth.distance + truth.error, expected - error)
      << a.to_string() << " " << b.to_string();
  EXPECT_LE(truth.error, error);
}

TEST(OracleClosedForm, SpheresApartAndInside) {
  expect_distance(Sphere{.radius = 0.25}, Sphere{.radius = 0.5}, at(0.6, 0.0, 0.8), 1.0L - 0.75L,
                  4 * kEps);
  expect_distance(Sphere{.radius = 0.25}, Sphere{.radius = 0.5}, at(0.06, 0.0, 0.08), 0.1L - 0.75L,
                  4 * kEps);
  expect_distance(Sphere{.radius = 0.25}, Sphere{.radius = 0.5}, at(0, 0, 0), -0.75L);
}

TEST(OracleClosedForm, AlignedBoxes) {
  Random random(11);
  for (int k = 0; k < 200; ++k) {
    // braces: the same numbers from every compiler
    const Vector3 a{random.uniform(0.1, 0.5), random.uniform(0.1, 0.5), random.uniform(0.1, 0.5)};
    const Vector3 b{random.uniform(0.1, 0.5), random.uniform(0.1, 0.5), random.uniform(0.1, 0.5)};
    const Vector3 t = random.in_box(k % 2 ? 1.5 : 0.5);
    const Vec3 gaps = widen(t).cwiseAbs() - widen(a) - widen(b);
    const Real expected = gaps.maxCoeff() > 0 ? gaps.cwiseMax(Real(0)).norm() : gaps.maxCoeff();
    expect_distance(Box{.half_extents = a}, Box{.half_extents = b}, {Matrix3::Identity(), t},
                    expected);
  }
}

TEST(OracleClosedForm, PointAndEllipsoid) {
  Random random(12);
  for (int k = 0; k < 100; ++k) {
    const Vector3 axes(random.uniform(0.1, 0.5), random.uniform(0.1, 0.5),
                       random.uniform(0.1, 0.5));
    const Vector3 x = axes.cwiseProduct(random.direction()) * random.uniform(1.01, 4);
    expect_distance(Ellipsoid{.semi_axes = axes}, Sphere{.radius = 0.0}, {Matrix3::Identity(), x},
                    distance_point_ellipsoid(widen(x), widen(axes)));
  }
  // on the axis of an ellipse with axes 2 > 1 the nearest point is the vertex
  EXPECT_NEAR(static_cast<double>(distance_point_ellipsoid(Vec3(0, 0, 3), Vec3(2, 2, 1))), 2.0,
              1e-15);
  // x = a^2 c, with c > 1 / a, along the long axis: the vertex again
  EXPECT_NEAR(static_cast<double>(distance_point_ellipsoid(Vec3(5, 0, 0), Vec3(2, 1, 1))), 3.0,
              1e-15);
}

TEST(OracleClosedForm, ConcentricEllipsoidsMeetOnTheShortestAxis) {
  Random random(13);
  for (int k = 0; k < 50; ++k) {
    // braces: the same numbers from every compiler
    const Vector3 a{random.uniform(0.1, 0.5), random.uniform(0.1, 0.5), random.uniform(0.1, 0.5)};
    const Vector3 b{random.uniform(0.1, 0.5), random.uniform(0.1, 0.5), random.uniform(0.1, 0.5)};
    // two sums that are almost equal leave an interval of 2.4 eps
    expect_distance(Ellipsoid{.semi_axes = a}, Ellipsoid{.semi_axes = b}, Pose{},
                    -(widen(a) + widen(b)).minCoeff(), 4 * kEps);
  }
}

TEST(OracleClosedForm, PointInsideCylinderAndCone) {
  Random random(14);
  for (int k = 0; k < 100; ++k) {
    const Vector3 x = random.in_box(0.15);
    const Vec3 y = widen(x);
    const Real radial = std::sqrt(y[0] * y[0] + y[1] * y[1]);
    const Cylinder cylinder{.radius = 0.3, .half_length = 0.2};
    const Real depth = std::min(Real(cylinder.radius) - radial,
                                Real(cylinder.half_length) - std::abs(y[2]));
    expect_distance(cylinder, Sphere{.radius = 0.0}, {Matrix3::Identity(), x}, -depth);
    const Cone cone{.radius = 0.3, .half_length = 0.2};
    const Real slant = std::hypot(Real(cone.radius), 2 * Real(cone.half_length));
    const Real side = (2 * Real(cone.half_length) * radial +
                       Real(cone.radius) * (y[2] - Real(cone.half_length))) /
                      slant;
    if (side < -0.01L) {
      expect_distance(cone, Sphere{.radius = 0.0}, {Matrix3::Identity(), x},
                      std::max(side, -(y[2] + Real(cone.half_length))));
    }
  }
}

TEST(OracleClosedForm, CoaxialCylindersAlthoughNoDirectionIsUnique) {
  const Cylinder a{.radius = 0.2, .half_length = 1.0}, b{.radius = 0.125, .half_length = 1.0};
  const Truth truth = oracle_distance(a, b, at(0, 0, 0.5));
  EXPECT_NEAR(static_cast<double>(truth.distance), -0.325, 1e-16);
  EXPECT_LE(truth.error, kEps);
  EXPECT_FALSE(truth.normal_unique);
}

TEST(OracleClosedForm, HalfSpaces) {
  const HalfSpace ground{.normal = Vector3(0, 0, 1), .offset = 0.5};
  expect_distance(ground, Box{.half_extents = Vector3(1, 1, 1)}, at(3, 4, 2), 0.5L);
  // B's plane is at z = 1.5 in the frame of A
  expect_distance(Sphere{.radius = 0.25}, ground, at(0, 0, 1), -1.75L);
  const Vector3 axes(0.5, 0.25, 0.125), n = Vector3(1, 2, 2) / 3.0;
  const Vec3 unit = widen(n).normalized();
  expect_distance(HalfSpace{.normal = n}, Ellipsoid{.semi_axes = axes}, at(1, 2, 3),
                  unit.dot(Vec3(1, 2, 3)) - widen(axes).cwiseProduct(unit).norm(), 8 * kEps);
}

TEST(OracleClosedForm, MarginsAreSweptRadii) {
  const Pose pose = at(1.0, 0.25, 0.125);
  const Truth plain = oracle_distance(Box{.half_extents = Vector3(0.25, 0.5, 0.5)},
                                      Cone{.radius = 0.25, .half_length = 0.5}, pose);
  const Truth swept = oracle_distance(
      Box{.half_extents = Vector3(0.25, 0.5, 0.5), .margin = 0.0625},
      Cone{.radius = 0.25, .half_length = 0.5, .margin = 0.125}, pose);
  EXPECT_NEAR(static_cast<double>(plain.distance - swept.distance), 0.1875, 4e-16);
}

// Search on the sphere and enumeration of features have nothing in common but the tables.
TEST(OracleCrossCheck, SearchAgreesWithEnumeration) {
  constexpr std::array kinds = {ShapeKind::sphere, ShapeKind::box, ShapeKind::capsule,
                                ShapeKind::convex};
  int compared = 0, penetrating = 0, flat = 0;
  for (const ShapeKind kind_a : kinds) {
    for (const ShapeKind kind_b : kinds) {
      const PairSampler sampler(kind_a, kind_b, 77);
      for (std::uint64_t i = 0; i < 300; ++i) {
        const PairSample sample = sampler.sample(i);
        const ConvexBody a(sample.a, Pose{}),
            b(sample.b, pose_in_frame_of_a(sample.X_WA, sample.X_WB));
        if (a.edges.size() * b.edges.size() > 900) continue;
        const Real scale = oracle_scale(a, b), expected = enumerate_features(a, b);
        const SphereMinimum found = minimize_support(
            a, b, {.tolerance = kEps / 2 * scale, .scale = scale, .budget = 6000});
        ++compared;
        penetrating += expected < 0;
        flat += a.dimension < 3 && b.dimension < 3;
        ASSERT_LE(-found.value, expected + kEps * scale) << sample.describe();
        ASSERT_GE(-found.bound, expected - kEps * scale) << sample.describe();
      }
    }
  }
  EXPECT_GT(compared, 3000);
  EXPECT_GT(penetrating, 500);
  EXPECT_GT(flat, 500);
}

// A proved bound must hold in every direction: try thousands, and descend from the best of them by
// a method of its own.
TEST(OracleCrossCheck, NoDirectionBeatsTheProvedBound) {
  for (const ShapeKind kind_a :
       {ShapeKind::ellipsoid, ShapeKind::cylinder, ShapeKind::cone, ShapeKind::convex}) {
    for (const ShapeKind kind_b :
         {ShapeKind::ellipsoid, ShapeKind::cylinder, ShapeKind::cone, ShapeKind::capsule}) {
      const PairSampler sampler(kind_a, kind_b, 99);
      for (std::uint64_t i = 0; i < 27; ++i) {
        const PairSample sample = sampler.sample(i);
        const ConvexBody a(sample.a, Pose{}),
            b(sample.b, pose_in_frame_of_a(sample.X_WA, sample.X_WB));
        const Real scale = oracle_scale(a, b);
        const SphereMinimum found = minimize_support(
            a, b, {.tolerance = kEps / 2 * scale, .scale = scale, .budget = 1500});
        ASSERT_LE(found.bound, found.value);
        Vec3 best = found.direction;
        Real best_value = infinite;
        for (int k = 0; k < 3000; ++k) {  // a spiral
          const Real z = 1 - (2 * Real(k) + 1) / 3000, angle = Real(k) * 2.39996322972865332L,
                     r = std::sqrt(1 - z * z);
          const Vec3 n(r * std::cos(angle), r * std::sin(angle), z);
          const Real value = support_value(a, b, n);
          if (value < best_value) best_value = value, best = n;
        }
        // compass search with turning axes
        for (Real step = 0.05L; step > 1e-12L; step *= 0.7L) {
          Vec3 u, v;
          tangent_basis(best, u, v);
          for (int k = 0; k < 12; ++k) {
            const Vec3 n = (best + step * (std::cos(Real(k) * 0.5236L) * u +
                                           std::sin(Real(k) * 0.5236L) * v))
                               .normalized();
            const Real value = support_value(a, b, n);
            if (value < best_value) best_value = value, best = n;
          }
        }
        ASSERT_GE(best_value, found.bound - 1e-18L * scale) << sample.describe();
        ASSERT_GE(best_value, found.value - 1e-15L * scale) << sample.describe();
      }
    }
  }
}

TEST(OracleCrossCheck, MostMinimaAreProvedToRounding) {
  int proved = 0, total = 0;
  for (const ShapeKind kind :
       {ShapeKind::ellipsoid, ShapeKind::cylinder, ShapeKind::cone, ShapeKind::convex}) {
    const PairSampler sampler(kind, kind, 5);
    for (std::uint64_t i = 0; i < 180; ++i) {
      const PairSample sample = sampler.sample(i);
      const ConvexBody a(sample.a, Pose{}),
          b(sample.b, pose_in_frame_of_a(sample.X_WA, sample.X_WB));
      const Real scale = oracle_scale(a, b);
      proved += oracle_distance(a, b, scale, {}).error <= kEps * scale;
      ++total;
    }
  }
  EXPECT_GE(proved, total * 9 / 10);
}

TEST(Membership, AgreesWithSupports) {
  Random random(21);
  for (const ShapeKind kind : kAllKinds) {
    if (kind == ShapeKind::half_space) continue;
    for (int k = 0; k < 40; ++k) {
      const ConvexBody body(random_shape(kind, random), {random.rotation(), random.in_box(1)});
      const Vec3 n = widen(random.direction()), s = body.support(n);
      const Real size = body.extent + 1;
      EXPECT_LE(body.distance_to_core(s), 8 * kEps * size);
      EXPECT_LE(body.distance_to_core((s + body.center()) / 2), 8 * kEps * size);
      // a step out along the normal leaves by exactly that step
      EXPECT_NEAR(static_cast<double>(body.distance_to_core(s + 0.125L * n)), 0.125, 1e-15);
    }
  }
}

TEST(RandomPoses, ClassesDoWhatTheySay) {
  const PairSampler sampler(ShapeKind::convex, ShapeKind::box, 3);
  std::array<int, kNumPoseClasses> apart{}, penetrating{}, near{};
  double largest_ratio = 1, farthest = 0;
  std::set<int> dimensions;
  for (std::uint64_t i = 0; i < 900; ++i) {
    const PairSample sample = sampler.sample(i);
    const ConvexBody a(sample.a, Pose{}), b(sample.b, pose_in_frame_of_a(sample.X_WA, sample.X_WB));
    const Real scale = oracle_scale(a, b);
    const Truth truth = oracle_distance(a, b, scale, {.tolerance = 1e-12L, .budget = 300});
    const auto c = static_cast<std::size_t>(sample.pose_class);
    apart[c] += truth.distance > 1e-9L * scale;
    penetrating[c] += truth.distance < -1e-9L * scale;
    near[c] += std::abs(truth.distance) <= 2e-3L * scale;
    largest_ratio = std::max(largest_ratio,
                             static_cast<double>((a.extent + a.radius) / (b.extent + b.radius)));
    farthest = std::max(farthest, sample.X_WA.translation.norm());
    dimensions.insert(a.dimension);
  }
  const auto of = [](const auto& counts, PoseClass c) {
    return counts[static_cast<std::size_t>(c)];
  };
  EXPECT_GE(of(apart, PoseClass::apart), 95);
  EXPECT_GE(of(apart, PoseClass::far_apart), 99);
  EXPECT_GE(of(near, PoseClass::grazing), 95);
  EXPECT_GE(of(penetrating, PoseClass::grazing), 5);
  EXPECT_GE(of(penetrating, PoseClass::deep), 60);
  EXPECT_GE(of(penetrating, PoseClass::contained), 80);
  EXPECT_GE(of(penetrating, PoseClass::concentric), 50);
  EXPECT_GE(of(penetrating, PoseClass::parallel), 20);
  EXPECT_GE(of(apart, PoseClass::parallel), 20);
  EXPECT_GT(largest_ratio, 1e4);
  EXPECT_GT(farthest, 1e5);
  EXPECT_EQ(dimensions, (std::set<int>{0, 1, 2, 3}));
}

TEST(RandomPoses, SameSeedSameSample) {
  const PairSampler first(ShapeKind::cone, ShapeKind::convex, 8),
      second(ShapeKind::cone, ShapeKind::convex, 8), other(ShapeKind::cone, ShapeKind::convex, 9);
  EXPECT_EQ(first.sample(17).describe(), second.sample(17).describe());
  EXPECT_NE(first.sample(17).describe(), first.sample(26).describe());
  EXPECT_NE(first.sample(17).describe(), other.sample(17).describe());
}

TEST(AllocationGuard, SeesWhatItShould) {
  const AllocationGuard guard;
  EXPECT_EQ(guard.count(), 0U);
  // a compiler may leave out what nobody can see
  std::vector<double>* volatile values = new std::vector<double>(100);
  const std::size_t seen = guard.count();
  delete values;
  EXPECT_EQ(seen, 2U);
}

}  // namespace
}  // namespace tactum::testing::oracle_test
