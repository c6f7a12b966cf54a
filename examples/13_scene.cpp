// SPDX-License-Identifier: BSD-2-Clause
// Scenes: a table and objects on it, close pairs, contact points, moves, rays, files.
#include <cmath>
#include <cstdio>
#include <vector>

#include "tactum/tactum.hpp"

int main() {
  using tactum::Pose;
  const tactum::Shape leg{tactum::Box{.half_extents = {0.03, 0.03, 0.4}}},
      top{tactum::Box{.half_extents = {0.6, 0.4, 0.02}}};
  std::vector<tactum::CompoundPart> parts = {{top, Pose{.translation = {0, 0, 0.82}}}};
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.3, 0.3}) parts.push_back({leg, Pose{.translation = {x, y, 0.4}}});

  tactum::Scene scene;
  scene.add({.geometry = tactum::Shape(tactum::HalfSpace{}), .name = "ground"});
  scene.add({.geometry = tactum::Compound(parts), .name = "table"});
  const auto ball = scene.add({.geometry = tactum::Shape(tactum::Sphere{.radius = 0.1}),
                               .X = {.translation = {0.2, 0, 0.94}},
                               .name = "ball"});
  scene.add({.geometry = tactum::Shape(tactum::Box{.half_extents = {0.1, 0.1, 0.1}}),
             .X = {.translation = {-0.2, 0, 0.94}},
             .name = "box"});
  const auto name = [&](tactum::SceneId id) { return scene.object(id).name.c_str(); };

  tactum::SceneContacts contacts;
  scene.contacts({.margin = 1e-6}, contacts);
  for (std::size_t k = 0; k < contacts.pairs.size(); ++k) {
    const auto [a, b] = contacts.pairs[k];
    std::printf("%s and %s: %d points\n", name(a), name(b),
                static_cast<int>(contacts.offsets[k + 1] - contacts.offsets[k]));
  }

  // the ball rises; only pairs within the margin are returned
  scene.set_pose(ball, {.translation = {0.2, 0, 1.0}});
  tactum::SceneDistances near;
  scene.distances({.margin = 0.1}, near);
  for (std::size_t k = 0; k < near.pairs.size(); ++k)
    std::printf("%s to %s: %.3f m\n", name(near.pairs[k].first), name(near.pairs[k].second),
                std::abs(near.distances[k].distance));

  const tactum::Vector3 down(0, 0, -1), up(0, 0, 1);
  for (const auto& [origin, direction] :
       {std::pair(tactum::Vector3(0.2, 0, 3), down), std::pair(tactum::Vector3(0, 0, 3), down),
        std::pair(tactum::Vector3(3, 0, 0.2), up)}) {
    const tactum::SceneHit hit = scene.raycast(origin, direction);
    if (hit) {
      std::printf("%s after %.2f m\n", name(hit.id), hit.distance);
    } else {
      std::printf("nothing\n");
    }
  }

  const tactum::Scene again = tactum::Scene::from_text(scene.to_text());
  std::printf("objects in the copy: %d\n", static_cast<int>(again.size()));
  return 0;
}
