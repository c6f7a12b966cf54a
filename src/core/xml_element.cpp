// SPDX-License-Identifier: BSD-2-Clause
#include "core/xml_element.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <utility>

#include "core/quote_text.hpp"
#include "tactum/interrupt.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':' || c == '-' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
}

bool can_start_name(char c) {
  return is_name_byte(c) && c != '-' && c != '.' && (c < '0' || c > '9');
}

void append_utf8(std::uint32_t code, std::string& out) {
  const auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) return add(0xC0 | code >> 6), add(0x80 | (code & 0x3F));
  if (code < 0x10000)
    return add(0xE0 | code >> 12), add(0x80 | (code >> 6 & 0x3F)), add(0x80 | (code & 0x3F));
  add(0xF0 | code >> 18), add(0x80 | (code >> 12 & 0x3F)), add(0x80 | (code >> 6 & 0x3F)),
      add(0x80 | (code & 0x3F));
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& name, const XmlLimits& limits)
      : rest_(text), file_(std::make_shared<const std::string>(name)), limits_(limits) {}

  XmlElement parse() {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);  // byte order mark
    XmlElement document{.name = "document", .file = file_};
    open_.push_back(&document);
    while (!rest_.empty()) {
      check_interrupt();
      if (rest_.front() == '<') {
        read_markup();
      } else {
        read_text();
      }
    }
    if (open_.size() > 1)
      refuse("the end of the file", "close " + quoted_text(open_.back()->name) + " of line " +
                                        std::to_string(open_.back()->line));
    if (document.children.empty()) refuse("no element", "give a file with one root element");
    return std::move(document.children.front());
  }

 private:
  [[noreturn]] void refuse(const std::string& value, const std::string& remedy) const {
    throw InvalidInput(*file_ + ":" + std::to_string(line_), value, remedy);
  }

  void skip(std::size_t count) {
    const std::string_view skipped = rest_.substr(0, count);
    line_ += static_cast<std::size_t>(std::count(skipped.begin(), skipped.end(), '\n'));
    rest_.remove_prefix(skipped.size());
  }

  void skip_spaces() { skip(std::min(rest_.find_first_not_of(kSpaces), rest_.size())); }

  /// Skips up to and past an end mark; returns what lies before it.
  std::string_view take_until(std::string_view end, const char* what) {
    const std::size_t at = rest_.find(end);
    if (at == std::string_view::npos)
      refuse(std::string(what) + " without an end", "end it with " + std::string(end));
    const std::string_view inside = rest_.substr(0, at);
    skip(at + end.size());
    return inside;
  }

  void read_text() {
    const std::string_view text = rest_.substr(0, rest_.find('<'));
    if (open_.size() == 1) {
      if (text.find_first_not_of(kSpaces) != std::string_view::npos)
        refuse(quoted_text(text), "have all text inside the root element");
    } else {
      append_decoded(text, open_.back()->text);
    }
    skip(text.size());
  }

  void read_markup() {
    if (rest_.starts_with("<!--")) {
      skip(4);
      take_until("-->", "a comment");
    } else if (rest_.starts_with("<?")) {
      skip(2);
      take_until("?>", "an instruction");
    } else if (rest_.starts_with("<![CDATA[")) {
      skip(9);
      const std::string_view inside = take_until("]]>", "a CDATA section");
      if (open_.size() == 1) refuse("CDATA", "have all text inside the root element");
      open_.back()->text += inside;
    } else if (rest_.starts_with("<!")) {
      refuse(quoted_text(rest_.substr(0, 9)), "remove DOCTYPE and declarations: they are not read");
    } else if (rest_.starts_with("</")) {
      close_element();
    } else {
      open_element();
    }
  }

  std::string take_name(const char* what) {
    std::size_t size = 0;
    while (size < rest_.size() && is_name_byte(rest_[size])) ++size;
    if (size == 0 || !can_start_name(rest_[0]))
      refuse(quoted_text(rest_.substr(0, std::max<std::size_t>(size, 1))),
             std::string("give ") + what);
    std::string name(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return name;
  }

  void open_element() {
    if (open_.size() == 1 && !open_.back()->children.empty())
      refuse("a second root element", "have one");
    if (open_.size() > limits_.max_depth)
      refuse("elements inside each other", "nest at most " + std::to_string(limits_.max_depth));
    if (++num_elements_ > limits_.max_elements)
      refuse("too many elements", "have at most " + std::to_string(limits_.max_elements));
    XmlElement element{.name = {}, .file = file_, .line = line_};
    rest_.remove_prefix(1);
    element.name = take_name("the name of an element");
    const bool is_empty = read_attributes(element);
    open_.back()->children.push_back(std::move(element));
    if (!is_empty) open_.push_back(&open_.back()->children.back());
  }

  /// Reads up to and past > or />; returns whether it was />.
  bool read_attributes(XmlElement& element) {
    while (true) {
      const bool parted = rest_.empty() || kSpaces.find(rest_.front()) != std::string_view::npos;
      skip_spaces();
      if (rest_.starts_with("/>")) return rest_.remove_prefix(2), true;
      if (rest_.starts_with(">")) return rest_.remove_prefix(1), false;
      if (!parted) refuse(quoted_text(rest_.substr(0, 1)), "part attributes by spaces");
      if (rest_.empty()) refuse("the end of the file", "end the tag " + quoted_text(element.name));
      XmlAttribute attribute{take_name("the name of an attribute"), {}};
      if (element.find(attribute.name) != nullptr)
        refuse("attribute " + quoted_text(attribute.name) + " twice", "give it once");
      skip_spaces();
      if (!rest_.starts_with("=")) refuse(quoted_text(attribute.name), "give it a value");
      rest_.remove_prefix(1);
      skip_spaces();
      if (!rest_.starts_with("\"") && !rest_.starts_with("'"))
        refuse(quoted_text(attribute.name), "put its value in quotation marks");
      const std::string mark(rest_.substr(0, 1));
      rest_.remove_prefix(1);
      append_decoded(take_until(mark, "a value"), attribute.value);
      element.attributes.push_back(std::move(attribute));
      if (element.attributes.size() > 1000) refuse("too many attributes", "have at most 1000");
    }
  }

  void close_element() {
    skip(2);
    const std::string name = take_name("the name of an element");
    skip_spaces();
    if (open_.size() == 1 || open_.back()->name != name || !rest_.starts_with(">"))
      refuse("the end tag of " + quoted_text(name),
             open_.size() == 1 ? "open it first"
                               : "close " + quoted_text(open_.back()->name) + " of line " +
                                     std::to_string(open_.back()->line));
    rest_.remove_prefix(1);
    open_.pop_back();
  }

  void append_decoded(std::string_view text, std::string& out) const {
    while (true) {
      const std::size_t at = text.find('&');
      out += text.substr(0, at);
      if (at == std::string_view::npos) return;
      text.remove_prefix(at + 1);
      const std::size_t end = text.substr(0, 12).find(';');
      if (end == std::string_view::npos)
        refuse(quoted_text(text.substr(0, 12)), "write & as &amp;");
      append_entity(text.substr(0, end), out);
      text.remove_prefix(end + 1);
    }
  }

  void append_entity(std::string_view entity, std::string& out) const {
    constexpr std::pair<std::string_view, char> known[] = {
        {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    for (const auto& [name, character] : known) {
      if (entity == name) return static_cast<void>(out += character);
    }
    std::uint32_t code = 0;
    const bool is_hex = entity.starts_with("#x");
    const std::string_view digits = entity.substr(
        std::min<std::size_t>(is_hex ? 2 : 1, entity.size()));
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code,
                                              is_hex ? 16 : 10);
    const bool is_character = code >= 0x20 || code == '\t' || code == '\n' || code == '\r';
    if (!entity.starts_with("#") || error != std::errc{} || end != digits.data() + digits.size() ||
        !is_character || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
      refuse("entity " + quoted_text(entity),
             "use lt, gt, amp, quot, apos or the number of a character");
    append_utf8(code, out);
  }

  std::string_view rest_;
  std::shared_ptr<const std::string> file_;
  XmlLimits limits_;
  std::size_t line_ = 1, num_elements_ = 0;
  /// Elements that are open, the document first. Each is the last child of the one before, whose
  /// children do not move until it is closed.
  std::vector<XmlElement*> open_;
};

}  // namespace

const std::string* XmlElement::find(std::string_view attribute) const {
  for (const XmlAttribute& candidate : attributes) {
    if (candidate.name == attribute) return &candidate.value;
  }
  return nullptr;
}

const XmlElement* XmlElement::child(std::string_view child_name) const {
  for (const XmlElement& candidate : children) {
    if (candidate.name == child_name) return &candidate;
  }
  return nullptr;
}

void XmlElement::refuse(const std::string& value, const std::string& remedy) const {
  throw InvalidInput((file ? *file : std::string("XML")) + ":" + std::to_string(line), value,
                     remedy);
}

XmlElement parse_xml(std::string_view text, const std::string& name, const XmlLimits& limits) {
  if (text.size() > limits.max_bytes)
    throw InvalidInput(name, std::to_string(text.size()) + " bytes",
                       "give at most " + std::to_string(limits.max_bytes));
  return Parser(text, name, limits).parse();
}

XmlElement read_xml(const std::string& path, const XmlLimits& limits) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  if (size < 0 || static_cast<std::size_t>(size) > limits.max_bytes)
    throw InvalidInput("path", quoted_text(path),
                       "give a plain file that can be read, of at most " +
                           std::to_string(limits.max_bytes) + " bytes");
  std::string text(static_cast<std::size_t>(size), '\0');
  file.seekg(0);
  file.read(text.data(), size);
  if (file.gcount() != size)
    throw InvalidInput("path", quoted_text(path), "give a file that can be read to its end");
  return parse_xml(text, path, limits);
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&apos;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace tactum
