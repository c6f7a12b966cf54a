// SPDX-License-Identifier: BSD-2-Clause
// The second-order refinement: optimality checked in extended precision, exact feature pairs, and
// no optimum made worse.
#include "narrow/gjk/newton_refinement.hpp"

#include "narrow/gjk/gjk.hpp"
#include "narrow/narrow_fixtures.hpp"

namespace tactum::newton_refinement_test {
namespace {

using namespace tactum::testing;

/// Support point of the core of an ellipsoid, without its inner radius, along the unit vector u, in
/// extended precision.
Vec3 ellipsoid_point(const Vector3& semi_axes, double rounding, const Vec3& u) {
  const Vec3 scaled = widen(semi_axes).cwiseProduct(u);
  return widen(semi_axes).cwiseProduct(scaled) / scaled.norm() - Real(rounding) * u;
}

/// The tangential part |w - (n.w) n| of the point w of M that is lowest along n: zero at a
/// stationary direction.
Real stationarity(const Vector3& axes_a, const Vector3& axes_b, const CorePair& pair,
                  const Vector3& normal) {
  const Vec3 n = widen(normal).normalized();
  const Mat3 R = widen(pair.X_AB().rotation);
  const Vec3 a = ellipsoid_point(axes_a, pair.radius_a(), n);
  const Vec3 b = R * ellipsoid_point(axes_b, pair.radius_b(), -(R.transpose() * n)) +
                 widen(pair.X_AB().translation);
  const Vec3 w = b - a;
  return (w - n.dot(w) * n).norm();
}

SeparationOptimum optimum_at(CorePair& pair, const Vector3& n, Simplex& simplex) {
  simplex = single_point(pair.support(n));
  return optimum_of(simplex, n, n.dot(simplex.points[0].w));
}

TEST(NewtonRefinement, OptimumOfASimplexIsWhatTheSimplexSays) {
  const TestPair test{Box{.half_extents = {0.5, 0.4, 0.3}}, Box{.half_extents = {0.1, 0.2, 0.3}},
                      at(1.0, 0.1, 0.0)};
  CorePair pair = test.cores();
  Simplex simplex;
  simplex.push(pair.support(Vector3(0.9, 0.1, 0.1).normalized()));
  simplex.push(pair.support(Vector3(0.9, -0.1, 0.1).normalized()));
  simplex.weights = {0.25, 0.75, 0.0, 0.0};
  const SeparationOptimum optimum = optimum_of(simplex, Vector3::UnitX(), 0.4);
  EXPECT_EQ(optimum.normal, Vector3::UnitX());
  EXPECT_EQ(optimum.lower, 0.4);
  EXPECT_LE((optimum.point_a - (0.25 * simplex.points[0].a + 0.75 * simplex.points[1].a)).norm(),
            kEps);
  EXPECT_LE(
      (optimum.point_b - (0.25 * simplex.points[0].b() + 0.75 * simplex.points[1].b())).norm(),
      kEps);
  EXPECT_NEAR(optimum.residual, (optimum.point_b - optimum.point_a - 0.4 * Vector3::UnitX()).norm(),
              kEps);
}

TEST(NewtonRefinement, EllipsoidsFromAPerturbedStart) {
  Random random(71);
  int refined = 0, tried = 0;
  for (int i = 0; i < 250; ++i) {
    const Vector3 axes_a = random_sizes(random), axes_b = random_sizes(random);
    const TestPair test{Ellipsoid{.semi_axes = axes_a}, Ellipsoid{.semi_axes = axes_b},
                        random_pose(random, 1.0)};
    const Truth truth = oracle_distance(test.a, test.b, test.X_AB);
    if (truth.distance < 0.01L)
      continue;  // apart, the optimum is unique and every start nearby leads to it
    ++tried;
    CorePair pair = test.cores();
    const Vector3 start = (narrow(truth.normal) + 0.02 * random.direction()).normalized();
    Simplex simplex;
    SeparationOptimum optimum = optimum_at(pair, start, simplex);
    const double before = optimum.lower;
    SCOPED_TRACE(i);
    if (!refine_by_newton(pair, simplex, start, optimum)) continue;
    ++refined;
    expect_valid_optimum(test, optimum);
    EXPECT_GE(optimum.lower, before);
    EXPECT_LE(static_cast<double>(stationarity(axes_a, axes_b, pair, optimum.normal)),
              16.0 * kEps * test.scale());
    EXPECT_NEAR(optimum.lower - pair.radius(), static_cast<double>(truth.distance),
                16.0 * kEps * test.scale());
    EXPECT_LE(optimum.residual, 64.0 * kEps * test.scale());
  }
  EXPECT_GT(tried, 80);
  EXPECT_EQ(refined, tried);  // a start within 0.02 rad of a well conditioned optimum is inside
                              // the basin
}

TEST(NewtonRefinement, EllipsoidsInShallowAndDeepPenetration) {
  Random random(72);
  int refined = 0, tried = 0;
  for (int i = 0; i < 200; ++i) {
    const Vector3 axes_a = random_sizes(random, 0.2), axes_b = random_sizes(random, 0.2);
    const TestPair test{Ellipsoid{.semi_axes = axes_a}, Ellipsoid{.semi_axes = axes_b},
                        random_pose(random, 0.4)};
    const Truth truth = oracle_distance(test.a, test.b, test.X_AB);
    if (truth.distance > 0 || !truth.normal_unique) continue;
    ++tried;
    CorePair pair = test.cores();
    const Vector3 start = (narrow(truth.normal) + 1e-3 * random.direction()).normalized();
    Simplex simplex;
    SeparationOptimum optimum = optimum_at(pair, start, simplex);
    SCOPED_TRACE(i);
    if (!refine_by_newton(pair, simplex, start, optimum)) continue;
    ++refined;
    expect_valid_optimum(test, optimum);
    EXPECT_LE(static_cast<double>(stationarity(axes_a, axes_b, pair, optimum.normal)),
              16.0 * kEps * test.scale());
    EXPECT_NEAR(optimum.lower - pair.radius(), static_cast<double>(truth.distance),
                32.0 * kEps * test.scale());
  }
  EXPECT_GT(tried, 80);
  EXPECT_GT(refined, tried * 9 / 10);
}

/// Refines a GJK state with a gap of 1e-3 to the optimum.
bool refine_from_gjk(const TestPair& test, CorePair& pair, SeparationOptimum& optimum) {
  GjkState state = start_gjk(pair, test.X_AB.translation.normalized());
  run_gjk(pair, {.gap = 1e-3 * test.scale(), .max_iterations = 100}, state);
  optimum = optimum_of(state.simplex, state.normal, state.lower);
  return refine_by_newton(pair, state.simplex, state.normal, optimum);
}

TEST(NewtonRefinement, CylinderRimAgainstABoxFace) {
  const double radius = 0.3, half_length = 0.5;
  for (const double tilt : {0.2, 0.7, 1.2}) {
    // lowest point of the tilted cylinder above the face z = 0.5
    const double height = 1.5;
    const TestPair test{Box{.half_extents = {1, 1, 0.5}},
                        Cylinder{.radius = radius, .half_length = half_length},
                        turned({1, 2, 0}, tilt, {0.1, 0.05, height})};
    const double expected = height - 0.5 - radius * std::sin(tilt) - half_length * std::cos(tilt);
    CorePair pair = test.cores();
    SeparationOptimum optimum;
    ASSERT_TRUE(refine_from_gjk(test, pair, optimum)) << tilt;
    EXPECT_NEAR(optimum.lower, expected, 4.0 * kEps);
    EXPECT_LE((optimum.normal - Vector3::UnitZ()).norm(), 4.0 * kEps);
    expect_valid_optimum(test, optimum);
    EXPECT_LE(optimum.residual, 64.0 * kEps * test.scale());
  }
}

TEST(NewtonRefinement, CylinderRimAndSideAgainstBoxEdges) {
  Random random(73);
  int tried = 0, refined = 0;
  for (int i = 0; i < 150; ++i) {
    const TestPair test{
        Box{.half_extents = random_sizes(random)},
        Cylinder{.radius = random.uniform(0.1, 0.4), .half_length = random.uniform(0.1, 0.4)},
        random_pose(random, 1.2)};
    const double truth = static_cast<double>(test.core_truth());
    if (truth < 0.05) continue;
    ++tried;
    CorePair pair = test.cores();
    SeparationOptimum optimum;
    SCOPED_TRACE(i);
    const bool done = refine_from_gjk(test, pair, optimum);
    expect_valid_optimum(test, optimum);
    EXPECT_LE(optimum.lower, truth + 16.0 * kEps * test.scale());
    if (!done) continue;
    ++refined;
    EXPECT_NEAR(optimum.lower, truth, 16.0 * kEps * test.scale());
  }
  EXPECT_GT(tried, 60);
  EXPECT_GT(refined, tried * 8 / 10);
}

TEST(NewtonRefinement, PolytopeFeaturesAreExactInOneCall) {
  Random random(74);
  int refined = 0, tried = 0;
  for (int i = 0; i < 200; ++i) {
    const TestPair test{random_hull(random, 12), random_hull(random, 12), random_pose(random, 1.2)};
    const double truth = static_cast<double>(enumerated(test));
    if (truth < 0.01) continue;
    ++tried;
    CorePair pair = test.cores();
    SeparationOptimum optimum;
    SCOPED_TRACE(i);
    const bool done = refine_from_gjk(test, pair, optimum);
    expect_valid_optimum(test, optimum);
    if (!done) continue;
    ++refined;
    EXPECT_NEAR(optimum.lower, truth, 16.0 * kEps * test.scale());
    EXPECT_LE(optimum.residual, 64.0 * kEps * test.scale());
  }
  EXPECT_GT(tried, 100);
  EXPECT_GT(refined, tried * 9 / 10);
}

TEST(NewtonRefinement, NearbyNeedsTheNormalAlone) {
  Random random(76);
  int tried = 0, refined = 0;
  for (int i = 0; i < 150; ++i) {
    const TestPair test{
        random_hull(random, 10),
        Cylinder{.radius = random.uniform(0.1, 0.4), .half_length = random.uniform(0.1, 0.4)},
        random_pose(random, 0.6)};
    const Truth truth = oracle_distance(test.a, test.b, test.X_AB);
    if (!truth.normal_unique) continue;
    ++tried;
    CorePair pair = test.cores();
    const Vector3 normal = (narrow(truth.normal) + 1e-6 * random.direction()).normalized();
    Simplex simplex;
    SeparationOptimum optimum = optimum_at(pair, normal, simplex);
    SCOPED_TRACE(i);
    const double before = optimum.lower;
    const bool done = refine_nearby_by_newton(pair, optimum);
    EXPECT_GE(optimum.lower, before - 16.0 * kEps * test.scale());
    EXPECT_LE(optimum.lower,
              static_cast<double>(truth.core_distance + truth.error) + 16.0 * kEps * test.scale());
    if (!done) continue;
    ++refined;
    expect_valid_optimum(test, optimum);
    EXPECT_NEAR(optimum.lower, static_cast<double>(truth.core_distance),
                32.0 * kEps * test.scale());
  }
  EXPECT_GT(tried, 50);
  EXPECT_GT(refined, tried * 9 / 10);
}

TEST(NewtonRefinement, NeverWorsensFromAnyStart) {
  Random random(75);
  int improved = 0, refused = 0;
  for (int i = 0; i < 2000; ++i) {
    const TestPair test = random_solids(random, 1.0);
    CorePair pair = test.cores();
    // a simplex of one to four supports in arbitrary directions
    Simplex simplex;
    const int size = 1 + random.below(4);
    for (int k = 0; k < size; ++k) simplex.push(pair.support(random.direction()));
    for (std::size_t k = 0; k < static_cast<std::size_t>(size); ++k)
      simplex.weights[k] = 1.0 / size;
    const Vector3 start = random.direction();
    const double value = static_cast<double>(test.separation_of_cores(start));
    SeparationOptimum optimum = optimum_of(simplex, start, value);
    const SeparationOptimum before = optimum;
    SCOPED_TRACE(::testing::Message()
                 << i << " " << test.a.to_string() << " " << test.b.to_string());
    const bool refined = refine_by_newton(pair, simplex, start, optimum);
    (refined ? improved : refused) += 1;
    // a better direction is kept even when the refinement fails, so the optimum must be valid in
    // any case
    EXPECT_GE(optimum.lower, before.lower - 16.0 * kEps * test.scale());
    EXPECT_NEAR(optimum.lower, static_cast<double>(test.separation_of_cores(optimum.normal)),
                16.0 * kEps * test.scale());
    EXPECT_NEAR((optimum.point_b - optimum.point_a - optimum.lower * optimum.normal).norm(),
                optimum.residual, 16.0 * kEps * test.scale());
    if (optimum.lower <= before.lower + 16.0 * kEps * test.scale()) {
      EXPECT_LE(optimum.residual, before.residual);
    }
    if (refined) {
      EXPECT_LE(optimum.residual, 64.0 * kEps * test.scale());
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(improved, 100);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace tactum::newton_refinement_test
