// SPDX-License-Identifier: BSD-2-Clause
// MJCF as robots, with MuJoCo's order of joints and its rules of what collides.
//
// Joints     Several joints of a body follow each other; all but the last carry nothing. Joint
//            positions are MuJoCo's: at qpos0 every body is where the file has it.
// Friction   Every geom has the sliding friction of the file, or MuJoCo's default of 1. The
//            friction of a pair is that of tactum/material.hpp; condim and priority are not read.
// Equality   connect, weld and linear joint constraints become closures and couplings, rigid ones.
// Not read   Actuators, sensors, keyframes, cameras, and the softness of contacts and constraints.
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/quote_text.hpp"
#include "sim/model/model_data.hpp"
#include "sim/robot_file/adjacent_geometries.hpp"
#include "sim/robot_file/mjcf_geom.hpp"
#include "sim/robot_file/xml_numbers.hpp"

namespace tactum::sim {
namespace {

constexpr int kMostBodyDepth = 200;

/// A child of a body, out of the frames around it.
struct Placed {
  const XmlElement* element;
  Pose X;
  std::string childclass;
};

struct Masks {
  std::uint32_t contype, conaffinity;
  auto operator<=>(const Masks&) const = default;
  bool meets(const Masks& other) const {
    return (contype & other.conaffinity) != 0 || (other.contype & conaffinity) != 0;
  }
};

/// The first number of an attribute; any after it have to be zero.
double first_number(const MjcfFile& file, const XmlElement& element, const char* attribute) {
  const std::string* text = element.find(attribute);
  if (text == nullptr) return 0.0;
  const std::vector<double> numbers = read_numbers(element, attribute, *text);
  if (numbers.empty()) element.refuse("an empty " + std::string(attribute), "give a number");
  if (std::any_of(numbers.begin() + 1, numbers.end(), [](double x) { return x != 0.0; }))
    file.refuse_unsupported(element, std::string(attribute) + " that is not linear");
  return numbers[0];
}

class MjcfReader {
 public:
  MjcfReader(const std::string& path, const RobotOptions& options)
      : options_(options), file_(path, options), geoms_(file_) {}

  RobotDescription read() {
    if (const std::string* name = file_.root().find("model")) robot_.name = *name;
    for (const XmlElement& section : file_.root().children) {
      if (section.name == "option") read_option(section);
      if (section.name == "worldbody") read_body_content({&section, {}, {}}, -1, {}, "world", 0);
      if (section.name == "tendon") refuse_tendons(section);
    }
    robot_.initial_q = Eigen::Map<const Eigen::VectorXd>(q_.data(),
                                                         static_cast<Eigen::Index>(q_.size()));
    set_total_mass();
    read_equalities();
    forbid_pairs();
    return std::move(robot_);
  }

 private:
  void read_option(const XmlElement& element) {
    if (element.find("gravity") != nullptr)
      robot_.gravity = vector_of(element, "gravity", Vector3::Zero());
    const XmlElement* flag = element.child("flag");
    if (flag == nullptr) return;
    if (!read_flag(*flag, "gravity", true)) robot_.gravity = Vector3::Zero();
    filters_parents_ = read_flag(*flag, "filterparent", filters_parents_);
  }

  void refuse_tendons(const XmlElement& section) {
    for (const XmlElement& child : section.children) {
      bool acts = child.find("range") != nullptr;
      for (const char* attribute : {"stiffness", "damping", "frictionloss", "armature"})
        acts = acts || first_number(file_, child, attribute) != 0.0;
      if (acts && read_flag(child, "limited", true))
        file_.refuse_unsupported(child, "a tendon with a limit, spring, damping or friction");
    }
  }

  /// Children of a body with frames taken apart.
  void collect(const Placed& around, std::vector<Placed>& out) const {
    for (const XmlElement& child : around.element->children) {
      if (child.name == "replicate" || child.name == "composite" || child.name == "flexcomp" ||
          child.name == "attach")
        child.refuse("element " + quoted_text(child.name),
                     "it is not supported: save the compiled model as MJCF first");
      const std::string* childclass = child.find("childclass");
      const std::string& inherited = childclass != nullptr ? *childclass : around.childclass;
      if (child.name == "frame") {
        collect({&child, around.X * file_.pose(child), inherited}, out);
      } else {
        out.push_back({&child, around.X, child.name == "body" ? inherited : around.childclass});
      }
    }
  }

  /// Reads what is in a body that is fixed to a joint, at X_JB in its frame.
  void read_body_content(const Placed& body, int joint, const Pose& X_JB, const std::string& name,
                         int depth) {
    if (depth > kMostBodyDepth)
      body.element->refuse("bodies inside each other", "nest at most 200");
    std::vector<Placed> children;
    collect({body.element, {}, body.childclass}, children);
    read_geoms(children, joint, X_JB, name, body.element->child("inertial"));
    for (const Placed& child : children) {
      const std::string* site = child.element->name == "site" ? child.element->find("name")
                                                              : nullptr;
      if (site != nullptr) sites_[*site] = {joint, X_JB * child.X * file_.pose(*child.element)};
      if (child.element->name == "body") read_body(child, joint, X_JB, depth + 1);
    }
  }

  void read_body(const Placed& body, int joint, const Pose& X_JB, int depth) {
    const std::string* given = body.element->find("name");
    const std::string name = given != nullptr ? *given : "body" + std::to_string(++num_unnamed_);
    const Pose X = X_JB * (body.X * file_.pose(*body.element));
    Placed content = body;
    std::vector<Placed> children;
    collect({body.element, {}, body.childclass}, children);
    int carrier = joint;
    Pose X_carrier = X;  // of the body in the frame of the carrier
    std::vector<Placed> joints;
    for (const Placed& child : children)
      if (child.element->name == "joint" || child.element->name == "freejoint")
        joints.push_back(child);
    for (std::size_t i = 0; i < joints.size(); ++i)
      add_joint(joints[i], name, i + 1 == joints.size(), joints.size(), carrier, X_carrier);
    if (!bodies_.try_emplace(name, CarriedFrame{carrier, X_carrier}).second)
      body.element->refuse("a second body " + quoted_text(name), "give each its own name");
    read_body_content(content, carrier, X_carrier, name, depth);
  }

  /// Adds a joint between the carrier and the body, and makes it the carrier.
  void add_joint(const Placed& placed, const std::string& body, bool is_last, std::size_t count,
                 int& carrier, Pose& X_carrier) {
    const XmlElement element = file_.with_defaults(*placed.element, placed.childclass);
    RobotJoint joint;
    const std::string* given = element.find("name");
    joint.name = given != nullptr ? *given : body + "_joint" + std::to_string(robot_.joints.size());
    joint.body_name = is_last ? body : body + "/" + joint.name;
    joint.parent = carrier;
    const std::string* type = element.find("type");
    const std::string kind = element.name == "freejoint" ? "free"
                             : type == nullptr           ? "hinge"
                                                         : *type;
    if (kind == "free") {
      if (carrier != -1 || count != 1)
        element.refuse("a free joint below another body or beside another joint",
                       "have it as the only joint of a body of the world");
      joint.kind = JointKind::free;
      const Vector7 pose = pose_xyz_xyzw(X_carrier);
      q_.insert(q_.end(), pose.begin(), pose.end());
      X_carrier = {};
    } else {
      const Pose X_BJ{Matrix3::Identity(), placed.X * vector_of(element, "pos", Vector3::Zero())};
      joint.X_PJ = X_carrier * X_BJ;
      X_carrier = {Matrix3::Identity(), -X_BJ.translation};
      read_kind(element, kind, placed.X.rotation, joint);
    }
    read_dynamics(element, joint);
    carrier = static_cast<int>(robot_.joints.size());
    robot_.joints.push_back(std::move(joint));
  }

  void read_kind(const XmlElement& element, const std::string& kind, const Matrix3& R_frame,
                 RobotJoint& joint) {
    if (kind == "ball") {
      joint.kind = JointKind::spherical;
      q_.insert(q_.end(), {0.0, 0.0, 0.0, 1.0});
      if (is_limited(element)) file_.refuse_unsupported(element, "the limit of a ball joint");
      return;
    }
    if (kind != "hinge" && kind != "slide")
      element.refuse("joint type " + quoted_text(kind), "use hinge, slide, ball or free");
    joint.kind = kind == "hinge" ? JointKind::revolute : JointKind::prismatic;
    const Vector3 axis = vector_of(element, "axis", Vector3::UnitZ());
    if (axis.stableNorm() == 0.0) element.refuse("an axis of length 0", "give a direction");
    joint.axis = R_frame * (axis / axis.stableNorm()).normalized();
    const auto position = [&](double value) {
      return kind == "hinge" ? file_.radians(value) : value;
    };
    const double reference = position(number_of(element, "ref", 0.0));
    if (kind == "hinge") {
      joint.X_PJ.rotation *= Eigen::AngleAxisd(-reference, joint.axis).toRotationMatrix();
    } else {
      joint.X_PJ.translation -= reference * (joint.X_PJ.rotation * joint.axis);
    }
    q_.push_back(reference);
    joint.rest_position = position(number_of(element, "springref", 0.0));
    joint.stiffness = first_number(file_, element, "stiffness");
    if (!is_limited(element)) return;
    const std::vector<double> range = read_numbers(element, "range", name_of(element, "range"));
    if (range.size() != 2 || range[0] > range[1])
      element.refuse("the range of a joint", "give the lower and the upper end");
    joint.lower = position(range[0]);
    joint.upper = position(range[1]);
  }

  bool is_limited(const XmlElement& element) const {
    const std::string* limited = element.find("limited");
    if (limited != nullptr && *limited != "auto") return read_flag(element, "limited", false);
    const std::string* text = element.find("range");
    if (!file_.compiler().autolimits || text == nullptr) return false;
    const std::vector<double> range = read_numbers(element, "range", *text);
    return range.size() == 2 && range[0] < range[1];
  }

  void read_dynamics(const XmlElement& element, RobotJoint& joint) {
    if (element.name == "freejoint") return;
    joint.damping = first_number(file_, element, "damping");
    joint.armature = number_of(element, "armature", 0.0);
    joint.dry_friction = number_of(element, "frictionloss", 0.0);
    if (num_velocities(joint.kind) > 1 && first_number(file_, element, "stiffness") != 0.0)
      file_.refuse_unsupported(element, "the spring of a joint with more than one coordinate");
    if (const std::string* text = element.find("actuatorfrcrange")) {
      const std::vector<double> range = read_numbers(element, "actuatorfrcrange", *text);
      if (range.size() != 2 || range[0] > 0.0 || range[1] < 0.0)
        element.refuse("actuatorfrcrange",
                       "give two numbers, the first not positive, the second "
                       "not negative");
      joint.effort_limit = std::max(-range[0], range[1]);
    }
    if (joint.damping < 0.0 || joint.armature < 0.0 || joint.dry_friction < 0.0 ||
        joint.stiffness < 0.0)
      element.refuse("negative damping, armature, frictionloss or stiffness", "give 0 or more");
  }

  /// Geometries and inertia of a body.
  void read_geoms(const std::vector<Placed>& children, int joint, const Pose& X_JB,
                  const std::string& body, const XmlElement* inertial) {
    BodyInertia from_geoms{0.0, Vector3::Zero(), Matrix3::Zero()};
    int index = 0;
    for (const Placed& child : children) {
      if (child.element->name != "geom") continue;
      MjcfGeom geom = geoms_.read(file_.with_defaults(*child.element, child.childclass));
      geom.X = child.X * geom.X;
      from_geoms = joined(from_geoms, geom.inertia, geom.X);
      if (geom.is_plane && joint >= 0)
        child.element->refuse("a plane on a body that moves", "have planes in the world");
      if (geom.name.empty()) geom.name = body + "_geom" + std::to_string(index);
      ++index;
      add_geometry(geom, joint, X_JB, body);
    }
    if (body == "world" && joint < 0) return;
    using enum MjcfCompiler::FromGeom;
    const MjcfCompiler::FromGeom rule = file_.compiler().inertia_from_geom;
    const bool takes_geoms = rule == always || (rule == without_inertial && inertial == nullptr);
    BodyInertia own = takes_geoms ? from_geoms : read_inertial(inertial);
    bound(own);
    total_mass_ += own.mass;
    if (joint < 0) return;
    BodyInertia& whole = robot_.joints[static_cast<std::size_t>(joint)].inertia;
    whole = joined(whole, own, X_JB);
  }

  BodyInertia read_inertial(const XmlElement* element) const {
    if (element == nullptr) return {0.0, Vector3::Zero(), Matrix3::Zero()};
    const double mass = read_number(*element, "mass", name_of(*element, "mass"));
    if (mass < 0.0) element->refuse("a negative mass", "give 0 or more");
    Matrix3 I = Matrix3::Zero();
    if (const std::string* full = element->find("fullinertia")) {
      const std::vector<double> n = read_numbers(*element, "fullinertia", *full);
      if (n.size() != 6) element->refuse("fullinertia", "give six numbers");
      I << n[0], n[3], n[4], n[3], n[1], n[5], n[4], n[5], n[2];
    } else {
      I.diagonal() = vector_of(*element, "diaginertia", Vector3::Zero());
    }
    return joined({0.0, Vector3::Zero(), Matrix3::Zero()}, {mass, Vector3::Zero(), I},
                  file_.pose(*element));
  }

  /// Raises mass and principal moments as the compiler asks for.
  void bound(BodyInertia& inertia) const {
    const MjcfCompiler& compiler = file_.compiler();
    inertia.mass = std::max(inertia.mass, compiler.least_mass);
    if (!(compiler.least_inertia > 0.0) && !compiler.balance_inertia) return;
    const Eigen::SelfAdjointEigenSolver<Matrix3> solver(inertia.inertia);
    Vector3 moments = solver.eigenvalues().cwiseMax(compiler.least_inertia);
    if (compiler.balance_inertia && moments[2] > moments[0] + moments[1])
      moments.setConstant(moments.mean());
    inertia.inertia = solver.eigenvectors() * moments.asDiagonal() *
                      solver.eigenvectors().transpose();
  }

  void add_geometry(const MjcfGeom& geom, int joint, const Pose& X_JB, const std::string& body) {
    if (!options_.geometries || !geom.geometry) return;
    if (!geometry_numbers_.try_emplace(geom.name, static_cast<int>(robot_.geometries.size()))
             .second)
      throw InvalidInput("geom name", quoted_text(geom.name), "give each geom its own");
    Surface surface = options_.surface;
    surface.friction = geom.friction;
    robot_.geometries.push_back({.geometry = *geom.geometry,
                                 .joint = joint,
                                 .X_JG = X_JB * geom.X,
                                 .surface = surface,
                                 .margin = std::max(geom.margin, options_.margin),
                                 .name = geom.name});
    masks_.push_back({geom.contype, geom.conaffinity});
    bodies_of_geometries_.push_back(body);
  }

  void set_total_mass() {
    const double wanted = file_.compiler().total_mass;
    if (!(wanted > 0.0) || !(total_mass_ > 0.0)) return;
    for (RobotJoint& joint : robot_.joints) {
      joint.inertia.mass *= wanted / total_mass_;
      joint.inertia.inertia *= wanted / total_mass_;
    }
  }

  // -----------------------------------------------------------------------------------------------
  // equality constraints
  void read_equalities() {
    for (const XmlElement& section : file_.root().children) {
      if (section.name != "equality") continue;
      for (const XmlElement& child : section.children) {
        const XmlElement element = file_.with_defaults(child, {});
        if (!read_flag(element, "active", true)) continue;
        if (child.name == "connect" || child.name == "weld") {
          read_closure(element);
        } else if (child.name == "joint") {
          read_coupling(element);
        } else {
          file_.refuse_unsupported(child, "equality constraint " + quoted_text(child.name));
        }
      }
    }
  }

  /// The joint that carries a frame, and the frame in the frame of that joint.
  struct CarriedFrame {
    int joint;
    Pose X;
  };

  CarriedFrame find_frame(const XmlElement& element, const char* attribute,
                          const std::unordered_map<std::string, CarriedFrame>& frames) const {
    const std::string& name = name_of(element, attribute);
    const auto found = frames.find(name);
    if (found == frames.end())
      element.refuse(std::string(attribute) + " " + quoted_text(name), "name one of the file");
    return found->second;
  }

  void read_closure(const XmlElement& element) {
    const bool is_weld = element.name == "weld";
    RobotClosure closure{.kind = is_weld ? ClosureKind::weld : ClosureKind::connection};
    if (element.find("site1") != nullptr) {
      const CarriedFrame a = find_frame(element, "site1", sites_),
                         b = find_frame(element, "site2", sites_);
      closure = {closure.kind, a.joint, b.joint, a.X, b.X};
    } else {
      const CarriedFrame world{-1, {}};
      const CarriedFrame first = find_frame(element, "body1", bodies_),
                         second = element.find("body2") == nullptr
                                      ? world
                                      : find_frame(element, "body2", bodies_);
      const Pose anchor{Matrix3::Identity(), vector_of(element, "anchor", Vector3::Zero())};
      // the anchor of a weld is in the frame of body2, that of a connection in that of body1
      const CarriedFrame &a = is_weld ? second : first, &b = is_weld ? first : second;
      closure = {closure.kind, a.joint, b.joint, a.X * anchor, {}};
      if (const std::optional<Pose> relative = is_weld ? read_relpose(element) : std::nullopt)
        closure.X_BC = b.X * *relative * anchor;
    }
    if (closure.joint_a == closure.joint_b)
      element.refuse("two bodies that move as one", "name bodies with a joint between them");
    robot_.closures.push_back(closure);
  }

  /// Pose of body2 in the frame of body1; none: that of the initial position.
  std::optional<Pose> read_relpose(const XmlElement& element) const {
    const std::string* text = element.find("relpose");
    if (text == nullptr) return {};
    const std::vector<double> n = read_numbers(element, "relpose", *text);
    if (n.size() != 7) element.refuse("attribute relpose", "give seven numbers");
    const Eigen::Quaterniond rotation(n[3], n[4], n[5], n[6]);
    if (rotation.coeffs().isZero(0.0)) return {};
    return Pose{rotation.normalized().toRotationMatrix(), {n[0], n[1], n[2]}};
  }

  int find_joint(const XmlElement& element, const char* attribute) const {
    const std::string& name = name_of(element, attribute);
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      if (robot_.joints[i].name != name) continue;
      if (num_positions(robot_.joints[i].kind) != 1)
        element.refuse("joint " + quoted_text(name), "name a hinge or slide joint");
      return static_cast<int>(i);
    }
    element.refuse("joint " + quoted_text(name), "name a joint of the file");
  }

  /// MuJoCo's polynomial is in the distances of both joints from their reference positions.
  void read_coupling(const XmlElement& element) {
    RobotCoupling coupling{.joint_a = find_joint(element, "joint1")};
    std::vector<double> polynomial = {0.0, 1.0};
    if (const std::string* text = element.find("polycoef"))
      polynomial = read_numbers(element, "polycoef", *text);
    polynomial.resize(5, 0.0);
    if (polynomial[2] != 0.0 || polynomial[3] != 0.0 || polynomial[4] != 0.0) {
      file_.refuse_unsupported(element, "a polynomial of joints above the first degree");
      return;
    }
    coupling.offset = polynomial[0] + reference_of(coupling.joint_a);
    if (element.find("joint2") != nullptr) {
      coupling.joint_b = find_joint(element, "joint2");
      coupling.ratio = polynomial[1];
      coupling.offset -= coupling.ratio * reference_of(coupling.joint_b);
    }
    robot_.couplings.push_back(coupling);
  }

  /// Initial position of a joint with one coordinate.
  double reference_of(int joint) const {
    int q = 0;
    for (int i = 0; i < joint; ++i)
      q += num_positions(robot_.joints[static_cast<std::size_t>(i)].kind);
    return robot_.initial_q[q];
  }

  // -----------------------------------------------------------------------------------------------
  // which geometries meet
  void forbid_pairs() {
    const std::set<std::pair<int, int>> listed = listed_pairs();
    if (filters_parents_) forbid_adjacent_geometries(robot_, BaseCollides::yes);
    forbid_by_masks();
    forbid_excluded_bodies();
    std::erase_if(robot_.forbidden, [&](const std::pair<int, int>& pair) {
      return listed.contains(std::minmax(pair.first, pair.second));
    });
    leave_out_untouchable(listed);
  }

  std::set<std::pair<int, int>> listed_pairs() const {
    std::set<std::pair<int, int>> out;
    for_each_contact("pair", [&](const XmlElement& element) {
      const int a = number_of_geom(element, "geom1"), b = number_of_geom(element, "geom2");
      if (a >= 0 && b >= 0) out.insert(std::minmax(a, b));
    });
    return out;
  }

  template <typename Function>
  void for_each_contact(const char* name, const Function& function) const {
    for (const XmlElement& section : file_.root().children) {
      if (section.name != "contact") continue;
      for (const XmlElement& child : section.children)
        if (child.name == name) function(child);
    }
  }

  int number_of_geom(const XmlElement& element, const char* attribute) const {
    const auto found = geometry_numbers_.find(name_of(element, attribute));
    if (found != geometry_numbers_.end()) return found->second;
    if (!options_.geometries) return -1;
    element.refuse("geom " + quoted_text(*element.find(attribute)), "name a geom of the file");
  }

  void forbid_by_masks() {
    std::map<Masks, std::vector<int>> groups;
    for (std::size_t i = 0; i < masks_.size(); ++i)
      groups[masks_[i]].push_back(static_cast<int>(i));
    for (auto first = groups.begin(); first != groups.end(); ++first) {
      for (auto second = first; second != groups.end(); ++second) {
        if (first->first.meets(second->first)) continue;
        for (const int a : first->second)
          for (const int b : second->second)
            if (first != second || a < b) forbid_unless_fixed(a, b);
      }
    }
  }

  /// Geometries of one body never meet anyway.
  void forbid_unless_fixed(int a, int b) {
    if (robot_.geometries[static_cast<std::size_t>(a)].joint !=
        robot_.geometries[static_cast<std::size_t>(b)].joint)
      forbid_pair(robot_, a, b);
  }

  void forbid_excluded_bodies() {
    std::unordered_map<std::string, std::vector<int>> geometries;
    for (std::size_t i = 0; i < bodies_of_geometries_.size(); ++i)
      geometries[bodies_of_geometries_[i]].push_back(static_cast<int>(i));
    for_each_contact("exclude", [&](const XmlElement& element) {
      for (const char* which : {"body1", "body2"}) {
        const std::string& name = name_of(element, which);
        if (name != "world" && !bodies_.contains(name))
          element.refuse("body " + quoted_text(name), "name a body of the file");
      }
      for (const int a : geometries[*element.find("body1")])
        for (const int b : geometries[*element.find("body2")]) forbid_unless_fixed(a, b);
    });
  }

  /// Leaves out the geometries that meet nothing by their masks and are in no listed pair: they are
  /// there to be seen.
  void leave_out_untouchable(const std::set<std::pair<int, int>>& listed) {
    std::vector<bool> stays(masks_.size());
    for (std::size_t i = 0; i < masks_.size(); ++i)
      stays[i] = masks_[i].contype != 0 || masks_[i].conaffinity != 0;
    for (const auto& [a, b] : listed)
      stays[static_cast<std::size_t>(a)] = stays[static_cast<std::size_t>(b)] = true;
    std::vector<int> new_number(masks_.size(), -1);
    std::vector<RobotGeometry> kept;
    for (std::size_t i = 0; i < masks_.size(); ++i) {
      if (!stays[i]) continue;
      new_number[i] = static_cast<int>(kept.size());
      kept.push_back(std::move(robot_.geometries[i]));
    }
    robot_.geometries = std::move(kept);
    std::vector<std::pair<int, int>> pairs;
    for (const auto& [a, b] : robot_.forbidden) {
      const int new_a = new_number[static_cast<std::size_t>(a)],
                new_b = new_number[static_cast<std::size_t>(b)];
      if (new_a >= 0 && new_b >= 0) pairs.emplace_back(new_a, new_b);
    }
    robot_.forbidden = std::move(pairs);
    for (const auto& [a, b] : listed)
      robot_.meeting.emplace_back(new_number[static_cast<std::size_t>(a)],
                                  new_number[static_cast<std::size_t>(b)]);
  }

  const RobotOptions& options_;
  MjcfFile file_;
  MjcfGeoms geoms_;
  RobotDescription robot_;
  std::vector<double> q_;
  double total_mass_ = 0.0;
  int num_unnamed_ = 0;
  bool filters_parents_ = true;
  std::unordered_map<std::string, CarriedFrame> bodies_, sites_;
  std::unordered_map<std::string, int> geometry_numbers_;  // by name
  std::vector<Masks> masks_;                               // of geometries
  std::vector<std::string> bodies_of_geometries_;
};

}  // namespace

RobotDescription read_mjcf(const std::string& path, const RobotOptions& options) {
  return MjcfReader(path, options).read();
}

}  // namespace tactum::sim
