// SPDX-License-Identifier: BSD-2-Clause
// The mesh files that a scene file refers to: by the hash of what they hold, and by a path inside
// folders that the caller declares.
//
// Hash       64 bits (FNV-1a) of vertices, triangles and whether the mesh is solid: that of the
// mesh
//            and not of the file, so that it is the same for an OBJ and a PLY file of one mesh.
// Path       relative, without "..", and, links followed, inside one of the folders.
#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>

#include "tactum/scene.hpp"

namespace tactum {

/// The entry of a mesh in a scene file.
struct MeshReference {
  std::string hash;  ///< 16 hexadecimal digits
  bool solid = false;
  double scale = 1.0;
  std::string path;
};

/// The reference to a mesh as store_mesh() stores it.
MeshReference reference_to(const Mesh& mesh);

/// Writes the file that reference_to() names into the folder of a scene file. Throws InvalidInput.
void store_mesh(const Mesh& mesh, const std::filesystem::path& folder);

/// Finds meshes by reference: among those at hand by hash, else in their files.
class MeshFinder {
 public:
  explicit MeshFinder(const SceneFileOptions& options);
  /// Throws InvalidInput where there is no such mesh, or where its hash is another.
  Mesh find(const MeshReference& reference) const;

 private:
  const SceneFileOptions& options_;
  std::unordered_map<std::string, Mesh> at_hand_;  ///< by hash
};

}  // namespace tactum
