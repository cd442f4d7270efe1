//===- MinCut.cpp - Minimum cut of a flow network ---------------------------===//
#include "trace/Schedule/MinCut.h"
#include <algorithm>

using namespace mlir::trace;

unsigned MinCut::addNode() {
  first.push_back(-1);
  return first.size() - 1;
}

void MinCut::addEdge(unsigned from, unsigned to, int64_t capacity) {
  edges.push_back({to, capacity, first[from]});
  first[from] = edges.size() - 1;
  edges.push_back({from, 0, first[to]});
  first[to] = edges.size() - 1;
}

bool MinCut::findLevels() {
  level.assign(first.size(), -1);
  std::vector<unsigned> queue{source};
  level[source] = 0;
  for (size_t next = 0; next < queue.size(); ++next)
    for (int e = first[queue[next]]; e >= 0; e = edges[e].next)
      if (edges[e].capacity > 0 && level[edges[e].to] < 0) {
        level[edges[e].to] = level[queue[next]] + 1;
        queue.push_back(edges[e].to);
      }
  return level[sink] >= 0;
}

/// One path from source to sink along rising levels; 0 where there is none left.
int64_t MinCut::pushFlow() {
  std::vector<int> path; // edges from the source on
  unsigned node = source;
  while (node != sink) {
    int &e = current[node];
    while (e >= 0 && !(edges[e].capacity > 0 && level[edges[e].to] == level[node] + 1))
      e = edges[e].next;
    if (e >= 0) {
      path.push_back(e);
      node = edges[e].to;
      continue;
    }
    // A dead end: nothing will come through this node again.
    if (path.empty())
      return 0;
    level[node] = -1;
    node = edges[path.back() ^ 1].to;
    path.pop_back();
  }
  int64_t flow = infinite;
  for (int e : path)
    flow = std::min(flow, edges[e].capacity);
  for (int e : path) {
    edges[e].capacity -= flow;
    edges[e ^ 1].capacity += flow;
  }
  return flow;
}

int64_t MinCut::run() {
  int64_t total = 0;
  while (findLevels()) {
    current = first;
    while (int64_t flow = pushFlow())
      total += flow;
  }
  return total;
}
