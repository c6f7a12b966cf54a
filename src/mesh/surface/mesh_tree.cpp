// SPDX-License-Identifier: BSD-2-Clause
#include "mesh/surface/mesh_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

constexpr int kBins = 16;
/// Below this depth ranges are halved, so that 2^31 triangles end above the deepest level.
constexpr int kHalvedBelow = MeshTree::kMostDepth - 34;

struct FloatBox {
  std::array<float, 3> lower = {HUGE_VALF, HUGE_VALF, HUGE_VALF};
  std::array<float, 3> upper = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};

  void grow(const FloatBox& other) {
    for (std::size_t i = 0; i < 3; ++i) {
      lower[i] = std::min(lower[i], other.lower[i]);
      upper[i] = std::max(upper[i], other.upper[i]);
    }
  }
  double half_area() const {
    const double x = static_cast<double>(upper[0]) - static_cast<double>(lower[0]),
                 y = static_cast<double>(upper[1]) - static_cast<double>(lower[1]),
                 z = static_cast<double>(upper[2]) - static_cast<double>(lower[2]);
    return x * y + y * z + z * x;
  }
  double center(std::size_t i) const {
    return 0.5 * (static_cast<double>(lower[i]) + static_cast<double>(upper[i]));
  }
};

float rounded_down(double value) {
  const auto near = static_cast<float>(value);
  return static_cast<double>(near) > value ? std::nextafter(near, -HUGE_VALF) : near;
}
float rounded_up(double value) { return -rounded_down(-value); }

class Builder {
 public:
  Builder(const Points& vertices, const Triangles& triangles, std::vector<MeshTree::Node>& nodes)
      : nodes_(nodes), boxes_(static_cast<std::size_t>(triangles.cols())), order_(boxes_.size()) {
    for (Eigen::Index t = 0; t < triangles.cols(); ++t) {
      FloatBox& box = boxes_[static_cast<std::size_t>(t)];
      for (int k = 0; k < 3; ++k) {
        const Vector3 vertex = vertices.col(triangles(k, t));
        FloatBox corner;
        for (int i = 0; i < 3; ++i) {
          corner.lower[static_cast<std::size_t>(i)] = rounded_down(vertex[i]);
          corner.upper[static_cast<std::size_t>(i)] = rounded_up(vertex[i]);
        }
        box.grow(corner);
      }
    }
    std::iota(order_.begin(), order_.end(), 0);
    nodes_.reserve(2 * boxes_.size() - 1);
    build(0, order_.size(), 0);
  }

 private:
  const FloatBox& box(std::size_t i) const { return boxes_[static_cast<std::size_t>(order_[i])]; }

  void build(std::size_t begin, std::size_t end, int depth) {
    if (nodes_.size() % 4096 == 0) check_interrupt();
    FloatBox whole;
    for (std::size_t i = begin; i < end; ++i) whole.grow(box(i));
    const std::size_t own = nodes_.size();
    nodes_.push_back({});
    MeshTree::Node& node = nodes_[own];
    std::ranges::copy(whole.lower, node.lower);
    std::ranges::copy(whole.upper, node.upper);
    node.second = -1;
    node.triangle = end - begin == 1 ? order_[begin] : -1;
    if (end - begin == 1) return;
    const std::size_t middle = cut(begin, end, depth);
    build(begin, middle, depth + 1);
    nodes_[own].second = static_cast<std::int32_t>(nodes_.size());
    build(middle, end, depth + 1);
  }

  /// Reorders the range and returns where its second part begins.
  std::size_t cut(std::size_t begin, std::size_t end, int depth) {
    std::array<double, 3> low, high;
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], box(i).center(k));
        high[k] = std::max(high[k], box(i).center(k));
      }
    }
    std::size_t axis = 0;
    for (std::size_t k = 1; k < 3; ++k)
      if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
    if (end - begin > 2 && depth < kHalvedBelow && high[axis] > low[axis]) {
      const std::size_t middle = binned_cut(begin, end, axis, low[axis], high[axis]);
      if (middle > begin && middle < end) return middle;
    }
    return halved(begin, end, axis);
  }

  std::size_t halved(std::size_t begin, std::size_t end, std::size_t axis) {
    const std::size_t middle = begin + (end - begin) / 2;
    const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end), [&](std::int32_t a, std::int32_t b) {
      const double at_a = boxes_[static_cast<std::size_t>(a)].center(axis),
                   at_b = boxes_[static_cast<std::size_t>(b)].center(axis);
      return at_a != at_b ? at_a < at_b : a < b;
    });
    return middle;
  }

  /// The cut between two bins where surface times count is least.
  std::size_t binned_cut(std::size_t begin, std::size_t end, std::size_t axis, double low,
                         double high) {
    const auto bin_of = [&](std::int32_t triangle) {
      const double place = (boxes_[static_cast<std::size_t>(triangle)].center(axis) - low) /
                           (high - low);
      return std::min(kBins - 1, static_cast<int>(place * kBins));
    };
    std::array<FloatBox, kBins> bins;
    std::array<std::size_t, kBins> counts = {};
    for (std::size_t i = begin; i < end; ++i) {
      const auto bin = static_cast<std::size_t>(bin_of(order_[i]));
      bins[bin].grow(box(i));
      ++counts[bin];
    }
    std::array<double, kBins> behind = {};  // cost of the bins from this one on
    FloatBox grown;
    std::size_t count = 0;
    for (std::size_t b = kBins - 1; b > 0; --b) {
      grown.grow(bins[b]);
      count += counts[b];
      behind[b] = count == 0 ? 0.0 : grown.half_area() * static_cast<double>(count);
    }
    grown = {};
    count = 0;
    int best = kBins / 2;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t b = 1; b < kBins; ++b) {
      grown.grow(bins[b - 1]);
      count += counts[b - 1];
      if (count == 0 || count == end - begin) continue;
      const double cost = grown.half_area() * static_cast<double>(count) + behind[b];
      if (cost < least) least = cost, best = static_cast<int>(b);
    }
    const auto middle = std::stable_partition(
        order_.begin() + static_cast<std::ptrdiff_t>(begin),
        order_.begin() + static_cast<std::ptrdiff_t>(end),
        [&](std::int32_t triangle) { return bin_of(triangle) < best; });
    return static_cast<std::size_t>(middle - order_.begin());
  }

  std::vector<MeshTree::Node>& nodes_;
  std::vector<FloatBox> boxes_;
  std::vector<std::int32_t> order_;
};

}  // namespace

MeshTree::MeshTree(const Points& vertices, const Triangles& triangles) {
  Builder(vertices, triangles, nodes_);
}

}  // namespace tactum
