// SPDX-License-Identifier: BSD-2-Clause
// Orders are compared with elimination on a dense matrix of ones and zeros.
#include "solver/linear/elimination_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/random.hpp"

namespace tactum::elimination_order {
namespace {

using namespace tactum::testing;

using Table = std::vector<std::vector<char>>;

NodeGraph graph_of(const Table& touches, std::vector<int> sizes) {
  NodeGraph graph{.sizes = std::move(sizes), .begin = {0}, .nodes = {}};
  for (std::size_t i = 0; i < touches.size(); ++i) {
    for (std::size_t j = 0; j < touches.size(); ++j)
      if (i != j && touches[i][j]) graph.nodes.push_back(static_cast<int>(j));
    graph.begin.push_back(static_cast<int>(graph.nodes.size()));
  }
  return graph;
}

Table random_table(Random& random, int nodes, double share) {
  Table touches(static_cast<std::size_t>(nodes),
                std::vector<char>(static_cast<std::size_t>(nodes)));
  for (std::size_t i = 0; i < touches.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) touches[i][j] = touches[j][i] = random.chance(share);
  return touches;
}

TEST(EliminationOrder, RemainingNodesAreThoseOfTheElimination) {
  Random random(411);
  EliminationOrder order;
  for (int trial = 0; trial < 200; ++trial) {
    Table touches = random_table(random, 1 + random.below(25), random.uniform(0, 0.6));
    std::vector<int> sizes;
    for (std::size_t i = 0; i < touches.size(); ++i) sizes.push_back(1 + random.below(8));
    order.find(graph_of(touches, sizes));
    ASSERT_EQ(order.order().size(), touches.size());
    std::vector<char> gone(touches.size(), 0);
    for (std::size_t p = 0; p < touches.size(); ++p) {
      const auto pivot = static_cast<std::size_t>(order.order()[p]);
      ASSERT_FALSE(gone[pivot]);
      gone[pivot] = 1;
      std::vector<int> expected;
      for (std::size_t j = 0; j < touches.size(); ++j)
        if (!gone[j] && touches[pivot][j]) expected.push_back(static_cast<int>(j));
      std::vector<int> found(order.remaining(p).begin(), order.remaining(p).end());
      std::sort(found.begin(), found.end());
      ASSERT_EQ(found, expected) << trial;
      for (const int a : expected)
        for (const int b : expected)
          touches[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] = 1;
    }
  }
}

TEST(EliminationOrder, FillsInLittleMoreThanExactLeastDegree) {
  // a grid of bodies, as in a pile, with a search for the least exact degree in every step
  constexpr int side = 12, nodes = side * side;
  Table touches(nodes, std::vector<char>(nodes, 0));
  for (int i = 0; i < nodes; ++i) {
    for (const int j : {i + 1, i + side}) {
      if (j >= nodes || (j == i + 1 && j % side == 0)) continue;
      touches[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = 1;
      touches[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)] = 1;
    }
  }
  EliminationOrder order;
  order.find(graph_of(touches, std::vector<int>(nodes, 6)));
  std::size_t filled = 0, exact = 0;
  for (std::size_t p = 0; p < nodes; ++p) filled += order.remaining(p).size();
  std::vector<char> gone(nodes, 0);
  for (int step = 0; step < nodes; ++step) {
    std::size_t best = nodes;
    std::vector<std::size_t> least;
    for (std::size_t i = 0; i < nodes; ++i) {
      if (gone[i]) continue;
      std::vector<std::size_t> own;
      for (std::size_t j = 0; j < nodes; ++j)
        if (j != i && !gone[j] && touches[i][j]) own.push_back(j);
      if (best != nodes && own.size() >= least.size()) continue;
      best = i;
      least = own;
    }
    gone[best] = 1;
    exact += least.size();
    for (const std::size_t a : least)
      for (const std::size_t b : least) touches[a][b] = 1;
  }
  EXPECT_LT(static_cast<double>(filled), 1.2 * static_cast<double>(exact));
}

}  // namespace
}  // namespace tactum::elimination_order
