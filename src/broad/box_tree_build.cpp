// SPDX-License-Identifier: BSD-2-Clause
// The tree of boxes as a whole: built by surface area, refitted, and built anew when refitting has
// made it loose.
//
// Capacity   a node of level l holds at most 8^(l+1) boxes. With n boxes it gets as many children
//            as it takes to fill each to four fifths; they come from binary cuts, each where
//            (surface left) * (boxes left) + (surface right) * (boxes right) is least over 8 or 16
//            bins of centers on three axes, among cuts that leave every part its capacity.
#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "broad/box_tree.hpp"

namespace tactum {
namespace {

using Float4 [[gnu::vector_size(16)]] = float;

Float4 load(const float* values) {
  Float4 result;
  std::memcpy(&result, values, sizeof result);
  return result;
}
Float4 smaller(Float4 a, Float4 b) { return a < b ? a : b; }
Float4 larger(Float4 a, Float4 b) { return a > b ? a : b; }

struct Range {
  Float4 lower, upper;

  void add(Float4 low, Float4 high) {
    lower = smaller(lower, low);
    upper = larger(upper, high);
  }
};

constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();
constexpr Range kEmpty{{kFloatInfinity, kFloatInfinity, kFloatInfinity, 0.0F},
                       {-kFloatInfinity, -kFloatInfinity, -kFloatInfinity, 0.0F}};

double range_area(const Range& range) {
  return half_area({{range.lower[0], range.lower[1], range.lower[2]},
                    {range.upper[0], range.upper[1], range.upper[2]}});
}

constexpr int kBins = 16;
constexpr int kFewBins = 8;  // for so few boxes that a pass over the bins is most of the work
constexpr std::size_t kFewBoxes = 32;
constexpr double kFill = 0.8;
/// How much looser than after the last build a tree may get.
constexpr double kLoose = 1.5;

struct Bins {
  std::array<Range, kBins> range;
  std::array<std::uint32_t, kBins> count;
};

std::size_t slots_of(std::size_t count, std::size_t capacity) {
  return (count + capacity - 1) / capacity;
}

/// Center of a box; a sum of halves cannot overflow.
Float4 center_of(Float4 lower, Float4 upper) { return 0.5F * lower + 0.5F * upper; }

/// Index of the bin of a center. `per_width` is the number of bins over half the total width:
/// halves are used because the difference of two floats may overflow.
int bin_of(float center, float first, float per_width) {
  return static_cast<int>((0.5F * center - 0.5F * first) * per_width);
}

}  // namespace

BoxTree::Cut BoxTree::best_cut(const Item* items, std::size_t count, int slots,
                               std::size_t capacity) {
  Range centers = kEmpty;
  for (std::size_t i = 0; i < count; ++i) {
    const Float4 center = center_of(load(items[i].lower), load(items[i].upper));
    centers.add(center, center);
  }
  const Float4 width = 0.5F * centers.upper - 0.5F * centers.lower;
  const int num_bins = count <= kFewBoxes ? kFewBins : kBins;
  std::array<Bins, 3> bins;
  Float4 per_width{};
  for (int axis = 0; axis < 3; ++axis) {
    // a width whose inverse overflows, zero included, is not worth a cut
    per_width[axis] = width[axis] > 1e-30F ? static_cast<float>(num_bins) * 0.9999F / width[axis]
                                           : 0.0F;
    std::fill_n(bins[static_cast<std::size_t>(axis)].range.begin(), num_bins, kEmpty);
    std::fill_n(bins[static_cast<std::size_t>(axis)].count.begin(), num_bins, 0U);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Float4 low = load(items[i].lower), high = load(items[i].upper);
    const Float4 center = center_of(low, high);
    for (int axis = 0; axis < 3; ++axis) {
      const auto bin = static_cast<std::size_t>(
          bin_of(center[axis], centers.lower[axis], per_width[axis]));
      bins[static_cast<std::size_t>(axis)].range[bin].add(low, high);
      ++bins[static_cast<std::size_t>(axis)].count[bin];
    }
  }
  Cut best;
  double least = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    if (per_width[axis] == 0.0F) continue;
    const Bins& b = bins[static_cast<std::size_t>(axis)];
    std::array<double, kBins> right{};  // surface times count of the bins from i on
    Range range = kEmpty;
    std::size_t in_right = 0;
    for (auto i = static_cast<std::size_t>(num_bins - 1); i > 0; --i) {
      range.add(b.range[i].lower, b.range[i].upper);
      in_right += b.count[i];
      right[i] = in_right == 0 ? 0.0 : range_area(range) * static_cast<double>(in_right);
    }
    range = kEmpty;
    std::size_t left = 0;
    for (std::size_t i = 1; i < static_cast<std::size_t>(num_bins); ++i) {
      range.add(b.range[i - 1].lower, b.range[i - 1].upper);
      left += b.count[i - 1];
      if (left == 0 || left == count) continue;
      if (slots_of(left, capacity) + slots_of(count - left, capacity) >
          static_cast<std::size_t>(slots))
        continue;
      const double cost = range_area(range) * static_cast<double>(left) + right[i];
      if (cost >= least) continue;
      least = cost;
      best = {axis, centers.lower[axis], per_width[axis], static_cast<int>(i), left};
    }
  }
  return best;
}

/// Cuts the items into at most `slots` parts and makes a child of each.
void BoxTree::build_children(int node, Item* items, std::size_t count, int slots,
                             std::size_t capacity) {
  if (slots == 1 || static_cast<double>(count) <= kFill * static_cast<double>(capacity)) {
    const int level = nodes_[index(node)].level - 1;
    const int child = build_node(items, count, level);
    set_lane(node, nodes_[index(node)].count++, {bounds(nodes_[index(child)]), child});
    return;
  }
  const Cut cut = best_cut(items, count, slots, capacity);
  std::size_t left = cut.left;
  int left_slots;
  if (cut.axis >= 0) {
    Item* const middle = std::partition(items, items + count, [&](const Item& item) {
      const float center = 0.5F * item.lower[cut.axis] + 0.5F * item.upper[cut.axis];
      return bin_of(center, cut.first, cut.per_width) < cut.bin;
    });
    assert(middle == items + left);
    static_cast<void>(middle);
    const auto need = [&](std::size_t n) { return static_cast<int>(slots_of(n, capacity)); };
    const double share = static_cast<double>(slots) * static_cast<double>(left) /
                         static_cast<double>(count);
    left_slots = std::clamp(static_cast<int>(share + 0.5), need(left), slots - need(count - left));
  } else {
    // all centers coincide, or no cut leaves room: any halves are as good
    left_slots = slots / 2;
    left = count * static_cast<std::size_t>(left_slots) / static_cast<std::size_t>(slots);
  }
  build_children(node, items, left, left_slots, capacity);
  build_children(node, items + left, count - left, slots - left_slots, capacity);
}

int BoxTree::build_node(Item* items, std::size_t count, int level) {
  const int node = new_node(level);
  if (level == 0) {
    assert(count <= kWidth);
    nodes_[index(node)].count = static_cast<std::uint8_t>(count);
    for (int lane = 0; lane < static_cast<int>(count); ++lane) {
      const Item& item = items[lane];
      set_lane(node, lane,
               {{{item.lower[0], item.lower[1], item.lower[2]},
                 {item.upper[0], item.upper[1], item.upper[2]}},
                item.id});
    }
    return node;
  }
  const std::size_t capacity = std::size_t{1} << (3 * level);
  const double wanted = static_cast<double>(count) / (kFill * static_cast<double>(capacity));
  const int slots = std::clamp(static_cast<int>(std::ceil(wanted)),
                               static_cast<int>(slots_of(count, capacity)), kWidth);
  build_children(node, items, count, slots, capacity);
  return node;
}

/// Items in the tree in the order of ids, so that equal boxes make equal trees.
void BoxTree::load_items() {
  items_.clear();
  for (std::size_t i = 0; i < place_.size(); ++i) {
    if (place_[i] < 0) continue;
    const FloatBox box = nodes_[index(place_[i] / kWidth)].box(place_[i] % kWidth);
    items_.push_back(item_of(box, static_cast<Id>(i)));
  }
}

void BoxTree::build_items() {
  nodes_.clear();
  free_.clear();
  root_ = -1;
  size_ = largest_size_ = items_.size();
  built_cost_ = 0.0;
  if (items_.empty()) return;
  int level = 0;
  while ((std::size_t{1} << (3 * (level + 1))) < items_.size()) ++level;
  root_ = build_node(items_.data(), items_.size(), level);
  shrink_root();
}

void BoxTree::build(std::span<const Id> ids, std::span<const Aabb> boxes) {
  std::ranges::fill(place_, -1);
  items_.clear();
  for (const Id id : ids) {
    if (place_.size() <= index(id)) place_.resize(index(id) + 1, -1);
    const FloatBox box = float_box(boxes[index(id)]);
    items_.push_back(item_of(box, id));
  }
  build_items();
}

namespace {

/// Like float_box(), for all lanes of a node at once. N.B. it avoids memory: a vector read right
/// after the stores of its parts stalls.
void refit_leaf(WideNode& node, std::span<const Aabb> boxes) {
#if defined(__SSE2__)
  static_assert(sizeof(Aabb) == 6 * sizeof(double));
  const __m128 sign = _mm_set1_ps(-0.0F), unit = _mm_set1_ps(0x1p-23F),
               tiny = _mm_set1_ps(std::numeric_limits<float>::min());
  const auto room = [&](__m128 f) { return _mm_mul_ps(_mm_andnot_ps(sign, f), unit); };
  const auto store_lower = [&](float* to, __m128 f) {
    _mm_store_ps(to, _mm_sub_ps(_mm_sub_ps(f, room(f)), tiny));
  };
  const auto store_upper = [&](float* to, __m128 f) {
    _mm_store_ps(to, _mm_add_ps(_mm_add_ps(f, room(f)), tiny));
  };
  for (int first = 0; first < node.count; first += 4) {
    __m128 rows[4], rest[4];  // lower x, y, z, upper x; upper y, z
    for (int k = 0; k < 4; ++k) {
      // lanes that are not in use take the first box and are cleared below
      const std::int32_t id = node.child[first + k < node.count ? first + k : 0];
      const double* const box = boxes[static_cast<std::size_t>(id)].lower.data();
      rows[k] = _mm_movelh_ps(_mm_cvtpd_ps(_mm_loadu_pd(box)), _mm_cvtpd_ps(_mm_loadu_pd(box + 2)));
      rest[k] = _mm_cvtpd_ps(_mm_loadu_pd(box + 4));
    }
    _MM_TRANSPOSE4_PS(rows[0], rows[1], rows[2], rows[3]);
    const __m128 front = _mm_unpacklo_ps(rest[0], rest[1]),
                 back = _mm_unpacklo_ps(rest[2], rest[3]);
    for (int axis = 0; axis < 3; ++axis) store_lower(node.lower[axis] + first, rows[axis]);
    store_upper(node.upper[0] + first, rows[3]);
    store_upper(node.upper[1] + first, _mm_movelh_ps(front, back));
    store_upper(node.upper[2] + first, _mm_movehl_ps(back, front));
  }
  for (int lane = node.count; lane < kWidth; ++lane) node.clear_lane(lane);
#else
  for (int lane = 0; lane < node.count; ++lane)
    node.set_box(lane, float_box(boxes[static_cast<std::size_t>(node.child[lane])]));
#endif
}

}  // namespace

/// Sets new boxes in the lanes of a node and of all nodes below it, and adds up the surfaces of the
/// nodes below. Returns the box around the node.
FloatBox BoxTree::refit_node(int i, std::span<const Aabb> boxes, double& area) {
  WideNode& node = nodes_[index(i)];
  if (node.level > 0) {
    for (int lane = 0; lane < node.count; ++lane) {
      const FloatBox box = refit_node(node.child[lane], boxes, area);
      node.set_box(lane, box);
      area += half_area(box);
    }
    return bounds(node);
  }
  refit_leaf(node, boxes);
  return bounds(node);
}

void BoxTree::refit(std::span<const Aabb> boxes) {
  if (root_ < 0) return;
  double area = 0.0;
  const double whole = half_area(refit_node(root_, boxes, area));
  if (whole <= 0.0 || area <= kLoose * built_cost_ * whole) return;
  load_items();
  build_items();
  area = 0.0;
  const double built = half_area(refit_node(root_, boxes, area));
  built_cost_ = area / built;
}

}  // namespace tactum
