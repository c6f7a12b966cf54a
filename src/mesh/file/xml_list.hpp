// SPDX-License-Identifier: BSD-2-Clause
// Lists of numbers in the text of XML elements. Errors name the file and the line of the element.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/xml_element.hpp"

namespace tactum {

/// All numbers of the text of an element, parted by white space: finite, of at most 1e30. A number
/// too small for a double is zero.
std::vector<double> number_list(const XmlElement& element);

/// All integers from 0 to 2^31 - 1 of the text of an element.
std::vector<std::int32_t> index_list(const XmlElement& element);

/// An attribute that is an integer from 0 to 2^31 - 1, or `otherwise` where there is none.
std::int32_t index_attribute(const XmlElement& element, std::string_view attribute,
                             std::int32_t otherwise);

/// An attribute that has to be there.
const std::string& required_attribute(const XmlElement& element, std::string_view attribute);

/// A child that has to be there.
const XmlElement& required_child(const XmlElement& element, std::string_view child);

}  // namespace tactum
