// SPDX-License-Identifier: BSD-2-Clause
// Mesh files on disk: round trips, endings, and the inputs that fuzzing has kept.
#include "tactum/mesh_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "fuzz/mesh_bytes.hpp"
#include "mesh/file/dae_fixtures.hpp"
#include "mesh/file/file_checks.hpp"
#include "mesh/mesh_fixtures.hpp"

namespace tactum::mesh_file_test {
namespace {

namespace fs = std::filesystem;
using testing::Random;

fs::path scratch(const std::string& name) {
  const fs::path folder = fs::path(::testing::TempDir()) / "tactum_mesh_file_test";
  fs::create_directories(folder);
  return folder / name;
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(MeshFile, ComesBackBitByBit) {
  Random random(21);
  for (int i = 0; i < 20; ++i) {
    const Mesh mesh = testing::triangle_soup(random, 1 + random.below(30), 10.0,
                                             random.log_uniform(1e-20, 1e20))
                          .surface();
    for (const char* const name : {"a.obj", "a.PLY", "a.Obj"}) {
      write_mesh(mesh, scratch(name));
      EXPECT_EQ(read_mesh(scratch(name)), mesh);
    }
  }
  const Mesh solid = testing::box_mesh({1, 2, 3}).solid();
  write_mesh(solid, scratch("box.ply"));
  EXPECT_EQ(read_mesh(scratch("box.ply"), {.solid = true}), solid);
}

TEST(MeshFile, SaysWhichFileAndWhy) {
  const Mesh mesh = testing::box_mesh({1, 2, 3}).solid();
  const std::string folder = scratch("").string();
  EXPECT_EQ(message_of([&] { read_mesh(scratch("none.obj")); }),
            folder + "none.obj: got no such file; give the path of a mesh file");
  EXPECT_EQ(message_of([&] { read_mesh(scratch("a.step")); }),
            folder + "a.step: got the ending '.step'; give .obj, .stl, .ply or .dae");
  fs::create_directories(scratch("folder.obj"));
  EXPECT_EQ(message_of([&] { read_mesh(scratch("folder.obj")); }),
            folder + "folder.obj: got something that is not a file; give the path of a mesh file");
  write_mesh(mesh, scratch("box.ply"));
  EXPECT_EQ(message_of([&] {
              read_mesh(scratch("box.ply"), {.max_bytes = 100});
            }).find(folder + "box.ply: got a file of "),
            0U);
  EXPECT_NE(message_of([&] { write_mesh(mesh, scratch("a.stl")); }), "");
  EXPECT_NE(message_of([&] { write_mesh(mesh, scratch("no/such/folder/a.obj")); }), "");
  EXPECT_NE(message_of([&] { write_mesh(mesh, scratch("a.dae")); }), "");
  EXPECT_NE(message_of([&] { mesh_bytes(mesh, MeshFormat::stl); }), "");
  EXPECT_NE(message_of([&] { mesh_bytes(mesh, MeshFormat::dae); }), "");
  EXPECT_NE(message_of([&] { parse_mesh("", static_cast<MeshFormat>(9), "x"); }), "");
}

TEST(MeshFile, DuplicatesAreMergedOnRequest) {
  const std::string text =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0\nv 0 1 1e-16\nv 0 0 1\nf 1 2 3\nf 4 5 6\nf 1 4 2\n";
  const auto read = [](const std::string& bytes, bool merge) {
    return parse_mesh(bytes, MeshFormat::obj, "x", {.scale = 2.0, .merge_duplicates = merge});
  };
  EXPECT_EQ(read(text, false).report().num_duplicate_vertices, 2);
  const Mesh merged = read(text, true);
  ASSERT_EQ(merged.vertices().cols(), 4);
  ASSERT_EQ(merged.triangles().cols(), 2);  // the third has two equal corners
  EXPECT_EQ(merged.triangles().col(1), Eigen::Vector3i(0, 2, 3));
  EXPECT_EQ(merged.vertices().col(3), Vector3(0, 0, 2));
  EXPECT_EQ(message_of([&] { read("v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n", true); }).find("x: "),
            0U);
}

/// Everything that the fuzz targets start from or have found.
TEST(MeshFile, TheKeptCorpusHolds) {
  const fs::path corpus = fs::path(TACTUM_TEST_DATA) / ".." / "fuzz" / "corpus";
  int count = 0;
  for (const auto& [folder, format] : {std::pair("mesh_obj", MeshFormat::obj),
                                       {"mesh_stl", MeshFormat::stl},
                                       {"mesh_ply", MeshFormat::ply},
                                       {"mesh_dae", MeshFormat::dae}}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(corpus / folder)) {
      std::ostringstream bytes;
      bytes << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      EXPECT_TRUE(testing::mesh_bytes_hold(bytes.str(), format)) << entry.path();
      ++count;
    }
  }
  EXPECT_GE(count, 16);
}

/// Any change of a few bytes of a good file is refused or is a mesh: a small fuzz test that always
/// runs.
TEST(MeshFile, DamagedFilesAreRefusedOrRead) {
  Random random(22);
  const testing::RawMesh raw = testing::box_mesh({1, 2, 3});
  const std::pair<MeshFormat, std::string> files[] = {
      {MeshFormat::obj, mesh_bytes(raw.surface(), MeshFormat::obj)},
      {MeshFormat::ply, mesh_bytes(raw.surface(), MeshFormat::ply)},
      {MeshFormat::stl, testing::binary_stl(raw)},
      {MeshFormat::stl, testing::text_stl(raw)},
      {MeshFormat::dae, testing::dae_document("")}};
  for (const auto& [format, good] : files) {
    ASSERT_TRUE(testing::mesh_bytes_hold(good, format));
    ASSERT_GT(parse_mesh(good, format, "x").triangles().cols(), 0);
    for (int i = 0; i < 2000; ++i) {
      std::string bytes = good;
      for (int k = random.below(4); k >= 0; --k) {
        const auto at = static_cast<std::size_t>(random.below(static_cast<int>(bytes.size())));
        if (random.chance(0.2)) bytes.resize(at + 1);
        bytes[at] = static_cast<char>(random.below(256));
      }
      ASSERT_TRUE(testing::mesh_bytes_hold(bytes, format)) << bytes;
    }
  }
}

}  // namespace
}  // namespace tactum::mesh_file_test
