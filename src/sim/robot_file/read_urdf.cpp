// SPDX-License-Identifier: BSD-2-Clause
// URDF as robots. The order of joints is Pinocchio's: depth first, the joints below a link in the
// order of their names. Joints that mimic others are joints of their own, as Pinocchio has them by
// default.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/quote_text.hpp"
#include "sim/robot_file/adjacent_geometries.hpp"
#include "sim/robot_file/mesh_resource.hpp"
#include "sim/robot_file/read_srdf.hpp"
#include "sim/robot_file/xml_numbers.hpp"
#include "tactum/sim/robot.hpp"

namespace tactum::sim {
namespace {

struct Link {
  const XmlElement* element;
  const XmlElement* parent_joint = nullptr;
  std::vector<const XmlElement*> child_joints = {};
};

Pose read_origin(const XmlElement& element) {
  const XmlElement* origin = element.child("origin");
  if (origin == nullptr) return {};
  return {rotation_rpy(vector_of(*origin, "rpy", Vector3::Zero())),
          vector_of(*origin, "xyz", Vector3::Zero())};
}

const XmlElement& required_child(const XmlElement& element, const char* name) {
  const XmlElement* child = element.child(name);
  if (child == nullptr)
    element.refuse(quoted_text(element.name) + " without " + quoted_text(name), "give it one");
  return *child;
}

BodyInertia read_inertia(const XmlElement& link) {
  const XmlElement* inertial = link.child("inertial");
  if (inertial == nullptr) return {0.0, Vector3::Zero(), Matrix3::Zero()};
  const XmlElement& mass = required_child(*inertial, "mass");
  const XmlElement& inertia = required_child(*inertial, "inertia");
  const auto entry = [&](const char* name) { return number_of(inertia, name, 0.0); };
  Matrix3 I;
  // all entries are read first: an error in the middle of the list would trip an assertion of Eigen
  const double xx = entry("ixx"), xy = entry("ixy"), xz = entry("ixz"), yy = entry("iyy"),
               yz = entry("iyz"), zz = entry("izz");
  I << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  const BodyInertia own{number_of(mass, "value", 0.0), Vector3::Zero(), I};
  if (own.mass < 0.0) mass.refuse("a negative mass", "give a mass in kg, 0 or more");
  return joined({0.0, Vector3::Zero(), Matrix3::Zero()}, own, read_origin(*inertial));
}

class UrdfReader {
 public:
  UrdfReader(const std::string& path, const RobotOptions& options)
      : path_(path), options_(options), root_(read_xml(path)), meshes_(path, options) {}

  RobotDescription read() {
    if (root_.name != "robot")
      root_.refuse("the root element " + quoted_text(root_.name), "give a URDF file: <robot>");
    if (const std::string* name = root_.find("name")) robot_.name = *name;
    read_tree();
    visit_links();
    forbid_adjacent_geometries(robot_);
    if (!options_.srdf.empty()) forbid_pairs_of_srdf(options_.srdf, links_of_geometries_, robot_);
    return std::move(robot_);
  }

 private:
  void read_tree() {
    for (const XmlElement& child : root_.children) {
      if (child.name != "link") continue;
      if (!links_.try_emplace(name_of(child, "name"), Link{&child}).second)
        child.refuse("a second link " + quoted_text(name_of(child, "name")),
                     "give each link its own name");
    }
    for (const XmlElement& child : root_.children) {
      if (child.name != "joint") continue;
      static_cast<void>(name_of(child, "name"));
      link_of(child, "parent").child_joints.push_back(&child);
      Link& moved = link_of(child, "child");
      if (moved.parent_joint != nullptr)
        child.refuse(
            "a second joint that moves link " + quoted_text(name_of(*moved.element, "name")),
            "have one: loops are not part of URDF");
      moved.parent_joint = &child;
    }
    for (auto& [name, link] : links_) {
      std::sort(link.child_joints.begin(), link.child_joints.end(),
                [](const XmlElement* a, const XmlElement* b) {
                  return *a->find("name") < *b->find("name");
                });
    }
  }

  Link& link_of(const XmlElement& joint, const char* which) {
    const XmlElement& element = required_child(joint, which);
    const auto found = links_.find(name_of(element, "link"));
    if (found == links_.end())
      element.refuse("link " + quoted_text(name_of(element, "link")), "name a link of the file");
    return found->second;
  }

  const Link& root_link() const {
    const Link* root = nullptr;
    for (const XmlElement& child : root_.children) {
      if (child.name != "link") continue;
      const Link& link = links_.at(*child.find("name"));
      if (link.parent_joint != nullptr) continue;
      if (root != nullptr)
        child.refuse("links " + quoted_text(*root->element->find("name")) + " and " +
                         quoted_text(*child.find("name")) + " that no joint moves",
                     "have one root link");
      root = &link;
    }
    if (root == nullptr)
      root_.refuse("no link that is free of a parent joint", "have one root link");
    return *root;
  }

  /// A link to visit, and the joint frame that it is fixed to.
  struct Visit {
    const Link* link;
    int joint;
    Pose X_JL;
  };

  void visit_links() {
    std::vector<Visit> open = {{&root_link(), -1, {}}};
    if (options_.free_base) {
      const std::string& base = *open[0].link->element->find("name");
      robot_.joints.push_back({.name = "root_joint",
                               .body_name = base == "world" ? "root_joint" : base,
                               .kind = JointKind::free});
      open[0].joint = 0;
    }
    std::size_t num_visited = 0;
    while (!open.empty()) {
      Visit visit = open.back();
      open.pop_back();
      ++num_visited;
      if (visit.link->parent_joint != nullptr) pass_joint(*visit.link, visit);
      add_link(visit);
      const auto& joints = visit.link->child_joints;
      for (auto joint = joints.rbegin(); joint != joints.rend(); ++joint)
        open.push_back({&link_of(**joint, "child"), visit.joint, visit.X_JL});
    }
    if (num_visited != links_.size())
      root_.refuse("links in a loop of joints", "have every link below the root link");
  }

  /// Goes from the frame of the link above to that of the link.
  void pass_joint(const Link& link, Visit& visit) {
    const XmlElement& element = *link.parent_joint;
    const Pose X = visit.X_JL * read_origin(element);
    const std::string& type = name_of(element, "type");
    if (type == "fixed") {
      visit.X_JL = X;
      return;
    }
    RobotJoint joint{.name = *element.find("name"),
                     .body_name = *link.element->find("name"),
                     .parent = visit.joint,
                     .X_PJ = X};
    joint.kind = kind_of(element, type);
    read_axis(element, joint);
    read_limits(element, joint);
    if (const XmlElement* dynamics = element.child("dynamics")) {
      joint.damping = number_of(*dynamics, "damping", 0.0);
      joint.dry_friction = number_of(*dynamics, "friction", 0.0);
      if (joint.damping < 0.0 || joint.dry_friction < 0.0)
        dynamics->refuse("negative damping or friction", "give 0 or more");
    }
    visit.joint = static_cast<int>(robot_.joints.size());
    visit.X_JL = {};
    robot_.joints.push_back(std::move(joint));
  }

  static JointKind kind_of(const XmlElement& element, const std::string& type) {
    if (type == "revolute") return JointKind::revolute;
    if (type == "continuous") return JointKind::continuous;
    if (type == "prismatic") return JointKind::prismatic;
    if (type == "floating") return JointKind::free;
    if (type == "planar") return JointKind::planar;
    if (type == "spherical") return JointKind::spherical;
    element.refuse("joint type " + quoted_text(type),
                   "use revolute, continuous, prismatic, fixed, floating or planar");
  }

  static void read_axis(const XmlElement& element, RobotJoint& joint) {
    const XmlElement* axis = element.child("axis");
    const Vector3 given = axis == nullptr ? Vector3(Vector3::UnitX())
                                          : vector_of(*axis, "xyz", Vector3::UnitX());
    const double length = given.stableNorm();
    if (length > 0.0) joint.axis = (given / length).normalized();
    const bool needs_axis = num_velocities(joint.kind) == 1;
    if (needs_axis && length == 0.0) axis->refuse("an axis of length 0", "give a direction");
  }

  static void read_limits(const XmlElement& element, RobotJoint& joint) {
    const XmlElement* limit = element.child("limit");
    const bool has_range = joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic;
    if (limit == nullptr) {
      if (has_range)
        element.refuse("a " + *element.find("type") + " joint without limit",
                       "give <limit lower= upper= effort= velocity=>");
      return;
    }
    const double infinity = std::numeric_limits<double>::infinity();
    if (has_range) {
      joint.lower = number_of(*limit, "lower", 0.0, true);
      joint.upper = number_of(*limit, "upper", 0.0, true);
      if (joint.lower > joint.upper)
        limit->refuse("a lower limit above the upper one", "give them the other way round");
    }
    // files that have nothing to say write 0
    joint.effort_limit = number_of(*limit, "effort", infinity, true);
    if (joint.effort_limit == 0.0) joint.effort_limit = infinity;
    joint.velocity_limit = number_of(*limit, "velocity", infinity, true);
    if (joint.effort_limit < 0.0 || joint.velocity_limit < 0.0)
      limit->refuse("a negative effort or velocity", "give 0 or more");
  }

  void add_link(const Visit& visit) {
    const XmlElement& element = *visit.link->element;
    const BodyInertia inertia = read_inertia(element);
    if (visit.joint >= 0) {
      BodyInertia& whole = robot_.joints[static_cast<std::size_t>(visit.joint)].inertia;
      whole = joined(whole, inertia, visit.X_JL);
    }
    if (!options_.geometries) return;
    int index = 0;
    for (const XmlElement& child : element.children) {
      if (child.name != "collision") continue;
      const std::string& link = *element.find("name");
      robot_.geometries.push_back({.geometry = read_geometry(required_child(child, "geometry")),
                                   .joint = visit.joint,
                                   .X_JG = visit.X_JL * read_origin(child),
                                   .surface = options_.surface,
                                   .margin = options_.margin,
                                   .name = link + "_" + std::to_string(index++)});
      links_of_geometries_.push_back(link);
    }
  }

  Geometry read_geometry(const XmlElement& element) {
    if (element.children.empty()) element.refuse("no shape", "give one");
    const XmlElement& shape = element.children[0];
    const auto size = [&](const char* name) {
      return read_number(shape, name, name_of(shape, name));
    };
    try {
      if (shape.name == "box")
        return Shape{Box{.half_extents = 0.5 * read_vector(shape, "size", name_of(shape, "size"))}};
      if (shape.name == "sphere") return Shape{Sphere{.radius = size("radius")}};
      if (shape.name == "cylinder")
        return Shape{Cylinder{.radius = size("radius"), .half_length = 0.5 * size("length")}};
      if (shape.name == "capsule")
        return Shape{Capsule{.radius = size("radius"), .half_length = 0.5 * size("length")}};
    } catch (const InvalidInput& error) {
      if (error.field().starts_with(path_)) throw;
      shape.refuse(error.field() + " " + error.value(), error.remedy());
    }
    if (shape.name == "mesh")
      return meshes_.geometry(meshes_.find(name_of(shape, "filename"), shape),
                              vector_of(shape, "scale", Vector3::Ones()), shape);
    shape.refuse("shape " + quoted_text(shape.name), "use box, sphere, cylinder, capsule or mesh");
  }

  std::string path_;
  const RobotOptions& options_;
  XmlElement root_;
  MeshResources meshes_;
  std::unordered_map<std::string, Link> links_;
  std::vector<std::string> links_of_geometries_;
  RobotDescription robot_;
};

}  // namespace

RobotDescription read_urdf(const std::string& path, const RobotOptions& options) {
  return UrdfReader(path, options).read();
}

}  // namespace tactum::sim
