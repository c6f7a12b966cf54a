// SPDX-License-Identifier: BSD-2-Clause
// An MJCF file before it is a robot: included files, settings of the compiler, defaults by class,
// poses in the forms that MJCF has.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/xml_element.hpp"
#include "sim/robot_file/mesh_resource.hpp"
#include "tactum/pose.hpp"

namespace tactum::sim {

struct MjcfCompiler {
  bool degrees = true;
  bool autolimits = true;
  std::string eulerseq = "xyz";
  std::string meshdir = {};
  bool strippath = false;
  enum class FromGeom : std::uint8_t { never, without_inertial, always };
  FromGeom inertia_from_geom = FromGeom::without_inertial;
  double first_group = 0.0, last_group = 5.0;  ///< of geoms that have mass
  double total_mass = 0.0;                     ///< kg; 0: as it is
  double least_mass = 0.0, least_inertia = 0.0;
  bool balance_inertia = false;
};

class MjcfFile {
 public:
  MjcfFile(const std::string& path, const RobotOptions& options);

  const XmlElement& root() const { return root_; }
  const MjcfCompiler& compiler() const { return compiler_; }
  MeshResources& meshes() { return meshes_; }

  /// A copy of an element without its children, with the attributes that its class, or else the
  /// class given, has for it.
  XmlElement with_defaults(const XmlElement& element, const std::string& childclass) const;

  /// Position and orientation: pos and one of quat, axisangle, euler, xyaxes and zaxis.
  Pose pose(const XmlElement& element) const;
  double radians(double angle) const;

  /// Throws InvalidInput for something that is not supported, unless the options say to pass over
  /// it.
  void refuse_unsupported(const XmlElement& element, const std::string& what) const;

 private:
  using Attributes = std::vector<XmlAttribute>;
  using ClassDefaults = std::map<std::string, Attributes>;  // by the name of the element

  void expand_includes(XmlElement& element, int depth);
  void read_compiler(const XmlElement& element);
  void read_defaults(const XmlElement& element, const ClassDefaults& inherited, bool is_main);
  Matrix3 orientation(const XmlElement& element) const;

  MeshResources meshes_;
  bool ignore_unsupported_;
  XmlElement root_;
  MjcfCompiler compiler_;
  std::map<std::string, ClassDefaults> classes_;
  std::string main_class_ = "main";
  std::vector<std::string> included_;
};

/// true or false.
bool read_flag(const XmlElement& element, const char* attribute, bool otherwise);

}  // namespace tactum::sim
