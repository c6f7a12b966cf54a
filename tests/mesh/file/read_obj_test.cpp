// SPDX-License-Identifier: BSD-2-Clause
// OBJ files, good and bad.
#include <gtest/gtest.h>

#include "mesh/file/file_checks.hpp"

namespace tactum::read_obj_test {
namespace {

using testing::refusal;

Mesh read(std::string_view text, const MeshFileOptions& options = {}) {
  return parse_mesh(text, MeshFormat::obj, "file", options);
}
std::string refused(std::string_view text, const MeshFileOptions& options = {}) {
  return refusal(text, MeshFormat::obj, options);
}

constexpr std::string_view corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

TEST(ReadObj, TakesVerticesAndFacesAndSkipsTheRest) {
  const Mesh mesh = read(
      "# comment\r\nmtllib a.mtl\no part\nv 0 0 0 1.0\nv 1 0 0 0.5 0.5 0.5\nvn 0 0 1\nvt 0 0\n"
      "v +1.0 1e0 .0\nv 0 1 0\nusemtl x\ns off\nf 1/1/1 2//1 3/2 4 # quad\nl 1 2\ng end\nf -4 -3 "
      "\\\n -1");
  EXPECT_EQ(mesh.vertices().cols(), 4);
  ASSERT_EQ(mesh.triangles().cols(), 3);
  EXPECT_EQ(mesh.vertices().col(2), Vector3(1, 1, 0));
  EXPECT_EQ(mesh.triangles().col(2), Eigen::Vector3i(0, 1, 3));
  EXPECT_NEAR(mesh.area(), 1.5, 1e-15);
}

TEST(ReadObj, ScalesWhatItReads) {
  const Mesh mesh = read(std::string(corners) + "f 1 2 3\n", {.scale = 1e-3});
  EXPECT_EQ(mesh.vertices()(0, 1), 1e-3);
  EXPECT_EQ(refused(corners, {.scale = 0.0}), "scale: got 0; give a number from 1e-30 to 1e30");
}

TEST(ReadObj, AFaceMayComeBeforeItsVertices) {
  EXPECT_EQ(read("f 1 2 3\n" + std::string(corners)).triangles().cols(), 1);
}

TEST(ReadObj, RefusesByLine) {
  const std::string good(corners);
  EXPECT_EQ(refused(""), "file: got no vertices; give a mesh with vertices");
  EXPECT_EQ(refused(good), "file: got no faces; give a mesh with faces");
  EXPECT_EQ(refused(good + "f 1 2 4"), "file:4: got vertex 4; the file has 3 vertices");
  EXPECT_EQ(refused(good + "\nf 1 2 0"),
            "file:5: got vertex 0; give indices from 1, or from -1 back; so far there are 3 "
            "vertices");
  EXPECT_EQ(refused(good + "f 1 2 -4").find("file:4: got vertex -4"), 0U);
  EXPECT_EQ(refused(good + "f 1 2 99999999999").find("file:4: got vertex 99999999999"), 0U);
  EXPECT_EQ(refused(good + "f 1 2"), "file:4: got 2 corners; give three or more");
  EXPECT_EQ(refused(good + "f 1 x 3"), "file:4: got 'x'; give an integer");
  EXPECT_EQ(refused("v 0 0\n"), "file:1: got ''; give a number, as 1.5");
  EXPECT_EQ(refused("v 0 0 nan\n"), "file:1: got 'nan'; give a finite number of at most 1e30");
  EXPECT_EQ(refused("v 0 0 1e400\n"), "file:1: got '1e400'; give a finite number of at most 1e30");
  EXPECT_EQ(refused("v 0 0 1,5\n"), "file:1: got '1,5'; write numbers with a point, as 1.5");
  EXPECT_EQ(refused(good + "v 1e30 0 0\nf 1 2 4", {.scale = 2.0}).find("file: Mesh.vertices[3]"),
            0U);
  EXPECT_EQ(refused(good + "f 1 2 3", {.solid = true})
                .find("file: Mesh.solid: got a mesh that is "
                      "not closed"),
            0U);
}

TEST(ReadObj, LimitsCanBeSet) {
  const std::string quad = std::string(corners) + "v 1 1 0\nf 1 2 4 3";
  EXPECT_EQ(refused(quad), "");
  EXPECT_EQ(refused(quad, {.max_corners = 3}), "file:5: got 4 corners; give at most 3");
  EXPECT_EQ(refused(quad, {.max_bytes = 10}).find("file: got 41 bytes; raise max_bytes"), 0U)
      << refused(quad, {.max_bytes = 10});
  EXPECT_EQ(refused(quad, {.max_line_bytes = 7}).find("file:5: got a line of 9 bytes"), 0U);
}

}  // namespace
}  // namespace tactum::read_obj_test
