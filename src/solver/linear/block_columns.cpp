// SPDX-License-Identifier: BSD-2-Clause
#include "solver/linear/block_columns.hpp"

#include <algorithm>
#include <map>

#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

constexpr int kOneNode = 16;  // matrices up to this size are one node: their zeros are not worth
                              // the search

constexpr int kManyPositions = 512;  // from here on, the products of one block take longer than a
                                     // question about interrupts

using Lists = std::vector<std::vector<int>>;

/// out += three columns times three factors. A free body has six motions: that case is unrolled.
template <int Size>
void add_columns(double* out, const double* first, int begin, int size, double x, double y,
                 double z) {
  const int count = Size > 0 ? Size : size;
  const double *const second = first + count, *const third = second + count;
  for (int i = begin; i < count; ++i) out[i] += (first[i] * x + second[i] * y) + third[i] * z;
}

/// Three columns times `in`, added to sums of even and of odd rows.
template <int Size>
void add_dots(const double* first, const double* in, int size, double (&sums)[3][2]) {
  const int count = Size > 0 ? Size : size;
  for (int k = 0; k < 3; ++k, first += count) {
    int i = 0;
    for (; i + 2 <= count; i += 2) {
      sums[k][0] += first[i] * in[i];
      sums[k][1] += first[i + 1] * in[i + 1];
    }
    if (i < count) sums[k][0] += first[i] * in[i];
  }
}

/// The product of two entries of a block with a weight between them: rows of one, columns of the
/// other.
template <int Size>
void add_product(double* out, int stride, const double* rows, int size, const double* columns,
                 int count, const double* weight, bool is_diagonal) {
  for (int j = 0; j < (Size > 0 ? Size : count); ++j, out += stride) {
    const int step = Size > 0 ? Size : count;
    const double x = columns[j], y = columns[j + step], z = columns[j + 2 * step];
    const double a = (weight[0] * x + weight[3] * y) + weight[6] * z,
                 b = (weight[1] * x + weight[4] * y) + weight[7] * z,
                 c = (weight[2] * x + weight[5] * y) + weight[8] * z;
    // above the diagonal nothing is read: a whole column of six is quicker than a part of it
    add_columns<Size>(out, rows, Size > 0 || !is_diagonal ? 0 : j, size, a, b, c);
  }
}

/// out = left^T in right, the outer ones 3 x 3 column by column (the first number where a block has
/// one row).
template <int Rows, int Columns>
void set_sandwich(const double* left, const double* in, int size, const double* right, double* out,
                  int stride) {
  for (int j = 0; j < Columns; ++j) {
    double column[Rows];
    for (int i = 0; i < Rows; ++i) {
      column[i] = right[3 * j] * in[i];
      for (int k = 1; k < Columns; ++k) column[i] += right[3 * j + k] * in[k * size + i];
    }
    for (int i = 0; i < Rows; ++i) {
      double entry = left[3 * i] * column[0];
      for (int k = 1; k < Rows; ++k) entry += left[3 * i + k] * column[k];
      out[static_cast<std::ptrdiff_t>(j) * stride + i] = entry;
    }
  }
}

/// The blocks that use each row of W.
Lists blocks_of_rows(const Eigen::MatrixXd& W, std::span<const ContactBlock> blocks) {
  Lists lists(static_cast<std::size_t>(W.rows()));
  for (std::size_t c = 0; c < blocks.size(); ++c) {
    check_interrupt();
    for (Eigen::Index i = 0; i < W.rows(); ++i) {
      bool used = false;
      for (int k = 0; k < row_count(blocks[c].kind); ++k) used |= W(i, blocks[c].row + k) != 0;
      if (used) lists[static_cast<std::size_t>(i)].push_back(static_cast<int>(c));
    }
  }
  return lists;
}

/// The blocks that each block touches, itself among them.
Lists neighbors_of_blocks(const Eigen::MatrixXd& G, std::span<const ContactBlock> blocks) {
  Lists lists(blocks.size());
  std::vector<int> block_of_row(static_cast<std::size_t>(G.rows()));
  for (std::size_t c = 0; c < blocks.size(); ++c)
    for (int k = 0; k < row_count(blocks[c].kind); ++k)
      block_of_row[static_cast<std::size_t>(blocks[c].row + k)] = static_cast<int>(c);
  std::vector<int> seen(blocks.size(), -1);
  for (std::size_t c = 0; c < blocks.size(); ++c) {
    const auto note = [&](int other) {
      if (seen[static_cast<std::size_t>(other)] == static_cast<int>(c)) return;
      seen[static_cast<std::size_t>(other)] = static_cast<int>(c);
      lists[c].push_back(other);
    };
    check_interrupt();
    note(static_cast<int>(c));
    for (int k = 0; k < row_count(blocks[c].kind); ++k) {
      const double* const column = G.col(blocks[c].row + k).data();
      for (Eigen::Index i = 0; i < G.rows(); ++i)
        if (column[i] != 0) note(block_of_row[static_cast<std::size_t>(i)]);
    }
    std::sort(lists[c].begin(), lists[c].end());
  }
  return lists;
}

}  // namespace

void BlockColumns::build(const Eigen::MatrixXd& matrix, std::span<const ContactBlock> blocks,
                         bool is_operator) {
  const Lists touching = is_operator ? blocks_of_rows(matrix, blocks)
                                     : neighbors_of_blocks(matrix, blocks);
  blocks_.assign(blocks.begin(), blocks.end());
  set_nodes(touching, is_operator);

  // nodes of every block, in the order of nodes
  Lists nodes(blocks.size());
  const auto note = [&](int block, int node) {
    std::vector<int>& own = nodes[static_cast<std::size_t>(block)];
    if (std::find(own.begin(), own.end(), node) == own.end()) own.push_back(node);
  };
  if (is_operator) {
    for (int node = 0; node + 1 < static_cast<int>(node_begin_.size()); ++node)
      for (int i = node_begin_[static_cast<std::size_t>(node)];
           i < node_begin_[static_cast<std::size_t>(node) + 1]; ++i)
        for (const int block :
             touching[static_cast<std::size_t>(row_at_[static_cast<std::size_t>(i)])])
          note(block, node);
  } else {
    for (std::size_t c = 0; c < blocks.size(); ++c)
      for (const int other : touching[c])
        note(static_cast<int>(c), block_node_[static_cast<std::size_t>(other)]);
  }
  std::vector<int> sizes;
  Lists adjacent(node_begin_.size() - 1);
  for (std::size_t node = 0; node + 1 < node_begin_.size(); ++node)
    sizes.push_back(node_size(static_cast<int>(node)));
  for (std::size_t c = 0; c < blocks.size(); ++c) {
    if (!is_operator) {
      std::vector<int>& own = adjacent[static_cast<std::size_t>(block_node_[c])];
      own.insert(own.end(), nodes[c].begin(), nodes[c].end());
      continue;
    }
    for (const int a : nodes[c])
      for (const int b : nodes[c])
        if (a != b) adjacent[static_cast<std::size_t>(a)].push_back(b);
  }
  pattern_.analyze(sizes, std::move(adjacent));
  set_entries(matrix, std::move(nodes));
  set_places(is_operator);
}

/// Groups rows of W, or blocks of G, that touch the same blocks.
void BlockColumns::set_nodes(const Lists& touching, bool is_operator) {
  const std::vector<ContactBlock>& blocks = blocks_;
  int used = 0;
  for (std::size_t unit = 0; unit < touching.size(); ++unit)
    used += touching[unit].empty() ? 0 : is_operator ? 1 : row_count(blocks[unit].kind);
  Lists groups;
  std::map<std::vector<int>, std::size_t> group_of;
  for (std::size_t unit = 0; unit < touching.size(); ++unit) {
    check_interrupt();
    if (touching[unit].empty()) continue;  // a motion that no contact can make
    const auto [place, is_new] = group_of.try_emplace(
        used <= kOneNode ? std::vector<int>{} : touching[unit], groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(static_cast<int>(unit));
  }
  node_begin_.assign(1, 0);
  row_at_.clear();
  node_blocks_.clear();
  block_node_.assign(is_operator ? 0 : blocks.size(), 0);
  block_position_.assign(is_operator ? 0 : blocks.size(), 0);
  for (const std::vector<int>& group : groups) {
    for (const int unit : group) {
      if (is_operator) {
        row_at_.push_back(unit);
        continue;
      }
      const ContactBlock& block = blocks[static_cast<std::size_t>(unit)];
      block_node_[static_cast<std::size_t>(unit)] = static_cast<int>(node_begin_.size()) - 1;
      block_position_[static_cast<std::size_t>(unit)] = static_cast<int>(row_at_.size());
      for (int k = 0; k < row_count(block.kind); ++k) row_at_.push_back(block.row + k);
    }
    if (!is_operator) node_blocks_.push_back(group);
    node_begin_.push_back(static_cast<int>(row_at_.size()));
  }
}

/// In the order of elimination within a block, so that of two entries the later one is the row of
/// their product.
void BlockColumns::set_entries(const Eigen::MatrixXd& matrix, Lists nodes_of_block) {
  const std::vector<ContactBlock>& blocks = blocks_;
  entry_begin_.assign(1, 0);
  entries_.clear();
  values_.clear();
  for (std::size_t c = 0; c < blocks.size(); ++c) {
    check_interrupt();
    std::vector<int>& nodes = nodes_of_block[c];
    std::sort(nodes.begin(), nodes.end(), [&](int a, int b) { return pattern_.is_below(b, a); });
    for (const int node : nodes) {
      entries_.push_back({node, values_.size()});
      for (int k = 0; k < row_count(blocks[c].kind); ++k)
        for (int i = node_begin_[static_cast<std::size_t>(node)];
             i < node_begin_[static_cast<std::size_t>(node) + 1]; ++i)
          values_.push_back(matrix(row_at_[static_cast<std::size_t>(i)], blocks[c].row + k));
    }
    entry_begin_.push_back(entries_.size());
  }
}

void BlockColumns::set_places(bool is_operator) {
  pair_begin_.assign(1, 0);
  pair_place_.clear();
  entry_place_.assign(is_operator ? 0 : entries_.size(), {0, 0});
  for (std::size_t c = 0; c + 1 < entry_begin_.size(); ++c) {
    for (std::size_t e = entry_begin_[c]; e < entry_begin_[c + 1]; ++e) {
      if (!is_operator) {
        if (!pattern_.is_below(block_node_[c], entries_[e].node))
          entry_place_[e] = pattern_.place(entries_[e].node, block_node_[c]);
        continue;
      }
      for (std::size_t later = e; later < entry_begin_[c + 1]; ++later)
        pair_place_.push_back(pattern_.place(entries_[later].node, entries_[e].node));
    }
    pair_begin_.push_back(pair_place_.size());
  }
}

// --------------------------------------------------------------------------------------------------------------------
// products
void BlockColumns::add(std::size_t block, const double* change, double* y) const {
  const int rows = row_count(blocks_[block].kind);
  for (std::size_t e = entry_begin_[block]; e < entry_begin_[block + 1]; ++e) {
    const int size = node_size(entries_[e].node);
    const double* const first = values_.data() + entries_[e].offset;
    double* const out = y + node_begin_[static_cast<std::size_t>(entries_[e].node)];
    if (rows == 1) {
      for (int i = 0; i < size; ++i) out[i] += first[i] * change[0];
    } else if (size == 6) {
      add_columns<6>(out, first, 0, 6, change[0], change[1], change[2]);
    } else {
      add_columns<0>(out, first, 0, size, change[0], change[1], change[2]);
    }
  }
}

void BlockColumns::dot(std::size_t block, const double* y, double* out) const {
  const int rows = row_count(blocks_[block].kind);
  double sums[3][2] = {{0, 0}, {0, 0}, {0, 0}};  // of even and of odd rows, so that two run at once
  for (std::size_t e = entry_begin_[block]; e < entry_begin_[block + 1]; ++e) {
    const int size = node_size(entries_[e].node);
    const double* const in = y + node_begin_[static_cast<std::size_t>(entries_[e].node)];
    const double* const first = values_.data() + entries_[e].offset;
    if (rows == 1) {
      for (int i = 0; i < size; ++i) sums[0][i % 2] += first[i] * in[i];
    } else if (size == 6) {
      add_dots<6>(first, in, 6, sums);
    } else {
      add_dots<0>(first, in, size, sums);
    }
  }
  for (int k = 0; k < rows; ++k) out[k] = sums[k][0] + sums[k][1];
}

std::array<double, 9> BlockColumns::gram(std::size_t block) const {
  std::array<double, 9> result{};
  const int rows = row_count(blocks_[block].kind);
  for (std::size_t e = entry_begin_[block]; e < entry_begin_[block + 1]; ++e) {
    const int size = node_size(entries_[e].node);
    const double* const first = values_.data() + entries_[e].offset;
    for (int j = 0; j < rows; ++j) {
      for (int k = 0; k <= j; ++k) {
        double sum = 0;
        for (int i = 0; i < size; ++i) sum += first[j * size + i] * first[k * size + i];
        result[static_cast<std::size_t>(3 * j + k)] += sum;
      }
    }
  }
  for (std::size_t j = 0; j < 3; ++j)
    for (std::size_t k = 0; k < j; ++k) result[3 * k + j] = result[3 * j + k];
  return result;
}

void BlockColumns::multiply(const double* x, double* out) const {
  std::fill_n(out, positions(), 0.0);
  for (std::size_t c = 0; c < blocks_.size(); ++c) add(c, x + blocks_[c].row, out);
}

void BlockColumns::multiply_transposed(const double* y, double* out) const {
  for (std::size_t c = 0; c < blocks_.size(); ++c) dot(c, y, out + blocks_[c].row);
}

void BlockColumns::to_rows(const double* at_positions, double* at_rows) const {
  for (std::size_t i = 0; i < row_at_.size(); ++i) at_rows[row_at_[i]] = at_positions[i];
}

void BlockColumns::to_positions(const double* at_rows, double* at_positions) const {
  for (std::size_t i = 0; i < row_at_.size(); ++i) at_positions[i] = at_rows[row_at_[i]];
}

// ---------------------------------------------------------------------------------------------------------------------
// systems
void BlockColumns::set_identity(std::vector<double>& values) const {
  values.assign(pattern_.value_count(), 0.0);
  for (int node = 0; node + 1 < static_cast<int>(node_begin_.size()); ++node) {
    const CholeskyPattern::Place place = pattern_.place(node, node);
    for (int i = 0; i < node_size(node); ++i)
      values[place.offset +
             static_cast<std::size_t>(i) * static_cast<std::size_t>(place.stride + 1)] = 1.0;
  }
}

void BlockColumns::add_weighted(std::size_t block, const double* weight,
                                std::vector<double>& values) const {
  if (positions() >= kManyPositions) check_interrupt();
  const int rows = row_count(blocks_[block].kind);
  std::size_t pair = pair_begin_[block];
  for (std::size_t e = entry_begin_[block]; e < entry_begin_[block + 1]; ++e) {
    const int columns = node_size(entries_[e].node);
    const double* const own = values_.data() + entries_[e].offset;
    for (std::size_t later = e; later < entry_begin_[block + 1]; ++later) {
      const int size = node_size(entries_[later].node);
      const double* const first = values_.data() + entries_[later].offset;
      const CholeskyPattern::Place place = pair_place_[pair++];
      double* const out = values.data() + place.offset;
      if (rows == 1) {
        for (int j = 0; j < columns; ++j) {
          const double factor = weight[0] * own[j];
          for (int i = later == e ? j : 0; i < size; ++i)
            out[j * place.stride + i] += first[i] * factor;
        }
      } else if (size == 6 && columns == 6) {
        add_product<6>(out, place.stride, first, 6, own, 6, weight, later == e);
      } else {
        add_product<0>(out, place.stride, first, size, own, columns, weight, later == e);
      }
    }
  }
}

void BlockColumns::set_scaled(const double* scale, const double* addition,
                              std::vector<double>& values) const {
  const std::vector<ContactBlock>& blocks = blocks_;
  values.assign(pattern_.value_count(), 0.0);
  for (std::size_t c = 0; c < blocks.size(); ++c) {
    if (positions() >= kManyPositions) check_interrupt();
    const int columns = row_count(blocks[c].kind), node = block_node_[c];
    const int local = block_position_[c] - node_begin_[static_cast<std::size_t>(node)];
    for (std::size_t e = entry_begin_[c]; e < entry_begin_[c + 1]; ++e) {
      const CholeskyPattern::Place place = entry_place_[e];
      if (place.stride == 0) continue;  // its mirror image is kept
      const int size = node_size(entries_[e].node);
      const double* const in = values_.data() + entries_[e].offset;
      double* const out = values.data() + place.offset +
                          static_cast<std::size_t>(local) * static_cast<std::size_t>(place.stride);
      if (scale == nullptr) {
        for (int j = 0; j < columns; ++j) {
          double* const column = std::copy_n(in + j * size, size,
                                             out + static_cast<std::ptrdiff_t>(j) * place.stride) -
                                 size;
          if (entries_[e].node != node) continue;
          for (int i = 0; i < columns; ++i)
            column[local + i] += addition[9 * c + static_cast<std::size_t>(3 * j + i)];
        }
        continue;
      }
      const bool on_diagonal = entries_[e].node == node;
      for (const int other : node_blocks_[static_cast<std::size_t>(entries_[e].node)]) {
        const int rows = row_count(blocks[static_cast<std::size_t>(other)].kind);
        const int at = block_position_[static_cast<std::size_t>(other)] -
                       node_begin_[static_cast<std::size_t>(entries_[e].node)];
        if (on_diagonal && at < local) continue;  // above the diagonal
        const double *const left = scale + 9 * static_cast<std::size_t>(other), *const right =
                                                                                    scale + 9 * c;
        double* const corner = out + at;
        if (rows == 3 && columns == 3)
          set_sandwich<3, 3>(left, in + at, size, right, corner, place.stride);
        else if (rows == 3)
          set_sandwich<3, 1>(left, in + at, size, right, corner, place.stride);
        else if (columns == 3)
          set_sandwich<1, 3>(left, in + at, size, right, corner, place.stride);
        else
          set_sandwich<1, 1>(left, in + at, size, right, corner, place.stride);
        if (other != static_cast<int>(c)) continue;
        for (int j = 0; j < columns; ++j)
          for (int i = 0; i < rows; ++i)
            corner[static_cast<std::ptrdiff_t>(j) * place.stride + i] +=
                addition[9 * c + static_cast<std::size_t>(3 * j + i)];
      }
    }
  }
}

}  // namespace tactum
