// SPDX-License-Identifier: BSD-2-Clause
#include "sim/robot_file/mesh_resource.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/quote_text.hpp"
#include "tactum/mesh_file.hpp"

namespace tactum::sim {
namespace {

namespace fs = std::filesystem;

/// Splits "name/rest" after a scheme.
std::pair<std::string, std::string> package_and_rest(const std::string& path) {
  const std::size_t slash = std::min(path.find('/'), path.size());
  return {path.substr(0, slash), path.substr(std::min(slash + 1, path.size()))};
}

fs::path canonical_or_empty(const fs::path& path) {
  std::error_code error;
  fs::path out = fs::canonical(path, error);
  return error ? fs::path() : out;
}

bool starts_with(const fs::path& path, const fs::path& root) {
  return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
}

}  // namespace

MeshResources::MeshResources(const std::string& robot_file, const RobotOptions& options)
    : any_path_(options.any_path), meshes_(options.meshes) {
  std::error_code error;
  folder_ = fs::absolute(robot_file, error).lexically_normal().parent_path();
  for (const std::string& folder : options.package_dirs) package_dirs_.emplace_back(folder);
  if (const char* variable = std::getenv("ROS_PACKAGE_PATH")) {
    const std::string folders = variable;
    for (std::size_t begin = 0; begin < folders.size();) {
      const std::size_t end = std::min(folders.find(':', begin), folders.size());
      if (end > begin) package_dirs_.emplace_back(folders.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  for (const fs::path& folder : package_dirs_) roots_.push_back(canonical_or_empty(folder));
  roots_.push_back(canonical_or_empty(folder_));
  roots_.push_back(canonical_or_empty(folder_.parent_path()));
  for (fs::path above = folder_; above.has_relative_path(); above = above.parent_path()) {
    if (fs::is_regular_file(above / "package.xml", error))
      roots_.push_back(canonical_or_empty(above));
  }
  std::erase_if(roots_,
                [](const fs::path& root) { return root.empty() || !root.has_relative_path(); });
}

std::vector<fs::path> MeshResources::candidates(const std::string& path,
                                                const XmlElement& element) const {
  std::vector<fs::path> out;
  for (const std::string_view scheme : {"package://", "model://"}) {
    if (!path.starts_with(scheme)) continue;
    const auto [package, rest] = package_and_rest(path.substr(scheme.size()));
    for (const fs::path& folder : package_dirs_) {
      out.push_back(folder / package / rest);
      if (folder.filename() == package) out.push_back(folder / rest);
    }
    fs::path above = folder_;
    while (above.has_relative_path()) {
      if (above.filename() == package) out.push_back(above / rest);
      above = above.parent_path();
    }
    return out;
  }
  std::string plain = path;
  if (plain.starts_with("file://")) plain.erase(0, 7);
  if (plain.find("://") != std::string::npos)
    element.refuse(quoted_text(path), "use package://, model://, file:// or a plain path");
  out.push_back(fs::path(plain).is_absolute() ? fs::path(plain) : folder_ / plain);
  return out;
}

bool MeshResources::is_inside_roots(const fs::path& file) const {
  const fs::path canonical = canonical_or_empty(file);
  return std::any_of(roots_.begin(), roots_.end(),
                     [&](const fs::path& root) { return starts_with(canonical, root); });
}

fs::path MeshResources::find(const std::string& path, const XmlElement& element) const {
  if (path.empty() || path.find('\0') != std::string::npos)
    element.refuse("an empty path", "give the path of a file");
  std::string tried;
  for (const fs::path& candidate : candidates(path, element)) {
    std::error_code error;
    if (fs::is_regular_file(candidate, error)) {
      if (any_path_ || is_inside_roots(candidate)) return candidate;
      element.refuse(quoted_text(path) + ", which is " + candidate.string(),
                     "have meshes beside the robot file or in package_dirs, or set any_path");
    }
    tried += (tried.empty() ? "" : ", ") + candidate.lexically_normal().string();
  }
  element.refuse(quoted_text(path), tried.empty()
                                        ? "give package_dirs, the folders that hold the package"
                                        : "no file is there; looked at " + tried);
}

Geometry MeshResources::geometry_of(const Mesh& mesh) const {
  if (meshes_ == RobotOptions::Meshes::hull) return Shape{mesh.convex_hull()};
  return Mesh(mesh.vertices(), mesh.triangles(), mesh.has_inside());
}

Geometry MeshResources::geometry(const fs::path& file, const Vector3& scale,
                                 const XmlElement& element) {
  const auto key = std::tuple(file.string(), scale.x(), scale.y(), scale.z());
  const auto known = geometries_.find(key);
  if (known != geometries_.end()) return known->second;
  // other programs that read robot files leave the up axis of Collada alone
  const MeshFileOptions as_it_is{.apply_up_axis = false};
  try {
    const Mesh mesh = scaled(read_mesh(file, as_it_is), scale);
    return geometries_.emplace(key, geometry_of(mesh)).first->second;
  } catch (const InvalidInput& error) {
    element.refuse(error.field() + ": " + error.value(), error.remedy());
  }
}

Mesh scaled(const Mesh& mesh, const Vector3& scale) {
  Points vertices = scale.asDiagonal() * mesh.vertices();
  Triangles triangles = mesh.triangles();
  if (scale.prod() < 0.0) triangles.row(1).swap(triangles.row(2));
  return {std::move(vertices), std::move(triangles)};
}

}  // namespace tactum::sim
