// SPDX-License-Identifier: BSD-2-Clause
// Collada files: scenes, instances, mirrors, limits.
#include <gtest/gtest.h>

#include "mesh/file/dae_fixtures.hpp"
#include "mesh/file/file_checks.hpp"

namespace tactum::read_dae_test {
namespace {

using testing::dae_document;
using testing::dae_scene;

Mesh read(const std::string& text, const MeshFileOptions& options = {}) {
  return parse_mesh(text, MeshFormat::dae, "file", options);
}

std::string refused(const std::string& text) { return testing::refusal(text, MeshFormat::dae); }

constexpr const char* kBox = "<instance_geometry url='#box'/>";

std::string node(const std::string& inside, const std::string& attributes = "") {
  return "<node " + attributes + ">" + inside + "</node>";
}

void expect_box(const Aabb& box, const Vector3& lower, const Vector3& upper) {
  EXPECT_LT((box.lower - lower).norm() + (box.upper - upper).norm(), 1e-14);
}

TEST(ReadDae, GeometriesWithoutASceneAreTakenAsTheyAre) {
  const Mesh mesh = read(dae_document(""), {.solid = true});
  EXPECT_EQ(mesh.triangles().cols(), 12);
  EXPECT_DOUBLE_EQ(mesh.volume(), 6.0);
}

TEST(ReadDae, NodesPlaceGeometries) {
  const std::string inner = node("<translate>1 0 0</translate>" + std::string(kBox));
  const Mesh mesh = read(
      dae_document(dae_scene(node("<rotate>0 0 1 90</rotate><scale>2 2 2</scale>" + inner))),
      {.solid = true});
  EXPECT_DOUBLE_EQ(mesh.volume(), 48.0);
  expect_box(mesh.aabb(), {-4, 2, 0}, {0, 4, 6});
}

TEST(ReadDae, EveryInstanceIsShownOnce) {
  const std::string twice = node(node(kBox, "id='one'") + node("<translate>5 0 0</translate>"
                                                               "<instance_node url='#one'/>"));
  const Mesh mesh = read(dae_document(dae_scene(twice)), {.solid = true});
  EXPECT_EQ(mesh.report().num_components, 2);
  EXPECT_DOUBLE_EQ(mesh.volume(), 12.0);
  expect_box(mesh.aabb(), {0, 0, 0}, {6, 2, 3});
  // a geometry that no node shows is not there
  EXPECT_EQ(refused(dae_document(dae_scene(node("")))),
            "file: got no vertices; give a mesh with vertices");
}

TEST(ReadDae, MirrorsKeepTheOutside) {
  for (const char* const scale : {"-1 1 1", "-1 -1 -1", "1 -2 1"}) {
    const Mesh mesh = read(
        dae_document(dae_scene(node(std::string("<scale>") + scale + "</scale>" + kBox))),
        {.solid = true});
    EXPECT_GT(mesh.volume(), 0.0) << scale;
  }
}

TEST(ReadDae, UnitUpAxisAndScaleAreProducts) {
  const std::string file = dae_document(dae_scene(node(kBox)), "<unit meter='0.01'/>");
  expect_box(read(file).aabb(), {0, 0, 0}, {0.01, 0.02, 0.03});
  expect_box(read(file, {.scale = 2.0}).aabb(), {0, 0, 0}, {0.02, 0.04, 0.06});
  std::string y_up = file;
  y_up.replace(y_up.find("Z_UP"), 4, "Y_UP");
  expect_box(read(y_up).aabb(), {0, -0.03, 0}, {0.01, 0, 0.02});
  expect_box(read(y_up, {.apply_up_axis = false}).aabb(), {0, 0, 0}, {0.01, 0.02, 0.03});
}

TEST(ReadDae, BadReferencesAreNamedByLine) {
  EXPECT_EQ(refused(dae_document(dae_scene("\n<node>\n<instance_geometry url='#cube'/></node>"))),
            "file:11: got url '#cube'; name a <geometry> of the same file as #id");
  EXPECT_NE(refused(dae_document(dae_scene("<node><instance_geometry url='b.dae#box'/></node>"))),
            "");
  EXPECT_NE(refused(dae_document(dae_scene("<node><instance_geometry/></node>"))), "");
  EXPECT_NE(refused(dae_document(dae_scene("<node><instance_controller url='#c'/></node>"))), "");
  EXPECT_EQ(refused("<robot/>"), "file:1: got root element 'robot'; give a file of COLLADA");
  EXPECT_EQ(refused("<!DOCTYPE a><COLLADA/>"),
            "file:1: got '<!DOCTYPE'; remove DOCTYPE and declarations: they are not read");
}

TEST(ReadDae, NodesThatShowThemselvesAreRefused) {
  EXPECT_NE(refused(dae_document(dae_scene(
                        node(std::string(kBox) + "<instance_node url='#loop'/>", "id='loop'"))))
                .find("nodes inside each other"),
            std::string::npos);
}

TEST(ReadDae, InstancesThatDoubleAreRefusedSoon) {
  // 40 levels, each with two instances of the next: 2^40 boxes
  std::string levels;
  for (int i = 0; i < 40; ++i) {
    const std::string next = "<instance_node url='#n" + std::to_string(i + 1) + "'/>";
    levels += node(next + next, "id='n" + std::to_string(i) + "'");
  }
  levels += node(kBox, "id='n40'");
  const std::string message = refused(
      dae_document("<library_nodes>" + levels + "</library_nodes>" +
                   dae_scene("<node><instance_node url='#n0'/></node>")));
  EXPECT_TRUE(message.find("show a geometry fewer times") != std::string::npos ||
              message.find("too many nodes") != std::string::npos)
      << message;
}

TEST(ReadDae, PolygonsHaveThreeCornersOrMoreAndNotTooMany) {
  const std::string two =
      R"(<polygons><input semantic="VERTEX" source="#v"/><p>0 1</p></polygons>)";
  EXPECT_EQ(refused(dae_document("", "", two)), "file:7: got 2 corners; give three or more");
  std::string many = R"(<polygons><input semantic="VERTEX" source="#v"/><p>)";
  for (int i = 0; i < 1001; ++i) many += "0 ";
  EXPECT_NE(refused(dae_document("", "", many + "</p></polygons>")), "");
}

/// A good file with one number of its coordinates replaced.
std::string with_number(const std::string& number) {
  std::string text = dae_document("");
  return text.replace(text.find("0 0 0  1 0 0"), 1, number);
}

TEST(ReadDae, HostileFilesAreRefused) {
  for (const char* const number : {"nan", "-inf", "1e400", "0,5", "1e31", "0x1", "--1"})
    EXPECT_NE(refused(with_number(number)).find(std::string("got '") + number), std::string::npos)
        << number;
  EXPECT_EQ(refused(with_number("1e-400")), "");
  // one number too many or too few for the count
  EXPECT_NE(refused(with_number("0 0")).find("count 24"), std::string::npos);
  EXPECT_NE(refused(with_number("")).find("count 24"), std::string::npos);
  EXPECT_NE(refused(with_number("&evil;")).find("entity"), std::string::npos);
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "<node>";
  EXPECT_NE(refused(dae_document("<library_nodes>" + deep)).find("nest at most 256"),
            std::string::npos);
  const std::string good = dae_document("");
  EXPECT_EQ(refused(good), "");
  EXPECT_EQ(refused("\xEF\xBB\xBF" + good), "");
  for (const std::size_t size : {0UL, 10UL, 100UL, good.size() / 2, good.size() - 2})
    EXPECT_NE(refused(good.substr(0, size)), "") << size;
}

TEST(ReadDae, TheFileMayBeAsLongAsTheOptionsSay) {
  const std::string good = dae_document("");
  EXPECT_NE(testing::refusal(good, MeshFormat::dae, {.max_bytes = good.size() - 1}), "");
  EXPECT_EQ(testing::refusal(good, MeshFormat::dae, {.max_bytes = good.size()}), "");
}

TEST(ReadDae, CoordinatesStayInRange) {
  EXPECT_NE(refused(dae_document(dae_scene(node("<scale>1e30 1 1</scale>" + std::string(kBox))),
                                 "<unit meter='1e10'/>")),
            "");
}

}  // namespace
}  // namespace tactum::read_dae_test
