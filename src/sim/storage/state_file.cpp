// SPDX-License-Identifier: BSD-2-Clause
// States in files, with the contact forces that the next step begins from: XML with every number
// exact.
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "core/format_number.hpp"
#include "core/xml_element.hpp"
#include "sim/robot_file/xml_numbers.hpp"
#include "sim/step/step_data.hpp"
#include "sim/storage/whole_file.hpp"
#include "tactum/sim/model_file.hpp"

namespace tactum::sim {
namespace {

std::string element_text(const char* name, const std::string& attributes, const std::string& text) {
  return std::string("  <") + name + attributes + ">" + text + "</" + name + ">\n";
}

std::string row_text(const RememberedRow& row) {
  return numbers_text(std::array{row.force, row.dual, row.penalty_exponent});
}

std::string memory_text(const ContactMemory& memory) {
  std::string out = "  <memory vain_corrections=\"" + std::to_string(memory.pause.vain) +
                    "\" pause=\"" + std::to_string(memory.pause.steps_left) + "\"/>\n";
  for (const RememberedForce& contact : memory.contacts)
    out += element_text("contact",
                        " geometry_a=\"" + std::to_string(contact.geometry_a) + "\" geometry_b=\"" +
                            std::to_string(contact.geometry_b) + "\" feature_id=\"" +
                            std::to_string(contact.feature_id) + "\"",
                        numbers_text(contact.point) + " " + numbers_text(contact.force) + " " +
                            numbers_text(contact.dual) + " " +
                            shortest_text(contact.penalty_exponent));
  for (const RememberedJoint& joint : memory.joints)
    out += element_text("joint",
                        " joint=\"" + std::to_string(joint.row.scalar_joint) + "\" kind=\"" +
                            std::to_string(static_cast<int>(joint.row.kind)) + "\"",
                        row_text(joint.value));
  for (const RememberedRow& row : memory.closures)
    out += element_text("closure", "", row_text(row));
  return out;
}

Eigen::VectorXd read_vector_of(const XmlElement& root, const char* name) {
  const XmlElement* element = root.child(name);
  if (element == nullptr) root.refuse("no " + std::string(name), "give its numbers");
  const std::vector<double> numbers = read_numbers(*element, name, element->text);
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(),
                                           static_cast<Eigen::Index>(numbers.size()));
}

/// An integer from 0 to the largest of its type; the names of features use all bits.
template <typename Integer>
Integer read_integer(const XmlElement& element, const char* name, Integer most) {
  const std::string& text = name_of(element, name);
  Integer value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > most || text[0] == '-')
    element.refuse("attribute " + std::string(name), "give an integer, 0 or more");
  return value;
}

std::vector<double> read_exactly(const XmlElement& element, std::size_t count) {
  std::vector<double> numbers = read_numbers(element, element.name, element.text);
  if (numbers.size() != count)
    element.refuse(std::to_string(numbers.size()) + " numbers",
                   "give " + std::to_string(count) + " of them");
  return numbers;
}

RememberedForce read_contact(const XmlElement& element) {
  constexpr int kMost = std::numeric_limits<int>::max();
  const std::vector<double> n = read_exactly(element, 10);
  return {
      read_integer<int>(element, "geometry_a", kMost),
      read_integer<int>(element, "geometry_b", kMost),
      read_integer<std::uint64_t>(element, "feature_id", std::numeric_limits<std::uint64_t>::max()),
      {n[0], n[1], n[2]},
      {n[3], n[4], n[5]},
      {n[6], n[7], n[8]},
      n[9]};
}

RememberedRow read_row(const XmlElement& element) {
  const std::vector<double> n = read_exactly(element, 3);
  return {n[0], n[1], n[2]};
}

RememberedJoint read_joint(const XmlElement& element) {
  const int joint = read_integer<int>(element, "joint", std::numeric_limits<int>::max()),
            kind = read_integer<int>(element, "kind",
                                     static_cast<int>(JointRow::Kind::dry_friction));
  return {{static_cast<JointRow::Kind>(kind), joint, 0.0}, read_row(element)};
}

/// Reads the attempts of position correction; a file that says nothing of them had none.
CorrectionPause read_pause(const XmlElement& element) {
  constexpr int kMost = 1000;
  const auto read = [&](const char* name) {
    return element.find(name) == nullptr ? 0 : read_integer<int>(element, name, kMost);
  };
  return {read("vain_corrections"), read("pause")};
}

std::shared_ptr<const ContactMemory> read_memory(const XmlElement& root) {
  const XmlElement* const element = root.child("memory");
  if (element == nullptr) return {};
  auto memory = std::make_shared<ContactMemory>();
  memory->pause = read_pause(*element);
  for (const XmlElement& child : root.children) {
    if (child.name == "contact") memory->contacts.push_back(read_contact(child));
    if (child.name == "joint") memory->joints.push_back(read_joint(child));
    if (child.name == "closure") memory->closures.push_back(read_row(child));
  }
  const auto is_before = [](const RememberedForce& a, const RememberedForce& b) {
    return std::pair{a.geometry_a, a.geometry_b} < std::pair{b.geometry_a, b.geometry_b};
  };
  const auto comes_first = [](const RememberedJoint& a, const RememberedJoint& b) {
    return a.row.key() < b.row.key();
  };
  std::stable_sort(memory->contacts.begin(), memory->contacts.end(), is_before);
  std::stable_sort(memory->joints.begin(), memory->joints.end(), comes_first);
  return memory;
}

}  // namespace

std::string state_text(const State& state) {
  std::string out = "<tactum-state version=\"1\" time=\"" + shortest_text(state.time) + "\">\n" +
                    element_text("q", "", numbers_text(state.q)) +
                    element_text("v", "", numbers_text(state.v));
  if (state.memory) out += memory_text(*state.memory);
  return out + "</tactum-state>\n";
}

State state_from_text(std::string_view text, const std::string& name) {
  const XmlElement root = parse_xml(text, name, {.max_bytes = std::size_t{1} << 31});
  if (root.name != "tactum-state" || root.find("version") == nullptr ||
      *root.find("version") != "1")
    root.refuse("another kind of file", "give one that save_state of this version wrote");
  return {read_vector_of(root, "q"), read_vector_of(root, "v"), number_of(root, "time", 0.0),
          read_memory(root)};
}

void save_state(const State& state, const std::string& path) {
  write_whole_file(path, state_text(state));
}

State load_state(const std::string& path) { return state_from_text(read_whole_file(path), path); }

}  // namespace tactum::sim
