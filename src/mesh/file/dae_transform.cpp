// SPDX-License-Identifier: BSD-2-Clause
#include "mesh/file/dae_transform.hpp"

#include <cmath>
#include <numbers>

#include "core/quote_text.hpp"
#include "mesh/file/xml_list.hpp"

namespace tactum {
namespace {

std::vector<double> exactly(const XmlElement& element, std::size_t count) {
  std::vector<double> numbers = number_list(element);
  if (numbers.size() != count)
    element.refuse(std::to_string(numbers.size()) + " numbers in <" + element.name + ">",
                   "give " + std::to_string(count));
  return numbers;
}

struct CosineSine {
  double cosine, sine;
};

/// Returns cosine and sine of an angle in degrees, exact at multiples of 90.
CosineSine cosine_sine(double degrees) {
  const double turned = std::remainder(degrees, 360.0);  // exact
  const double quarters = std::round(turned / 90.0);
  const double rest = (turned - 90.0 * quarters) * (std::numbers::pi / 180.0);
  const double c = std::cos(rest), s = std::sin(rest);
  switch (static_cast<int>(quarters)) {
    case 0: return {c, s};
    case 1: return {-s, c};
    case -1: return {s, -c};
    default: return {-c, -s};
  }
}

Vector3 unit_of(const XmlElement& element, double x, double y, double z) {
  const Vector3 axis(x, y, z);
  const double length = axis.stableNorm();
  if (!(length > 0.0)) element.refuse("an axis of length zero", "give a direction");
  return axis / length;
}

Matrix3 rotation_about(const Vector3& axis, double degrees) {
  const auto [c, s] = cosine_sine(degrees);
  Matrix3 across;
  across << 0.0, -axis.z(), axis.y(), axis.z(), 0.0, -axis.x(), -axis.y(), axis.x(), 0.0;
  return c * Matrix3::Identity() + (1.0 - c) * axis * axis.transpose() + s * across;
}

AffineMap matrix_of(const XmlElement& element) {
  const std::vector<double> m = exactly(element, 16);
  if (m[12] != 0.0 || m[13] != 0.0 || m[14] != 0.0 || m[15] != 1.0)
    element.refuse("a matrix that is not affine", "give 0 0 0 1 as its last row");
  AffineMap map;
  map.linear << m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10];
  map.offset = {m[3], m[7], m[11]};
  return map;
}

bool transform_of(const XmlElement& element, AffineMap& map) {
  if (element.name == "matrix") {
    map = matrix_of(element);
  } else if (element.name == "translate") {
    const std::vector<double> t = exactly(element, 3);
    map = {Matrix3::Identity(), Vector3(t[0], t[1], t[2])};
  } else if (element.name == "rotate") {
    const std::vector<double> r = exactly(element, 4);
    // an axis of zeros with an angle of zero is written by some exporters
    if (r[3] == 0.0) return false;
    map = {rotation_about(unit_of(element, r[0], r[1], r[2]), r[3]), Vector3::Zero()};
  } else if (element.name == "scale") {
    const std::vector<double> s = exactly(element, 3);
    map = {Vector3(s[0], s[1], s[2]).asDiagonal(), Vector3::Zero()};
  } else if (element.name == "skew" || element.name == "lookat") {
    element.refuse("<" + element.name + ">", "write it as a <matrix>");
  } else {
    return false;
  }
  return true;
}

}  // namespace

AffineMap node_transform(const XmlElement& node) {
  AffineMap product;
  for (const XmlElement& child : node.children) {
    AffineMap map;
    if (!transform_of(child, map)) continue;
    product = product * map;
    if (!(product.linear.cwiseAbs().maxCoeff() <= 1e30) ||
        !(product.offset.cwiseAbs().maxCoeff() <= 1e30))
      child.refuse("a transform beyond 1e30", "give smaller numbers");
  }
  return product;
}

AffineMap document_transform(const XmlElement& root, bool apply_up_axis) {
  AffineMap map;
  const XmlElement* const asset = root.child("asset");
  const XmlElement* const unit = asset == nullptr ? nullptr : asset->child("unit");
  const XmlElement* const up_axis = asset == nullptr ? nullptr : asset->child("up_axis");
  if (apply_up_axis) {
    std::string up = up_axis == nullptr ? "Y_UP" : up_axis->text;
    std::erase_if(up, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
    if (up == "Y_UP") {
      map.linear << 1, 0, 0, 0, 0, -1, 0, 1, 0;
    } else if (up == "X_UP") {
      map.linear << 0, -1, 0, 0, 0, -1, 1, 0, 0;
    } else if (up != "Z_UP") {
      up_axis->refuse(quoted_text(up), "give X_UP, Y_UP or Z_UP");
    }
  }
  if (unit == nullptr || unit->find("meter") == nullptr) return map;
  XmlElement number{.name = "unit", .text = *unit->find("meter"), .file = unit->file};
  number.line = unit->line;
  const double meters = exactly(number, 1)[0];
  if (!(meters >= 1e-30)) unit->refuse(quoted_text(number.text), "give a positive number");
  map.linear *= meters;
  return map;
}

}  // namespace tactum
