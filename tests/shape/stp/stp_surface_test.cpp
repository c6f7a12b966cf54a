// SPDX-License-Identifier: BSD-2-Clause
// Support points of sphere-torus-patch volumes against their definition, tried one candidate after
// the other in extended precision; their certificate on large sets; the continuity of points and
// the curvature on both sides of every border.
#include "shape/stp/stp_surface.hpp"

#include <gtest/gtest.h>

#include "math/epsilon.hpp"
#include "shape/stp/stp_arc.hpp"
#include "shape/stp_clouds.hpp"
#include "support/allocation_guard.hpp"
#include "support/ball_intersection.hpp"
#include "support/exact_stp.hpp"
#include "support/repetitions.hpp"

namespace tactum::stp_surface_test {
namespace {

using namespace tactum::testing;
using Kind = StpSurface::Kind;

TEST(StpSurface, SupportIsThatOfTheDefinition) {
  Random random(911);
  for (int k = 0; k < repetitions(700); ++k) {
    const Points points = stp_cloud(k % kCloudSorts, 2 + random.below(12), random);
    const double least = smallest_sphere(points).radius;
    if (least == 0.0) continue;
    const double alpha = least * (1.0 + random.log_uniform(1e-6, 1e3));
    const StpSurface surface = stp_surface(points, alpha);
    const BallIntersection balls(points, alpha);
    for (int i = 0; i < 12; ++i) {
      const Vector3 n = stp_direction(surface, random);
      int visited = 0;
      const Double3 s = surface.point(surface.patch(to_double3(n), visited), to_double3(n));
      const Vec3 wide = widen(n).normalized(), truth = balls.lowest(wide) + balls.alpha() * wide;
      ASSERT_NEAR(static_cast<double>(wide.dot(widen(to_vector3(s)) - truth)), 0.0, 1e-12 * least)
          << k << " " << i;
      ASSERT_LE(static_cast<double>((widen(to_vector3(s)) - truth).norm()),
                1e-11 * least + 4e-13 * alpha)
          << k << " " << i;
    }
  }
}

/// |c* - p| <= alpha for all points, and n in the cone of p - c* over the points at alpha: then c*
/// is the lowest of C, whatever found it.
TEST(StpSurface, CertificateOfLargeSets) {
  Random random(912);
  for (const double alpha : {1.8, 3.0, 100.0}) {
    for (const int sort : {1, 4, 6}) {
      const Points points = stp_cloud(sort, 600, random);
      const StpSurface surface = stp_surface(points, alpha);
      for (int i = 0; i < repetitions(2000); ++i) {
        const Vector3 n = stp_direction(surface, random);
        int visited = 0;
        const StpSurface::Patch patch = surface.patch(to_double3(n), visited);
        const Vector3 c = to_vector3(surface.point(patch, to_double3(n))) - alpha * n;
        ASSERT_LE((points.colwise() - c).colwise().norm().maxCoeff(),
                  alpha + 1e-13 + 1e-15 * alpha);
        Eigen::Matrix<double, 3, Eigen::Dynamic> active(3, 3);
        int count = 0;
        const auto add = [&](std::int32_t vertex) {
          active.col(
              count++) = to_vector3(surface.vertices()[static_cast<std::size_t>(vertex)].point) - c;
        };
        const auto index = static_cast<std::size_t>(patch.index);
        if (patch.kind == Kind::vertex) add(patch.index);
        if (patch.kind == Kind::edge)
          add(surface.edges()[index].vertices[0]), add(surface.edges()[index].vertices[1]);
        if (patch.kind == Kind::face)
          add(surface.faces()[index].vertices[0]), add(surface.faces()[index].vertices[1]),
              add(surface.faces()[index].vertices[2]);
        const Eigen::VectorXd weights = active.leftCols(count).colPivHouseholderQr().solve(n);
        ASSERT_LE((active.leftCols(count) * weights - n).norm(), 1e-11);
        ASSERT_GE(weights.minCoeff() * alpha, -1e-8);
      }
    }
  }
}

TEST(StpSurface, AnswerDoesNotDependOnTheStart) {
  Random random(913);
  for (int k = 0; k < repetitions(140); ++k) {
    const Points points = stp_cloud(k % kCloudSorts, 3 + random.below(60), random);
    const double alpha = smallest_sphere(points).radius * (1.0 + random.log_uniform(1e-4, 1e2)) +
                         1e-6;
    const StpSurface surface = stp_surface(points, alpha);
    const auto patches = static_cast<int>(surface.vertices().size() + surface.edges().size() +
                                          surface.faces().size());
    for (int i = 0; i < 40; ++i) {
      const Double3 n = to_double3(stp_direction(surface, random));
      int visited = 0;
      const Double3 here = surface.point(surface.patch(n, visited), n);
      const StpSurface::Patch start = surface.patch_of_number(random.below(patches));
      ASSERT_EQ(surface.number(start),
                surface.number(surface.patch_of_number(surface.number(start))));
      const Double3 there = surface.point(surface.patch_from(start, n, visited), n);
      ASSERT_LE((here - there).norm(), 1e-12 * (1.0 + alpha)) << k;
    }
  }
}

TEST(StpSurface, TwoWalksAtATimeEndWhereEachDoesAlone) {
  Random random(919);
  int vertices = 0, others = 0;
  for (int k = 0; k < repetitions(60); ++k) {
    const StpSurface first = stp_surface(stp_cloud(k % kCloudSorts, 1 + random.below(300), random),
                                         random.log_uniform(3.0, 300.0));
    const StpSurface second = stp_surface(stp_cloud(0, 1 + random.below(40), random),
                                          random.log_uniform(3.0, 300.0));
    const auto any_vertex = [&](const StpSurface& surface) {
      return StpSurface::Patch{Kind::vertex,
                               random.below(static_cast<int>(surface.vertices().size()))};
    };
    for (int i = 0; i < 100; ++i) {
      const Double3 n_a = to_double3(stp_direction(first, random)),
                    n_b = to_double3(stp_direction(second, random));
      int visited = 0;
      // from next to the place, from any vertex, or from one of each
      StpSurface::Walk a{first, i % 3 == 0 ? any_vertex(first) : first.patch_nearby(n_a), n_a};
      StpSurface::Walk b{second, i % 2 == 0 ? any_vertex(second) : second.patch_nearby(n_b), n_b};
      StpSurface::walk_both(a, b, visited);
      ASSERT_LE((first.point(a.at, n_a) - first.point(first.patch(n_a, visited), n_a)).norm(),
                1e-12 * first.alpha())
          << k;
      ASSERT_LE((second.point(b.at, n_b) - second.point(second.patch(n_b, visited), n_b)).norm(),
                1e-12 * second.alpha())
          << k;
      (a.at.kind == Kind::vertex && b.at.kind == Kind::vertex ? vertices : others) += 1;
    }
  }
  EXPECT_GT(std::min(vertices, others), 100);  // both ways through the walk
}

TEST(StpSurface, PointsAndRadiiOnBothSidesOfEveryBorder) {
  Random random(914);
  for (const int sort : {0, 1, 5}) {
    for (const double alpha : {2.5, 10.0}) {
      const Points points = stp_cloud(sort, 80, random);
      const StpSurface surface = stp_surface(points, alpha);
      for (std::size_t e = 0; e < surface.edges().size(); ++e) {
        const StpSurface::Edge& edge = surface.edges()[e];
        const StpArc arc(edge);
        const StpSurface::Patch torus{Kind::edge, static_cast<std::int32_t>(e)};
        const double t = random.uniform(-1.0, 1.0), cosine = std::sqrt(1.0 - edge.sine * edge.sine);
        for (int k = 0; k < 2; ++k) {
          // the face on this side: the points agree, and so does the curvature along the edge
          const double s = t * edge.sine;
          const Double3 border = s * edge.axis +
                                 std::sqrt(1.0 - s * s) * arc.outward(k == 0 ? 0.0 : arc.angle);
          const StpSurface::Curvature on_torus = surface.curvature(torus, border),
                                      on_face = surface.curvature({Kind::face, edge.faces[k]},
                                                                  border);
          ASSERT_LE((on_torus.point - on_face.point).norm(), 1e-12);
          ASSERT_EQ(on_face.radius, alpha);
          ASSERT_EQ(on_face.across_radius, alpha);
          ASSERT_EQ(on_torus.radius, alpha);
          ASSERT_GE(on_torus.across_radius, 0.0);
          ASSERT_LT(on_torus.across_radius, alpha);
          ASSERT_NEAR(on_torus.across_radius, alpha - edge.radius / std::sqrt(1.0 - s * s),
                      1e-13 * alpha);
          // the vertex on this side: the radius across goes to zero
          const double sign = k == 0 ? -1.0 : 1.0;
          const Double3 tip = (sign * edge.sine) * edge.axis +
                              cosine * arc.outward(0.5 * (1.0 + t) * arc.angle);
          const StpSurface::Curvature at_tip = surface.curvature(torus, tip);
          ASSERT_LE(
              (at_tip.point -
               surface
                   .vertices()[static_cast<std::size_t>(edge.vertices[static_cast<std::size_t>(k)])]
                   .point)
                  .norm(),
              1e-12);
          ASSERT_LE(at_tip.across_radius, 1e-12);
        }
      }
    }
  }
}

TEST(StpSurface, BendIsTheDerivativeOfThePoint) {
  Random random(915);
  int seen[3] = {0, 0, 0};
  for (int k = 0; k < repetitions(400); ++k) {
    const Points points = stp_cloud(k % 2, 3 + random.below(40), random);
    const double alpha = smallest_sphere(points).radius * random.uniform(1.05, 5.0);
    const StpSurface surface = stp_surface(points, alpha);
    const Vector3 n = random.direction();
    int visited = 0;
    const StpSurface::Patch patch = surface.patch(to_double3(n), visited);
    const StpSurface::Curvature curvature = surface.curvature(patch, to_double3(n));
    const Vector3 across = to_vector3(curvature.across);
    const Matrix3 hessian = curvature.radius * (Matrix3::Identity() - n * n.transpose()) +
                            (curvature.across_radius - curvature.radius) * across *
                                across.transpose();
    const Vector3 tangent = n.cross(random.direction()).normalized();
    const double step = 1e-6;
    const auto support = [&](double t) {
      const Double3 d = to_double3((n + t * tangent).normalized());
      const StpSurface::Patch there = surface.patch(d, visited);
      EXPECT_TRUE(there.kind != patch.kind || there.index == patch.index);
      return std::pair(to_vector3(surface.point(there, d)), there.kind == patch.kind);
    };
    const auto [ahead, same_ahead] = support(step);
    const auto [behind, same_behind] = support(-step);
    if (!same_ahead || !same_behind) continue;  // across a border
    ++seen[static_cast<int>(patch.kind)];
    ASSERT_LE(((ahead - behind) / (2.0 * step) - hessian * tangent).norm(), 1e-7 * alpha);
    const double growth = 1e-6 * alpha;
    const StpSurface larger = stp_surface(points, alpha + growth),
                     smaller = stp_surface(points, alpha - growth);
    const StpSurface::Patch up = larger.patch(to_double3(n), visited),
                            down = smaller.patch(to_double3(n), visited);
    if (up.kind != patch.kind || down.kind != patch.kind) continue;
    const Double3 slope = (0.5 / growth) *
                          (larger.point(up, to_double3(n)) - smaller.point(down, to_double3(n)));
    ASSERT_LE((slope - surface.alpha_shift(patch, to_double3(n))).norm(), 1e-5);
  }
  for (const int count : seen) EXPECT_GT(count, repetitions(20));
}

TEST(StpSurface, HeightsKeepTheirDigitsUnderHugeSpheres) {
  Random random(916);
  const Points points = stp_cloud(0, 40, random);
  const StpSurface surface = stp_surface(points, 1e9);
  for (int i = 0; i < 2000; ++i) {
    const Vector3 n = i % 2 == 0 ? stp_direction(surface, random) : random.direction();
    int visited = 0;
    const double height = n.dot(
        to_vector3(surface.point(surface.patch(to_double3(n), visited), to_double3(n))));
    // no lower than the hull, no higher than the spheres bulge: l^2 / (3 * 2 alpha)
    ASSERT_NEAR(height, (n.transpose() * points).maxCoeff(), 1e-8);
    ASSERT_GE(height, (n.transpose() * points).maxCoeff() - 1e-15);
  }
}

TEST(StpSurface, SupportsAllocateNothing) {
  Random random(917);
  const StpSurface surface = stp_surface(stp_cloud(1, 300, random), 10.0);
  int visited = 0;
  Double3 sum{0.0, 0.0, 0.0};
  const AllocationGuard guard;
  for (int i = 0; i < 1000; ++i) {
    const Double3 n = to_double3(random.direction());
    sum = sum + surface.point(surface.patch(n, visited), n);
  }
  EXPECT_EQ(guard.count(), 0U);
  EXPECT_LT(visited, 3000);  // few steps from the table
  EXPECT_LT(sum.norm(), 1000.0);
}

TEST(StpSurface, SupportsOfThinVolumesAreRightToTheErrorTheyState) {
  Random random(77);
  for (int trial = 0; trial < 1500; ++trial) {
    const Points points = testing::thin_cloud(random);
    const double alpha = testing::thin_alpha(points, random);
    const testing::ExactStp exact(points, alpha);
    const StpSurface surface = testing::stp_surface(points, alpha);
    const double allowed = surface.support_error() +
                           4.0 * kEpsilon * points.colwise().norm().maxCoeff();
    // where the big radius is not next to the least one, nothing but rounding is left
    if (alpha > 1.1 * smallest_sphere(points).radius) {
      EXPECT_LT(allowed, 64.0 * kEpsilon * points.colwise().norm().maxCoeff());
    }
    for (int i = 0; i < 12; ++i) {
      const Vector3 direction = testing::stp_direction(surface, random);
      const testing::Quad3 n = testing::quad_unit(testing::quad3(direction));
      int visited = 0;
      const Double3 u = to_double3(direction);
      const Double3 point = surface.point(surface.patch(u, visited), u);
      const double off = static_cast<double>(dot(n, testing::quad3(to_vector3(point))) -
                                             exact.support(n));
      ASSERT_LE(std::abs(off), allowed)
          << trial << ": alpha " << alpha << ", " << points.cols() << " points\n"
          << points;
    }
  }
}

}  // namespace
}  // namespace tactum::stp_surface_test
