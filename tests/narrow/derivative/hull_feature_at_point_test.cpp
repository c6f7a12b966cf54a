// SPDX-License-Identifier: BSD-2-Clause
// Features of hulls: those of boxes and prisms, known by construction, and random faces by their
// own barycentric coordinates.
#include "narrow/derivative/hull_feature_at_point.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum::hull_feature_at_point_test {
namespace {

using namespace tactum::testing;

constexpr FeatureTolerance kTolerance{1e-10, 1e-9};

SupportFeature feature_at(const Convex& hull, const Vector3& u, const Vector3& p) {
  int visited = 0;
  const int vertex = hull.polytope().support_vertex(u, visited);
  return polytope_feature(hull.polytope(), vertex, TangentPlane(to_double3(u)), to_double3(u),
                          to_double3(p), kTolerance);
}

TEST(HullFeatureAtPoint, CornersEdgesAndFacesOfRandomHulls) {
  Random random(621);
  for (int i = 0; i < 20; ++i) {
    const Convex hull = random_hull(random, 30);
    const ConvexPolytope& tables = hull.polytope();
    for (std::size_t f = 0; f < tables.faces().size(); ++f) {
      const auto& face = tables.faces()[f];
      const Vector3 v0 = tables.vertex(face.vertices[0]), v1 = tables.vertex(face.vertices[1]),
                    v2 = tables.vertex(face.vertices[2]);
      const Vector3 n = tables.planes()[f].normal;
      const SupportFeature inside = feature_at(hull, n, 0.2 * v0 + 0.3 * v1 + 0.5 * v2);
      EXPECT_EQ(inside.dimension, 2);
      EXPECT_TRUE(inside.holds_point && inside.interior);
      const SupportFeature on_edge = feature_at(hull, n, 0.5 * v0 + 0.5 * v1);
      EXPECT_TRUE(on_edge.holds_point);
      EXPECT_FALSE(on_edge.interior);
      for (const Vector3& corner : {v0, v1, v2}) {
        const SupportFeature at_corner = feature_at(hull, n, corner);
        EXPECT_TRUE(at_corner.holds_point);
        EXPECT_FALSE(at_corner.interior);
      }
      EXPECT_FALSE(feature_at(hull, n, 0.7 * v0 + 0.7 * v1 - 0.4 * v2).holds_point);
    }
    for (const auto& edge : tables.edges()) {
      const Vector3 v0 = tables.vertex(edge.vertices[0]), v1 = tables.vertex(edge.vertices[1]);
      const Vector3 n = (tables.planes()[static_cast<std::size_t>(edge.faces[0])].normal +
                         tables.planes()[static_cast<std::size_t>(edge.faces[1])].normal)
                            .normalized();
      const SupportFeature feature = feature_at(hull, n, 0.3 * v0 + 0.7 * v1);
      EXPECT_EQ(feature.dimension, 1);
      EXPECT_TRUE(feature.holds_point && feature.interior);
      EXPECT_NEAR(std::abs(dot(TangentPlane(to_double3(n)).lift(feature.edge),
                               to_double3((v1 - v0).normalized()))),
                  1.0, 1e-12);
      EXPECT_FALSE(feature_at(hull, n, v1).interior);
      EXPECT_FALSE(feature_at(hull, n, 1.3 * v0 - 0.3 * v1).holds_point);
    }
    for (int vertex = 0; vertex < tables.num_vertices(); ++vertex) {
      Vector3 n = Vector3::Zero();
      for (std::size_t f = 0; f < tables.faces().size(); ++f) {
        for (const std::int32_t corner : tables.faces()[f].vertices) {
          if (corner == vertex) n += tables.planes()[f].normal;
        }
      }
      const SupportFeature feature = feature_at(hull, n.normalized(), tables.vertex(vertex));
      EXPECT_EQ(feature.dimension, 0);
      EXPECT_TRUE(feature.holds_point && feature.interior);
      EXPECT_FALSE(feature_at(hull, n.normalized(), tables.vertex(vertex) + Vector3(1e-3, 0, 0))
                       .holds_point);
    }
  }
}

/// On the caps of prisms, triangles in one plane count as one face, however many corners it has.
TEST(HullFeatureAtPoint, CoplanarTrianglesAreOneFace) {
  for (const int sides : {4, 7, 32, 33, 100}) {
    Points points(3, 2 * sides);
    for (int i = 0; i < sides; ++i) {
      const double angle = 2.0 * M_PI * i / sides;
      points.col(i) = Vector3(std::cos(angle), std::sin(angle), 0.5);
      points.col(sides + i) = Vector3(std::cos(angle), std::sin(angle), -0.5);
    }
    const Convex prism = Convex::from_points(points);
    SCOPED_TRACE(sides);
    const Vector3 up = Vector3::UnitZ(), corner = points.col(0), next = points.col(1);
    for (const Vector3& p : {Vector3(0, 0, 0.5), Vector3(0.5, -0.2, 0.5),
                             Vector3(0.99 * corner + Vector3(0, 0, 0.005))}) {
      const SupportFeature cap = feature_at(prism, up, p);
      EXPECT_EQ(cap.dimension, 2);
      EXPECT_TRUE(cap.holds_point && cap.interior);
    }
    EXPECT_FALSE(feature_at(prism, up, corner).interior);
    EXPECT_FALSE(feature_at(prism, up, 0.5 * (corner + next)).interior);
    EXPECT_TRUE(feature_at(prism, up, 0.5 * (corner + next)).holds_point);
    EXPECT_FALSE(feature_at(prism, up, Vector3(1.1, 0, 0.5)).holds_point);
  }
}

TEST(HullFeatureAtPoint, FlatHulls) {
  const Convex square = hull_of({{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}});
  for (const double side : {1.0, -1.0}) {
    const SupportFeature face = feature_at(square, Vector3(0, 0, side), Vector3(0.2, 0.3, 0.0));
    EXPECT_EQ(face.dimension, 2);
    EXPECT_TRUE(face.holds_point && face.interior);
  }
  EXPECT_EQ(feature_at(square, Vector3(0.6, 0.0, 0.8), Vector3(1.0, 0.3, 0.0)).dimension, 1);
}

}  // namespace
}  // namespace tactum::hull_feature_at_point_test
