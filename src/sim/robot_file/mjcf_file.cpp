// SPDX-License-Identifier: BSD-2-Clause
#include "sim/robot_file/mjcf_file.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cctype>
#include <numbers>

#include "core/quote_text.hpp"
#include "sim/robot_file/xml_numbers.hpp"

namespace tactum::sim {
namespace {

constexpr std::size_t kMostClasses = 10'000, kMostIncludes = 100, kMostDefaults = 100;
constexpr int kMostIncludeDepth = 8;

bool has_defaults(const std::string& name) {
  return name == "geom" || name == "joint" || name == "mesh";
}

void set_attribute(std::vector<XmlAttribute>& attributes, const XmlAttribute& given) {
  for (XmlAttribute& attribute : attributes) {
    if (attribute.name == given.name) {
      attribute.value = given.value;
      return;
    }
  }
  attributes.push_back(given);
}

Vector3 unit(const XmlElement& element, const Vector3& given) {
  const double length = given.stableNorm();
  if (length == 0.0) element.refuse("a direction of length 0", "give a direction");
  return (given / length).normalized();
}

std::vector<double> numbers(const XmlElement& element, const char* attribute, std::size_t count) {
  std::vector<double> out = read_numbers(element, attribute, *element.find(attribute));
  if (out.size() != count)
    element.refuse(
        "attribute " + std::string(attribute) + " with " + std::to_string(out.size()) + " numbers",
        "give " + std::to_string(count));
  return out;
}

}  // namespace

bool read_flag(const XmlElement& element, const char* attribute, bool otherwise) {
  const std::string* text = element.find(attribute);
  if (text == nullptr) return otherwise;
  if (*text == "true" || *text == "enable") return true;
  if (*text == "false" || *text == "disable") return false;
  element.refuse("attribute " + std::string(attribute) + " with " + quoted_text(*text),
                 "give true or false");
}

MjcfFile::MjcfFile(const std::string& path, const RobotOptions& options)
    : meshes_(path, options),
      ignore_unsupported_(options.ignore_unsupported),
      root_(read_xml(path)) {
  if (root_.name != "mujoco")
    root_.refuse("the root element " + quoted_text(root_.name), "give an MJCF file: <mujoco>");
  expand_includes(root_, 0);
  for (const XmlElement& child : root_.children)
    if (child.name == "compiler") read_compiler(child);
  for (const XmlElement& child : root_.children)
    if (child.name == "default") read_defaults(child, classes_[main_class_], true);
}

void MjcfFile::expand_includes(XmlElement& element, int depth) {
  std::vector<XmlElement> children;
  for (XmlElement& child : element.children) {
    if (child.name != "include") {
      expand_includes(child, depth);
      children.push_back(std::move(child));
      continue;
    }
    const std::string path = meshes_.find(name_of(child, "file"), child).string();
    const bool is_new = std::find(included_.begin(), included_.end(), path) == included_.end();
    if (!is_new || included_.size() >= kMostIncludes || depth >= kMostIncludeDepth)
      child.refuse("include of " + quoted_text(path),
                   "include each file once, at most 100 files, at most 8 inside each other");
    included_.push_back(path);
    XmlElement inside = read_xml(path);
    expand_includes(inside, depth + 1);
    std::move(inside.children.begin(), inside.children.end(), std::back_inserter(children));
  }
  element.children = std::move(children);
}

void MjcfFile::read_compiler(const XmlElement& element) {
  if (const std::string* angle = element.find("angle")) {
    if (*angle != "degree" && *angle != "radian")
      element.refuse("angle " + quoted_text(*angle), "give degree or radian");
    compiler_.degrees = *angle == "degree";
  }
  if (const std::string* coordinate = element.find("coordinate");
      coordinate && *coordinate != "local")
    element.refuse("coordinate " + quoted_text(*coordinate), "use local coordinates");
  if (const std::string* sequence = element.find("eulerseq")) {
    const bool is_right = sequence->size() == 3 &&
                          sequence->find_first_not_of("xyzXYZ") == std::string::npos;
    if (!is_right) element.refuse("eulerseq " + quoted_text(*sequence), "give three of xyzXYZ");
    compiler_.eulerseq = *sequence;
  }
  if (const std::string* from = element.find("inertiafromgeom")) {
    using enum MjcfCompiler::FromGeom;
    compiler_.inertia_from_geom = *from == "auto"
                                      ? without_inertial
                                      : (read_flag(element, "inertiafromgeom", true) ? always
                                                                                     : never);
  }
  if (const std::string* folder = element.find("assetdir")) compiler_.meshdir = *folder;
  if (const std::string* folder = element.find("meshdir")) compiler_.meshdir = *folder;
  if (element.find("inertiagrouprange") != nullptr) {
    const std::vector<double> range = numbers(element, "inertiagrouprange", 2);
    compiler_.first_group = range[0], compiler_.last_group = range[1];
  }
  compiler_.autolimits = read_flag(element, "autolimits", compiler_.autolimits);
  compiler_.strippath = read_flag(element, "strippath", compiler_.strippath);
  compiler_.balance_inertia = read_flag(element, "balanceinertia", compiler_.balance_inertia);
  compiler_.total_mass = number_of(element, "settotalmass", compiler_.total_mass);
  compiler_.least_mass = number_of(element, "boundmass", compiler_.least_mass);
  compiler_.least_inertia = number_of(element, "boundinertia", compiler_.least_inertia);
}

void MjcfFile::read_defaults(const XmlElement& element, const ClassDefaults& inherited,
                             bool is_main) {
  const std::string* name = element.find("class");
  if (name == nullptr && !is_main)
    element.refuse("a default inside another without a class", "give it one");
  const std::string class_name = name == nullptr ? main_class_ : *name;
  if (is_main) main_class_ = class_name;
  if (classes_.size() >= kMostClasses) element.refuse("too many classes", "have at most 10000");
  ClassDefaults own = inherited;
  for (const XmlElement& child : element.children) {
    if (!has_defaults(child.name)) continue;
    Attributes& attributes = own[child.name];
    for (const XmlAttribute& attribute : child.attributes) set_attribute(attributes, attribute);
    if (attributes.size() > kMostDefaults)
      child.refuse("too many attributes", "have at most 100 in a class");
  }
  classes_[class_name] = own;
  for (const XmlElement& child : element.children)
    if (child.name == "default") read_defaults(child, own, false);
}

XmlElement MjcfFile::with_defaults(const XmlElement& element, const std::string& childclass) const {
  XmlElement out{.name = element.name,
                 .attributes = element.attributes,
                 .file = element.file,
                 .line = element.line};
  const std::string* own = element.find("class");
  const std::string& name = own != nullptr ? *own : childclass.empty() ? main_class_ : childclass;
  const auto found = classes_.find(name);
  if (found == classes_.end()) {
    if (name == main_class_) return out;
    element.refuse("class " + quoted_text(name), "name a class of <default>");
  }
  const auto defaults = found->second.find(element.name);
  if (defaults == found->second.end()) return out;
  for (const XmlAttribute& attribute : defaults->second)
    if (out.find(attribute.name) == nullptr) out.attributes.push_back(attribute);
  return out;
}

double MjcfFile::radians(double angle) const {
  return compiler_.degrees ? angle * std::numbers::pi / 180.0 : angle;
}

Matrix3 MjcfFile::orientation(const XmlElement& element) const {
  if (element.find("quat") != nullptr) {
    const std::vector<double> q = numbers(element, "quat", 4);
    Eigen::Vector4d wxyz(q[0], q[1], q[2], q[3]);
    if (wxyz.stableNorm() < 1e-12) element.refuse("a quaternion of length 0", "give a unit one");
    wxyz /= wxyz.stableNorm();
    return Eigen::Quaterniond(wxyz[0], wxyz[1], wxyz[2], wxyz[3]).normalized().toRotationMatrix();
  }
  if (element.find("axisangle") != nullptr) {
    const std::vector<double> a = numbers(element, "axisangle", 4);
    return Eigen::AngleAxisd(radians(a[3]), unit(element, {a[0], a[1], a[2]})).toRotationMatrix();
  }
  if (element.find("euler") != nullptr) {
    const std::vector<double> angles = numbers(element, "euler", 3);
    Matrix3 R = Matrix3::Identity();
    for (std::size_t i = 0; i < 3; ++i) {
      const char letter = compiler_.eulerseq[i];
      const bool about_moved = letter >= 'x';
      const Vector3 axis = Vector3::Unit(about_moved ? letter - 'x' : letter - 'X');
      const Matrix3 turn = Eigen::AngleAxisd(radians(angles[i]), axis).toRotationMatrix();
      R = about_moved ? Matrix3(R * turn) : Matrix3(turn * R);
    }
    return R;
  }
  if (element.find("xyaxes") != nullptr) {
    const std::vector<double> a = numbers(element, "xyaxes", 6);
    const Vector3 x = unit(element, {a[0], a[1], a[2]});
    const Vector3 y_given(a[3], a[4], a[5]);
    const Vector3 y = unit(element, y_given - y_given.dot(x) * x);
    Matrix3 R;
    R << x, y, x.cross(y);
    return R;
  }
  if (element.find("zaxis") != nullptr) {
    const std::vector<double> a = numbers(element, "zaxis", 3);
    return Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), unit(element, {a[0], a[1], a[2]}))
        .toRotationMatrix();
  }
  return Matrix3::Identity();
}

Pose MjcfFile::pose(const XmlElement& element) const {
  return {orientation(element), vector_of(element, "pos", Vector3::Zero())};
}

void MjcfFile::refuse_unsupported(const XmlElement& element, const std::string& what) const {
  if (ignore_unsupported_) return;
  element.refuse(what,
                 "it is not supported: take it out, or set ignore_unsupported to leave it out");
}

}  // namespace tactum::sim
