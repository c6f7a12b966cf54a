// SPDX-License-Identifier: BSD-2-Clause
// The best facet of two boxes against all fifteen axes in extended precision, and every SIMD level
// against the baseline.
#include "narrow/formula/box_facets.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum::box_facets_test {
namespace {

using namespace tactum::testing;

/// Separation along the axis of a facet, the larger of both signs; minus infinity where its edges
/// are parallel.
Real separation_of_facet(int facet, const Vector3& half_a, const Vector3& half_b,
                         const Pose& X_AB) {
  const Mat3 R = widen(X_AB.rotation);
  Vec3 axis = Vec3::Unit(facet % 3);
  if (facet >= 3 && facet < 6) axis = R.col((facet + 1) % 3).cross(R.col((facet + 2) % 3));
  if (facet >= 6) axis = Vec3::Unit((facet - 6) % 3).cross(Vec3(R.col((facet - 6) / 3)));
  const Real length = axis.norm();
  if (length < 1e-15L) return -infinite;
  const Vec3 n = axis / length;
  return std::abs(n.dot(widen(X_AB.translation))) - widen(half_a).dot(n.cwiseAbs()) -
         widen(half_b).dot((R.transpose() * n).cwiseAbs());
}

Real best_separation(const Vector3& half_a, const Vector3& half_b, const Pose& X_AB) {
  Real best = -infinite;
  for (int facet = 0; facet < 15; ++facet)
    best = std::max(best, separation_of_facet(facet, half_a, half_b, X_AB));
  return best;
}

int facet_at(SimdLevel level, const Vector3& half_a, const Vector3& half_b, const Pose& X_AB) {
  return best_box_facet(level)(half_a.data(), half_b.data(), X_AB.rotation.data(),
                               X_AB.translation.data());
}

Vector3 sizes_of_any_ratio(Random& random) {
  return {random.log_uniform(1e-6, 1.0), random.log_uniform(1e-6, 1.0),
          random.log_uniform(1e-6, 1.0)};
}

/// Random rotations, rotations about an axis, quarter turns, and rotations that are almost the
/// identity.
Matrix3 turn_of_any_kind(Random& random) {
  switch (random.below(4)) {
    case 0: return random.rotation();
    case 1: return Random::turn(Vector3::Unit(random.below(3)), random.uniform(0.0, 6.3));
    case 2: return Random::turn(Vector3::Unit(random.below(3)), random.below(4) * M_PI / 2.0);
    default: return Random::turn(random.direction(), random.log_uniform(1e-18, 1e-3));
  }
}

TEST(BoxFacets, LargestSeparationOfFifteenAxes) {
  Random random(611);
  std::array<int, 15> chosen{};
  for (int i = 0; i < repetitions(20000); ++i) {
    const bool extreme = i % 4 == 3;
    const Vector3 a = extreme ? sizes_of_any_ratio(random) : random_sizes(random);
    const Vector3 b = extreme ? sizes_of_any_ratio(random) : random_sizes(random);
    const Pose X_AB{turn_of_any_kind(random), random.in_box(random.chance(0.3) ? 0.1 : 1.0)};
    const int facet = facet_at(SimdLevel::baseline, a, b, X_AB);
    ASSERT_GE(facet, 0);
    ASSERT_LT(facet, 15);
    ++chosen[static_cast<std::size_t>(facet)];
    const double scale = std::max({X_AB.translation.norm(), a.norm(), b.norm()});
    ASSERT_NEAR(static_cast<double>(separation_of_facet(facet, a, b, X_AB)),
                static_cast<double>(best_separation(a, b, X_AB)), 16.0 * kEps * scale)
        << i << " facet " << facet;
  }
  for (const int count : chosen) EXPECT_GT(count, repetitions(50));
}

TEST(BoxFacets, EveryLevelChoosesTheSame) {
  Random random(612);
  for (int i = 0; i < repetitions(20000); ++i) {
    const Vector3 a = i % 4 == 3 ? sizes_of_any_ratio(random) : random_sizes(random);
    const Vector3 b = i % 4 == 3 ? sizes_of_any_ratio(random) : random_sizes(random);
    const Pose X_AB{turn_of_any_kind(random),
                    random.chance(0.1) ? Vector3(Vector3::Zero()) : random.in_box(0.8)};
    const int expected = facet_at(SimdLevel::baseline, a, b, X_AB);
    for (const SimdLevel level : kSimdLevels) {
      if (level <= machine_simd_level()) {
        ASSERT_EQ(facet_at(level, a, b, X_AB), expected) << i << " " << to_string(level);
      }
    }
  }
}

TEST(BoxFacets, ParallelEdgesSpanNone) {
  // no product of edges can win where all of them are parallel or have the direction of a face
  for (const Vector3& t :
       {Vector3(0, 0, 0), Vector3(0.1, 0.2, 0.3), Vector3(3, 0, 0), Vector3(-1, 2, 0.5)}) {
    for (const SimdLevel level : kSimdLevels) {
      if (level > machine_simd_level()) continue;
      const Vector3 a(0.5, 0.4, 0.3), b(0.1, 0.2, 0.25);
      const int facet = facet_at(level, a, b, {Matrix3::Identity(), t});
      EXPECT_EQ(separation_of_facet(facet, a, b, {Matrix3::Identity(), t}),
                best_separation(a, b, {Matrix3::Identity(), t}));
      EXPECT_FALSE(facet == 6 || facet == 10 || facet == 14);
    }
  }
}

}  // namespace
}  // namespace tactum::box_facets_test
