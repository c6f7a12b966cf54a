// SPDX-License-Identifier: BSD-2-Clause
// The public tree: a tree of float boxes proposes, and the caller's boxes in double decide. Boxes
// too large for float are in a list apart.
#include <algorithm>
#include <array>
#include <cassert>

#include "broad/box_list.hpp"
#include "broad/box_tree_pairs.hpp"
#include "broad/ray_box.hpp"
#include "broad/sort_pairs.hpp"
#include "shape/check/shape_checks.hpp"
#include "tactum/broad_phase.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {

struct DynamicTree::State {
  BoxList boxes;
  BoxTree tree;
  std::vector<Id> aside;  ///< ids of boxes beyond the range of float, ascending
  std::vector<Id> scratch;

  bool is_aside(Id id) const { return !tree.contains(id); }

  void place(Id id, const Aabb& box) {
    if (is_ordinary(box)) {
      tree.insert(id, float_box(box));
    } else {
      aside.insert(std::ranges::lower_bound(aside, id), id);
    }
  }

  void remove(Id id) {
    if (is_aside(id)) {
      aside.erase(std::ranges::lower_bound(aside, id));
    } else {
      tree.remove(id);
    }
  }

  void move(Id id, const Aabb& box) {
    boxes[id] = box;
    if (is_ordinary(box) && !is_aside(id)) {
      tree.update(id, float_box(box), enlarged_box(box));
    } else if (is_ordinary(box) || !is_aside(id)) {
      remove(id);
      place(id, box);
    }
  }

  /// Calls visit(id) for boxes that overlap, those in the list apart first.
  template <class Visit>
  void query(const Aabb& box, Visit&& visit) const {
    for (const Id id : aside) {
      if (boxes_overlap(boxes[id], box) && !visit(id)) return;
    }
    tactum::query(tree, clipped_box(box),
                  [&](Id id) { return !boxes_overlap(boxes[id], box) || visit(id); });
  }
};

DynamicTree::DynamicTree() : state_(std::make_unique<State>()) {}
DynamicTree::~DynamicTree() = default;
DynamicTree::DynamicTree(const DynamicTree& other)
    : state_(std::make_unique<State>(*other.state_)) {}
DynamicTree& DynamicTree::operator=(const DynamicTree& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}
DynamicTree::DynamicTree(DynamicTree&& other) noexcept = default;
DynamicTree& DynamicTree::operator=(DynamicTree&& other) noexcept = default;

DynamicTree::Id DynamicTree::insert(const Aabb& box) {
  BoxList::check_box(box, "box");
  const Id id = state_->boxes.add(box);
  state_->place(id, box);
  return id;
}

void DynamicTree::insert(std::span<const Aabb> boxes, std::span<Id> ids) {
  BoxList::check_sizes(ids.size(), boxes.size());
  BoxList::check_boxes(boxes);
  State& s = *state_;
  for (std::size_t i = 0; i < boxes.size(); ++i) ids[i] = s.boxes.add(boxes[i]);
  if (2 * boxes.size() < s.tree.size()) {
    for (std::size_t i = 0; i < boxes.size(); ++i) s.place(ids[i], boxes[i]);
    return;
  }
  s.scratch.clear();
  for (Id id = 0; id < s.boxes.num_ids(); ++id) {
    if (!s.boxes.contains(id)) continue;
    if (is_ordinary(s.boxes[id])) s.scratch.push_back(id);
  }
  s.tree.build(s.scratch, s.boxes.boxes());
  s.aside.clear();
  for (Id id = 0; id < s.boxes.num_ids(); ++id) {
    if (s.boxes.contains(id) && !s.tree.contains(id)) s.aside.push_back(id);
  }
}

void DynamicTree::update(Id id, const Aabb& box) {
  state_->boxes.check_id(id, "id");
  BoxList::check_box(box, "box");
  state_->move(id, box);
}

void DynamicTree::update(std::span<const Id> ids, std::span<const Aabb> boxes) {
  State& s = *state_;
  BoxList::check_sizes(ids.size(), boxes.size());
  s.boxes.check_ids(ids);
  bool ordinary = BoxList::check_boxes(boxes);
  if (!s.aside.empty()) {
    for (const Id id : ids) ordinary &= !s.is_aside(id);
  }
  if (!ordinary || 4 * ids.size() < s.tree.size()) {
    for (std::size_t i = 0; i < ids.size(); ++i) s.move(ids[i], boxes[i]);
    return;
  }
  for (std::size_t i = 0; i < ids.size(); ++i) s.boxes[ids[i]] = boxes[i];
  s.tree.refit(s.boxes.boxes());
}

void DynamicTree::remove(Id id) {
  state_->boxes.check_id(id, "id");
  state_->remove(id);
  state_->boxes.remove(id);
}

bool DynamicTree::contains(Id id) const { return state_->boxes.contains(id); }

const Aabb& DynamicTree::box(Id id) const {
  state_->boxes.check_id(id, "id");
  return state_->boxes[id];
}

std::size_t DynamicTree::size() const { return state_->boxes.size(); }
int DynamicTree::height() const { return state_->tree.height(); }
std::size_t DynamicTree::nbytes() const {
  return sizeof(State) + state_->boxes.nbytes() + state_->tree.nbytes() +
         (state_->aside.capacity() + state_->scratch.capacity()) * sizeof(Id);
}

void DynamicTree::pairs(BoxPairs& out) const {
  const State& s = *state_;
  out.clear();
  LoopInterrupt interrupt;
  self_pairs(s.tree, [&](Id i, Id j) {
    interrupt.check();
    if (boxes_overlap(s.boxes[i], s.boxes[j])) out.emplace_back(std::min(i, j), std::max(i, j));
  });
  for (const Id i : s.aside) {
    s.query(s.boxes[i], [&](Id j) {
      interrupt.check();
      if (!s.is_aside(j) || i < j) out.emplace_back(std::min(i, j), std::max(i, j));
      return true;
    });
  }
  sort_pairs(out, s.boxes.num_ids());
}

void DynamicTree::pairs_with(const DynamicTree& other, BoxPairs& out) const {
  const State& a = *state_;
  const State& b = *other.state_;
  out.clear();
  LoopInterrupt interrupt;
  cross_pairs(a.tree, b.tree, [&](Id i, Id j) {
    interrupt.check();
    if (boxes_overlap(a.boxes[i], b.boxes[j])) out.emplace_back(i, j);
  });
  for (const Id i : a.aside) {
    b.query(a.boxes[i], [&](Id j) {
      out.emplace_back(i, j);
      return true;
    });
  }
  for (const Id j : b.aside) {
    tactum::query(a.tree, clipped_box(b.boxes[j]), [&](Id i) {
      if (boxes_overlap(a.boxes[i], b.boxes[j])) out.emplace_back(i, j);
      return true;
    });
  }
  sort_pairs(out, a.boxes.num_ids());
}

void DynamicTree::query(const Aabb& box, bool (*visit)(void*, Id), void* context) const {
  BoxList::check_box(box, "box");
  state_->query(box, [&](Id id) { return visit(context, id); });
}

namespace {

/// Visits nearest lanes first, so that a visitor that lowers the largest distance soon excludes the
/// rest of the tree.
template <class Visit>
void raycast_node(const BoxTree& tree, const WideNode& node, const Ray& ray, double& limit,
                  Visit& visit) {
  struct Lane {
    double entry;
    int lane;
  };
  std::array<Lane, kWidth> lanes;
  int count = 0;
  for (int lane = 0; lane < node.count; ++lane) {
    const FloatBox box = node.box(lane);
    const double entry = ray.entry(box.lower, box.upper);
    if (entry > limit || entry == std::numeric_limits<double>::infinity()) continue;
    int i = count++;
    for (; i > 0 && entry < lanes[static_cast<std::size_t>(i - 1)].entry; --i)
      lanes[static_cast<std::size_t>(i)] = lanes[static_cast<std::size_t>(i - 1)];
    lanes[static_cast<std::size_t>(i)] = {entry, lane};
  }
  for (int i = 0; i < count; ++i) {
    if (lanes[static_cast<std::size_t>(i)].entry > limit) return;
    const std::int32_t child = node.child[lanes[static_cast<std::size_t>(i)].lane];
    if (node.level == 0) {
      visit(child);
    } else {
      raycast_node(tree, tree.node(child), ray, limit, visit);
    }
  }
}

}  // namespace

void DynamicTree::raycast(const Vector3& origin, const Vector3& direction, double max_distance,
                          double (*visit)(void*, Id, double), void* context) const {
  for (int i = 0; i < 3; ++i) {
    if (!std::isfinite(origin[i]))
      throw InvalidInput("origin[" + std::to_string(i) + "]", exact_text(origin[i]),
                         "give a finite origin");
  }
  const Ray ray(origin, checked_direction(direction, "direction"));
  if (std::isnan(max_distance))
    throw InvalidInput("max_distance", "nan", "give a distance, or inf");
  const State& s = *state_;
  double limit = max_distance;
  const auto try_box = [&](Id id) {
    const Aabb& box = s.boxes[id];
    const double entry = ray.entry(box.lower.data(), box.upper.data());
    if (entry > limit || entry == std::numeric_limits<double>::infinity()) return;
    limit = std::min(limit, visit(context, id, entry));
  };
  for (const Id id : s.aside) try_box(id);
  if (s.tree.root() >= 0) raycast_node(s.tree, s.tree.node(s.tree.root()), ray, limit, try_box);
}

}  // namespace tactum
