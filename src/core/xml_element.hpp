// SPDX-License-Identifier: BSD-2-Clause
// XML files that are not trusted: elements, attributes and text; nothing else of the language.
//
// Bounded    Size, depth and number of elements have limits. Parsing does not recurse.
// Refused    DOCTYPE, and with it every entity but the five of the language; attributes given
// twice;
//            what is not well formed. Namespaces are part of the names.
// Errors     InvalidInput whose field is the file with the line.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tactum {

struct XmlAttribute {
  std::string name, value;
};

struct XmlElement {
  std::string name;
  std::vector<XmlAttribute> attributes = {};
  std::string text = {};  ///< all text directly inside, joined
  std::vector<XmlElement> children = {};
  std::shared_ptr<const std::string> file = {};  ///< that it was read from
  std::size_t line = 0;                          ///< of its start, from 1

  /// The value of an attribute; null: it has none of that name.
  const std::string* find(std::string_view attribute) const;
  /// The first child of that name; null: there is none.
  const XmlElement* child(std::string_view child_name) const;
  /// Throws InvalidInput with the field "file:line".
  [[noreturn]] void refuse(const std::string& value, const std::string& remedy) const;
};

struct XmlLimits {
  std::size_t max_bytes = std::size_t{1} << 28;
  std::size_t max_elements = 1'000'000;
  std::size_t max_depth = 256;
};

/// The root element of a file, or of a text that `name` stands for in messages.
XmlElement read_xml(const std::string& path, const XmlLimits& limits = {});
XmlElement parse_xml(std::string_view text, const std::string& name, const XmlLimits& limits = {});

/// Text with the five characters that XML reserves written as entities.
std::string xml_escaped(std::string_view text);

}  // namespace tactum
