// SPDX-License-Identifier: BSD-2-Clause
// Points and segments against ellipsoids: closed forms on axes and of balls, plain ascent over
// directions, bisection along the segment, and certificates recomputed in extended precision.
#include "narrow/formula/point_ellipsoid.hpp"

#include "narrow/ellipsoid_oracle.hpp"

namespace tactum::point_ellipsoid_test {
namespace {

using namespace tactum::testing;

/// Checks the separation along the normal and the point on the surface, in extended precision.
void expect_proved(const Vector3& axes, const Vector3& p, const PointPrimitiveAnswer& found) {
  const double scale = std::max(axes.maxCoeff(), p.norm()), rounding = 16.0 * kEps * scale;
  const Vec3 n = widen(to_vector3(found.along)).normalized();
  EXPECT_NEAR(static_cast<double>(n.dot(widen(p)) - widen(axes).cwiseProduct(n).norm()),
              found.distance, rounding);
  EXPECT_NEAR(found.inverse * to_vector3(found.along).norm(), 1.0, 4.0 * kEps);
  const Vec3 surface = widen(p) - Real(found.distance) * n;
  EXPECT_NEAR(static_cast<double>(surface.cwiseQuotient(widen(axes)).norm()), 1.0,
              16.0 * kEps * scale / axes.minCoeff());
}

TEST(PointEllipsoid, NoDirectionOnTheSphereIsBetter) {
  Random random(361);
  int inside = 0, outside = 0;
  for (int i = 0; i < repetitions(300); ++i) {
    const Vector3 axes = random_sizes(random), p = random.in_box(i % 2 == 0 ? 0.8 : 0.3);
    PointPrimitiveAnswer found;
    if (!PointEllipsoid::nearest(to_double3(axes), to_double3(p), found)) continue;
    (found.distance < 0.0 ? inside : outside) += 1;
    expect_proved(axes, p, found);
    const TestPair pair{
        Ellipsoid{.semi_axes = axes}, Sphere{.radius = 0.1}, {Matrix3::Identity(), p}};
    EXPECT_NEAR(local_peaks(pair, 12).front().separation, found.distance, 1e-9) << i;
  }
  EXPECT_GT(inside, repetitions(50));
  EXPECT_GT(outside, repetitions(100));
}

TEST(PointEllipsoid, KnownAnswers) {
  PointPrimitiveAnswer found;
  const Double3 axes = {0.3, 0.2, 0.1};
  for (const double sign : {-1.0, 1.0}) {
    ASSERT_TRUE(PointEllipsoid::nearest(axes, {sign * 1.0, 0.0, 0.0}, found));
    EXPECT_NEAR(found.distance, 0.7, 4.0 * kEps);
    EXPECT_NEAR(found.inverse * found.along.x, sign, 4.0 * kEps);
    ASSERT_TRUE(PointEllipsoid::nearest(axes, {0.0, 0.0, sign * 0.05}, found));
    EXPECT_NEAR(found.distance, -0.05, 4.0 * kEps);
  }
  ASSERT_TRUE(PointEllipsoid::nearest({0.4, 0.4, 0.4}, {0.6, -0.3, 0.2}, found));
  EXPECT_NEAR(found.distance, 0.3, 4.0 * kEps);
  // inside, on the long axis and beyond its center of curvature
  ASSERT_TRUE(PointEllipsoid::nearest(axes, {0.29, 0.0, 0.0}, found));
  EXPECT_NEAR(found.distance, -0.01, 4.0 * kEps);
  // there the nearest points are off the axis: an answer must not be wrong
  if (PointEllipsoid::nearest(axes, {0.1, 0.0, 0.0}, found)) {
    EXPECT_NEAR(found.distance, -0.1 * std::sqrt(1.0 - 0.01 / 0.08), 1e-12);
  }
  EXPECT_FALSE(PointEllipsoid::nearest(axes, {0.0, 0.0, 0.0}, found));
  EXPECT_FALSE(PointEllipsoid::nearest({1.0, 1.0, 1e-7}, {0.0, 0.0, 1.0}, found));
  EXPECT_FALSE(PointEllipsoid::nearest(axes, {1e200, 0.0, 0.0}, found));
}

/// Flat, long and large ellipsoids, near and far.
TEST(PointEllipsoid, AxesOfAllProportions) {
  Random random(362);
  int answered = 0;
  for (int i = 0; i < repetitions(3000); ++i) {
    const double size = random.log_uniform(1e-6, 1e6);
    const Vector3 axes(size, size * random.log_uniform(1e-3, 1.0),
                       size * random.log_uniform(1e-3, 1.0));
    const Vector3 p = size * random.log_uniform(0.1, 100.0) * random.in_box(1.0);
    PointPrimitiveAnswer found;
    if (!PointEllipsoid::nearest(to_double3(axes), to_double3(p), found)) continue;
    answered += 1;
    expect_proved(axes, p, found);
  }
  EXPECT_GT(answered, repetitions(2400));
}

TEST(PointEllipsoid, SegmentsAgainstASearchAlongThem) {
  Random random(363);
  int ends = 0, middles = 0;
  for (int i = 0; i < repetitions(2000); ++i) {
    const Vector3 axes = random_sizes(random), c = random.in_box(0.8), e = random.rotation().col(0);
    const double h = random.uniform(0.05, 0.5), scale = std::max(axes.maxCoeff(), c.norm() + h);
    const auto at_way = [&](double s) {
      PointPrimitiveAnswer nearest;
      return PointEllipsoid::nearest(to_double3(axes), to_double3(Vector3(c + s * e)), nearest)
                 ? nearest.distance
                 : -1.0;
    };
    double low = -h, high = h;
    for (int k = 0; k < 90; ++k) {
      const double left = low + 0.382 * (high - low), right = low + 0.618 * (high - low);
      if (at_way(left) < at_way(right)) {
        high = right;
      } else {
        low = left;
      }
    }
    const double truth = std::min({at_way(low), at_way(-h), at_way(h)});
    SegmentPrimitiveAnswer found;
    const bool solved = segment_against<PointEllipsoid>(to_double3(axes), to_double3(c),
                                                        to_double3(e), h, scale, found);
    EXPECT_TRUE(solved || !(truth > 0.01)) << i;
    if (!solved) continue;
    (std::abs(found.s) == h ? ends : middles) += 1;
    EXPECT_NEAR(found.nearest.distance, truth, 1e-12) << i;
    EXPECT_LE(found.nearest.distance - found.lower, 16.0 * kEps * scale);
    expect_proved(axes, c + found.s * e, found.nearest);
  }
  EXPECT_GT(ends, repetitions(300));
  EXPECT_GT(middles, repetitions(300));
  SegmentPrimitiveAnswer found;
  EXPECT_FALSE(segment_against<PointEllipsoid>({0.3, 0.2, 0.1}, {0.1, 0.0, 0.0}, {0.0, 0.0, 1.0},
                                               0.5, 1.0, found));
}

}  // namespace
}  // namespace tactum::point_ellipsoid_test
