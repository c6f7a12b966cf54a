// SPDX-License-Identifier: BSD-2-Clause
// Random scenes.
#pragma once

#include <vector>

#include "geometry/geometry_fixtures.hpp"
#include "tactum/scene.hpp"

namespace tactum::testing {

inline Pose random_pose(Random& random, double half) {
  return {random.rotation(), random.in_box(half)};
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
  }
  return lines;
}

/// Objects in a cube, now and then a half-space below.
inline Scene random_scene(Random& random, int num_objects, double half) {
  Scene scene;
  for (int i = 0; i < num_objects; ++i) {
    const bool plane = random.chance(0.02);
    scene.add(
        {.geometry = plane ? Geometry(Shape(HalfSpace{.offset = -half})) : random_geometry(random),
         .X = plane ? Pose{} : random_pose(random, half),
         .group = 1U << random.below(3),
         .mask = random.chance(0.8) ? 0xFFFFFFFFU : 0x3U,
         .name = "object " + std::to_string(i)});
  }
  return scene;
}

}  // namespace tactum::testing
