// SPDX-License-Identifier: BSD-2-Clause
#include "sim/robot_file/mjcf_geom.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "core/quote_text.hpp"
#include "sim/robot_file/xml_numbers.hpp"
#include "tactum/mesh_file.hpp"

namespace tactum::sim {
namespace {

std::uint32_t read_bits(const XmlElement& element, const char* attribute) {
  const double value = number_of(element, attribute, 1.0);
  if (value < 0.0 || value > 2147483647.0 || value != std::floor(value))
    element.refuse("attribute " + std::string(attribute), "give an integer from 0 to 2147483647");
  return static_cast<std::uint32_t>(value);
}

BodyInertia scaled(const MassProperties& unit, double factor) {
  return {factor * unit.mass, unit.center_of_mass, factor * unit.inertia};
}

}  // namespace

MjcfGeoms::MjcfGeoms(MjcfFile& file) : file_(file) {
  for (const XmlElement& section : file.root().children) {
    if (section.name != "asset") continue;
    for (const XmlElement& child : section.children) {
      if (child.name != "mesh") continue;
      const std::string* name = child.find("name");
      const std::string* path = child.find("file");
      if (name == nullptr && path == nullptr) child.refuse("a mesh without name", "give it one");
      const std::string key = name != nullptr ? *name
                                              : std::filesystem::path(*path).stem().string();
      if (!meshes_.try_emplace(key, MeshAsset{file.with_defaults(child, {})}).second)
        child.refuse("a second mesh " + quoted_text(key), "give each its own name");
    }
  }
}

void MjcfGeoms::load(MeshAsset& asset) {
  const XmlElement& element = asset.element;
  if (element.find("refpos") != nullptr || element.find("refquat") != nullptr)
    file_.refuse_unsupported(element, "refpos or refquat of a mesh");
  const Vector3 scale = vector_of(element, "scale", Vector3::Ones());
  try {
    if (const std::string* text = element.find("vertex")) {
      const std::vector<double> numbers = read_numbers(element, "vertex", *text);
      if (numbers.size() % 3 != 0) element.refuse("vertices that are not triples", "give triples");
      const Points points = scale.asDiagonal() *
                            Eigen::Map<const Points>(numbers.data(), 3,
                                                     static_cast<Eigen::Index>(numbers.size() / 3));
      const Shape hull{Convex::from_points(points)};
      asset.geometry = hull;
      asset.unit = hull.mass_properties(1.0);
      return;
    }
    std::filesystem::path path = name_of(element, "file");
    if (file_.compiler().strippath) path = path.filename();
    if (!path.is_absolute()) path = std::filesystem::path(file_.compiler().meshdir) / path;
    const Mesh mesh = scaled(read_mesh(file_.meshes().find(path.string(), element)), scale);
    asset.geometry = file_.meshes().geometry_of(mesh);
    asset.unit = mesh.has_inside() ? mesh.mass_properties(1.0)
                                   : Shape{mesh.convex_hull()}.mass_properties(1.0);
  } catch (const InvalidInput& error) {
    if (error.field().starts_with(*element.file)) throw;
    element.refuse(error.field() + ": " + error.value(), error.remedy());
  }
}

const MjcfGeoms::MeshAsset& MjcfGeoms::mesh(const XmlElement& element) {
  const auto found = meshes_.find(name_of(element, "mesh"));
  if (found == meshes_.end())
    element.refuse("mesh " + quoted_text(*element.find("mesh")), "name a mesh of <asset>");
  if (!found->second.geometry) load(found->second);
  return found->second;
}

std::string MjcfGeoms::type_of(const XmlElement& element) const {
  const std::string* type = element.find("type");
  if (type != nullptr) return *type;
  return element.find("mesh") != nullptr ? "mesh" : "sphere";
}

void MjcfGeoms::read_fromto(const XmlElement& element, const std::string& type, MjcfGeom& geom,
                            double& half_length) const {
  const std::vector<double> ends = read_numbers(element, "fromto", *element.find("fromto"));
  if (ends.size() != 6) element.refuse("attribute fromto", "give six numbers");
  if (type != "capsule" && type != "cylinder" && type != "box" && type != "ellipsoid")
    element.refuse("fromto of a " + type, "use it for capsule, cylinder, box and ellipsoid");
  const Vector3 from(ends[0], ends[1], ends[2]), to(ends[3], ends[4], ends[5]);
  const double length = (to - from).stableNorm();
  if (length == 0.0) element.refuse("fromto of length 0", "give two points");
  half_length = 0.5 * length;
  geom.X.translation = 0.5 * (from + to);
  geom.X.rotation =
      Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), (from - to) / length).toRotationMatrix();
}

std::optional<Shape> MjcfGeoms::read_shape(const XmlElement& element, const std::string& type,
                                           MjcfGeom& geom) {
  std::vector<double> size;
  if (const std::string* text = element.find("size")) size = read_numbers(element, "size", *text);
  if (size.size() > 3) element.refuse("more than three numbers of size", "give at most three");
  double half_length = -1.0;
  if (element.find("fromto") != nullptr) read_fromto(element, type, geom, half_length);
  const bool is_round = type == "capsule" || type == "cylinder";
  if (half_length >= 0.0) {
    const std::size_t given = is_round ? 1 : 2;
    if (size.size() < given && size.size() == 1) size.resize(2, size[0]);
    size.resize(std::min(size.size(), given));
    size.push_back(half_length);
  }
  const std::size_t needed = is_round ? 2 : type == "box" || type == "ellipsoid" ? 3 : 1;
  if (type != "plane" && size.size() < needed)
    element.refuse(std::to_string(size.size()) + " numbers of size for a " + type,
                   "give " + std::to_string(needed));
  try {
    if (type == "plane") return HalfSpace{};
    if (type == "sphere") return Sphere{.radius = size[0]};
    if (type == "capsule") return Capsule{.radius = size[0], .half_length = size[1]};
    if (type == "cylinder") return Cylinder{.radius = size[0], .half_length = size[1]};
    if (type == "box") return Box{.half_extents = {size[0], size[1], size[2]}};
    if (type == "ellipsoid") return Ellipsoid{.semi_axes = {size[0], size[1], size[2]}};
  } catch (const InvalidInput& error) {
    element.refuse(error.field() + " " + error.value(), error.remedy());
  }
  element.refuse("geom type " + quoted_text(type),
                 "use plane, sphere, capsule, cylinder, box, ellipsoid or mesh");
}

BodyInertia MjcfGeoms::read_inertia(const XmlElement& element, const std::string& type,
                                    const std::optional<Shape>& shape) {
  const MjcfCompiler& compiler = file_.compiler();
  const double group = number_of(element, "group", 0.0);
  const bool has_mass = type != "plane" && type != "hfield" && group >= compiler.first_group &&
                        group <= compiler.last_group;
  const BodyInertia none{0.0, Vector3::Zero(), Matrix3::Zero()};
  if (!has_mass) return none;
  if (read_flag(element, "shellinertia", false))
    file_.refuse_unsupported(element, "inertia of a shell");
  const MassProperties unit = shape ? shape->mass_properties(1.0) : mesh(element).unit;
  if (element.find("mass") != nullptr) {
    const double mass = number_of(element, "mass", 0.0);
    if (mass < 0.0) element.refuse("a negative mass", "give 0 or more");
    if (mass == 0.0) return none;
    if (!(unit.mass > 0.0)) element.refuse("a mass for a shape without volume", "give <inertial>");
    return scaled(unit, mass / unit.mass);
  }
  const double density = number_of(element, "density", 1000.0);
  if (density < 0.0) element.refuse("a negative density", "give 0 or more");
  return scaled(unit, density);
}

MjcfGeom MjcfGeoms::read(const XmlElement& element) {
  MjcfGeom geom;
  geom.X = file_.pose(element);
  if (const std::string* name = element.find("name")) geom.name = *name;
  const std::string type = type_of(element);
  geom.contype = read_bits(element, "contype");
  geom.conaffinity = read_bits(element, "conaffinity");
  geom.is_plane = type == "plane";
  geom.margin = std::max(0.0, number_of(element, "margin", 0.0));
  if (const std::string* friction = element.find("friction")) {
    const std::vector<double> numbers = read_numbers(element, "friction", *friction);
    if (numbers.empty() || numbers[0] < 0.0)
      element.refuse("friction " + quoted_text(*friction), "give a number, 0 or more");
    geom.friction = numbers[0];
  }
  std::optional<Shape> shape;
  if (type == "hfield" || type == "sdf") {
    file_.refuse_unsupported(element, "a geom of type " + type);
  } else if (type == "mesh") {
    geom.geometry = mesh(element).geometry;
  } else {
    shape = read_shape(element, type, geom);
    geom.geometry = *shape;
  }
  geom.inertia = type == "sdf" ? BodyInertia{0.0, Vector3::Zero(), Matrix3::Zero()}
                               : read_inertia(element, type, shape);
  return geom;
}

}  // namespace tactum::sim
