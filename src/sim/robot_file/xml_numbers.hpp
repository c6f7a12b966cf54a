// SPDX-License-Identifier: BSD-2-Clause
// Numbers in the attributes of XML elements. Errors name the file, the line and the attribute.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/format_number.hpp"
#include "core/xml_element.hpp"
#include "tactum/pose.hpp"

namespace tactum::sim {

/// All numbers of a text, parted by white space; finite, of at most 1e30, or `inf` and `-inf` where
/// that is allowed. `what` names the text in messages.
std::vector<double> read_numbers(const XmlElement& element, std::string_view what,
                                 std::string_view text, bool infinite = false);
/// One number.
double read_number(const XmlElement& element, std::string_view what, std::string_view text,
                   bool infinite = false);
/// Three numbers.
Vector3 read_vector(const XmlElement& element, std::string_view what, std::string_view text);

/// Reads the numbers of an attribute; returns the value given where there is none.
double number_of(const XmlElement& element, std::string_view attribute, double otherwise,
                 bool infinite = false);
Vector3 vector_of(const XmlElement& element, std::string_view attribute, const Vector3& otherwise);
/// A name that has to be there.
const std::string& name_of(const XmlElement& element, std::string_view attribute);

/// All numbers as a text that read_numbers() reads, with no bit lost.
template <typename Numbers>
std::string numbers_text(const Numbers& numbers) {
  std::string out;
  for (const double number : numbers) out += (out.empty() ? "" : " ") + shortest_text(number);
  return out;
}

/// Rotation by roll, pitch and yaw about the fixed axes x, y and z.
Matrix3 rotation_rpy(const Vector3& angles);

}  // namespace tactum::sim
