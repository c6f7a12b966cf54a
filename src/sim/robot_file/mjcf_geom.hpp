// SPDX-License-Identifier: BSD-2-Clause
// Geoms and meshes of MJCF: shape, place, mass, and what they meet.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "sim/robot_file/mjcf_file.hpp"
#include "tactum/geometry.hpp"
#include "tactum/sim/robot.hpp"

namespace tactum::sim {

struct MjcfGeom {
  std::string name;                  ///< may be empty
  std::optional<Geometry> geometry;  ///< none where it is of a kind that was passed over
  bool is_plane = false;
  Pose X;               ///< in the frame of the element around it
  BodyInertia inertia;  ///< at X
  double friction = 1.0;
  double margin = 0.0;
  std::uint32_t contype = 1, conaffinity = 1;
};

class MjcfGeoms {
 public:
  explicit MjcfGeoms(MjcfFile& file);

  /// `element` has its defaults.
  MjcfGeom read(const XmlElement& element);

 private:
  struct MeshAsset {
    XmlElement element;
    std::optional<Geometry> geometry = {};
    MassProperties unit = {};  ///< at a density of 1 kg/m^3
  };

  std::string type_of(const XmlElement& element) const;
  void read_fromto(const XmlElement& element, const std::string& type, MjcfGeom& geom,
                   double& half_length) const;
  std::optional<Shape> read_shape(const XmlElement& element, const std::string& type,
                                  MjcfGeom& geom);
  const MeshAsset& mesh(const XmlElement& element);
  void load(MeshAsset& asset);
  BodyInertia read_inertia(const XmlElement& element, const std::string& type,
                           const std::optional<Shape>& shape);

  MjcfFile& file_;
  std::map<std::string, MeshAsset> meshes_;
};

}  // namespace tactum::sim
