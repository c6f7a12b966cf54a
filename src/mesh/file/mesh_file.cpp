// SPDX-License-Identifier: BSD-2-Clause
// From a path to a mesh and back: the ending decides the format.
#include "tactum/mesh_file.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <fstream>

#include "core/format_number.hpp"
#include "core/quote_text.hpp"
#include "mesh/file/file_text.hpp"
#include "mesh/file/mesh_data.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

namespace fs = std::filesystem;

/// A path as messages show it: always UTF-8.
std::string name_of(const fs::path& path) {
  const std::string text = path.string();
  return is_utf8(text) ? text : quoted_text(text);
}

MeshFormat format_of(const fs::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".obj") return MeshFormat::obj;
  if (ending == ".stl") return MeshFormat::stl;
  if (ending == ".ply") return MeshFormat::ply;
  if (ending == ".dae") return MeshFormat::dae;
  refuse_file(name_of(path), 0, "the ending " + quoted_text(ending),
              "give .obj, .stl, .ply or .dae");
}

bool is_written(MeshFormat format) {
  return format == MeshFormat::obj || format == MeshFormat::ply;
}

std::string bytes_of(const fs::path& path, std::size_t max_bytes) {
  const std::string name = name_of(path);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) refuse_file(name, 0, "no such file", "give the path of a mesh file");
  if (!fs::is_regular_file(status))
    refuse_file(name, 0, "something that is not a file", "give the path of a mesh file");
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) refuse_file(name, 0, "a file of unknown size", "give a file that can be read");
  if (size > max_bytes)
    refuse_file(name, 0, "a file of " + std::to_string(size) + " bytes",
                "raise max_bytes, which is " + std::to_string(max_bytes));
  std::ifstream file(path, std::ios::binary);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size)) && size > 0)
    refuse_file(name, 0, "a file that cannot be read", "check its permissions");
  return bytes;
}

void check_options(const MeshFileOptions& options) {
  if (!std::isfinite(options.scale) || options.scale < 1e-30 || options.scale > 1e30)
    throw InvalidInput("scale", exact_text(options.scale), "give a number from 1e-30 to 1e30");
}

std::string obj_text(const Mesh& mesh) {
  std::string text = "# " + std::to_string(mesh.vertices().cols()) + " vertices, " +
                     std::to_string(mesh.triangles().cols()) + " triangles\n";
  for (const auto& vertex : mesh.vertices().colwise())
    text += "v " + shortest_text(vertex.x()) + " " + shortest_text(vertex.y()) + " " +
            shortest_text(vertex.z()) + "\n";
  for (const auto& triangle : mesh.triangles().colwise())
    text += "f " + std::to_string(triangle[0] + 1) + " " + std::to_string(triangle[1] + 1) + " " +
            std::to_string(triangle[2] + 1) + "\n";
  return text;
}

template <class Bits>
void append_little_endian(std::string& bytes, Bits bits) {
  for (std::size_t i = 0; i < sizeof(Bits); ++i)
    bytes.push_back(static_cast<char>(bits >> (8 * i) & 0xff));
}

std::string ply_bytes(const Mesh& mesh) {
  std::string bytes = "ply\nformat binary_little_endian 1.0\nelement vertex " +
                      std::to_string(mesh.vertices().cols()) +
                      "\nproperty double x\nproperty double y\nproperty double z\nelement face " +
                      std::to_string(mesh.triangles().cols()) +
                      "\nproperty list uchar int vertex_indices\nend_header\n";
  for (const double coordinate : mesh.vertices().reshaped())
    append_little_endian(bytes, std::bit_cast<std::uint64_t>(coordinate));
  for (const auto& triangle : mesh.triangles().colwise()) {
    bytes.push_back(3);
    for (int k = 0; k < 3; ++k)
      append_little_endian(bytes, static_cast<std::uint32_t>(triangle[k]));
  }
  return bytes;
}

Mesh mesh_as_it_is(std::string_view bytes, MeshFormat format, const std::string& name,
                   const MeshFileOptions& options) {
  switch (format) {
    case MeshFormat::obj: return read_obj(bytes, name, options);
    case MeshFormat::stl: return read_stl(bytes, name, options);
    case MeshFormat::ply: return read_ply(bytes, name, options);
    case MeshFormat::dae: return read_dae(bytes, name, options);
  }
  throw InvalidInput("format", std::to_string(static_cast<int>(format)), "give a MeshFormat");
}

}  // namespace

Mesh parse_mesh(std::string_view bytes, MeshFormat format, const std::string& name,
                const MeshFileOptions& options) {
  check_options(options);
  if (bytes.size() > options.max_bytes)
    refuse_file(name, 0, std::to_string(bytes.size()) + " bytes",
                "raise max_bytes, which is " + std::to_string(options.max_bytes));
  Mesh mesh = mesh_as_it_is(bytes, format, name, options);
  if (!options.merge_duplicates) return mesh;
  try {
    return merge_duplicates(mesh);
  } catch (const InvalidInput& error) {
    refuse_file(name + ": " + error.field(), 0, error.value(), error.remedy());
  }
}

Mesh read_mesh(const fs::path& path, const MeshFileOptions& options) {
  check_options(options);
  const MeshFormat format = format_of(path);
  return parse_mesh(bytes_of(path, options.max_bytes), format, name_of(path), options);
}

std::string mesh_bytes(const Mesh& mesh, MeshFormat format) {
  if (!is_written(format))
    throw InvalidInput("format", format == MeshFormat::stl ? "stl" : "dae", "write OBJ or PLY");
  return format == MeshFormat::obj ? obj_text(mesh) : ply_bytes(mesh);
}

void write_mesh(const Mesh& mesh, const fs::path& path) {
  const MeshFormat format = format_of(path);
  if (!is_written(format))
    refuse_file(name_of(path), 0, "the ending " + quoted_text(path.extension().string()),
                "write .obj or .ply");
  const std::string bytes = mesh_bytes(mesh, format);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) refuse_file(name_of(path), 0, "a file that cannot be written", "check the folder");
}

}  // namespace tactum
