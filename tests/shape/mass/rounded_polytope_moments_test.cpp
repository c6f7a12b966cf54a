// SPDX-License-Identifier: BSD-2-Clause
// Against closed forms, bodies that are limits of one another, and cuts of one body into tables
// that differ.
#include "shape/mass/rounded_polytope_moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "shape/hull/convex_polytope.hpp"
#include "shape/mass/revolution_moments.hpp"
#include "shape/point_clouds.hpp"

namespace tactum::rounded_polytope_moments_test {
namespace {

using testing::Random;
constexpr double kPi = std::numbers::pi;

Points box_corners(const Vector3& h) {
  Points corners(3, 8);
  for (int k = 0; k < 8; ++k)
    corners.col(k) = h.cwiseProduct(
        Vector3((k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? 1 : -1, (k & 4) != 0 ? 1 : -1));
  return corners;
}

/// Moments about another point.
Moments moved(const Moments& m, const Vector3& shift) {
  Moments result = m;
  result.first += m.volume * shift;
  const Matrix3 mixed = m.first * shift.transpose();
  result.second += mixed + mixed.transpose() + m.volume * shift * shift.transpose();
  return result;
}

Moments about_origin(const Points& points, double margin) {
  const ConvexPolytope polytope = ConvexPolytope::from_points(points);
  return moved(rounded_polytope_moments(polytope, margin), polytope.centroid());
}

void expect_close(const Moments& m, const Moments& expected, double relative) {
  EXPECT_NEAR(m.volume / expected.volume, 1.0, relative);
  const double length = std::cbrt(expected.volume);
  EXPECT_LE((m.first - expected.first).norm(),
            relative * expected.volume * (length + expected.first.norm() / expected.volume));
  EXPECT_LE((m.second - expected.second).norm(), relative * expected.second.norm());
}

TEST(RoundedPolytopeMoments, CubeBySteiner) {
  const double a = 2.0;
  for (const double r : {0.0, 0.01, 1.0, 50.0}) {
    const double expected = a * a * a + 6.0 * a * a * r + 3.0 * kPi * a * r * r +
                            4.0 / 3.0 * kPi * r * r * r;
    EXPECT_NEAR(about_origin(box_corners({1, 1, 1}), r).volume / expected, 1.0, 1e-14);
    EXPECT_NEAR(rounded_box_moments({1, 1, 1}, r).volume / expected, 1.0, 1e-15);
  }
}

TEST(RoundedPolytopeMoments, BoxAndHullOfItsCornersAgree) {
  Random random(51);
  for (int trial = 0; trial < 50; ++trial) {
    const Vector3 h(random.log_uniform(0.01, 1), random.log_uniform(0.01, 1),
                    random.log_uniform(0.01, 1));
    const double r = trial == 0 ? 0.0 : random.log_uniform(1e-3, 10);
    expect_close(about_origin(box_corners(h), r), rounded_box_moments(h, r), 1e-13);
  }
}

TEST(RoundedPolytopeMoments, BoxWithoutMarginIsClosedForm) {
  const Moments m = rounded_box_moments({1, 2, 3}, 0.0);
  EXPECT_DOUBLE_EQ(m.volume, 48.0);
  EXPECT_DOUBLE_EQ(m.second(0, 0), 16.0);
  EXPECT_DOUBLE_EQ(m.second(1, 1), 64.0);
  EXPECT_DOUBLE_EQ(m.second(2, 2), 144.0);
}

TEST(RoundedPolytopeMoments, TinyBoxIsABall) {
  const Moments ball = capsule_moments(0.7, 0.0);
  expect_close(rounded_box_moments({1e-20, 1e-20, 1e-20}, 0.7), ball, 1e-14);
  Random random(52);
  expect_close(about_origin(1e-14 * testing::sphere_points(30, random), 0.7), ball, 1e-12);
}

TEST(RoundedPolytopeMoments, UnitTetrahedron) {
  Points corners = Points::Zero(3, 4);
  corners.rightCols(3).setIdentity();
  const Moments m = about_origin(corners, 0.0);
  EXPECT_NEAR(m.volume, 1.0 / 6.0, 1e-16);
  EXPECT_LT((m.first - Vector3::Constant(1.0 / 24.0)).norm(), 1e-16);
  EXPECT_NEAR(m.second(0, 0), 1.0 / 60.0, 1e-16);
  EXPECT_NEAR(m.second(0, 1), 1.0 / 120.0, 1e-16);
}

TEST(RoundedPolytopeMoments, CoplanarVerticesChangeNothing) {
  // the corners of a cube, and the same with points in its faces and edges kept as vertices by a
  // given mesh
  Points vertices(3, 9);
  vertices << box_corners({1, 1, 1}), Vector3(0.3, -0.2, 1.0);
  Triangles faces(3, 14);
  faces << 0, 0, 0, 0, 0, 0, 7, 7, 7, 7, 4, 5, 7, 6,  //
      2, 3, 1, 5, 4, 6, 3, 2, 5, 1, 5, 7, 6, 4,       //
      3, 1, 5, 4, 6, 2, 2, 6, 1, 3, 8, 8, 8, 8;
  const ConvexPolytope split = ConvexPolytope::from_mesh(vertices, faces);
  for (const double r : {0.0, 0.1, 2.0}) {
    expect_close(moved(rounded_polytope_moments(split, r), split.centroid()),
                 rounded_box_moments({1, 1, 1}, r), 1e-14);
  }
}

TEST(RoundedPolytopeMoments, PolygonIsTheLimitOfAThinBox) {
  const Points square = box_corners({1.0, 0.5, 0.0})(Eigen::all, Eigen::seq(0, 3));
  ASSERT_EQ(ConvexPolytope::from_points(square).dimension(), 2);
  expect_close(about_origin(square, 0.3), rounded_box_moments({1.0, 0.5, 1e-16}, 0.3), 1e-14);
  EXPECT_EQ(rounded_polytope_moments(ConvexPolytope::from_points(square), 0.0).volume, 0.0);
}

TEST(RoundedPolytopeMoments, PrismApproachesACylinder) {
  const Moments cylinder = cylinder_moments(1.0, 1.0, 0.4);
  double last_error = 1.0;
  for (const int corners : {10, 100, 1000}) {
    const double error = about_origin(testing::prism_points(corners), 0.4).volume /
                             cylinder.volume -
                         1.0;
    EXPECT_LT(error, 0.0);
    EXPECT_NEAR(error * corners * corners, -4.6, 1.0);  // second order in the number of corners
    EXPECT_LT(std::abs(error), last_error);
    last_error = std::abs(error);
  }
  expect_close(about_origin(testing::prism_points(1000), 0.4), cylinder, 1e-5);
}

TEST(RoundedPolytopeMoments, RotationAndTranslationOfTheHull) {
  Random random(53);
  for (int trial = 0; trial < 40; ++trial) {
    Points points = testing::box_points(4 + random.below(40), random);
    if (trial % 4 == 0) points.row(2).setZero();
    const double r = trial % 3 == 0 ? 0.0 : random.log_uniform(1e-2, 1);
    if (trial % 4 == 0 && r == 0.0) continue;
    const Matrix3 R = random.rotation();
    const Vector3 t = random.in_box(3.0);
    const Moments m = about_origin(points, r);
    const Moments turned{m.volume, R * m.first, R * m.second * R.transpose()};
    expect_close(about_origin((R * points).colwise() + t, r), moved(turned, t), 1e-12);
  }
}

TEST(RoundedPolytopeMoments, VolumeIsASteinerPolynomialOfTheMargin) {
  Random random(54);
  const Points points = testing::sphere_points(60, random);
  // fourth differences of a cubic vanish
  double difference = 0.0;
  const double binomial[] = {1, -4, 6, -4, 1};
  for (int k = 0; k < 5; ++k) difference += binomial[k] * about_origin(points, 0.5 * k).volume;
  EXPECT_NEAR(difference, 0.0, 1e-11);
  // the cubic coefficient is that of a ball, whatever the polytope
  const double binomial3[] = {-1, 3, -3, 1};
  double third = 0.0;
  for (int k = 0; k < 4; ++k) third += binomial3[k] * about_origin(points, k).volume;
  EXPECT_NEAR(third, 8.0 * kPi, 1e-10);
}

}  // namespace
}  // namespace tactum::rounded_polytope_moments_test
