// SPDX-License-Identifier: BSD-2-Clause
// Moments of sphere-torus-patch volumes: closed forms of spindles and balls, their profiles, laws
// of moments and of parallel bodies, and the sum over the tetrahedra of meshes, which comes closer
// as they get finer.
#include "shape/mass/stp_moments.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
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
    const double a = 0.4, rho = std::sqrt(std::max(0.0, alpha * alpha - a * a)),
                 arc = alpha * alpha * std::asin(a / alpha);
    const double volume = std::numbers::pi * (2.0 * (alpha * alpha * a - a * a * a / 3.0) -
                                              2.0 * rho * (arc + a * rho) + 2.0 * rho * rho * a);
    const Moments moments = stp_moments(stp_surface(points, alpha), 0.0, Vector3(0.0, 0.0, 1.0));
    EXPECT_NEAR(moments.volume, volume, 1e-13 * alpha * alpha);
    EXPECT_LE(moments.first.norm(), 1e-13);
  }
}

/// Moments of a body of revolution about x: integrals of pi f^2, pi f^4 / 2 (of y^2 + z^2) and pi
/// f^2 x^2.
struct Revolved {
  long double volume = 0, about = 0, along = 0;

  void add(long double x, long double f, long double dx) {
    const long double area = std::numbers::pi_v<long double> * f * f;
    volume += area * dx, about += 0.5L * area * f * f * dx, along += area * x * x * dx;
  }
};

TEST(StpMoments, SpindleByItsProfile) {
  // thick ones and one as thin as a needle, whose moment about its axis is of the fourth power of
  // its width
  const long double a = 0.4L, node = 0.5L / std::sqrt(3.0L);
  Points points(3, 2);
  points << -0.4, 0.4, 0, 0, 0, 0;
  for (const double alpha : {0.41, 1.0, 30.0}) {
    for (const double r : {0.0, 1e-3, 0.5}) {
      Revolved expected;
      const long double R = static_cast<long double>(alpha) + r,
                        rho = std::sqrt(1.0L * alpha * alpha - a * a);
      const long double most = std::asin(a / alpha), right = 0.5L * std::numbers::pi_v<long double>;
      constexpr int count = 4000;
      for (int i = 0; i < 2 * count; ++i) {
        // two nodes an interval, the weight of each doubled for the other half of the body
        const long double share = (i / 2 + 0.5L + (i % 2 == 0 ? node : -node)) / count;
        const long double theta = most * share, phi = most + (right - most) * share;
        const long double h = most / count, g = (right - most) / count;
        expected.add(R * std::sin(theta), R * std::cos(theta) - rho, R * std::cos(theta) * h);
        expected.add(a + r * std::sin(phi), r * std::cos(phi), r * std::cos(phi) * g);
      }
      const Moments found = stp_moments(stp_surface(points, alpha), r, Vector3::Zero());
      const auto near = [&](double value, long double truth) {
        EXPECT_NEAR(value, static_cast<double>(truth), 1e-11 * static_cast<double>(truth))
            << alpha << " " << r;
      };
      near(found.volume, expected.volume);
      near(found.second(0, 0), expected.along);
      near(found.second(1, 1) + found.second(2, 2), expected.about);
      near(2.0 * found.second(1, 1), expected.about);
    }
  }
}

TEST(StpMoments, ParallelAxesAndParallelBodies) {
  Random random(923);
  for (int sort = 0; sort < kCloudSorts; ++sort) {
    for (const int count : {6, 60, 600}) {
      const Points points = stp_cloud(sort, count, random);
      const StpSurface surface = stp_surface(
          points, smallest_sphere(points).radius * random.log_uniform(1.1, 30.0));
      // about a place far away the patches look flat, and fewer nodes are taken
      const Vector3 far(30.0, -20.0, 10.0);
      const Moments near = stp_moments(surface, 0.1, Vector3::Zero()),
                    moved = stp_moments(surface, 0.1, far);
      const double size = near.volume * far.squaredNorm();
      SCOPED_TRACE(::testing::Message() << sort << " " << count);
      EXPECT_NEAR(moved.volume, near.volume, 2e-12 * near.volume);
      EXPECT_LE((moved.first - (near.first - near.volume * far)).norm(),
                2e-12 * near.volume * far.norm());
      const Matrix3 shifted = near.second - near.first * far.transpose() -
                              far * near.first.transpose() + near.volume * far * far.transpose();
      EXPECT_LE((moved.second - shifted).norm(), 2e-12 * size);
      // the volume is a cubic in the radius that is swept around, with that of a ball as its last
      // term (Steiner)
      const double step = 0.5;
      std::array<double, 4> volumes{};
      for (int k = 0; k < 4; ++k)
        volumes[static_cast<std::size_t>(k)] =
            stp_moments(surface, k * step, Vector3::Zero()).volume;
      const double third = volumes[3] - 3.0 * volumes[2] + 3.0 * volumes[1] - volumes[0];
      EXPECT_NEAR(third, 8.0 * std::numbers::pi * step * step * step, 1e-12 * volumes[3]);
    }
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
    const Matrix3 second = volume * (radius * radius / 5.0 * Matrix3::Identity() +
                                     center * center.transpose());
    EXPECT_LE((moments.second - second).norm(), 1e-7 * volume);
  };
  expect_ball(stp_moments(stp_surface(point, 3.0), 0.5, Vector3::Zero()), 0.5, point);
  expect_ball(stp_moments(stp_surface(pair, 1.0), 0.25, Vector3::Zero()), 1.25, Vector3::Zero());
  // just above the smallest ball of the four points the volume is that ball, with centers that
  // differ by the square root of the excess
  expect_ball(
      stp_moments(stp_surface(corners, std::sqrt(3.0) * (1.0 + 1e-15)), 0.0, Vector3::Zero()),
      std::sqrt(3.0), Vector3::Zero());
}

Moments mesh_moments(const StpMesh& mesh) {
  Moments sum;
  for (const auto& t : mesh.triangles.colwise()) {
    const Vector3 a = mesh.vertices.col(t[0]), b = mesh.vertices.col(t[1]),
                  c = mesh.vertices.col(t[2]), m = a + b + c;
    const double six = a.dot(b.cross(c));
    sum.volume += six / 6.0;
    sum.first += six / 24.0 * m;
    sum.second += six / 120.0 *
                  (a * a.transpose() + b * b.transpose() + c * c.transpose() + m * m.transpose());
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
      const Stp stp = Stp::from_points(
          points, {.small_radius = small, .big_radius = small + factor * least});
      const Moments exact = stp_moments(stp.surface(), small, Vector3::Zero());
      // the error of a mesh falls about with the square of its width
      const Moments coarse = mesh_moments(stp.to_mesh(10)), fine = mesh_moments(stp.to_mesh(40));
      SCOPED_TRACE(sort);
      const double error = exact.volume - fine.volume;  // triangles between points of a convex
                                                        // surface are inside
      EXPECT_GE(error, 0.0);
      EXPECT_LE(error, 0.12 * (exact.volume - coarse.volume));
      EXPECT_LE(error, 3e-3 * exact.volume);
      EXPECT_LE((fine.first - exact.first).norm(),
                0.12 * (coarse.first - exact.first).norm() + 1e-4 * exact.volume);
      EXPECT_LE((fine.second - exact.second).norm(), 0.12 * (coarse.second - exact.second).norm());
    }
  }
}

/// Extrapolated limit of meshes of resolution n and 2 n.
Moments mesh_limit(const Stp& stp, int resolution) {
  const Moments coarse = mesh_moments(stp.to_mesh(resolution)),
                fine = mesh_moments(stp.to_mesh(2 * resolution));
  const auto limit = [](const auto& first, const auto& second) {
    return ((4.0 * second - first) / 3.0);
  };
  return {limit(coarse.volume, fine.volume), limit(coarse.first, fine.first),
          limit(coarse.second, fine.second)};
}

Vector3 principal(const Moments& moments) {
  return Eigen::SelfAdjointEigenSolver<Matrix3>(moments.second).eigenvalues();
}

TEST(StpMoments, NeedleOfObtuseTriangles) {
  // circumcircles that are almost as large as the big spheres: their cones are a hundred times as
  // long as the body
  Points points(3, 5);
  points << -7e-4, -1e-4, -6e-4, 6e-4, 9e-4, -3.9e-3, 0.5761, -0.397, -0.4936, 1.0, 9.7e-3, -9e-4,
      -2e-4, 1.1e-2, 3.4e-3;
  const Stp stp = Stp::from_points(points, {.small_radius = 1.2e-3, .big_radius = 147.0});
  const Moments found = stp_moments(stp.surface(), 1.2e-3, Vector3::Zero()),
                expected = mesh_limit(stp, 24);
  EXPECT_NEAR(found.volume, expected.volume, 1e-4 * expected.volume);
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(found.second(k, k), expected.second(k, k), 1e-4 * expected.second(k, k)) << k;
}

/// Needles, discs and round sets; big radii up to a thousand sizes.
struct ThinVolume {
  explicit ThinVolume(Random& random) : points(thin_cloud(random)) {
    const double size = smallest_sphere(points).radius;
    small = size * random.log_uniform(1e-4, 0.3);
    alpha = size * random.log_uniform(1.01, 1000.0);
  }
  Points points;
  double small = 0.0, alpha = 0.0;
};

TEST(StpMoments, TurnWithThePoints) {
  Random random(924);
  for (int trial = 0; trial < 2000; ++trial) {
    const ThinVolume thin(random);
    const Matrix3 turn = random.rotation();
    const Moments one = stp_moments(stp_surface(thin.points, thin.alpha), thin.small,
                                    Vector3::Zero());
    const Moments other = stp_moments(stp_surface(turn * thin.points, thin.alpha), thin.small,
                                      Vector3::Zero());
    const double second = one.second.norm();
    ASSERT_NEAR(one.volume, other.volume, 1e-10 * one.volume)
        << trial << ": alpha " << thin.alpha << "\n"
        << thin.points;
    ASSERT_LE((turn * one.first - other.first).norm(), 1e-10 * std::sqrt(one.volume * second))
        << trial;
    ASSERT_LE((turn * one.second * turn.transpose() - other.second).norm(), 1e-10 * second)
        << trial << ": alpha " << thin.alpha;
    ASSERT_GT(principal(one)[0], 0.0) << trial;  // so that moments of inertia obey the triangle
                                                 // inequality
  }
}

TEST(StpMoments, OfThinVolumesAgreeWithMeshes) {
  Random random(925);
  for (int trial = 0; trial < 60; ++trial) {
    const ThinVolume thin(random);
    const Stp stp = Stp::from_points(
        thin.points, {.small_radius = thin.small, .big_radius = thin.small + thin.alpha});
    const Moments found = stp_moments(stp.surface(), thin.small, Vector3::Zero()),
                  expected = mesh_limit(stp, 12);
    const Vector3 principal_found = principal(found), principal_expected = principal(expected);
    EXPECT_NEAR(found.volume, expected.volume, 2e-3 * expected.volume)
        << trial << ": alpha " << thin.alpha << "\n"
        << thin.points;
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(principal_found[k], principal_expected[k], 5e-3 * principal_expected[k])
          << trial << ": alpha " << thin.alpha;
    }
  }
}

}  // namespace
}  // namespace tactum::stp_moments_test
