// SPDX-License-Identifier: BSD-2-Clause
// Reports of meshes that were damaged in a known way.
#include <gtest/gtest.h>

#include "mesh/mesh_fixtures.hpp"

namespace tactum::mesh_report_test {
namespace {

using testing::box_mesh;
using testing::RawMesh;

/// Two meshes as one.
RawMesh joined(const RawMesh& a, const RawMesh& b) {
  RawMesh both{Points(3, a.vertices.cols() + b.vertices.cols()),
               Triangles(3, a.triangles.cols() + b.triangles.cols())};
  both.vertices << a.vertices, b.vertices;
  both.triangles << a.triangles,
      (b.triangles.array() + static_cast<std::int32_t>(a.vertices.cols())).matrix();
  return both;
}

TEST(MeshReport, ABoxIsWhatItShouldBe) {
  const MeshReport report = box_mesh({1, 2, 3}).surface().report();
  EXPECT_TRUE(report.closed && report.manifold && report.oriented);
  EXPECT_EQ(report.num_components, 1);
  EXPECT_NEAR(report.volume, 48.0, 1e-13);
  EXPECT_NEAR(report.area, 88.0, 1e-13);
  EXPECT_EQ(report.num_duplicate_vertices + report.num_duplicate_triangles +
                report.num_degenerate_triangles + report.num_unused_vertices,
            0);
  EXPECT_EQ(report.first_offending_edge, (std::array<std::int32_t, 2>{-1, -1}));
}

TEST(MeshReport, ATorusOfManyTrianglesComesNearItsVolume) {
  const MeshReport report = testing::torus_mesh(2.0, 0.5, 200, 100).surface().report();
  const double pi = std::numbers::pi;
  EXPECT_TRUE(report.closed && report.manifold && report.oriented);
  EXPECT_NEAR(report.volume, 2 * pi * pi * 2.0 * 0.25, 2e-2);
  EXPECT_NEAR(report.area, 4 * pi * pi * 2.0 * 0.5, 2e-2);
}

TEST(MeshReport, AMissingTriangleLeavesThreeBoundaryEdges) {
  RawMesh raw = box_mesh({1, 1, 1});
  raw.triangles.conservativeResize(3, 11);
  const MeshReport report = raw.surface().report();
  EXPECT_FALSE(report.closed);
  EXPECT_TRUE(report.manifold && report.oriented);
  EXPECT_EQ(report.num_boundary_edges, 3);
  EXPECT_EQ(report.volume, 0.0);
  const auto [a, b] = report.first_offending_edge;
  int sides = 0;  // the edge is a side of the first triangle that has an open one
  for (int t = 0; t < 11; ++t)
    for (int k = 0; k < 3; ++k)
      sides += raw.triangles(k, t) == a && raw.triangles((k + 1) % 3, t) == b ? 1 : 0;
  EXPECT_EQ(sides, 1);
}

TEST(MeshReport, ATurnedTriangleIsMisorientedAtThreeEdges) {
  RawMesh raw = box_mesh({1, 1, 1});
  std::swap(raw.triangles(0, 7), raw.triangles(1, 7));
  const MeshReport report = raw.surface().report();
  EXPECT_TRUE(report.closed && report.manifold);
  EXPECT_FALSE(report.oriented);
  EXPECT_EQ(report.num_misoriented_edges, 3);
}

TEST(MeshReport, TwoBoxesAreTwoComponents) {
  RawMesh second = box_mesh({1, 1, 1});
  second.vertices.row(0).array() += 5.0;
  const MeshReport report = joined(box_mesh({1, 1, 1}), second).surface().report();
  EXPECT_EQ(report.num_components, 2);
  EXPECT_TRUE(report.closed && report.manifold && report.oriented);
  EXPECT_NEAR(report.volume, 16.0, 1e-13);
}

TEST(MeshReport, BoxesThatShareAnEdgeOrACornerAreNoManifold) {
  RawMesh second = box_mesh({1, 1, 1});
  second.vertices.colwise() += Vector3(2, 2, 0);
  const MeshReport edge = joined(box_mesh({1, 1, 1}), second).surface().report();
  EXPECT_EQ(edge.num_non_manifold_edges, 1);
  EXPECT_EQ(edge.num_duplicate_vertices, 2);
  EXPECT_TRUE(edge.closed && edge.oriented);
  EXPECT_FALSE(edge.manifold);
  second.vertices.row(2).array() += 2.0;
  const MeshReport corner = joined(box_mesh({1, 1, 1}), second).surface().report();
  EXPECT_EQ(corner.num_non_manifold_edges, 0);
  EXPECT_EQ(corner.num_duplicate_vertices, 1);
  EXPECT_EQ(corner.num_components, 1);
  EXPECT_FALSE(corner.manifold);
}

TEST(MeshReport, ASoupOfCornersIsJudgedAsTheSurface) {
  const RawMesh box = box_mesh({1, 1, 1});
  RawMesh soup{Points(3, 36), Triangles(3, 12)};
  for (int i = 0; i < 36; ++i) {
    soup.vertices.col(i) = box.vertices.col(box.triangles(i % 3, i / 3));
    soup.triangles(i % 3, i / 3) = i;
  }
  soup.vertices(0, 7) *= 1.0 + 1e-16;
  const MeshReport report = soup.surface().report();
  EXPECT_TRUE(report.closed && report.manifold && report.oriented);
  EXPECT_EQ(report.num_duplicate_vertices, 28);
  EXPECT_EQ(report.num_components, 1);
  EXPECT_NEAR(report.volume, 8.0, 1e-14);
}

TEST(MeshReport, CountsWhatIsTwiceFlatOrUnused) {
  RawMesh raw = box_mesh({1, 1, 1});
  raw.vertices.conservativeResize(3, 10);
  raw.vertices.col(8) = Vector3(9, 9, 9);
  raw.vertices.col(9) = raw.vertices.col(0);
  raw.triangles.conservativeResize(3, 15);
  raw.triangles.col(12) << raw.triangles(1, 3), raw.triangles(0, 3), raw.triangles(2, 3);
  raw.triangles.col(13) << 0, 1, 0;
  raw.triangles.col(14) << 0, 9, 1;
  const MeshReport report = raw.surface().report();
  EXPECT_EQ(report.num_duplicate_triangles, 2);  // the copy of 3, and 14, which is 13 again
  EXPECT_EQ(report.num_degenerate_triangles, 2);
  EXPECT_EQ(report.num_unused_vertices, 1);
  EXPECT_EQ(report.num_duplicate_vertices, 1);
}

TEST(MeshReport, OneTriangleIsOpen) {
  Triangles one(3, 1);
  one << 0, 1, 2;
  const MeshReport report = Mesh(Points::Identity(3, 3), one).report();
  EXPECT_FALSE(report.closed);
  EXPECT_EQ(report.num_boundary_edges, 3);
  const MeshReport flat = Mesh(Points::Zero(3, 3), one).report();
  EXPECT_FALSE(flat.closed);
  EXPECT_EQ(flat.num_degenerate_triangles, 1);
  EXPECT_EQ(flat.area, 0.0);
}

}  // namespace
}  // namespace tactum::mesh_report_test
