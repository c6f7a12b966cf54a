// SPDX-License-Identifier: BSD-2-Clause
// Union-find over bodies, or over the blocks of G: an entry of G that is exactly zero connects
// nothing, and every other one connects.
#include "solver/problem/islands.hpp"

#include <numeric>

#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

/// Clears an island of the memory for its first block.
ContactIsland& start_island(ContactProblem::Data& data) {
  if (data.island_count == data.island_memory.size()) data.island_memory.emplace_back();
  ContactIsland& island = data.island_memory[data.island_count++];
  island.g.clear();
  island.rows.clear();
  island.blocks.clear();
  return island;
}

/// Adds a block of the whole problem to an island.
void add_block(const ContactProblem::Data& data, int index, ContactIsland& island) {
  const ContactBlock& block = data.blocks[static_cast<std::size_t>(index)];
  island.blocks.push_back(index);
  for (int row = block.row; row < block.row + row_count(block.kind); ++row) {
    island.rows.push_back(row);
    island.g.push_back(data.g[row]);
  }
}

/// A block of the whole problem with the row that it has within an island.
ContactBlock local_block(const ContactProblem::Data& data, int index, int row) {
  ContactBlock block = data.blocks[static_cast<std::size_t>(index)];
  block.row = row;
  return block;
}

/// Makes W or G of an island from the entries of its blocks.
void set_columns(const ContactProblem::Data& data, ContactIsland& island, IslandScratch& scratch) {
  BlockColumns& columns = island.columns;
  columns.start();
  // nodes are numbered as blocks use them; a body belongs to one island only
  int nodes = 0;
  for (const int index : island.blocks) {
    const auto c = static_cast<std::size_t>(index);
    for (std::size_t e = data.entry_begin[c]; e < data.entry_begin[c + 1]; ++e) {
      int& node = scratch.node_of_body[static_cast<std::size_t>(data.entries[e].body)];
      if (node >= 0) continue;
      node = nodes++;
      columns.add_node(data.motions(data.entries[e].body));
    }
  }
  int row = 0;
  for (const int index : island.blocks) {
    const auto c = static_cast<std::size_t>(index);
    scratch.entries.clear();
    for (std::size_t e = data.entry_begin[c]; e < data.entry_begin[c + 1]; ++e)
      scratch.entries.push_back(
          {scratch.node_of_body[static_cast<std::size_t>(data.entries[e].body)],
           data.entries[e].offset});
    const ContactBlock block = local_block(data, index, row);
    columns.add_block(block, scratch.entries);
    row += row_count(block.kind);
  }
  if (columns.matrix_is_cheaper())
    columns.finish_matrix(data.numbers.data(), scratch.columns);
  else
    columns.finish_operator(data.numbers.data(), scratch.columns);
}

bool touches(const ContactProblem::Data& data, const ContactBlock& a, const ContactBlock& b) {
  for (int j = 0; j < row_count(b.kind); ++j)
    for (int i = 0; i < row_count(a.kind); ++i)
      if (data.matrix(a.row + i, b.row + j) != 0) return true;
  return false;
}

void connect_blocks(const ContactProblem::Data& data, UnionFind& groups) {
  const int count = static_cast<int>(data.blocks.size());
  int left = count;
  for (int j = 0; j < count && left > 1; ++j) {
    check_interrupt();
    for (int i = j + 1; i < count; ++i) {
      if (groups.root(i) == groups.root(j)) continue;
      if (!touches(data, data.blocks[static_cast<std::size_t>(i)],
                   data.blocks[static_cast<std::size_t>(j)]))
        continue;
      groups.unite(i, j);
      --left;
    }
  }
}

/// Copies the part of G in the rows of an island.
void set_matrix(const ContactProblem::Data& data, ContactIsland& island) {
  std::vector<ContactBlock> blocks;
  int row = 0;
  for (const int index : island.blocks) {
    blocks.push_back(local_block(data, index, row));
    row += row_count(blocks.back().kind);
  }
  if (row == data.matrix.rows())
    island.columns.build_matrix(data.matrix, blocks);
  else
    island.columns.build_matrix(data.matrix(island.rows, island.rows), blocks);
}

}  // namespace

void UnionFind::start(std::size_t count) {
  parent_.resize(count);
  std::iota(parent_.begin(), parent_.end(), 0);
}

int UnionFind::root(int i) {
  while (parent_[static_cast<std::size_t>(i)] != i) {
    int& up = parent_[static_cast<std::size_t>(i)];
    up = parent_[static_cast<std::size_t>(up)];
    i = up;
  }
  return i;
}

void UnionFind::unite(int a, int b) {
  a = root(a);
  b = root(b);
  parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
}

void set_operator_islands(ContactProblem::Data& data, UnionFind& bodies, IslandScratch& scratch) {
  const std::size_t body_count = data.motion_begin.size() - 1;
  scratch.island_of_body.assign(body_count, -1);
  scratch.node_of_body.assign(body_count, -1);
  data.island_count = 0;
  for (std::size_t c = 0; c < data.blocks.size(); ++c) {
    // a block that moves nothing is an island of its own
    int alone = -1;
    int& island = data.entry_begin[c] == data.entry_begin[c + 1]
                      ? alone
                      : scratch.island_of_body[static_cast<std::size_t>(
                            bodies.root(data.entries[data.entry_begin[c]].body))];
    if (island < 0) {
      island = static_cast<int>(data.island_count);
      start_island(data);
    }
    add_block(data, static_cast<int>(c), data.island_memory[static_cast<std::size_t>(island)]);
  }
  for (std::size_t i = 0; i < data.island_count; ++i) {
    check_interrupt();
    set_columns(data, data.island_memory[i], scratch);
  }
}

void set_matrix_islands(ContactProblem::Data& data) {
  const std::size_t count = data.blocks.size();
  UnionFind groups;
  groups.start(count);
  connect_blocks(data, groups);
  std::vector<int> island_of_group(count, -1);
  data.island_count = 0;
  for (std::size_t c = 0; c < count; ++c) {
    int& island = island_of_group[static_cast<std::size_t>(groups.root(static_cast<int>(c)))];
    if (island < 0) {
      island = static_cast<int>(data.island_count);
      start_island(data);
    }
    add_block(data, static_cast<int>(c), data.island_memory[static_cast<std::size_t>(island)]);
  }
  for (std::size_t i = 0; i < data.island_count; ++i) {
    check_interrupt();
    set_matrix(data, data.island_memory[i]);
  }
}

}  // namespace tactum
