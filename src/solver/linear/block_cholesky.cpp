// SPDX-License-Identifier: BSD-2-Clause
#include "solver/linear/block_cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "solver/linear/dense_cholesky.hpp"
#include "solver/linear/dense_product.hpp"

namespace tactum {
namespace {

constexpr std::size_t kMostTargets = 4'000'000;  // beyond, one dense matrix is no slower and
                                                 // smaller
constexpr int kBlockedSize = 48;                 // from here on, a blocked factorization pays
constexpr int kTallPanel = 128;  // from here on, a panel takes longer than a question about
                                 // interrupts

/// Factor of the leading square of a panel, and the rows below it times its inverse transpose. The
/// diagonal is left as its reciprocal: a solve then waits for products only.
bool factorize_small(double* panel, int size, int height) {
  for (int j = 0; j < size; ++j) {
    double* const column = panel + static_cast<std::ptrdiff_t>(j) * height;
    for (int k = 0; k < j; ++k) {
      const double* const before = panel + static_cast<std::ptrdiff_t>(k) * height;
      const double factor = before[j];
      if (factor == 0) continue;
      for (int i = j; i < height; ++i) column[i] -= factor * before[i];
    }
    if (!(column[j] > 0)) return false;
    const double inverse = 1 / std::sqrt(column[j]);
    column[j] = inverse;
    for (int i = j + 1; i < height; ++i) column[i] *= inverse;
  }
  return true;
}

bool factorize_large(double* panel, int size, int height) {
  using Panel = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  Panel diagonal(panel, size, size, Eigen::OuterStride<>(height));
  if (factorize_dense(diagonal) < size) return false;
  if (height > size) {
    // L x^T = below^T for a few rows of `below` at a time
    Panel below(panel + size, height - size, size, Eigen::OuterStride<>(height));
    for_column_strips(
        below.rows(), 0.5 * static_cast<double>(size) * size,
        [&](Eigen::Index first, Eigen::Index count) {
          auto rows = below.middleRows(first, count);
          diagonal.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(rows);
        });
  }
  diagonal.diagonal() = diagonal.diagonal().cwiseInverse();
  return true;
}

/// Like subtract_small(), for blocks that are worth a blocked product, which can be interrupted.
void subtract_large(double* target, int target_stride, const double* a, int rows, const double* b,
                    int columns, int size, int height) {
  using Source = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  const Source left(a, rows, size, Eigen::OuterStride<>(height)),
      right(b, columns, size, Eigen::OuterStride<>(height));
  Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>> out(target, rows, columns,
                                                           Eigen::OuterStride<>(target_stride));
  for_column_strips(
      columns, static_cast<double>(rows) * size, [&](Eigen::Index first, Eigen::Index count) {
        out.middleCols(first, count).noalias() -= left * right.middleRows(first, count).transpose();
      });
}

/// target -= a b^T for blocks of `size` columns in panels of `height` rows.
void subtract_small(double* target, int target_stride, const double* a, int rows, const double* b,
                    int columns, int size, int height) {
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

void CholeskyPattern::analyze(std::span<const int> sizes, std::vector<std::vector<int>> neighbors) {
  given_begin_.assign(1, 0);
  for (const int size : sizes) given_begin_.push_back(given_begin_.back() + size);
  rows_ = given_begin_.back();
  for (std::size_t i = 0; i < neighbors.size(); ++i) {
    std::vector<int>& own = neighbors[i];
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    own.erase(std::remove(own.begin(), own.end(), static_cast<int>(i)), own.end());
  }
  set_panels(sizes, eliminate(sizes, neighbors));
  set_targets();
}

/// Fills `position_`; returns the nodes below each node of the order.
std::vector<std::vector<int>> CholeskyPattern::eliminate(std::span<const int> sizes,
                                                         std::vector<std::vector<int>>& neighbors) {
  const std::size_t count = sizes.size();
  position_.assign(count, -1);
  std::vector<int> degree(count, 0);
  const auto set_degree = [&](std::size_t i) {
    degree[i] = 0;
    for (const int other : neighbors[i]) degree[i] += sizes[static_cast<std::size_t>(other)];
  };
  for (std::size_t i = 0; i < count; ++i) set_degree(i);
  std::vector<std::vector<int>> structure(count);
  std::vector<int> merged;
  for (std::size_t step = 0; step < count; ++step) {
    check_interrupt();
    std::size_t best = count;
    for (std::size_t i = 0; i < count; ++i)
      if (position_[i] < 0 && (best == count || degree[i] < degree[best])) best = i;
    position_[best] = static_cast<int>(step);
    structure[step] = std::move(neighbors[best]);
    for (const int other : structure[step]) {
      // its neighbors become neighbors of each other
      std::vector<int>& own = neighbors[static_cast<std::size_t>(other)];
      merged.clear();
      std::set_union(own.begin(), own.end(), structure[step].begin(), structure[step].end(),
                     std::back_inserter(merged));
      merged.erase(
          std::remove_if(merged.begin(), merged.end(),
                         [&](int node) { return node == other || node == static_cast<int>(best); }),
          merged.end());
      own.swap(merged);
      set_degree(static_cast<std::size_t>(other));
    }
  }
  return structure;
}

void CholeskyPattern::set_panels(std::span<const int> sizes,
                                 const std::vector<std::vector<int>>& structure) {
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
      const int size =
          sizes[static_cast<std::size_t>(panels_[static_cast<std::size_t>(position)].node)];
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
    check_interrupt();
    panel.first_target = targets_.size();
    for (int j = 0; j < panel.count_below; ++j) {
      const int column =
          panels_[static_cast<std::size_t>(
                      below_[static_cast<std::size_t>(panel.first_below + j)].position)]
              .node;
      for (int i = j; i < panel.count_below; ++i) {
        const int row =
            panels_[static_cast<std::size_t>(
                        below_[static_cast<std::size_t>(panel.first_below + i)].position)]
                .node;
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
               first_column = static_cast<std::size_t>(
                   given_begin_[static_cast<std::size_t>(column)]);
    return {first_column * static_cast<std::size_t>(rows_) + first_row, rows_};
  }
  const Panel& panel =
      panels_[static_cast<std::size_t>(position_[static_cast<std::size_t>(column)])];
  if (row == column) return {panel.offset, panel.height};
  const int wanted = position_[static_cast<std::size_t>(row)];
  const auto first = below_.begin() + panel.first_below, last = first + panel.count_below;
  const auto found = std::lower_bound(first, last, wanted, [](const Below& block, int position) {
    return block.position < position;
  });
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
      else if (std::min({panel.size, row.size, column.size}) >= kBlockedSize)
        subtract_large(out, stride, begin + row.row, row.size, begin + column.row, column.size,
                       panel.size, panel.height);
      else
        subtract_small(out, stride, begin + row.row, row.size, begin + column.row, column.size,
                       panel.size, panel.height);
    }
  }
}

bool CholeskyPattern::factorize(std::span<double> values) const {
  for (const Panel& panel : panels_) {
    if (panel.height >= kTallPanel) check_interrupt();
    double* const begin = values.data() + panel.offset;
    const bool good = panel.size < kBlockedSize ? factorize_small(begin, panel.size, panel.height)
                                                : factorize_large(begin, panel.size, panel.height);
    if (!good) return false;
    subtract_products(values, panel);
  }
  return true;
}

/// Columns j to j + Width of a panel, forwards: their values, then what they take from the rows
/// behind them.
template <int Width>
void CholeskyPattern::eliminate_columns(const Panel& panel, const double* first, int j,
                                        double* y) const {
  const double* column[Width];
  double value[Width];
  for (int k = 0; k < Width; ++k) {
    column[k] = first + static_cast<std::ptrdiff_t>(j + k) * panel.height;
    value[k] = y[panel.begin + j + k];
    for (int l = 0; l < k; ++l) value[k] -= column[l][j + k] * value[l];
    value[k] *= column[k][j + k];
    y[panel.begin + j + k] = value[k];
  }
  const auto subtract = [&](int row, int count, double* out) {
    for (int i = 0; i < count; ++i) {
      double sum = column[0][row + i] * value[0];
      for (int k = 1; k < Width; ++k) sum += column[k][row + i] * value[k];
      out[i] -= sum;
    }
  };
  subtract(j + Width, panel.size - j - Width, y + panel.begin + j + Width);
  for (const Below& block : below(panel))
    subtract(block.row, block.size, y + panels_[static_cast<std::size_t>(block.position)].begin);
}

/// The same columns backwards: the rows behind them, then their values.
template <int Width>
void CholeskyPattern::substitute_columns(const Panel& panel, const double* first, int j,
                                         double* y) const {
  const double* column[Width];
  double sums[Width][2] = {};  // of even and of odd rows, so that two run at once
  for (int k = 0; k < Width; ++k)
    column[k] = first + static_cast<std::ptrdiff_t>(j + k) * panel.height;
  const auto add = [&](int row, int count, const double* in) {
    int i = 0;
    for (; i + 2 <= count; i += 2) {
      for (int k = 0; k < Width; ++k) {
        sums[k][0] += column[k][row + i] * in[i];
        sums[k][1] += column[k][row + i + 1] * in[i + 1];
      }
    }
    for (int k = 0; i < count && k < Width; ++k) sums[k][0] += column[k][row + i] * in[i];
  };
  add(j + Width, panel.size - j - Width, y + panel.begin + j + Width);
  for (const Below& block : below(panel))
    add(block.row, block.size, y + panels_[static_cast<std::size_t>(block.position)].begin);
  for (int k = Width - 1; k >= 0; --k) {
    double value = y[panel.begin + j + k] - (sums[k][0] + sums[k][1]);
    for (int l = k + 1; l < Width; ++l) value -= column[k][j + l] * y[panel.begin + j + l];
    y[panel.begin + j + k] = value * column[k][j + k];
  }
}

/// Three columns at a time: contacts have three rows, free bodies six.
void CholeskyPattern::solve(std::span<const double> values, double* x, double* scratch) const {
  const bool in_order = panels_.size() == 1;
  double* const y = in_order ? x : scratch;
  if (!in_order) {
    for (const Panel& panel : panels_)
      std::copy_n(x + given_begin_[static_cast<std::size_t>(panel.node)], panel.size,
                  y + panel.begin);
  }
  for (const Panel& panel : panels_) {
    const double* const first = values.data() + panel.offset;
    int j = 0;
    for (; j + 3 <= panel.size; j += 3) eliminate_columns<3>(panel, first, j, y);
    for (; j < panel.size; ++j) eliminate_columns<1>(panel, first, j, y);
  }
  for (auto panel = panels_.rbegin(); panel != panels_.rend(); ++panel) {
    const double* const first = values.data() + panel->offset;
    int j = panel->size;
    for (; j % 3 != 0; --j) substitute_columns<1>(*panel, first, j - 1, y);
    for (; j > 0; j -= 3) substitute_columns<3>(*panel, first, j - 3, y);
  }
  if (!in_order) {
    for (const Panel& panel : panels_)
      std::copy_n(y + panel.begin, panel.size,
                  x + given_begin_[static_cast<std::size_t>(panel.node)]);
  }
}

}  // namespace tactum
