// SPDX-License-Identifier: BSD-2-Clause
// Level vertices against their definition: how far the normals of a vertex are from a direction, by
// projection onto a cone in extended precision that knows vertices alone and no faces; and the same
// set from every vertex of it.
#include "contact/level_vertices.hpp"

#include <set>

#include "contact/contact_fixtures.hpp"
#include "shape/hull/convex_polytope.hpp"

namespace tactum::level_vertices_test {
namespace {

using namespace tactum::testing;

SeenCore seen_along(const Shape& shape, const Vector3& n, double sign) {
  return {shape.core(), {}, TangentPlane(to_double3(n)), {0.0, 0.0, 0.0}, sign};
}

struct Search {
  std::set<std::int32_t> vertices;
  bool borderline = false;
  bool complete = false;
};

Search found_from(const SeenCore& seen, std::int32_t support, const FeatureReach& reach) {
  Search result;
  LevelVertices level;
  result.complete = level.find(seen, support, reach, result.borderline);
  for (const LevelVertex& vertex : level) result.vertices.insert(vertex.vertex);
  return result;
}

/// Distance from the unit vector u to the cone of directions whose support point is the vertex, { w
/// : w.(v_i - v) <= 0 }: the sine of the angle to it. Hildreth's method: project onto one
/// half-space after the other and take back its last correction first.
Real sine_to_normals(const Convex& hull, int vertex, const Vec3& u) {
  std::vector<Vec3> rows;
  for (int i = 0; i < hull.num_vertices(); ++i) {
    if (i != vertex)
      rows.push_back(
          (widen(hull.polytope().vertex(i)) - widen(hull.polytope().vertex(vertex))).normalized());
  }
  std::vector<Real> weights(rows.size(), 0);
  Vec3 w = u;
  for (int pass = 0; pass < 4000; ++pass) {
    Real change = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Real step = std::max(-weights[i], rows[i].dot(w));
      weights[i] += step;
      w -= step * rows[i];
      change = std::max(change, std::abs(step));
    }
    if (change < 1e-15L) break;
  }
  return (u - w).norm();
}

TEST(LevelVertices, AreTheSupportPointsWithinTheAngle) {
  Random random(71);
  int several = 0;
  for (int i = 0; i < repetitions(200); ++i) {
    const Convex hull = random_hull(random, 5 + random.below(25));
    const Shape shape = hull;
    const double sign = random.sign(), sine = random.uniform(0.02, 0.48);
    const SeenCore seen = seen_along(shape, random.direction(), sign);
    const Vector3 u = to_vector3(seen.outward());
    int visited = 0;
    const Search found = found_from(seen, hull.polytope().support_vertex(u, visited), {sine});
    ASSERT_TRUE(found.complete);
    several += found.vertices.size() > 2 ? 1 : 0;
    for (int vertex = 0; vertex < hull.num_vertices(); ++vertex) {
      const auto truth = static_cast<double>(sine_to_normals(hull, vertex, widen(u)));
      if (std::abs(truth - sine) < 1e-6) continue;
      EXPECT_EQ(found.vertices.count(vertex) > 0, truth < sine)
          << i << " vertex " << vertex << " sine " << truth << " of " << sine;
    }
  }
  EXPECT_GT(several, repetitions(40));
}

TEST(LevelVertices, DoNotDependOnWhereTheSearchBegins) {
  Random random(72);
  for (int i = 0; i < repetitions(300); ++i) {
    const Convex hull = i % 3 == 0 ? Convex(box_hull({0.4, 0.3, 0.2}))
                                   : random_hull(random, 5 + random.below(60));
    const Shape shape = hull;
    const SeenCore seen = seen_along(
        shape, i % 3 == 0 ? Vector3(0.01, 0.02, 1.0).normalized() : random.direction(),
        random.sign());
    const Vector3 u = to_vector3(seen.outward());
    int visited = 0;
    const Search found = found_from(seen, hull.polytope().support_vertex(u, visited), {0.3});
    for (const std::int32_t vertex : found.vertices)
      EXPECT_EQ(found_from(seen, vertex, {0.3}).vertices, found.vertices) << i;
  }
}

TEST(LevelVertices, EndOneEdgeBelowTheDrop) {
  // four vertices at height 0, beyond them two at -0.01, beyond those one at -0.1, and the tip far
  // below
  const Shape roof = hull_of({{-1, -1, 0},
                              {1, -1, 0},
                              {1, 1, 0},
                              {-1, 1, 0},
                              {3, -1, -0.01},
                              {3, 1, -0.01},
                              {9, 0, -0.1},
                              {0, 0, -5}});
  const SeenCore seen = seen_along(roof, Vector3::UnitZ(), 1.0);
  EXPECT_EQ(found_from(seen, 0, {0.1}).vertices.size(), 7U);
  EXPECT_EQ(found_from(seen, 0, {0.1, 0.02}).vertices.size(), 7U);
  EXPECT_EQ(found_from(seen, 0, {0.1, 0.005}).vertices.size(), 6U);
  EXPECT_FALSE(found_from(seen, 0, {0.1, 0.005}).borderline);
  EXPECT_TRUE(found_from(seen, 0, {0.1, 0.01}).borderline);
}

TEST(LevelVertices, AnglesCloseToTheLimitAreNamed) {
  const Shape box = box_hull({0.4, 0.3, 0.2});
  const Vector3 tilted = Vector3(std::sin(0.05), 0.0, std::cos(0.05));
  const auto search = [&](double angle) {
    const SeenCore seen = seen_along(box, tilted, 1.0);
    int visited = 0;
    const Vector3 u = to_vector3(seen.outward());
    return found_from(seen, box.core().polytope->support_vertex(u, visited), {std::sin(angle)});
  };
  EXPECT_TRUE(search(0.05).borderline);
  EXPECT_FALSE(search(0.0501).borderline);
  EXPECT_EQ(search(0.0501).vertices.size(), 4U);
  EXPECT_FALSE(search(0.0499).borderline);
  EXPECT_EQ(search(0.0499).vertices.size(), 2U);
}

TEST(LevelVertices, PolygonsFaceOrShowOneSide) {
  // a rectangle in the plane x, y
  const Shape sheet = hull_of({{-2, -1, 0}, {2, -1, 0}, {2, 1, 0}, {-2, 1, 0}});
  const auto count = [&](const Vector3& n) {
    const SeenCore seen = seen_along(sheet, n.normalized(), 1.0);
    int visited = 0;
    const Vector3 u = to_vector3(seen.outward());
    return found_from(seen, sheet.core().polytope->support_vertex(u, visited), {0.05})
        .vertices.size();
  };
  EXPECT_EQ(count({0.01, 0.02, 1}), 4U);
  EXPECT_EQ(count({0.01, 0.02, -1}), 4U);
  EXPECT_EQ(count({0.01, 1, 0}), 2U);
  EXPECT_EQ(count({0.01, 1, 0.7}), 2U);
  EXPECT_EQ(count({0.5, 1, 0.1}), 1U);
}

TEST(LevelVertices, SayWhenThereAreTooMany) {
  const int sides = LevelVertices::kCapacity + 1;
  Points points(3, 2 * sides);
  for (int i = 0; i < sides; ++i) {
    const double angle = 2.0 * M_PI * i / sides;
    points.col(i) = Vector3(std::cos(angle), std::sin(angle), 0.5);
    points.col(sides + i) = Vector3(std::cos(angle), std::sin(angle), -0.5);
  }
  const Shape drum = Convex::from_points(points);
  EXPECT_FALSE(found_from(seen_along(drum, Vector3::UnitZ(), 1.0), 0, {0.01}).complete);
}

}  // namespace
}  // namespace tactum::level_vertices_test
