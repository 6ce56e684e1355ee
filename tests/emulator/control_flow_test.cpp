// tests/emulator/control_flow_test.cpp: immediate post-dominators against their definition.
#include "profiling/emulator/decode/control_flow.h"

#include <gtest/gtest.h>

#include <random>

namespace warpscope {
namespace {

using Graph = std::vector<std::vector<int>>;

// Whether `to` is reached from `from` without `without`.
bool reaches(const Graph& graph, int from, int to, int without) {
  std::vector<char> seen(graph.size() + 1, 0);
  std::vector<int> open{from};
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    if (node == without || seen[static_cast<std::size_t>(node)] != 0) continue;
    seen[static_cast<std::size_t>(node)] = 1;
    if (node == to) return true;
    if (node < static_cast<int>(graph.size())) {
      for (const int next : graph[static_cast<std::size_t>(node)]) open.push_back(next);
    }
  }
  return false;
}

// The nearest of the nodes that no path from `node` to the exit avoids.
int by_definition(const Graph& graph, int node) {
  const int exit = static_cast<int>(graph.size());
  if (!reaches(graph, node, exit, -1)) return -1;
  std::vector<int> after;
  for (int other = 0; other <= exit; ++other) {
    if (other != node && (other == exit || !reaches(graph, node, exit, other))) {
      after.push_back(other);
    }
  }
  for (const int candidate : after) {
    bool nearest = true;
    for (const int other : after) {
      // Every other post-dominator of the node also post-dominates the nearest one.
      if (other != candidate && other != exit && reaches(graph, candidate, exit, other)) {
        nearest = false;
      }
      if (candidate == exit && other != exit) nearest = false;
    }
    if (nearest) return candidate;
  }
  return -2;
}

TEST(ControlFlow, PostDominatorsOfRandomGraphsAreThoseOfTheDefinition) {
  std::mt19937 random(7);
  for (int turn = 0; turn < 3000; ++turn) {
    const int nodes = 1 + static_cast<int>(random() % 12);
    Graph graph(static_cast<std::size_t>(nodes));
    for (auto& next : graph) {
      const int count = static_cast<int>(random() % 4);
      for (int k = 0; k < count; ++k) {
        next.push_back(static_cast<int>(random() % static_cast<unsigned>(nodes + 1)));
      }
    }
    const std::vector<int> found = immediate_post_dominators(graph);
    ASSERT_EQ(found.size(), graph.size());
    for (int node = 0; node < nodes; ++node) {
      ASSERT_EQ(found[static_cast<std::size_t>(node)], by_definition(graph, node))
          << "node " << node << " of graph " << turn;
    }
  }
}

TEST(ControlFlow, AnEndlessLoopHasNoPostDominator) {
  EXPECT_EQ(immediate_post_dominators({{1}, {0}}), (std::vector<int>{-1, -1}));
  EXPECT_EQ(immediate_post_dominators({{1, 2}, {1}, {3}}), (std::vector<int>{2, -1, 3}));
}

}  // namespace
}  // namespace warpscope
