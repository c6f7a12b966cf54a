// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/sim/model_file.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "core/format_number.hpp"
#include "core/quote_text.hpp"
#include "core/xml_element.hpp"
#include "sim/model/make_articulation.hpp"
#include "sim/model/model_data.hpp"
#include "sim/robot_file/xml_numbers.hpp"
#include "sim/storage/whole_file.hpp"
#include "tactum/scene.hpp"

namespace tactum::sim {
namespace {

constexpr std::array<const char*, 6> kKinds = {"free",     "spherical",  "planar",
                                               "revolute", "continuous", "prismatic"};

/// Numbers of a joint that stand alone, by name.
constexpr std::pair<const char*, double RobotJoint::*> kScalars[] = {
    {"lower", &RobotJoint::lower},
    {"upper", &RobotJoint::upper},
    {"effort_limit", &RobotJoint::effort_limit},
    {"velocity_limit", &RobotJoint::velocity_limit},
    {"damping", &RobotJoint::damping},
    {"dry_friction", &RobotJoint::dry_friction},
    {"armature", &RobotJoint::armature},
    {"stiffness", &RobotJoint::stiffness},
    {"rest_position", &RobotJoint::rest_position}};

// -------------------------------------------------------------------------------------------------
// writing
std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + xml_escaped(value) + "\"";
}

template <int rows>
std::string attribute(const char* name, const Eigen::Matrix<double, rows, 3>& matrix) {
  return attribute(name, numbers_text(matrix.template reshaped<Eigen::RowMajor>()));
}

std::string attribute(const char* name, const Vector3& vector) {
  return attribute(name, numbers_text(vector));
}

std::string attribute(const char* name, double number) {
  return attribute(name, shortest_text(number));
}

std::string inertia_text(const BodyInertia& inertia) {
  return attribute("mass", inertia.mass) + attribute("center", inertia.center) +
         attribute("inertia", inertia.inertia);
}

std::string joint_text(const RobotJoint& joint) {
  std::string out = "    <joint" + attribute("name", joint.name) +
                    attribute("body_name", joint.body_name) +
                    attribute("kind", std::string(kKinds[static_cast<std::size_t>(joint.kind)])) +
                    attribute("parent", std::to_string(joint.parent)) +
                    attribute("axis", joint.axis) + attribute("rotation", joint.X_PJ.rotation) +
                    attribute("translation", joint.X_PJ.translation) + inertia_text(joint.inertia);
  for (const auto& [name, member] : kScalars) out += attribute(name, joint.*member);
  return out + "/>\n";
}

std::string tree_text(const ModelData& model, const Tree& tree) {
  const auto index = static_cast<std::size_t>(tree.index);
  if (tree.carrier == Carrier::free_body) {
    const auto body = std::find_if(model.bodies.begin(), model.bodies.end(), [&](const Body& b) {
      return b.carrier == Carrier::free_body && b.index == tree.index;
    });
    return "  <free_body" + attribute("name", body->name) +
           inertia_text(model.free_bodies[index].inertia) + "/>\n";
  }
  std::string out = "  <robot>\n";
  for (const RobotJoint& joint : model.robots[index].description) out += joint_text(joint);
  return out + "  </robot>\n";
}

std::string geometry_text(const ModelGeometry& geometry) {
  const Surface& surface = geometry.surface;
  return "  <geometry" + attribute("name", geometry.name) +
         attribute("body", std::to_string(geometry.body)) +
         (surface.friction ? attribute("friction", *surface.friction) : std::string()) +
         attribute("restitution", surface.restitution) +
         attribute("compliance", surface.compliance) + attribute("margin", geometry.margin) +
         "/>\n";
}

std::string pose_text(const char* rotation, const char* translation, const Pose& X) {
  return attribute(rotation, X.rotation) + attribute(translation, X.translation);
}

std::string closures_text(const ModelData& model) {
  std::string out;
  for (const Closure& closure : model.closures)
    out += std::string(closure.kind == ClosureKind::weld ? "  <weld" : "  <connection") +
           attribute("body_a", std::to_string(closure.body_a)) +
           attribute("body_b", std::to_string(closure.body_b)) +
           pose_text("rotation_a", "translation_a", closure.X_AC) +
           pose_text("rotation_b", "translation_b", closure.X_BC) + "/>\n";
  for (const Coupling& coupling : model.couplings)
    out += "  <coupling" + attribute("joint_a", coupling.a.name) +
           attribute("joint_b", coupling.b.name) + attribute("ratio", coupling.ratio) +
           attribute("offset", coupling.offset) + "/>\n";
  return out;
}

// -------------------------------------------------------------------------------------------------
// reading
Matrix3 read_matrix(const XmlElement& element, const char* name) {
  const std::vector<double> numbers = read_numbers(element, name, name_of(element, name));
  if (numbers.size() != 9) element.refuse("attribute " + std::string(name), "give nine numbers");
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(numbers.data());
}

BodyInertia read_inertia(const XmlElement& element) {
  return {read_number(element, "mass", name_of(element, "mass")),
          read_vector(element, "center", name_of(element, "center")),
          read_matrix(element, "inertia")};
}

int read_index(const XmlElement& element, const char* name, int least, int most) {
  const double value = read_number(element, name, name_of(element, name));
  if (value != std::floor(value) || value < least || value > most)
    element.refuse("attribute " + std::string(name) + " with " + shortest_text(value),
                   "give an integer from " + std::to_string(least) + " to " + std::to_string(most));
  return static_cast<int>(value);
}

RobotJoint read_joint(const XmlElement& element, int number) {
  if (element.name != "joint") element.refuse(quoted_text(element.name), "give joints");
  const std::string& kind = name_of(element, "kind");
  const auto known = std::find(kKinds.begin(), kKinds.end(), kind);
  if (known == kKinds.end()) element.refuse("kind " + quoted_text(kind), "give a kind of joint");
  RobotJoint joint{.name = name_of(element, "name"),
                   .body_name = name_of(element, "body_name"),
                   .parent = read_index(element, "parent", number == 0 ? -1 : 0, number - 1),
                   .kind = static_cast<JointKind>(known - kKinds.begin()),
                   .axis = read_vector(element, "axis", name_of(element, "axis")),
                   .X_PJ = {read_matrix(element, "rotation"),
                            read_vector(element, "translation", name_of(element, "translation"))},
                   .inertia = read_inertia(element)};
  for (const auto& [name, member] : kScalars)
    joint.*member = read_number(element, name, name_of(element, name), true);
  return joint;
}

/// Runs a check and puts the line of the element into its message.
template <typename Function>
auto checked(const XmlElement& element, const Function& function) {
  try {
    return function();
  } catch (const InvalidInput& error) {
    element.refuse(error.field() + ": " + error.value(), error.remedy());
  }
}

void read_free_body(const XmlElement& element, ModelData& model) {
  RobotJoint joint{.name = name_of(element, "name"), .kind = JointKind::free};
  joint.inertia = read_inertia(element);
  checked(element, [&] { check_robot({.joints = {joint}}); });
  if (joint.inertia.mass <= 0.0 ||
      Eigen::LLT<Matrix3>(joint.inertia.inertia).info() != Eigen::Success)
    element.refuse("an inertia that is not positive", "give a positive mass and inertia");
  model.add_free_body(joint.inertia, {}, joint.name);
}

void read_robot(const XmlElement& element, ModelData& model) {
  RobotDescription robot;
  for (const XmlElement& child : element.children)
    robot.joints.push_back(read_joint(child, static_cast<int>(robot.joints.size())));
  if (robot.joints.empty()) element.refuse("a robot without joints", "give one joint or more");
  checked(element, [&] {
    check_robot(robot);
    std::shared_ptr<const Articulation> made = make_articulation(robot.joints, model.gravity);
    model.add_robot(std::move(made), neutral_position(robot), robot.joints);
  });
}

void read_geometries(const XmlElement& root, ModelData& model) {
  const XmlElement* element = root.child("scene");
  if (element == nullptr) root.refuse("no scene", "give the shapes as <scene>");
  const Scene scene = checked(*element, [&] { return Scene::from_text(element->text); });
  SceneId id = 0;
  for (const XmlElement& child : root.children) {
    if (child.name != "geometry") continue;
    if (!scene.contains(id)) child.refuse("a geometry without shape", "give one in <scene>");
    const SceneObject& object = scene.object(id++);
    Surface surface;
    if (child.find("friction") != nullptr) surface.friction = number_of(child, "friction", 0.0);
    surface.restitution = number_of(child, "restitution", 0.0);
    surface.compliance = number_of(child, "compliance", 0.0);
    const int body = read_index(child, "body", 0, static_cast<int>(model.bodies.size()) - 1);
    checked(child, [&] {
      model.add_geometry({object.geometry, object.X, body, surface, number_of(child, "margin", 0.0),
                          0.0, name_of(child, "name")});
    });
  }
}

void read_forbidden(const XmlElement& element, ModelData& model) {
  const std::vector<double> numbers = read_numbers(element, "forbidden", element.text);
  const auto count = static_cast<double>(model.geometries.size());
  for (std::size_t i = 0; i < numbers.size(); i += 2) {
    const double a = numbers[i], b = i + 1 < numbers.size() ? numbers[i + 1] : a;
    if (a < 0.0 || b <= a || b >= count || a != std::floor(a) || b != std::floor(b))
      element.refuse("pair " + shortest_text(a) + ", " + shortest_text(b),
                     "give pairs of numbers of geometries, the smaller one first");
    model.set_forbidden(static_cast<int>(a), static_cast<int>(b), true);
  }
}

Pose read_pose(const XmlElement& element, const char* rotation, const char* translation) {
  return {read_matrix(element, rotation),
          read_vector(element, translation, name_of(element, translation))};
}

void read_closure(const XmlElement& element, ModelData& model) {
  const int last = static_cast<int>(model.bodies.size()) - 1;
  const int body_a = read_index(element, "body_a", 0, last),
            body_b = read_index(element, "body_b", 0, last);
  const ClosureKind kind = element.name == "weld" ? ClosureKind::weld : ClosureKind::connection;
  const Pose X_AC = read_pose(element, "rotation_a", "translation_a"),
             X_BC = read_pose(element, "rotation_b", "translation_b");
  checked(element, [&] { model.add_closure(kind, body_a, body_b, X_AC, X_BC); });
}

void read_coupling(const XmlElement& element, ModelData& model) {
  const std::string* joint_b = element.find("joint_b");
  if (joint_b == nullptr) element.refuse("no joint_b", "give one, or an empty text for none");
  checked(element, [&] {
    model.add_coupling(name_of(element, "joint_a"), *joint_b, number_of(element, "ratio", 0.0),
                       number_of(element, "offset", 0.0));
  });
}

void check_names(const XmlElement& root, const ModelData& model) {
  std::unordered_set<std::string> joints, bodies;
  for (const std::string& name : model.names)
    if (!joints.insert(name).second) root.refuse("joint " + quoted_text(name) + " twice", "rename");
  for (const Body& body : model.bodies)
    if (!bodies.insert(body.name).second)
      root.refuse("body " + quoted_text(body.name) + " twice", "rename one");
}

void read_initial_position(const XmlElement& root, ModelData& model) {
  const XmlElement* element = root.child("initial_q");
  if (element == nullptr) root.refuse("no initial_q", "give the initial position");
  const std::vector<double> q = read_numbers(*element, "initial_q", element->text);
  const State state{
      Eigen::Map<const Eigen::VectorXd>(q.data(), static_cast<Eigen::Index>(q.size())),
      Eigen::VectorXd::Zero(model.nv)};
  checked(*element, [&] { check_state(model, state); });
  model.initial_q = state.q;
}

}  // namespace

std::string model_text(const Model& model) {
  const ModelData& data = model.data();
  std::string out = "<tactum-model version=\"1\"" + attribute("gravity", data.gravity) + ">\n";
  for (const Tree& tree : data.trees) out += tree_text(data, tree);
  out += "  <initial_q>" + numbers_text(data.initial_q) + "</initial_q>\n";
  Scene scene;
  for (const ModelGeometry& geometry : data.geometries) {
    out += geometry_text(geometry);
    scene.add(geometry.geometry, geometry.X_BG);
  }
  out += closures_text(data) + "  <forbidden>";
  for (std::size_t a = 0; a < data.forbidden.size(); ++a)
    for (const int b : data.forbidden[a]) out += std::to_string(a) + " " + std::to_string(b) + "\n";
  return out + "</forbidden>\n  <scene>" + xml_escaped(scene.to_text()) +
         "</scene>\n</tactum-model>\n";
}

Model model_from_text(std::string_view text, const std::string& name) {
  const XmlElement root = parse_xml(text, name, {.max_bytes = std::size_t{1} << 31});
  if (root.name != "tactum-model" || root.find("version") == nullptr ||
      *root.find("version") != "1")
    root.refuse("the root element " + quoted_text(root.name),
                "give a file that save_model of this version wrote");
  ModelData model;
  model.gravity = read_vector(root, "gravity", name_of(root, "gravity"));
  for (const XmlElement& child : root.children) {
    if (child.name == "free_body") read_free_body(child, model);
    if (child.name == "robot") read_robot(child, model);
  }
  check_names(root, model);
  read_initial_position(root, model);
  read_geometries(root, model);
  for (const XmlElement& child : root.children) {
    if (child.name == "weld" || child.name == "connection") read_closure(child, model);
    if (child.name == "coupling") read_coupling(child, model);
  }
  if (const XmlElement* forbidden = root.child("forbidden")) read_forbidden(*forbidden, model);
  return Model(std::make_shared<const ModelData>(std::move(model)));
}

void save_model(const Model& model, const std::string& path) {
  write_whole_file(path, model_text(model));
}

Model load_model(const std::string& path) { return model_from_text(read_whole_file(path), path); }

}  // namespace tactum::sim
