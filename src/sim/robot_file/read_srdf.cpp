// SPDX-License-Identifier: BSD-2-Clause
#include "sim/robot_file/read_srdf.hpp"

#include <unordered_map>

#include "core/quote_text.hpp"
#include "core/xml_element.hpp"
#include "sim/robot_file/adjacent_geometries.hpp"
#include "sim/robot_file/xml_numbers.hpp"

namespace tactum::sim {

void forbid_pairs_of_srdf(const std::string& path, const std::vector<std::string>& links,
                          RobotDescription& robot) {
  const XmlElement root = read_xml(path);
  if (root.name != "robot")
    root.refuse("the root element " + quoted_text(root.name), "give an SRDF file: <robot>");
  std::unordered_map<std::string, std::vector<int>> geometries;
  for (std::size_t i = 0; i < links.size(); ++i)
    geometries[links[i]].push_back(static_cast<int>(i));
  for (const XmlElement& element : root.children) {
    if (element.name != "disable_collisions") continue;
    const auto first = geometries.find(name_of(element, "link1")),
               second = geometries.find(name_of(element, "link2"));
    if (first == geometries.end() || second == geometries.end() || first == second) continue;
    for (const int a : first->second)
      for (const int b : second->second) forbid_pair(robot, a, b);
  }
}

}  // namespace tactum::sim
