// SPDX-License-Identifier: BSD-2-Clause
#include "solver/block_cholesky.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace tactum {
namespace {

constexpr std::size_t kMostTargets = 4'000'000;  // beyond, one dense matrix is no slower and smaller
constexpr int kBlockedSize = 48;                 // from here on, a blocked factorisation pays

/// Factor of the leading square of a panel, and the rows below it times its inverse transpose.
bool factorise_small(double* panel, int size, int height) {
  for (int j = 0; j < size; ++j) {
    double* const column = panel + static_cast<std::ptrdiff_t>(j) * height;
    for (int k = 0; k < j; ++k) {
      const double* const before = panel + static_cast<std::ptrdiff_t>(k) * height;
      const double factor = before[j];
      if (factor == 0) continue;
      for (int i = j; i < height; ++i) column[i] -= factor * before[i];
    }
    if (!(column[j] > 0)) return false;
    const double pivot = std::sqrt(column[j]), inverse = 1 / pivot;
    column[j] = pivot;
    for (int i = j + 1; i < height; ++i) column[i] *= inverse;
  }
  return true;
}

bool factorise_large(double* panel, int size, int height) {
  using Panel = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  Panel diagonal(panel, size, size, Eigen::OuterStride<>(height));
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>>> llt(diagonal);
  if (llt.info() != Eigen::Success) return false;
  if (height == size) return true;
  Panel below(panel + size, height - size, size, Eigen::OuterStride<>(height));
  diagonal.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(below);
  return true;
}

/// target -= a b^T for blocks of `size` columns in panels of that many rows.
void subtract_small(double* target, int target_stride, const double* a, int rows, const double* b, int columns, int size,
                    int height) {
  for (int j = 0; j < columns; ++j) {
    double* const out = target + static_cast<std::ptrdiff_t>(j) * target_stride;
    for (int k = 0; k < size; ++k) {
      const double factor = b[j + static_cast<std::ptrdiff_t>(k) * height];
      const double* const column = a + static_cast<std::ptrdiff_t>(k) * height;
      for (int i = 0; i < rows; ++i) out[i] -= factor * column[i];
    }
  }
}

/// The same with six rows, columns and products, which stay in registers: two free bodies.
void subtract_six(double* target, int target_stride, const double* a, const double* b, int height) {
  for (int j = 0; j < 6; ++j) {
    double* const out = target + static_cast<std::ptrdiff_t>(j) * target_stride;
    double sum[6] = {out[0], out[1], out[2], out[3], out[4], out[5]};
    for (int k = 0; k < 6; ++k) {
      const double factor = b[j + static_cast<std::ptrdiff_t>(k) * height];
      const double* const column = a + static_cast<std::ptrdiff_t>(k) * height;
      for (int i = 0; i < 6; ++i) sum[i] -= factor * column[i];
    }
    for (int i = 0; i < 6; ++i) out[i] = sum[i];
  }
}

}  // namespace

void CholeskyPattern::analyse(std::span<const int> sizes, std::vector<std::vector<int>> neighbours) {
  given_begin_.assign(1, 0);
  for (const int size : sizes) given_begin_.push_back(given_begin_.back() + size);
  rows_ = given_begin_.back();
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    std::vector<int>& own = neighbours[i];
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    own.erase(std::remove(own.begin(), own.end(), static_cast<int>(i)), own.end());
  }
  set_panels(sizes, eliminate(sizes, neighbours));
  set_targets();
}

/// Fills `position_`; returns the nodes below each node of the order.
std::vector<std::vector<int>> CholeskyPattern::eliminate(std::span<const int> sizes, std::vector<std::vector<int>>& neighbours) {
  const std::size_t count = sizes.size();
  position_.assign(count, -1);
  std::vector<int> degree(count, 0);
  const auto set_degree = [&](std::size_t i) {
    degree[i] = 0;
    for (const int other : neighbours[i]) degree[i] += sizes[static_cast<std::size_t>(other)];
  };
  for (std::size_t i = 0; i < count; ++i) set_degree(i);
  std::vector<std::vector<int>> structure(count);
  std::vector<int> merged;
  for (std::size_t step = 0; step < count; ++step) {
    std::size_t best = count;
    for (std::size_t i = 0; i < count; ++i)
      if (position_[i] < 0 && (best == count || degree[i] < degree[best])) best = i;
    position_[best] = static_cast<int>(step);
    structure[step] = std::move(neighbours[best]);
    for (const int other : structure[step]) {
      // its neighbours become neighbours of each other
      std::vector<int>& own = neighbours[static_cast<std::size_t>(other)];
      merged.clear();
      std::set_union(own.begin(), own.end(), structure[step].begin(), structure[step].end(), std::back_inserter(merged));
      merged.erase(
          std::remove_if(merged.begin(), merged.end(), [&](int node) { return node == other || node == static_cast<int>(best); }),
          merged.end());
      own.swap(merged);
      set_degree(static_cast<std::size_t>(other));
    }
  }
  return structure;
}

void CholeskyPattern::set_panels(std::span<const int> sizes, const std::vector<std::vector<int>>& structure) {
  panels_.assign(structure.size(), {});
  for (std::size_t node = 0; node < structure.size(); ++node)
    panels_[static_cast<std::size_t>(position_[node])].node = static_cast<int>(node);
  below_.clear();
  value_count_ = 0;
  int begin = 0;
  for (std::size_t p = 0; p < panels_.size(); ++p) {
    Panel& panel = panels_[p];
    panel.size = sizes[static_cast<std::size_t>(panel.node)];
    panel.begin = begin;
    begin += panel.size;
    panel.offset = value_count_;
    panel.first_below = static_cast<int>(below_.size());
    panel.count_below = static_cast<int>(structure[p].size());
    std::vector<int> order = structure[p];
    for (int& node : order) node = position_[static_cast<std::size_t>(node)];
    std::sort(order.begin(), order.end());
    int height = panel.size;
    for (const int position : order) {
      const int size = sizes[static_cast<std::size_t>(panels_[static_cast<std::size_t>(position)].node)];
      below_.push_back({position, height, size});
      height += size;
    }
    panel.height = height;
    value_count_ += static_cast<std::size_t>(height) * static_cast<std::size_t>(panel.size);
  }
}

void CholeskyPattern::set_targets() {
  targets_.clear();
  for (Panel& panel : panels_) {
    panel.first_target = targets_.size();
    for (int j = 0; j < panel.count_below; ++j) {
      const int column = panels_[static_cast<std::size_t>(below_[static_cast<std::size_t>(panel.first_below + j)].position)].node;
      for (int i = j; i < panel.count_below; ++i) {
        const int row = panels_[static_cast<std::size_t>(below_[static_cast<std::size_t>(panel.first_below + i)].position)].node;
        targets_.push_back(place(row, column).offset);
      }
    }
    if (targets_.size() > kMostTargets) break;
  }
  if (targets_.size() <= kMostTargets) return;
  targets_.clear();
  below_.clear();
  std::iota(position_.begin(), position_.end(), 0);
  panels_.assign(1, {.node = 0,
                     .size = rows_,
                     .height = rows_,
                     .begin = 0,
                     .offset = 0,
                     .first_below = 0,
                     .count_below = 0,
                     .first_target = 0});
  value_count_ = static_cast<std::size_t>(rows_) * static_cast<std::size_t>(rows_);
}

CholeskyPattern::Place CholeskyPattern::place(int row, int column) const {
  if (panels_.size() == 1) {
    const auto first_row = static_cast<std::size_t>(given_begin_[static_cast<std::size_t>(row)]),
               first_column = static_cast<std::size_t>(given_begin_[static_cast<std::size_t>(column)]);
    return {first_column * static_cast<std::size_t>(rows_) + first_row, rows_};
  }
  const Panel& panel = panels_[static_cast<std::size_t>(position_[static_cast<std::size_t>(column)])];
  if (row == column) return {panel.offset, panel.height};
  const int wanted = position_[static_cast<std::size_t>(row)];
  const auto first = below_.begin() + panel.first_below, last = first + panel.count_below;
  const auto found =
      std::lower_bound(first, last, wanted, [](const Below& block, int position) { return block.position < position; });
  return {panel.offset + static_cast<std::size_t>(found->row), panel.height};
}

void CholeskyPattern::subtract_products(std::span<double> values, const Panel& panel) const {
  const double* const begin = values.data() + panel.offset;
  std::size_t target = panel.first_target;
  for (int j = 0; j < panel.count_below; ++j) {
    const Below& column = below_[static_cast<std::size_t>(panel.first_below + j)];
    const int stride = panels_[static_cast<std::size_t>(column.position)].height;
    for (int i = j; i < panel.count_below; ++i) {
      const Below& row = below_[static_cast<std::size_t>(panel.first_below + i)];
      double* const out = values.data() + targets_[target++];
      if (panel.size == 6 && row.size == 6 && column.size == 6)
        subtract_six(out, stride, begin + row.row, begin + column.row, panel.height);
      else
        subtract_small(out, stride, begin + row.row, row.size, begin + column.row, column.size, panel.size, panel.height);
    }
  }
}

bool CholeskyPattern::factorise(std::span<double> values) const {
  for (const Panel& panel : panels_) {
    double* const begin = values.data() + panel.offset;
    const bool good = panel.size < kBlockedSize ? factorise_small(begin, panel.size, panel.height)
                                                : factorise_large(begin, panel.size, panel.height);
    if (!good) return false;
    subtract_products(values, panel);
  }
  return true;
}

void CholeskyPattern::solve(std::span<const double> values, double* x, double* scratch) const {
  const bool in_order = panels_.size() == 1;
  double* const y = in_order ? x : scratch;
  if (!in_order) {
    for (const Panel& panel : panels_)
      std::copy_n(x + given_begin_[static_cast<std::size_t>(panel.node)], panel.size, y + panel.begin);
  }
  for (const Panel& panel : panels_) {
    for (int j = 0; j < panel.size; ++j) {
      const double* const column = values.data() + panel.offset + static_cast<std::ptrdiff_t>(j) * panel.height;
      const double value = y[panel.begin + j] / column[j];
      y[panel.begin + j] = value;
      for (int i = j + 1; i < panel.size; ++i) y[panel.begin + i] -= column[i] * value;
      for (int b = 0; b < panel.count_below; ++b) {
        const Below& block = below_[static_cast<std::size_t>(panel.first_below + b)];
        double* const out = y + panels_[static_cast<std::size_t>(block.position)].begin;
        for (int i = 0; i < block.size; ++i) out[i] -= column[block.row + i] * value;
      }
    }
  }
  for (auto panel = panels_.rbegin(); panel != panels_.rend(); ++panel) {
    for (int j = panel->size - 1; j >= 0; --j) {
      const double* const column = values.data() + panel->offset + static_cast<std::ptrdiff_t>(j) * panel->height;
      double sums[4] = {0, 0, 0, 0};
      int i = j + 1;
      for (; i + 4 <= panel->size; i += 4)
        for (int lane = 0; lane < 4; ++lane) sums[lane] += column[i + lane] * y[panel->begin + i + lane];
      double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
      for (; i < panel->size; ++i) sum += column[i] * y[panel->begin + i];
      for (int b = 0; b < panel->count_below; ++b) {
        const Below& block = below_[static_cast<std::size_t>(panel->first_below + b)];
        const double* const in = y + panels_[static_cast<std::size_t>(block.position)].begin;
        for (int k = 0; k < block.size; ++k) sum += column[block.row + k] * in[k];
      }
      y[panel->begin + j] = (y[panel->begin + j] - sum) / column[j];
    }
  }
  if (!in_order) {
    for (const Panel& panel : panels_)
      std::copy_n(y + panel.begin, panel.size, x + given_begin_[static_cast<std::size_t>(panel.node)]);
  }
}

}  // namespace tactum
