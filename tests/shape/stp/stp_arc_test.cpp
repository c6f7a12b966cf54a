// SPDX-License-Identifier: BSD-2-Clause
// Arcs of torus patches: their ends are the centers of the big spheres, their normals belong to the
// edge.
#include "shape/stp/stp_arc.hpp"

#include <gtest/gtest.h>

#include "shape/stp_clouds.hpp"

namespace tactum::stp_arc_test {
namespace {

using namespace tactum::testing;

TEST(StpArc, RunsFromTheCenterOfOneFaceToThatOfTheOther) {
  Random random(23);
  int arcs = 0;
  for (int k = 0; k < 60; ++k) {
    const Points points = stp_cloud(0, 5 + random.below(8), random);
    const double alpha = smallest_sphere(points).radius * random.log_uniform(1.1, 20.0);
    const Stp stp = Stp::from_points(points, {.small_radius = 0.0, .big_radius = alpha});
    const StpSurface& surface = stp.surface();
    for (const StpSurface::Edge& edge : surface.edges()) {
      if (edge.faces[0] < 0 || !edge.has_arc) continue;
      ++arcs;
      const StpArc arc(edge);
      for (const bool first : {true, false}) {
        const StpSurface::Face& face =
            surface.faces()[static_cast<std::size_t>(edge.faces[first ? 0 : 1])];
        // centers of the circle about the middle of the edge lie at -outward
        const Vector3 expected = (to_vector3(face.center) - to_vector3(edge.middle)).normalized();
        const Vector3 found = -to_vector3(arc.outward(first ? 0.0 : arc.angle));
        EXPECT_LE((found - expected).norm(), 1e-6) << k;
      }
      EXPECT_NEAR(arc.start.norm(), 1.0, 1e-14);
      EXPECT_NEAR(dot(arc.start, arc.turned), 0.0, 1e-14);
      EXPECT_NEAR(dot(arc.start, edge.axis), 0.0, 1e-14);
      // the tangent is the derivative of outward
      const double phi = 0.4 * arc.angle, step = 1e-6;
      const Vector3 slope = to_vector3(0.5 / step *
                                       (arc.outward(phi + step) - arc.outward(phi - step)));
      EXPECT_LE((slope - to_vector3(arc.tangent(phi))).norm(), 1e-9);
    }
  }
  EXPECT_GT(arcs, 100);
}

TEST(StpArc, TheInnerNormalOfAVertexIsOneOfIts) {
  Random random(24);
  for (int k = 0; k < 60; ++k) {
    const Points points = stp_cloud(0, 4 + random.below(10), random);
    const double alpha = smallest_sphere(points).radius * random.log_uniform(1.1, 20.0);
    const Stp stp = Stp::from_points(points, {.small_radius = 0.0, .big_radius = alpha});
    const StpSurface& surface = stp.surface();
    for (std::size_t i = 0; i < surface.vertices().size(); ++i) {
      const Vector3 n = to_vector3(inner_normal(surface, static_cast<std::int32_t>(i)));
      const Vector3 p = to_vector3(surface.vertices()[i].point);
      EXPECT_NEAR(n.norm(), 1.0, 1e-14);
      // the ball of radius alpha that touches p from behind n holds all points
      for (const auto& q : points.colwise())
        EXPECT_LE((q - (p - alpha * n)).norm(), alpha * (1.0 + 1e-9)) << k;
    }
  }
}

}  // namespace
}  // namespace tactum::stp_arc_test
