// SPDX-License-Identifier: BSD-2-Clause
// STL files, text and binary, good and bad.
#include <gtest/gtest.h>

#include "mesh/file/file_checks.hpp"
#include "mesh/mesh_fixtures.hpp"

namespace tactum::read_stl_test {
namespace {

using testing::append;
using testing::append_float;
using testing::binary_stl;
using testing::RawMesh;

std::string refused(std::string_view bytes) { return testing::refusal(bytes, MeshFormat::stl); }

constexpr const char* triangle =
    "solid a name\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n"
    "   vertex 0 1 -0.0\n  endloop\n endfacet\nendsolid a name\n";

TEST(ReadStl, BinaryCornersBecomeSharedVertices) {
  for (const char* const title : {"a box", "solid box"}) {  // the title says nothing
    const Mesh mesh = parse_mesh(binary_stl(testing::box_mesh({1, 2, 3}), title), MeshFormat::stl,
                                 "file", {.scale = 0.5, .solid = true});
    EXPECT_EQ(mesh.vertices().cols(), 8);
    EXPECT_EQ(mesh.triangles().cols(), 12);
    EXPECT_NEAR(mesh.volume(), 6.0, 1e-14);
  }
}

TEST(ReadStl, TextIsReadWordByWord) {
  const Mesh mesh = parse_mesh(triangle, MeshFormat::stl, "file");
  EXPECT_EQ(mesh.vertices().cols(), 3);
  EXPECT_EQ(mesh.vertices().col(2), Vector3(0, 1, 0));
  std::string one_line = std::string(triangle) + triangle;
  EXPECT_EQ(parse_mesh(one_line, MeshFormat::stl, "file").triangles().cols(), 2);
  EXPECT_EQ(refused("solid\nfacet normal 0 0 1\nouter loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 "
                    "endloop endfacet endsolid"),
            "");
}

TEST(ReadStl, AFileIsBinaryExactlyWhereItsSizeSaysSo) {
  std::string bytes = binary_stl(testing::box_mesh({1, 1, 1}));
  EXPECT_EQ(refused(bytes), "");
  EXPECT_EQ(refused(bytes + "x"),
            "file: got 685 bytes that state 12 triangles; give text that begins with solid, or a "
            "binary file of 84 + 50 n bytes for n triangles");
  bytes[83] = '\x7f';  // 2 billion triangles
  EXPECT_EQ(refused(bytes).find("file: got 684 bytes that state 2130706444 triangles"), 0U);
  EXPECT_EQ(refused("").find("file: got 0 bytes; give text"), 0U);
  const std::string none = binary_stl({Points(3, 0), Triangles(3, 0)});
  EXPECT_EQ(refused(none), "file: got no vertices; give a mesh with vertices");
}

TEST(ReadStl, RefusesByLineAndByTriangle) {
  std::string bytes = binary_stl(testing::box_mesh({1, 1, 1}));
  std::string nan;
  append_float(nan, std::nanf(""));
  bytes.replace(84 + 50 * 7 + 12, 4, nan);
  EXPECT_EQ(refused(bytes).find(
                "file: got triangle 7 with a coordinate that is not finite or above 1e30"),
            0U);
  const std::string text = triangle;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    return refused(changed.replace(changed.find(from), from.size(), to));
  };
  EXPECT_EQ(with("vertex 1 0 0", "vertex 1 0 inf"),
            "file:5: got 'inf'; give a finite number of at most 1e30");
  EXPECT_EQ(with("vertex 1 0 0", "vertex 1 0"), "file:6: got 'vertex'; give a number, as 1.5");
  EXPECT_EQ(with("   vertex 1 0 0\n", ""), "file:6: got 'endloop'; go on with vertex");
  EXPECT_EQ(with("  endloop\n endfacet\nendsolid a name\n", ""),
            "file:6: got the end of the file; go on with endloop");
  EXPECT_EQ(with("endsolid", "nonsense"), "file:9: got 'nonsense'; begin with facet or endsolid");
  EXPECT_EQ(refused("solid empty\nendsolid"), "file: got no vertices; give a mesh with vertices");
}

}  // namespace
}  // namespace tactum::read_stl_test
