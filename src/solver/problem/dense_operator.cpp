// SPDX-License-Identifier: BSD-2-Clause
#include "solver/problem/dense_operator.hpp"

#include <map>

#include "solver/problem/islands.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

using Lists = std::vector<std::vector<int>>;

/// Finds the blocks that use each row of W.
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

/// The rows of W in groups that the same blocks use, and the groups of each block. Rows that no
/// block uses are left out.
struct RowGroups {
  Lists rows, of_block;
};

RowGroups group_rows(const Eigen::MatrixXd& W, std::span<const ContactBlock> blocks) {
  const Lists touching = blocks_of_rows(W, blocks);
  RowGroups groups;
  groups.of_block.resize(blocks.size());
  std::map<std::vector<int>, std::size_t> group_of;
  for (std::size_t row = 0; row < touching.size(); ++row) {
    check_interrupt();
    if (touching[row].empty()) continue;
    const auto [place, is_new] = group_of.try_emplace(touching[row], groups.rows.size());
    if (is_new) {
      for (const int block : touching[row])
        groups.of_block[static_cast<std::size_t>(block)].push_back(
            static_cast<int>(groups.rows.size()));
      groups.rows.emplace_back();
    }
    groups.rows[place->second].push_back(static_cast<int>(row));
  }
  return groups;
}

}  // namespace

void set_dense_operator(ContactProblem::Data& data) {
  const RowGroups groups = group_rows(data.matrix, data.blocks);
  data.motion_begin.assign(1, 0);
  for (const std::vector<int>& rows : groups.rows)
    data.motion_begin.push_back(data.motion_begin.back() + static_cast<int>(rows.size()));
  UnionFind bodies;
  bodies.start(groups.rows.size());
  data.entry_begin.assign(1, 0);
  for (std::size_t c = 0; c < data.blocks.size(); ++c) {
    check_interrupt();
    for (const int group : groups.of_block[c]) {
      data.entries.push_back({group, data.numbers.size()});
      bodies.unite(groups.of_block[c].front(), group);
      for (int k = 0; k < row_count(data.blocks[c].kind); ++k)
        for (const int row : groups.rows[static_cast<std::size_t>(group)])
          data.numbers.push_back(data.matrix(row, data.blocks[c].row + k));
    }
    data.entry_begin.push_back(data.entries.size());
  }
  IslandScratch scratch;
  set_operator_islands(data, bodies, scratch);
}

Eigen::MatrixXd dense_operator(const ContactProblem::Data& data) {
  if (data.matrix.size() > 0) return data.matrix;
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(data.motion_begin.back(), data.g.size());
  for (std::size_t c = 0; c < data.blocks.size(); ++c) {
    const int rows = row_count(data.blocks[c].kind);
    for (std::size_t e = data.entry_begin[c]; e < data.entry_begin[c + 1]; ++e) {
      const int body = data.entries[e].body, motions = data.motions(body);
      W.block(
          data.motion_begin[static_cast<std::size_t>(body)], data.blocks[c].row, motions,
          rows) = Eigen::Map<const Eigen::MatrixXd>(data.numbers.data() + data.entries[e].offset,
                                                    motions, rows);
    }
  }
  return W;
}

}  // namespace tactum
