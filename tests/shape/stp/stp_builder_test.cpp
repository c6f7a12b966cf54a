// SPDX-License-Identifier: BSD-2-Clause
// The surface of big spheres: closed, holding every point, and nothing left out. Every face against
// every point, one by one.
#include "shape/stp/stp_builder.hpp"

#include <gtest/gtest.h>

#include <set>

#include "shape/hull/convex_hull.hpp"
#include "shape/stp_clouds.hpp"
#include "support/ball_intersection.hpp"
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
        lattice.insert({(signs & 1 ? -1 : 1) * i, (signs & 2 ? -1 : 1) * j,
                        (signs & 4 ? -1 : 1) * (frequency - i - j)});
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
  // Euler: V - E + F = 2 with 2 E = 3 F
  ASSERT_TRUE(faces == 0 || static_cast<int>(topology.vertices.size()) - faces / 2 == 2);
}

/// Largest distance of a point from a center of a big sphere, less alpha.
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
    const double alpha = smallest_sphere(points).radius * (1.0 + random.log_uniform(1e-6, 1e2)) +
                         1e-6;
    const HullTopology hull = convex_hull(points);
    const StpTopology topology = build_stp(points, alpha);
    SCOPED_TRACE(k);
    expect_closed(topology);
    ASSERT_LE(worst_outside(points, topology, alpha), 1e-13 + 1e-15 * alpha);
    covered += topology.vertices.size() < hull.vertices.size() ? 1 : 0;
  }
  EXPECT_GT(covered, repetitions(700) / 4);  // so that points had to go again
}

TEST(StpBuilder, TheHullAloneIsNotTheAnswer) {
  // a sphere over three neighbors on the hull leaves points outside
  Random random(902);
  Points points = stp_cloud(1, 200, random);
  points.row(2) *= 0.3;
  const double alpha = 1.02;
  const HullTopology hull = convex_hull(points);
  StpTopology unflipped;
  for (const auto& face : hull.faces) {
    const Vector3 p = points.col(hull.vertices[face[0]]),
                  u = points.col(hull.vertices[face[1]]) - p,
                  v = points.col(hull.vertices[face[2]]) - p;
    const Vector3 n = u.cross(v), q = (u.squaredNorm() * v - v.squaredNorm() * u).cross(n) /
                                      (2.0 * n.squaredNorm());
    if (q.norm() > alpha) continue;
    unflipped.spheres.push_back({p + q, n.normalized(), std::sqrt(alpha * alpha - q.squaredNorm()),
                                 q.squaredNorm(), Vector3::Zero(), p, n.normalized()});
  }
  EXPECT_GT(worst_outside(points, unflipped, alpha), 1e-2);
  EXPECT_LE(worst_outside(points, build_stp(points, alpha), alpha), 1e-13);
}

TEST(StpBuilder, LargeSetsWithAndWithoutTies) {
  Random random(903);
  const Points clouds[] = {geodesic_sphere(repetitions(20) + 2),
                           stp_cloud(1, repetitions(2000), random),
                           stp_cloud(6, repetitions(1000), random), stp_cloud(4, 1000, random)};
  for (const Points& points : clouds) {
    for (const double alpha : {1.8, 10.0, 1000.0}) {
      const StpTopology topology = build_stp(points, alpha);
      expect_closed(topology);
      EXPECT_LE(worst_outside(points, topology, alpha), 1e-13 + 1e-15 * alpha);
    }
  }
}

Points ring(int count, double radius, double height) {
  Points points(3, count);
  for (int i = 0; i < count; ++i) {
    const double angle = 6.283185307179586 * i / count;
    points.col(i) = Vector3(radius * std::cos(angle), radius * std::sin(angle), height);
  }
  return points;
}

Points joined(const std::vector<Points>& parts) {
  Points points(3, 0);
  for (const Points& part : parts) {
    points.conservativeResize(3, points.cols() + part.cols());
    points.rightCols(part.cols()) = part;
  }
  return points;
}

Points lattice(int side, int layers) {
  Points points(3, side * side * layers);
  for (int i = 0; i < points.cols(); ++i)
    points.col(i) = Vector3(i % side, i / side % side, i / side / side) / (side - 1.0);
  return points;
}

/// Every point `times` times, moved by up to `noise`.
Points repeated(const Points& points, int times, double noise, Random& random) {
  Points found(3, points.cols() * times);
  for (int i = 0; i < found.cols(); ++i)
    found.col(i) = points.col(i % points.cols()) + random.in_box(noise);
  return found;
}

/// |c* - p| <= alpha for the lowest center along every direction tried: were an arc on the wrong
/// side, or a point left out, it would show.
double worst_of_supports(const Points& points, const StpSurface& surface, double alpha,
                         Random& random) {
  double worst = 0.0;
  for (int i = 0; i < 60; ++i) {
    const Vector3 n = stp_direction(surface, random);
    int visited = 0;
    const Vector3 s = to_vector3(
        surface.point(surface.patch(to_double3(n), visited), to_double3(n)));
    for (const auto& point : points.colwise()) {
      const Vector3 w = point - s;
      worst = std::max(worst, 0.5 * w.squaredNorm() / alpha + w.dot(n));
    }
  }
  return worst;
}

/// Rows, rings, grids: nearly every decision is a tie, and turning the set makes each one of
/// rounding.
TEST(StpBuilder, TiesOfEveryKindTurned) {
  Random random(904);
  const std::vector<Points> sets = {
      joined(
          {ring(24, 1, 0), ring(24, 1, 0.25), ring(24, 1, 0.5), ring(24, 1, 0.75), ring(24, 1, 1)}),
      ring(100, 1, 0),
      joined({ring(24, 1, 0), ring(24, 0.5, 0)}),
      joined({ring(60, 1, 0), ring(60, 1, 1)}),
      joined({ring(60, 1, 0), Vector3(0, 0, 1)}),
      lattice(5, 5),
      lattice(10, 1),
      lattice(2, 2),
      joined({lattice(5, 1), lattice(3, 1)}),
  };
  for (std::size_t s = 0; s < sets.size(); ++s) {
    for (const double excess : {1e-12, 1e-3, 0.2, 1e3}) {
      for (int turn = 0; turn < repetitions(6); ++turn) {
        const Points points = turn == 0 ? sets[s] : Points(random.rotation() * sets[s]);
        const double alpha = smallest_sphere(points).radius * (1.0 + 1e-12) * (1.0 + excess);
        SCOPED_TRACE(::testing::Message() << s << " " << excess << " " << turn);
        const StpTopology topology = build_stp(points, alpha);
        expect_closed(topology);
        ASSERT_LE(worst_outside(points, topology, alpha), 1e-13 + 1e-15 * alpha);
        ASSERT_LE(worst_of_supports(points, StpSurface(points, topology, alpha), alpha, random),
                  2e-13 + 1e-15 * alpha);
      }
    }
  }
}

/// Points almost repeated: heights are those of the few points, as the definition has them, to a
/// multiple of the noise.
TEST(StpBuilder, PointsAlmostRepeated) {
  Random random(905);
  for (const double noise : {1e-16, 1e-14, 1e-13, 1e-12, 1e-10, 1e-8, 1e-6}) {
    for (int k = 0; k < repetitions(24); ++k) {
      const Points few = random.rotation() * (k % 3 == 0   ? lattice(2, 1)
                                              : k % 3 == 1 ? ring(5, 1, 0)
                                                           : stp_cloud(0, 5, random));
      const Points points = repeated(few, 3, noise, random);
      const double alpha = smallest_sphere(points).radius * (1.0 + random.log_uniform(1e-2, 1e2));
      SCOPED_TRACE(::testing::Message() << noise << " " << k);
      const StpTopology topology = build_stp(points, alpha);
      expect_closed(topology);
      ASSERT_LE(worst_outside(points, topology, alpha), 1e-13 + 1e-15 * alpha);
      const StpSurface surface(points, topology, alpha);
      const BallIntersection balls(few, alpha);
      for (int i = 0; i < 12; ++i) {
        const Vector3 n = stp_direction(surface, random);
        int visited = 0;
        const Double3 s = surface.point(surface.patch(to_double3(n), visited), to_double3(n));
        const Vec3 wide = widen(n).normalized();
        ASSERT_NEAR(static_cast<double>(wide.dot(widen(to_vector3(s)) - balls.lowest(wide)) -
                                        balls.alpha()),
                    0.0, 1e-13 + 100.0 * noise);
      }
    }
  }
}

/// Many near repetitions, and grids that are almost flat: nothing is refused.
TEST(StpBuilder, NoiseIsNotRefused) {
  Random random(906);
  for (const double noise : {1e-16, 1e-14, 1e-13, 1e-12, 1e-10, 1e-8}) {
    for (const Points& points :
         {repeated(stp_cloud(0, 20, random), 4, noise, random),
          repeated(lattice(2, 2), 4, noise, random), repeated(lattice(6, 1), 1, noise, random)}) {
      for (const double excess : {1e-12, 1e-3, 0.2, 1e3}) {
        const double alpha = smallest_sphere(points).radius * (1.0 + 1e-12) * (1.0 + excess);
        const StpTopology topology = build_stp(points, alpha);
        expect_closed(topology);
        ASSERT_LE(worst_outside(points, topology, alpha), 1e-13 + 1e-15 * alpha)
            << noise << " " << excess;
      }
    }
  }
}

/// A volume made again of its own points, as a file or a pickle does, has the same patches, to
/// rounding.
TEST(StpBuilder, OwnPointsMakeTheSameVolume) {
  Random random(907);
  for (int k = 0; k < repetitions(140); ++k) {
    const Points points = stp_cloud(k % kCloudSorts, 2 + random.below(60), random);
    const double alpha = smallest_sphere(points).radius * (1.0 + random.log_uniform(1e-3, 1e2));
    const StpTopology first = build_stp(points, alpha);
    Points kept(3, static_cast<Eigen::Index>(first.vertices.size()));
    for (std::size_t i = 0; i < first.vertices.size(); ++i)
      kept.col(static_cast<Eigen::Index>(i)) = points.col(first.vertices[i]);
    const StpTopology again = build_stp(kept, alpha);
    ASSERT_EQ(again.origin, first.origin) << k;
    ASSERT_EQ(again.twin, first.twin) << k;
    ASSERT_EQ(again.wide, first.wide) << k;
    for (std::size_t f = 0; f < first.spheres.size(); ++f)
      ASSERT_LE((again.spheres[f].from_corner - first.spheres[f].from_corner).norm(), 1e-15 * alpha)
          << k;
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
  // covered by the torus of the other two
  EXPECT_EQ(build(triangle, circumradius - 1e-9).vertices.size(), 2U);
  EXPECT_EQ(build(triangle, circumradius + 1e-9).vertices.size(), 3U);
  EXPECT_EQ(build(triangle, 5.0).spheres.size(), 2U);
  // two pairs almost as far apart as can be: the first pair has an edge on both sides
  Points cross(3, 4);
  cross << 0.99, -0.99, 0, 0, 0, 0, 0.95, -0.95, 0, 0, 0.01, 0.01;
  EXPECT_EQ(build(cross, 1.0).spheres.size(), 4U);
}

}  // namespace
}  // namespace tactum::stp_builder_test
