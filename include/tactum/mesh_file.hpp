// SPDX-License-Identifier: BSD-2-Clause
// Meshes from files and to files: OBJ, STL (text and binary), PLY (text and both binary orders),
// Collada (geometry with the transforms of its nodes, unit and up axis; read only).
//
// Bounded    nothing is allocated for a count before the file is known to be long enough for it;
//            limits on size, lines and polygons are options. Numbers do not depend on the locale.
// Errors     InvalidInput whose field is the file, with the line, or the byte in binary files.
// Polygons   are cut into triangles, concave ones too, with the vertices they have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "tactum/mesh.hpp"

namespace tactum {

enum class MeshFormat : std::uint8_t { obj, stl, ply, dae };

struct MeshFileOptions {
  double scale = 1.0;  ///< > 0: coordinates are multiplied by it, 1e-3 for a file in millimetres
  bool solid = false;
  std::size_t max_bytes = std::size_t{1} << 30;       ///< of the file
  std::size_t max_line_bytes = std::size_t{1} << 20;  ///< of a line of text
  std::size_t max_corners = 1000;                     ///< of a polygon
  /// Collada: turn what the file calls up to z. Programs that read robot descriptions leave the
  /// coordinates as they are.
  bool apply_up_axis = true;
  bool merge_duplicates = false;  ///< repair: what merge_duplicates() of mesh.hpp makes of the mesh
};

/// The format is that of the ending .obj, .stl, .ply or .dae, in any case. Throws InvalidInput.
Mesh read_mesh(const std::filesystem::path& path, const MeshFileOptions& options = {});

/// A file that is in memory; `name` stands for it in messages.
Mesh parse_mesh(std::string_view bytes, MeshFormat format, const std::string& name,
                const MeshFileOptions& options = {});

/// OBJ as text, PLY as little-endian binary with doubles; every coordinate comes back bit by bit.
/// STL, which has no shared vertices, and Collada are not written.
std::string mesh_bytes(const Mesh& mesh, MeshFormat format);

/// To a file .obj or .ply. Throws InvalidInput when it cannot be written.
void write_mesh(const Mesh& mesh, const std::filesystem::path& path);

}  // namespace tactum
