// SPDX-License-Identifier: BSD-2-Clause
#include "solver/linear/block_cholesky.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
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

/// Replaces the leading square of a panel by its factor, and the rows below by their product with
/// the inverse transpose of the factor. The diagonal is left as its reciprocal: a solve then waits
/// for products only.
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

/// Like factorize_small(), for panels that are worth a blocked factorization, which can be
/// interrupted.
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

/// Like subtract_small(), for the six rows, columns and products of two free bodies, which stay in
/// registers.
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

void CholeskyPattern::analyze(const NodeGraph& graph, PatternScratch& scratch) {
  if (!given_begin_.empty() && graph == graph_) return;
  graph_ = graph;
  given_begin_.assign(1, 0);
  for (const int size : graph.sizes) given_begin_.push_back(given_begin_.back() + size);
  rows_ = given_begin_.back();
  position_.assign(graph.sizes.size(), 0);
  if (graph.sizes.size() == 1) {
    use_one_panel();
    return;
  }
  scratch.elimination.find(graph);
  set_panels(scratch);
  sort_below(scratch);
  set_targets();
}

/// Sets the columns of all panels and the number of blocks below their diagonals.
void CholeskyPattern::set_panels(PatternScratch& scratch) {
  const std::span<const int> order = scratch.elimination.order();
  panels_.assign(order.size(), {});
  int begin = 0, first_below = 0;
  for (std::size_t p = 0; p < order.size(); ++p) {
    Panel& panel = panels_[p];
    panel.node = order[p];
    position_[static_cast<std::size_t>(panel.node)] = static_cast<int>(p);
    panel.size = graph_.sizes[static_cast<std::size_t>(panel.node)];
    panel.begin = begin;
    panel.first_below = first_below;
    begin += panel.size;
    first_below += static_cast<int>(scratch.elimination.remaining(p).size());
  }
  below_.resize(static_cast<std::size_t>(first_below));
}

/// Sets the blocks below the diagonals in the order of elimination: lists the panels that hold each
/// row of nodes, then goes through the rows in this order.
void CholeskyPattern::sort_below(PatternScratch& scratch) {
  std::vector<int>&begin = scratch.row_begin, &panels_of_row = scratch.row_panels;
  begin.assign(panels_.size() + 2, 0);
  panels_of_row.resize(below_.size());
  const auto position = [&](int node) {
    return static_cast<std::size_t>(position_[static_cast<std::size_t>(node)]);
  };
  for (std::size_t p = 0; p < panels_.size(); ++p)
    for (const int node : scratch.elimination.remaining(p)) ++begin[position(node) + 2];
  for (std::size_t row = 2; row < begin.size(); ++row) begin[row] += begin[row - 1];
  for (std::size_t p = 0; p < panels_.size(); ++p)
    for (const int node : scratch.elimination.remaining(p))
      panels_of_row[static_cast<std::size_t>(begin[position(node) + 1]++)] = static_cast<int>(p);
  for (Panel& panel : panels_) panel.height = panel.size;
  for (std::size_t row = 0; row < panels_.size(); ++row) {
    for (int k = begin[row]; k < begin[row + 1]; ++k) {
      Panel& panel = panels_[static_cast<std::size_t>(panels_of_row[static_cast<std::size_t>(k)])];
      below_[static_cast<std::size_t>(panel.first_below + panel.count_below++)] = {
          static_cast<int>(row), panel.height, panels_[row].size};
      panel.height += panels_[row].size;
    }
  }
  value_count_ = 0;
  for (Panel& panel : panels_) {
    panel.offset = value_count_;
    value_count_ += static_cast<std::size_t>(panel.height) * static_cast<std::size_t>(panel.size);
  }
}

/// The rows of a panel from block j on are rows of the panel that has block j on its diagonal. Both
/// are sorted, so that one pass through the other panel finds them.
void CholeskyPattern::set_targets() {
  targets_.clear();
  for (Panel& panel : panels_) {
    check_interrupt();
    panel.first_target = targets_.size();
    const std::span<const Below> own = below(panel);
    for (std::size_t j = 0; j < own.size(); ++j) {
      const Panel& column = panels_[static_cast<std::size_t>(own[j].position)];
      targets_.push_back(column.offset);
      const Below* there = below(column).data();
      for (std::size_t i = j + 1; i < own.size(); ++i, ++there) {
        while (there->position != own[i].position) ++there;
        targets_.push_back(column.offset + static_cast<std::size_t>(there->row));
      }
    }
    if (targets_.size() > kMostTargets) return use_one_panel();
  }
}

/// Keeps the matrix as a dense one.
void CholeskyPattern::use_one_panel() {
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
  assert(found != last && found->position == wanted);
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

/// Forward elimination of columns j to j + Width of a panel: computes their values, then subtracts
/// their products from the rows behind them.
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

/// Back substitution of columns j to j + Width of a panel: sums the rows behind them, then computes
/// their values.
template <int Width>
void CholeskyPattern::substitute_columns(const Panel& panel, const double* first, int j,
                                         double* y) const {
  const double* column[Width];
  double sums[Width][2] = {};  // sums of even and of odd rows run at once
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

/// Takes three columns at a time, because contacts have three rows and free bodies six.
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
