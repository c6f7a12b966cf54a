// SPDX-License-Identifier: BSD-2-Clause
// Files: every number comes back, and every cut, swap and slip is refused with its line.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/quote_text.hpp"
#include "mesh/mesh_fixtures.hpp"
#include "scene/scene_fixtures.hpp"
#include "tactum/height_field.hpp"

namespace tactum::scene_file_test {
namespace {

using testing::Random;

void expect_same(const Scene& a, const Scene& b) {
  ASSERT_EQ(a.ids(), b.ids());
  for (const SceneId id : a.ids()) {
    const SceneObject &p = a.object(id), &q = b.object(id);
    EXPECT_EQ(p.geometry, q.geometry);
    EXPECT_EQ(p.X.rotation, q.X.rotation);
    EXPECT_EQ(p.X.translation, q.X.translation);
    EXPECT_EQ(p.group, q.group);
    EXPECT_EQ(p.mask, q.mask);
    EXPECT_EQ(p.name, q.name);
    EXPECT_EQ(p.is_static, q.is_static);
    EXPECT_EQ(p.margin, q.margin);
    EXPECT_EQ(p.material, q.material);
  }
}

TEST(SceneFile, EveryNumberComesBack) {
  Random random(51);
  Scene scene = testing::random_scene(random, 80, 2.0);
  for (const SceneId id : {3, 17, 40}) scene.remove(id);
  scene.add({.geometry = Shape(Box{.half_extents = {1e-30, 0.1, 1e30}}),
             .name = "  two spaces, # and \xC3\xA9 ",
             .is_static = true,
             .margin = 0.1,
             .material = {.friction = 0.3, .restitution = 0.2, .compliance = 1e-7}});
  scene.set_pairs(std::vector<std::pair<SceneId, SceneId>>{{5, 4}, {20, 79}});
  scene.add({.geometry = Shape(Sphere{.radius = 1.0})});
  scene.forbid(4, 17);
  const Scene again = Scene::from_text(scene.to_text());
  expect_same(scene, again);
  EXPECT_EQ(again.to_text(), scene.to_text());
  EXPECT_EQ(Scene::from_text(Scene().to_text()).size(), 0U);
}

TEST(SceneFile, SharedShapesAreWrittenOnce) {
  const Shape hull(Convex::from_points(Points::Random(3, 50)));
  Scene scene;
  for (int i = 0; i < 10; ++i) scene.add({.geometry = hull, .X = {.translation = {1.0 * i, 0, 0}}});
  scene.add({.geometry = Compound({{hull, {}}, {hull, {.translation = {0, 1, 0}}}})});
  const std::string text = scene.to_text();
  EXPECT_EQ(text.find("shape"), text.rfind("shape"));
}

/// A height field comes back as one, with the same bits, and not as its prisms.
TEST(SceneFile, HeightFieldsComeBack) {
  Random random(57);
  Eigen::MatrixXd heights(4, 6);
  for (double& height : heights.reshaped()) height = random.uniform(-1.0, 1.0);
  const HeightField field(heights, {0.1, 1.0 / 3.0}, -1.7);
  Scene scene;
  scene.add({.geometry = field, .name = "ground"});
  scene.add({.geometry = field, .X = {.translation = {9.0, 0.0, 0.0}}});
  const Compound parts({field.parts().begin(), field.parts().end()});
  scene.add({.geometry = parts});
  const std::string text = scene.to_text();
  EXPECT_EQ(text.find("heightfield"), text.rfind("heightfield"));
  const Scene again = Scene::from_text(text);
  expect_same(scene, again);
  EXPECT_EQ(again.to_text(), text);
  const Compound& compound = *again.object(0).geometry.compound();
  const HeightField same(compound);
  EXPECT_EQ(same.heights(), heights);
  EXPECT_EQ(same.spacing(), field.spacing());
  EXPECT_EQ(same.base(), -1.7);
  EXPECT_EQ(again.object(2).geometry.compound()->height_grid(), nullptr);
  EXPECT_THROW(HeightField{parts}, InvalidInput);
}

/// 50 176 cells that are not level are 100 352 prisms, more than a compound in a file had.
TEST(SceneFile, LargeHeightFieldsComeBack) {
  Eigen::MatrixXd heights(225, 225);
  for (Eigen::Index i = 0; i < heights.rows(); ++i)
    for (Eigen::Index j = 0; j < heights.cols(); ++j)
      heights(i, j) = 0.01 * static_cast<double>((i * j) % 7);
  heights.array() += Eigen::ArrayXXd::Random(225, 225) * 1e-3;
  Scene scene;
  scene.add({.geometry = HeightField(heights, {0.1, 0.1})});
  EXPECT_GT(scene.object(0).geometry.num_parts(), 100'000);
  const std::string text = scene.to_text();
  EXPECT_LT(text.size(), 2'000'000U);
  EXPECT_EQ(Scene::from_text(text).object(0).geometry, scene.object(0).geometry);
}

/// What is saved can be loaded: a compound in a file has no limit of its own.
TEST(SceneFile, CompoundsOfManyPartsComeBack) {
  const Shape ball(Sphere{.radius = 1.0});
  std::vector<CompoundPart> parts;
  for (int i = 0; i < 100'001; ++i) parts.push_back({ball, {.translation = {1.0 * i, 0.0, 0.0}}});
  Scene scene;
  scene.add({.geometry = Compound(parts)});
  EXPECT_EQ(Scene::from_text(scene.to_text()).object(0).geometry, scene.object(0).geometry);
}

TEST(SceneFile, FilesAreReplacedWhole) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                       "tactum_scene_file_test";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "a.scene").string();
  Random random(52);
  const Scene scene = testing::random_scene(random, 10, 1.0);
  scene.save(path);
  expect_same(scene, Scene::load(path));
  Scene().save(path);
  EXPECT_EQ(Scene::load(path).size(), 0U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  EXPECT_THROW(scene.save((folder / "none" / "a.scene").string()), InvalidInput);
  EXPECT_THROW(Scene::load((folder / "none").string()), InvalidInput);
  EXPECT_THROW(Scene::load(folder.string()), InvalidInput);
  std::filesystem::remove_all(folder);
}

std::string refused(const std::string& text) {
  try {
    Scene::from_text(text);
  } catch (const InvalidInput& error) {
    return error.field();
  }
  return "accepted";
}

TEST(SceneFile, WhatIsWrongIsNamedByItsLine) {
  const std::string pose = " 1 0 0 0 1 0 0 0 1 0 0 0";
  const std::string begin = "tactum-scene 1\nshape Sphere 0.0 1.0\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "scene file, line 0"},
      {"tactum-scene 2\nend\n", "scene file, line 1"},
      {"\x7F"
       "ELF",
       "scene file, line 1"},
      {begin, "scene file, line 2"},                                        // cut short
      {begin + "object 0 1 1 1" + pose + "\nend\n", "scene file, line 3"},  // no geometry 1
      {begin + "object 0 0 1 4294967296" + pose + "\nend\n", "scene file, line 3"},
      {begin + "object 0 0 1 1 1 0 0 0 1 0 0 0 1 0 0 nan\nend\n", "scene file, line 3"},
      // no rotation
      {begin + "object 0 0 1 1 2 0 0 0 1 0 0 0 1 0 0 0\nend\n", "scene file, line 3"},
      {begin + "object 5 0 1 1" + pose + "\nobject 4 0 1 1" + pose + "\nend\n",
       "scene file, line 4"},
      {begin + "object 2147483647 0 1 1" + pose + "\nend\n", "scene file, line 3"},
      {begin + "object -1 0 1 1" + pose + "\nend\n", "scene file, line 3"},
      {begin + "object 0 0 1 1" + pose + " \xFFname\nend\n", "scene file, line 3"},  // no UTF-8
      {begin + "object 0 0 1 1" + pose + " a\tb\x01\nend\n", "scene file, line 3"},
      {begin + "end\nmore\n", "scene file, line 4"},
      {begin + "object 0 0 1 1" + pose + "\nstatic 1\nend\n", "scene file, line 4"},
      {begin + "object 0 0 1 1" + pose + "\nmargin 0 -1\nend\n", "scene file, line 4"},
      {begin + "object 0 0 1 1" + pose + "\nmaterial 0 1 2 0\nend\n", "scene file, line 4"},
      {begin + "object 0 0 1 1" + pose + "\nmaterial 0 1\nend\n", "scene file, line 4"},
      {begin + "object 0 0 1 1" + pose + "\nforbid 0 0\nend\n", "scene file, line 4"},
      {begin + "object 0 0 1 1" + pose + "\nallow 0\nend\n", "scene file, line 4"},
      {begin + "closed 0\nobject 0 0 1 1" + pose + "\nend\n", "scene file, line 3"},
      {begin + "shape Torus 0 1 2\nend\n", "scene file, line 3"},
      {begin + "shape Box 0 1 -1 1\nend\n", "scene file, line 3"},
      {begin + "shape Box 0 1 1 1 1\nend\n", "scene file, line 3"},
      // more than the file holds
      {begin + "shape Convex 0 1000000000 0\n0 0 0\nend\n", "scene file, line 3"},
      {begin + "shape Convex 0 2 1\n0 0 0\n1 0 0\n0 1 2\nend\n", "scene file, line 6"},
      {begin + "compound 2\n0" + pose + "\nend\n# padding, so that the count could be right\n",
       "scene file, line 5"},
      {begin + "compound 1\n0" + pose + "\ncompound 1\n1" + pose + "\nend\n", "scene file, line 6"},
      {begin + "shape Sphere 0 0x10\nend\n", "scene file, line 3"},
      {begin + "heightfield 2 2 1 1 -1\n0 0\n0 0 0\nend\n", "scene file, line 5"},
      {begin + "heightfield 2 2 1 1 -1\n0 0\n0\nend\n", "scene file, line 5"},
      {begin + "heightfield 2 2 1 1 -1\n0 0\nend\n", "scene file, line 5"},
      {begin + "heightfield 2 2 1 0 -1\n0 0\n0 0\nend\n", "scene file, line 5"},
      {begin + "heightfield 2 2 1 1 0\n0 0\n0 0\nend\n", "scene file, line 5"},
      {begin + "heightfield 1 2 1 1 -1\n0 0\nend\n", "scene file, line 3"},
      {begin + "heightfield 2 1000000000 1 1 -1\n0 0\n0 0\nend\n", "scene file, line 3"},
      {begin + "heightfield 1000000000 2 1 1 -1\n0 0\n0 0\nend\n", "scene file, line 3"},
      {begin + "shape Sphere 0 1e400\nend\n", "scene file, line 3"},
  };
  for (const auto& [text, field] : cases)
    EXPECT_EQ(refused(text).substr(0, field.size()), field) << text;
  EXPECT_EQ(refused(begin + "# a comment\n\n object 0 0 1 1" + pose + " name\r\nend\n"),
            "accepted");
}

TEST(SceneFile, EveryCutIsRefused) {
  Random random(53);
  Scene scene = testing::random_scene(random, 4, 1.0);
  const std::string text = scene.to_text();
  for (std::size_t size = 0; size + 5 <= text.size(); size += 7)
    EXPECT_NE(refused(text.substr(0, size)), "accepted") << size;
}

TEST(SceneFile, SpreadIdsCostNoMoreThanTheirObjects) {
  const std::string pose = " 1 0 0 0 1 0 0 0 1 0 0 0", begin = "tactum-scene 1\nshape Sphere 0 1\n";
  const std::string low = begin + "object 0 0 1 1" + pose + " x\nend\n";
  const std::size_t least = Scene::from_text(low).nbytes();
  for (const SceneId id : {999999, 1000001, 2000000000, 2147483646}) {
    const std::string text = begin + "object " + std::to_string(id) + " 0 1 1" + pose + " x\nend\n";
    Scene scene = Scene::from_text(text);
    EXPECT_EQ(scene.ids(), std::vector<SceneId>{id});
    EXPECT_LT(scene.nbytes(), least + 1000);
    EXPECT_EQ(Scene::from_text(scene.to_text()).ids(), scene.ids());
    EXPECT_EQ(scene.add(scene.object(id)), 0);
  }
}

TEST(SceneFile, MessagesAreUtf8) {
  Random random(54);
  const std::string good = testing::random_scene(random, 4, 1.0).to_text();
  for (int i = 0; i < 3000; ++i) {
    std::string text = i % 3 == 0 ? "tactum-scene 1\nx" : good;
    if (i % 3 == 0) {
      for (int k = random.below(60); k > 0; --k)
        text += random.chance(0.8) ? "\xC3\xA9" : "\xE2\x82\xAC";
      text += "\nend\n";
    } else {
      for (int k = 0; k < 4; ++k)
        text[static_cast<std::size_t>(random.below(static_cast<int>(text.size())))] =
            static_cast<char>(random.below(256));
    }
    try {
      Scene::from_text(text);
    } catch (const InvalidInput& error) {
      ASSERT_TRUE(is_utf8(error.what())) << i;
    }
  }
}

TEST(SceneFile, MeshesAreFilesBesideIt) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                       "tactum_scene_file_mesh_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const Mesh torus = testing::torus_mesh(1.0, 0.3, 6, 5).solid(),
             box = testing::box_mesh({1, 2, 3}).surface();
  Scene scene;
  scene.add(torus);
  scene.add(Shape(Sphere{.radius = 0.1}), {.translation = {1, 2, 3}});
  scene.add(box, {.translation = {4, 5, 6}}, "box");
  scene.add(torus, {.translation = {7, 8, 9}});
  const std::string path = (folder / "a.scene").string();
  scene.save(path);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "meshes"), {}), 2);
  expect_same(scene, Scene::load(path));
  const std::vector<Mesh> meshes = scene.meshes();
  EXPECT_EQ(meshes, (std::vector<Mesh>{torus, box}));
  expect_same(scene, Scene::from_text(scene.to_text(), {.meshes = meshes}));
  EXPECT_EQ(Scene::load(path).to_text(), scene.to_text());
  // without its files, the line of the first mesh is named
  EXPECT_EQ(refused(scene.to_text()), "scene file, line 2");
  std::filesystem::remove_all(folder / "meshes");
  EXPECT_THROW(Scene::load(path), InvalidInput);
  std::filesystem::remove_all(folder);
}

TEST(SceneFile, LinesOfMeshesAreChecked) {
  for (const std::string line :
       {"mesh", "mesh 12", "mesh 0123456789abcdeg solid 1 a.ply",
        "mesh 0123456789abcdef hollow 1 a.ply", "mesh 0123456789abcdef solid x a.ply",
        "mesh 0123456789abcdef solid 1", "mesh 0123456789abcdef solid 1 ../a.ply",
        "mesh 0123456789abcdef solid 1 a.ply"})
    EXPECT_EQ(refused("tactum-scene 1\n" + line + "\nend\n"), "scene file, line 2") << line;
}

}  // namespace
}  // namespace tactum::scene_file_test
