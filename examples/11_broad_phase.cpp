// SPDX-License-Identifier: BSD-2-Clause
// Broad phase: which of many moving shapes may touch, and what a ray meets first.
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "tactum/tactum.hpp"

int main() {
  // a row of a thousand capsules along x, each turned a little more than the last, and a box for
  // each
  const tactum::Shape capsule = tactum::Capsule{.radius = 0.1, .half_length = 0.5};
  const auto boxes_at = [&](double time) {
    std::vector<tactum::Aabb> boxes;
    for (int i = 0; i < 1000; ++i) {
      const double c = std::cos(0.01 * i + time), s = std::sin(0.01 * i + time);
      tactum::Pose X{.translation = {0.4 * i, 0.0, 0.0}};
      X.rotation << c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c;
      boxes.push_back(capsule.aabb(X));
    }
    return boxes;
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  tactum::DynamicTree tree;
  std::vector<tactum::BoxId> ids(1000);
  tree.insert(boxes_at(0.0), ids);
  // a half-space has an unbounded box
  const tactum::BoxId ground = tree.insert(
      tactum::Aabb{tactum::Vector3::Constant(-infinity), {infinity, infinity, -0.55}});
  tactum::BoxPairs pairs;
  tree.pairs(pairs);
  std::printf("DynamicTree(boxes=%zu): %zu pairs\n", tree.size(), pairs.size());

  // everything moves; the tree follows
  tree.update(ids, boxes_at(1.0));
  tree.pairs(pairs);
  int on_ground = 0;
  for (const auto& [a, b] : pairs) on_ground += b == ground ? 1 : 0;
  std::printf("after a turn: %zu pairs, %d of them with the ground\n", pairs.size(), on_ground);

  // the exact distance is asked for these pairs only; here, what a ray along x meets
  std::string hit;
  double nearest = infinity;
  tree.raycast({-3.0, 0.0, 0.0}, tactum::Vector3::UnitX(), 4.0,
               [&](tactum::BoxId id, double distance) {
                 hit += (hit.empty() ? "" : ", ") + std::to_string(id);
                 nearest = std::min(nearest, distance);
                 return 4.0;
               });
  std::printf("ray: boxes [%s], the first at %.3f m\n", hit.c_str(), nearest);

  // volumes that fit closer than boxes along the axes
  std::printf("capsule %.4f m^3, swept box %.4f m^3, sphere %.4f m^3\n", capsule.volume(),
              volume(tactum::swept_box(capsule)), volume(tactum::bounding_sphere(capsule)));
  return 0;
}
