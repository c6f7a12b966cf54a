// SPDX-License-Identifier: BSD-2-Clause
// The passes over points and triangles: every level against plain arithmetic in extended precision
// and against the baseline.
#include "narrow/depth/triangle_kernels.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum::triangle_kernels_test {
namespace {

using namespace tactum::testing;
using Triangle = WarmPolytope::Triangle;
using VertexPair = WarmPolytope::VertexPair;

std::vector<SimdLevel> levels() {
  std::vector<SimdLevel> all;
  for (const SimdLevel level : kSimdLevels) {
    if (level <= machine_simd_level()) all.push_back(level);
  }
  return all;
}

TEST(TriangleKernels, PointsAreThoseOfTheDifference) {
  Random random(911);
  const Convex a = random_hull(random, 40), b = random_hull(random, 30);
  const ConvexPolytope &hull_a = *Shape{a}.core().polytope, &hull_b = *Shape{b}.core().polytope;
  const Pose X = random_pose(random, 0.5);
  for (int count = 1; count <= WarmPolytope::max_vertices; ++count) {
    std::vector<VertexPair> vertices(static_cast<std::size_t>(count));
    for (VertexPair& pair : vertices)
      pair = {static_cast<std::uint16_t>(random.below(hull_a.num_vertices())),
              static_cast<std::uint16_t>(random.below(hull_b.num_vertices()))};
    std::array<std::array<PackedPoint, WarmPolytope::max_vertices>, 3> points;
    for (const SimdLevel level : levels()) {
      auto& found = points[static_cast<std::size_t>(level)];
      triangle_passes(level).place_points(
          {hull_a.directions().view().vertices, hull_b.directions().view().vertices, X}, vertices,
          found.data());
      for (std::size_t i = 0; i < vertices.size(); ++i) {
        const Vector3 w = X * hull_b.vertex(vertices[i][1]) - hull_a.vertex(vertices[i][0]);
        EXPECT_LE((to_vector3(found[i].to_double3()) - w).norm(), 4.0 * kEps);
        EXPECT_EQ(found[i].zero, 0.0);
        EXPECT_TRUE(to_vector3(found[i].to_double3()) == to_vector3(points[0][i].to_double3()));
      }
    }
  }
}

/// Least distance of the planes of triangles from the origin in extended precision, negative where
/// one is turned inwards.
Real least_height(const std::vector<PackedPoint>& points, const std::vector<Triangle>& triangles) {
  Real least = 1e30L;
  for (const auto& [i, j, k] : triangles) {
    const Vec3 p = widen(to_vector3(points[i].to_double3())),
               q = widen(to_vector3(points[j].to_double3())),
               r = widen(to_vector3(points[k].to_double3()));
    const Vec3 area = (q - p).cross(r - p);
    least = std::min(least, area.norm() > 0.0L ? Real(area.dot(p) / area.norm()) : -1.0L);
  }
  return least;
}

TEST(TriangleKernels, BallsThatFitAndThoseThatDoNot) {
  Random random(912);
  int fit = 0, inwards = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<PackedPoint> points(12);
    for (PackedPoint& point : points) {
      const Vector3 w = random.uniform(0.5, 1.5) * random.direction();
      point = {w.x(), w.y(), w.z(), 0.0};
    }
    std::vector<Triangle> triangles(static_cast<std::size_t>(1 + random.below(9)));
    for (Triangle& triangle : triangles) {
      // mostly turned outwards
      for (int k = 0; k < (random.chance(0.05) ? 1 : 20); ++k) {
        do {
          for (std::uint8_t& corner : triangle)
            corner = static_cast<std::uint8_t>(random.below(12));
        } while (triangle[0] == triangle[1] || triangle[1] == triangle[2] ||
                 triangle[2] == triangle[0]);
        if (least_height(points, {triangle}) > 0.05L) break;
      }
    }
    const double height = static_cast<double>(least_height(points, triangles));
    for (const SimdLevel level : levels()) {
      const auto beyond = [&](double radius) {
        return triangle_passes(level).beyond_ball(points.data(), triangles, radius);
      };
      if (height <= 1e-12) {
        EXPECT_FALSE(beyond(1e-9));
        ++inwards;
        continue;
      }
      ++fit;
      EXPECT_TRUE(beyond(height * (1.0 - 1e-12)) || height < 1e-3) << height;
      EXPECT_FALSE(beyond(height * (1.0 + 1e-12)));
    }
  }
  EXPECT_GT(fit, 1000);
  EXPECT_GT(inwards, 100);
}

TEST(TriangleKernels, AFanHasThePlanesOfItsTriangles) {
  Random random(914);
  int around = 0, ties = 0;
  for (int i = 0; i < 1000; ++i) {
    std::array<PackedPoint, 16> points;
    for (PackedPoint& point : points) {
      const Vector3 w = random.uniform(0.5, 1.5) * random.direction();
      point = {w.x(), w.y(), w.z(), 0.0};
    }
    constexpr std::uint8_t apex = 15;
    Fan fan;
    fan.apex = points[apex].to_double3();
    fan.count = 3 + random.below(8);
    std::vector<Triangle> triangles;
    for (int e = 0; e < fan.count; ++e) {
      const bool again = e > 0 && random.chance(0.1);
      auto from = static_cast<std::uint8_t>(again ? fan.from[e - 1] : random.below(15));
      auto to = static_cast<std::uint8_t>(again ? fan.to[e - 1]
                                                : (from + 1 + random.below(14)) % 15);
      if (!again && random.chance(0.9) &&
          least_height({points.begin(), points.end()}, {{from, to, apex}}) < 0.0L)
        std::swap(from, to);
      fan.from[e] = from;
      fan.to[e] = to;
      fan.slot[e] = static_cast<std::uint8_t>(40 - 3 * e);
      triangles.push_back({from, to, apex});
    }
    for (int e = fan.count; e % 4 != 0; ++e) {
      fan.from[e] = fan.from[e - 1];
      fan.to[e] = fan.to[e - 1];
      fan.slot[e] = fan.slot[e - 1];
    }
    for (const SimdLevel level : levels()) {
      FacePlanes plain, planes;
      std::array<bool, 16> plain_rough{};
      std::array<bool, 64> rough{};
      const bool good = triangle_passes(level).set_planes(points.data(), triangles, 1e-9, plain,
                                                          plain_rough.data());
      const FanPlanes made = triangle_passes(level).set_fan(points.data(), fan, 1e-9, planes,
                                                            rough.data());
      EXPECT_EQ(made.around, good);
      around += good ? 1 : 0;
      const auto largest = std::max_element(plain.value, plain.value + fan.count);
      EXPECT_EQ(made.nearest, largest - plain.value);
      EXPECT_EQ(made.value, *largest);
      ties += std::count(plain.value, plain.value + fan.count, *largest) > 1 ? 1 : 0;
      for (int e = 0; e < fan.count; ++e) {
        const int f = fan.slot[e];
        EXPECT_EQ(planes.x[f], plain.x[e]);
        EXPECT_EQ(planes.y[f], plain.y[e]);
        EXPECT_EQ(planes.z[f], plain.z[e]);
        EXPECT_EQ(planes.value[f], plain.value[e]);
        EXPECT_EQ(planes.bound[f], plain.value[e]);
        EXPECT_EQ(rough[f], plain_rough[e]);
      }
    }
  }
  EXPECT_GT(around, 100);
  EXPECT_GT(ties, 50);
}

TEST(TriangleKernels, PlanesOfTriangles) {
  Random random(913);
  int around = 0;
  for (int i = 0; i < 500; ++i) {
    std::vector<PackedPoint> points(12);
    for (PackedPoint& point : points) {
      const Vector3 w = random.uniform(0.5, 1.5) * random.direction();
      point = {w.x(), w.y(), w.z(), 0.0};
    }
    std::vector<Triangle> triangles(static_cast<std::size_t>(1 + random.below(9)));
    for (Triangle& triangle : triangles) {
      do {
        for (std::uint8_t& corner : triangle) corner = static_cast<std::uint8_t>(random.below(12));
      } while (triangle[0] == triangle[1] || triangle[1] == triangle[2] ||
               triangle[2] == triangle[0]);
      // one in fifty has no area
      if (random.chance(0.02)) triangle[2] = triangle[0];
      if (least_height(points, {triangle}) < 0.0L && random.chance(0.9))
        std::swap(triangle[0], triangle[1]);
    }
    const Real height = least_height(points, triangles);
    std::array<FacePlanes, 3> planes;
    std::array<std::array<bool, 16>, 3> rough{};
    for (const SimdLevel level : levels()) {
      FacePlanes& found = planes[static_cast<std::size_t>(level)];
      bool* const slivers = rough[static_cast<std::size_t>(level)].data();
      const bool good = triangle_passes(level).set_planes(points.data(), triangles, 1e-9, found,
                                                          slivers);
      if (std::abs(height) > 1e-6L) {
        EXPECT_EQ(good, height > 0.0L);
      }
      around += good ? 1 : 0;
      for (std::size_t f = 0; f < triangles.size(); ++f) {
        for (const auto& [own, first] : {std::pair(found.x, planes[0].x),
                                         {found.y, planes[0].y},
                                         {found.z, planes[0].z},
                                         {found.value, planes[0].value},
                                         {found.bound, planes[0].bound}})
          EXPECT_EQ(own[f], first[f]);
        EXPECT_EQ(slivers[f], rough[0][f]);
        if (slivers[f]) continue;
        const Vector3 n(found.x[f], found.y[f], found.z[f]);
        EXPECT_NEAR(n.norm(), 1.0, 4.0 * kEps);
        for (const std::uint8_t corner : triangles[f])
          EXPECT_NEAR(n.dot(to_vector3(points[corner].to_double3())), found.value[f], 1e-14);
      }
    }
  }
  EXPECT_GT(around, 100);
}

}  // namespace
}  // namespace tactum::triangle_kernels_test
