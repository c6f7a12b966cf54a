// SPDX-License-Identifier: BSD-2-Clause
#include "mesh/file/xml_list.hpp"

#include <algorithm>
#include <charconv>

#include "core/quote_text.hpp"
#include "mesh/file/file_text.hpp"

namespace tactum {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

template <class Take>
void for_each_word(std::string_view text, Take&& take) {
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    if (text.empty()) return;
    const std::size_t end = std::min(text.find_first_of(kSpaces), text.size());
    take(text.substr(0, end));
    text.remove_prefix(end);
  }
}

/// Whether all of a word is a number; `value` is then that number.
template <class Value>
std::errc parsed(std::string_view word, Value& value) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return end == word.data() + word.size() ? error : std::errc::invalid_argument;
}

/// A number that a double cannot hold, and that is too small and not too large.
bool is_tiny(std::string_view word) {
  const std::size_t exponent = word.find_first_of("eE");
  return exponent != std::string_view::npos && word.substr(exponent + 1).starts_with('-');
}

std::int32_t to_index(const XmlElement& element, std::string_view word) {
  std::int32_t value = -1;
  if (parsed(word, value) != std::errc{} || value < 0)
    element.refuse(quoted_text(word), "give an integer from 0 to 2147483647");
  return value;
}

}  // namespace

std::vector<double> number_list(const XmlElement& element) {
  std::vector<double> out;
  for_each_word(element.text, [&](std::string_view word) {
    double value = 0.0;
    const std::errc error = parsed(word, value);
    if (error == std::errc::result_out_of_range && is_tiny(word)) {
      value = 0.0;
    } else if (error != std::errc{} || !is_in_range(value)) {
      element.refuse(quoted_text(word), "give a finite number of at most 1e30");
    }
    out.push_back(value);
  });
  return out;
}

std::vector<std::int32_t> index_list(const XmlElement& element) {
  std::vector<std::int32_t> out;
  for_each_word(element.text,
                [&](std::string_view word) { out.push_back(to_index(element, word)); });
  return out;
}

std::int32_t index_attribute(const XmlElement& element, std::string_view attribute,
                             std::int32_t otherwise) {
  const std::string* const value = element.find(attribute);
  return value == nullptr ? otherwise : to_index(element, *value);
}

const std::string& required_attribute(const XmlElement& element, std::string_view attribute) {
  const std::string* const value = element.find(attribute);
  if (value == nullptr)
    element.refuse("<" + element.name + "> without " + std::string(attribute),
                   "give it the attribute " + std::string(attribute));
  return *value;
}

const XmlElement& required_child(const XmlElement& element, std::string_view child) {
  const XmlElement* const found = element.child(child);
  if (found == nullptr)
    element.refuse("<" + element.name + "> without <" + std::string(child) + ">", "give it one");
  return *found;
}

}  // namespace tactum
