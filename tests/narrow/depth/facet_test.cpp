// SPDX-License-Identifier: BSD-2-Clause
// Facets of the Minkowski difference: planes against extended precision, points at the projection
// of the origin against the shapes.
#include "narrow/depth/facet.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum::facet_test {
namespace {

using namespace tactum::testing;

Double3 difference(const CorePair& pair, const PiecePair& vertices) {
  return product(pair.X_AB().rotation, core_vertex(pair.b(), vertices[1])) +
         to_double3(pair.X_AB().translation) - core_vertex(pair.a(), vertices[0]);
}

TEST(Facet, CoreVerticesAreTheSupportsOfTheirPieces) {
  Random random(921);
  const std::vector<Shape> shapes = {Box{.half_extents = {0.1, 0.2, 0.3}},
                                     Capsule{.radius = 0.1, .half_length = 0.3},
                                     random_hull(random, 30), Sphere{.radius = 0.2}};
  constexpr std::array<int, 4> counts = {8, 2, 30, 1};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const CoreShape& core = shapes[i].core();
    EXPECT_EQ(num_core_vertices(core), counts[i]);
    for (int k = 0; k < 50; ++k) {
      int visited = 0;
      const CorePoint support = core_support(core, random.direction(), visited);
      EXPECT_EQ(to_vector3(core_vertex(core, support.piece)), support.point);
    }
  }
  EXPECT_EQ(num_core_vertices(Shape{Cone{.radius = 0.1, .half_length = 0.2}}.core()), 0);
}

TEST(Facet, PlanesAreExactToRounding) {
  Random random(922);
  for (int i = 0; i < 500; ++i) {
    const TestPair shapes{random_hull(random, 30), random_hull(random, 30),
                          random_pose(random, 0.5)};
    CorePair pair = shapes.cores();
    std::array<PiecePair, 3> vertices;
    std::array<Double3, 3> w;
    for (std::size_t k = 0; k < 3; ++k) {
      vertices[k] = {random.below(30), random.below(30)};
      w[k] = difference(pair, vertices[k]);
    }
    const Facet facet = facet_of(pair, vertices, w);
    const auto point = [&](std::size_t k) {
      const Mat3 R = widen(shapes.X_AB.rotation);
      return Vec3(R * widen(to_vector3(facet.b_B[k])) + widen(shapes.X_AB.translation) -
                  widen(to_vector3(facet.a[k])));
    };
    const Vec3 area = (point(2) - point(0)).cross(point(1) - point(0));
    const Real lengths = (point(2) - point(0)).norm() * (point(1) - point(0)).norm();
    if (!(area.norm() > 0.01L * lengths)) continue;
    const double sine = static_cast<double>(area.norm() / lengths);
    EXPECT_LE(static_cast<double>((widen(to_vector3(facet.normal)) - area.normalized()).norm()),
              32.0 * kEps / sine);
    EXPECT_NEAR(facet.value, static_cast<double>(area.normalized().dot(point(0))),
                32.0 * kEps / sine);
    // the weights of the projection put it in the plane, along the normal
    EXPECT_NEAR(facet.weights[0] + facet.weights[1] + facet.weights[2], 1.0, 1e-12);
    Vector3 projection = Vector3::Zero();
    for (std::size_t k = 0; k < 3; ++k) projection += facet.weights[k] * to_vector3(w[k]);
    EXPECT_LE((projection - facet.value * to_vector3(facet.normal)).norm(), 1e-12 / (sine * sine));
  }
}

TEST(Facet, AProjectionInTheOtherHalfOfAParallelogram) {
  // two crossing edges, long and far from square, with corners (a0, b0), (a1, b0), (a0, b1); the
  // projection is nearest to the fourth corner
  const Shape a = hull_of({{-1, 0, 0}, {1, 0, 0}, {0, 0.5, -1}, {0, -0.5, -1}});
  const Shape b = hull_of({{0, -1, 0}, {0, 1, 0}, {0.5, 0, 1}, {-0.5, 0, 1}});
  const TestPair shapes{a, b, at(0.7, 0.6, -0.1)};
  CorePair pair = shapes.cores();
  const auto index = [](const CoreShape& core, const Vector3& p) {
    for (int i = 0; i < core.polytope->num_vertices(); ++i) {
      if (core.polytope->vertex(i) == p) return i;
    }
    return -1;
  };
  const int a0 = index(a.core(), {-1, 0, 0}), a1 = index(a.core(), {1, 0, 0});
  const int b0 = index(b.core(), {0, 1, 0}), b1 = index(b.core(), {0, -1, 0});
  const std::array<PiecePair, 3> vertices = {{{a0, b0}, {a1, b0}, {a0, b1}}};
  Facet facet = facet_of(pair, vertices,
                         {difference(pair, vertices[0]), difference(pair, vertices[1]),
                          difference(pair, vertices[2])});
  EXPECT_LT(std::min({facet.weights[0], facet.weights[1], facet.weights[2]}), 0.0);
  EXPECT_TRUE(contains_projection(facet));
  const SeparationOptimum optimum = optimum_at_projection(pair, facet, facet.value);
  EXPECT_LE(optimum.residual, 4.0 * kEps);
  EXPECT_LE(static_cast<double>(shapes.outside_a(optimum.point_a)), 1e-15);
  EXPECT_LE(static_cast<double>(shapes.outside_b(optimum.point_b)), 1e-15);
  // moved until the projection is past the end of the edge of A
  facet = facet_of(pair, vertices,
                   {difference(pair, vertices[0]) - Double3{0.4, 0, 0},
                    difference(pair, vertices[1]) - Double3{0.4, 0, 0},
                    difference(pair, vertices[2]) - Double3{0.4, 0, 0}});
  EXPECT_TRUE(contains_projection(facet));
  facet = facet_of(pair, vertices,
                   {difference(pair, vertices[0]) + Double3{0.4, 0, 0},
                    difference(pair, vertices[1]) + Double3{0.4, 0, 0},
                    difference(pair, vertices[2]) + Double3{0.4, 0, 0}});
  EXPECT_FALSE(contains_projection(facet));
}

}  // namespace
}  // namespace tactum::facet_test
