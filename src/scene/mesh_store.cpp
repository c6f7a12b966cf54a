// SPDX-License-Identifier: BSD-2-Clause
#include "scene/mesh_store.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "core/quote_text.hpp"
#include "tactum/mesh_file.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "meshes";  // beside a scene file, with the meshes that it has

/// The bytes of a value in an order that does not depend on the machine.
void mix(std::uint64_t& state, std::uint64_t bits, int num_bytes) {
  constexpr std::uint64_t prime = 0x100000001b3;
  for (int i = 0; i < num_bytes; ++i) state = (state ^ (bits >> (8 * i) & 0xff)) * prime;
}

std::string hash_of(const Mesh& mesh) {
  std::uint64_t state = 0xcbf29ce484222325;
  mix(state, mesh.is_solid() ? 1 : 0, 1);
  mix(state, static_cast<std::uint64_t>(mesh.vertices().cols()), 8);
  for (const double coordinate : mesh.vertices().reshaped())
    mix(state, std::bit_cast<std::uint64_t>(coordinate), 8);
  for (const std::int32_t index : mesh.triangles().reshaped())
    mix(state, static_cast<std::uint32_t>(index), 4);
  std::string digits(16, '0');
  for (std::size_t i = 0; i < 16; ++i) digits[15 - i] = "0123456789abcdef"[state >> (4 * i) & 0xf];
  return digits;
}

/// Refuses a path that could lead out of a folder by what it says.
void check_path(const std::string& text) {
  const fs::path path(text);
  const bool leads_out = std::any_of(path.begin(), path.end(),
                                     [](const fs::path& part) { return part == ".."; });
  if (text.empty() || path.has_root_path() || leads_out || text.find('\0') != std::string::npos)
    throw InvalidInput("mesh", quoted_text(text),
                       "give a relative path without '..', inside one of the roots");
}

/// The file in this folder, links followed; none where it is not inside.
std::optional<fs::path> file_inside(const fs::path& root, const std::string& path) {
  std::error_code error;
  const fs::path folder = fs::canonical(root, error);
  if (error) return std::nullopt;
  const fs::path file = fs::canonical(folder / path, error);
  if (error) return std::nullopt;
  const auto ends = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return ends.first == folder.end() ? std::optional(file) : std::nullopt;
}

}  // namespace

MeshReference reference_to(const Mesh& mesh) {
  const std::string hash = hash_of(mesh);
  return {hash, mesh.is_solid(), 1.0, std::string(kFolder) + "/" + hash + ".ply"};
}

void store_mesh(const Mesh& mesh, const fs::path& folder) {
  const fs::path file = folder / reference_to(mesh).path;
  fs::path beside = file;
  beside.replace_extension(".partial.ply");
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (!error) {
    write_mesh(mesh, beside);
    fs::rename(beside, file, error);
  }
  if (error) {
    fs::remove(beside, error);
    throw InvalidInput("path", quoted_text(file.string()), "give a place that can be written to");
  }
}

MeshFinder::MeshFinder(const SceneFileOptions& options) : options_(options) {
  for (const Mesh& mesh : options.meshes) at_hand_.try_emplace(hash_of(mesh), mesh);
}

Mesh MeshFinder::find(const MeshReference& reference) const {
  const auto known = at_hand_.find(reference.hash);
  if (known != at_hand_.end()) return known->second;
  check_path(reference.path);
  for (const fs::path& root : options_.roots) {
    const std::optional<fs::path> file = file_inside(root, reference.path);
    if (!file) continue;
    const Mesh mesh = read_mesh(*file, {.scale = reference.scale, .solid = reference.solid});
    const std::string hash = hash_of(mesh);
    if (hash == reference.hash) return mesh;
    throw InvalidInput("mesh", quoted_text(reference.path) + " with the hash " + hash,
                       "give the file with the hash " + reference.hash +
                           ", or that hash if the file is the right one");
  }
  throw InvalidInput("mesh", quoted_text(reference.path),
                     "give a file inside one of the " + std::to_string(options_.roots.size()) +
                         " roots; Scene::load takes more of them");
}

}  // namespace tactum
