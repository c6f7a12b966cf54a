// SPDX-License-Identifier: BSD-2-Clause
// The public handle on sphere-torus-patch volumes: what it refuses, what it promises of its size,
// and its life as a Shape.
#include <gtest/gtest.h>

#include "shape/stp_clouds.hpp"
#include "shape/support/core_support.hpp"
#include "support/repetitions.hpp"
#include "tactum/scene.hpp"
#include "tactum/status.hpp"

namespace tactum::stp_test {
namespace {

using namespace tactum::testing;

std::string message_of(const Points& points, const StpSizes& sizes) {
  try {
    Stp::from_points(points, sizes);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(Stp, NamesTheSmallestBigRadiusThatWorks) {
  Random random(941);
  for (int k = 0; k < repetitions(200); ++k) {
    const Points points = stp_cloud(k % kCloudSorts, 2 + random.below(30), random);
    const double small = k % 4 == 0 ? 0.0 : random.log_uniform(1e-3, 10.0),
                 least = smallest_sphere(points).radius;
    if (least == 0.0) continue;
    const std::string message = message_of(
        points, {.small_radius = small, .big_radius = small + 0.999 * least});
    const std::size_t at = message.find("at least ");
    ASSERT_NE(at, std::string::npos) << message;
    const double named = std::stod(message.substr(at + 9));
    ASSERT_NEAR(named, small + least, 2e-12 * (small + least));
    const Stp stp = Stp::from_points(points, {.small_radius = small, .big_radius = named});
    ASSERT_GE(stp.num_points(), 2);
    ASSERT_NE(
        message_of(points, {.small_radius = small, .big_radius = named - 1e-13 * (small + least)}),
        "");
  }
}

TEST(Stp, RefusesHostileInput) {
  const Points good = Points::Identity(3, 3);
  Points bad = good;
  bad(1, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message_of(bad, {.big_radius = 10.0}).find("Stp.points[2]"), std::string::npos);
  EXPECT_NE(message_of(Points(3, 0), {.big_radius = 10.0}).find("no points"), std::string::npos);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const StpSizes& sizes : {StpSizes{.small_radius = -1.0, .big_radius = 10.0},
                                StpSizes{.small_radius = 0.1, .big_radius = infinity},
                                StpSizes{.small_radius = 5.0, .big_radius = 5.0},
                                StpSizes{.big_radius = 10.0, .margin = -0.1}}) {
    EXPECT_NE(message_of(good, sizes), "");
  }
}

TEST(Stp, EveryScaleAndPlace) {
  Random random(942);
  for (const double unit : {1e-12, 1e-3, 1e6, 1e20}) {
    const Points points = unit * stp_cloud(0, 30, random);
    const Stp stp = Stp::from_points(points,
                                     {.small_radius = 0.01 * unit, .big_radius = 10.0 * unit});
    const Stp unscaled = Stp::from_points(points / unit,
                                          {.small_radius = 0.01, .big_radius = 10.0});
    EXPECT_EQ(stp.num_faces(), unscaled.num_faces());
    EXPECT_NEAR(Shape(stp).volume(), Shape(unscaled).volume() * unit * unit * unit,
                1e-12 * unit * unit * unit);
  }
  const Points points = stp_cloud(1, 100, random), far = points.colwise() + Vector3(1e6, -1e6, 1e6);
  const Stp stp = Stp::from_points(far, {.small_radius = 0.01, .big_radius = 10.0});
  EXPECT_EQ(stp.num_points(), 100);
  EXPECT_NEAR(Shape(stp).mass_properties(1.0).mass,
              Shape(Stp::from_points(points, {.small_radius = 0.01, .big_radius = 10.0})).volume(),
              1e-8);
}

/// Largest distance of the volume from the hull: by the definition of both along many normals,
/// where their planes are farthest apart.
TEST(Stp, MarginOfTheTheorem) {
  // an equilateral triangle attains it over the middle of its face: R - sqrt((R - r)^2 - a^2 / 3)
  const double a = 0.1, r = 0.01, R = 10.0;
  Points triangle(3, 3);
  triangle << 0, a, a / 2, 0, 0, a * std::sqrt(0.75), 0, 0, 0;
  const Shape flat = Stp::from_points(triangle, {.small_radius = r, .big_radius = R});
  const double bound = R - std::sqrt((R - r) * (R - r) - a * a / 3.0),
               printed = R - std::sqrt((R - r) * (R - r) - a * a / 12.0);
  const double margin = flat.support(Vector3::UnitZ()).z();
  EXPECT_NEAR(margin, bound, 1e-14);
  EXPECT_GT(margin, printed + 1e-4);  // the theorem as printed has the radius of the inscribed
                                      // circle
  Random random(943);
  for (int k = 0; k < repetitions(60); ++k) {
    const Points points = stp_cloud(k % 2, 40, random);
    const Stp stp = Stp::from_points(points, {.small_radius = r, .big_radius = 5.0});
    double longest = 0.0;
    for (const StpSurface::Edge& edge : stp.surface().edges())
      longest = std::max(longest, 2.0 * edge.half_length);
    const double most = 5.0 - std::sqrt((5.0 - r) * (5.0 - r) - longest * longest / 3.0);
    for (int i = 0; i < 200; ++i) {
      const Vector3 n = stp_direction(stp.surface(), random);
      const double gap = n.dot(Shape(stp).support(n)) - (n.transpose() * points).maxCoeff();
      ASSERT_GE(gap, r - 1e-14);
      ASSERT_LE(gap, most + 1e-14);
    }
  }
}

TEST(Stp, LivesAsAShape) {
  Random random(944);
  const Points points = stp_cloud(0, 25, random);
  const Stp stp = Stp::from_points(points,
                                   {.small_radius = 0.02, .big_radius = 6.0, .margin = 0.01});
  const Shape shape = stp,
              again = Stp::from_points(stp.points(),
                                       {.small_radius = 0.02, .big_radius = 6.0, .margin = 0.01});
  EXPECT_EQ(shape, again);
  EXPECT_EQ(shape.hash(), again.hash());
  EXPECT_FALSE(shape == Shape(Stp::from_points(
                            points, {.small_radius = 0.02, .big_radius = 6.5, .margin = 0.01})));
  EXPECT_EQ(shape.to_string(), "Stp(points=" + std::to_string(stp.num_points()) +
                                   ", small_radius=0.02, big_radius=6.0, margin=0.01)");
  EXPECT_EQ(stp.num_points() - stp.num_edges() + stp.num_faces(), 2);
  EXPECT_GT(shape.nbytes(), 1000U);
  // the box touches what it bounds
  const Pose X{random.rotation(), random.in_box(1.0)};
  const Aabb box = shape.aabb(X);
  for (int k = 0; k < 3; ++k) {
    const Vector3 axis = Vector3::Unit(k);
    EXPECT_NEAR(box.upper[k], (X * shape.support(X.rotation.transpose() * axis))[k], 1e-14);
    EXPECT_NEAR(box.lower[k], (X * shape.support(-(X.rotation.transpose() * axis)))[k], 1e-14);
  }
  Scene scene;
  scene.add({.geometry = shape});
  const Scene read = Scene::from_text(scene.to_text());
  EXPECT_EQ(*read.object(0).geometry.shape(), shape);
}

TEST(Stp, CoreAndItsPiecesAgree) {
  Random random(945);
  const Shape shape = Stp::from_points(stp_cloud(1, 50, random),
                                       {.small_radius = 0.1, .big_radius = 1.6});
  EXPECT_EQ(shape.core().kind, CoreShape::Kind::stp);
  EXPECT_EQ(shape.core().radius, 0.1);
  for (int i = 0; i < 500; ++i) {
    const Vector3 u = random.direction();
    int visited = 0;
    const CorePoint support = core_support(shape.core(), u, visited);
    const CorePiece piece = core_piece(shape.core(), support.piece, u);
    ASSERT_EQ(support.point, piece.point);
    ASSERT_LE((piece.hessian * u).norm(), 1e-14);
    ASSERT_LE(support.point.norm() + 0.1, shape.core().bounding_radius + 1e-15);
  }
}

}  // namespace
}  // namespace tactum::stp_test
