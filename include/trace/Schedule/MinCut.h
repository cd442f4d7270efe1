//===- MinCut.h - Minimum cut of a flow network -------------------*- C++ -*-===//
#ifndef TRACE_SCHEDULE_MINCUT_H
#define TRACE_SCHEDULE_MINCUT_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace mlir::trace {

/// Dinic's algorithm, without recursion (networks here are as deep as a model): breadth-first levels, then depth-first
/// blocking flows with a pointer per node. Near-linear on the networks of real programs, O(nodes^2 * edges) at worst.
class MinCut {
public:
  static constexpr int64_t infinite = int64_t(1) << 60;

  /// Adds a node and gives its number. Nodes 0 and 1 are source and sink.
  unsigned addNode();
  void addEdge(unsigned from, unsigned to, int64_t capacity);

  /// Computes a maximum flow and gives its value.
  int64_t run();
  /// After run(): the node is on the source's side of the minimum cut that is nearest the source.
  bool onSourceSide(unsigned node) const { return level[node] >= 0; }

  static constexpr unsigned source = 0, sink = 1;

private:
  struct Edge {
    unsigned to;
    int64_t capacity; // what is left of it
    int next;         // the next edge of the same node
  };
  bool findLevels();
  int64_t pushFlow();

  std::vector<Edge> edges; // edge e ^ 1 is the reverse of e
  std::vector<int> first{-1, -1}, level, current;
};

} // namespace mlir::trace

#endif
