// SPDX-License-Identifier: BSD-2-Clause
#include "sim/robot_file/xml_numbers.hpp"

#include <Eigen/Geometry>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/quote_text.hpp"

namespace tactum::sim {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

double to_number(const XmlElement& element, std::string_view what, std::string_view word,
                 bool infinite) {
  std::string_view digits = word;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool is_number = error == std::errc{} && end == digits.data() + digits.size();
  const bool is_right = is_number && !std::isnan(value) &&
                        (std::abs(value) <= 1e30 || (infinite && !std::isnan(value)));
  if (!is_right)
    element.refuse("attribute " + std::string(what) + " with " + quoted_text(word),
                   "give a finite number of at most 1e30");
  return value;
}

}  // namespace

std::vector<double> read_numbers(const XmlElement& element, std::string_view what,
                                 std::string_view text, bool infinite) {
  std::vector<double> out;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    if (text.empty()) return out;
    const std::size_t end = std::min(text.find_first_of(kSpaces), text.size());
    out.push_back(to_number(element, what, text.substr(0, end), infinite));
    text.remove_prefix(end);
  }
}

double read_number(const XmlElement& element, std::string_view what, std::string_view text,
                   bool infinite) {
  const std::vector<double> numbers = read_numbers(element, what, text, infinite);
  if (numbers.size() != 1)
    element.refuse("attribute " + std::string(what) + " with " + quoted_text(text),
                   "give one number");
  return numbers[0];
}

Vector3 read_vector(const XmlElement& element, std::string_view what, std::string_view text) {
  const std::vector<double> numbers = read_numbers(element, what, text);
  if (numbers.size() != 3)
    element.refuse("attribute " + std::string(what) + " with " + quoted_text(text),
                   "give three numbers");
  return {numbers[0], numbers[1], numbers[2]};
}

double number_of(const XmlElement& element, std::string_view attribute, double otherwise,
                 bool infinite) {
  const std::string* text = element.find(attribute);
  return text == nullptr ? otherwise : read_number(element, attribute, *text, infinite);
}

Vector3 vector_of(const XmlElement& element, std::string_view attribute, const Vector3& otherwise) {
  const std::string* text = element.find(attribute);
  return text == nullptr ? otherwise : read_vector(element, attribute, *text);
}

const std::string& name_of(const XmlElement& element, std::string_view attribute) {
  const std::string* text = element.find(attribute);
  if (text == nullptr || text->empty())
    element.refuse(quoted_text(element.name) + " without " + std::string(attribute), "give it one");
  return *text;
}

Matrix3 rotation_rpy(const Vector3& angles) {
  return (Eigen::AngleAxisd(angles.z(), Vector3::UnitZ()) *
          Eigen::AngleAxisd(angles.y(), Vector3::UnitY()) *
          Eigen::AngleAxisd(angles.x(), Vector3::UnitX()))
      .toRotationMatrix();
}

}  // namespace tactum::sim
