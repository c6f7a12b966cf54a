// SPDX-License-Identifier: BSD-2-Clause
// Single insertions, removals and motions in the tree of boxes, and the check of its invariants.
#include "broad/box_tree.hpp"

#include <array>
#include <cassert>

namespace tactum {
namespace {

constexpr int kLeastSplit = 3;  // entries that each half of a split node gets at least, of nine

}  // namespace

int BoxTree::new_node(int level) {
  int i;
  if (free_.empty()) {
    i = static_cast<int>(nodes_.size());
    nodes_.emplace_back();
    free_.reserve(nodes_.capacity());  // giving nodes back then never allocates
  } else {
    i = free_.back();
    free_.pop_back();
  }
  WideNode& node = nodes_[index(i)];
  for (int lane = 0; lane < kWidth; ++lane) node.clear_lane(lane);
  node.parent = -1;
  node.lane = 0;
  node.count = 0;
  node.level = static_cast<std::uint8_t>(level);
  return i;
}

void BoxTree::free_node(int i) { free_.push_back(i); }

void BoxTree::set_lane(int node, int lane, const Entry& entry) {
  WideNode& n = nodes_[index(node)];
  n.set_box(lane, entry.box);
  n.child[lane] = entry.child;
  if (n.level == 0) {
    place_[index(entry.child)] = node * kWidth + lane;
  } else {
    nodes_[index(entry.child)].parent = node;
    nodes_[index(entry.child)].lane = static_cast<std::uint8_t>(lane);
  }
}

void BoxTree::remove_lane(int node, int lane) {
  WideNode& n = nodes_[index(node)];
  const int last = --n.count;
  if (lane != last) set_lane(node, lane, {n.box(last), n.child[last]});
  n.clear_lane(last);
}

double BoxTree::lane_growth(const WideNode& node, int lane, const FloatBox& box) {
  const FloatBox old = node.box(lane);
  return half_area(merged(old, box)) - half_area(old);
}

void BoxTree::insert(Id id, const FloatBox& box) {
  if (place_.size() <= index(id)) place_.resize(index(id) + 1, -1);
  assert(place_[index(id)] < 0);
  if (root_ < 0) root_ = new_node(0);
  int i = root_;
  while (nodes_[index(i)].level > 0) {
    WideNode& node = nodes_[index(i)];
    int best = 0;
    double least = lane_growth(node, 0, box), least_area = half_area(node.box(0));
    for (int lane = 1; lane < node.count; ++lane) {
      const double growth = lane_growth(node, lane, box);
      if (growth > least) continue;
      const double area = half_area(node.box(lane));
      if (growth == least && area >= least_area) continue;
      best = lane;
      least = growth;
      least_area = area;
    }
    node.set_box(best, merged(node.box(best), box));
    i = node.child[best];
  }
  add(i, {box, id});
  largest_size_ = std::max(largest_size_, ++size_);
}

void BoxTree::add(int node, const Entry& entry) {
  WideNode& n = nodes_[index(node)];
  if (n.count == kWidth) return split(node, entry);
  set_lane(node, n.count++, entry);
}

/// Splits nine entries into two nodes: along one axis in the order of centers, where surface times
/// count is least.
void BoxTree::split(int node, const Entry& extra) {
  constexpr int total = kWidth + 1;
  std::array<Entry, total> entries;
  for (int i = 0; i < kWidth; ++i)
    entries[index(i)] = {nodes_[index(node)].box(i), nodes_[index(node)].child[i]};
  entries[kWidth] = extra;

  std::array<Entry, total> best{};
  int best_left = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    std::array<Entry, total> sorted = entries;
    const auto center = [axis](const Entry& e) {
      return 0.5F * e.box.lower[axis] + 0.5F * e.box.upper[axis];
    };
    std::ranges::sort(sorted, [&](const Entry& a, const Entry& b) {
      return center(a) != center(b) ? center(a) < center(b) : a.child < b.child;
    });
    std::array<double, total> right{};  // surface times count of the entries from i on
    FloatBox box = sorted[total - 1].box;
    for (int i = total - 1; i > 0; --i) {
      box = merged(box, sorted[index(i)].box);
      right[index(i)] = half_area(box);
    }
    box = sorted[0].box;
    for (int left = 1; left <= total - kLeastSplit; ++left) {
      box = merged(box, sorted[index(left - 1)].box);
      const double cost = half_area(box) * left + right[index(left)] * (total - left);
      if (left < kLeastSplit || cost >= least) continue;
      least = cost;
      best = sorted;
      best_left = left;
    }
  }

  const int sibling = new_node(nodes_[index(node)].level);
  for (int i = 0; i < kWidth; ++i) nodes_[index(node)].clear_lane(i);
  for (int i = 0; i < best_left; ++i) set_lane(node, i, best[index(i)]);
  for (int i = best_left; i < total; ++i) set_lane(sibling, i - best_left, best[index(i)]);
  nodes_[index(node)].count = static_cast<std::uint8_t>(best_left);
  nodes_[index(sibling)].count = static_cast<std::uint8_t>(total - best_left);

  if (node == root_) {
    root_ = new_node(nodes_[index(node)].level + 1);
    nodes_[index(root_)].count = 2;
    set_lane(root_, 0, {bounds(nodes_[index(node)]), node});
    set_lane(root_, 1, {bounds(nodes_[index(sibling)]), sibling});
    return;
  }
  const int parent = nodes_[index(node)].parent;
  nodes_[index(parent)].set_box(nodes_[index(node)].lane, bounds(nodes_[index(node)]));
  add(parent, {bounds(nodes_[index(sibling)]), sibling});
}

/// Refits the lanes above a node, up to the first that already fits.
void BoxTree::refresh_upwards(int node) {
  while (node != root_) {
    const WideNode& n = nodes_[index(node)];
    WideNode& parent = nodes_[index(n.parent)];
    const FloatBox fresh = bounds(n), old = parent.box(n.lane);
    if (encloses(old, fresh) && encloses(fresh, old)) return;
    parent.set_box(n.lane, fresh);
    node = n.parent;
  }
}

void BoxTree::shrink_root() {
  while (root_ >= 0 && nodes_[index(root_)].level > 0 && nodes_[index(root_)].count == 1) {
    const int old = root_;
    root_ = nodes_[index(old)].child[0];
    nodes_[index(root_)].parent = -1;
    free_node(old);
  }
}

/// Moves an entry to the neighbor of its node that grows least by it, if its own node shrinks by
/// more. The box around both does not change, so nothing above changes.
void BoxTree::rotate(int node, int lane) {
  WideNode& n = nodes_[index(node)];
  if (node == root_ || n.count < 2) return;
  WideNode& parent = nodes_[index(n.parent)];
  const Entry entry{n.box(lane), n.child[lane]};
  FloatBox rest = n.box(lane == 0 ? 1 : 0);
  for (int i = 0; i < n.count; ++i) {
    if (i != lane) rest = merged(rest, n.box(i));
  }
  double least = half_area(merged(rest, entry.box)) - half_area(rest);
  int best = -1;
  for (int i = 0; i < parent.count; ++i) {
    if (i == n.lane || nodes_[index(parent.child[i])].count == kWidth) continue;
    const double growth = lane_growth(parent, i, entry.box);
    if (growth >= least) continue;
    least = growth;
    best = i;
  }
  if (best < 0) return;
  remove_lane(node, lane);
  parent.set_box(n.lane, rest);
  parent.set_box(best, merged(parent.box(best), entry.box));
  add(parent.child[best], entry);
}

void BoxTree::rotate_upwards(int node, int lane) {
  while (node != root_) {
    const int parent = nodes_[index(node)].parent, own = nodes_[index(node)].lane;
    rotate(node, lane);
    node = parent;
    lane = own;
  }
}

void BoxTree::remove_from(int node, int lane) {
  remove_lane(node, lane);
  while (nodes_[index(node)].count == 0) {
    const int parent = nodes_[index(node)].parent, own = nodes_[index(node)].lane;
    free_node(node);
    if (parent < 0) {
      root_ = -1;
      return;
    }
    remove_lane(parent, own);
    node = parent;
  }
  refresh_upwards(node);
  shrink_root();
}

void BoxTree::remove(Id id) {
  const std::int32_t place = place_[index(id)];
  assert(place >= 0);
  place_[index(id)] = -1;
  --size_;
  remove_from(place / kWidth, place % kWidth);
  if (size_ < largest_size_ / 4 && root_ >= 0 && nodes_[index(root_)].level > 0) {
    load_items();
    build_items();
  }
}

void BoxTree::update(Id id, const FloatBox& tight, const FloatBox& large) {
  const std::int32_t place = place_[index(id)];
  assert(place >= 0);
  const int i = place / kWidth, lane = place % kWidth;
  WideNode& node = nodes_[index(i)];
  const FloatBox old = node.box(lane);
  if (encloses(old, tight) && half_area(old) <= 4.0 * half_area(large)) return;
  bool stays = i == root_;
  if (!stays) {
    const FloatBox around = nodes_[index(node.parent)].box(node.lane);
    stays = true;
    for (int axis = 0; axis < 3; ++axis) {
      const float center = 0.5F * tight.lower[axis] + 0.5F * tight.upper[axis];
      stays &= around.lower[axis] <= center && center <= around.upper[axis];
    }
  }
  if (stays) {
    node.set_box(lane, large);
    refresh_upwards(i);
    rotate_upwards(i, lane);
  } else {
    place_[index(id)] = -1;
    --size_;
    remove_from(i, lane);
    insert(id, large);
  }
}

std::size_t BoxTree::nbytes() const {
  return nodes_.capacity() * sizeof(WideNode) +
         (free_.capacity() + place_.capacity()) * sizeof(std::int32_t) +
         items_.capacity() * sizeof(Item);
}

// -------------------------------------------------------------------------------------------------
// check

void BoxTree::check_node(int i, std::span<const Aabb> boxes, std::size_t& found,
                         std::string& problem) const {
  const WideNode& n = nodes_[index(i)];
  const auto fail = [&](const char* what) { problem = "node " + std::to_string(i) + ": " + what; };
  if (n.count < 1 || n.count > kWidth) return fail("count out of range");
  for (int lane = n.count; lane < kWidth; ++lane) {
    if (n.child[lane] != -1 || n.lower[0][lane] < n.upper[0][lane])
      return fail("an unused lane is not empty");
  }
  for (int lane = 0; lane < n.count; ++lane) {
    const std::int32_t child = n.child[lane];
    if (n.level == 0) {
      ++found;
      if (!contains(child) || place_[index(child)] != i * kWidth + lane)
        return fail("a box does not point back");
      if (!encloses(n.box(lane), float_box(boxes[index(child)])))
        return fail("a lane does not contain its box");
    } else {
      const WideNode& below = nodes_[index(child)];
      if (below.parent != i || below.lane != lane) return fail("a child does not point back");
      if (below.level + 1 != n.level) return fail("leaves at different depths");
      if (!encloses(n.box(lane), bounds(below))) return fail("a lane does not contain its child");
      check_node(child, boxes, found, problem);
    }
    if (!problem.empty()) return;
  }
}

std::string BoxTree::check(std::span<const Aabb> boxes) const {
  std::string problem;
  std::size_t found = 0;
  if (root_ >= 0) {
    if (nodes_[index(root_)].parent != -1) return "the root has a parent";
    check_node(root_, boxes, found, problem);
  }
  if (problem.empty() && found != size_) problem = "the number of boxes is wrong";
  return problem;
}

}  // namespace tactum
