// SPDX-License-Identifier: BSD-2-Clause
// The data of a ContactProblem, and the views of its islands that solvers work on.
#pragma once

#include <algorithm>
#include <span>

#include "solver/linear/block_columns.hpp"
#include "tactum/contact_problem.hpp"

namespace tactum {

/// An independent group of blocks as a problem of its own.
struct ContactIsland {
  std::vector<double> g;
  std::vector<int> rows;    ///< its rows in the whole problem
  std::vector<int> blocks;  ///< its blocks in the whole problem
  BlockColumns columns;     ///< G or W of the island
};

struct ContactProblem::Data {
  Eigen::MatrixXd matrix;  ///< G (rows x rows) or W (nv x rows) as it was given; empty for a
                           ///< problem that was built block by block
  bool is_operator = false;
  Eigen::VectorXd g;
  Eigen::VectorXd R;
  std::vector<ContactBlock> blocks;

  // W of an operator: the part in the motions of a body and the columns of a block is an entry
  struct Entry {
    int body;
    std::size_t offset;  ///< place of its first number; column by column
  };
  std::vector<int> motion_begin;         ///< first motion of each body, and the number of motions
  std::vector<std::size_t> entry_begin;  ///< first entry of each block, and the number of entries
  std::vector<Entry> entries;
  std::vector<double> numbers;

  std::vector<ContactIsland> island_memory;  ///< the islands, then some that are kept for their
                                             ///< memory
  std::size_t island_count = 0;
  std::span<const ContactIsland> islands() const {
    return std::span(island_memory).first(island_count);
  }
  int motions(int body) const {
    return motion_begin[static_cast<std::size_t>(body) + 1] -
           motion_begin[static_cast<std::size_t>(body)];
  }
};

/// G + R of an island. With a `mask`, which is 1 or 0 for every row, it is the part of G + R in the
/// rows and columns of ones; forces are 0 in the other rows.
struct DelassusView {
  bool is_operator;
  Eigen::Map<const Eigen::VectorXd> R;
  const BlockColumns* columns;
  const Eigen::VectorXd* mask = nullptr;

  int rows() const { return static_cast<int>(R.size()); }
};

/// An island as solvers see it.
struct ProblemView {
  DelassusView delassus;
  Eigen::Map<const Eigen::VectorXd> g;
  std::span<const ContactBlock> blocks;

  int rows() const { return delassus.rows(); }
};

/// View of an island, with the compliance `R` of its rows.
inline ProblemView view_of(const ContactIsland& island, const Eigen::VectorXd& R) {
  return {{island.columns.is_operator(), {R.data(), R.size()}, &island.columns},
          {island.g.data(), static_cast<Eigen::Index>(island.g.size())},
          island.columns.blocks()};
}

/// Copies the rows of an island out of those of the whole problem, and back.
inline void gather_rows(const ContactIsland& island, const Eigen::VectorXd& whole,
                        Eigen::VectorXd& part) {
  part.resize(static_cast<Eigen::Index>(island.rows.size()));
  for (std::size_t i = 0; i < island.rows.size(); ++i)
    part[static_cast<Eigen::Index>(i)] = whole[island.rows[i]];
}
inline void scatter_rows(const ContactIsland& island, const Eigen::VectorXd& part,
                         Eigen::VectorXd& whole) {
  for (std::size_t i = 0; i < island.rows.size(); ++i)
    whole[island.rows[i]] = part[static_cast<Eigen::Index>(i)];
}

}  // namespace tactum
