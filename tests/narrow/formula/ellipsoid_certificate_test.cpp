// SPDX-License-Identifier: BSD-2-Clause
// The proof of depth never succeeds for a direction that is not the best one, and does for most of
// those that are.
#include "narrow/formula/ellipsoid_certificate.hpp"

#include "narrow/ellipsoid_oracle.hpp"
#include "narrow/narrow_fixtures.hpp"

namespace tactum::ellipsoid_certificate_test {
namespace {

using namespace tactum::testing;

EllipsoidPair ellipsoids(const TestPair& test) {
  const Matrix3& R = test.X_AB.rotation;
  const auto axes = [](const Shape& shape) {
    return shape.core().kind == CoreShape::Kind::ellipsoid ? to_double3(shape.core().size)
                                                           : Double3{0.0, 0.0, 0.0};
  };
  return {axes(test.a),
          axes(test.b),
          {to_double3(R.col(0)), to_double3(R.col(1)), to_double3(R.col(2)),
           to_double3(test.X_AB.translation)},
          test.scale()};
}

double excess(const TestPair& test, const Vector3& n) {
  return prove_depth(ellipsoids(test), to_double3(n));
}

TEST(EllipsoidCertificate, ShadowIsTheSupportFunctionAndItsDerivatives) {
  Random random(301);
  for (int i = 0; i < 200; ++i) {
    const TestPair test{Ellipsoid{.semi_axes = random_sizes(random)},
                        Ellipsoid{.semi_axes = random_sizes(random)}, random_pose(random, 0.5)};
    const EllipsoidPair pair = ellipsoids(test);
    const Vector3 n = random.direction();
    const PairShadow view = pair_shadow(pair, to_double3(n));
    EXPECT_NEAR(view.separation, ellipsoid_separation(test, n), 8.0 * kEps * test.scale());
    // the support points and the Hessians of narrow/pair/core_pair.hpp, with the ball that was
    // taken out of the cores put back
    CorePair cores = test.cores();
    const MinkowskiPiece piece = cores.piece({0, 0}, n);
    const Vector3 x = to_vector3(view.plane.x), y = to_vector3(view.plane.y);
    EXPECT_NEAR(x.dot(y), 0.0, 4.0 * kEps);
    EXPECT_NEAR(x.dot(n), 0.0, 4.0 * kEps);
    EXPECT_NEAR(view.gradient.x, x.dot(piece.point.w), 16.0 * kEps);
    EXPECT_NEAR(view.gradient.y, y.dot(piece.point.w), 16.0 * kEps);
    const Lanes ratio = view.inverse_height;
    EXPECT_NEAR(sum(ratio * view.xx), x.dot(piece.hessian * x) + cores.radius(), 1e-13);
    EXPECT_NEAR(sum(ratio * view.xy), x.dot(piece.hessian * y), 1e-13);
    EXPECT_NEAR(sum(ratio * view.yy), y.dot(piece.hessian * y) + cores.radius(), 1e-13);
  }
}

TEST(EllipsoidCertificate, PointInAnEllipsoid) {
  // the nearest surface point of (3, 2, 1) to a point of the z axis is the near pole; every axis is
  // stationary
  const TestPair test{Ellipsoid{.semi_axes = {3, 2, 1}}, Sphere{}, at(0, 0, 0.25)};
  EXPECT_LE(excess(test, {0, 0, 1}), 4.0 * kEps * test.scale());
  EXPECT_EQ(excess(test, {0, 0, -1}), kInfinity);
  // next to the pole the bound covers the error of the direction
  const Vector3 aside = Vector3(0.1, 0, 1).normalized();
  EXPECT_GE(excess(test, aside), -0.75 - ellipsoid_separation(test, aside));
  // on the x axis the pole is nearest beyond a^2 - c^2 <= a x only: the focal point of the section
  const TestPair beyond{Ellipsoid{.semi_axes = {3, 2, 1}}, Sphere{}, at(2.7, 0, 0)};
  EXPECT_LE(excess(beyond, {1, 0, 0}), 4.0 * kEps * beyond.scale());
  const TestPair before{Ellipsoid{.semi_axes = {3, 2, 1}}, Sphere{}, at(2.6, 0, 0)};
  EXPECT_EQ(excess(before, {1, 0, 0}), kInfinity);
}

TEST(EllipsoidCertificate, OptimaThatFillACircleCostAFewRoundings) {
  const Shape disc = Ellipsoid{.semi_axes = {0.3, 0.3, 0.5}},
              ball = Ellipsoid{.semi_axes = {0.2, 0.2, 0.4}};
  const TestPair test{disc, ball, turned({0, 0, 1}, 0.7, {0, 0, 0})};
  const double bound = excess(test, Vector3(1, 2, 0).normalized());
  EXPECT_GT(bound, 0.0);
  EXPECT_LE(bound, 2e-13 * test.scale());
  EXPECT_EQ(excess(test, {0, 0, 1}), kInfinity);
}

TEST(EllipsoidCertificate, ApartNeedsNoProof) {
  const Shape ball = Ellipsoid{.semi_axes = {0.3, 0.4, 0.5}};
  EXPECT_EQ(excess({ball, ball, at(2, 0, 0)}, {1, 0, 0}), kInfinity);
  EXPECT_EQ(excess({ball, ball, at(0.6, 0, 0)}, {1, 0, 0}), kInfinity);
}

/// Stationary directions from many starts: the best one is the truth, and a proof must refuse the
/// others.
TEST(EllipsoidCertificate, NeverProvesALocalOptimum) {
  Random random(302);
  int best_ones = 0, proved = 0, others = 0;
  for (int i = 0; i < 600; ++i) {
    const double ratio = i % 2 == 0 ? 5.0 : 50.0;
    const auto axes = [&] { return random_sizes(random, 0.5 / ratio, 0.5); };
    const TestPair test{Ellipsoid{.semi_axes = axes()}, Ellipsoid{.semi_axes = axes()},
                        random_pose(random, 0.3)};
    std::vector<Peak> peaks = local_peaks(test, 24);
    if (peaks.front().separation > -1e-3) continue;
    for (const Peak& peak : peaks) {
      const double bound = excess(test, peak.normal);
      // the proof claims that no direction is better by more than the bound
      EXPECT_LE(peaks.front().separation, peak.separation + bound + 1e-15)
          << i << " " << test.a.to_string() << " " << test.b.to_string();
      const bool is_best = peak.separation > peaks.front().separation - 1e-10;
      (is_best ? best_ones : others) += 1;
      if (bound < 1e-8) proved += 1;
    }
  }
  EXPECT_GT(others, 100);                 // the sample contains cases to refuse
  EXPECT_GT(proved, 8 * best_ones / 10);  // the proof succeeds for most of the best ones
}

TEST(EllipsoidCertificate, ScaleFree) {
  Random random(303);
  for (int i = 0; i < 100; ++i) {
    const Vector3 a = random_sizes(random), b = random_sizes(random);
    const Pose X = random_pose(random, 0.2);
    const TestPair test{Ellipsoid{.semi_axes = a}, Ellipsoid{.semi_axes = b}, X};
    const Vector3 n = local_peaks(test, 4).front().normal;
    const double bound = excess(test, n);
    for (const double factor : {0x1p-50, 0x1p50}) {
      const TestPair scaled{Ellipsoid{.semi_axes = factor * a},
                            Ellipsoid{.semi_axes = factor * b},
                            {X.rotation, factor * X.translation}};
      const double scaled_bound = excess(scaled, n);
      if (bound == kInfinity) {
        EXPECT_EQ(scaled_bound, kInfinity);
      } else {
        EXPECT_EQ(scaled_bound, factor * bound);
      }
    }
  }
}

}  // namespace
}  // namespace tactum::ellipsoid_certificate_test
