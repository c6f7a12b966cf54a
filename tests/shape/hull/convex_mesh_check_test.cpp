// SPDX-License-Identifier: BSD-2-Clause
#include "shape/hull/convex_mesh_check.hpp"

#include <gtest/gtest.h>

#include <string>

#include "shape/hull/convex_polytope.hpp"
#include "shape/point_clouds.hpp"
#include "tactum/status.hpp"

namespace tactum::convex_mesh_check_test {
namespace {

struct Solid {
  Points vertices;
  Triangles faces;
};

Solid tetrahedron() {
  Solid solid{Points::Zero(3, 4), Triangles(3, 4)};
  solid.vertices.rightCols(3).setIdentity();
  solid.faces << 0, 0, 0, 1,  //
      2, 1, 3, 2,             //
      1, 3, 2, 3;
  return solid;
}

std::string error_of(const Solid& solid) {
  try {
    check_closed_mesh(solid.vertices, solid.faces);
    check_mesh_is_convex(solid.vertices, solid.faces, [&](const Vector3& direction) {
      Eigen::Index farthest = 0;
      (direction.transpose() * solid.vertices).maxCoeff(&farthest);
      return static_cast<int>(farthest);
    });
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

void expect_error(const Solid& solid, const std::string& field, const std::string& value) {
  const std::string text = error_of(solid);
  EXPECT_EQ(text.find(field + ": got " + value), 0U) << text;
}

TEST(ConvexMeshCheck, AcceptsEveryHull) {
  EXPECT_EQ(error_of(tetrahedron()), "");
  for (const auto& [name, points] : testing::solid_clouds()) {
    const Convex hull = Convex::from_points(points);
    EXPECT_EQ(error_of({hull.vertices(), hull.faces()}), "") << name;
  }
}

TEST(ConvexMeshCheck, AcceptsTheThinnestPlates) {
  testing::Random random(31);
  for (int trial = 0; trial < 300; ++trial) {
    const Vector3 size(1.0, random.log_uniform(1e-15, 1.0), random.log_uniform(1e-15, 1.0));
    const Points points = random.rotation() *
                          (size.asDiagonal() * testing::box_points(4 + random.below(12), random));
    const Convex hull = Convex::from_points(points);
    if (hull.dimension() == 3) {
      EXPECT_EQ(error_of({hull.vertices(), hull.faces()}), "") << trial;
    }
  }
}

TEST(ConvexMeshCheck, IndicesOutOfRangeAndRepeated) {
  Solid solid = tetrahedron();
  solid.faces(1, 2) = 4;
  expect_error(solid, "Convex.faces[2]", "vertex index 4; give indices from 0 to 3");
  solid.faces(1, 2) = -1;
  expect_error(solid, "Convex.faces[2]", "vertex index -1");
  solid.faces(1, 2) = 0;
  expect_error(solid, "Convex.faces[2]", "vertex 0 twice");
}

TEST(ConvexMeshCheck, TooFew) {
  Solid solid = tetrahedron();
  expect_error({solid.vertices, solid.faces.leftCols(3)}, "Convex", "4 vertices and 3 faces");
  expect_error({solid.vertices.leftCols(3), solid.faces}, "Convex", "3 vertices and 4 faces");
}

TEST(ConvexMeshCheck, UnusedVertex) {
  Solid solid = tetrahedron();
  Points more(3, 5);
  more << solid.vertices, Vector3(0.1, 0.1, 0.1);
  expect_error({more, solid.faces}, "Convex.vertices[4]", "a vertex that no face uses");
}

TEST(ConvexMeshCheck, OpenSurface) {
  const Convex cube = Convex::from_points(testing::grid_points(2));
  const std::string text = error_of({cube.vertices(), cube.faces().leftCols(11)});
  EXPECT_EQ(text.find("Convex.faces["), 0U) << text;
  EXPECT_NE(text.find("without a face on its other side"), std::string::npos) << text;
}

TEST(ConvexMeshCheck, OneFaceTurned) {
  Solid solid = tetrahedron();
  solid.faces.col(1).reverseInPlace();
  EXPECT_NE(error_of(solid).find("in the same direction as face"), std::string::npos);
}

TEST(ConvexMeshCheck, AllFacesTurned) {
  Solid solid = tetrahedron();
  solid.faces = solid.faces.colwise().reverse().eval();
  expect_error(solid, "Convex.faces", "volume -0.1666");
}

TEST(ConvexMeshCheck, TwoSolids) {
  const Solid solid = tetrahedron();
  Solid both{Points(3, 8), Triangles(3, 8)};
  both.vertices << solid.vertices, solid.vertices.colwise() + Vector3(5, 0, 0);
  both.faces << solid.faces, (solid.faces.array() + 4).matrix();
  expect_error(both, "Convex.faces", "V - E + F = 4");
}

TEST(ConvexMeshCheck, DentsAreFoundFromOneBillionth) {
  // an octahedron with one vertex pushed in past its neighbors' plane
  Points points(3, 6);
  points << 1, -1, 0, 0, 0, 0,  //
      0, 0, 1, -1, 0, 0,        //
      0, 0, 0, 0, 1, -1;
  const Convex hull = Convex::from_points(points);
  ASSERT_EQ(hull.num_vertices(), 6);
  for (const auto& [height, accepted] : {std::pair(1e-6, true), std::pair(-1e-10, true),
                                         std::pair(-1e-7, false), std::pair(-0.5, false)}) {
    Points dented = hull.vertices();
    dented(2, 4) = height;
    const std::string text = error_of({dented, hull.faces()});
    EXPECT_EQ(text.empty(), accepted) << height << ": " << text;
    if (!accepted) {
      EXPECT_NE(text.find("in front of it by"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace tactum::convex_mesh_check_test
