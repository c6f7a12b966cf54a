// SPDX-License-Identifier: BSD-2-Clause
#include "solver/linear/block_lu.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/dense_reference.hpp"

namespace tactum::block_lu {
namespace {

using namespace tactum::testing;

struct Sparse {
  NodeGraph graph;
  std::vector<std::vector<int>> neighbors;
  std::vector<int> begin = {0};
  Eigen::MatrixXd matrix;
};

/// A matrix with blocks where nodes touch and zeros elsewhere. Its diagonal blocks need pivots:
/// their largest entries are not on the diagonal.
Sparse random_sparse(Random& random, int nodes, double share, int largest) {
  Sparse sparse;
  sparse.neighbors.resize(static_cast<std::size_t>(nodes));
  for (int i = 0; i < nodes; ++i) {
    sparse.graph.sizes.push_back(random.chance(0.5) ? 6 : 1 + random.below(largest));
    sparse.begin.push_back(sparse.begin.back() + sparse.graph.sizes.back());
  }
  const int rows = sparse.begin.back();
  sparse.matrix = Eigen::MatrixXd::Zero(rows, rows);
  const auto block = [&](int i, int j) {
    return sparse.matrix.block(sparse.begin[static_cast<std::size_t>(i)],
                               sparse.begin[static_cast<std::size_t>(j)],
                               sparse.graph.sizes[static_cast<std::size_t>(i)],
                               sparse.graph.sizes[static_cast<std::size_t>(j)]);
  };
  for (int i = 0; i < nodes; ++i) {
    auto own = block(i, i);
    own = random_matrix(random, own.rows(), own.cols());
    for (Eigen::Index k = 0; k < own.rows(); ++k) own(k, own.rows() - 1 - k) += 3.0 * nodes;
    for (int j = 0; j < i; ++j) {
      if (!random.chance(share)) continue;
      sparse.neighbors[static_cast<std::size_t>(i)].push_back(j);
      sparse.neighbors[static_cast<std::size_t>(j)].push_back(i);
      auto below = block(i, j);
      below = random_matrix(random, below.rows(), below.cols());
      auto above = block(j, i);
      above = random_matrix(random, above.rows(), above.cols());
    }
  }
  sparse.graph.begin = {0};
  for (std::vector<int>& own : sparse.neighbors) {
    std::sort(own.begin(), own.end());
    sparse.graph.nodes.insert(sparse.graph.nodes.end(), own.begin(), own.end());
    sparse.graph.begin.push_back(static_cast<int>(sparse.graph.nodes.size()));
  }
  return sparse;
}

/// The blocks on and below the diagonal of a matrix, in the order of elimination.
std::vector<double> lower_values(const CholeskyPattern& pattern, const Sparse& sparse,
                                 const Eigen::MatrixXd& matrix) {
  std::vector<double> values(pattern.value_count(), 0.0);
  const int nodes = static_cast<int>(sparse.neighbors.size());
  for (int i = 0; i < nodes; ++i) {
    for (int j = 0; j < nodes; ++j) {
      const auto& own = sparse.neighbors[static_cast<std::size_t>(i)];
      if (i != j && (!pattern.is_below(i, j) || std::find(own.begin(), own.end(), j) == own.end()))
        continue;
      const CholeskyPattern::Place place = pattern.place(i, j);
      for (int c = 0; c < sparse.graph.sizes[static_cast<std::size_t>(j)]; ++c)
        for (int r = 0; r < sparse.graph.sizes[static_cast<std::size_t>(i)]; ++r)
          values[place.offset + static_cast<std::size_t>(c * place.stride + r)] = matrix(
              sparse.begin[static_cast<std::size_t>(i)] + r,
              sparse.begin[static_cast<std::size_t>(j)] + c);
    }
  }
  return values;
}

TEST(BlockLu, SolvesWhatADenseFactorSolves) {
  Random random(321);
  for (const auto& [nodes, share, largest] :
       {std::tuple{1, 1.0, 4}, {1, 1.0, 70}, {12, 0.2, 9}, {30, 0.08, 3}, {6, 1.0, 30}}) {
    const Sparse sparse = random_sparse(random, nodes, share, largest);
    CholeskyPattern pattern;
    PatternScratch memory;
    pattern.analyze(sparse.graph, memory);
    std::vector<double> lower = lower_values(pattern, sparse, sparse.matrix),
                        upper = lower_values(pattern, sparse, sparse.matrix.transpose());
    BlockLu lu;
    ASSERT_TRUE(lu.factorize(pattern, lower, upper));
    const Eigen::VectorXd right = Eigen::VectorXd::LinSpaced(pattern.rows(), -1, 2),
                          expected = solve_full_pivot(sparse.matrix, right);
    Eigen::VectorXd x = right, scratch(pattern.rows());
    lu.solve(x.data(), scratch.data());
    EXPECT_LT((x - expected).norm(), 1e-11 * expected.norm()) << nodes << " nodes";
  }
}

TEST(BlockLu, SaysThatAMatrixIsSingular) {
  Random random(322);
  Sparse sparse = random_sparse(random, 1, 1.0, 3);
  sparse.matrix.setZero();
  CholeskyPattern pattern;
  PatternScratch memory;
  pattern.analyze(sparse.graph, memory);
  std::vector<double> lower = lower_values(pattern, sparse, sparse.matrix), upper = lower;
  BlockLu lu;
  EXPECT_FALSE(lu.factorize(pattern, lower, upper));
}

}  // namespace
}  // namespace tactum::block_lu
