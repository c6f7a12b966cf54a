// SPDX-License-Identifier: BSD-2-Clause
// Triangles are moved with their boxes, four floats at a time, so that every pass over a range runs
// through memory in order. A subtree of n triangles has 2 n - 1 nodes: its place in the array is
// known before it is built, and large ranges are built by several threads into the same bits.
#include "mesh/surface/mesh_tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <mutex>
#include <thread>

#include "core/thread_team.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

constexpr int kBins = 16;
/// Below this depth ranges are halved, so that 2^31 triangles end above the deepest level.
constexpr int kHalvedBelow = MeshTree::kMostDepth - 34;
/// A range of fewer triangles is not worth another thread.
constexpr std::size_t kGrain = 4096;

using Float4 [[gnu::vector_size(16)]] = float;

Float4 smaller(Float4 a, Float4 b) { return a < b ? a : b; }
Float4 larger(Float4 a, Float4 b) { return a > b ? a : b; }

struct FloatBox {
  Float4 lower = {HUGE_VALF, HUGE_VALF, HUGE_VALF, 0.0F};
  Float4 upper = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF, 0.0F};

  void grow(const FloatBox& other) {
    lower = smaller(lower, other.lower);
    upper = larger(upper, other.upper);
  }
  void grow(Float4 point) {
    lower = smaller(lower, point);
    upper = larger(upper, point);
  }
  Float4 doubled_center() const { return lower + upper; }
  double half_area() const {
    const Float4 side = upper - lower;
    const double x = static_cast<double>(side[0]), y = static_cast<double>(side[1]),
                 z = static_cast<double>(side[2]);
    return x * y + y * z + z * x;
  }
};

/// A triangle on its way to its leaf.
struct Item {
  FloatBox box;
  std::int32_t triangle;
};

/// The largest float that is at most the value.
float rounded_down(double value) {
  const auto near = static_cast<float>(value);
  if (!(static_cast<double>(near) > value)) return near;
  if (near == 0.0F) return -std::numeric_limits<float>::denorm_min();
  const auto bits = std::bit_cast<std::uint32_t>(near);
  return std::bit_cast<float>(near > 0.0F ? bits - 1 : bits + 1);
}
float rounded_up(double value) { return -rounded_down(-value); }

std::vector<Item> items_of(const Points& vertices, const Triangles& triangles) {
  std::vector<FloatBox> corners(static_cast<std::size_t>(vertices.cols()));
  for (Eigen::Index i = 0; i < vertices.cols(); ++i) {
    FloatBox& box = corners[static_cast<std::size_t>(i)];
    for (int k = 0; k < 3; ++k) {
      box.lower[k] = rounded_down(vertices(k, i));
      box.upper[k] = rounded_up(vertices(k, i));
    }
  }
  std::vector<Item> items(static_cast<std::size_t>(triangles.cols()));
  for (std::size_t t = 0; t < items.size(); ++t) {
    items[t].triangle = static_cast<std::int32_t>(t);
    for (int k = 0; k < 3; ++k)
      items[t].box.grow(
          corners[static_cast<std::size_t>(triangles(k, static_cast<Eigen::Index>(t)))]);
  }
  return items;
}

struct Range {
  std::size_t begin, end;
  std::size_t node;
  int depth;

  std::size_t size() const { return end - begin; }
};

class Builder {
 public:
  Builder(std::vector<Item> items, std::vector<MeshTree::Node>& nodes)
      : items_(std::move(items)), nodes_(nodes) {
    nodes_.resize(2 * items_.size() - 1);
  }

  void build(int num_threads) {
    const Range all{0, items_.size(), 0, 0};
    if (all.size() <= 2 * kGrain || num_threads < 2) return build_alone(all);
    open_.reserve(2 * all.size() / kGrain + 64);
    open_.push_back(all);
    SharedInterrupt interrupt(nullptr);
    ThreadTeam team;
    team.run(num_threads - 1,
             [&](ThreadTeam::Role role) { interrupt.run(role, [this] { build_together(); }); });
    interrupt.finished();  // throws where it was interrupted
  }

 private:
  /// Takes open ranges until none is left anywhere.
  void build_together() {
    while (true) {
      check_interrupt();
      Range range;
      {
        const std::scoped_lock lock(mutex_);
        if (open_.empty() && num_active_ == 0) return;
        if (!open_.empty()) {
          range = open_.back();
          open_.pop_back();
          ++num_active_;
        } else {
          range.begin = range.end = 0;
        }
      }
      if (range.size() == 0) {
        std::this_thread::yield();
        continue;
      }
      const bool is_large = range.size() > kGrain;
      std::array<Range, 2> halves;
      if (is_large) {
        halves = split(range);
      } else {
        build_alone(range);
      }
      const std::scoped_lock lock(mutex_);
      --num_active_;
      if (is_large) open_.insert(open_.end(), halves.begin(), halves.end());
    }
  }

  void build_alone(const Range& range) {
    if (range.size() > kGrain) check_interrupt();
    if (range.size() == 1) {
      const Item& item = items_[range.begin];
      return write(range.node, item.box, -1, item.triangle);
    }
    const auto [first, second] = split(range);
    build_alone(first);
    build_alone(second);
  }

  void write(std::size_t node, const FloatBox& box, std::int32_t second, std::int32_t triangle) {
    MeshTree::Node& own = nodes_[node];
    for (int k = 0; k < 3; ++k) own.lower[k] = box.lower[k], own.upper[k] = box.upper[k];
    own.second = second;
    own.triangle = triangle;
  }

  /// Writes the node of two or more triangles and reorders them into its two children.
  std::array<Range, 2> split(const Range& range) {
    FloatBox whole, centers;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      whole.grow(items_[i].box);
      centers.grow(items_[i].box.doubled_center());
    }
    const std::size_t middle = cut(range, centers);
    const std::size_t second = range.node + 2 * (middle - range.begin);
    write(range.node, whole, static_cast<std::int32_t>(second), -1);
    return {Range{range.begin, middle, range.node + 1, range.depth + 1},
            Range{middle, range.end, second, range.depth + 1}};
  }

  /// Reorders the range and returns where its second part begins.
  std::size_t cut(const Range& range, const FloatBox& centers) {
    const Float4 extent = centers.upper - centers.lower;
    int axis = 0;
    for (int k = 1; k < 3; ++k)
      if (extent[k] > extent[axis]) axis = k;
    // a quotient by less would not be finite
    if (range.size() > 2 && range.depth < kHalvedBelow && extent[axis] > 1e-36F) {
      const std::size_t middle = binned_cut(range, axis, centers.lower[axis], extent[axis]);
      if (middle > range.begin && middle < range.end) return middle;
    }
    return halved(range, axis);
  }

  Item* at(std::size_t i) { return items_.data() + i; }

  std::size_t halved(const Range& range, int axis) {
    const std::size_t middle = range.begin + range.size() / 2;
    std::nth_element(at(range.begin), at(middle), at(range.end), [&](const Item& a, const Item& b) {
      const float at_a = a.box.doubled_center()[axis], at_b = b.box.doubled_center()[axis];
      return at_a != at_b ? at_a < at_b : a.triangle < b.triangle;
    });
    return middle;
  }

  /// The cut between two bins where surface times count is least.
  std::size_t binned_cut(const Range& range, int axis, float low, float extent) {
    const float scale = static_cast<float>(kBins) / extent;
    const auto bin_of = [&](const Item& item) {
      return std::min(kBins - 1, static_cast<int>((item.box.doubled_center()[axis] - low) * scale));
    };
    std::array<FloatBox, kBins> bins;
    std::array<std::size_t, kBins> counts = {};
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const auto bin = static_cast<std::size_t>(bin_of(items_[i]));
      bins[bin].grow(items_[i].box);
      ++counts[bin];
    }
    const int best = cheapest(bins, counts);
    return static_cast<std::size_t>(
        std::partition(at(range.begin), at(range.end),
                       [&](const Item& item) { return bin_of(item) < best; }) -
        items_.data());
  }

  /// The first bin of the second part.
  static int cheapest(const std::array<FloatBox, kBins>& bins,
                      const std::array<std::size_t, kBins>& counts) {
    std::array<double, kBins> behind = {};  // cost of the bins from this one on
    std::array<std::size_t, kBins> counts_behind = {};
    FloatBox grown;
    std::size_t count = 0;
    for (std::size_t b = kBins - 1; b > 0; --b) {
      grown.grow(bins[b]);
      counts_behind[b] = count += counts[b];
      behind[b] = count == 0 ? 0.0 : grown.half_area() * static_cast<double>(count);
    }
    grown = {};
    count = 0;
    int best = kBins / 2;
    double least = HUGE_VAL;
    for (std::size_t b = 1; b < kBins; ++b) {
      grown.grow(bins[b - 1]);
      count += counts[b - 1];
      if (count == 0 || counts_behind[b] == 0) continue;
      const double cost = grown.half_area() * static_cast<double>(count) + behind[b];
      if (cost < least) least = cost, best = static_cast<int>(b);
    }
    return best;
  }

  std::vector<Item> items_;
  std::vector<MeshTree::Node>& nodes_;
  std::mutex mutex_;
  std::vector<Range> open_;
  int num_active_ = 0;
};

}  // namespace

MeshTree::MeshTree(const Points& vertices, const Triangles& triangles, int num_threads) {
  if (num_threads == 0)
    num_threads = static_cast<int>(std::min(8U, std::thread::hardware_concurrency()));
  Builder(items_of(vertices, triangles), nodes_).build(num_threads);
}

}  // namespace tactum
