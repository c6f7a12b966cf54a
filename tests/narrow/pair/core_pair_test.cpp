// SPDX-License-Identifier: BSD-2-Clause
// Two cores as one set B - A: supports against extended precision, pieces against central
// differences.
#include "narrow/pair/core_pair.hpp"

#include <gtest/gtest.h>

#include "narrow/narrow_fixtures.hpp"

namespace tactum::core_pair_test {
namespace {

using namespace tactum::testing;

TEST(CorePair, SupportsAreThoseOfTheDifference) {
  for (const KindPair& kinds : kAllPairs) {
    if (kinds.has(ShapeKind::half_space)) continue;
    Random random(15, stream_of(kinds.a, kinds.b));
    const TestPair test{random_shape_of(kinds.a, random), random_shape_of(kinds.b, random),
                        random_pose(random, 1.0)};
    CorePair pair = test.cores();
    for (int k = 0; k < 5; ++k) {
      const Vector3 n = random.direction();
      const MinkowskiPoint point = pair.support(n);
      SCOPED_TRACE(::testing::Message() << test.a.to_string() << " " << test.b.to_string());
      EXPECT_NEAR(n.dot(point.w), static_cast<double>(test.separation_of_cores(n)),
                  32.0 * kEps * test.scale() + pair.support_error());
      EXPECT_LE((point.b() - test.X_AB * point.b_B).norm(), 8.0 * kEps * test.scale());
      EXPECT_EQ(pair.hints, point.piece);
    }
    EXPECT_EQ(pair.support_calls, 5);
  }
}

TEST(CorePair, PiecesMoveAsTheirHessianSays) {
  for (const KindPair& kinds : kAllPairs) {
    if (kinds.has(ShapeKind::half_space)) continue;
    Random random(16, stream_of(kinds.a, kinds.b));
    const TestPair test{random_shape_of(kinds.a, random), random_shape_of(kinds.b, random),
                        random_pose(random, 1.0)};
    CorePair pair = test.cores();
    const Vector3 n = random.direction(), t = n.cross(random.direction()).normalized();
    const PiecePair names = pair.support(n).piece;
    const auto at_step = [&](double step) {
      return pair.piece(names, Vector3((n + step * t).normalized())).point.w;
    };
    SCOPED_TRACE(::testing::Message() << test.a.to_string() << " " << test.b.to_string());
    const MinkowskiPiece piece = pair.piece(names, n);
    EXPECT_LE((piece.point.w - pair.support(n).w).norm(), 32.0 * kEps * test.scale());
    const Vector3 change = (at_step(1e-5) - at_step(-1e-5)) / 2e-5;
    EXPECT_LE((change + piece.hessian * t).norm(), 1e-5 * (1.0 + piece.hessian.norm()));
  }
}

TEST(CorePair, EdgesAndShifts) {
  Random random(17);
  const TestPair test{random_hull(random, 20), random_hull(random, 20), random_pose(random, 0.5)};
  CorePair pair = test.cores();
  const MinkowskiPoint from = pair.support(random.direction()),
                       to = pair.support(random.direction());
  EXPECT_LE((pair.edge(from, to) - (to.w - from.w)).norm(), 8.0 * kEps);
  const Vector3 shift(0.1, -0.2, 0.3), n = random.direction();
  CorePair moved = pair.shifted(shift);
  EXPECT_LE((moved.support(n).w - pair.support(n).w - shift).norm(), 8.0 * kEps);
  EXPECT_EQ(moved.record, nullptr);
  EXPECT_TRUE(pair.polyhedral());
  EXPECT_EQ(pair.radius(), pair.radius_a() + pair.radius_b());
}

}  // namespace
}  // namespace tactum::core_pair_test
