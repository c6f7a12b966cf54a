// SPDX-License-Identifier: BSD-2-Clause
#include "geometry/part_tree.hpp"

namespace tactum {
namespace {

PartBox around(std::span<const Aabb> boxes, std::span<const std::int32_t> parts) {
  Aabb all = boxes[static_cast<std::size_t>(parts[0])];
  for (const std::int32_t part : parts) {
    const Aabb& box = boxes[static_cast<std::size_t>(part)];
    all = {all.lower.cwiseMin(box.lower), all.upper.cwiseMax(box.upper)};
  }
  return part_box(all);
}

}  // namespace

PartTree::PartTree(std::span<const Aabb> boxes)
    : VolumeTree(
          boxes, [&](std::span<const std::int32_t> parts) { return around(boxes, parts); }, 1),
      parts_(order().begin(), order().end()) {}

PartTree::PartTree(std::span<const Aabb> boxes, std::span<const std::int32_t> parts)
    : PartTree(boxes) {
  for (std::int32_t& part : parts_) part = parts[static_cast<std::size_t>(part)];
}

}  // namespace tactum
