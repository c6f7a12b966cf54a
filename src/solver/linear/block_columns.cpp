// SPDX-License-Identifier: BSD-2-Clause
#include "solver/linear/block_columns.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

constexpr int kOneNode = 16;  // a matrix of up to this size is one node: a search for its zeros
                              // would not pay

constexpr double kMostMatrixRows = 64;  // with more rows, the zeros of W are worth looking for

constexpr int kManyPositions = 512;  // from here on, the products of one block take longer than a
                                     // question about interrupts

using Lists = std::vector<std::vector<int>>;

/// Adds three columns times three factors to `out`. A free body has six motions: that case is
/// unrolled.
template <int Size>
void add_columns(double* out, const double* first, int begin, int size, double x, double y,
                 double z) {
  const int count = Size > 0 ? Size : size;
  const double *const second = first + count, *const third = second + count;
  for (int i = begin; i < count; ++i) out[i] += (first[i] * x + second[i] * y) + third[i] * z;
}

/// Adds the products of three columns with `in` to sums of even and of odd rows.
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

/// Adds the product of two entries of a block, with a weight between them, to `out`. Its rows are
/// those of the first entry, its columns those of the second.
template <int Size>
void add_product(double* out, int stride, const double* rows, int size, const double* columns,
                 int count, const double* weight, bool is_diagonal) {
  for (int j = 0; j < (Size > 0 ? Size : count); ++j, out += stride) {
    const int step = Size > 0 ? Size : count;
    const double x = columns[j], y = columns[j + step], z = columns[j + 2 * step];
    const double a = (weight[0] * x + weight[3] * y) + weight[6] * z,
                 b = (weight[1] * x + weight[4] * y) + weight[7] * z,
                 c = (weight[2] * x + weight[5] * y) + weight[8] * z;
    // nothing above the diagonal is read, so a whole column of six may be written, which is quicker
    add_columns<Size>(out, rows, Size > 0 || !is_diagonal ? 0 : j, size, a, b, c);
  }
}

/// out = left^T in right. `left` and `right` are 3 x 3, column by column; a block of one row uses
/// the first number.
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

/// Products of the columns of two entries of one node: out(j, k) += first_j . second_k. Two rows at
/// a time stay in one register.
template <int First, int Second>
void add_products(const double* first, const double* second, int size, double* out, int stride) {
  using Pair = Eigen::Vector2d;
  Pair sums[Second][First];
  for (int k = 0; k < Second; ++k)
    for (int j = 0; j < First; ++j) sums[k][j].setZero();
  int i = 0;
  for (; i + 2 <= size; i += 2) {
    Pair a[First];
    for (int j = 0; j < First; ++j) a[j] = Eigen::Map<const Pair>(first + j * size + i);
    for (int k = 0; k < Second; ++k) {
      const Pair b = Eigen::Map<const Pair>(second + k * size + i);
      for (int j = 0; j < First; ++j) sums[k][j] += a[j].cwiseProduct(b);
    }
  }
  for (int k = 0; k < Second; ++k) {
    for (int j = 0; j < First; ++j) {
      double sum = sums[k][j].sum();
      if (i < size) sum += first[j * size + i] * second[k * size + i];
      out[static_cast<std::ptrdiff_t>(k) * stride + j] += sum;
    }
  }
}

/// Finds the blocks that each block touches, itself among them.
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

// -------------------------------------------------------------------------------------------------
// operators
void BlockColumns::start() {
  blocks_.clear();
  node_begin_.assign(1, 0);
  entry_begin_.assign(1, 0);
  entries_.clear();
}

void BlockColumns::add_block(const ContactBlock& block, std::span<const Entry> entries) {
  blocks_.push_back(block);
  entries_.insert(entries_.end(), entries.begin(), entries.end());
  entry_begin_.push_back(entries_.size());
}

bool BlockColumns::matrix_is_cheaper() const {
  double rows = 0, numbers = 0, squares = 0;
  for (std::size_t c = 0; c < blocks_.size(); ++c) {
    rows += row_count(blocks_[c].kind);
    for (std::size_t e = entry_begin_[c]; e < entry_begin_[c + 1]; ++e)
      numbers += row_count(blocks_[c].kind) * node_size(entries_[e].node);
  }
  for (int node = 0; node + 1 < static_cast<int>(node_begin_.size()); ++node)
    squares += static_cast<double>(node_size(node)) * node_size(node);
  return rows <= kMostMatrixRows && rows * rows <= 2 * numbers + squares;
}

void BlockColumns::finish_operator(const double* numbers, Scratch& scratch) {
  is_operator_ = true;
  numbers_ = numbers;
  set_graph(scratch);
  pattern_.analyze(scratch.graph, scratch.pattern);
  sort_entries();
  set_operator_places();
}

/// Sets the graph of the nodes that a block touches together.
void BlockColumns::set_graph(Scratch& scratch) const {
  NodeGraph& graph = scratch.graph;
  const std::size_t count = node_begin_.size() - 1;
  graph.sizes.resize(count);
  for (std::size_t node = 0; node < count; ++node)
    graph.sizes[node] = node_size(static_cast<int>(node));
  // lists with repetitions: `seen` holds where the list of each node begins, then where it ends
  std::vector<int>&ends = scratch.seen, &pairs = scratch.pairs;
  ends.assign(count + 1, 0);
  const auto for_each_pair = [&](const auto& visit) {
    for (std::size_t c = 0; c < blocks_.size(); ++c)
      for (std::size_t a = entry_begin_[c]; a < entry_begin_[c + 1]; ++a)
        for (std::size_t b = entry_begin_[c]; b < entry_begin_[c + 1]; ++b)
          if (a != b) visit(static_cast<std::size_t>(entries_[a].node), entries_[b].node);
  };
  for_each_pair([&](std::size_t a, int) { ++ends[a + 1]; });
  for (std::size_t node = 0; node < count; ++node) ends[node + 1] += ends[node];
  pairs.resize(static_cast<std::size_t>(ends[count]));
  for_each_pair([&](std::size_t a, int b) { pairs[static_cast<std::size_t>(ends[a]++)] = b; });
  graph.begin.assign(1, 0);
  graph.nodes.clear();
  auto from = pairs.begin();
  for (std::size_t node = 0; node < count; ++node) {
    const auto to = pairs.begin() + ends[node];
    std::sort(from, to);
    graph.nodes.insert(graph.nodes.end(), from, std::unique(from, to));
    graph.begin.push_back(static_cast<int>(graph.nodes.size()));
    from = to;
  }
}

/// Sorts the entries of every block in the order of elimination, so that the later one of two
/// entries gives the rows of their product.
void BlockColumns::sort_entries() {
  for (std::size_t c = 0; c < blocks_.size(); ++c)
    std::sort(entries_.begin() + static_cast<std::ptrdiff_t>(entry_begin_[c]),
              entries_.begin() + static_cast<std::ptrdiff_t>(entry_begin_[c + 1]),
              [&](const Entry& a, const Entry& b) { return pattern_.is_below(b.node, a.node); });
}

void BlockColumns::set_operator_places() {
  pair_begin_.assign(1, 0);
  pair_place_.clear();
  for (std::size_t c = 0; c < blocks_.size(); ++c) {
    for (std::size_t e = entry_begin_[c]; e < entry_begin_[c + 1]; ++e)
      for (std::size_t later = e; later < entry_begin_[c + 1]; ++later)
        pair_place_.push_back(pattern_.place(entries_[later].node, entries_[e].node));
    pair_begin_.push_back(pair_place_.size());
  }
}

// -------------------------------------------------------------------------------------------------
// matrices
void BlockColumns::finish_matrix(const double* numbers, Scratch& scratch) {
  const int rows = blocks_.empty() ? 0 : blocks_.back().row + row_count(blocks_.back().kind);
  const auto stride = static_cast<std::size_t>(rows);
  own_numbers_.assign(stride * stride, 0.0);
  for (std::size_t c = 0; c < blocks_.size(); ++c) {
    for (std::size_t d = c; d < blocks_.size(); ++d) {
      double* const out = own_numbers_.data() + static_cast<std::size_t>(blocks_[d].row) * stride +
                          blocks_[c].row;
      const bool wide_c = blocks_[c].kind == ContactKind::friction,
                 wide_d = blocks_[d].kind == ContactKind::friction;
      for (std::size_t a = entry_begin_[c]; a < entry_begin_[c + 1]; ++a) {
        for (std::size_t b = entry_begin_[d]; b < entry_begin_[d + 1]; ++b) {
          if (entries_[a].node != entries_[b].node) continue;
          const int size = node_size(entries_[a].node);
          const double *const first = numbers + entries_[a].offset, *const second =
                                                                        numbers +
                                                                        entries_[b].offset;
          if (wide_c && wide_d)
            add_products<3, 3>(first, second, size, out, rows);
          else if (wide_c)
            add_products<3, 1>(first, second, size, out, rows);
          else if (wide_d)
            add_products<1, 3>(first, second, size, out, rows);
          else
            add_products<1, 1>(first, second, size, out, rows);
        }
      }
    }
  }
  for (std::size_t j = 0; j < stride; ++j)
    for (std::size_t i = j + 1; i < stride; ++i)
      own_numbers_[j * stride + i] = own_numbers_[i * stride + j];
  set_one_node(rows, scratch);
}

/// Makes the numbers of a dense matrix one node.
void BlockColumns::set_one_node(int rows, Scratch& scratch) {
  is_operator_ = false;
  numbers_ = own_numbers_.data();
  const std::size_t count = blocks_.size();
  node_begin_ = {0, rows};
  row_at_.resize(static_cast<std::size_t>(rows));
  std::iota(row_at_.begin(), row_at_.end(), 0);
  block_position_.resize(count);
  block_node_.assign(count, 0);
  node_block_begin_ = {0, static_cast<int>(count)};
  node_blocks_.resize(count);
  std::iota(node_blocks_.begin(), node_blocks_.end(), 0);
  entry_begin_.assign(1, 0);
  entries_.clear();
  for (std::size_t c = 0; c < count; ++c) {
    block_position_[c] = blocks_[c].row;
    entries_.push_back(
        {0, static_cast<std::size_t>(blocks_[c].row) * static_cast<std::size_t>(rows)});
    entry_begin_.push_back(entries_.size());
  }
  scratch.graph.sizes.assign(1, rows);
  scratch.graph.begin.assign(2, 0);
  scratch.graph.nodes.clear();
  pattern_.analyze(scratch.graph, scratch.pattern);
  set_matrix_places();
}

void BlockColumns::build_matrix(const Eigen::MatrixXd& G, std::span<const ContactBlock> blocks) {
  is_operator_ = false;
  blocks_.assign(blocks.begin(), blocks.end());
  const Lists touching = neighbors_of_blocks(G, blocks);
  set_matrix_nodes(touching);

  // nodes of every block, in the order of nodes
  Lists nodes(blocks.size()), adjacent(node_begin_.size() - 1);
  for (std::size_t c = 0; c < blocks.size(); ++c) {
    for (const int other : touching[c])
      nodes[c].push_back(block_node_[static_cast<std::size_t>(other)]);
    std::sort(nodes[c].begin(), nodes[c].end());
    nodes[c].erase(std::unique(nodes[c].begin(), nodes[c].end()), nodes[c].end());
    std::vector<int>& own = adjacent[static_cast<std::size_t>(block_node_[c])];
    own.insert(own.end(), nodes[c].begin(), nodes[c].end());
  }
  NodeGraph graph{.sizes = {}, .begin = {0}, .nodes = {}};
  for (std::size_t node = 0; node < adjacent.size(); ++node) {
    std::vector<int>& own = adjacent[node];
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    own.erase(std::remove(own.begin(), own.end(), static_cast<int>(node)), own.end());
    graph.sizes.push_back(node_size(static_cast<int>(node)));
    graph.nodes.insert(graph.nodes.end(), own.begin(), own.end());
    graph.begin.push_back(static_cast<int>(graph.nodes.size()));
  }
  PatternScratch scratch;
  pattern_.analyze(graph, scratch);
  set_matrix_entries(G, nodes);
  set_matrix_places();
}

/// Groups blocks of G that touch the same blocks.
void BlockColumns::set_matrix_nodes(const Lists& touching) {
  int rows = 0;
  for (const ContactBlock& block : blocks_) rows += row_count(block.kind);
  Lists groups;
  std::map<std::vector<int>, std::size_t> group_of;
  for (std::size_t c = 0; c < touching.size(); ++c) {
    check_interrupt();
    const auto [place, is_new] = group_of.try_emplace(
        rows <= kOneNode ? std::vector<int>{} : touching[c], groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(static_cast<int>(c));
  }
  node_begin_.assign(1, 0);
  row_at_.clear();
  node_block_begin_.assign(1, 0);
  node_blocks_.clear();
  block_node_.resize(blocks_.size());
  block_position_.resize(blocks_.size());
  for (const std::vector<int>& group : groups) {
    for (const int c : group) {
      const ContactBlock& block = blocks_[static_cast<std::size_t>(c)];
      block_node_[static_cast<std::size_t>(c)] = static_cast<int>(node_begin_.size()) - 1;
      block_position_[static_cast<std::size_t>(c)] = static_cast<int>(row_at_.size());
      for (int k = 0; k < row_count(block.kind); ++k) row_at_.push_back(block.row + k);
    }
    node_blocks_.insert(node_blocks_.end(), group.begin(), group.end());
    node_block_begin_.push_back(static_cast<int>(node_blocks_.size()));
    node_begin_.push_back(static_cast<int>(row_at_.size()));
  }
}

void BlockColumns::set_matrix_entries(const Eigen::MatrixXd& G, const Lists& nodes_of_block) {
  entry_begin_.assign(1, 0);
  entries_.clear();
  own_numbers_.clear();
  for (std::size_t c = 0; c < blocks_.size(); ++c) {
    check_interrupt();
    for (const int node : nodes_of_block[c]) {
      entries_.push_back({node, own_numbers_.size()});
      for (int k = 0; k < row_count(blocks_[c].kind); ++k)
        for (int i = node_begin_[static_cast<std::size_t>(node)];
             i < node_begin_[static_cast<std::size_t>(node) + 1]; ++i)
          own_numbers_.push_back(G(row_at_[static_cast<std::size_t>(i)], blocks_[c].row + k));
    }
    entry_begin_.push_back(entries_.size());
  }
  numbers_ = own_numbers_.data();
}

/// Entries above the diagonal get no place: their stride stays 0.
void BlockColumns::set_matrix_places() {
  entry_place_.assign(entries_.size(), {0, 0});
  for (std::size_t c = 0; c < blocks_.size(); ++c)
    for (std::size_t e = entry_begin_[c]; e < entry_begin_[c + 1]; ++e)
      if (!pattern_.is_below(block_node_[c], entries_[e].node))
        entry_place_[e] = pattern_.place(entries_[e].node, block_node_[c]);
}

std::array<double, 9> BlockColumns::stored_block(std::size_t block) const {
  std::array<double, 9> result{};
  const int rows = row_count(blocks_[block].kind), node = block_node_[block];
  std::size_t e = entry_begin_[block];
  while (entries_[e].node != node) ++e;
  const double* const first = numbers_ + entries_[e].offset + block_position_[block] -
                              node_begin_[static_cast<std::size_t>(node)];
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < rows; ++i)
      result[static_cast<std::size_t>(3 * j + i)] = first[j * node_size(node) + i];
  return result;
}

// -------------------------------------------------------------------------------------------------
// products
void BlockColumns::add(std::size_t block, const double* change, double* y) const {
  const int rows = row_count(blocks_[block].kind);
  for (std::size_t e = entry_begin_[block]; e < entry_begin_[block + 1]; ++e) {
    const int size = node_size(entries_[e].node);
    const double* const first = numbers_ + entries_[e].offset;
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
  double sums[3][2] = {{0, 0}, {0, 0}, {0, 0}};  // sums of even and of odd rows run at once
  for (std::size_t e = entry_begin_[block]; e < entry_begin_[block + 1]; ++e) {
    const int size = node_size(entries_[e].node);
    const double* const in = y + node_begin_[static_cast<std::size_t>(entries_[e].node)];
    const double* const first = numbers_ + entries_[e].offset;
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
    const double* const first = numbers_ + entries_[e].offset;
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

void BlockColumns::set_column(std::size_t block, int k, double* scratch, double* out) const {
  const double unit[3] = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
  std::fill_n(scratch, positions(), 0.0);
  add(block, unit, scratch);
  if (is_operator_)
    multiply_transposed(scratch, out);
  else
    to_rows(scratch, out);
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

// -------------------------------------------------------------------------------------------------
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
    const double* const own = numbers_ + entries_[e].offset;
    for (std::size_t later = e; later < entry_begin_[block + 1]; ++later) {
      const int size = node_size(entries_[later].node);
      const double* const first = numbers_ + entries_[later].offset;
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

void BlockColumns::set_scaled(const double* left_scale, const double* right_scale,
                              const double* addition, std::vector<double>& values) const {
  const std::vector<ContactBlock>& blocks = blocks_;
  values.assign(pattern_.value_count(), 0.0);
  for (std::size_t c = 0; c < blocks.size(); ++c) {
    if (positions() >= kManyPositions) check_interrupt();
    const int columns = row_count(blocks[c].kind), node = block_node_[c];
    const int local = block_position_[c] - node_begin_[static_cast<std::size_t>(node)];
    for (std::size_t e = entry_begin_[c]; e < entry_begin_[c + 1]; ++e) {
      const CholeskyPattern::Place place = entry_place_[e];
      if (place.stride == 0) continue;  // the entry on the other side of the diagonal is kept
      const int size = node_size(entries_[e].node);
      const double* const in = numbers_ + entries_[e].offset;
      double* const out = values.data() + place.offset +
                          static_cast<std::size_t>(local) * static_cast<std::size_t>(place.stride);
      if (left_scale == nullptr) {
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
      const auto row_node = static_cast<std::size_t>(entries_[e].node);
      for (int k = node_block_begin_[row_node]; k < node_block_begin_[row_node + 1]; ++k) {
        const int other = node_blocks_[static_cast<std::size_t>(k)];
        const int rows = row_count(blocks[static_cast<std::size_t>(other)].kind);
        const int at = block_position_[static_cast<std::size_t>(other)] -
                       node_begin_[static_cast<std::size_t>(entries_[e].node)];
        if (on_diagonal && at < local) continue;  // above the diagonal
        const double* const left = left_scale + 9 * static_cast<std::size_t>(other);
        const double* const right = right_scale + 9 * c;
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
