// SPDX-License-Identifier: BSD-2-Clause
#include "solver/linear/block_lu.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

constexpr int kTallLuPanel = 256;  // rows from which a panel asks for interrupts

using Strided = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

/// Entries of `size` rows and `columns` columns from `first`, column by column.
Strided view(double* first, int size, int columns, int stride) {
  return {first, size, columns, Eigen::OuterStride<>(stride)};
}

template <int Inner>
void subtract_outer(double* out, int stride, const double* rows, int row_count,
                    const double* columns, int column_count, int inner, int height) {
  const int depth = Inner > 0 ? Inner : inner;
  for (int j = 0; j < column_count; ++j) {
    double* const target = out + static_cast<std::ptrdiff_t>(j) * stride;
    for (int k = 0; k < depth; ++k) {
      const double factor = columns[static_cast<std::ptrdiff_t>(k) * height + j];
      const double* const source = rows + static_cast<std::ptrdiff_t>(k) * height;
      for (int i = 0; i < row_count; ++i) target[i] -= source[i] * factor;
    }
  }
}

/// out -= rows columns^T, where both have `inner` columns and the stride `height`.
void subtract(double* out, int stride, const double* rows, int row_count, const double* columns,
              int column_count, int inner, int height) {
  if (inner == 6)
    subtract_outer<6>(out, stride, rows, row_count, columns, column_count, inner, height);
  else
    subtract_outer<0>(out, stride, rows, row_count, columns, column_count, inner, height);
}

}  // namespace

/// Factorizes the diagonal block with swaps of rows. Afterwards the block in `lower` holds both
/// factors, L without its unit diagonal.
bool BlockLu::factorize_diagonal(const Panel& panel) {
  const int n = panel.size;
  Strided block = view(lower_.data() + panel.offset, n, n, panel.height);
  const Strided other = view(upper_.data() + panel.offset, n, n, panel.height);
  for (int j = 1; j < n; ++j)
    for (int i = 0; i < j; ++i) block(i, j) = other(j, i);
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(block(i, k)) > std::abs(block(pivot, k))) pivot = i;
    swapped_[static_cast<std::size_t>(panel.begin + k)] = pivot;
    const double value = block(pivot, k);
    if (!(std::abs(value) > 0 && std::isfinite(value))) return false;
    if (pivot != k) block.row(k).swap(block.row(pivot));
    const int below = n - k - 1;
    if (below == 0) continue;
    block.col(k).tail(below) /= value;
    for (int j = k + 1; j < n; ++j)
      block.col(j).tail(below) -= block(k, j) * block.col(k).tail(below);
  }
  return true;
}

/// Replaces the blocks below the diagonal by those of L, and the transposes of those to its right
/// by those of U.
void BlockLu::divide_below(const Panel& panel) {
  const int n = panel.size, rest = panel.height - n;
  if (rest == 0) return;
  const Strided block = view(lower_.data() + panel.offset, n, n, panel.height);
  Strided below = view(lower_.data() + panel.offset + n, rest, n, panel.height),
          right = view(upper_.data() + panel.offset + n, rest, n, panel.height);
  for (int k = 0; k < n; ++k) {  // rows of the blocks to the right are swapped as the diagonal was
    const int pivot = swapped_[static_cast<std::size_t>(panel.begin + k)];
    if (pivot != k) right.col(k).swap(right.col(pivot));
  }
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < k; ++j) {
      below.col(k) -= block(j, k) * below.col(j);
      right.col(k) -= block(k, j) * right.col(j);
    }
    below.col(k) /= block(k, k);
  }
}

void BlockLu::subtract_products(const Panel& panel) {
  const double *const lower = lower_.data() + panel.offset, *const upper = upper_.data() +
                                                                           panel.offset;
  const std::span<const CholeskyPattern::Below> below = pattern_->below(panel);
  const std::size_t* target = pattern_->targets(panel);
  for (std::size_t j = 0; j < below.size(); ++j) {
    const CholeskyPattern::Below& column = below[j];
    const int stride = pattern_->panels()[static_cast<std::size_t>(column.position)].height;
    for (std::size_t i = j; i < below.size(); ++i) {
      const CholeskyPattern::Below& row = below[i];
      const std::size_t place = *target++;
      subtract(lower_.data() + place, stride, lower + row.row, row.size, upper + column.row,
               column.size, panel.size, panel.height);
      subtract(upper_.data() + place, stride, upper + row.row, row.size, lower + column.row,
               column.size, panel.size, panel.height);
    }
  }
}

bool BlockLu::factorize(const CholeskyPattern& pattern, std::span<double> lower,
                        std::span<double> upper) {
  pattern_ = &pattern;
  lower_ = lower;
  upper_ = upper;
  swapped_.resize(static_cast<std::size_t>(pattern.rows()));
  for (const Panel& panel : pattern.panels()) {
    if (panel.height >= kTallLuPanel) check_interrupt();
    if (!factorize_diagonal(panel)) return false;
    divide_below(panel);
    subtract_products(panel);
  }
  return true;
}

void BlockLu::solve(double* x, double* scratch) const {
  const std::vector<Panel>& panels = pattern_->panels();
  double* const y = scratch;
  for (const Panel& panel : panels)
    std::copy_n(x + pattern_->given_begin(panel), panel.size, y + panel.begin);
  for (const Panel& panel : panels) {
    const double* const first = lower_.data() + panel.offset;
    for (int k = 0; k < panel.size; ++k)
      std::swap(y[panel.begin + k],
                y[panel.begin + swapped_[static_cast<std::size_t>(panel.begin + k)]]);
    for (int k = 0; k < panel.size; ++k) {
      const double* const column = first + static_cast<std::ptrdiff_t>(k) * panel.height;
      const double value = y[panel.begin + k];
      for (int i = k + 1; i < panel.size; ++i) y[panel.begin + i] -= column[i] * value;
      for (const CholeskyPattern::Below& block : pattern_->below(panel)) {
        double* const out = y + panels[static_cast<std::size_t>(block.position)].begin;
        for (int i = 0; i < block.size; ++i) out[i] -= column[block.row + i] * value;
      }
    }
  }
  for (auto panel = panels.rbegin(); panel != panels.rend(); ++panel) {
    const double *const first = lower_.data() + panel->offset, *const right = upper_.data() +
                                                                              panel->offset;
    for (int k = panel->size - 1; k >= 0; --k) {
      const double* const row = right + static_cast<std::ptrdiff_t>(k) * panel->height;
      double value = y[panel->begin + k];
      for (const CholeskyPattern::Below& block : pattern_->below(*panel)) {
        const double* const in = y + panels[static_cast<std::size_t>(block.position)].begin;
        for (int i = 0; i < block.size; ++i) value -= row[block.row + i] * in[i];
      }
      for (int j = k + 1; j < panel->size; ++j)
        value -= first[static_cast<std::ptrdiff_t>(j) * panel->height + k] * y[panel->begin + j];
      y[panel->begin + k] = value / first[static_cast<std::ptrdiff_t>(k) * panel->height + k];
    }
  }
  for (const Panel& panel : panels)
    std::copy_n(y + panel.begin, panel.size, x + pattern_->given_begin(panel));
}

}  // namespace tactum
