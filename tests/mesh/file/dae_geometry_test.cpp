// SPDX-License-Identifier: BSD-2-Clause
// Geometries of Collada: every primitive, and every count and index that does not fit.
#include "mesh/file/dae_geometry.hpp"

#include <gtest/gtest.h>

#include "mesh/file/dae_fixtures.hpp"
#include "tactum/status.hpp"

namespace tactum::dae_geometry_test {
namespace {

DaeGeometry geometry_of(const std::string& mesh) {
  return read_dae_geometry(parse_xml("<geometry>" + mesh + "</geometry>", "a.dae"));
}

DaeGeometry primitive(const std::string& name, const std::string& rest,
                      const std::string& inputs = "") {
  return geometry_of(testing::dae_box_mesh("<" + name +
                                           "><input semantic='VERTEX' source='#v' offset='0'/>" +
                                           inputs + rest + "</" + name + ">"));
}

template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

using Corners = std::vector<std::int32_t>;
using Ends = std::vector<std::size_t>;

TEST(DaeGeometry, ReadsEveryPrimitive) {
  const DaeGeometry triangles = primitive("triangles", "<p>0 1 2 3 4 5</p>");
  EXPECT_EQ(triangles.vertices.size(), 8U);
  EXPECT_EQ(triangles.vertices[7], Vector3(1, 2, 3));
  EXPECT_EQ(triangles.corners, (Corners{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(triangles.ends, (Ends{3, 6}));
  EXPECT_EQ(triangles.lines[0], 6U);
  const DaeGeometry list = primitive("polylist", "<vcount>3 4</vcount><p>0 1 2 3 4 5 6</p>");
  EXPECT_EQ(list.ends, (Ends{3, 7}));
  const DaeGeometry polygons = primitive("polygons", "<p>0 1 2</p><p>3 4 5 6 7</p>");
  EXPECT_EQ(polygons.ends, (Ends{3, 8}));
  const DaeGeometry fans = primitive("trifans", "<p>0 1 2 3</p>");
  EXPECT_EQ(fans.corners, (Corners{0, 1, 2, 0, 2, 3}));
  const DaeGeometry strips = primitive("tristrips", "<p>0 1 2 3 4</p>");
  EXPECT_EQ(strips.corners, (Corners{0, 1, 2, 2, 1, 3, 2, 3, 4}));
  EXPECT_TRUE(primitive("lines", "<p>0 1</p>").ends.empty());
  EXPECT_TRUE(geometry_of("<spline/>").ends.empty());
}

TEST(DaeGeometry, TakesTheIndexOfTheVertexAmongOthers) {
  const DaeGeometry found = primitive("triangles", "<p>0 9 9 1 9 9 2 9 9</p>",
                                      "<input semantic='NORMAL' source='#n' offset='2'/>");
  EXPECT_EQ(found.corners, (Corners{0, 1, 2}));
}

TEST(DaeGeometry, ReadsASourceOnce) {
  const std::string triangles =
      "<triangles><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p></triangles>";
  const DaeGeometry found = geometry_of(testing::dae_box_mesh(triangles + triangles));
  EXPECT_EQ(found.vertices.size(), 8U);
  EXPECT_EQ(found.ends.size(), 2U);
}

std::string with_source(const std::string& array, const std::string& accessor) {
  return "<mesh><source id='s'>" + array + "<technique_common>" + accessor +
         "</technique_common></source><vertices id='v'><input semantic='POSITION' source='#s'/>"
         "</vertices><triangles><input semantic='VERTEX' source='#v'/><p>0 0 1</p></triangles>"
         "</mesh>";
}

TEST(DaeGeometry, AccessorsSayWhereNumbersAre) {
  const DaeGeometry found = geometry_of(
      with_source("<float_array>9 1 2 3 4 5 6 7 8</float_array>",
                  "<accessor count='2' stride='4' offset='1'><param name='Z'/><param/>"
                  "<param name='X'/><param name='Y'/></accessor>"));
  EXPECT_EQ(found.vertices[0], Vector3(3, 4, 1));
  EXPECT_EQ(found.vertices[1], Vector3(7, 8, 5));
  for (const char* const accessor :
       {"<accessor count='4' stride='3'/>", "<accessor count='2' stride='3' offset='4'/>",
        "<accessor count='2147483647' stride='2147483647' offset='2147483647'/>",
        "<accessor count='2' stride='2'/>", "<accessor count='-1' stride='3'/>", "<other/>"})
    EXPECT_NE(message_of([&] {
                geometry_of(with_source("<float_array>9 1 2 3 4 5 6 7 8</float_array>", accessor));
              }),
              "")
        << accessor;
}

TEST(DaeGeometry, CountsAndIndicesHaveToFit) {
  EXPECT_EQ(message_of([] { primitive("triangles", "<p>0 1 8</p>"); }),
            "a.dae:6: got vertex 8; there are 8 vertices, counted from 0");
  EXPECT_EQ(message_of([] { primitive("triangles", "<p>0 1 2 3</p>"); }),
            "a.dae:6: got 4 corners; give three for each triangle");
  EXPECT_EQ(message_of([] { primitive("polylist", "<vcount>3 4</vcount><p>0 1 2 3 4 5</p>"); }),
            "a.dae:6: got more corners than <p> has; give counts that add up to 6");
  EXPECT_EQ(message_of([] { primitive("polylist", "<vcount>3</vcount><p>0 1 2 3</p>"); }),
            "a.dae:6: got 3 corners; give counts that add up to 4");
  EXPECT_EQ(message_of([] {
              geometry_of(with_source("<float_array count='1000000000'>1 2 3</float_array>",
                                      "<accessor count='1' stride='3'/>"));
            }),
            "a.dae:1: got count 1000000000; there are 3 numbers");
  EXPECT_NE(message_of([] {
              primitive("triangles", "<p>0 1 2</p>",
                        "<input semantic='NORMAL' source='#n' offset='64'/>");
            }),
            "");
  EXPECT_NE(message_of([] {
              primitive("triangles", "<p>0 1 2</p>",
                        "<input semantic='NORMAL' source='#n' offset='1'/>");
            }),
            "");
}

TEST(DaeGeometry, RefusesWhatItDoesNotRead) {
  EXPECT_NE(message_of([] { primitive("polygons", "<ph><p>0 1 2</p><h>3 4 5</h></ph>"); }), "");
  EXPECT_NE(message_of([] { geometry_of("<convex_mesh/>"); }), "");
  EXPECT_NE(message_of([] { geometry_of("<mesh><triangles><p>0 1 2</p></triangles></mesh>"); }),
            "");
  EXPECT_EQ(message_of([] {
              geometry_of(
                  "<mesh><triangles><input semantic='VERTEX' source='#v'/></triangles>"
                  "</mesh>");
            }),
            "a.dae:1: got source '#v'; name a <vertices> of the same mesh as #id");
}

}  // namespace
}  // namespace tactum::dae_geometry_test
