// SPDX-License-Identifier: BSD-2-Clause
#include "scene/part_tree.hpp"

#include <algorithm>
#include <numeric>

namespace tactum {

PartTree::Node leaf_around(const Aabb& box, std::int32_t part) {
  const Vector3 center = 0.5 * box.lower + 0.5 * box.upper;
  return {center, (box.upper - center).cwiseMax(center - box.lower), part, 0};
}

PartTree::PartTree(std::span<const Aabb> boxes) {
  std::vector<std::int32_t> parts(boxes.size());
  std::iota(parts.begin(), parts.end(), 0);
  nodes_.reserve(2 * boxes.size() - 1);
  build(boxes, parts, 0);
}

// halves at the median of the centres along the longest side of the box around them: a tree of the least height
std::int32_t PartTree::build(std::span<const Aabb> boxes, std::span<std::int32_t> parts, int depth) {
  const auto box_of = [&](std::int32_t part) -> const Aabb& { return boxes[static_cast<std::size_t>(part)]; };
  const auto center_of = [&](std::int32_t part) { return Vector3(0.5 * box_of(part).lower + 0.5 * box_of(part).upper); };
  Aabb around = box_of(parts[0]);
  Vector3 low = center_of(parts[0]), high = low;
  for (const std::int32_t part : parts) {
    around = {around.lower.cwiseMin(box_of(part).lower), around.upper.cwiseMax(box_of(part).upper)};
    low = low.cwiseMin(center_of(part));
    high = high.cwiseMax(center_of(part));
  }
  const auto index = static_cast<std::int32_t>(nodes_.size());
  nodes_.push_back(leaf_around(around, parts[0]));
  height_ = std::max(height_, depth);
  if (parts.size() == 1) return index;

  Eigen::Index axis = 0;
  (high - low).maxCoeff(&axis);
  const std::size_t middle = parts.size() / 2;
  std::ranges::nth_element(parts, parts.begin() + static_cast<std::ptrdiff_t>(middle), [&](std::int32_t p, std::int32_t q) {
    const double at_p = center_of(p)[axis], at_q = center_of(q)[axis];
    return at_p < at_q || (at_p == at_q && p < q);
  });
  const std::int32_t first = build(boxes, parts.first(middle), depth + 1);
  const std::int32_t second = build(boxes, parts.subspan(middle), depth + 1);
  nodes_[static_cast<std::size_t>(index)].first = first;
  nodes_[static_cast<std::size_t>(index)].second = second;
  return index;
}

}  // namespace tactum
