// SPDX-License-Identifier: BSD-2-Clause
// The surface of big spheres: closed, holding every point, and nothing left out. Every face against every point, one by one.
#include "shape/stp_builder.hpp"

#include <gtest/gtest.h>

#include <set>

#include "shape/convex_hull.hpp"
#include "shape/stp_clouds.hpp"
#include "support/repetitions.hpp"
#include "tactum/status.hpp"

namespace tactum::stp_builder_test {
namespace {

using namespace tactum::testing;

Points geodesic_sphere(int frequency) {
  // vertices of an octahedron's subdivided faces, pushed to the unit sphere
  std::set<std::array<int, 3>> lattice;
  for (int i = 0; i <= frequency; ++i)
    for (int j = 0; i + j <= frequency; ++j)
      for (int signs = 0; signs < 8; ++signs)
        lattice.insert({(signs & 1 ? -1 : 1) * i, (signs & 2 ? -1 : 1) * j, (signs & 4 ? -1 : 1) * (frequency - i - j)});
  Points points(3, static_cast<Eigen::Index>(lattice.size()));
  Eigen::Index column = 0;
  for (const auto& p : lattice) points.col(column++) = Vector3(p[0], p[1], p[2]).normalized();
  return points;
}

void expect_closed(const StpTopology& topology) {
  for (std::size_t h = 0; h < topology.origin.size(); ++h) {
    const auto twin = static_cast<std::size_t>(topology.twin[h]);
    const std::size_t end = h % 3 == 2 ? h - 2 : h + 1;
    ASSERT_EQ(static_cast<std::size_t>(topology.twin[twin]), h);
    ASSERT_NE(twin, h);
    ASSERT_EQ(topology.origin[twin], topology.origin[end]);
  }
  const auto faces = static_cast<int>(topology.origin.size()) / 3;
  ASSERT_TRUE(faces == 0 || static_cast<int>(topology.vertices.size()) - faces / 2 == 2);  // Euler: V - E + F = 2 with 2 E = 3 F
}

/// Largest distance of a point from a centre of a big sphere, less alpha.
double worst_outside(const Points& points, const StpTopology& topology, double alpha) {
  double worst = -alpha;
  for (const auto& sphere : topology.spheres) {
    const Vector3 center = sphere.circumcenter - sphere.height * sphere.normal;
    worst = std::max(worst, (points.colwise() - center).colwise().norm().maxCoeff() - alpha);
  }
  return worst;
}

TEST(StpBuilder, HoldsEveryPointInEveryBigSphere) {
  Random random(901);
  int covered = 0;
  for (int k = 0; k < repetitions(700); ++k) {
    const Points points = stp_cloud(k % kCloudSorts, 1 + random.below(120), random);
    const double alpha = smallest_sphere(points).radius * (1.0 + random.log_uniform(1e-6, 1e2)) + 1e-6;
    const HullTopology hull = convex_hull(points);
    const StpTopology topology = build_stp(points, alpha);
    SCOPED_TRACE(k);
    expect_closed(topology);
    ASSERT_LE(worst_outside(points, topology, alpha), 1e-13 + 1e-15 * alpha);
    covered += topology.vertices.size() < hull.vertices.size() ? 1 : 0;
  }
  EXPECT_GT(covered, repetitions(700) / 4);  // so that the flips and removals had work to do
}

TEST(StpBuilder, TheHullAloneIsNotTheAnswer) {
  // without flips a sphere over three neighbours on the hull leaves points outside
  Random random(902);
  Points points = stp_cloud(1, 200, random);
  points.row(2) *= 0.3;
  const double alpha = 1.02;
  const HullTopology hull = convex_hull(points);
  StpTopology unflipped;
  for (const auto& face : hull.faces) {
    const Vector3 p = points.col(hull.vertices[face[0]]), u = points.col(hull.vertices[face[1]]) - p,
                  v = points.col(hull.vertices[face[2]]) - p;
    const Vector3 n = u.cross(v), q = (u.squaredNorm() * v - v.squaredNorm() * u).cross(n) / (2.0 * n.squaredNorm());
    if (q.norm() > alpha) continue;
    unflipped.spheres.push_back({p + q, n.normalized(), std::sqrt(alpha * alpha - q.squaredNorm()), q.squaredNorm(), Vector3::Zero()});
  }
  EXPECT_GT(worst_outside(points, unflipped, alpha), 1e-2);
  EXPECT_LE(worst_outside(points, build_stp(points, alpha), alpha), 1e-13);
}

TEST(StpBuilder, LargeSetsWithAndWithoutTies) {
  Random random(903);
  const Points clouds[] = {geodesic_sphere(repetitions(20) + 2), stp_cloud(1, repetitions(2000), random),
                           stp_cloud(6, repetitions(1000), random), stp_cloud(4, 1000, random)};
  for (const Points& points : clouds) {
    for (const double alpha : {1.8, 10.0, 1000.0}) {
      const StpTopology topology = build_stp(points, alpha);
      expect_closed(topology);
      EXPECT_LE(worst_outside(points, topology, alpha), 1e-13 + 1e-15 * alpha);
    }
  }
}

TEST(StpBuilder, SmallSetsByName) {
  const auto build = [](const Points& points, double alpha) { return build_stp(points, alpha); };
  EXPECT_EQ(build(Points::Constant(3, 4, 0.5), 1.0).vertices.size(), 1U);
  Points line(3, 5);
  line << -1, -0.5, 0, 0.5, 1, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2;
  EXPECT_EQ(build(line, 1.0).vertices, (std::vector<std::int32_t>{0, 4}));
  Points triangle(3, 3);  // obtuse at the second point
  triangle << -1, 0, 1, 0, 0.2, 0, 0, 0, 0;
  const double circumradius = 2.6;
  EXPECT_EQ(build(triangle, circumradius - 1e-9).vertices.size(), 2U);  // covered by the torus of the other two
  EXPECT_EQ(build(triangle, circumradius + 1e-9).vertices.size(), 3U);
  EXPECT_EQ(build(triangle, 5.0).spheres.size(), 2U);
  // two pairs almost as far apart as can be: the first pair has an edge on both sides
  Points cross(3, 4);
  cross << 0.99, -0.99, 0, 0, 0, 0, 0.95, -0.95, 0, 0, 0.01, 0.01;
  EXPECT_EQ(build(cross, 1.0).spheres.size(), 4U);
}

}  // namespace
}  // namespace tactum::stp_builder_test
