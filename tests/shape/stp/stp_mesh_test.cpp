// SPDX-License-Identifier: BSD-2-Clause
// Meshes of sphere-torus-patch volumes: closed, outward, on the surface, every kind of patch with
// the area that is its due.
#include <gtest/gtest.h>

#include <map>
#include <numbers>

#include "shape/stp_clouds.hpp"
#include "support/ball_intersection.hpp"
#include "tactum/status.hpp"

namespace tactum::stp_mesh_test {
namespace {

using namespace tactum::testing;

bool is_closed(const StpMesh& mesh) {
  std::map<std::pair<int, int>, int> count;
  for (const auto& t : mesh.triangles.colwise()) {
    for (int k = 0; k < 3; ++k) ++count[{t[k], t[(k + 1) % 3]}];
  }
  for (const auto& [edge, times] : count) {
    const auto back = count.find({edge.second, edge.first});
    if (times != 1 || back == count.end()) return false;
  }
  return true;
}

TEST(StpMesh, ClosedAndOnTheSurface) {
  Random random(931);
  for (int k = 0; k < 42; ++k) {
    const Points points = stp_cloud(k % kCloudSorts, 1 + random.below(12), random);
    const double least = smallest_sphere(points).radius, small = k % 3 == 0 ? 0.0 : 0.1;
    const double alpha = least * random.uniform(1.01, 4.0) + 0.1;
    const Stp stp = Stp::from_points(
        points, {.small_radius = small, .big_radius = small + alpha, .margin = 0.05});
    const StpMesh mesh = stp.to_mesh(1 + k % 5);
    SCOPED_TRACE(k);
    ASSERT_TRUE(is_closed(mesh));
    ASSERT_EQ(mesh.patches.size(), static_cast<std::size_t>(mesh.triangles.cols()));
    const BallIntersection balls(points, stp.surface().alpha());
    for (Eigen::Index i = 0; i < mesh.vertices.cols(); i += 7) {
      const Vec3 x = widen(Vector3(mesh.vertices.col(i)));
      // distance to the core from the definition: the farthest center, less alpha
      ASSERT_NEAR(static_cast<double>((x - balls.farthest(x)).norm() - balls.alpha()), small + 0.05,
                  1e-11);
    }
  }
}

TEST(StpMesh, ShareOfTheSmallSpheres) {
  // all normals of a tetrahedron's volume: what edges and faces leave is on the small spheres
  Points points(3, 4);
  points << 1, 1, -1, -1, 1, -1, 1, -1, 1, -1, -1, 1;
  const double small = 0.5, alpha = 1e4;
  const StpMesh mesh =
      Stp::from_points(points, {.small_radius = small, .big_radius = small + alpha}).to_mesh(16);
  double area[3] = {0.0, 0.0, 0.0};
  for (Eigen::Index t = 0; t < mesh.triangles.cols(); ++t) {
    const Vector3 a = mesh.vertices.col(mesh.triangles(0, t)),
                  b = mesh.vertices.col(mesh.triangles(1, t)),
                  c = mesh.vertices.col(mesh.triangles(2, t));
    area[static_cast<int>(mesh.patches[static_cast<std::size_t>(t)])] +=
        0.5 * (b - a).cross(c - a).norm();
  }
  // almost the tetrahedron of edge l with a ball around it
  const double l = std::sqrt(8.0), dihedral = std::acos(1.0 / 3.0);
  EXPECT_NEAR(area[0], 4.0 * std::numbers::pi * small * small, 0.02);
  EXPECT_NEAR(area[1], 6.0 * l * small * (std::numbers::pi - dihedral), 0.03);
  EXPECT_NEAR(area[2], std::sqrt(3.0) * l * l, 0.01);
}

TEST(StpMesh, RefusesWhatIsNoResolution) {
  const Stp stp = Stp::from_points(Points::Identity(3, 3),
                                   {.small_radius = 0.1, .big_radius = 2.0});
  EXPECT_THROW(stp.to_mesh(0), InvalidInput);
  EXPECT_THROW(stp.to_mesh(257), InvalidInput);
  EXPECT_EQ(Stp::from_points(Points::Zero(3, 1), {.big_radius = 1.0}).to_mesh(4).triangles.cols(),
            0);
}

}  // namespace
}  // namespace tactum::stp_mesh_test
