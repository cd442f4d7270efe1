//===- FusionPlan.h - Which regions are formed --------------------*- C++ -*-===//
//
// The decision of fusion: groups the ops of one function. Knows nothing of how a region is written.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_SCHEDULE_FUSIONPLAN_H
#define TRACE_SCHEDULE_FUSIONPLAN_H

#include "trace/Schedule/Barrier.h"

namespace mlir::trace {

struct FusionPlanOptions {
  /// Regions of more than one op; negative: no limit.
  int64_t limit = -1;
  /// Ops that compute in one region, and values that go in and out: beyond this a kernel gets slower, not faster.
  unsigned maxOps = 96;
  unsigned maxValues = 48;
};

/// A partition of a function's ops into the regions to be, and what each region copies in.
///
/// Nodes are the ops of the block. *Transparent* ops (views, constants, iotas, cheap conversions from a narrower type)
/// belong to no region: each region that reads one holds a copy. The graph of the other ops, with edges through
/// transparent ones, is kept acyclic while nodes merge: a topological order of the groups is maintained by the
/// algorithm of Pearce and Kelly, which searches only between the places of the two groups, so that the whole is
/// near-linear for the graphs that models give.
class FusionPlan {
public:
  FusionPlan(func::FuncOp func, const Barrier &barrier, FusionPlanOptions options = {});

  /// Forms the groups. Remarks say why a producer stays apart from its consumer.
  void run();

  /// The groups that become regions, each a list of the ops it computes, in order.
  SmallVector<SmallVector<Operation *>> getGroups() const;

  /// All ops that the region of `group` holds, in order: the group's own and the transparent ones they read. A reshape
  /// of a value from outside stays outside: there it is free.
  SmallVector<Operation *> getRegionOps(ArrayRef<Operation *> group) const;

  /// A result of an op of `group` that something outside the group's region uses.
  bool escapes(Value value, ArrayRef<Operation *> group) const;

private:
  struct Node {
    Operation *op = nullptr;
    bool transparent = false;
    bool fusible = false;
    bool backward = false;
    bool constant = false;              // made of constants and iotas only
    unsigned depth = 0;                 // chain length of cheap transparent ops below and at this one
    SmallVector<unsigned, 4> producers; // nodes, not transparent
    SmallVector<unsigned, 4> users;     // nodes, not transparent
    SmallVector<unsigned, 4> copied;    // transparent nodes that this one reads, directly or through others
  };
  struct Group {
    SmallVector<unsigned> members;
    SmallVector<unsigned, 4> producers, users; // nodes, find() gives the group
    unsigned order = 0;
  };

  void classify();
  void connect();
  void decideTransparent(unsigned index);
  void mergeProducers();
  void mergeSiblings();
  bool tryMerge(unsigned a, unsigned b);
  void explain(unsigned a, unsigned b);
  bool isLegal(unsigned a, unsigned b, StringRef &why) const;
  bool reorder(unsigned first, unsigned second, SmallVectorImpl<unsigned> &after, SmallVectorImpl<unsigned> &before);
  void merge(unsigned a, unsigned b);
  unsigned find(unsigned node) const;
  SmallVector<Operation *> regionOps(ArrayRef<unsigned> members) const;

  func::FuncOp func;
  Barrier barrier;
  FusionPlanOptions options;
  int64_t formed = 0;
  std::vector<Node> nodes;
  mutable std::vector<unsigned> parent;
  std::vector<Group> groups;
  DenseMap<Operation *, unsigned> indexOf;
};

} // namespace mlir::trace

#endif
