// SPDX-License-Identifier: BSD-2-Clause
// Pieces split into anchor and profile, against the pieces of shape/support/core_support.hpp, which
// are computed without the split.
#include "narrow/pair/curved_pieces.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum::curved_pieces_test {
namespace {

using namespace tactum::testing;

TEST(CurvedPieces, PointsAndHessiansAreThoseOfTheCores) {
  Random random(311);
  for (int i = 0; i < 600; ++i) {
    const TestPair test = random_solids(random, 1.0);
    CorePair pair = test.cores();
    const Vector3 n = random.direction();
    // pieces of an arbitrary direction, followed to n
    const PiecePair piece = pair.support(random.direction()).piece;
    const MinkowskiPiece expected = pair.piece(piece, n);
    const PairProfile profile(pair, to_double3(n));
    const PiecePairAnchor anchors = anchor(pair, piece);
    SCOPED_TRACE(::testing::Message()
                 << i << " " << test.a.to_string() << " " << test.b.to_string());
    EXPECT_LE((to_vector3(anchors.point(profile)) - expected.point.w).norm(),
              16.0 * kEps * test.scale());
    EXPECT_LE((to_vector3(anchors.point_a(profile)) - expected.point.a).norm(),
              16.0 * kEps * test.scale());
    const Symmetric2 &a = profile.a.hessian, &b = profile.b.hessian;
    const double factor_a = anchors.a.factor, factor_b = anchors.b.factor;
    const Vector3 x = to_vector3(profile.plane.x), y = to_vector3(profile.plane.y);
    const double largest = expected.hessian.norm();
    EXPECT_NEAR(factor_a * a.xx + factor_b * b.xx, x.dot(expected.hessian * x),
                1e-12 * (1.0 + largest));
    EXPECT_NEAR(factor_a * a.xy + factor_b * b.xy, x.dot(expected.hessian * y),
                1e-12 * (1.0 + largest));
    EXPECT_NEAR(factor_a * a.yy + factor_b * b.yy, y.dot(expected.hessian * y),
                1e-12 * (1.0 + largest));
  }
}

TEST(CurvedPieces, EdgesAreDifferencesAndKeepTheirDigits) {
  Random random(312);
  for (int i = 0; i < 400; ++i) {
    // a small pair far from the origin: plain differences of w would lose six digits
    const Pose X{random.rotation(), 1e6 * random.direction()};
    const Shape a = random_solid(random), b = random_solid(random);
    CorePair pair(a.core(), b.core(), X, 1e6);
    const Vector3 n = random.direction();
    const PiecePairAnchor from = anchor(pair, pair.support(random.direction()).piece),
                          to = anchor(pair, pair.support(random.direction()).piece);
    const PairProfile profile(pair, to_double3(n));
    const MinkowskiPoint p = pair.piece(from.piece, n).point, q = pair.piece(to.piece, n).point;
    EXPECT_LE((to_vector3(PieceEdge(pair, from, to).along(profile)) - pair.edge(p, q)).norm(),
              16.0 * kEps);
  }
}

TEST(CurvedPieces, NothingTurnsAlongTheAxisOfACap) {
  const TestPair test{Cylinder{.radius = 0.3, .half_length = 0.4},
                      Cone{.radius = 0.2, .half_length = 0.1}, at(0.0, 0.0, 1.0)};
  const CorePair pair = test.cores();
  const PairProfile profile(pair, {0.0, 0.0, 1.0});
  const PiecePairAnchor rims = anchor(pair, {top, bottom_rim});
  EXPECT_EQ(to_vector3(rims.point(profile)), Vector3(0.0, 0.0, 0.5));
  EXPECT_EQ(profile.a.hessian.trace(), 0.0);
  EXPECT_EQ(profile.b.hessian.trace(), 0.0);
}

}  // namespace
}  // namespace tactum::curved_pieces_test
