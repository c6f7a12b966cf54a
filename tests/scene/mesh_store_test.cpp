// SPDX-License-Identifier: BSD-2-Clause
// Mesh files of scenes: found by hash and path, inside the roots alone.
#include "scene/mesh_store.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "mesh/mesh_fixtures.hpp"
#include "tactum/mesh_file.hpp"
#include "tactum/status.hpp"

namespace tactum::mesh_store_test {
namespace {

namespace fs = std::filesystem;

class MeshStore : public ::testing::Test {
 protected:
  MeshStore() : folder_(fs::temp_directory_path() / "tactum_mesh_store_test") {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "inside");
  }
  ~MeshStore() override { fs::remove_all(folder_); }

  std::string refused(const MeshReference& reference, const SceneFileOptions& options) {
    try {
      MeshFinder(options).find(reference);
    } catch (const InvalidInput& error) {
      return error.value();
    }
    return "accepted";
  }

  fs::path folder_;
  Mesh mesh_ = testing::torus_mesh(1.0, 0.3, 6, 5).solid();
};

TEST_F(MeshStore, WhatIsStoredIsFoundAgain) {
  store_mesh(mesh_, folder_);
  const MeshReference reference = reference_to(mesh_);
  EXPECT_EQ(MeshFinder({.roots = {folder_}}).find(reference), mesh_);
  EXPECT_EQ(MeshFinder({.roots = {folder_ / "inside", folder_}}).find(reference), mesh_);
  EXPECT_EQ(MeshFinder({.meshes = {mesh_}}).find(reference), mesh_);
  EXPECT_NE(refused(reference, {.roots = {folder_ / "inside"}}), "accepted");
  EXPECT_NE(refused(reference, {}), "accepted");
}

TEST_F(MeshStore, TheHashIsThatOfTheMeshAndNotOfTheFile) {
  write_mesh(mesh_, folder_ / "torus.obj");
  MeshReference reference = reference_to(mesh_);
  reference.path = "torus.obj";
  EXPECT_EQ(MeshFinder({.roots = {folder_}}).find(reference), mesh_);
  const Mesh surface(mesh_.vertices(), mesh_.triangles());
  EXPECT_NE(reference_to(surface).hash, reference.hash);
  reference.scale = 2.0;
  EXPECT_NE(refused(reference, {.roots = {folder_}}).find("with the hash"), std::string::npos);
}

TEST_F(MeshStore, NothingOutsideTheRootsIsRead) {
  write_mesh(mesh_, folder_ / "outside.ply");
  fs::create_symlink(folder_ / "outside.ply", folder_ / "inside" / "link.ply");
  fs::create_symlink(folder_ / "outside.ply", folder_ / "link.ply");
  MeshReference reference = reference_to(mesh_);
  const SceneFileOptions options{.roots = {folder_ / "inside"}};
  const std::string absolute = folder_ / "outside.ply";
  for (const std::string& path :
       {std::string("../outside.ply"), std::string("x/../../outside.ply"), std::string("link.ply"),
        std::string(), absolute, std::string("none.ply"), std::string(".")}) {
    reference.path = path;
    EXPECT_NE(refused(reference, options), "accepted") << path;
  }
  reference.path = "link.ply";
  EXPECT_EQ(MeshFinder({.roots = {folder_}}).find(reference), mesh_);
}

TEST_F(MeshStore, AFolderThatCannotBeMadeIsRefused) {
  std::ofstream(folder_ / "meshes") << "a file";
  EXPECT_THROW(store_mesh(mesh_, folder_), InvalidInput);
}

}  // namespace
}  // namespace tactum::mesh_store_test
