// SPDX-License-Identifier: BSD-2-Clause
// Union-find over blocks. An entry that is exactly zero connects nothing; anything else does.
#include "solver/problem/islands.hpp"

#include <numeric>

#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

int root(std::vector<int>& parent, int i) {
  while (parent[static_cast<std::size_t>(i)] != i) {
    int& up = parent[static_cast<std::size_t>(i)];
    up = parent[static_cast<std::size_t>(up)];
    i = up;
  }
  return i;
}

/// The smaller index stays the root, so that islands are numbered in the order of blocks.
void unite(std::vector<int>& parent, int a, int b) {
  a = root(parent, a);
  b = root(parent, b);
  parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
}

bool touches(const ContactProblem::Data& data, const ContactBlock& a, const ContactBlock& b) {
  for (int j = 0; j < row_count(b.kind); ++j)
    for (int i = 0; i < row_count(a.kind); ++i)
      if (data.matrix(a.row + i, b.row + j) != 0) return true;
  return false;
}

void connect_dense(const ContactProblem::Data& data, std::vector<int>& parent) {
  const int count = static_cast<int>(data.blocks.size());
  int groups = count;
  for (int j = 0; j < count && groups > 1; ++j) {
    check_interrupt();
    for (int i = j + 1; i < count; ++i) {
      if (root(parent, i) == root(parent, j)) continue;
      if (!touches(data, data.blocks[static_cast<std::size_t>(i)],
                   data.blocks[static_cast<std::size_t>(j)]))
        continue;
      unite(parent, i, j);
      --groups;
    }
  }
}

void connect_operator(const ContactProblem::Data& data, std::vector<int>& parent) {
  const auto count = data.blocks.size(), motions = static_cast<std::size_t>(data.matrix.rows());
  parent.resize(count + motions, -1);  // behind the blocks: the first block that moves a row of W
  std::fill(parent.begin() + static_cast<std::ptrdiff_t>(count), parent.end(), -1);
  for (std::size_t i = 0; i < count; ++i) {
    check_interrupt();
    for (int k = 0; k < row_count(data.blocks[i].kind); ++k) {
      for (std::size_t m = 0; m < motions; ++m) {
        if (data.matrix(static_cast<Eigen::Index>(m), data.blocks[i].row + k) == 0) continue;
        int& first = parent[count + m];
        if (first < 0)
          first = static_cast<int>(i);
        else
          unite(parent, first, static_cast<int>(i));
      }
    }
  }
}

}  // namespace

void find_islands(const ContactProblem::Data& data, Islands& islands) {
  const std::size_t count = data.blocks.size();
  islands.parent.resize(count);
  std::iota(islands.parent.begin(), islands.parent.end(), 0);
  if (data.is_operator)
    connect_operator(data, islands.parent);
  else
    connect_dense(data, islands.parent);
  islands.of_block.resize(count);
  islands.count = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const int top = root(islands.parent, static_cast<int>(i));
    islands.of_block[i] = top == static_cast<int>(i)
                              ? islands.count++
                              : islands.of_block[static_cast<std::size_t>(top)];
  }
}

ContactIsland gather_island(const ContactProblem::Data& data, const Islands& islands, int island) {
  ContactIsland out;
  for (std::size_t i = 0; i < data.blocks.size(); ++i) {
    if (islands.of_block[i] != island) continue;
    ContactBlock block = data.blocks[i];
    for (int k = 0; k < row_count(block.kind); ++k) out.rows.push_back(block.row + k);
    block.row = static_cast<int>(out.rows.size()) - row_count(block.kind);
    out.blocks.push_back(block);
  }
  std::vector<int> motion_rows;  // of W that any of its columns uses
  if (data.is_operator) {
    for (Eigen::Index m = 0; m < data.matrix.rows(); ++m) {
      for (const int row : out.rows) {
        if (data.matrix(m, row) == 0) continue;
        motion_rows.push_back(static_cast<int>(m));
        break;
      }
    }
    if (motion_rows.empty())
      motion_rows.push_back(0);  // rows that nothing moves: a matrix of zeros, not one without rows
  }
  const std::vector<int>& matrix_rows = data.is_operator ? motion_rows : out.rows;
  const auto count = static_cast<Eigen::Index>(out.rows.size()),
             height = static_cast<Eigen::Index>(matrix_rows.size());
  out.matrix.resize(height, count);
  out.g.resize(count);
  for (Eigen::Index j = 0; j < count; ++j) {
    const int row = out.rows[static_cast<std::size_t>(j)];
    out.g[j] = data.g[row];
    for (Eigen::Index i = 0; i < height; ++i)
      out.matrix(i, j) = data.matrix(matrix_rows[static_cast<std::size_t>(i)], row);
  }
  return out;
}

void ContactProblem::Data::find_structure() {
  columns.build(matrix, blocks, is_operator);
  Islands found;
  find_islands(*this, found);
  islands.clear();
  if (found.count <= 1) return;
  islands.reserve(static_cast<std::size_t>(found.count));
  for (int i = 0; i < found.count; ++i) {
    check_interrupt();
    islands.push_back(gather_island(*this, found, i));
    islands.back().columns.build(islands.back().matrix, islands.back().blocks, is_operator);
  }
}

}  // namespace tactum
