// SPDX-License-Identifier: BSD-2-Clause
// Meshes that robot files name: where they lie, and the shapes they become.
//
// Paths      package://name/... and model://name/... are looked for in the given folders, in those
//            of ROS_PACKAGE_PATH, and in the folder `name` that holds the robot file, if there is
//            one. file://... and plain paths are absolute or relative to the robot file.
// Roots      A mesh has to lie in one of the given folders, in that of the robot file, in the one
//            above it, or in one farther above that has a package.xml; symbolic links are followed.
//            Where any path is allowed it may lie anywhere.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/xml_element.hpp"
#include "tactum/mesh.hpp"
#include "tactum/sim/model.hpp"

namespace tactum::sim {

class MeshResources {
 public:
  MeshResources(const std::string& robot_file, const RobotOptions& options);

  /// The file that a path of the robot file means. Refuses, in the name of the element, a path that
  /// no file lies at, with all places that were tried.
  std::filesystem::path find(const std::string& path, const XmlElement& element) const;

  /// The geometry of a mesh file with its coordinates scaled, its hull or itself as the options
  /// say; each is made once.
  Geometry geometry(const std::filesystem::path& file, const Vector3& scale,
                    const XmlElement& element);
  /// The geometry of a mesh that was read.
  Geometry geometry_of(const Mesh& mesh) const;

 private:
  std::vector<std::filesystem::path> candidates(const std::string& path,
                                                const XmlElement& element) const;
  bool is_inside_roots(const std::filesystem::path& file) const;

  std::filesystem::path folder_;
  std::vector<std::filesystem::path> package_dirs_;
  std::vector<std::filesystem::path> roots_;
  bool any_path_ = false;
  RobotOptions::Meshes meshes_ = RobotOptions::Meshes::hull;
  std::map<std::tuple<std::string, double, double, double>, Geometry> geometries_;
};

/// A mesh with its coordinates scaled. A mirror image turns its triangles round.
Mesh scaled(const Mesh& mesh, const Vector3& scale);

}  // namespace tactum::sim
