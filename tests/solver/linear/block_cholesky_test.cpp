// SPDX-License-Identifier: BSD-2-Clause
#include "solver/linear/block_cholesky.hpp"

#include <gtest/gtest.h>

#include "support/dense_reference.hpp"

namespace tactum::block_cholesky {
namespace {

using namespace tactum::testing;

struct Sparse {
  std::vector<int> sizes;
  std::vector<std::vector<int>> neighbors;
  std::vector<int> begin;
  Eigen::MatrixXd matrix;
};

/// A positive definite matrix with blocks where nodes touch and zeros elsewhere.
Sparse random_sparse(Random& random, int nodes, double share, int largest) {
  Sparse sparse;
  sparse.neighbors.resize(static_cast<std::size_t>(nodes));
  sparse.begin.push_back(0);
  for (int i = 0; i < nodes; ++i) {
    sparse.sizes.push_back(random.chance(0.5) ? 6 : 1 + random.below(largest));
    sparse.begin.push_back(sparse.begin.back() + sparse.sizes.back());
  }
  const int rows = sparse.begin.back();
  sparse.matrix = Eigen::MatrixXd::Zero(rows, rows);
  for (int i = 0; i < nodes; ++i) {
    for (int j = 0; j < i; ++j) {
      if (!random.chance(share)) continue;
      sparse.neighbors[static_cast<std::size_t>(i)].push_back(j);
      sparse.neighbors[static_cast<std::size_t>(j)].push_back(i);
      for (int r = sparse.begin[static_cast<std::size_t>(i)];
           r < sparse.begin[static_cast<std::size_t>(i) + 1]; ++r)
        for (int c = sparse.begin[static_cast<std::size_t>(j)];
             c < sparse.begin[static_cast<std::size_t>(j) + 1]; ++c)
          sparse.matrix(r, c) = sparse.matrix(c, r) = random.uniform(-1, 1);
    }
  }
  sparse.matrix.diagonal().array() += sparse.matrix.cwiseAbs().rowwise().sum().maxCoeff() + 1;
  return sparse;
}

NodeGraph graph_of(const std::vector<int>& sizes, std::vector<std::vector<int>> neighbors) {
  NodeGraph graph{.sizes = sizes, .begin = {0}, .nodes = {}};
  for (std::vector<int>& own : neighbors) {
    std::sort(own.begin(), own.end());
    graph.nodes.insert(graph.nodes.end(), own.begin(), own.end());
    graph.begin.push_back(static_cast<int>(graph.nodes.size()));
  }
  return graph;
}

void analyze(CholeskyPattern& pattern, const Sparse& sparse) {
  PatternScratch scratch;
  pattern.analyze(graph_of(sparse.sizes, sparse.neighbors), scratch);
}

std::vector<double> values_of(const CholeskyPattern& pattern, const Sparse& sparse) {
  std::vector<double> values(pattern.value_count(), 0.0);
  const int nodes = static_cast<int>(sparse.sizes.size());
  for (int i = 0; i < nodes; ++i) {
    for (int j = 0; j < nodes; ++j) {
      const auto& own = sparse.neighbors[static_cast<std::size_t>(i)];
      if (i != j && (!pattern.is_below(i, j) || std::find(own.begin(), own.end(), j) == own.end()))
        continue;
      const CholeskyPattern::Place place = pattern.place(i, j);
      for (int c = 0; c < sparse.sizes[static_cast<std::size_t>(j)]; ++c)
        for (int r = 0; r < sparse.sizes[static_cast<std::size_t>(i)]; ++r)
          values[place.offset + static_cast<std::size_t>(c * place.stride + r)] = sparse.matrix(
              sparse.begin[static_cast<std::size_t>(i)] + r,
              sparse.begin[static_cast<std::size_t>(j)] + c);
    }
  }
  return values;
}

TEST(BlockCholesky, SolvesWhatADenseFactorSolves) {
  Random random(301);
  for (const auto& [nodes, share, largest] :
       {std::tuple{1, 1.0, 4}, {1, 1.0, 90}, {12, 0.2, 9}, {30, 0.08, 3}, {6, 1.0, 60}}) {
    const Sparse sparse = random_sparse(random, nodes, share, largest);
    CholeskyPattern pattern;
    analyze(pattern, sparse);
    ASSERT_EQ(pattern.rows(), sparse.begin.back());
    std::vector<double> values = values_of(pattern, sparse);
    ASSERT_TRUE(pattern.factorize(values));
    const Eigen::VectorXd right = Eigen::VectorXd::LinSpaced(pattern.rows(), -1, 2),
                          expected = solve_definite(sparse.matrix, right);
    Eigen::VectorXd x = right, scratch(pattern.rows());
    pattern.solve(values, x.data(), scratch.data());
    EXPECT_LT((x - expected).norm(), 1e-12 * expected.norm()) << nodes << " nodes";
  }
}

TEST(BlockCholesky, AChainFillsNothingIn) {
  // for a stack of bodies, least degree first leaves a factor with the blocks of the matrix alone
  const int nodes = 50;
  const std::vector<int> sizes(nodes, 6);
  std::vector<std::vector<int>> neighbors(nodes);
  for (int i = 0; i + 1 < nodes; ++i) {
    neighbors[static_cast<std::size_t>(i)].push_back(i + 1);
    neighbors[static_cast<std::size_t>(i) + 1].push_back(i);
  }
  CholeskyPattern pattern;
  PatternScratch scratch;
  pattern.analyze(graph_of(sizes, neighbors), scratch);
  EXPECT_EQ(pattern.value_count(), 36U * (nodes + nodes - 1));
}

TEST(BlockCholesky, OneAnalysisAfterAnother) {
  // patterns and scratch that were used before give the bits of fresh ones
  Random random(303);
  CholeskyPattern pattern;
  PatternScratch scratch;
  for (int trial = 0; trial < 30; ++trial) {
    const Sparse sparse = random_sparse(random, 1 + random.below(20), random.uniform(), 6);
    const NodeGraph graph = graph_of(sparse.sizes, sparse.neighbors);
    for (int repeat = 0; repeat < 2; ++repeat) pattern.analyze(graph, scratch);
    CholeskyPattern fresh;
    analyze(fresh, sparse);
    std::vector<double> values = values_of(pattern, sparse), expected = values_of(fresh, sparse);
    ASSERT_TRUE(pattern.factorize(values));
    ASSERT_TRUE(fresh.factorize(expected));
    EXPECT_EQ(values, expected) << trial;
  }
}

TEST(BlockCholesky, RefusesWhatIsNotDefinite) {
  Random random(302);
  Sparse sparse = random_sparse(random, 8, 0.3, 4);
  sparse.matrix(3, 3) = -1;
  CholeskyPattern pattern;
  analyze(pattern, sparse);
  std::vector<double> values = values_of(pattern, sparse);
  EXPECT_FALSE(pattern.factorize(values));
}

}  // namespace
}  // namespace tactum::block_cholesky
