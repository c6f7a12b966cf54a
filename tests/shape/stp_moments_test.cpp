// SPDX-License-Identifier: BSD-2-Clause
// Moments of sphere-torus-patch volumes: closed forms of spindles and balls, and the sum over the tetrahedra of meshes, which comes closer as they get finer.
#include "shape/stp_moments.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "shape/stp_clouds.hpp"

namespace tactum::stp_moments_test {
namespace {

using namespace tactum::testing;

TEST(StpMoments, SpindleInClosedForm) {
  // a lens of height 2 a turned about its chord: the integral of pi (sqrt(alpha^2 - x^2) - rho)^2
  Points points(3, 2);
  points << -0.4, 0.4, 0, 0, 1, 1;
  for (const double alpha : {0.4, 0.45, 1.0, 20.0}) {
    const double a = 0.4, rho = std::sqrt(std::max(0.0, alpha * alpha - a * a)), arc = alpha * alpha * std::asin(a / alpha);
    const double volume =
        std::numbers::pi * (2.0 * (alpha * alpha * a - a * a * a / 3.0) - 2.0 * rho * (arc + a * rho) + 2.0 * rho * rho * a);
    const Moments moments = stp_moments(stp_surface(points, alpha), 0.0, Vector3(0.0, 0.0, 1.0));
    EXPECT_NEAR(moments.volume, volume, 1e-13 * alpha * alpha);
    EXPECT_LE(moments.first.norm(), 1e-13);
  }
}

TEST(StpMoments, BallsOfAllKinds) {
  Points point(3, 1), pair(3, 2), corners(3, 4);
  point << 0.1, 0.2, 0.3;
  pair << -1, 1, 0, 0, 0, 0;
  corners << 1, 1, -1, -1, 1, -1, 1, -1, 1, -1, -1, 1;  // of a regular tetrahedron
  const auto expect_ball = [](const Moments& moments, double radius, const Vector3& center) {
    const double volume = 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
    EXPECT_NEAR(moments.volume, volume, 1e-12 * volume);
    EXPECT_LE((moments.first - volume * center).norm(), 1e-7 * volume);
    const Matrix3 second = volume * (radius * radius / 5.0 * Matrix3::Identity() + center * center.transpose());
    EXPECT_LE((moments.second - second).norm(), 1e-7 * volume);
  };
  expect_ball(stp_moments(stp_surface(point, 3.0), 0.5, Vector3::Zero()), 0.5, point);
  expect_ball(stp_moments(stp_surface(pair, 1.0), 0.25, Vector3::Zero()), 1.25, Vector3::Zero());
  // just above the smallest ball of the four points the volume is that ball, with centres that differ by the square root of the excess
  expect_ball(stp_moments(stp_surface(corners, std::sqrt(3.0) * (1.0 + 1e-15)), 0.0, Vector3::Zero()), std::sqrt(3.0),
              Vector3::Zero());
}

Moments mesh_moments(const StpMesh& mesh) {
  Moments sum;
  for (const auto& t : mesh.triangles.colwise()) {
    const Vector3 a = mesh.vertices.col(t[0]), b = mesh.vertices.col(t[1]), c = mesh.vertices.col(t[2]), m = a + b + c;
    const double six = a.dot(b.cross(c));
    sum.volume += six / 6.0;
    sum.first += six / 24.0 * m;
    sum.second += six / 120.0 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + m * m.transpose());
  }
  return sum;
}

TEST(StpMoments, AgreeWithTheTetrahedraOfAMesh) {
  Random random(921);
  for (int sort = 0; sort < kCloudSorts; ++sort) {
    const Points points = stp_cloud(sort, 12, random);
    const double least = smallest_sphere(points).radius;
    for (const double factor : {1.1, 3.0}) {
      const double small = sort % 2 == 0 ? 0.2 : 0.0;
      const Stp stp = Stp::from_points(points, {.small_radius = small, .big_radius = small + factor * least});
      const Moments exact = stp_moments(stp.surface(), small, Vector3::Zero());
      // the error of a mesh falls about with the square of its width
      const Moments coarse = mesh_moments(stp.to_mesh(10)), fine = mesh_moments(stp.to_mesh(40));
      SCOPED_TRACE(sort);
      const double error = exact.volume - fine.volume;  // triangles between points of a convex surface are inside
      EXPECT_GE(error, 0.0);
      EXPECT_LE(error, 0.12 * (exact.volume - coarse.volume));
      EXPECT_LE(error, 3e-3 * exact.volume);
      EXPECT_LE((fine.first - exact.first).norm(), 0.12 * (coarse.first - exact.first).norm() + 1e-4 * exact.volume);
      EXPECT_LE((fine.second - exact.second).norm(), 0.12 * (coarse.second - exact.second).norm());
    }
  }
}

}  // namespace
}  // namespace tactum::stp_moments_test
